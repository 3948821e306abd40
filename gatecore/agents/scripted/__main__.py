"""`python -m gatecore.agents.scripted`: the client, played."""

import os
import sys
from pathlib import Path

from gatecore.agents.scripted.answers import answer, is_writer
from gatecore.agents.scripted.flags import FlagError, Flags, parse
from gatecore.agents.scripted.scenario import ScenarioError, Script, load
from gatecore.agents.scripted.stop import Stops
from gatecore.agents.scripted.stream import VERSION, LimitError, Session
from gatecore.agents.scripted.worker import work

# About how many tokens each role reads in before it says anything.
_CONTEXT = {"worker": 9_000, "writer": 15_000, "reviewer": 2_500}

_NO_PROMPT = "Error: Input must be provided either through stdin or as a prompt argument when using --print"


def main(argv: list[str]) -> int:
    """Run one call of the client; returns the exit code."""
    try:
        flags = parse(argv)
        if flags.version:
            print(VERSION)
            return 0
        if not (flags.prompt or _stdin().strip()):
            raise FlagError(_NO_PROMPT)
        return _play(flags, load(os.environ, worker=flags.schema is None))
    except (FlagError, ScenarioError) as error:
        print(error, file=sys.stderr)
        return 1


def _play(flags: Flags, script: Script) -> int:
    role = "worker" if flags.schema is None else "writer" if is_writer(flags.schema) else "reviewer"
    model = script.scenario.model if role == "worker" else None
    seed = "|".join([script.run, script.task, role, script.stop, script.reviewer])
    session = Session(flags, Path.cwd(), model or flags.model, seed, _CONTEXT[role])
    stops = Stops(session, flags)
    try:
        if flags.schema is None:
            return work(session, stops, script)
        return answer(session, stops, script, flags.schema)
    except LimitError as limit:
        return session.stopped(limit)


def _stdin() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin else b""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
