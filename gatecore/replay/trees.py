"""The tree of a recorded stop: from the gate's own git directory, else from the base and the stop's diff."""

from pathlib import Path
from typing import NamedTuple

from gatecore.harness.bench import Bench
from gatecore.ledger.records import Stop
from gatecore.snapshot import Snapshot, SnapshotError, Store


class NoTreeError(Exception):
    """The tree of a stop is not to be had; the message says why. `kept`: something of it is on record."""

    def __init__(self, why: str, *, kept: bool) -> None:
        super().__init__(why)
        self.kept = kept


class Tree(NamedTuple):
    """The tree of a stop, in a store that holds it."""

    store: Store
    snapshot: Snapshot
    source: str  # store or diff


class Trees:
    """Finds trees for one lane, in whose directory `state` the base lies and diffs are applied."""

    def __init__(self, bench: Bench, state: Path, upstream: Store) -> None:
        """`upstream` is a store whose base is upstream's HEAD."""
        self._bench = bench
        self._state = state
        self._upstream = upstream
        self._bases: dict[str, Store] = {upstream.base_commit: upstream}

    def find(self, run: Path, n: int | None, stop: Stop | None) -> Tree:
        """The tree of stop `n` of a run; `stop` is its record, where it left one. Raises NoTreeError."""
        return (stop and self._stored(run, stop)) or self._applied(run, n, stop)

    def _stored(self, run: Path, stop: Stop) -> Tree | None:
        """From the git directory that judged it. The tree's own id says that it is the right one."""
        try:
            store = Store(str(self._bench.state(run.name) / "git"))
            if not stop.tree or stop.base not in (None, store.base_commit):
                return None
            diff = store.diff(store.base_tree, stop.tree)
            changed = tuple(path for *_, path in store.numstat(store.base_tree, stop.tree))
        except SnapshotError:
            return None
        return Tree(store, Snapshot(stop.tree, diff, changed, (), ()), "store")

    def _applied(self, run: Path, n: int | None, stop: Stop | None) -> Tree:
        diff = run / f"snap-{n}.diff"
        if not diff.is_file():
            raise NoTreeError("no tree of it was kept: the stop ended before its snapshot", kept=False)
        store, work = self._base(stop), str(self._state / "copies" / "applied")
        try:
            store.checkout(store.base_tree, work)
            if diff.stat().st_size:
                store.apply(work, str(diff))
            snapshot = store.take(work)
        except SnapshotError as err:
            raise NoTreeError(f"{diff.name} does not apply to upstream: {err}", kept=True) from None
        if stop and stop.tree and stop.tree != snapshot.tree:
            raise NoTreeError(
                f"{diff.name} on upstream gives tree {snapshot.tree[:12]}, the stop was judged on {stop.tree[:12]}",
                kept=True,
            )
        return Tree(store, snapshot, "diff")

    def _base(self, stop: Stop | None) -> Store:
        """A store with the stop's base; with upstream's HEAD where the base is not told or not there."""
        commit = stop.base if stop else None
        if not commit:
            return self._upstream
        if commit not in self._bases:
            try:
                store = Store.create(
                    str(self._state / f"git-{len(self._bases)}"),
                    str(self._bench.upstream),
                    commit,
                    max_file_bytes=self._bench.settings.limits.file_bytes,
                )
            except SnapshotError:
                store = self._upstream
            self._bases[commit] = store
        return self._bases[commit]
