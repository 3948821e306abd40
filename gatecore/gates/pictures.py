"""Pages as pictures: a command of the user's renders a tree, and what it left is looked at and kept."""

import hashlib
import os
import re
import stat
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gatecore.checks.env import check_env, owner
from gatecore.checks.process import run_process
from gatecore.checks.scratch import scratch
from gatecore.gates.base import Stop
from gatecore.gates.feedback import read_output
from gatecore.gates.reviewing import left
from gatecore.ledger.writer import write_file
from gatecore.png import NotAPngError, Size, png_size
from gatecore.text import line

PAGES = "GATECORE_PAGES"
"""Tells the command the folder for its pictures."""
TREE = "GATECORE_TREE"
"""Tells it the folder of the tree, which is its working directory as well."""
KEPT = "pages"
"""The folder of a run directory that holds the pictures, each once, by hash."""

_WHY_CHARS = 200
_NAME = r"(?i)[\w][\w. ()+@=,-]{0,99}\.png"


class Rendered(NamedTuple):
    """What came of rendering a tree. Without pictures, `why` says so in one line."""

    pictures: tuple[dict[str, Any], ...]  # as they stand in the record: page, file, width, height, bytes
    why: str
    seconds: float


class _UnusableError(Exception):
    """The command left something that cannot be shown to a reviewer; the message says what."""


def render(stop: Stop, tree: str, output: str, shown: str) -> Rendered:
    """Render `tree`, keep its pictures in the run directory, and lay them out in the folder `shown` by page.

    `output` is the name of the file in the run directory for what the command says.
    """
    began = time.monotonic()
    copy = os.path.join(stop.config.state, "copies", "render")
    stop.store.checkout(tree, copy)
    with scratch(owner(stop.config.state)) as own:
        folder = os.path.join(own, "pages")
        os.mkdir(folder)
        why = _run(stop, copy, folder, own, os.path.join(stop.config.run, output))
        pictures: tuple[dict[str, Any], ...] = ()
        try:
            found = {} if why else _pictures(folder, stop)
            pictures = _keep(found, stop.config.run, shown)
        except _UnusableError as err:
            why = str(err)
    return Rendered(pictures, line(why), round(time.monotonic() - began, 1))


def _run(stop: Stop, copy: str, folder: str, own: str, output: str) -> str:
    """Run the command; return why it failed, nothing when it did not."""
    config = stop.config
    if config.render is None:
        return "no render command is configured"
    seconds = min(config.limits.render_s, left(stop))
    if seconds < 1:
        return "no time was left for rendering"
    env = check_env(config.state, config.pass_env, {**config.env, PAGES: folder, TREE: copy})
    os.makedirs(env["HOME"], exist_ok=True)
    try:
        ended = run_process(
            config.render.command, cwd=copy, env={**env, "TMPDIR": own}, seconds=seconds, output=output
        )
    except (OSError, ValueError) as err:
        return f"the render command could not be run: {err}"
    if ended.timed_out:
        return f"the render command timed out after {seconds:g} s"
    return "" if ended.exit == 0 else _failed(ended.exit, output)


def _failed(code: int | None, output: str) -> str:
    last = read_output(output).rstrip().rpartition("\n")[2][:_WHY_CHARS]
    return f"the render command ended with exit code {code}{': ' if last else ''}{last}"


def _pictures(folder: str, stop: Stop) -> dict[str, tuple[bytes, Size]]:
    """The pictures in `folder` by name. Raises _UnusableError when there is none, or one that cannot be used."""
    limits = stop.config.limits
    names = sorted(name for name in os.listdir(folder) if name.lower().endswith(".png"))
    if not names:
        raise _UnusableError("the render command left no PNG")
    if len(names) > limits.pictures:
        raise _UnusableError(f"the render command left {len(names)} pictures, more than {limits.pictures}")
    found = {}
    for name in names:
        if not re.fullmatch(_NAME, name):
            raise _UnusableError(f"the render command left a picture with an odd name: {name[:100]!r}")
        data = _read(os.path.join(folder, name), limits.picture_bytes)
        if len(data) > limits.picture_bytes:
            raise _UnusableError(f"{name} is larger than {limits.picture_bytes / 1e6:g} MB")
        try:
            found[name] = data, png_size(data)
        except NotAPngError as err:
            raise _UnusableError(f"{name} {err}") from None
    return found


def _read(path: str, limit: int) -> bytes:
    """The first `limit` bytes of a plain file and one more; nothing of a link, a folder or a pipe."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b""
    with open(fd, "rb") as file:
        return file.read(limit + 1) if stat.S_ISREG(os.fstat(fd).st_mode) else b""


def _keep(found: Mapping[str, tuple[bytes, Size]], run: str, shown: str) -> tuple[dict[str, Any], ...]:
    """Write the pictures into the run directory, each once by its hash, and into `shown` under their names."""
    for folder in (os.path.join(run, KEPT), shown):
        os.makedirs(folder, exist_ok=True)
    for name in set(os.listdir(shown)) - found.keys():
        os.unlink(os.path.join(shown, name))
    kept = []
    for name, (data, size) in found.items():
        file = f"{KEPT}/{hashlib.sha256(data).hexdigest()[:32]}.png"
        if not os.path.lexists(os.path.join(run, file)):
            write_file(os.path.join(run, file), data)
        write_file(os.path.join(shown, name), data)
        kept.append({"page": name, "file": file, **size._asdict(), "bytes": len(data)})
    return tuple(kept)


def listed(
    pictures: Sequence[Mapping[str, Any]], folder: str, others: Sequence[Mapping[str, Any]] = ()
) -> str:
    """Pictures as a prompt names them, one a line; those that are among `others` too are said to be the same."""
    same = {(other["page"], other["file"]) for other in others}
    return "\n".join(
        f"- {os.path.join(folder, p['page'])} ({p['width']} x {p['height']} pixels"
        f"{', the same picture as before' if (p['page'], p['file']) in same else ''})"
        for p in pictures
    )
