#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T3-g1-r2 /bench/.gatecore/T3-g1-r2 3edc3888bc3108052f6e19a84d761788dfa0a26055fb75c6e1340f9e6365599a
