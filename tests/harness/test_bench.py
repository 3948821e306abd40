"""Finding a bench and saying what is wrong with it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gatecore.cli import main
from gatecore.harness.bench import Bench, natural_order
from gatecore.harness.errors import UsageError
from gatecore.harness.sample import lay_out, lay_out_empty
from gatecore.harness.settings import load_configs, load_settings


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench with blanks")
    lay_out(folder)
    return folder


class Gatecore:
    """The command line, run in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def refuses(self, *args: str, cwd: Path | None = None) -> str:
        """Run it, see that it exits with 2 and prints nothing on stdout, and return its stderr."""
        self._monkeypatch.setattr(sys, "argv", ["gatecore", *args])
        self._monkeypatch.chdir(cwd or Path.cwd())
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = self._capsys.readouterr()
        assert (ended.value.code, out) == (2, "")
        return err


@pytest.fixture
def gatecore(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Gatecore:
    return Gatecore(monkeypatch, capsys)


def test_a_bench_is_found_from_a_folder_inside_it(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sample / "hidden")
    bench = Bench.find(None)
    assert bench.root == sample
    assert bench.tasks == ("T1", "T2", "T3", "T4")
    assert list(bench.configs) == ["bare", "g1", "g3", "g13", "g13adv"]


def test_the_sample_has_the_same_commit_everywhere(tmp_path: Path, sample: Path) -> None:
    lay_out(tmp_path / "again")
    heads = {
        subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=folder / "upstream")
        for folder in (sample, tmp_path / "again")
    }
    assert len(heads) == 1


def test_laying_out_never_writes_over_something_else(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    for lay in (lay_out, lay_out_empty):
        with pytest.raises(UsageError, match="is not empty"):
            lay(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["run", "g9", "T1"], "no config 'g9'"),
        (["run", "g1", "T9"], "no task 'T9'"),
        (["run", "g1", "T1", "--tag", "../x"], "--tag '../x': must be"),
        (["run", "g1", "T1", "--inject", "nope.patch"], "nope.patch"),
        (["matrix", "--configs", "g1,nope"], "no config 'nope'"),
        (["matrix", "--tasks", "T1 T9"], "no task 'T9'"),
        (["run", "g1", "T1", "--bench", "/does/not/exist"], "/does/not/exist: no such folder"),
        (["score", "upstream"], "upstream: no meta.json"),
    ],
)
def test_wrong_use_names_what_is_wrong_and_exits_2(
    gatecore: Gatecore, sample: Path, args: list[str], words: str
) -> None:
    assert words in gatecore.refuses(*args, cwd=sample)


def test_a_bench_without_upstream_says_so(gatecore: Gatecore, tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "T1.md").write_text("do it")
    assert "upstream: missing" in gatecore.refuses("matrix", "--bench", str(tmp_path))


def test_an_upstream_inside_another_repository_is_none_of_its_own(
    gatecore: Gatecore, sample: Path, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    shutil.copytree(sample, tmp_path / "b", ignore=shutil.ignore_patterns(".git"))
    assert "is no git repository of its own" in gatecore.refuses(
        "run", "g1", "T1", "--bench", str(tmp_path / "b")
    )


def test_without_git_it_says_so(
    gatecore: Gatecore, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git: not found" in gatecore.refuses("matrix", "--bench", str(sample))


def test_without_pytest_it_says_so(gatecore: Gatecore, sample: Path, tmp_path: Path) -> None:
    bench = shutil.copytree(sample, tmp_path / "b")
    (bench / ".venv" / "bin").mkdir(parents=True)
    (bench / ".venv" / "bin" / "python").symlink_to("/bin/false")
    assert "pytest: not installed" in gatecore.refuses("run", "g1", "T1", "--bench", str(bench))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[limits]\nworker_turn = 3\n", "worker_turn"),
        ("[client]\nkind = 'codex'\n", "codex"),
        ("[limits]\ngive_up = 0\n", "$.limits.give_up"),
        ("[limits]\nhook_s = 0.5\n", "$.limits.hook_s"),
        ("[limits]\nhook_s = 1e9\n", "$.limits.hook_s"),
        ("lanes = 'two'\n", "$.lanes"),
        ("[gate2]\ncomand = ['x']\n", "comand"),
        ("[gate2]\npaths = []\n", "$.gate2.paths"),
        ("[limits\n", "bench.toml"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bench.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as refused:
        load_settings(path)
    assert words in str(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"g1": {"gate9": true}}', "gate9"),
        ('{"g1": {"gate3": "both"}}', "'g1'"),
        ('{"g2": {"gate2": {"mode": "blok"}}}', "$.gate2.mode"),
        ('{"g4": {"gate4": "yes"}}', "$.gate4"),
        ('{"a-b": {}}', "no dash"),
        ("[]", "must be an object"),
        ("{", "configs.json"),
    ],
)
def test_a_wrong_config_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "configs.json"
    path.write_text(text)
    with pytest.raises(UsageError) as refused:
        load_configs(path)
    assert words in str(refused.value)


def test_gates_are_freely_combined(tmp_path: Path) -> None:
    path = tmp_path / "configs.json"
    path.write_text(
        '{"mine": {"gate1": {"mode": "observe"}, "gate3": {"variant": "adv", "mode": "advise"}}, "no": {}, '
        '"all": {"gate1": true, "gate2": {"mode": "observe"}, "gate3": true, "gate4": true}}'
    )
    configs = load_configs(path)
    assert configs["mine"].gates() == {
        "gate1": {"mode": "observe"},
        "gate3": {"mode": "advise", "variant": "adv"},
    }
    assert configs["no"].gates() == {}
    every = configs["all"]
    assert list(every.gates().items())[1] == ("gate2", {"mode": "observe"})
    assert (list(every.gates()), every.gate4) == (["gate1", "gate2", "gate3"], True)


def test_tasks_are_sorted_as_people_count() -> None:
    assert sorted(["T10", "T2", "A1", "T1"], key=natural_order) == ["A1", "T1", "T2", "T10"]
