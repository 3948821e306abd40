"""What is worth a notification, and how a desktop gets it."""

import shutil
import subprocess
from collections.abc import Iterator

from gatecore.text import line
from gateview.store.view import View


def notices(before: View, now: View) -> Iterator[str]:
    """Yield a sentence for each give-up that is new, and one for the end of the matrix."""
    known = {d.identity for d in before.decisions}
    for decision in now.decisions:
        if decision.stop.kind == "gave_up" and decision.identity not in known:
            yield line(f"{decision.key}: gave up at stop {decision.stop.n}")
    if now.plan.over and not before.plan.over:
        yield f"The matrix has ended: {len(now.rows):,} runs"


def on_desktop(notice: str) -> bool:
    """Show a notification on the desktop; return False where there is no way to."""
    if command := shutil.which("notify-send"):
        arguments = [command, "--", "gateview", notice]
    elif command := shutil.which("osascript"):
        script = 'on run argv\ndisplay notification (item 1 of argv) with title "gateview"\nend run'
        arguments = [command, "-e", script, notice]
    else:
        return False
    try:
        subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        return False
    return True
