"""The command line of gatecore. What a command needs is imported inside it, so that `--help` is instant."""

import signal
import sys

from gatecore.cli import benches, everyday, replays, runs, trials
from gatecore.cli.app import app
from gatecore.harness.errors import UsageError

__all__ = ["app", "benches", "everyday", "main", "replays", "runs", "trials"]


def main() -> None:
    """Run the command line. Wrong use is told in one line and exits with 2; SIGTERM and Ctrl-C exit with 130."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        app()
    except UsageError as err:
        print(f"gatecore: {err}", file=sys.stderr)
        sys.exit(2)
    except OSError as err:
        print(f"gatecore: {err}", file=sys.stderr)
        sys.exit(1)


def _interrupt(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is being ended already must not be cut short
    raise KeyboardInterrupt
