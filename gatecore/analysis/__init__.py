"""From run directories to `results.json` and `results.md`, in the original harness's shape."""

from pathlib import Path

from gatecore.analysis.markdown import results_md
from gatecore.analysis.results import Results, results
from gatecore.ledger.reader import read_runs
from gatecore.ledger.writer import write_file, write_json

__all__ = ["Results", "analyze", "results", "results_md"]


def analyze(runs_dir: Path, out: Path) -> Results:
    """Write `results.json` and `results.md` over the runs in `runs_dir` into the folder `out`, and return them.

    Raises OSError when `runs_dir` cannot be read or `out` cannot be written.
    """
    found = results({run.name: run for run in read_runs(runs_dir)})
    write_json(str(out / "results.json"), found)
    write_file(str(out / "results.md"), results_md(found))
    return found
