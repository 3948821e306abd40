#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T1-g13adv-r1 /bench/.gatecore/T1-g13adv-r1 00862134fef33e14fa4f0b9cc4e2e28acd0b5a7c1048733c16ff0c6ca2092400
