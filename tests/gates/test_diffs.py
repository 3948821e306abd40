"""The change as reviewers see it."""

from hypothesis import given
from hypothesis import strategies as st

from gatecore.gates.diffs import shown_diff


def _file(name: str, lines: int, fill: str = "x") -> bytes:
    body = "".join(f"+{fill * 40}\n" for _ in range(lines))
    return (
        f"diff --git a/{name} b/{name}\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,{lines} @@\n{body}".encode()
    )


def test_a_change_that_fits_is_shown_whole() -> None:
    diff = _file("a.py", 3) + _file("b.py", 2)
    assert shown_diff(diff, 10_000) == diff.decode()


def test_padding_one_file_hides_no_other() -> None:
    shown = shown_diff(_file("a.py", 5000) + _file("new.py", 3, "y"), 10_000)
    assert _file("new.py", 3, "y").decode() in shown
    assert "- a/a.py b/a.py: " in shown.split("diff --git", 1)[0]
    assert len(shown) < 10_500


def test_the_content_of_a_binary_file_is_not_shown() -> None:
    diff = (
        b"diff --git a/x.bin b/x.bin\nnew file mode 100644\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n\n"
    )
    shown = shown_diff(diff, 10_000)
    assert "literal" not in shown
    assert "[a binary file; its content is not shown]" in shown


def test_control_codes_and_broken_text_are_made_visible() -> None:
    shown = shown_diff(b"diff --git a/x b/x\n+\x1b[2J\x00\xff\n", 1000)
    assert "\x1b" not in shown
    assert "\x00" not in shown


@given(st.lists(st.integers(0, 400), min_size=1, max_size=6), st.integers(200, 5000))
def test_every_file_of_a_change_is_named_whatever_its_size(sizes: list[int], room: int) -> None:
    shown = shown_diff(b"".join(_file(f"f{i}.py", n) for i, n in enumerate(sizes)), room)
    assert all(f"f{i}.py" in shown for i in range(len(sizes)))
