"""Tests of the order of candidates: sums, ties, pruning, and the penalty of repeated files."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit.rank.contenders import MOST_REPEATS, Details, Mix
from ragit.rank.fuse import ORIGINAL, Fused
from ragit.rank.keyword import ChunkScore, Shares
from ragit.rank.order import KEPT_BY_EVIDENCE, TWIN_REPEAT, Ranked, Scorer
from ragit.rank.signals import (
    FEW_WORDS,
    ChunkColumns,
    ChunkFacts,
    ChunkNames,
    FileFacts,
    QueryFacts,
    brevity,
)
from ragit.rank.terms import parse_query

LONG = 1 << 30
"""Number of words of a long chunk."""


def chunk(place: int, number: int, cosine: float = 0.5, share: float = 0.0) -> ChunkFacts:
    return ChunkFacts(place, number, cosine, ChunkScore(share, share > 0), share)


def in_columns(chunks: list[ChunkFacts]) -> ChunkColumns:
    """Return the chunks of one file."""
    return ChunkColumns(
        chunks[0].place,
        [one.chunk for one in chunks],
        [one.cosine for one in chunks],
        [one.keyword.score for one in chunks],
        [one.share for one in chunks],
        [one.keyword.names for one in chunks],
        [int(FEW_WORDS / one.brevity - FEW_WORDS) if one.brevity else LONG for one in chunks],
    )


def file(path: str = "a.py", **known: float) -> FileFacts:
    return FileFacts(path, 0.0, 0.0, 0.0, 0.0)._replace(**known)


def scorer(
    files: Mapping[int, FileFacts],
    mix: Mix,
    query: str = "x",
) -> Scorer:
    terms = parse_query(query)
    facts = QueryFacts(terms, Shares(terms, dict.fromkeys(terms.listed, 1), 10))
    return Scorer(facts, mix, files)


def ordered(
    ranking: Scorer,
    chunks: list[ChunkFacts],
    names: Mapping[int, ChunkNames] | None = None,
    min_score: float = 0.0,
    wanted: int = 0,
    exact: Mapping[tuple[int, int], float] | None = None,
) -> list[Ranked]:
    by_place = sorted(chunks, key=lambda one: one.place)
    files = [in_columns(list(of)) for _, of in groupby(by_place, key=lambda one: one.place)]
    contenders = ranking.contenders(files, wanted, exact or {})
    details = Details(names or {}, exact or {})
    evident = {number for _, number in exact or {}}
    return ranking.order(ranking.narrowed(contenders, details, wanted, evident), details, min_score)


def order(
    chunks: list[ChunkFacts], mix: Mix, min_score: float = 0.0, wanted: int = 0
) -> list[Ranked]:
    files = {one.place: file(f"{one.place}.py") for one in chunks}
    names = {one.chunk: ChunkNames("function", "other", "") for one in chunks}
    return ordered(scorer(files, mix), chunks, names, min_score, wanted)


def keys(ranked: list[Ranked]) -> list[tuple[int, int]]:
    return [(one.facts.place, one.facts.chunk) for one in ranked]


PLAIN = Mix(0.4, {})


def test_score_is_the_weighted_mean_of_arms_and_signals() -> None:
    mix = Mix(0.4, {"fileVector": 2.0, "test": -0.6, "path": 1.0})
    files = {0: file("tests/a.py", nearness=0.5, path_share=0.25)}
    ranking = scorer(files, mix)
    (one,) = ordered(ranking, [chunk(0, 1, cosine=0.5, share=0.25)])
    test = -0.6 * 0.8
    total = 0.6 * 0.5 + 0.4 * 0.25 + 2.0 * 0.5 + test + 1.0 * 0.25
    assert one.score == pytest.approx(total / (1 + 2.0 + 1.0))
    assert ranking.parts(one) == {
        "vector": pytest.approx(0.3 / 4),
        "keyword": pytest.approx(0.1 / 4),
        "fileVector": pytest.approx(1.0 / 4),
        "test": pytest.approx(test / 4),
        "path": pytest.approx(0.25 / 4),
    }


def test_brevity_lowers_the_cosine_only_beside_signals() -> None:
    chunks = [chunk(0, 1, cosine=0.6)._replace(brevity=brevity(2)), chunk(1, 2, cosine=0.55)]
    assert keys(order(chunks, Mix(0.4, {"fileVector": 2.0}))) == [(1, 2), (0, 1)]
    assert keys(order(chunks, PLAIN)) == [(0, 1), (1, 2)]
    assert [brevity(0), brevity(8), brevity(56)] == [1.0, 0.5, 0.125]


def test_equal_scores_are_ordered_by_path_then_line() -> None:
    chunks = [chunk(2, 10), chunk(1, 31), chunk(1, 30), chunk(0, 99)]
    assert keys(order(chunks, PLAIN)) == [(0, 99), (1, 30), (1, 31), (2, 10)]


def test_chunks_below_the_minimum_score_are_left_out() -> None:
    chunks = [chunk(0, 1, cosine=0.9), chunk(1, 2, cosine=0.5), chunk(2, 3, cosine=0.1)]
    assert keys(order(chunks, Mix(0.0, {}), min_score=0.5)) == [(0, 1), (1, 2)]


def test_chunk_found_by_no_arm_is_a_hit_only_by_its_path_signal() -> None:
    files = {0: file(path_share=0.5), 1: file()}
    chunks = [chunk(0, 1, cosine=0.0), chunk(1, 2, cosine=0.0)]
    assert keys(ordered(scorer(files, Mix(0.4, {"path": 1.0})), chunks)) == [(0, 1)]
    assert ordered(scorer(files, PLAIN), chunks) == []


def test_arm_without_weight_finds_nothing() -> None:
    words, meaning = chunk(0, 1, cosine=0.0, share=0.5), chunk(1, 2, cosine=0.5)
    assert keys(order([words, meaning], Mix(0.0, {}))) == [(1, 2)]
    assert keys(order([words, meaning], Mix(1.0, {}))) == [(0, 1)]


def test_demotion_keeps_scores_positive_and_ordered() -> None:
    files = {0: file("tests/a.py"), 1: file("tests/b.py")}
    chunks = [chunk(0, 1, cosine=0.1), chunk(1, 2, cosine=0.2)]
    found = ordered(scorer(files, Mix(0.0, {"test": -5.0})), chunks)
    assert keys(found) == [(1, 2), (0, 1)]
    assert all(0 < one.score < 0.001 for one in found)


def test_repeat_penalty_counts_at_most_three_better_chunks() -> None:
    chunks = [chunk(0, number, cosine=0.9 - number / 100) for number in range(6)]
    found = order(chunks, Mix(0.0, {}, repeat=-0.1))
    assert [one.better for one in found] == [0, 1, 2, 3, 3, 3]
    assert [one.score for one in found] == pytest.approx([0.9, 0.79, 0.68, 0.57, 0.56, 0.55])
    assert MOST_REPEATS == 3


def test_repeated_file_ranks_after_first_hits_of_others() -> None:
    chunks = [chunk(0, 1, cosine=0.9), chunk(0, 2, cosine=0.8), chunk(1, 3, cosine=0.6)]
    assert keys(order(chunks, Mix(0.0, {}, repeat=-0.3))) == [(0, 1), (1, 3), (0, 2)]


def test_minimum_score_applies_after_the_repeat_penalty() -> None:
    chunks = [chunk(0, number, cosine=0.9 - number / 100) for number in range(4)]
    found = order(chunks, Mix(0.0, {}, repeat=-0.3), min_score=0.5)
    assert [one.score for one in found] == pytest.approx([0.9, 0.59])


def test_platform_twins_are_penalised_less_than_the_same_file() -> None:
    files = {0: file("src/unix/pipe.c"), 1: file("src/win/pipe.c"), 2: file("src/core.c")}
    chunks = [chunk(0, 1, cosine=0.9), chunk(1, 2, cosine=0.85), chunk(2, 3, cosine=0.8)]
    found = ordered(scorer(files, Mix(0.0, {}, repeat=-0.5)), chunks)
    assert keys(found) == [(0, 1), (2, 3), (1, 2)]
    assert [one.better for one in found] == [0, 0, TWIN_REPEAT]
    assert TWIN_REPEAT == 0.4


# Evidence: texts that contain the query literally


def test_evidence_adds_its_share_of_the_distance_to_one() -> None:
    ranking = scorer({0: file("a.py"), 1: file("b.py")}, Mix(0.0, {}, exact=0.5))
    chunks = [chunk(0, 1, cosine=0.9), chunk(1, 2, cosine=0.6)]
    found = ordered(ranking, chunks, exact={(1, 2): 0.8})
    assert keys(found) == [(0, 1), (1, 2)]
    assert found[1].score == pytest.approx(0.6 + 0.5 * 0.8 * 0.4)
    assert ranking.parts(found[1]) == {"vector": 0.6, "exact": pytest.approx(0.16)}


def test_evidence_makes_a_chunk_a_contender() -> None:
    chunks = [chunk(place, place + 1, cosine=0.9) for place in range(5)]
    chunks.append(chunk(5, 6, cosine=0.0))
    files = {place: file(f"{place}.py") for place in range(6)}
    found = ordered(scorer(files, Mix(0.0, {}, exact=1.0)), chunks, wanted=2, exact={(5, 6): 1.0})
    assert keys(found)[0] == (5, 6)


def test_evidence_reduces_the_repeat_penalty() -> None:
    files = {0: file()}
    chunks = [chunk(0, 1, cosine=0.9), chunk(0, 2, cosine=0.8)]
    mix = Mix(0.0, {}, repeat=-0.1, exact=0.5)
    _, second = ordered(scorer(files, mix), chunks, exact={(0, 1): 1.0, (0, 2): 1.0})
    assert second.better == pytest.approx(1 - KEPT_BY_EVIDENCE)
    assert KEPT_BY_EVIDENCE == 0.7


# Pruning: only candidates that may be among the best are examined closely


def test_only_chunks_that_can_be_among_the_best_contend() -> None:
    """`defines` may add 0.5: of 1.0, 0.7 and 0.4 the last cannot reach the first, the second can."""
    mix = Mix(0.0, {"defines": 0.5})
    files = {place: file(f"{place}.py") for place in range(3)}
    names = {n: ChunkNames("function", "x" if n == 2 else "other", "") for n in (1, 2, 3)}
    chunks = [
        ChunkFacts(place, place + 1, cosine, ChunkScore(0.1, True), 0.0)
        for place, cosine in enumerate((1.0, 0.7, 0.4))
    ]
    found = ordered(scorer(files, mix), chunks, names, wanted=1)
    assert keys(found) == [(1, 2), (0, 1)]


def test_paths_of_one_blob_take_one_place_among_the_best() -> None:
    twins = [chunk(place, 7, cosine=0.9) for place in range(5)]
    other = chunk(9, 8, cosine=0.5)
    assert (9, 8) in keys(order([*twins, other], Mix(0.0, {"defines": 0.1}), wanted=2))


# Query variants


class Fixed:
    """Explainer with fixed scores."""

    def __init__(self, parts: Mapping[str, float]) -> None:
        self._parts = dict(parts)

    def parts(self, ranked: Ranked) -> dict[str, float]:
        return dict(self._parts)

    def terms_in(self, held: frozenset[str]) -> tuple[str, ...]:
        return tuple(sorted(held))


def ranked(place: int, number: int, score: float) -> Ranked:
    return Ranked(chunk(place, number), score)


def test_original_query_has_three_quarters_of_a_fused_score() -> None:
    typed = (Fixed({"vector": 0.8}), [ranked(0, 1, 0.8)])
    other = (Fixed({"vector": 0.4, "keyword": 0.2}), [ranked(0, 1, 0.6), ranked(1, 2, 0.4)])
    fused = Fused([typed, other])
    found = fused.order(0.0)
    assert ORIGINAL == 0.75
    assert [(key, one.score) for key, one in zip(keys(found), found, strict=True)] == [
        ((0, 1), pytest.approx(0.75)),
        ((1, 2), pytest.approx(0.1)),
    ]
    assert fused.parts(found[0]) == {"vector": pytest.approx(0.7), "keyword": pytest.approx(0.05)}


def test_equal_fused_scores_are_ordered_by_path_then_line() -> None:
    one = (Fixed({}), [ranked(3, 1, 0.5), ranked(1, 9, 0.5), ranked(1, 8, 0.5)])
    assert keys(Fused([one]).order(0.0)) == [(1, 8), (1, 9), (3, 1)]


def test_fused_hits_below_the_minimum_score_are_left_out() -> None:
    one = (Fixed({}), [ranked(0, 1, 0.5), ranked(1, 2, 0.2)])
    assert keys(Fused([one]).order(0.3)) == [(0, 1)]


PATHS = (
    *("net/a.py", "net/b_linux.py", "net/b_windows.py", "net/b_darwin.py", "net/c.py", "d.py"),
    *("tests/test_a.py", "tests/test_c.py"),
)

SIGNALS = {"defines": 0.5, "named": 0.15, "test": -0.1}

SHARES = st.sampled_from([0.0, 0.01, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0])


@st.composite
def rankings(draw: st.DrawFn) -> tuple[Scorer, list[ChunkFacts], Details]:
    """Return a few files with many chunks, of which some have names or hold the query."""
    mix = Mix(
        draw(st.sampled_from([0.0, 0.4, 1.0])),
        draw(st.sampled_from([{}, {"named": 0.15, "fileVector": 2.0}, SIGNALS, {"named": 0.5}])),
        draw(st.sampled_from([0.0, -0.1, -0.3, -1.0])),
        draw(st.sampled_from([0.0, 0.75])),
    )
    chunks, names, exact = [], {}, {}
    for place in range(len(PATHS)):
        for at in range(draw(st.integers(0, 7))):
            number = place << 16 | at
            one = chunk(place, number, draw(SHARES), draw(SHARES))
            chunks.append(one)
            name = draw(st.sampled_from(["x", "x_y", "other"])) if one.keyword.names else "other"
            names[number] = ChunkNames("function", name, "")
            if not draw(st.integers(0, 5)):
                exact[place, number] = draw(SHARES)
    files = {
        at: file(path, nearness=draw(SHARES), tests_candidate=path.startswith("tests/"))
        for at, path in enumerate(PATHS)
    }
    return (
        scorer(files, mix, draw(st.sampled_from(["x", "x y", "where is xY"]))),
        chunks,
        Details(names, exact),
    )


@given(rankings(), st.integers(1, 5))
def test_pruning_keeps_the_best_hits(
    ranking: tuple[Scorer, list[ChunkFacts], Details], wanted: int
) -> None:
    scoring, chunks, details = ranking
    few = ordered(scoring, chunks, details.names, 0.0, wanted, details.exact)
    every = ordered(scoring, chunks, details.names, 0.0, 0, details.exact)
    assert few[:wanted] == every[:wanted]
