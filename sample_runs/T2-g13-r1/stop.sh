#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T2-g13-r1 /bench/.gatecore/T2-g13-r1 7a917ffd9a08da5c23a3556b39983350a420e9b7cf8f4795f6b4964e45613bc9
