"""Optimise the context of an answer: merge neighbours, drop near-duplicates, cap each file. Pure.

It works on the over-fetched pool and fills up to `top_k`, so merging and dropping do not shorten
the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ragit.records import Record, replaced
from ragit.types import Optimized

MERGED_LINES = 200
"""Limit of a merged hit: a chain of neighbours must not return a whole file."""


class Piece(Record):
    """A ranked range of one file. `file` and `id` only have to be equal for equal things."""

    file: int
    id: str
    start_line: int
    end_line: int
    start: int
    end: int
    score: float
    words: frozenset[str]
    members: tuple[int, ...]
    """Indices of its parts in the caller's list, best first."""
    part: str = ""
    """Part of the file, such as a sheet of a workbook: pieces of two parts are not merged."""
    pages: tuple[int, int] = (0, 0)
    """Its first and last page; zeros in a file without pages."""
    merged_from: tuple[str, ...] = ()
    deduped_from: tuple[str, ...] = ()


class Options(Record):
    """The settings of `retrieval.contextOptimization`."""

    merge_adjacent: bool = True
    adjacent_gap_threshold: int = 5
    similarity_threshold: float = 0.8
    max_per_file: int = 3


def optimize(
    pieces: Sequence[Piece], top_k: int, options: Options
) -> list[tuple[Piece, Optimized | None]]:
    """Return the best `top_k`, each with the change made to it (None: no change). `pieces` are in
    order of rank.
    """
    by_file: dict[int, list[Piece]] = {}
    for piece in pieces:
        by_file.setdefault(piece.file, []).append(piece)
    kept: list[Piece] = []
    for listed in by_file.values():
        merged = (
            _merge(listed, options.adjacent_gap_threshold) if options.merge_adjacent else listed
        )
        kept.extend(_dedup(merged, options.similarity_threshold))
    rank = {piece.id: at for at, piece in enumerate(pieces)}
    kept.sort(
        key=lambda piece: (
            -piece.score,
            min(rank.get(i, len(rank)) for i in (piece.id, *piece.merged_from)),
        )
    )
    return _cap(kept, top_k, options.max_per_file)


def _merge(pieces: Sequence[Piece], gap: int) -> list[Piece]:
    merged: list[Piece] = []
    for piece in sorted(pieces, key=lambda p: (p.part, p.start, p.end)):
        last = merged[-1] if merged else None
        if last is not None and _adjoins(last, piece, gap):
            merged[-1] = _joined(last, piece)
        else:
            merged.append(piece)
    return merged


def _adjoins(last: Piece, piece: Piece, gap: int) -> bool:
    end = max(last.end_line, piece.end_line)
    near = piece.start_line - last.end_line <= gap + 1 and piece.part == last.part
    # Do not merge over more pages: a page to go to is worth more than a longer hit.
    return (
        near
        and end - last.start_line < MERGED_LINES
        and _pages(last, piece) in (last.pages, piece.pages)
    )


def _pages(a: Piece, b: Piece) -> tuple[int, int]:
    return min(a.pages[0], b.pages[0]), max(a.pages[1], b.pages[1])


def _joined(a: Piece, b: Piece) -> Piece:
    best, other = (a, b) if a.score >= b.score else (b, a)
    return Piece(
        file=a.file,
        id=best.id,
        start_line=a.start_line,
        end_line=max(a.end_line, b.end_line),
        start=a.start,
        end=max(a.end, b.end),
        score=best.score,
        words=a.words | b.words,
        members=best.members + other.members,
        part=a.part,
        pages=_pages(a, b),
        merged_from=(*(a.merged_from or (a.id,)), *(b.merged_from or (b.id,))),
    )


def _dedup(pieces: Sequence[Piece], threshold: float) -> list[Piece]:
    """Drop the lower of two similar pieces, and name it in the other. One pass is enough, best
    first.
    """
    kept: list[Piece] = []
    for piece in sorted(pieces, key=lambda p: (-p.score, p.start)):
        twin = next(
            (i for i, other in enumerate(kept) if jaccard(other.words, piece.words) > threshold),
            None,
        )
        if twin is None:
            kept.append(piece)
        else:
            kept[twin] = replaced(kept[twin], deduped_from=(*kept[twin].deduped_from, piece.id))
    return kept


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the Jaccard similarity; two texts without words are equal."""
    return len(a & b) / len(a | b) if a or b else 1.0


def _cap(pieces: Sequence[Piece], top_k: int, most: int) -> list[tuple[Piece, Optimized | None]]:
    offered = Counter(piece.file for piece in pieces)
    taken: Counter[int] = Counter()
    chosen: list[Piece] = []
    for piece in pieces:
        if len(chosen) == top_k:
            break
        if not most or taken[piece.file] < most:
            taken[piece.file] += 1
            chosen.append(piece)
    return [(piece, _described(piece, offered, most)) for piece in chosen]


def _described(piece: Piece, offered: Mapping[int, int], most: int) -> Optimized | None:
    capped = bool(most) and offered[piece.file] > most
    touched = piece.merged_from or piece.deduped_from or capped
    return Optimized(piece.merged_from, piece.deduped_from, capped) if touched else None
