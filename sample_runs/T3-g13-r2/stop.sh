#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T3-g13-r2 /bench/.gatecore/T3-g13-r2 9980f7670f0a0333e9e88d3cc33af98edc910ef331e4ed001e4701b78b26091f
