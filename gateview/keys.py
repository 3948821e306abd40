"""Every key as data: bindings, footer, help and palette are made from these."""

from collections.abc import Sequence
from typing import NamedTuple

from textual.binding import Binding

from gateview.store.causes import CAUSES


class Key(NamedTuple):
    """One action and the keys that do it. `name` is for the footer, `words` for help and palette.

    `shown` is what the footer calls the keys where one entry stands for two actions.
    """

    id: str
    keys: str
    action: str
    name: str
    words: str
    footer: bool = True
    shown: str | None = None


APP = (
    Key("app.help", "question_mark", "help", "help", "Show every key and what the signs mean"),
    Key("app.theme", "T", "next_theme", "theme", "Dark or light", footer=False),
    Key("app.report", "R", "report", "report", "The tables of the report", footer=False),
    Key("app.quit", "q", "quit", "quit", "Quit"),
)
LIVE = (
    Key(
        "live.filter",
        "slash",
        "filter",
        "filter",
        "Show only the runs whose name, config, state or stops match",
    ),
    Key("live.sort", "s", "sort", "sort", "Sort the runs by the next column"),
    Key("live.follow", "f", "follow", "follow", "Let the cursor follow the newest decision"),
    Key("live.pause", "space", "pause", "pause", "Hold the screen still; nothing is lost meanwhile"),
    Key("live.pane", "tab", "next_pane", "pane", "Go to the next pane"),
    Key("live.back", "shift+tab", "previous_pane", "pane back", "Go to the previous pane", footer=False),
    Key("live.triage", "t", "triage", "triage", "Judge blocks, the oracle's false ones first"),
    Key("live.next", "n", "match(1)", "match", "The next run that the filter lets through", footer=False),
    Key("live.previous", "N", "match(-1)", "match back", "The one before", footer=False),
    Key(
        "live.copy", "y", "copy", "copy", "Copy the folder of the run, or the decision's reason", footer=False
    ),
    Key("live.clear", "escape", "clear_filter", "all runs", "Take the filter off"),
)
LIST = (
    Key("list.open", "enter", "open", "open", "Open the run under the cursor"),
    Key("list.down", "j,down", "cursor(1)", "down", "One down", footer=False),
    Key("list.up", "k,up", "cursor(-1)", "up", "One up", footer=False),
    Key("list.page_down", "pagedown,ctrl+d", "page(1)", "page down", "One page down", footer=False),
    Key("list.page_up", "pageup,ctrl+u", "page(-1)", "page up", "One page up", footer=False),
    Key("list.top", "g,home", "first", "top", "To the top", footer=False),
    Key("list.bottom", "G,end", "last", "bottom", "To the end", footer=False),
)
RUN = (
    Key("run.back", "escape", "back", "back", "Back to the live screen"),
    Key("run.next", "l,right", "stop(1)", "stops", "The next stop", shown="← →"),
    Key("run.previous", "h,left", "stop(-1)", "stop before", "The stop before", footer=False),
    Key("run.triage", "t", "triage", "triage", "Judge this block"),
    Key("run.against", "d", "against", "base/previous", "The diff against the base, or the stop before"),
    Key("run.tab", "tab", "tab(1)", "tabs", "The next tab"),
    Key("run.tab_back", "shift+tab", "tab(-1)", "tab back", "The tab before", footer=False),
    Key("run.told", "1", "show('told')", "told", "What the agent was told, whole", footer=False),
    Key("run.diff", "2", "show('diff')", "diff", "What the agent had changed at this stop", footer=False),
    Key(
        "run.assertions",
        "3",
        "show('assertions')",
        "assertions",
        "Failing tests, and what was told",
        footer=False,
    ),
    Key("run.oracle", "4", "show('oracle')", "oracle", "The requirements, met and failed", footer=False),
    Key(
        "run.reviews",
        "5",
        "show('reviews')",
        "reviews",
        "Findings and verdicts of the reviewers",
        footer=False,
    ),
    Key("run.raw", "6", "show('raw')", "raw", "The record as it lies in the ledger", footer=False),
    Key("run.ui", "7", "show('ui')", "UI", "What the reviewer of the rendered pages said", footer=False),
    Key("run.pictures", "p", "pictures", "pictures", "The pages before and after, as pictures"),
)
PICTURES = (
    Key("pictures.back", "escape,p", "back", "back", "Back to the run"),
    Key("pictures.next", "l,right,space", "picture(1)", "pictures", "The next picture", shown="← →"),
    Key("pictures.previous", "h,left", "picture(-1)", "picture before", "The picture before", footer=False),
    Key("pictures.open", "o,enter", "open", "open", "Open the file with the system's own program"),
    Key("pictures.copy", "y", "copy", "copy", "Copy where the file lies"),
)
SIGNOFF = (
    Key("run.approve", "a", "approve", "approve", "Approve what was there at this stop", footer=False),
    Key("run.send_back", "s", "send_back", "send back", "Send this stop back, with a reason", footer=False),
    Key("run.approve_end", "A", "approve(True)", "approve", "Approve the end of the run", footer=False),
    Key(
        "run.send_back_end",
        "S",
        "send_back(True)",
        "send back",
        "Send the end of the run back, with a reason",
        footer=False,
    ),
    Key("run.unsay", "u", "unsay", "undo", "Take back what you last said here", footer=False),
)
FIND = (
    Key("find.open", "slash", "find", "find", "Find words in the text", footer=False),
    Key("find.next", "n", "match(1)", "match", "The next match", footer=False),
    Key("find.previous", "N", "match(-1)", "match back", "The match before", footer=False),
    Key("find.copy", "y", "copy", "copy", "Copy the whole text"),
)
REPORT = (Key("report.back", "escape", "back", "back", "Back"),)
SHIFT = (
    Key("text.right", "greater_than_sign", "shift(20)", "shift", "Shift long lines", footer=False),
    Key("text.left", "less_than_sign", "shift(-20)", "shift back", "Shift long lines back", footer=False),
)
DIFF = (
    Key("diff.next_hunk", "right_square_bracket", "hunk(1)", "hunks", "The next hunk", shown="[ ]"),
    Key(
        "diff.previous_hunk",
        "left_square_bracket",
        "hunk(-1)",
        "hunk back",
        "The hunk before",
        footer=False,
    ),
    Key("diff.next_file", "right_curly_bracket", "file(1)", "file", "The next file", footer=False),
    Key("diff.previous_file", "left_curly_bracket", "file(-1)", "file back", "The file before", footer=False),
    Key("diff.fold", "z", "fold", "fold", "Fold or unfold the file"),
    Key("diff.fold_all", "Z", "fold_all", "fold all", "Fold or unfold all files", footer=False),
)
TEXT = (
    Key("text.down", "j,down", "line(1)", "down", "One line down", footer=False),
    Key("text.up", "k,up", "line(-1)", "up", "One line up", footer=False),
    Key("text.page_down", "pagedown,ctrl+d,space", "page(1)", "page down", "One page down", footer=False),
    Key("text.page_up", "pageup,ctrl+u,b", "page(-1)", "page up", "One page up", footer=False),
    Key("text.top", "g,home", "first", "top", "To the top", footer=False),
    Key("text.bottom", "G,end", "last", "bottom", "To the end", footer=False),
)
TRIAGE = (
    Key("triage.right", "r", "judge('right')", "right", "The block was right", footer=False),
    Key("triage.false", "f", "judge('false')", "false", "The block was false", footer=False),
    Key("triage.unsure", "u", "judge('unsure')", "unsure", "It cannot be said", footer=False),
    *(
        Key(
            f"triage.cause{number}", str(number), f"cause({number})", cause, f"Because: {cause}", footer=False
        )
        for number, cause in enumerate(CAUSES, 1)
    ),
    Key("triage.next", "space", "next", "next", "The next block that is left"),
    Key("triage.skip", "s", "skip", "skip", "Put the block off to the end"),
    Key("triage.alike", "a", "alike", "all alike", "Judge all blocks alike at once, or this one alone"),
    Key("triage.note", "n", "note", "note", "Write a note"),
    Key("triage.undo", "z", "undo", "undo", "Take the last verdict back"),
    Key("triage.told", "w", "evidence('told')", "told", "What the agent was told, whole", footer=False),
    Key("triage.diff", "d", "evidence('diff')", "diff", "What the agent had changed", footer=False),
    Key("triage.reviews", "v", "evidence('reviews')", "reviews", "What the reviewers said", footer=False),
    Key("triage.list", "tab", "next_list", "list", "Blocks left, done, or judged otherwise than the oracle"),
    Key("triage.text_down", "J,ctrl+down", "scroll_evidence(5)", "", "Evidence down", footer=False),
    Key("triage.text_up", "K,ctrl+up", "scroll_evidence(-5)", "", "Evidence up", footer=False),
    Key("triage.copy", "y", "copy", "copy", "Copy the evidence", footer=False),
    Key("triage.back", "escape", "back", "back", "Back"),
)
ASK = (Key("ask.give_up", "escape", "give_up", "as before", "Leave what is typed"),)
HELP = (Key("help.close", "escape,question_mark,q", "dismiss", "close", "Close"),)


EVERY = (
    *APP,
    *LIVE,
    *LIST,
    *RUN,
    *SIGNOFF,
    *PICTURES,
    *TRIAGE,
    *FIND,
    *REPORT,
    *DIFF,
    *TEXT,
    *SHIFT,
    *ASK,
    *HELP,
)
"""All of them, for a config file that binds other keys."""


def stands_for(name: str | None) -> Sequence[Key]:
    """The key of that id, and the one after it where its entry in the footer stands for both."""
    at = next((at for at, key in enumerate(EVERY) if key.id == name), None)
    if at is None:
        return ()
    return EVERY[at : at + 2] if EVERY[at].shown else EVERY[at : at + 1]


def bindings(keys: Sequence[Key]) -> list[Binding]:
    """The bindings of a screen or widget."""
    return [
        Binding(
            key.keys,
            key.action,
            key.name,
            show=key.footer,
            key_display=key.shown,
            tooltip=key.words,
            id=key.id,
        )
        for key in keys
    ]
