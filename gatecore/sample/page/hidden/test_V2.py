import os
from pathlib import Path

TREE = Path(os.environ.get("GATECORE_TREE", os.curdir))


def readme():
    return (TREE / "README.md").read_text(encoding="utf-8")


def test_req1():
    assert "open `index.html`" in readme().lower()


def test_req2():
    assert "pytest" in readme()
