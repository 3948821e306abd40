#!/bin/sh
exec /python/bin/python -I -m gatecore.hook /bench/runs/T4-g13adv-r2 /bench/.gatecore/T4-g13adv-r2 79f7c89047e8e8cb3ab9aea76758df9f237e374d65a9fbabbdf082dfcf1e4635
