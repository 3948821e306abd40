#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T3-g3-r1 /bench/.gatecore/T3-g3-r1 a9396b60a9a364baeb25d3aaf8097e4a315e3e7b282c71629251a041a8a8ede4
