"""Choose the chunks that can be among the best, before all that ranks them is known of each. Pure.

Most chunks of the candidate files are never looked at one by one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType

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
    ChunkNames,
    FileFacts,
    QueryFacts,
)
from ragit.records import NamedTuple


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


class Details(NamedTuple):
    """Facts that are looked up for contenders only."""

    names: Mapping[int, ChunkNames] = MappingProxyType({})
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

    @property
    def best(self) -> tuple[float, int]:
        """Return the greatest sum, and the number of its chunk."""
        return max((self.plain[at], self.chunks.numbers[at]) for at in self.found)

    def contenders(self, listed: Iterable[int]) -> Iterator[Contender]:
        """Yield chunks by index."""
        for at in listed:
            yield Contender(self.chunks.facts(at), self.plain[at])


MOST_REPEATS = 3

SUBJECT_FROM = 0.75
"""Share of a test's score from which the file that it tests comes before it."""

OF_BREVITY = 0.3
"""Share of its cosine that a chunk without words would lose: the vector of a getter is little more
than its name, and near to any question with a word of it.
"""

_ROUND = 64
"""Number of contenders after which the bound for the others is raised."""

FAINT = 0.001

_ROUNDING = 1e-9
"""More than the rounding error of a sum: a sum that near to a bound reaches it."""


class Sums:
    """Sums the chunks of one query's candidates, and tells which may be among the best."""

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
        weights = [weight for name, _, weight in self._chunk_signals if name != ALIKE]
        self._reach = sum(max(weight, 0.0) for weight in weights)
        """How far the signals about its names can raise a chunk, but for `alike`."""
        self._lowering = sum(min(weight, 0.0) for *_, weight in self._chunk_signals)
        """How far its own signals can lower a chunk, at most 0."""
        lowers = TEST in mix.signals and not query.terms.intent.tests
        self._tests = {place for place, one in files.items() if lowers and one.tests_candidate}
        """The tests that may come after what they test."""
        subjects = {subject_of(files[place].path) for place in self._tests}
        self._subjects = {
            place for place, one in files.items() if subject_of(one.path) in subjects
        } - self._tests
        """The files that these test."""
        parts = [(mix.signals[n], one.of) for n, one in FILE_SIGNALS.items() if n in mix.signals]
        self._file_sums = {
            place: sum([weight * of(file, query) for weight, of in parts])
            for place, file in files.items()
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
        of_file = self._files[chunks.place]
        # Its path contains a word of the query, or is written in it.
        if self._mix.signals and (of_file.path_share > 0 or of_file.mentioned > 0):
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

    def _bound(self, groups: Iterable[Sequence[_Found]], wanted: int) -> float | None:
        """Return the sum that a chunk needs to be among the `wanted` best, before its own signals
        are known; None if all may be.

        The best chunk of a file and its twins is never lowered as a repeat; one of a test may come
        after what it tests.
        """
        best = []
        for group in groups:
            every = [one.best for one in group if one.found and one.chunks.place not in self._tests]
            if every:
                best.append(max(every))
        last = _last(best, wanted)
        return None if last is None else last + self._lowering

    def _least(
        self, groups: Iterable[Sequence[_Found]], bound: float, evident: Set[int]
    ) -> dict[int, float]:
        """Return for each file the sum below which a chunk cannot reach the bound, because better
        chunks of the file come first.

        Chunks that lower one that can reach it are kept, so that its score stays exact: also the
        best of a file whose test may come after it.
        """
        blobs = Counter(one.chunks.numbers[0] for group in groups for one in group if one.found)
        least: dict[int, float] = {}
        for group in groups:
            # A blob at several paths is one hit that names all of them.
            plain = any(
                (one.found and blobs[one.chunks.numbers[0]] > 1) or one.chunks.place in self._tests
                for one in group
            )
            of_group = bound
            if not plain and bound / self._whole >= FAINT:
                has_evidence = any(one.chunks.place in evident for one in group)
                of_group = min(self._least_of(one, bound, has_evidence) for one in group)
            for one in group:
                least[one.chunks.place] = of_group
                if one.found and one.chunks.place in self._subjects:
                    lower = max(one.best[0] + self._lowering, SUBJECT_FROM * bound)
                    least[one.chunks.place] = min(of_group, lower)
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

    def narrowed(
        self, contenders: Sequence[Contender], details: Details, wanted: int, always: Set[int]
    ) -> list[Contender]:
        """Return the contenders that, with their own signals, can still be among the `wanted` best
        (0: all), at each of their paths, and the chunks of `always`.

        The best without them come first: they bound the others, most of which need no signals.
        """
        self._details = details
        best: dict[str, tuple[float, int]] = {}
        groups = {place: twin_of(file.path) for place, file in self._files.items()}
        kept = set(always)
        for at, one in enumerate(sorted(contenders, key=lambda one: one.plain, reverse=True)):
            if at % _ROUND == 0:
                bound = self._least_sum(best.values(), wanted)
            place, number = one.facts.place, one.facts.chunk
            # A chunk below the bound may lower its test, if it is not far below.
            less = min(bound, bound * SUBJECT_FROM) if place in self._subjects else bound
            score = self._within(one, less)
            if score is not None:
                kept.add(number)
                if place not in self._tests:
                    group = groups[place]
                    best[group] = max(best.get(group, (score, number)), (score, number))
        return [one for one in contenders if one.facts.chunk in kept]

    def _least_sum(self, best: Iterable[tuple[float, int]], wanted: int) -> float:
        """Return the sum below which a chunk is not among the `wanted` best."""
        last = _last(best, wanted) if wanted else None
        if last is None or last / self._whole < FAINT:
            return -math.inf
        return last + min(0.0, self._mix.signals.get(ALIKE, 0.0)) - _ROUNDING

    def _within(self, one: Contender, bound: float) -> float | None:
        """Return the sum of a contender without `alike`; None if it is below a bound."""
        score, rest = one.plain, self._reach
        names = self._details.names.get(one.facts.chunk)
        for name, signal, weight in self._chunk_signals if names else ():
            if name != ALIKE:
                if score + rest < bound:
                    return None
                score += weight * signal(one.facts, names, self._query)
                rest -= max(weight, 0.0)
        return score if score >= bound else None

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


def _last(best: Iterable[tuple[float, int]], wanted: int) -> float | None:
    """Return the last of the `wanted` greatest sums, each with the number of its chunk; None if
    there are no more. A blob at several paths is one hit: its paths share their best chunk.
    """
    blobs = {number: score for score, number in sorted(best)}
    if len(blobs) <= wanted:
        return None
    return sorted(blobs.values(), reverse=True)[wanted - 1]


def _best_numbers(found: Sequence[_Found], count: int) -> set[int]:
    """Return the numbers of the `count` chunks with the greatest sums, and of their equals."""
    least = sorted([one.plain[at] for one in found for at in one.found], reverse=True)[:count][-1:]
    return {
        one.chunks.numbers[at] for one in found for at in one.found if one.plain[at] >= least[0]
    }
