"""The command line of gateview."""

import gc
import os
import sys


def main() -> None:
    """Run the command line; wrong use is told in one line and exits with 2."""
    try:
        _run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read the output has enough; the interpreter must not complain about it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _run(arguments: list[str]) -> None:
    if arguments[:1] == ["report"]:  # spares what Typer imports: as long as the report of fifty runs takes
        from gateview.report.options import main as report

        gc.disable()  # a report makes much, drops little and ends: there are no cycles to look for
        sys.exit(report(arguments[1:]))
    from gatecore.text import line
    from gateview.cli.commands import UsageError, app

    try:
        app()
    except UsageError as err:
        print(f"gateview: {line(str(err))}", file=sys.stderr)
        sys.exit(2)
