"""Commands for the gate in one's own repo."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gatecore.cli.app import app
from gatecore.harness.errors import UsageError

if TYPE_CHECKING:
    from gatecore.everyday.install import Installed
    from gatecore.hook.session.setup import SuiteSetup
    from gatecore.ledger.places import Repo

Mode = Literal["observe", "advise", "block"]


@app.command()
def install(
    suite: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[FOLDER=]CMD",
            help="What runs the suite: pytest, or anything that leaves JUnit XML at $GATECORE_JUNIT. Repeat it "
            "for a repo with a suite a folder. Default: found out, and asked for on a terminal.",
        ),
    ] = None,
    mode: Annotated[
        Mode | None, typer.Option(help="observe (the default at first): nothing is blocked, all is counted.")
    ] = None,
    user: Annotated[
        bool, typer.Option("--user", help="Into your own settings instead of .claude/settings.local.json.")
    ] = False,
    link: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="An ignored path that the suite needs, such as .venv; repeatable."),
    ] = None,
    inplace: Annotated[
        bool | None,
        typer.Option(
            "--inplace/--copy", help="Run the suite in the work tree itself, or (default) on a copy."
        ),
    ] = None,
    paths: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB", help="What the gate looks at; !GLOB leaves out. Default: all but prose."
        ),
    ] = None,
    pass_env: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A variable that the suite needs; repeatable.")
    ] = None,
    on_error: Annotated[
        Literal["allow", "block"] | None,
        typer.Option(help="What becomes of a stop when the gate itself breaks."),
    ] = None,
    writer: Annotated[
        bool | None,
        typer.Option(
            "--writer/--no-writer",
            help="Have acceptance tests written at each request, in the background: one model call a request.",
        ),
    ] = None,
    python: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The interpreter of the hook, 3.11 or newer.")
    ] = None,
) -> None:
    """Put the gate on the repository here: the suite is run once, and the hook put into the client's settings.

    Once more with other options: it is set anew, and the ledger stays.
    """
    from gatecore.everyday.detect import links
    from gatecore.everyday.install import Choices, here
    from gatecore.everyday.install import install as put

    repo = here()
    suites = _suites(repo, suite)
    done = put(
        repo,
        Choices(
            suites=suites,
            mode=mode,
            user=user,
            link=tuple(link) if link is not None else links(Path(repo.top)) if suites else None,
            inplace=inplace,
            paths=tuple(paths) if paths else None,
            pass_env=tuple(pass_env) if pass_env else None,
            on_error=on_error,
            writer=writer,
            python=str(python) if python else None,
        ),
    )
    _tell(done)


@app.command()
def uninstall() -> None:
    """Take the gate off the repository here: its entries in the settings and the hook. The ledger stays."""
    from gatecore.everyday.install import here
    from gatecore.everyday.install import uninstall as take_off

    _for_people("uninstall")
    repo = here()
    for path in take_off(repo):
        print(f"taken out of {path}")
    print(f"ledger: {Path(repo.home) / 'runs'} (stays; `gatecore prune` drops it)")


@app.command()
def mode(mode: Annotated[Mode, typer.Argument(metavar="MODE", help="observe, advise or block.")]) -> None:
    """Switch the gate of the repository here: observe, advise or block."""
    from gatecore.everyday.install import here, set_mode

    _for_people("mode")
    set_mode(here(), mode)
    print(f"mode: {mode}, from the next stop on")


@app.command()
def bypass(
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it is kept in the record.")],
) -> None:
    """Let the next stop in the work tree here go without being judged, once."""
    from getpass import getuser

    from gatecore.everyday.install import here, installed, log
    from gatecore.hook.session.request import give_bypass

    _for_people("bypass")
    if not reason.strip():
        raise UsageError("--reason: say why")
    repo = here()
    home, _ = installed(repo)
    give_bypass(str(home), repo.top, getuser(), reason.strip())
    log(home, "bypass", reason=reason.strip(), work=repo.top)
    print("the next stop that would be judged is let go")


@app.command()
def status(
    days: Annotated[float, typer.Option(min=0.01, metavar="N", help="What counts as lately.")] = 14,
) -> None:
    """Say what the gate of the repository here is, did and would have done, and for what its count is enough.

    Exit code 1 when it was installed and never ran, or failed without a word.
    """
    from gatecore.everyday.doctor import ran
    from gatecore.everyday.install import here, installed, records
    from gatecore.everyday.shown import show
    from gatecore.everyday.status import count

    repo = here()
    home, setup = installed(repo)
    counts, found = count(home / "runs", days), records(home)
    alarm = ran(counts, found)
    print("\n".join(show(home, setup, [r["settings"]["file"] for r in found], counts, days, alarm)))
    if not alarm.ok or any(counts.recent[kind] for kind in ("error", "killed", "by the script", "tampered")):
        raise typer.Exit(1)


@app.command()
def doctor() -> None:
    """Try whether the gate of the repository here works; the suite is run twice.

    Each step says OK or what is wrong; exit code 1 when one is wrong.
    """
    from gatecore.everyday.doctor import doctor as steps
    from gatecore.everyday.install import here

    wrong = 0
    for step in steps(here()):
        said = f": {step.said}" if step.said else ""
        print(f"{'OK   ' if step.ok else 'WRONG'} {step.name}{said}", flush=True)
        wrong += not step.ok
    if wrong:
        raise typer.Exit(1)


@app.command()
def prune(
    days: Annotated[
        float, typer.Option(min=0, metavar="N", help="Only what has not been used for so many days.")
    ] = 30,
    ledgers: Annotated[
        bool, typer.Option("--ledgers", help="The ledgers of old sessions too, and the verdicts in them.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Drop it; without, it is only said.")] = False,
) -> None:
    """Drop the trees of old sessions in the repository here. Says what; does it with --yes."""
    from gatecore.everyday.install import here, log
    from gatecore.everyday.prune import drop, plan

    home = Path(here().home)
    drops = plan(home, days, ledgers=ledgers)
    if not yes:
        for one in drops:
            print(f"{one.size / 1e6:8.1f} MB  {one.path}  ({one.what})")
        print(f"{sum(one.size for one in drops) / 1e6:8.1f} MB in {len(drops)} folders; --yes drops them")
        return
    _for_people("prune")
    gone = list(drop(drops))
    log(home, "pruned", dropped=[str(one.path) for one in gone])
    print(f"dropped {sum(one.size for one in gone) / 1e6:.1f} MB in {len(gone)} folders")


def _suites(repo: "Repo", given: list[str] | None) -> "tuple[SuiteSetup, ...] | None":
    """The suites that were named, or found and agreed to; None to keep those that were settled before."""
    from gatecore.everyday.detect import HELP, detect
    from gatecore.hook.session.setup import SuiteSetup

    if given:
        return tuple(_suite(repo, text) for text in given)
    if (Path(repo.home) / "config.json").exists():
        return None
    found = detect(Path(repo.top))
    if sys.stdin.isatty() and sys.stdout.isatty():
        asked = typer.prompt("The suite's command", default=found or "")
        found = asked.strip() or None
    if not found:
        raise UsageError(f"{repo.top}: no suite was found; {HELP}")
    return (SuiteSetup("", found),)


def _suite(repo: "Repo", text: str) -> "SuiteSetup":
    from gatecore.hook.session.setup import SuiteSetup

    folder, equals, command = text.partition("=")
    if equals and folder and (Path(repo.top) / folder).is_dir():
        return SuiteSetup(Path(folder).as_posix().strip("/"), command)
    return SuiteSetup("", text)


def _tell(done: "Installed") -> None:
    for one in done.measured:
        where = f" in {one.suite.folder}" if one.suite.folder else ""
        result = one.result
        print(f"suite{where}: {one.suite.command}")
        print(f"  {result.verdict} in {result.seconds:.1f} s" + (f": {result.why}" if result.why else ""))
        if result.verdict == "fail":
            print("  red from the start: where the base is red, the gate does not judge, so it cannot block")
        if result.verdict == "not_judged":
            print("  what it printed:\n" + "\n".join(f"    {line}" for line in one.tail.splitlines()[-12:]))
    print(f"mode: {done.setup.mode}" + (", nothing is blocked yet" if done.setup.mode == "observe" else ""))
    print(f"hook: in {done.settings}, timeout {done.setup.hook_s:.0f} s")
    print(f"ledger: {done.home / 'runs'}")
    if any(one.result.verdict == "not_judged" for one in done.measured):
        raise typer.Exit(1)


def _for_people(command: str) -> None:
    """The agent's own shell is not the place from which its gate is loosened."""
    if os.environ.get("CLAUDECODE"):
        raise UsageError(f"{command}: is for a person; run it in a terminal of your own, outside the client")
