#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T2-g13-r2 /bench/.gatecore/T2-g13-r2 97f6c1a930b971be216b0729f405af47d46a565ed873d10a71eaa2369aaefbe6
