"""Tests of context optimisation: neighbours merged, near-duplicates dropped, files capped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit.rank import Options, Piece, optimize
from ragit.rank.optimize import MERGED_LINES, jaccard
from ragit.records import replaced


def piece(start: int, end: int, score: float, text: str = "", file: int = 0, at: int = 0) -> Piece:
    words = frozenset(text.split() or [f"{file}-{start}"])
    return Piece(
        file, f"f{file}:{start}-{end}", start, end, start * 100, end * 100 + 99, score, words, (at,)
    )


DISABLED = Options(merge_adjacent=False, similarity_threshold=1.0, max_per_file=0)


def test_chunks_within_the_gap_are_merged_with_the_higher_score() -> None:
    found = optimize(
        [piece(20, 30, 0.9, at=0), piece(1, 14, 0.5, at=1)], 10, Options(adjacent_gap_threshold=5)
    )
    ((merged, done),) = found
    assert (merged.start_line, merged.end_line, merged.score) == (1, 30, 0.9)
    assert done and done.merged_from == ("f0:1-14", "f0:20-30")
    assert merged.members == (0, 1)


def test_chunks_beyond_the_gap_are_not_merged() -> None:
    assert (
        len(
            optimize([piece(20, 30, 0.9), piece(1, 13, 0.5)], 10, Options(adjacent_gap_threshold=5))
        )
        == 2
    )
    assert (
        len(
            optimize([piece(20, 30, 0.9), piece(1, 13, 0.5)], 10, Options(adjacent_gap_threshold=6))
        )
        == 1
    )


def test_chunks_of_different_files_are_not_merged() -> None:
    assert len(optimize([piece(1, 5, 0.9, file=0), piece(6, 9, 0.5, file=1)], 10, Options())) == 2


def test_chunks_of_different_parts_are_not_merged() -> None:
    one, other = replaced(piece(1, 5, 0.9), part="sheet A"), piece(6, 9, 0.5)
    assert len(optimize([one, replaced(other, part="sheet B")], 10, Options())) == 2
    assert len(optimize([one, replaced(other, part="sheet A")], 10, Options())) == 1


@pytest.mark.parametrize(
    ("one", "other", "joins"),
    [
        ((3, 3), (3, 3), True),
        ((3, 3), (4, 4), False),
        ((1, 1), (3, 3), False),
        ((3, 3), (3, 4), True),
        ((3, 4), (4, 4), True),
        ((3, 4), (4, 5), False),
        ((0, 0), (0, 0), True),
    ],
)
def test_merged_hit_spans_no_more_pages_than_one_of_its_chunks(
    one: tuple[int, int], other: tuple[int, int], joins: bool
) -> None:
    pieces = [replaced(piece(1, 5, 0.9), pages=one), replaced(piece(6, 9, 0.5), pages=other)]
    found = optimize(pieces, 10, Options())
    assert len(found) == (1 if joins else 2)
    if joins:
        assert found[0][0].pages in (one, other)


def test_chain_of_page_neighbours_spans_at_most_two_pages() -> None:
    chain = [
        replaced(piece(n, n, 1.0 - n / 100, at=n), pages=((n + 1) // 2, n // 2 + 1))
        for n in range(1, 20)
    ]
    for merged, _ in optimize(chain, 20, Options(max_per_file=0)):
        assert merged.pages[1] - merged.pages[0] <= 1


def test_chain_of_neighbours_is_bounded_in_lines() -> None:
    chain = [piece(i * 50 + 1, i * 50 + 50, 1.0 - i / 100, at=i) for i in range(20)]
    for merged, _ in optimize(chain, 20, Options(max_per_file=0)):
        assert merged.end_line - merged.start_line < MERGED_LINES


def test_merged_hit_has_at_most_200_lines() -> None:
    def merged(last: int) -> int:
        return len(optimize([piece(1, 100, 0.9), piece(101, last, 0.5)], 10, Options()))

    assert MERGED_LINES == 200
    assert merged(200) == 1
    assert merged(201) == 2


def test_near_duplicates_within_a_file_are_dropped_and_listed() -> None:
    alike = [
        piece(1, 5, 0.9, "a b c d e"),
        piece(100, 105, 0.8, "a b c d e"),
        piece(200, 205, 0.7, "x y z"),
    ]
    (first, done), (second, none) = optimize(alike, 10, Options())
    assert done and done.deduped_from == ("f0:100-105",)
    assert (first.start_line, second.start_line, none) == (1, 200, None)
    assert (
        len(
            optimize(
                [piece(1, 5, 0.9, "a b", file=0), piece(1, 5, 0.8, "a b", file=1)], 10, Options()
            )
        )
        == 2
    )


def test_similarity_must_exceed_the_threshold() -> None:
    half = [piece(1, 5, 0.9, "a b c"), piece(100, 105, 0.8, "a b c d e f")]
    assert len(optimize(half, 10, Options(similarity_threshold=0.5))) == 2
    assert len(optimize(half, 10, Options(similarity_threshold=0.49))) == 1


def test_hits_per_file_are_capped_and_marked() -> None:
    many = [piece(i * 50 + 1, i * 50 + 2, 1 - i / 10, at=i) for i in range(5)] + [
        piece(1, 2, 0.1, file=1)
    ]
    found = optimize(many, 10, Options(max_per_file=3))
    assert [p.file for p, _ in found] == [0, 0, 0, 1]
    assert [bool(done and done.file_capped) for _, done in found] == [True, True, True, False]


def test_answer_is_filled_up_from_the_pool() -> None:
    pool = [piece(i * 50 + 1, i * 50 + 2, 1 - i / 100) for i in range(20)] + [
        piece(1, 2, 0.5 - i / 100, file=i) for i in range(1, 9)
    ]
    assert len(optimize(pool, 10, Options(max_per_file=3))) == 10


PIECES = st.lists(
    st.builds(
        lambda start, size, score, file, text: piece(start, start + size, score, text, file),
        st.integers(1, 300),
        st.integers(0, 40),
        st.floats(0.01, 2),
        st.integers(0, 3),
        st.lists(st.sampled_from("abcde"), max_size=5).map(" ".join),
    ),
    max_size=25,
    unique_by=lambda p: p.id,
).map(lambda found: sorted(found, key=lambda p: -p.score))


@given(PIECES, st.integers(1, 12), st.integers(0, 4))
def test_optimized_hits_are_sorted_and_capped(
    pieces: list[Piece], top_k: int, max_per_file: int
) -> None:
    found = optimize(pieces, top_k, Options(max_per_file=max_per_file))
    scores = [p.score for p, _ in found]
    assert scores == sorted(scores, reverse=True)
    assert len(found) <= top_k
    if pieces:
        assert scores[0] == pieces[0].score
    for file in range(4):
        assert not max_per_file or sum(p.file == file for p, _ in found) <= max_per_file
    named = [name for p, done in found if done for name in (*done.merged_from, *done.deduped_from)]
    assert set(named) <= {p.id for p in pieces}


@given(PIECES, st.integers(1, 30))
def test_disabled_optimization_keeps_the_best_pieces(pieces: list[Piece], top_k: int) -> None:
    assert optimize(pieces, top_k, DISABLED) == [(piece, None) for piece in pieces[:top_k]]


def test_jaccard() -> None:
    assert jaccard(frozenset("ab"), frozenset("bc")) == pytest.approx(1 / 3)
    assert jaccard(frozenset(), frozenset()) == 1


def test_merging_a_contained_hit_keeps_the_outer_lines() -> None:
    ((merged, _),) = optimize([piece(1, 50, 0.5), piece(10, 20, 0.9)], 10, Options())
    assert (merged.start_line, merged.end_line) == (1, 50)


def test_file_exactly_at_the_cap_is_not_marked_capped() -> None:
    found = optimize([piece(i * 50 + 1, i * 50 + 2, 0.5) for i in range(3)], 10, Options())
    assert [done for _, done in found] == [None, None, None]
