"""Helpers for tests of the user's own chunkers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sandbox import GitSandbox

import ragit
from ragit.store import Store
from ragit.types import Hit

CHUNKER = """\
def chunk(data):
    for number, line in enumerate(data.decode().split("\\n"), 1):
        if line.startswith("rule "):
            yield number, number + 1, "rule", line.split()[1]
"""

TEXT = "top\nrule one\n  do x\nrule two\n  do y\n\ntail\n"

READ_BY_RAGIT = [("text", "", 1, 7)]
"""Chunks of TEXT by ragit's own chunker."""


def settings(repo: GitSandbox, modules: Mapping[str, Sequence[str]]) -> None:
    """Write a .ragit.toml that names chunkers, each with its extensions."""
    tables = (
        f"{{ module = {json.dumps(name)}, extensions = {json.dumps(list(each))} }}"
        for name, each in modules.items()
    )
    repo.write(".ragit.toml", f"chunkers = [{', '.join(tables)}]\n")


def use(
    repo: GitSandbox,
    code: str,
    *,
    module: str = "tools/a.py",
    extensions: Sequence[str] = (".xyz",),
    write: bool = True,
) -> None:
    """Write a chunker, name it in the settings and trust it; also write `a.xyz` for it, unless
    `write` is false.
    """
    if write:
        repo.write("a.xyz", TEXT)
    if code:
        repo.write(module.partition(":")[0], code)
    settings(repo, {module: extensions})
    allow(repo)


def allow(repo: GitSandbox) -> None:
    """Run `ragit trust`."""
    with ragit.open(repo.path) as index:
        index.settings.trust()


def found(repo: GitSandbox, query: str, *, documents_min: int | None = None) -> list[Hit]:
    """Return the keyword hits in HEAD with its uncommitted changes, one for each chunk."""
    with ragit.open(repo.path, flags={"documents.minChunkBytes": documents_min}) as index:
        return list(index.search(query, mode="keyword", optimize=False, top_k=100).hits)


def chunks(
    repo: GitSandbox, path: str = "a.xyz", ref: str | None = None
) -> list[tuple[str, str, int, int]]:
    """Return kind, symbol, first and last line of the chunks of a file, as a search finds
    them now.
    """
    with ragit.open(repo.path) as index:
        tree = index.search("word", ref=ref).tree
        with Store(index.store_path, writable=False) as store:
            snapshot = index._indexer.trees.resolve(
                store, tree
            ).snapshot  # a search, looked at from inside
            number = dict(zip(snapshot.paths, snapshot.chunkings, strict=True))[path.encode()]
            rows = store.chunks_of(number).values()
    return [(row.kind, row.symbol, row.start_line, row.end_line) for row in rows]


def skipped(repo: GitSandbox) -> dict[str, int]:
    """Index everything, and return the number of skipped files by reason."""
    with ragit.open(repo.path) as index:
        index.index(scope="worktree")
        return dict(index.index(scope="worktree").skipped)
