#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T1-g13adv-r2 /bench/.gatecore/T1-g13adv-r2 5c11528a9204eae7d66090ab9bae453469e10c07a77819eb97988a802e410267
