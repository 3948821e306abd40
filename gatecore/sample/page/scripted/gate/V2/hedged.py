import os
from pathlib import Path

TREE = Path(os.environ.get("GATECORE_TREE", os.curdir))


def test_the_readme_names_the_page_and_the_tests():
    text = (TREE / "README.md").read_text(encoding="utf-8")
    assert "index.html" in text
    assert "test" in text
