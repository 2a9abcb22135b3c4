"""Order the chunks of the candidate files by score, with the parts of each score. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Protocol

from ragit.rank.paths import subject_of, twin_of
from ragit.rank.signals import (
    ALIKE,
    CHUNK_SIGNALS,
    EXACT,
    FEW_WORDS,
    FILE_SIGNALS,
    REPEAT,
    TEST,
    ChunkColumns,
    ChunkFacts,
    FileFacts,
    Names,
    QueryFacts,
)
from ragit.records import NamedTuple
from ragit.types import Reranked


class Mix(NamedTuple):
    """The weights of the arms and of the signals.

    The sum is `((1 - keyword) * v + keyword * k + sum of weight * signal) / (1 + sum of positive
    weights)`, where v is a chunk's cosine and k its keyword score as a share of the best one's:
    without signals the plain mix of both arms, and with them still at most 1. A chunk that contains
    the query word for word gets `exact` of the distance to 1.
    """

    keyword: float
    signals: Mapping[str, float]
    repeat: float = 0.0
    """Change of the score, divided as above, for each better chunk of the same file: negative, so
    that the first hits are distinct places. It depends on the list, not the chunk, and so also
    counts with one arm and no signals.
    """
    exact: float = 0.0
    """Share of the distance to 1 that a chunk of evidence 1 gains."""

    @property
    def whole(self) -> float:
        """The sum for the best possible chunk."""
        return 1.0 + sum(weight for weight in self.signals.values() if weight > 0)


def mix_of(keyword: float, weights: Mapping[str, float], *, one_arm: bool = False) -> Mix:
    """Return the mix for the weights of all signals; with one arm, only for `exact` and
    `repeat`.
    """
    signals = {} if one_arm else {n: w for n, w in weights.items() if n not in (EXACT, REPEAT)}
    return Mix(keyword, signals, weights.get(REPEAT, 0.0), weights.get(EXACT, 0.0))


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


class Details(NamedTuple):
    """Facts that are looked up for contenders only."""

    names: Mapping[int, Names] = MappingProxyType({})
    """Names by the chunk's number."""
    exact: Mapping[tuple[int, int], float] = MappingProxyType({})
    """How far a chunk contains the query word for word, from 0 to 1, by file index and chunk
    number; see `exact.evidence`.
    """


class Contender(NamedTuple):
    """A chunk that may be among the requested hits."""

    facts: ChunkFacts
    plain: float
    """The sum without the chunk's own signals."""

    def with_alike(self, value: float) -> Contender:
        """Return the same with the nearness of its name to the query."""
        return self._replace(facts=self.facts._replace(alike=value)) if value else self


class _Found(NamedTuple):
    """The chunks of a file that contend."""

    chunks: ChunkColumns
    plain: Sequence[float]
    """The sum of each chunk without its own signals, which need its names."""
    found: Sequence[int]
    """Indices of the chunks that an arm found."""

    def contenders(self, listed: Iterable[int]) -> Iterator[Contender]:
        """Yield chunks by index."""
        for at in listed:
            yield Contender(self.chunks.facts(at), self.plain[at])


MOST_REPEATS = 3

TWIN_REPEAT = 0.4
"""Weight of a better hit in a twin: a file of the same name for another platform or language."""

KEPT_BY_EVIDENCE = 0.7
"""Share of the cost of a repeat that evidence 1 removes."""

SUBJECT_FROM = 0.75
"""Share of a test's score from which the file that it tests comes before it."""

OF_BREVITY = 0.3
"""Share of its cosine that a chunk without words would lose: the vector of a getter is little more
than its name, and near to any question with a word of it.
"""

_FAINT = 0.001

_ROUNDING = 1e-9
"""More than the rounding error of a sum: a sum that near to a bound reaches it."""


def _positive(score: float) -> float:
    """Return the score kept above 0, in the same order: a demotion lowers what an arm found but
    never hides it.
    """
    return score if score >= _FAINT else _FAINT * _FAINT / (2 * _FAINT - score)


