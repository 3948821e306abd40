#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T3-g13adv-r2 /bench/.gatecore/T3-g13adv-r2 a48f6353b435dd5da3f30afc31271875f68ced78ba8e3913b8183400fbd5da98
