"""The order of a matrix."""

from pathlib import Path

import pytest

from gatecore.harness.bench import Bench
from gatecore.harness.errors import UsageError
from gatecore.harness.plan import plan, read_list


def test_configs_are_blocks_tasks_rotate_and_even_repetitions_go_backwards() -> None:
    cells = [(c.cfg, c.task, c.rep) for c in plan(["bare", "g1"], ["T1", "T2", "T3"], 2)]
    assert cells == [
        ("bare", "T1", 1), ("bare", "T2", 1), ("bare", "T3", 1),
        ("g1", "T2", 1), ("g1", "T3", 1), ("g1", "T1", 1),
        ("g1", "T3", 2), ("g1", "T1", 2), ("g1", "T2", 2),
        ("bare", "T1", 2), ("bare", "T2", 2), ("bare", "T3", 2),
    ]  # fmt: skip


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "T1.md").write_text("do it")
    return Bench(tmp_path)


def test_a_list_is_read_with_comments_and_blank_lines(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "matrix.txt").write_text("# first\n\ng1 T1 2  # twice\nbare T1 1\n")
    assert [c.name for c in read_list(tmp_path / "matrix.txt", bench)] == ["T1-g1-r2", "T1-bare-r1"]


@pytest.mark.parametrize("line", ["g1 T1", "g1 T1 x", "g1 T9 1", "g9 T1 1"])
def test_a_wrong_line_is_named(bench: Bench, tmp_path: Path, line: str) -> None:
    (tmp_path / "matrix.txt").write_text(f"bare T1 1\n{line}\n")
    with pytest.raises(UsageError, match=r"matrix\.txt:2: "):
        read_list(tmp_path / "matrix.txt", bench)
