"""Say which refs hold the hits of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ragit.errors import UnknownRevision
from ragit.git import Repo
from ragit.records import replaced
from ragit.refs import Held, Piece, Ref, extended, listed, load, matching, save, spans, trees_with
from ragit.types import HEAD, Answer, Hit, LookedAt, Oid


def refs_named(repo: Repo, patterns: Iterable[str]) -> list[Ref]:
    """Return the refs that match any of some patterns, and HEAD if it is named, in order of
    versions.

    Raises UnknownRevision for a pattern that matches none.
    """
    every = listed((revision.name, revision.tree) for revision in repo.refs())
    chosen: set[Ref] = set()
    for pattern in patterns:
        found = [Ref(HEAD, "", repo.head().tree)] if pattern == HEAD else matching(every, pattern)
        if not found:
            raise UnknownRevision(
                f"no branch or tag matches {pattern!r}", repo.hint_for_ref(pattern)
            )
        chosen.update(found)
    return [ref for ref in [*every, Ref(HEAD, "", repo.head().tree)] if ref in chosen]


def map_file(store_path: Path) -> Path:
    """Return the file beside a store that keeps which files are in which trees."""
    return store_path.with_name(f"{store_path.name}.refs")


def with_refs(repo: Repo, store_path: Path, answer: Answer, refs: Sequence[Ref]) -> Answer:
    """Return an answer whose hits say which refs hold them."""
    file = map_file(store_path)
    old = load(file)
    trees = list(dict.fromkeys(ref.tree for ref in refs))
    files = extended(old, trees, repo.files_of_trees)
    if set(files.trees) - set(old.trees if old else ()) - {""}:
        save(file, files)
    mask = files.mask(trees)
    with repo.objects() as objects:
        held = trees_with(map(_piece, answer.hits), files, mask, objects)
    number_of = {tree: number for number, tree in enumerate(files.trees)}
    hits = [
        replaced(hit, in_refs=spans(refs, _holding(refs, number_of, bits)))
        for hit, bits in zip(answer.hits, held.bits, strict=True)
    ]
    return replaced(answer, hits=tuple(hits), looked_at=_looked_at(refs, trees, number_of, held))


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
