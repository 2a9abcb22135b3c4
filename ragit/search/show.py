"""Ranked chunks to hits: their rows, their text read back from the blobs, the reasons for their rank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ragit import chunk, words
from ragit.git import Objects
from ragit.index.descriptions.settings import IMAGE
from ragit.rank import Explains, Piece, Ranked
from ragit.store import ORDINAL_BITS, ChunkRow, Snapshot, Store
from ragit.types import Hit, Optimized, path_text

Pool = Sequence[tuple[Ranked, list[int]]]
"""Chunks in order of rank, each with the places of the other paths that hold the same blob."""


def one_path_each(ranked: Iterable[Ranked], limit: int) -> Pool:
    """The best `limit`, each blob under its best path only."""
    chosen: list[tuple[Ranked, list[int]]] = []
    at: dict[int, list[int]] = {}
    for one in ranked:
        number = one.facts.chunk
        if number in at:
            at[number].append(one.facts.place)
        elif len(chosen) < limit:
            at[number] = []
            chosen.append((one, at[number]))
    return chosen


class Document(NamedTuple):
    """A candidate as a model may read it."""

    path: str
    name: str
    description: str
    """What a language model said about it; empty if none did."""
    text: str


class Show:
    """Makes hits of a pool of ranked chunks."""

    def __init__(
        self, objects: Objects, store: Store, snapshot: Snapshot, scorer: Explains, pool: Pool
    ) -> None:
        self._snapshot = snapshot
        self._scorer = scorer
        self.pool = pool
        """Another order of the same chunks may be put here, or some of them."""
        self._rows = store.chunks(ranked.facts.chunk for ranked, _ in pool)
        self._blobs = store.blobs(
            sorted({ranked.facts.chunk >> ORDINAL_BITS for ranked, _ in pool})
        )
        kept = {c: chunk.parted(data) for c, data in store.derived(self._blobs).items()}
        self._numbers = {c: rest for c, (_, rest) in kept.items()}
        self._texts = {c: text for c, (text, _) in kept.items()}
        others = {c: oid for c, (oid, _) in self._blobs.items() if c not in self._texts}
        data = dict(objects.read_many(others.values()))
        self._texts.update(
            (c, chunk.text_of(data.get(oid) or b"") or b"") for c, oid in others.items()
        )

    def documents(
        self,
        count: int,
        described: Callable[[list[bytes]], Mapping[bytes, str]],
        cut: Callable[[bytes, int, int], str],
    ) -> list[Document]:
        """The first `count` of the pool; `described` gives descriptions by the hash of what was embedded, `cut` a range
        of a file's text as a model may see it.
        """
        rows = [(ranked, self._row(ranked)) for ranked, _ in self.pool[:count]]
        descriptions = described([row.hash for _, row in rows])
        return [
            Document(
                self._path(ranked.facts.place),
                f"{row.parent}.{row.symbol}"
                if row.parent and row.symbol
                else row.symbol or row.parent,
                descriptions.get(row.hash, ""),
                cut(self._texts[ranked.facts.chunk >> ORDINAL_BITS], row.start, row.end),
            )
            for ranked, row in rows
        ]

    def pieces(self) -> list[Piece]:
        """The pool for the optimiser, in its order."""
        return [self._piece(ranked, at) for at, (ranked, _) in enumerate(self.pool)]

    def hits(self, chosen: Iterable[tuple[Piece, Optimized | None]]) -> list[Hit]:
        """The pieces chosen, as hits."""
        return [self._hit(piece, done) for piece, done in chosen]

    def _row(self, ranked: Ranked) -> ChunkRow:
        return self._rows[ranked.facts.chunk]

    def _text(self, ranked: Ranked, start: int, end: int) -> str:
        return self._texts[ranked.facts.chunk >> ORDINAL_BITS][start:end].decode("utf-8", "replace")

    def _piece(self, ranked: Ranked, at: int) -> Piece:
        row = self._row(ranked)
        path = self._path(ranked.facts.place)
        return Piece(
            file=ranked.facts.place,
            id=f"{path}:{row.start_line}-{row.end_line}"
            + (f":{row.start}" if row.start_line == row.end_line else ""),
            start_line=row.start_line,
            end_line=row.end_line,
            start=row.start,
            end=row.end,
            score=ranked.score,
            words=frozenset(words.words(self._text(ranked, row.start, row.end))),
            members=(at,),
            part=chunk.part_of(row.place) if row.place else "",
            pages=chunk.pages_of(row.place) if row.place else (0, 0),
        )

    def _hit(self, piece: Piece, done: Optimized | None) -> Hit:
        ranked, others = self.pool[piece.members[0]]
        row = self._row(ranked)
        text = self._text(ranked, piece.start, piece.end)
        oid, language = self._blobs[ranked.facts.chunk >> ORDINAL_BITS]
        return Hit(
            path=self._path(ranked.facts.place),
            start_line=piece.start_line,
            end_line=piece.end_line,
            score=ranked.score,
            language=language,
            kind=row.kind,
            symbol=row.symbol,
            parent=row.parent,
            text=text,
            blob=oid,
            signals=self._scorer.parts(ranked),
            terms=self._scorer.terms_in(frozenset(words.terms(text))),
            also=tuple(map(self._path, others)),
            optimized=done,
            reranked=ranked.reranked,
            place=self._place(piece, row, ranked.facts.chunk >> ORDINAL_BITS),
            numbers=self._numbers_of(piece, ranked.facts.chunk >> ORDINAL_BITS)
            if row.place
            else (),
            definitions=tuple(each for one in self._members(piece) for each in one.definitions),
        )

    def _place(self, piece: Piece, row: ChunkRow, chunking: int) -> str:
        """Where a person finds a hit; where chunks were joined, from the first to the last of them."""
        if not row.place and row.kind != IMAGE and chunking in self._numbers:
            return chunk.share_of(piece.start, piece.end, len(self._texts[chunking]))
        if not row.place or len(piece.members) == 1:
            return row.place
        return chunk.joined_places(one.place for one in self._members(piece))

    def _members(self, piece: Piece) -> list[ChunkRow]:
        """The chunks of a hit in the order of the file."""
        return sorted(
            (self._row(self.pool[at][0]) for at in piece.members), key=lambda one: one.start
        )

    def _numbers_of(self, piece: Piece, chunking: int) -> tuple[int, ...]:
        """On which row or page each line of a hit stands; empty if they are on one, or it is not known."""
        found = [0] * (piece.end_line - piece.start_line + 1)
        for row in self._members(piece):
            first = chunk.first_of(row.place)
            numbers = chunk.numbers_of(self._numbers[chunking], row.start_line)
            at = row.start_line - piece.start_line
            found[at : at + row.end_line - row.start_line + 1] = numbers or [first] * (
                row.end_line - row.start_line + 1
            )
        return tuple(found) if len({*found, 0}) > 2 else ()

    def _path(self, place: int) -> str:
        return path_text(self._snapshot.paths[place])
