"""The order of a search: which tree, both arms, the ranking, the optimisation, the text of what is shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

from ragit import chunk, globs, rank, words
from ragit.config import Config
from ragit.embed.quantize import quantize_query
from ragit.errors import ConfigError, EmbedderUnavailable, NotIndexed
from ragit.git import Repo
from ragit.index import Composed, Indexer
from ragit.rank import Candidate, Piece, QueryTerms
from ragit.search.ask import check
from ragit.search.gather import Gathered, Vectors, View, gather
from ragit.store import ORDINAL_BITS, ChunkRow, Snapshot, Store
from ragit.types import Answer, Hit, Optimized, Query, Target

OVERFETCH = 3
"""The seed's factor: the optimiser chooses among this many times top_k."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in its order, with the parts of its score."""

    candidate: Candidate
    score: float
    parts: Mapping[str, float]


class Searcher:
    """Answers queries about the trees of one repository."""

    def __init__(self, repo: Repo, config: Config, indexer: Indexer) -> None:
        self._repo = repo
        self._config = config
        self._indexer = indexer
        retrieval = config.retrieval
        self._weights = rank.signal_weights(dict(retrieval.signals))

    @staticmethod
    def check(query: Query) -> None:
        """Raise ConfigError for an option of a query that has no meaning."""
        check(query)

    def search(self, query: Query, target: Target, on_index: Callable[[int], None] | None = None) -> Answer:
        """The hits in a tree. `on_index` is told how many files are missing before they are indexed."""
        started = time.perf_counter()
        with ExitStack() as stack:
            store, composed = self._open(stack, self._indexer, target)
            refused = ""
            if composed.missing and self._may_index(query, target, len(composed.missing)):
                stack.close()
                indexer, refused = self._refresh(query, target, len(composed.missing), on_index)
                store, composed = self._open(stack, indexer, target)
            if store is None and composed.missing:
                raise NotIndexed("nothing is indexed in this repository", "Type: ragit index")
            searchable = store if composed.snapshot.paths else None
            hits, degraded = self._hits(searchable, query, composed.snapshot, refused) if searchable else ([], "")
        took = (time.perf_counter() - started) * 1000
        missing = len(composed.missing)
        return Answer(query.text, target.name, target.tree, missing == 0, missing, degraded, took, tuple(hits))

    @staticmethod
    def _open(stack: ExitStack, indexer: Indexer, target: Target) -> tuple[Store | None, Composed]:
        """A reader that sees one state of the store until the stack is closed, and the tree in that state."""
        store = indexer.open_store()
        if store:
            stack.enter_context(store)
            stack.enter_context(store.reading())
        return store, indexer.composer.compose(store, target.tree, near=target.near, absent=indexer.absent)

    def _may_index(self, query: Query, target: Target, missing: int) -> bool:
        policy = self._config.freshness.policy
        if policy == "refuse" and query.index:
            raise NotIndexed(
                f"{missing} files of {target.name} are not indexed, and freshness.policy is refuse",
                "Type: ragit index" + (f" {target.name}" if query.ref else ""),
            )
        return query.index and policy == "refresh"

    def _refresh(
        self, query: Query, target: Target, missing: int, on_index: Callable[[int], None] | None
    ) -> tuple[Indexer, str]:
        """Index what is missing; who did it, and why it has no vectors if it could only read words."""
        if on_index:
            on_index(missing)
        try:
            self._indexer.complete([target.tree], near=target.near)
        except EmbedderUnavailable as error:
            if query.mode == "vector":
                raise
            words_only = self._indexer.without_vectors()
            words_only.complete([target.tree], near=target.near)
            return words_only, error.message
        return self._indexer, ""

    def _hits(self, store: Store, query: Query, snapshot: Snapshot, refused: str) -> tuple[list[Hit], str]:
        terms = rank.take_apart(query.text)
        mode = self._mode(query)
        vectors, degraded = (None, refused) if refused or mode == "keyword" else self._vectors(store, query, mode)
        view = View(snapshot, self._filter(store, query))
        gathered = gather(store, view, terms, vectors, self._config.retrieval.hybrid_search.keyword_scoring)
        if mode == "hybrid" and vectors and not gathered.keyword_hits:
            degraded = "no file holds a word of the query: ranked by meaning alone"
        ranked = self._ranked(gathered, query, terms, mode, vectors is not None)
        return self._shown(store, query, ranked, gathered.rows, view), degraded

    def _mode(self, query: Query) -> str:
        enabled = self._config.retrieval.hybrid_search.enabled
        return "vector" if query.mode == "hybrid" and not enabled else query.mode

    def _vectors(self, store: Store, query: Query, mode: str) -> tuple[Vectors | None, str]:
        """The query's vector; or None, and why there is none where one was to be expected."""
        embedder = self._indexer.embedder
        if embedder is None:
            if mode == "vector":
                raise ConfigError("there are no vectors: embedding.provider is none", "Search with --mode keyword")
            return None, ""
        if not store.has_vectors:
            return None, "this platform has no sqlite-vec: vectors took no part"
        number = store.embedder(embedder.fingerprint)
        if number is None:
            return None, "no vectors are stored for the configured embedder"
        prefix = self._config.query_prefix if query.query_prefix is None else query.query_prefix
        try:
            vector = embedder.embed_query(prefix + query.text[: rank.QUERY_BYTES])
        except EmbedderUnavailable as error:
            if mode == "vector":
                raise
            return None, error.message
        if not any(vector):
            return None, "the query holds no word: vectors took no part"
        return Vectors(quantize_query(vector), number), ""

    def _filter(self, store: Store, query: Query) -> Callable[[int, bytes], bool] | None:
        by_path = globs.matcher(query.paths)
        if not query.languages:
            return None if by_path is None else lambda _, path: by_path(path)
        wanted = {chunk.require(name.lower()).name for name in query.languages}
        languages = store.languages()
        return lambda chunking, path: languages[chunking] in wanted and (by_path is None or by_path(path))

    def _ranked(
        self, gathered: Gathered, query: Query, terms: QueryTerms, mode: str, has_vectors: bool
    ) -> list[Ranked]:
        hybrid = self._config.retrieval.hybrid_search
        weight = hybrid.keyword_weight if query.keyword_weight is None else query.keyword_weight
        signals: Mapping[str, float] = self._weights
        if mode != "hybrid" or not has_vectors:
            weight = 0.0 if mode == "vector" else 1.0
        if mode != "hybrid":
            signals = {}
        scored = (Ranked(c, *rank.score(c, terms, weight, signals)) for c in gathered.candidates)
        least = self._config.retrieval.min_score if query.min_score is None else query.min_score
        relevant = [r for r in scored if r.score > 0 and r.score >= least and _is_found(r.candidate)]
        relevant.sort(key=lambda r: (-r.score, r.candidate.place, r.candidate.chunk))
        return relevant

    def _shown(
        self, store: Store, query: Query, ranked: Sequence[Ranked], rows: Mapping[int, ChunkRow], view: View
    ) -> list[Hit]:
        settings = self._config.retrieval
        top_k = settings.top_k if query.top_k is None else query.top_k
        wants = settings.context_optimization.enabled if query.optimize is None else query.optimize
        pool = _one_path_each(ranked, top_k * OVERFETCH if wants else top_k)
        texts = _Texts(self._repo, store, {r.candidate.chunk >> ORDINAL_BITS for r, _ in pool})
        also = {r.candidate.place: [view.snapshot.paths[p] for p in others] for r, others in pool}
        first = [r for r, _ in pool]
        if not wants:
            plain = [(_piece(r, rows[r.candidate.chunk], frozenset(), at), None) for at, r in enumerate(first)]
            return [_hit(piece, done, first, texts, also) for piece, done in plain]
        pieces = []
        for at, r in enumerate(first):
            row = rows[r.candidate.chunk]
            text = texts.text(r.candidate.chunk, row.start, row.end)
            pieces.append(_piece(r, row, frozenset(words.terms(text)), at))
        chosen = rank.optimize(pieces, top_k, self._options())
        return [_hit(piece, done, first, texts, also) for piece, done in chosen]

    def _options(self) -> rank.Options:
        knobs = self._config.retrieval.context_optimization
        return rank.Options(
            knobs.merge_adjacent, knobs.adjacent_gap_threshold, knobs.similarity_threshold, knobs.max_per_file
        )


