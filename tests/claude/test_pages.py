"""The reviewer of gate 2 as the real client: it may look at the pictures, which lie outside its working folder."""

import base64
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fake_api import Reply, Request, Say, Use, answer, bash
from images import png
from real_client import RealClient

DEFECT = {"severity": "blocking", "file": "index.html", "line": 1, "text": "no title to be seen"}
TOML = """
[gate2]
command = ["/bin/sh", "{bench}/render.sh"]
paths = ["*.html"]
"""


def pictures_in(request: Request) -> list[bytes]:
    """What the model was sent as pictures."""
    found: list[bytes] = []

    def look(value: Any) -> None:
        if isinstance(value, dict):
            if value.get("type") == "image":
                found.append(base64.b64decode(value["source"]["data"]))
            value = list(value.values())
        for item in value if isinstance(value, list) else ():
            look(item)

    look(request.body["messages"])
    return found


def test_the_reviewer_is_sent_the_pictures_that_it_opens(client: RealClient, tmp_path: Path) -> None:
    bench = client.bench(
        tmp_path,
        TOML,
        {
            "render.sh": 'cp "${0%/*}/$(cat "$PWD/shade").png" "$GATECORE_PAGES/index.png"\n',
            "upstream/index.html": "<title>calc</title>\n",
            "upstream/shade": "old\n",
        },
    )
    for shade, name in ((0, "old"), (200, "new")):
        (bench.root / f"{name}.png").write_bytes(png(64, 48, shade=shade))

    def reviewer(request: Request) -> Sequence[Reply]:
        when = {
            name: re.search(rf"(/[^\s\"\\]+/{name}/index\.png)", request.text) for name in ("after", "before")
        }
        reads = [Use("Read", {"file_path": place[1]}) for place in when.values() if place]
        return [*reads, answer(approve=False, findings=[DEFECT]), Say()]

    client.api.play(
        worker=[bash("echo '<h1>calc</h1>' >>index.html; echo new >shade"), Say("Done."), Say("It is fine.")],
        reviewer=reviewer,
    )
    ran = client.run(bench, "g2")
    gate = ran.records[0]["gate2"]
    assert (ran.decisions[0], gate["verdict"], gate["reviewers"][0]["error"]) == ("block", "fail", None)
    turns = [pictures_in(request) for request in ran.asked("reviewer")]
    assert [len(pictures) for pictures in turns[:3]] == [0, 1, 2], (
        turns and ran.asked("reviewer")[-1].text[-3000:]
    )
    assert ran.asked("worker")[-1].text.count("The review of the rendered pages found 1 blocking defect") >= 1
    assert str(bench.state("T1-g2-r1")) not in ran.asked("worker")[-1].text
