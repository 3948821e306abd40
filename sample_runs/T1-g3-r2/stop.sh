#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T1-g3-r2 /bench/.gatecore/T1-g3-r2 4713aba62cd855ab72413324e88bf37689a14ab9631a018a7d2ba4e35bb86a0e
