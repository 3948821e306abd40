#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T1-g1-r1 /bench/.gatecore/T1-g1-r1 26df4ef38ed1df5f358ae5e6b69cca69dfd6cd568976812c8e8b9a1e9b47924a
