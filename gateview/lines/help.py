"""The text of the help screen."""

from collections.abc import Iterable, Sequence

from gateview.lines.glyphs import MEANING, WORDS, Glyphs
from gateview.lines.spans import Span, Spans, say


def help_lines(groups: Iterable[tuple[str, Sequence[tuple[str, str]]]], glyphs: Glyphs) -> list[Spans]:
    """Keys with what they do, in titled groups, then the signs of the stops."""
    lines: list[Spans] = []
    for title, rows in groups:
        lines.append(say(Span(title, "head")))
        lines += [say(Span(f"  {key:<16}", "strong"), words) for key, words in rows]
        lines.append(())
    lines.append(say(Span("signs of the stops", "head")))
    lines += [say("  ", glyphs.stop(kind), f"  {word:<14} {MEANING[kind]}") for kind, word in WORDS.items()]
    lines += [
        (),
        say("  Green: gate and oracle agreed. Red: they did not. Neither: nobody knows."),
        say("  Bold: changed within the last two seconds."),
        say("  ? is not known, ≥ at least, n/a nothing to divide by."),
    ]
    return lines
