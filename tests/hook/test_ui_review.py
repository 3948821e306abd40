"""Gate 2: pages as pictures, and the reviewer who looks at them."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from gating import Gated, answer, answering, gated, make_bench
from images import png

from gatecore.harness.bench import Bench
from gatecore.harness.errors import UsageError
from gatecore.ledger.classes import gate_class
from gatecore.ledger.reader import read_run

DEFECT = {"severity": "blocking", "file": "index.html", "line": 2, "text": "index.png: the title is cut off"}
RENDER = """
echo "$GATECORE_PAGES $GATECORE_TREE" >>{root}/rendered
test "$PWD" = "$GATECORE_TREE" || exit 9
cd "$GATECORE_PAGES" || exit 9
. "$GATECORE_TREE/how"
"""
"""A page that says itself how it is rendered: the file `how` of the tree."""
CONFIGS = {
    "g2": {"gate2": True},
    "g12": {"gate1": True, "gate2": True},
    "advise": {"gate2": {"mode": "advise"}},
    "observe": {"gate2": {"mode": "observe"}},
}
_repetition = count(1)


@pytest.fixture(scope="module")
def ui_bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A bench of one page. Its client keeps its arguments, too."""
    root = tmp_path_factory.mktemp("ui")
    files = answering(root)
    files["bench.toml"] = f"""
        [gate2]
        command = ["/bin/sh", "{{bench}}/render.sh"]
        paths = ["*.html", "how"]

        [limits]
        render_s = 5.0
        pictures = 3
        picture_bytes = 100_000
        {files["bench.toml"]}"""
    files["client.sh"] = files["client.sh"].replace("#!/bin/sh", f'#!/bin/sh\necho "$@" >{root}/flags')
    for shade, name in ((0, "old"), (200, "new")):
        (root / f"{name}.png").write_bytes(png(shade=shade))
    pages = {
        "render.sh": RENDER.replace("{root}", str(root)),
        "upstream/index.html": "<title>Calc</title>\n",
        "upstream/how": f"cp {root}/old.png index.png\n",
        "configs.json": json.dumps(CONFIGS),
        "tasks/T2.md": "show it in {diff} {pictures}\n",
    }
    return make_bench(root, **files, **pages)


@pytest.fixture
def page(ui_bench: Bench) -> Any:
    """Make a run. The reviewer approves until told otherwise."""
    answer(ui_bench, "UI", approve=True, findings=[])
    answer(ui_bench, "writer", file="def test_doubles():\n    from calc import double\n")

    def make(cfg: str = "g2", how: str | None = None) -> Gated:
        run = gated(ui_bench, cfg, "T2", next(_repetition))
        if how is not None:
            (run.work / "how").write_text(how.replace("{root}", str(ui_bench.root)))
        return run

    return make


NEW = "cp {root}/new.png index.png; cp {root}/old.png a.png; touch log.txt\n"


def test_the_reviewer_sees_the_pages_before_and_after(page: Any, ui_bench: Bench) -> None:
    gate = page(how=NEW)
    assert gate.stop() is None
    told, state = gate.told("UI"), gate.prepared.state
    pictures = {when: state / "pictures" / when for when in ("before", "after")}
    assert f"- {pictures['after']}/index.png (4 x 3 pixels)\n" in told
    assert f"Before the change:\n- {pictures['before']}/index.png (4 x 3 pixels)\n" in told
    assert "show it in {diff} {pictures}" in told, "what is in a request fills no slot"
    assert "+cp" in told
    assert f"--add-dir {state / 'pictures'} " in (ui_bench.root / "flags").read_text()
    assert {p.name for p in pictures["after"].iterdir()} == {"a.png", "index.png"}

    guarded = json.loads((gate.run / "gate-config.json").read_bytes())["guarded"]
    assert str(ui_bench.root / "render.sh") in guarded, "the renderer is the bench's, and watched over"
    record = gate.last()["gate2"]
    assert (record["verdict"], record["pass"], record["cost_usd"], record["mode"]) == (
        "pass",
        True,
        0.01,
        "block",
    )
    (before,), (a, index) = record["before"], record["after"]
    assert before == {
        "page": "index.png",
        "file": before["file"],
        "width": 4,
        "height": 3,
        "bytes": len(png()),
    }
    assert (a["page"], a["file"]) == ("a.png", before["file"]), "a picture is kept once, whatever it shows"
    assert (gate.run / index["file"]).read_bytes() == png(shade=200)
    assert len(list((gate.run / "pages").iterdir())) == 2
    assert [e["check"] for e in gate.events("check_ended")][-3:] == [
        "render before",
        "render after",
        "review UI",
    ]


def test_a_change_of_no_page_is_skipped_and_counted_as_such(page: Any) -> None:
    gate = page()
    gate.append("calc.py", "\nX = 1\n")
    assert gate.stop() is None
    why = "no changed path matches *.html, how"
    assert gate.last()["gate2"] == {"ran": False, "verdict": "skipped", "why": why, "mode": "block"}
    (entry,) = read_run(gate.run).entries
    assert gate_class(entry.stop, "g2") == "skipped"
    assert not (gate.prepared.state / "told-UI").exists()


