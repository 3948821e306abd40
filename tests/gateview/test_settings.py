"""Config file, copied text, notifications, report, and finding words."""

import subprocess
import sys
from pathlib import Path

import pytest
from live_dashboard import Growing, dashboard, line, screen_of, shows, until

from gateview import keys
from gateview.app import GateviewApp
from gateview.screens.live import LiveScreen
from gateview.screens.report import ReportScreen
from gateview.settings import Settings, SettingsError, paths, read_settings
from gateview.widgets.run_list import RunList

WIDE = (120, 40)
KNOWN = {key.id: key.keys for key in keys.EVERY}


@pytest.fixture(autouse=True)
def _places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path_factory.mktemp(name.lower())))


def test_every_action_has_an_id_of_its_own() -> None:
    assert len(KNOWN) == len(keys.EVERY)


def test_a_config_file_is_read_and_what_is_wrong_in_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert read_settings(KNOWN, file) == Settings()
    file.write_text('theme = "light"\nnotify = "bell"\nclock = false\n[keys]\n"live.sort" = "o, ctrl+o"\n')
    assert read_settings(KNOWN, file) == Settings({"live.sort": "o,ctrl+o"}, "light", "bell", clock=False)
    for text, says in (
        ('[keys]\n"live.nonsense" = "x"', "keys.live.nonsense is unknown; known are app.help, "),
        ('[keys]\n"live.sort" = 3', "keys.live.sort is one or more keys"),
        ('colour = "x"', "colour is unknown; known are clock, keys, notify, theme"),
        ("clock = 3", "clock is true or false"),
        ('notify = "mail"', "notify is one of off, bell, desktop"),
        ("keys = 3", "keys is a table"),
        ("= what", "config.toml: "),
    ):
        file.write_text(text)
        with pytest.raises(SettingsError) as caught:
            read_settings(KNOWN, file)
        assert says in str(caught.value)


def test_the_place_of_the_config_file_is_printed() -> None:
    command = [sys.executable, "-m", "gateview", "watch", "--paths"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert f"config: {paths()['config']}" in done.stdout.splitlines()


async def test_other_keys_do_what_the_config_file_says_and_help_names_them(tmp_path: Path) -> None:
    Growing(tmp_path)
    settings = Settings({"live.sort": "o", "app.theme": "f5"}, "light")
    app = GateviewApp([tmp_path], "runs/", settings=settings)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "T1-g1-r1", "o sort")
        assert app.theme == "gateview-light"
        await pilot.press("s")
        await pilot.press("o")
        await shows(pilot, "newest")
        await pilot.press("f5")
        assert app.theme == "gateview-dark"
        await pilot.press("question_mark")
        await shows(pilot, f"{'o':<16}Sort the runs")


async def test_keys_that_are_bound_anew_are_called_so_wherever_they_are_named(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    gate = {"ran": True, "pass": False, "gate_tests_failed": ["test_one"]}
    run.append(run.stop(gate1=gate) + run.stop(gate1=gate))
    bound = {
        "triage.right": "y",
        "triage.cause1": "f2",
        "triage.alike": "e",
        "run.previous": "b",
        "run.diff": "9",
    }
    app = GateviewApp([tmp_path], "runs/", settings=Settings(bound))
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "T1-g1-r1")
        await pilot.press("enter")
        await shows(pilot, "l b stops", "1 told", "9 diff")
        await pilot.press("9")
        await shows(pilot, "Snap-2.diff is missing")
        await pilot.press("t")
        await shows(
            pilot, " y right ", " f false ", " f2 over-specified test ", "e all alike", "e: judge all"
        )
        await pilot.press("y")
        await until(pilot, (run.path / "triage.jsonl").exists)
        await pilot.press("question_mark")
        await shows(pilot, f"{'y':<16}The block was right", f"{'f2':<16}Because: over-specified test")


async def test_colours_change_at_once_everywhere(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop())
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "1 right")

        def colours() -> set[object]:
            strips = app.screen._compositor.render_strips()
            return {(s.style.color, s.style.bgcolor) for strip in strips for s in strip if s.style}

        dark = colours()
        await pilot.press("T")
        await until(pilot, lambda: not colours() & dark)


async def test_what_is_copied_goes_to_the_clipboard_cleaned_and_to_a_file(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop(reason="evil \x1b]52;c;AAAA\x07 [bold]text[/]"))
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: bool(app.view.decisions))
        await pilot.press("y")
        await shows(pilot, "also in")
        assert app.clipboard == str(run.path.resolve())
        await pilot.press("enter")
        await shows(pilot, "[bold]text[/]")
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard == "evil ␛]52;c;AAAA␇ [bold]text[/]")
        assert paths()["last copied text"].read_text() == app.clipboard
        run.append(run.stop(reason="x" * 60 + "\nline" * 20_000))
        await shows(pilot, "2 ■ g1")
        await pilot.press("l")
        await shows(pilot, "xxxxx")
        await pilot.press("y")
        await shows(pilot, "too many for a")
        assert len(paths()["last copied text"].read_text()) == 60 + 100_000
        assert app.clipboard.startswith("evil")


async def test_words_are_found_in_a_text_and_runs_are_walked_through_a_filter(tmp_path: Path) -> None:
    run, other = Growing(tmp_path), Growing(tmp_path, "T2-g1-r1")
    text = "\n".join(f"line {number}{' needle' if number in (70, 90) else ''}" for number in range(200))
    run.append(run.stop(reason=text))
    other.append(other.stop())
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: len(app.view.decisions) == 2)
        await pilot.press("slash", *"g1", "enter", "n")
        runs = app.screen.query_one(RunList)
        assert runs.cursor_key == "T2-g1-r1"
        await pilot.press("n")
        assert runs.cursor_key == "T1-g1-r1"
        await pilot.press("enter")
        await shows(pilot, "line 3")
        await pilot.press("slash", *"NEEDLE", "enter")
        await shows(pilot, "line 70 needle")
        await pilot.press("n")
        await until(pilot, lambda: "line 70 " not in screen_of(app) and "line 90 needle" in screen_of(app))
        await pilot.press("N")
        await shows(pilot, "line 70 needle")


async def test_the_report_is_shown_and_made_again(tmp_path: Path) -> None:
    run = Growing(tmp_path)
    run.append(run.stop())
    run.score()
    app = dashboard(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: bool(app.view.decisions))
        await pilot.press("R")
        await shows(pilot, "Per config", "5/5 100%")
        before = screen_of(app)
        await pilot.press("greater_than_sign")
        await until(pilot, lambda: screen_of(app) != before)
        assert isinstance(app.screen, ReportScreen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))


async def test_a_give_up_and_the_end_of_the_matrix_ring_only_where_it_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr("gateview.notices.on_desktop", lambda notice: bool(told.append(notice) or True))
    run = Growing(tmp_path)
    run.append(run.stop("give_up"))
    app = GateviewApp([tmp_path], "runs/", settings=Settings(notify="desktop"))
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: bool(app.view.decisions))
        run.append(run.stop("give_up"))
        (tmp_path / "matrix.jsonl").write_bytes(line({"event": "matrix_ended"}))
        await until(pilot, lambda: len(told) == 2)
    assert sorted(told) == ["T1-g1-r1: gave up at stop 2", "The matrix has ended: 1 runs"]
