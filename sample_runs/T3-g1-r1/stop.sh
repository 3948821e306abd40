#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T3-g1-r1 /bench/.gatecore/T3-g1-r1 06826ccd0c95e45222076293f6b635912c088e93ba20cf81446ea7c4f533d491
