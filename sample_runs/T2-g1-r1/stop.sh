#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T2-g1-r1 /bench/.gatecore/T2-g1-r1 76ce03164ed080b245ef464367604ba1ddd1ba567b064a01fc3362550da6ade3
