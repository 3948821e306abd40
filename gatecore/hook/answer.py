"""From the hook's input to the text the client gets: what happens when the configuration itself is in doubt."""

import os
import sys
import time

from gatecore.hook import config as configs
from gatecore.hook.protocol import Payload, block, parse
from gatecore.hook.stop import Decision, begin, finish, run_stop
from gatecore.text import line

_CHANGED = (
    "The configuration of the check that runs when you stop was changed or removed while you worked, "
    "so your work cannot be checked. Undo that change, then stop."
)
_GIVE_UP = 6


def answer(run: str, state_dir: str, sha256: str, raw: bytes, begun: float) -> str:
    """Judge the stop and return what goes to stdout: one JSON object that blocks, or nothing."""
    payload = parse(raw)
    try:
        decision = _decide(run, state_dir, sha256, payload, begun)
    except OSError as err:
        # Nothing could be written: no record is possible, and the client shows stderr to the user.
        print(f"gatecore: this stop is not on record: {line(str(err))}", file=sys.stderr)
        return ""
    return block(decision.reason) if decision.sent else ""


def _decide(run: str, state_dir: str, sha256: str, payload: Payload, begun: float) -> Decision:
    try:
        config = configs.load(os.path.join(run, "gate-config.json"), sha256)
    except (OSError, configs.ConfigError) as err:
        return _without_config(run, state_dir, payload, begun, err)
    return run_stop(config, payload, begun)


def _without_config(run: str, state_dir: str, payload: Payload, begun: float, err: Exception) -> Decision:
    """Nothing can be judged, and that is no accident: send the agent back, as often as any block."""
    os.makedirs(state_dir, exist_ok=True)
    record, blocks = begin(run, state_dir, payload)
    record["tampered"] = [os.path.join(run, "gate-config.json")]
    sent = blocks < _GIVE_UP
    decision = Decision("error", reason=_CHANGED if sent else "", error=line(str(err)), sent=sent)
    finish(run, state_dir, payload, record, decision, time.monotonic() - begun)
    return decision