def _is_found(candidate: Candidate) -> bool:
    """A chunk that neither arm found is not a hit, whatever its path is called."""
    return candidate.cosine > 0 or bool(candidate.keyword.terms) or candidate.file.path_share > 0


def _one_path_each(ranked: Iterable[Ranked], limit: int) -> list[tuple[Ranked, list[int]]]:
    """The best `limit`, each blob under its best path only, with the places of its other paths."""
    chosen: list[tuple[Ranked, list[int]]] = []
    at: dict[int, list[int]] = {}
    for r in ranked:
        twin = at.get(r.candidate.chunk)
        if twin is not None:
            twin.append(r.candidate.place)
        elif len(chosen) < limit:
            at[r.candidate.chunk] = []
            chosen.append((r, at[r.candidate.chunk]))
    return chosen


class _Texts:
    """The text of chunks, read back from their blobs."""

    def __init__(self, repo: Repo, store: Store, chunkings: set[int]) -> None:
        self.blobs = store.blobs(sorted(chunkings))
        with closing(repo.objects()) as objects:
            data = dict(objects.read_many([oid for oid, _ in self.blobs.values()]))
        self._texts = {c: chunk.text_of(data.get(oid) or b"") or b"" for c, (oid, _) in self.blobs.items()}

    def text(self, number: int, start: int, end: int) -> str:
        return self._texts[number >> ORDINAL_BITS][start:end].decode("utf-8", "replace")


def _piece(ranked: Ranked, row: ChunkRow, terms: frozenset[str], at: int) -> Piece:
    return Piece(
        file=ranked.candidate.place,
        id=f"{ranked.candidate.place}:{row.start_line}-{row.end_line}:{row.start}",
        start_line=row.start_line,
        end_line=row.end_line,
        start=row.start,
        end=row.end,
        score=ranked.score,
        words=terms,
        members=(at,),
    )


def _hit(
    piece: Piece, done: Optimized | None, ranked: Sequence[Ranked], texts: _Texts, also: Mapping[int, list[bytes]]
) -> Hit:
    best = ranked[piece.members[0]]
    candidate = best.candidate
    oid, language = texts.blobs[candidate.chunk >> ORDINAL_BITS]
    held = dict.fromkeys(term for member in piece.members for term in ranked[member].candidate.keyword.terms)
    return Hit(
        path=candidate.file.path,
        start_line=piece.start_line,
        end_line=piece.end_line,
        score=best.score,
        language=language,
        kind=candidate.kind,
        symbol=candidate.symbol,
        parent=candidate.parent,
        text=texts.text(candidate.chunk, piece.start, piece.end),
        blob=oid,
        signals=best.parts,
        terms=tuple(held),
        also=tuple(path.decode("utf-8", "surrogateescape") for path in also[candidate.place]),
        optimized=done,
    )
