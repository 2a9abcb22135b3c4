"""Make hits of ranked chunks: their rows, their text read back from the blobs, their line, the
reasons for their rank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from ragit import chunk, words
from ragit.index import IMAGE
from ragit.rank import Piece, Ranked
from ragit.records import NamedTuple
from ragit.search.filtered_tree import FilteredTree
from ragit.search.lines import Landing, best_line, definition_line
from ragit.search.query_ranker import RankedQuery
from ragit.search.texts import Texts
from ragit.store import ORDINAL_BITS, ChunkRow, Store
from ragit.types import CLASSES, Definition, Hit, Member, Optimized

_SHOWN_DIGITS = 10
"""Digits of a blob that name a version."""

Pool = Sequence[tuple[Ranked, list[int]]]
"""Chunks in order of rank, each with the indices of the other paths that hold the same blob."""


def one_path_each(
    ranked: Iterable[Ranked], limit: int, texts: Mapping[int, bytes] | None = None
) -> Pool:
    """Return the best `limit`, each blob under its best path only; with hashes of the chunks'
    `texts`, each text in its best place only.
    """
    chosen: list[tuple[Ranked, list[int]]] = []
    at: dict[int | bytes, list[int]] = {}
    for one in ranked:
        number = one.facts.chunk if texts is None else texts[one.facts.chunk]
        if number in at:
            at[number].append(one.facts.place)
        elif len(chosen) < limit:
            at[number] = []
            chosen.append((one, at[number]))
    return chosen


def lines_of(text: str, count: int) -> list[str]:
    """Return the lines of a chunk's text, without line ends: `count` unless an over-long line was
    cut.
    """
    lines = re.split(r"\r\n|\n|\r", text)
    return lines if len(lines) == count else text.split("\n")


class Document(NamedTuple):
    """A candidate as a model may read it."""

    path: str
    name: str
    description: str
    """Text by a language model; empty if there is none."""
    text: str


class HitBuilder:
    """Makes hits of a pool of ranked chunks."""

    def __init__(
        self, texts: Texts, store: Store, tree: FilteredTree, found: RankedQuery, limit: int
    ) -> None:
        self._texts = texts
        self._tree = tree
        self._found = found
        hashes = tree.hashes(store, (one.facts.chunk for one in found.ranked))
        self.pool = one_path_each(found.ranked, limit, hashes)
        self._store = store
        self._chunks: dict[int, list[ChunkRow]] = {}
        """All chunks of the files that hold a class among the hits."""
        self._rows = store.chunks(ranked.facts.chunk for ranked, _ in self.pool)
        texts.load(ranked.facts.chunk >> ORDINAL_BITS for ranked, _ in self.pool)

    def documents(
        self,
        pool: Pool,
        described: Callable[[list[bytes]], Mapping[bytes, str]],
        cut: Callable[[bytes, int, int], str],
    ) -> list[Document]:
        """Return part of the pool for a model to read.

        `described` gives descriptions by the hash of what was embedded, `cut` a range of a file's
        text as a model may see it.
        """
        rows = [(ranked, self._row(ranked)) for ranked, _ in pool]
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

    def pieces(self, pool: Pool) -> list[Piece]:
        """Return a pool for the optimiser, in its order."""
        files = Counter(self._tree.first_version(ranked.facts.place) for ranked, _ in pool)
        return [self._piece(ranked, at, files) for at, (ranked, _) in enumerate(pool)]

    def hits(self, pool: Pool, chosen: Iterable[tuple[Piece, Optimized | None]]) -> list[Hit]:
        """Return the pieces chosen of a pool, as hits."""
        return [self._hit(pool, piece, done) for piece, done in chosen]

    def _row(self, ranked: Ranked) -> ChunkRow:
        return self._rows[ranked.facts.chunk]

    def _text(self, ranked: Ranked, start: int, end: int) -> str:
        return self._texts.part(ranked.facts.chunk >> ORDINAL_BITS, start, end)

    def _piece(self, ranked: Ranked, at: int, files: Mapping[int, int]) -> Piece:
        """Return a chunk for the optimiser. Its words are compared within its file only; `files`
        are the numbers of chunks by file.
        """
        row = self._row(ranked)
        file = self._tree.first_version(ranked.facts.place)
        text = self._text(ranked, row.start, row.end) if files[file] > 1 else ""
        return Piece(
            file=file,
            id=self._id(ranked, row),
            start_line=row.start_line,
            end_line=row.end_line,
            start=row.start,
            end=row.end,
            score=ranked.score,
            words=frozenset(words.words(text)),
            members=(at,),
            part=f"{ranked.facts.place} {chunk.part_of(row.place) if row.place else ''}",
            pages=chunk.pages_of(row.place) if row.place else (0, 0),
        )

    def _id(self, ranked: Ranked, row: ChunkRow) -> str:
        """Return a name for a chunk: path, lines, the offset in a single line, and in a union of
        trees the version of the file.
        """
        offset = f":{row.start}" if row.start_line == row.end_line else ""
        found = f"{self._path(ranked.facts.place)}:{row.start_line}-{row.end_line}{offset}"
        if not self._tree.union:
            return found
        blob, _ = self._texts.blobs[ranked.facts.chunk >> ORDINAL_BITS]
        return f"{found}@{blob[:_SHOWN_DIGITS]}"

    def _hit(self, pool: Pool, piece: Piece, done: Optimized | None) -> Hit:
        ranked, others = pool[piece.members[0]]
        row = self._row(ranked)
        text = self._text(ranked, piece.start, piece.end)
        chunking = ranked.facts.chunk >> ORDINAL_BITS
        oid, language = self._texts.blobs[chunking]
        members = sorted(
            (self._row(pool[at][0]) for at in piece.members), key=lambda one: one.start
        )
        definitions = tuple(each for one in members for each in one.definitions)
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
            line=self._line(ranked.facts.place, piece, row, text, definitions),
            signals=self._found.scorer.parts(ranked),
            terms=self._found.scorer.terms_in(frozenset(words.terms(text))),
            also=self._other_paths(ranked, others),
            optimized=done,
            reranked=ranked.reranked,
            place=self._place(piece, row, members, chunking),
            numbers=self._numbers_of(piece, members, chunking) if row.place else (),
            definitions=definitions,
            members=self._members(chunking, row, piece),
        )

    def _members(self, chunking: int, row: ChunkRow, piece: Piece) -> tuple[Member, ...]:
        """Return what a class of a hit defines outside of the hit's lines; empty for all else."""
        if row.kind not in CLASSES or not row.definitions:
            return ()
        name = row.definitions[0].name
        inside = f"{row.parent}.{name}" if row.parent else name
        if chunking not in self._chunks:
            self._chunks[chunking] = list(self._store.chunks_of(chunking).values())
        return tuple(
            Member(each.name, each.kind, each.line, one.start_line, one.end_line)
            for one in self._chunks[chunking]
            if one.parent == inside and one.start_line > piece.end_line
            for each in one.definitions
            if each.name in one.symbol.split()
        )

    def _line(
        self,
        place: int,
        piece: Piece,
        row: ChunkRow,
        text: str,
        definitions: Sequence[Definition],
    ) -> int:
        """Return the line of a hit to land on: that of a frame of a stack trace before all else."""
        for at in self._places.get(place, ()):
            if piece.start_line <= at <= piece.end_line:
                return at
        lines = lines_of(text, piece.end_line - piece.start_line + 1)
        known = [(each.name, each.line - piece.start_line) for each in definitions]
        if not known:
            names = [row.symbol] if row.kind == "section" and row.symbol else row.symbol.split()
            found = ((name, definition_line(name, lines, row.kind)) for name in names)
            known = [(name, at) for name, at in found if at is not None]
        at = best_line(self._found.terms, self._found.weights, Landing(lines, known))
        return min(piece.start_line + at, piece.end_line)

    @cached_property
    def _places(self) -> Mapping[int, Sequence[int]]:
        """Lines that the query names, by file: of the frames of a trace the innermost first."""
        found: dict[int, list[int]] = {}
        for frame in self._found.terms.frames:
            for place in self._tree.paths_ending(frame.path):
                found.setdefault(place, []).append(frame.line)
        return found

    def _place(
        self, piece: Piece, row: ChunkRow, members: Sequence[ChunkRow], chunking: int
    ) -> str:
        """Return where a person finds a hit of a document; of joined chunks from the first to the
        last.
        """
        if not row.place and row.kind != IMAGE and chunking in self._texts.numbers:
            return chunk.share_of(piece.start, piece.end, len(self._texts[chunking]))
        if not row.place or len(piece.members) == 1:
            return row.place
        return chunk.joined_places(one.place for one in members)

    def _numbers_of(
        self, piece: Piece, members: Sequence[ChunkRow], chunking: int
    ) -> tuple[int, ...]:
        """Return the row or page of each line of a hit; empty if they are on one, or it is not
        known.
        """
        found = [0] * (piece.end_line - piece.start_line + 1)
        for row in members:
            first = chunk.first_of(row.place)
            numbers = chunk.numbers_of(self._texts.numbers[chunking], row.start_line)
            at = row.start_line - piece.start_line
            found[at : at + row.end_line - row.start_line + 1] = numbers or [first] * (
                row.end_line - row.start_line + 1
            )
        return tuple(found) if len({*found, 0}) > 2 else ()

    def _other_paths(self, ranked: Ranked, others: Sequence[int]) -> tuple[str, ...]:
        """Return the paths of other places; versions of a path in a union are no others."""
        paths = dict.fromkeys(map(self._path, others))
        paths.pop(self._path(ranked.facts.place), None)
        return tuple(paths)

    def _path(self, place: int) -> str:
        return self._tree.path(place)
