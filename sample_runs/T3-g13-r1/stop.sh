#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T3-g13-r1 /bench/.gatecore/T3-g13-r1 2ce1b8ff5c108a21f87593563716fb9ac958d3fb2c4277c09a8d22de970cb518
