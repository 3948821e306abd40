#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T4-g13-r2 /bench/.gatecore/T4-g13-r2 b172a48fb5bc52878679d2e26c95b8efb25da3c8a2adf7cb83c645418b792d9b
