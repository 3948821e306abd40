"""The command line at first sight."""

import subprocess
import sys

COMMANDS = ("init", "validate", "run", "matrix", "score", "analyze", "write-tests", "review", "prep", "hook")
HEAVY = {"msgspec", "polars", "rich", "pytest", "asyncio", "gatecore.harness.bench", "gatecore.snapshot"}


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    program = f"""
import sys
from gatecore.cli import main
sys.argv = ["gatecore", "--help"]
try:
    main()
finally:
    print("loaded:", sorted({HEAVY!r} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"
    listed = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
    assert set(COMMANDS) <= set(listed)
