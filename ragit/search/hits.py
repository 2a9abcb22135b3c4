"""Build hits from ranked chunks: rows, text read back from the blobs, the line, the reasons for the
rank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ragit import chunk, words
from ragit.index import IMAGE
from ragit.rank import Piece, Ranked
from ragit.records import NamedTuple
from ragit.search.lines import Landing, best_line, definition_line
from ragit.store import ORDINAL_BITS, ChunkRow, Store
from ragit.types import CLASSES, Definition, Hit, Member, Optimized

if TYPE_CHECKING:
    from ragit.rank import Frame
    from ragit.search.filtered_tree import FilteredTree
    from ragit.search.query_ranker import RankedQuery
    from ragit.search.texts import Texts

_SHOWN_DIGITS = 10
"""Number of a blob's digits shown to name a version."""

Pool = Sequence[tuple[Ranked, list[int]]]
"""Chunks in order of rank, each with the indices of the other paths of its blob."""


def one_path_each(
    ranked: Iterable[Ranked], limit: int, texts: Mapping[int, bytes] | None = None
) -> Pool:
    """Return the best `limit` chunks, each blob at its best path only; with hashes of the chunks'
    `texts`, each text at its best place only.
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
    """Return the lines of a chunk's text, without line ends: `count` lines unless an over-long one
    was cut.
    """
    lines = re.split(r"\r\n|\n|\r", text)
    return lines if len(lines) == count else text.split("\n")


class Document(NamedTuple):
    """A candidate as given to a model."""

    path: str
    name: str
    description: str
    """Text by a language model; empty if there is none."""
    text: str


class HitBuilder:
    """Builds hits from a pool of ranked chunks."""

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
        """All chunks of the files with a class among the hits."""
        self._rows = store.chunks(ranked.facts.chunk for ranked, _ in self.pool)
        texts.load(ranked.facts.chunk >> ORDINAL_BITS for ranked, _ in self.pool)

    def documents(
        self,
        pool: Pool,
        described: Callable[[list[bytes]], Mapping[bytes, str]],
        cut: Callable[[bytes, int, int], str],
    ) -> list[Document]:
        """Return the documents of a pool for a model.

        `described` gives descriptions by the hash of the embedded text; `cut` gives a range of a
        file's text that a model may read.
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
        """Return the pool as pieces for the optimiser, in order."""
        files = Counter(self._tree.first_version(ranked.facts.place) for ranked, _ in pool)
        return [self._piece(ranked, at, files) for at, (ranked, _) in enumerate(pool)]

    def hits(self, pool: Pool, chosen: Iterable[tuple[Piece, Optimized | None]]) -> list[Hit]:
        """Return the chosen pieces of a pool as hits."""
        return [self._hit(pool, piece, done) for piece, done in chosen]

    def _row(self, ranked: Ranked) -> ChunkRow:
        return self._rows[ranked.facts.chunk]

    def _text(self, ranked: Ranked, start: int, end: int) -> str:
        return self._texts.part(ranked.facts.chunk >> ORDINAL_BITS, start, end)

    def _piece(self, ranked: Ranked, at: int, files: Mapping[int, int]) -> Piece:
        """Return a chunk as a piece for the optimiser, which compares words within a file only.
        `files` are numbers of chunks by file.
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
        """Return an id of a chunk: path, lines, the offset within a single line, and in a union of
        trees the file's version.
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
        """Return the members that a class defines outside of the hit's lines; empty for other
        kinds.
        """
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
        """Return the line of a hit to jump to: first of all a line of a stack trace's frame, or the
        definition of its function if the line is elsewhere by now.
        """
        frames = self._places.get(place, ())
        for frame in frames:
            if piece.start_line <= frame.line <= piece.end_line:
                return frame.line
        for frame in frames:
            for each in definitions:
                if each.name == frame.function and piece.start_line <= each.line <= piece.end_line:
                    return each.line
        lines = lines_of(text, piece.end_line - piece.start_line + 1)
        known = [(each.name, each.line - piece.start_line) for each in definitions]
        if not known:
            names = [row.symbol] if row.kind == "section" and row.symbol else row.symbol.split()
            found = ((name, definition_line(name, lines, row.kind)) for name in names)
            known = [(name, at) for name, at in found if at is not None]
        at = best_line(self._found.terms, self._found.weights, Landing(lines, known))
        return min(piece.start_line + at, piece.end_line)

    @cached_property
    def _places(self) -> Mapping[int, Sequence[Frame]]:
        """Places that the query names, by file; for a trace the innermost frame first."""
        found: dict[int, list[Frame]] = {}
        if not self._found.terms.frames:
            return found
        from ragit.search.frames import files_of  # few queries have frames

        for frame in self._found.terms.frames:
            for place in files_of(self._tree, frame):
                found.setdefault(place, []).append(frame)
        return found

    def _place(
        self, piece: Piece, row: ChunkRow, members: Sequence[ChunkRow], chunking: int
    ) -> str:
        """Return the place in a document for a reader; for joined chunks from first to last."""
        if not row.place and row.kind != IMAGE and chunking in self._texts.numbers:
            return chunk.share_of(piece.start, piece.end, len(self._texts[chunking]))
        if not row.place or len(piece.members) == 1:
            return row.place
        return chunk.joined_places(one.place for one in members)

    def _numbers_of(
        self, piece: Piece, members: Sequence[ChunkRow], chunking: int
    ) -> tuple[int, ...]:
        """Return the row or page of each line of a hit; empty if all lines share one, or it is
        unknown.
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
        """Return the paths of the other places; versions of the same path in a union do not
        count.
        """
        paths = dict.fromkeys(map(self._path, others))
        paths.pop(self._path(ranked.facts.place), None)
        return tuple(paths)

    def _path(self, place: int) -> str:
        return self._tree.path(place)
