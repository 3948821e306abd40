#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T1-g1-r2 /bench/.gatecore/T1-g1-r2 de2821b9be51d0597123a3684dad11ff6795c1dc15be8d5424f1ea54df7b3b4d
