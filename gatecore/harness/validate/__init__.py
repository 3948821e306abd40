"""Whether a bench measures what it should: oracle, hook, reviewers and writer, each tried out."""

from collections.abc import Callable, Iterator
from functools import partial

from gatecore.harness.bench import Bench
from gatecore.harness.client import require_client
from gatecore.harness.errors import UsageError
from gatecore.harness.validate.hook import try_hook
from gatecore.harness.validate.oracle import try_oracle
from gatecore.harness.validate.review import try_review
from gatecore.harness.validate.step import Step
from gatecore.harness.validate.writer import try_writer
from gatecore.snapshot import SnapshotError

__all__ = ["Step", "validate"]

_CLIENT = "client"


def validate(bench: Bench, part: str = "all", *, fresh: bool = False) -> Iterator[Step]:
    """Try a part out (oracle, hook, review or writer), or all of them; yields each step as it is done.

    Acceptance tests that an earlier call had written are used again, unless `fresh`. A part that cannot be
    tried is a step that is wrong, and without a client all that needs one is left out. Raises UsageError when
    the bench has no tasks.
    """
    if not bench.tasks:
        raise UsageError(f"{bench.root / 'tasks'}: no task there; a task is a file <name>.md")
    parts: dict[str, Callable[[Bench], Iterator[Step]]] = {
        "oracle": try_oracle,
        _CLIENT: _try_client,
        "hook": try_hook,
        "review": try_review,
        "writer": partial(try_writer, fresh=fresh),
    }
    names = parts if part == "all" else ("oracle",) if part == "oracle" else (_CLIENT, part)
    for name in names:
        try:
            yield from parts[name](bench)
        except (UsageError, SnapshotError) as err:
            yield Step(name, False, str(err))
            if name == _CLIENT:
                return


def _try_client(bench: Bench) -> Iterator[Step]:
    """One step when the client does not tell its version, else none."""
    doubt = require_client(bench)
    if doubt:
        yield Step("client", False, doubt)
