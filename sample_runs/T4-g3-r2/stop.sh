#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T4-g3-r2 /bench/.gatecore/T4-g3-r2 509cdd9bfc266d2c5ca2edea9b1dd045290b1eaeacdf4d32bbaaa52b5cdeeb1e
