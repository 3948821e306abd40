#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T3-g13adv-r1 /bench/.gatecore/T3-g13adv-r1 7aa2b42bbe30d12cc98c2452b90287e51a1469b93e1f919ca9645cb21ac0c44d
