"""The Stop hook as a process: ``python -I -m gatecore.hook RUN STATE SHA256`` with the client's JSON on stdin."""

import os
import sys
import time

from gatecore.hook.answer import answer


def main() -> int:
    """Answer one stop; the exit code is that of `answer`, or 2 when the hook was called wrongly."""
    begun = time.monotonic()
    if len(sys.argv) != 4:
        print(
            "usage: python -I -m gatecore.hook RUN STATE SHA256  (the hook's input on stdin)", file=sys.stderr
        )
        return 2
    # The one JSON object must be all that reaches the client: whatever prints goes to stderr.
    stdout = os.dup(1)
    os.dup2(2, 1)
    run, state, sha256 = sys.argv[1:]
    text, code = answer(run, state, sha256, sys.stdin.buffer.read(), begun)
    os.write(stdout, text.encode())
    return code


if __name__ == "__main__":
    sys.exit(main())