def test_a_finding_sends_the_agent_back_and_an_unchanged_page_is_not_looked_at_again(
    page: Any, ui_bench: Bench
) -> None:
    gate = page(how=NEW)
    picture = gate.prepared.state / "pictures" / "after" / "index.png"
    text = f"{picture} shows no title"
    answer(ui_bench, "UI", approve=False, findings=[{**DEFECT, "file": str(picture), "text": text}])
    reason = gate.stop()
    assert reason == (
        "The review of the rendered pages found 1 blocking defect:\n"
        "1. pictures/after/index.png:2 pictures/after/index.png shows no title\n"
        "Fix every finding, look at the pages again, then stop."
    )
    rendered = (ui_bench.root / "rendered").read_text().count(str(gate.prepared.state))
    answer(ui_bench, "UI", approve=True, findings=[])
    assert gate.stop() == reason
    assert (gate.last()["gate2"]["reused"], gate.last()["gate2"]["cost_usd"], gate.last()["repeat"]) == (
        True,
        0,
        True,
    )
    assert (ui_bench.root / "rendered").read_text().count(str(gate.prepared.state)) == rendered == 2
    gate.append("index.html", "<h1>Calc</h1>\n")
    assert gate.stop() is None
    assert (ui_bench.root / "rendered").read_text().count(str(gate.prepared.state)) == 3, "the base is kept"
    assert gate.last()["gate2"]["before"] == gate.records()[0]["gate2"]["before"]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("echo oh no; exit 3", "the render command ended with exit code 3: oh no"),
        ("true", "the render command left no PNG"),
        ("mkdir x; cp {root}/old.png x; cp {root}/old.png page.jpg", "the render command left no PNG"),
        ("echo hello >index.png", "index.png is no PNG"),
        ("head -c 50 {root}/old.png >index.png", "index.png is a PNG that was cut"),
        ("head -c 200000 /dev/zero >index.png", "index.png is larger than 0.1 MB"),
        ("ln -s {root}/old.png index.png", "index.png is no PNG"),
        ("mkfifo index.png", "index.png is no PNG"),
        ("for i in 1 2 3 4; do cp {root}/old.png $i.png; done", "left 4 pictures, more than 3"),
        ("cp {root}/old.png ./-rf.png", "odd name: '-rf.png'"),
        ("sleep 60 & sleep 60", "the render command timed out after 5 s"),
    ],
)
def test_what_cannot_be_rendered_is_not_judged(page: Any, how: str, why: str) -> None:
    gate = page(how=how)
    assert gate.stop() is None
    record = gate.last()["gate2"]
    assert (record["verdict"], record["pass"], record["reviewers"]) == ("not_judged", None, [])
    assert why in record["why"]
    assert [p["page"] for p in record["before"]] == ["index.png"]
    assert not (gate.prepared.state / "told-UI").exists()
    (entry,) = read_run(gate.run).entries
    assert gate_class(entry.stop, "g2") == "not_judged"


def test_a_base_that_cannot_be_rendered_is_said_to_the_reviewer(ui_bench: Bench, tmp_path: Path) -> None:
    files = {name: (ui_bench.root / name).read_text() for name in ("bench.toml", "client.sh", "configs.json")}
    files["client.sh"] = files["client.sh"].replace(str(ui_bench.root), str(tmp_path))
    files["bench.toml"] = files["bench.toml"].replace(str(ui_bench.root), str(tmp_path))
    bench = make_bench(tmp_path, **files, **{"render.sh": '. "$PWD/how"', "upstream/how": "exit 4\n"})
    answer(bench, "UI", approve=True, findings=[])
    gate = gated(bench, "g2", "T1")
    (gate.work / "how").write_text(f'cp {ui_bench.root}/new.png "$GATECORE_PAGES/index.png"\n')
    assert gate.stop() is None
    record = gate.last()["gate2"]
    why = "the render command ended with exit code 4"
    assert (record["verdict"], record["before"], record["before_why"]) == ("pass", [], why)
    assert f"Before the change:\n(none: {why})" in gate.told("UI")


@pytest.mark.parametrize(("cfg", "blocked"), [("g2", True), ("advise", False), ("observe", False)])
def test_only_in_mode_block_does_it_block(page: Any, ui_bench: Bench, cfg: str, blocked: bool) -> None:
    answer(ui_bench, "UI", approve=False, findings=[DEFECT])
    gate = page(cfg, NEW)
    assert (gate.stop() is not None) == blocked
    assert (gate.last()["gate2"]["verdict"], gate.last()["blocked_by"]) == ("fail", "g2" if blocked else None)


def test_no_page_is_looked_at_once_gate_1_has_blocked(page: Any) -> None:
    gate = page("g12", NEW)
    assert "acceptance tests" in (gate.stop() or "")
    assert gate.last()["gate2"] == {"ran": False}
    gate.append("calc.py", "\n\ndef double(n):\n    return n * 2\n")
    assert gate.stop() is None
    assert gate.last()["gate2"]["verdict"] == "pass"


def test_a_config_with_gate_2_needs_to_know_how_to_render(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    assert list(bench.configs) == ["bare", "g1", "g3", "g13", "g13adv"]
    with pytest.raises(UsageError, match=r"config 'g1234' has gate 2.*set command under \[gate2\]"):
        gated(bench, "g1234")
