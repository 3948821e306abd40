"""A snapshot's diff, line by line, each with the role of its kind."""

from gateview.lines.spans import Span, Spans
from gateview.lines.stop import note, text_lines
from gateview.store.side import SideText

_LINES_AT_MOST = 20_000


def diff_lines(diff: SideText) -> list[Spans]:
    """The diff as a document; a file that is no diff is shown as it is, with a word that says so."""
    if not diff.text.strip():
        return [
            note(
                _sentence(
                    diff.note
                    if diff.note and not diff.note.endswith("is empty")
                    else "nothing was changed: the snapshot's diff is empty"
                )
            )
        ]
    raw = text_lines(diff.text.removesuffix("\n"))
    notes = [diff.note] if diff.note else []
    if len(raw) > _LINES_AT_MOST:
        notes.append(f"the first {_LINES_AT_MOST:,} of {len(raw):,} lines")
        raw = raw[:_LINES_AT_MOST]
    if not diff.text.startswith("diff "):
        notes.append("this does not look like a diff; shown as it is")
    body = list(_styled(raw))
    return [*(note(_sentence(text)) for text in notes), *([()] if notes else []), *body]


def _styled(lines: list[Spans]) -> list[Spans]:
    styled: list[Spans] = []
    old = new = 0  # lines of the hunk still to come: inside of it "--- " is a removed line, no head
    for line in lines:
        text = line[0].text if line else ""
        if text.startswith("diff --git ") and not (old or new):
            styled += [(), _as(line, "file")] if styled else [_as(line, "file")]
        elif text.startswith("@@ ") and not (old or new):
            old, new = _hunk_lengths(text)
            styled.append(_as(line, "hunk"))
        elif old or new:
            role = {"+": "added", "-": "removed"}.get(text[:1], "")
            old -= role != "added" and not text.startswith("\\")
            new -= role != "removed" and not text.startswith("\\")
            old, new = max(0, old), max(0, new)
            styled.append(_as(line, role))
        else:
            styled.append(_as(line, "dim"))
    return styled


def _hunk_lengths(head: str) -> tuple[int, int]:
    """Lines of the old and the new side that ``@@ -28,6 +28,7 @@`` announces."""
    fields = head.split()
    return _length(fields[1:2], "-"), _length(fields[2:3], "+")


def _length(field: list[str], sign: str) -> int:
    if not field or not field[0].startswith(sign):
        return 0
    _, comma, length = field[0].partition(",")
    return int(length) if length.isdigit() else 0 if comma else 1


def _as(line: Spans, role: str) -> Spans:
    return tuple(Span(span.text, span.role or role) for span in line)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""
