"""What a run is and where it takes place."""

from dataclasses import dataclass
from pathlib import Path

from gatecore.harness.bench import run_name
from gatecore.snapshot import Store


@dataclass(frozen=True)
class Cell:
    """One run, as asked for."""

    task: str
    cfg: str
    rep: int = 1
    tag: str | None = None
    inject: Path | None = None
    signoff: bool = False  # hold the result until an engineer gives it

    @property
    def name(self) -> str:
        """The run's name."""
        return run_name(self.task, self.cfg, self.rep, self.tag)


@dataclass(frozen=True)
class Site:
    """The directories of a run, all absolute, and what its client needs in its environment."""

    run: Path
    state: Path
    work: Path
    store: Store
    env: dict[str, str]
