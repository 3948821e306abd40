#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T4-g13-r1 /bench/.gatecore/T4-g13-r1 dd05fc0720c43781f5bfbc7bc4963829dee6a172d54da9bcdd789b2cdeec5aee
