#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T1-g13-r1 /bench/.gatecore/T1-g13-r1 f16d9335c7dc1bd9b4742aba84eddb1ff6b8ed0c6a0edadc251cdee51e727069
