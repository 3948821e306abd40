#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T2-g13adv-r2 /bench/.gatecore/T2-g13adv-r2 2e951351a244a4ddbcd73e0a0c8ba5d7aed5a389ba4dec3d1f794522ad4e913d
