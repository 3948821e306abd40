#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T3-g3-r2 /bench/.gatecore/T3-g3-r2 db2b9fb47da406503ac8b8763ffbf048f47e1c4366321a6d5715d5eb76591fa0
