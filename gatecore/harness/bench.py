"""A bench: a repo, tasks, a hidden oracle, and where runs and work copies go."""

import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from gatecore.harness import git
from gatecore.harness.errors import UsageError
from gatecore.harness.settings import MORE_CONFIGS, GateConfig, Settings, load_configs, load_settings

_CONFIG_ORDER = ("bare", "g1", "g3", "g13", "g13adv")


@dataclass(frozen=True)
class Bench:
    """A bench in the layout of the original kit. All paths are absolute."""

    root: Path

    @classmethod
    def find(cls, root: Path | None) -> "Bench":
        """The bench in `root`, or the one that the current directory lies in. Raises UsageError."""
        if root is not None:
            if not root.is_dir():
                raise UsageError(f"{root}: no such folder" if not root.exists() else f"{root}: is no folder")
            candidates = [root.resolve()]
        else:
            here = Path.cwd()
            candidates = [here, *here.parents]
        for folder in candidates:
            if (folder / "tasks").is_dir():
                bench = cls(folder)
                bench.check()
                return bench
        where = root or "the current directory or above it"
        raise UsageError(
            f"no bench in {where}: a bench has tasks/ and upstream/ (`gatecore init` lays one out)"
        )

    def check(self) -> None:
        """Raise UsageError when the bench cannot be used at all."""
        git.require()
        if not self.upstream.is_dir():
            raise UsageError(f"{self.upstream}: missing; put the repository to work on there, as a git clone")
        if not git.is_repository(self.upstream):
            raise UsageError(
                f"{self.upstream}: is no git repository of its own; make it one: "
                f"git -C {self.upstream} init && git -C {self.upstream} add -A && "
                f"git -C {self.upstream} commit -m base"
            )
        if not _has_pytest(self.python):
            raise UsageError(
                f"pytest: not installed for {self.python}, which runs acceptance tests and oracle"
            )

    @property
    def upstream(self) -> Path:
        """The repository that every run begins from, at its HEAD."""
        return self.root / "upstream"

    @property
    def runs(self) -> Path:
        """Where run directories go."""
        return self.root / "runs"

    @cached_property
    def settings(self) -> Settings:
        """`bench.toml`. Raises UsageError."""
        return load_settings(self.root / "bench.toml")

    @cached_property
    def configs(self) -> dict[str, GateConfig]:
        """The configs of the bench's matrix by name, in the order of the tables. Raises UsageError."""
        configs = load_configs(self.root / "configs.json")
        return {name: configs[name] for name in sorted(configs, key=config_order)}

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """The tasks by name: every `tasks/<name>.md` but the README."""
        names = [path.stem for path in (self.root / "tasks").glob("*.md") if path.stem.lower() != "readme"]
        return tuple(sorted((n for n in names if "." not in n), key=natural_order))

    def config(self, name: str) -> GateConfig:
        """The config `name`. Raises UsageError."""
        own = (self.root / "configs.json").exists()
        known = self.configs if own else {**self.configs, **MORE_CONFIGS}
        if name not in known:
            raise UsageError(f"no config {name!r} in this bench; there are: {', '.join(known)}")
        if known[name].gate2 and not self.settings.gate2.command:
            raise UsageError(
                f"config {name!r} has gate 2, and {self.root / 'bench.toml'} does not say how pages are rendered: "
                "set command under [gate2]"
            )
        return known[name]

    def request(self, task: str) -> str:
        """The text of a task. Raises UsageError."""
        if task not in self.tasks:
            raise UsageError(
                f"no task {task!r} in {self.root / 'tasks'}; there are: {', '.join(self.tasks) or 'none'}"
            )
        return (self.root / "tasks" / f"{task}.md").read_text(encoding="utf-8")

    def oracle(self, task: str) -> Path | None:
        """The hidden tests of a task, None when there are none."""
        path = self.root / "hidden" / f"test_{task}.py"
        if not path.is_file() and self.settings.oracle.command:
            path = min((self.root / "hidden").glob(f"test_{task}.*"), default=path)
        return path if path.is_file() else None

    def reference(self, task: str) -> Path | None:
        """The patch that solves a task, None when there is none."""
        path = self.root / "reference" / f"{task}.patch"
        return path if path.is_file() else None

    def validation(self, task: str) -> Path:
        """Where `validate` keeps what was written for a task."""
        return self.root / "validation" / task

    def state(self, run: str) -> Path:
        """The gate's own directory for a run: its git directory, copies of trees, scratch."""
        return self.root / ".gatecore" / run

    def lock(self, run: str) -> Path:
        """The file whose lock a run's harness and worker hold."""
        return self.root / ".gatecore" / "locks" / run

    def harness_lock(self, run: str) -> Path:
        """The file whose lock a run's harness alone holds."""
        return self.root / ".gatecore" / "locks" / f"{run}.harness"

    def work(self, run: str) -> Path:
        """Where the worker of a run works."""
        return self.root / "work" / run

    def prompt(self, role: str) -> str:
        """The template of a role's prompt: the bench's `prompts/<role>.md`, else the package's."""
        own = self.root / "prompts" / f"{role}.md"
        path = own if own.is_file() else Path(__file__).parent.parent / "prompts" / f"{role}.md"
        return path.read_text(encoding="utf-8")

    @property
    def python(self) -> str:
        """The interpreter for checks that name none: the bench's .venv if it has one, else this one."""
        own = self.root / ".venv" / "bin" / "python"
        return str(own) if own.exists() else sys.executable

    def suite_command(self) -> tuple[str, ...]:
        """The command that runs the repo's suite in a tree."""
        return self.settings.suite.command or (self.python, "-m", "pytest", "-q")

    def render_command(self) -> tuple[str, ...]:
        """The command that renders the pages of a tree, empty when the bench has none."""
        names = {"{bench}": str(self.root), "{python}": self.python}
        command = self.settings.gate2.command
        return tuple(re.sub(r"\{bench\}|\{python\}", lambda name: names[name[0]], part) for part in command)

    def tests_command(self, file: Path) -> tuple[str, ...]:
        """The command that runs tests which lie outside the tree, with the tree as working directory."""
        if file.suffix != ".py":
            return tuple(part.replace("{file}", str(file)) for part in self.settings.oracle.command)
        ini = file.parent / "pytest.ini"
        config = ("-c", str(ini)) if ini.is_file() else ()
        return (
            *(self.python, "-m", "pytest", "-q", "--tb=short"),
            *config,
            *("--rootdir", str(file.parent), "--confcutdir", str(file.parent), str(file)),
        )


def _has_pytest(python: str) -> bool:
    if python == sys.executable:
        return find_spec("pytest") is not None
    return subprocess.run([python, "-c", "import pytest"], capture_output=True, check=False).returncode == 0


def run_name(task: str, cfg: str, rep: int, tag: str | None = None) -> str:
    """The name of a run's directory."""
    return f"{task}-{cfg}-r{rep}" + (f"-{tag}" if tag else "")


def natural_order(name: str) -> list[tuple[int, int | str]]:
    """A sort key by which T10 comes after T2."""
    return [(0, int(p)) if p.isdigit() else (1, p) for p in re.split(r"(\d+)", name) if p]


def config_order(name: str) -> tuple[int, str]:
    """A sort key: the publication's five configs first, then by name."""
    return (_CONFIG_ORDER.index(name), "") if name in _CONFIG_ORDER else (len(_CONFIG_ORDER), name)
