#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T2-g3-r1 /bench/.gatecore/T2-g3-r1 b503bf96269cc39a1a9a14e71d27b20a108a10bc7b1a9622082442a47c18259b
