"""What a blocked agent reads."""

from gatecore.gates.feedback import scrub, tail


def test_the_tail_keeps_the_last_lines_and_says_that_it_cut() -> None:
    output = "\n".join(f"line {i}" for i in range(100)) + "\n"
    told = tail(output, 2000)
    assert told.startswith("[the last part of 100 lines]\nline 60\n")
    assert told.endswith("line 99")


def test_the_tail_never_passes_its_limit_and_keeps_the_end() -> None:
    told = tail("é" * 5000 + "\nE   KeyError: 'x'\n", 300)
    assert len(told) == 300
    assert told.endswith("E   KeyError: 'x'")


def test_short_output_is_told_whole() -> None:
    assert tail("1 failed\n", 100) == "1 failed"


def test_no_folder_of_the_harness_is_named_absolute_or_relative() -> None:
    shown = [
        ("/b/.gatecore/r/copies/suite", "."),
        ("/b/runs/r/gate_tests", "acceptance"),
        ("/b/.gatecore/r", "..."),
        ("/b/runs/r", "..."),
        ("/b", "..."),
    ]
    text = (
        "../../../../runs/r/gate_tests/test_T1.py:4: KeyError\n"
        "/b/.gatecore/r/copies/suite/pkg/x.py:1 and ../../../../.venv/lib/site.py and /b/hidden\n"
        "/bin/sh and a/b/c stay"
    )
    assert scrub(text, "/b/.gatecore/r/copies/suite", shown) == (
        "acceptance/test_T1.py:4: KeyError\n"
        "./pkg/x.py:1 and .../.venv/lib/site.py and .../hidden\n"
        "/bin/sh and a/b/c stay"
    )
