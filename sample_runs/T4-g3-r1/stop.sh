#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T4-g3-r1 /bench/.gatecore/T4-g3-r1 3287c6df9eb966e8c0d7a310f0dba6606e71518e317ace01d726fc4d839578b3
