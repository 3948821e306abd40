#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T4-g13adv-r1 /bench/.gatecore/T4-g13adv-r1 617c908012436649c1fe28597f0f00b3752d89d4f14c9805c918e4b2f6cf09fa
