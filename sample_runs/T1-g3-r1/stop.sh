#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T1-g3-r1 /bench/.gatecore/T1-g3-r1 6ac50a1ce758532c9b1af5c492976e123724cd196f1024d89e7a94f9a30b41ac
