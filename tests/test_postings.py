"""Tests of packed words of a blob: nothing is lost but by the limits."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ragit import postings, words
from ragit.postings import COLUMNS, COUNT, HEAD, SYMBOL, Forward, pack, term_hash
from ragit.types import Chunk

_WORD = st.sampled_from(["commit", "offset", "HTTPServer", "parse_config", "a", "提交", "x1"])
_TEXT = st.lists(_WORD, max_size=120).map(" ".join)
CHUNKS = st.lists(
    st.builds(
        lambda text, symbol, doc: Chunk(1, 1, 0, 0, text, symbol=symbol, doc=doc),
        _TEXT,
        st.one_of(st.just(""), _WORD),
        st.one_of(st.just(""), _TEXT.map(lambda text: text[:40])),
    ),
    max_size=8,
)


@given(CHUNKS)
def test_packed_words_have_their_chunk_and_count(chunks: list[Chunk]) -> None:
    packed = pack(chunks)
    forward = Forward(packed.forward)
    assert list(forward.lengths) == [len(words.terms(chunk.text)) for chunk in chunks]
    assert packed.length == sum(forward.lengths)
    for ordinal, chunk in enumerate(chunks):
        for term, times in Counter(words.terms(chunk.text)).items():
            (entry,) = [e for e in forward.entries(term_hash(term)) if e >> 8 == ordinal]
            assert entry & COUNT == min(times, COUNT)
            assert bool(entry & SYMBOL) == (term in words.terms(chunk.symbol))
            assert bool(entry & HEAD) == (term in words.terms(chunk.doc))
    assert list(forward.entries(term_hash("nowhere"))) == []


@given(CHUNKS)
def test_columns_list_words_by_field_and_frequency(chunks: list[Chunk]) -> None:
    columns = dict(zip(COLUMNS, (column.split() for column in pack(chunks).columns), strict=True))
    total: Counter[str] = Counter()
    for chunk in chunks:
        for term, times in Counter(words.terms(chunk.text)).items():
            total[term] += min(times, COUNT)
    bands = {
        "body1": range(1, 2),
        "body2": range(2, 4),
        "body4": range(4, 10),
        "body10": range(10, 10**6),
    }
    for column, band in bands.items():
        assert set(columns[column]) == {term for term, times in total.items() if times in band}
    assert set(columns["symbol"]) == {
        term for chunk in chunks for term in words.terms(chunk.symbol)
    }
    assert set(columns["head"]) == {term for chunk in chunks for term in words.terms(chunk.doc)}


@given(CHUNKS)
def test_packing_is_deterministic(chunks: list[Chunk]) -> None:
    assert pack(chunks) == pack(list(chunks))


def test_packing_no_chunks() -> None:
    packed = pack([])
    assert packed.length == 0
    assert list(Forward(packed.forward).lengths) == []
    assert packed.columns == ("",) * len(postings.COLUMNS)
