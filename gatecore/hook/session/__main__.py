"""The hooks of everyday use as a process: ``python -I APP stop|prompt HOME SHA256``, the client's JSON on stdin.

APP is the copy of this package in the home of the repository's gate. The shell script that starts it answers
by itself after any exit code but 0 and `UNRECORDED`, so nothing is printed before an answer is whole.
"""

import os
import sys
import time

UNRECORDED = 9
"""Exit code: answered, but not on record."""


def main() -> int:
    """Answer the client."""
    begun = time.monotonic()
    stdout = os.dup(1)
    os.dup2(2, 1)
    event, home, sha256 = sys.argv[1:4]
    if event == "write-tests":
        from gatecore.hook.session.write import write_tests

        write_tests(home, *sys.argv[3:5])
        return 0
    from gatecore.hook.session.answer import at_prompt, at_stop

    raw = sys.stdin.buffer.read()
    answer = at_prompt(home, raw) if event == "prompt" else at_stop(home, sha256, raw, begun)
    os.write(stdout, answer.text.encode())
    if not answer.unrecorded:
        return 0
    print(f"gatecore: this stop is not on record: {answer.unrecorded}", file=sys.stderr)
    return UNRECORDED


if __name__ == "__main__":
    sys.exit(main())
