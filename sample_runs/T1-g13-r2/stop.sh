#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T1-g13-r2 /bench/.gatecore/T1-g13-r2 4ee88d44710567b939cfd4f516f72daa24b125050a97bb23c279e067095cf3b3
