"""Order the chunks of the candidate files by score, with the parts of each score. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from ragit.rank.contenders import (
    FAINT,
    MOST_REPEATS,
    SUBJECT_FROM,
    Contender,
    Details,
    Sums,
)
from ragit.rank.paths import subject_of, twin_of
from ragit.rank.signals import CHUNK_SIGNALS, EXACT, TEST, ChunkFacts
from ragit.records import NamedTuple
from ragit.types import Reranked


class Ranked(NamedTuple):
    """A chunk with its score."""

    facts: ChunkFacts
    score: float
    better: float = 0
    """Better chunks of the same file, at most MOST_REPEATS; those of a file's twin count half."""
    reranked: Reranked | None = None
    lowered: float = 0
    """What the score lost so that a test comes after what it tests."""


class Explains(Protocol):
    """A ranking that can explain its scores."""

    def parts(self, ranked: Ranked, /) -> dict[str, float]:
        """Return the parts of a chunk's score by name."""

    def terms_in(self, held: frozenset[str], /) -> tuple[str, ...]:
        """Return the query's terms among the words, in the query's order."""


TWIN_REPEAT = 0.4
"""Weight of a better hit in a twin: a file of the same name for another platform or language."""

KEPT_BY_EVIDENCE = 0.7
"""Share of the cost of a repeat that evidence 1 removes."""

WORD_FOR_WORD, OF_SUBJECT = 0.9, 0.8
"""Evidence of a test that contains the query word for word, and the share of it from which the file
that it tests contains the same.
"""


def _positive(score: float) -> float:
    """Return the score kept above 0, in the same order: a demotion lowers what an arm found but
    never hides it.
    """
    return score if score >= FAINT else FAINT * FAINT / (2 * FAINT - score)


class Scorer(Sums):
    """Scores the chunks of one query's candidates."""

    def order(
        self, contenders: Iterable[Contender], details: Details, least: float
    ) -> list[Ranked]:
        """Return the contenders that score at least `least`, best first; ties by path, then
        line.
        """
        self._details = details
        scored = [Ranked(one.facts, self._score(*one)) for one in contenders]
        scored.sort(key=_rank)
        if self._tests:
            scored = sorted(self._subjects_first(scored), key=_rank)
        if self._mix.repeat:
            scored = sorted(self._spread(scored), key=_rank)
        return [ranked for ranked in scored if ranked.score > 0 and ranked.score >= least]

    def _subjects_first(self, ordered: Sequence[Ranked]) -> Iterator[Ranked]:
        """Yield the same chunks, those of a test below the best one of what it tests, if that is
        near enough in score: a test says in one sentence what the code does in many.
        """
        best: dict[str, Ranked] = {}
        for ranked in ordered:
            if ranked.facts.place not in self._tests:
                best.setdefault(subject_of(self._files[ranked.facts.place].path), ranked)
        for ranked in ordered:
            file = self._files[ranked.facts.place]
            limit = 0.0
            if ranked.facts.place in self._tests and not file.mentioned:
                subject = best.get(subject_of(file.path))
                if subject and not self._is_more_exact(ranked, subject):
                    limit = subject.score
            if SUBJECT_FROM * ranked.score <= limit < ranked.score:
                lower = limit * (1 - FAINT * (1 + ranked.score - limit))
                ranked = ranked._replace(score=lower, lowered=ranked.score - lower)
            yield ranked

    def _is_more_exact(self, ranked: Ranked, other: Ranked) -> bool:
        """Return whether a chunk contains the query word for word, and another does not."""
        value = self._evidence(ranked.facts)
        return value >= WORD_FOR_WORD and self._evidence(other.facts) < OF_SUBJECT * value

    def _spread(self, ordered: Iterable[Ranked]) -> Iterator[Ranked]:
        """Yield the same chunks with the cost of repeats."""
        step = self._mix.repeat / self._whole
        seen: Counter[str] = Counter()
        twins: Counter[str] = Counter()
        for ranked in ordered:
            facts = ranked.facts
            path = self._files[facts.place].path
            twin = twin_of(path)
            others = TWIN_REPEAT * (twins[twin] - seen[path])
            better = min(seen[path] + others, MOST_REPEATS)
            seen[path] += 1
            twins[twin] += 1
            kept = 1 - KEPT_BY_EVIDENCE * self._evidence(facts)
            if better:
                better *= kept
                score = _positive(ranked.score + better * step)
                ranked = ranked._replace(score=score, better=better)
            yield ranked

    def parts(self, ranked: Ranked) -> dict[str, float]:
        """Return the nonzero parts of a chunk's score by name."""
        facts = ranked.facts
        kw = self._mix.keyword
        names = self._details.names.get(facts.chunk)
        weights = self._mix.signals
        vector = self._of_vector(facts.cosine, facts.brevity)
        found = {"vector": vector, "keyword": kw * facts.share}
        found |= {
            n: weights[n] * s.of(facts, names, self._query)
            for n, s in CHUNK_SIGNALS.items()
            if n in weights and (self._query.terms.symbols or not s.for_symbols)
        }
        found |= self._file_parts(self._files[facts.place])
        found["repeat"] = self._mix.repeat * ranked.better
        parts = {name: value / self._whole for name, value in found.items() if value}
        if ranked.lowered:
            parts[TEST] = parts.get(TEST, 0.0) - ranked.lowered
        exact = self._mix.exact * self._evidence(facts)
        if exact:
            parts[EXACT] = exact * (1 - _positive(self._sum(facts, self._plain(facts))))
        if ranked.reranked and ranked.reranked.change:
            parts["rerank"] = ranked.reranked.change
        return parts

    def terms_in(self, held: frozenset[str]) -> tuple[str, ...]:
        """Return the query's terms among the words, in the query's order."""
        return tuple(
            term
            for term in (*self._query.terms.weights, *self._query.terms.compounds)
            if term in held
        )

    def _plain(self, facts: ChunkFacts) -> float:
        """Return the sum without the chunk's own signals, which need its names."""
        vector = self._of_vector(facts.cosine, facts.brevity)
        return vector + self._mix.keyword * facts.share + self._file_sums[facts.place]

    def _of_vector(self, cosine: float, brief: float) -> float:
        """Return the part of a chunk's cosine; all of it with one arm only."""
        return self._vector * cosine * (1 - self._cut * brief)

    def _sum(self, facts: ChunkFacts, plain: float) -> float:
        """Return the sum with the chunk's own signals: 0 where nothing is known of its names."""
        score, names = plain, self._details.names.get(facts.chunk)
        if names is not None or facts.alike:
            for _, signal, weight in self._chunk_signals:
                score += weight * signal(facts, names, self._query)
        return score / self._whole

    def _score(self, facts: ChunkFacts, plain: float) -> float:
        score = _positive(self._sum(facts, plain))
        return score + self._mix.exact * self._evidence(facts) * (1 - score)

    def _evidence(self, facts: ChunkFacts) -> float:
        return self._details.exact.get((facts.place, facts.chunk), 0.0)


def _rank(ranked: Ranked) -> tuple[float, int, int]:
    return -ranked.score, ranked.facts.place, ranked.facts.chunk
