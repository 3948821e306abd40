#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T2-g3-r2 /bench/.gatecore/T2-g3-r2 a91e293bcc7bb9640c6bb249817268e2362b137a798ddb2cdad36fb6c001c32b
