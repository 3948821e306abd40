#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T2-g1-r2 /bench/.gatecore/T2-g1-r2 499ce4279c332ff05d05ab9ec1027b0881f4cf3df42d38dfb048cecf2a15240b
