#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T4-g1-r2 /bench/.gatecore/T4-g1-r2 ab570d45c0fb06148bd096bfcc084796573e3c690d2c314d25c81f156f26ab01
