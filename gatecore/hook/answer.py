"""From the hook's input to the text the client gets: what happens when the configuration itself is in doubt."""

import os
import sys
import time

from gatecore.hook import config as configs
from gatecore.hook.judge import Decision
from gatecore.hook.protocol import Payload, block, parse
from gatecore.hook.stop import begin, finish, run_stop
from gatecore.text import line

_CHANGED = (
    "The configuration of the check that runs when you stop was changed or removed while you worked, "
    "so your work cannot be checked. Undo that change, then stop."
)
_GIVE_UP = 6


def answer(run: str, state_dir: str, sha256: str, raw: bytes, begun: float) -> tuple[str, int]:
    """Judge the stop; return what goes to stdout (one JSON object that blocks, or nothing) and the exit code.

    A stop that cannot be put on record exits with 1, which neither blocks nor allows: the client shows stderr
    to the user.
    """
    payload = parse(raw)
    try:
        config = configs.load(os.path.join(run, "gate-config.json"), sha256)
    except (OSError, configs.ConfigError) as err:
        decision = _without_config(run, state_dir, payload, begun, err)
    else:
        decision = run_stop(config, payload, begun)
    if decision.unrecorded:
        print(f"gatecore: this stop is not on record: {line(decision.unrecorded)}", file=sys.stderr)
    return block(decision.reason) if decision.sent else "", 1 if decision.unrecorded else 0


def _without_config(run: str, state_dir: str, payload: Payload, begun: float, why: Exception) -> Decision:
    """Nothing can be judged, and that is no accident: send the agent back, as often as any block."""
    decision = Decision("error", reason=_CHANGED, error=line(str(why)), sent=True)
    try:
        for folder in (run, state_dir):
            os.makedirs(folder, exist_ok=True)
        record, blocks = begin(run, state_dir, payload)
    except OSError as err:
        return decision._replace(unrecorded=str(err))
    record["tampered"] = [os.path.join(run, "gate-config.json")]
    if blocks >= _GIVE_UP:
        decision = decision._replace(reason="", sent=False)
    return finish(run, state_dir, payload, record, decision, time.monotonic() - begun)
