#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T4-g1-r1 /bench/.gatecore/T4-g1-r1 a0193145f9b659f5a842245727aae05b82a066a84e59284e5a489a208a37ca49