class Scorer:
    """Scores the chunks of one query's candidates."""

    def __init__(self, query: QueryFacts, mix: Mix, files: Mapping[int, FileFacts]) -> None:
        self._query = query
        self._mix = mix
        self._whole = mix.whole
        self._vector = 1 - mix.keyword
        self._cut = OF_BREVITY if mix.signals else 0.0
        self._files = files
        self._details = Details()
        self._chunk_signals = [
            (n, CHUNK_SIGNALS[n].of, weight)
            for n, weight in mix.signals.items()
            if weight
            and n in CHUNK_SIGNALS
            and (query.terms.symbols or not CHUNK_SIGNALS[n].for_symbols)
        ]
        self._file_sums = {
            place: sum(self._file_parts(file).values()) for place, file in files.items()
        }

    def contenders(
        self,
        files: Iterable[ChunkColumns],
        wanted: int = 0,
        exact: Mapping[tuple[int, int], float] = MappingProxyType({}),
        compared: int = 0,
    ) -> list[Contender]:
        """Return the chunks that an arm found and that may be among the `wanted` best (0: all).

        The best chunk of a file is never lowered as a repeat: `wanted` files stand for as many
        hits. A chunk with evidence always contends, and so do the `compared` best, which `alike`
        may raise.
        """
        evident: dict[int, set[int]] = {}
        for place, number in exact:
            evident.setdefault(place, set()).add(number)
        found = [self._found(chunks, evident.get(chunks.place, frozenset())) for chunks in files]
        groups = self._twins(found)
        bound = self._bound(groups, wanted) if wanted else None
        always = {number for _, number in exact}
        if bound is not None and compared:
            always |= _best_numbers(found, compared)
        if bound is None:
            return [each for one in found for each in one.contenders(one.found)]
        least = self._least(groups, bound, evident.keys())
        kept: list[Contender] = []
        for one in found:
            kept += one.contenders(self._reaching(one, least[one.chunks.place], always))
        return kept

    def _twins(self, found: Iterable[_Found]) -> list[list[_Found]]:
        """Return the files with found chunks, grouped by twins, which lower each other."""
        groups: dict[str, list[_Found]] = {}
        for one in found:
            groups.setdefault(twin_of(self._files[one.chunks.place].path), []).append(one)
        return list(groups.values())

    def _found(self, chunks: ChunkColumns, exact: Set[int]) -> _Found:
        """Return the chunks of a file that an arm found, or that are in `exact`."""
        kw, file = self._mix.keyword, self._file_sums[chunks.place]
        vector, cut, few = self._vector, self._cut, FEW_WORDS
        rows = zip(chunks.cosines, chunks.shares, chunks.lengths, strict=True)
        plain = [  # as _plain has it, without a call for each of thousands
            vector * cosine * (1 - cut * (few / (few + words))) + kw * share + file
            for cosine, share, words in rows
        ]
        if self._mix.signals and self._is_found_by_path(chunks.place):
            return _Found(chunks, plain, range(len(plain)))
        facts = zip(chunks.cosines, chunks.shares, chunks.numbers, strict=True)
        return _Found(
            chunks,
            plain,
            [
                at
                for at, (cosine, share, number) in enumerate(facts)
                if self._is_found(cosine, share) or number in exact
            ],
        )

    def _reaching(self, one: _Found, bound: float, always: Set[int]) -> list[int]:
        """Return the chunks of a file that can reach a sum, and those that always contend."""
        reach, names, numbers = self._reach, one.chunks.names, one.chunks.numbers
        kept = []
        for at in one.found:
            plain = one.plain[at]
            best = plain + reach if names[at] else plain
            if best >= bound or numbers[at] in always:
                kept.append(at)
        return kept

    @property
    def _reach(self) -> float:
        """Return how far the signals about its names can raise a chunk, without the one that is
        found out for contenders only.
        """
        return sum(max(weight, 0.0) for name, _, weight in self._chunk_signals if name != ALIKE)

    @property
    def _lowering(self) -> float:
        """Return how far its own signals can lower a chunk, at most 0."""
        return sum(min(weight, 0.0) for *_, weight in self._chunk_signals)

    def _bound(self, groups: Iterable[Sequence[_Found]], wanted: int) -> float | None:
        """Return the sum that a chunk needs to be among the `wanted` best; None if all may be.

        The best chunk of a file and its twins is never lowered as a repeat.
        """
        best = [
            max((one.plain[at], one.chunks.numbers[at]) for one in group for at in one.found)
            for group in groups
            if any(one.found for one in group)
        ]
        # A blob at several paths is one hit: its paths share their best chunk.
        blobs = {number: plain for plain, number in sorted(best)}
        if len(blobs) <= wanted:
            return None
        return sorted(blobs.values(), reverse=True)[wanted - 1] + self._lowering

    def _least(
        self, groups: Iterable[Sequence[_Found]], bound: float, evident: Set[int]
    ) -> dict[int, float]:
        """Return for each file the sum below which a chunk cannot reach the bound, because better
        chunks of the file come first.

        Chunks that lower one that can reach it are kept, so that its score stays exact.
        """
        blobs = Counter(one.chunks.numbers[0] for group in groups for one in group if one.found)
        least: dict[int, float] = {}
        for group in groups:
            # A blob at several paths is one hit that names all of them.
            plain = any(one.found and blobs[one.chunks.numbers[0]] > 1 for one in group)
            of_group = bound
            if not plain and bound / self._whole >= _FAINT:
                has_evidence = any(one.chunks.place in evident for one in group)
                of_group = min(self._least_of(one, bound, has_evidence) for one in group)
            least.update((one.chunks.place, of_group) for one in group)
        return least

    def _least_of(self, one: _Found, bound: float, has_evidence: bool) -> float:
        """Return the same for a single file. Chunks with evidence are lowered less than others, so
        the greatest cost has to be assumed for all.
        """
        best = sorted((one.plain[at] for at in one.found), reverse=True)[:MOST_REPEATS]
        least = bound
        for repeats, plain in enumerate(best, 1):
            if repeats == MOST_REPEATS or not has_evidence:
                reached = bound - repeats * self._mix.repeat - _ROUNDING
                least = max(least, min(plain + self._lowering, reached))
        return least

    def order(
        self, contenders: Iterable[Contender], details: Details, least: float
    ) -> list[Ranked]:
        """Return the contenders that score at least `least`, best first; ties by path, then
        line.
        """
        self._details = details
        scored = [Ranked(one.facts, self._score(*one)) for one in contenders]
        scored.sort(key=_rank)
        if TEST in self._mix.signals and not self._query.terms.intent.tests:
            scored = sorted(self._subjects_first(scored), key=_rank)
        if self._mix.repeat:
            scored = sorted(self._spread(scored), key=_rank)
        return [ranked for ranked in scored if ranked.score > 0 and ranked.score >= least]

    def _subjects_first(self, ordered: Sequence[Ranked]) -> Iterator[Ranked]:
        """Yield the same chunks, those of a test below the best one of what it tests, if that is
        near enough in score: a test says in one sentence what the code does in many.
        """
        tests = {place for place, file in self._files.items() if file.tests_candidate}
        best: dict[str, float] = {}
        for ranked in ordered if tests else ():
            if ranked.facts.place not in tests:
                best.setdefault(subject_of(self._files[ranked.facts.place].path), ranked.score)
        for ranked in ordered:
            file = self._files[ranked.facts.place]
            limit = 0.0
            if ranked.facts.place in tests and not file.mentioned:
                limit = best.get(subject_of(file.path), 0.0)
            if SUBJECT_FROM * ranked.score <= limit < ranked.score:
                lower = limit * (1 - _FAINT * (1 + ranked.score - limit))
                ranked = ranked._replace(score=lower, lowered=ranked.score - lower)
            yield ranked

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

    def _file_parts(self, file: FileFacts) -> dict[str, float]:
        weights = self._mix.signals
        return {
            n: weights[n] * s.of(file, self._query) for n, s in FILE_SIGNALS.items() if n in weights
        }

    def _is_found(self, cosine: float, share: float) -> bool:
        """Return whether an arm found the chunk; without signals, an arm of weight 0 finds
        nothing.
        """
        if self._mix.signals:
            return cosine > 0 or share > 0
        return (self._mix.keyword < 1 and cosine > 0) or (self._mix.keyword > 0 and share > 0)

    def _is_found_by_path(self, place: int) -> bool:
        """Return whether a file's path contains a word of the query, or is written in it."""
        file = self._files[place]
        return file.path_share > 0 or file.mentioned > 0


def _best_numbers(found: Iterable[_Found], count: int) -> set[int]:
    """Return the numbers of the chunks with the greatest sums."""
    sums = [(one.plain[at], one.chunks.numbers[at]) for one in found for at in one.found]
    sums.sort(key=lambda pair: pair[0], reverse=True)
    return {number for _, number in sums[:count]}


def _rank(ranked: Ranked) -> tuple[float, int, int]:
    return -ranked.score, ranked.facts.place, ranked.facts.chunk
