"""Objects that we write are objects that git reads."""

from pathlib import Path

import pytest
from worktrees import git

from gatecore.snapshot import objects as module
from gatecore.snapshot.objects import Objects


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
@pytest.mark.parametrize("batch", [1000, 64_000_000])
def test_objects_of_all_sizes(
    tmp_path: Path, algorithm: str, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BATCH_BYTES", batch)
    git(tmp_path, "init", "--quiet", "--bare", f"--object-format={algorithm}")
    objects = Objects(str(tmp_path), {"sha1": 40, "sha256": 64}[algorithm])
    sizes = [*range(40), 127, 128, 2047, 2048, 2049, 40_000, 300_000]
    bodies = [(b"%d " % size * size)[:size] for size in sizes]
    oids = [objects.write("blob", body) for body in bodies]
    entries = {f"folder/{size}/file": f"100644 {oid}" for size, oid in zip(sizes, oids, strict=True)}
    tree = objects.write_tree(entries, entries, {})[""]
    assert list(objects.read(oids)) == bodies
    assert objects.entries(tree) == entries
    assert git(tmp_path, "cat-file", "blob", oids[-1]) == bodies[-1]
    git(tmp_path, "fsck", "--strict", "--no-dangling", tree)
    assert list(tmp_path.glob("objects/pack/*.pack"))
