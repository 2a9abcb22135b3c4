"""Facts to an order: the score of every chunk of every candidate file, and its parts for whoever asks why. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from ragit.rank.signals import CHUNK_SIGNALS, FILE_SIGNALS, ChunkFacts, FileFacts, Names, QueryFacts
from ragit.types import Reranked

NamesOf = Callable[[Sequence[int]], Mapping[int, Names]]
"""Looks up what chunks are called; asked only for those that define a word of the query and may be among the best."""


class Mix(NamedTuple):
    """How the arms and the signals are weighed.

    The score is `((1 - keyword) * v + keyword * k + sum of weight * signal) / (1 + sum of positive weights)`, where v
    is a chunk's cosine and k its keyword score as a share of the best one's: without signals the plain mix of both
    arms, and with them still at most 1.
    """

    keyword: float
    signals: Mapping[str, float]
    repeat: float = 0.0
    """What the score changes by, divided as above, for each better chunk of the same file: below 0, so that the first
    hits are distinct places. It is a matter of the list, and therefore counts with one arm and no signals too."""

    @property
    def whole(self) -> float:
        """What the best imaginable chunk adds up to."""
        return 1.0 + sum(weight for weight in self.signals.values() if weight > 0)


class Ranked(NamedTuple):
    """A chunk in its order."""

    facts: ChunkFacts
    score: float
    better: int = 0
    """Chunks of the same file before it, at most MOST_REPEATS."""
    reranked: Reranked | None = None


class Explains(Protocol):
    """Says what the score of a chunk that it ranked is made of."""

    def parts(self, ranked: Ranked, /) -> dict[str, float]:
        """What a chunk's score is the sum of, by name."""

    def terms_in(self, held: frozenset[str], /) -> tuple[str, ...]:
        """The query's terms among some words, in the query's order."""


MOST_REPEATS = 3

_FAINT = 0.001


def _seen(score: float) -> float:
    """The score, kept above 0 in the same order: a demotion lowers what an arm found and never hides it."""
    return score if score >= _FAINT else _FAINT * _FAINT / (2 * _FAINT - score)


class Scorer:
    """Scores the chunks of one query's candidates."""

    def __init__(
        self, query: QueryFacts, mix: Mix, files: Mapping[int, FileFacts], names_of: NamesOf
    ) -> None:
        self._query = query
        self._mix = mix
        self._whole = mix.whole
        self._files = files
        self._names_of = names_of
        self._names: Mapping[int, Names] = {}
        self._chunk_signals = [
            (CHUNK_SIGNALS[n].of, weight)
            for n, weight in mix.signals.items()
            if n in CHUNK_SIGNALS and (query.terms.symbols or not CHUNK_SIGNALS[n].for_symbols)
        ]
        self._file_sums = {
            place: sum(self._file_parts(file).values()) for place, file in files.items()
        }

    def order(self, chunks: Iterable[ChunkFacts], least: float, wanted: int = 0) -> list[Ranked]:
        """Chunks that an arm found and that score at least `least`, best first; equals by path, then by line.

        If `wanted` is given, chunks that cannot be among that many best are left out.
        """
        found = [(self._plain(facts), facts) for facts in chunks if self._is_found(facts)]
        able = self._able(found, wanted) if wanted else found
        self._names = self._names_of([facts.chunk for _, facts in able if facts.keyword.names])
        scored = [Ranked(facts, self._score(plain, facts)) for plain, facts in able]
        relevant = [ranked for ranked in scored if ranked.score > 0 and ranked.score >= least]
        relevant.sort(key=_rank)
        return sorted(self._spread(relevant), key=_rank) if self._mix.repeat else relevant

    def _able(
        self, found: Sequence[tuple[float, ChunkFacts]], wanted: int
    ) -> list[tuple[float, ChunkFacts]]:
        """Those that can still be among the `wanted` best when their own signals are added.

        The best chunk of a file is never lowered for being repeated: `wanted` files stand for as many hits.
        """
        best: dict[int, tuple[float, int]] = {}
        for plain, facts in found:
            if facts.place not in best or plain > best[facts.place][0]:
                best[facts.place] = (plain, facts.chunk)
        # The same blob at several paths is one hit: its paths share their best chunk.
        blobs = {chunk: plain for plain, chunk in sorted(best.values())}
        if len(blobs) <= wanted:
            return list(found)
        weights = [weight for _, weight in self._chunk_signals]
        bound = sorted(blobs.values(), reverse=True)[wanted - 1] + sum(
            min(weight, 0.0) for weight in weights
        )
        reach = sum(max(weight, 0.0) for weight in weights)
        return [(plain, facts) for plain, facts in found if plain + reach >= bound]

    def _spread(self, ordered: Iterable[Ranked]) -> Iterator[Ranked]:
        """The same with what a repeated file costs."""
        step = self._mix.repeat / self._whole
        seen: Counter[int] = Counter()
        for ranked in ordered:
            better = min(seen[ranked.facts.place], MOST_REPEATS)
            seen[ranked.facts.place] += 1
            yield (
                Ranked(ranked.facts, _seen(ranked.score + better * step), better)
                if better
                else ranked
            )

    def parts(self, ranked: Ranked) -> dict[str, float]:
        """What a chunk's score is the sum of, by name; parts that are 0 are left out."""
        facts = ranked.facts
        kw = self._mix.keyword
        names = self._names.get(facts.chunk)
        weights = self._mix.signals
        found = {"vector": (1 - kw) * facts.cosine, "keyword": kw * facts.share}
        found |= {
            n: weights[n] * s.of(facts, names, self._query)
            for n, s in CHUNK_SIGNALS.items()
            if n in weights
        }
        found |= self._file_parts(self._files[facts.place])
        found["repeat"] = self._mix.repeat * ranked.better
        parts = {name: value / self._whole for name, value in found.items() if value}
        if ranked.reranked and ranked.reranked.change:
            parts["rerank"] = ranked.reranked.change
        return parts

    def terms_in(self, held: frozenset[str]) -> tuple[str, ...]:
        """The query's terms among some words, in the query's order."""
        return tuple(
            term
            for term in (*self._query.terms.weights, *self._query.terms.compounds)
            if term in held
        )

    def _plain(self, facts: ChunkFacts) -> float:
        """The sum without the chunk's own signals, which need its names."""
        kw = self._mix.keyword
        return (1 - kw) * facts.cosine + kw * facts.share + self._file_sums[facts.place]

    def _score(self, score: float, facts: ChunkFacts) -> float:
        names = self._names.get(facts.chunk)
        for signal, weight in self._chunk_signals:
            score += weight * signal(facts, names, self._query)
        return _seen(score / self._whole)

    def _file_parts(self, file: FileFacts) -> dict[str, float]:
        weights = self._mix.signals
        return {
            n: weights[n] * s.of(file, self._query) for n, s in FILE_SIGNALS.items() if n in weights
        }

    def _is_found(self, facts: ChunkFacts) -> bool:
        """A chunk that neither arm found is not a hit, whatever its path is called."""
        if not self._mix.signals:
            return (self._mix.keyword < 1 and facts.cosine > 0) or (
                self._mix.keyword > 0 and facts.share > 0
            )
        return facts.cosine > 0 or facts.share > 0 or self._files[facts.place].path_share > 0


def _rank(ranked: Ranked) -> tuple[float, int, int]:
    return -ranked.score, ranked.facts.place, ranked.facts.chunk
