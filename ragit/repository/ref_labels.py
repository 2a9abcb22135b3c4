"""Find the refs that contain the hits of an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from ragit.errors import UnknownRevision
from ragit.git import Repo
from ragit.query import Query
from ragit.records import replaced
from ragit.refs import (
    MOST_ELSEWHERE,
    FileMap,
    Held,
    Piece,
    Ref,
    extended,
    listed,
    load,
    matching,
    save,
    spans,
    trees_with,
)
from ragit.types import HEAD, Answer, Hit, LookedAt, Oid, Target

_BOUNDED = (
    "{hits} of the hits may be in more refs, in files of other names: between refs that differ in"
    " more than {files} files, only the folder of a hit was searched"
)


def asked_refs(repo: Repo, query: Query) -> list[Ref]:
    """Return the refs that a query searches or labels hits with; empty if none. Raises
    UnknownRevision.
    """
    if query.all_refs:
        return [*listed((one.name, one.tree) for one in repo.refs()), _head(repo)]
    patterns = query.refs or query.in_refs
    return refs_named(repo, patterns) if patterns else []


def union_target(query: Query, refs: Sequence[Ref], union: Callable[[list[Oid]], Oid]) -> Target:
    """Return the union of the trees of some refs, named by `union`."""
    trees = list({ref.tree: None for ref in reversed(refs)})[::-1]  # each at its newest ref
    name = "all refs" if query.all_refs else f"refs {', '.join(query.refs)}"
    return Target(name, union(trees), union=True)


def refs_named(repo: Repo, patterns: Iterable[str]) -> list[Ref]:
    """Return the refs that match any of some patterns, and HEAD if named, in order of versions.

    Raises UnknownRevision for a pattern that matches none.
    """
    every = listed((revision.name, revision.tree) for revision in repo.refs())
    chosen: set[Ref] = set()
    for pattern in patterns:
        found = [_head(repo)] if pattern == HEAD else matching(every, pattern)
        if not found:
            raise UnknownRevision(
                f"no branch or tag matches {pattern!r}", repo.hint_for_ref(pattern)
            )
        chosen.update(found)
    return [ref for ref in [*every, _head(repo)] if ref in chosen]


def _head(repo: Repo) -> Ref:
    return Ref(HEAD, "", repo.head().tree)


def map_file(store_path: Path) -> Path:
    """Return the file beside a store that caches which files are in which trees."""
    return store_path.with_name(f"{store_path.name}.refs")


def forget_map(store_path: Path) -> None:
    """Delete the file of `map_file`. If that fails it stays, and is still right."""
    with suppress(OSError):
        map_file(store_path).unlink(missing_ok=True)


def with_refs(repo: Repo, store_path: Path, answer: Answer, refs: Sequence[Ref]) -> Answer:
    """Return an answer whose hits name the refs that contain them."""
    file = map_file(store_path)
    old = load(file)
    trees = list(dict.fromkeys(ref.tree for ref in refs))
    files = extended(old, trees, repo.files_of_trees)
    if set(files.trees) - set(old.trees if old else ()) - {""}:
        save(file, files)
    mask = files.mask(trees)
    number_of = {tree: number for number, tree in enumerate(files.trees)}
    ordered = [number_of[tree] for tree in trees if tree in number_of]
    with repo.objects() as objects:
        held = trees_with(
            map(_piece, answer.hits), files, ordered, objects, lambda: _blobs(repo, answer.tree)
        )
    hits = []
    for hit, bits in zip(answer.hits, held.bits, strict=True):
        in_refs = spans(refs, _holding(refs, number_of, bits))
        here = _holding(refs, number_of, _having(files, hit, mask)) if answer.union else []
        hits.append(replaced(hit, in_refs=in_refs, ref=refs[here[-1]].name if here else ""))
    seen = answer.looked_at
    seen = seen._replace(refs=len(refs)) if seen else _looked_at(refs, trees, number_of, held)
    notes = answer.notes
    if held.bounded and not answer.union:
        notes = (*notes, _BOUNDED.format(hits=held.bounded, files=MOST_ELSEWHERE))
    return replaced(answer, hits=tuple(hits), looked_at=seen, notes=notes)


def _blobs(repo: Repo, tree: Oid) -> set[bytes]:
    """Return the blobs of a tree by their raw ids."""
    return {oid for _, oid in repo.files_of_trees([tree]).files}


def _having(files: FileMap, hit: Hit, mask: int) -> int:
    return files.having(hit.path.encode("utf-8", "surrogateescape"), hit.blob, mask)


def _holding(refs: Sequence[Ref], number_of: dict[str, int], bits: int) -> list[int]:
    """Return the indices of the refs whose trees are among some bits."""
    return [
        at
        for at, ref in enumerate(refs)
        if ref.tree in number_of and bits >> number_of[ref.tree] & 1
    ]


def _looked_at(
    refs: Sequence[Ref], trees: Sequence[Oid], number_of: dict[str, int], held: Held
) -> LookedAt:
    complete = sum(tree in number_of for tree in trees)
    return LookedAt(len(refs), len(trees), complete, held.files, held.files - held.unread)


def _piece(hit: Hit) -> Piece:
    paths = (hit.path, *hit.also)
    return Piece(
        hit.text.encode("utf-8", "surrogatepass"),
        tuple(path.encode("utf-8", "surrogateescape") for path in paths),
        hit.blob,
    )
