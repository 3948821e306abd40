#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T2-g13adv-r1 /bench/.gatecore/T2-g13adv-r1 04909fcf33fe3d881b8ea8e6d8a0098e0301ecb145c74dcede98a454663c12d0
