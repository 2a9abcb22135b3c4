"""Tests of packed words of a blob: nothing is lost but by the limits."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit import postings, words
from ragit.bulk_postings import BulkPacker, chunk_words
from ragit.postings import COLUMNS, COUNT, HEAD, SYMBOL, Forward, Packed, pack, term_hash
from ragit.types import Chunk
from ragit.word_numbers import NumberedTexts

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


class Bulk:
    """Packs batches as a worker does, with what it remembers from one to the next."""

    def __init__(self) -> None:
        self.numbered, self.packer = NumberedTexts(), BulkPacker()

    def pack(self, blobs: list[list[Chunk]]) -> list[Packed]:
        chunks = [chunk for blob in blobs for chunk in blob]
        return self.packer.pack(blobs, chunk_words(self.numbered, chunks))


def _in_any_order(packed: Packed) -> Packed:
    """Return packed words with the words of each column in order; that of a body's is free."""
    columns = tuple(" ".join(sorted(column.split())) for column in packed.columns)
    return packed._replace(columns=columns)


BATCHES = st.lists(st.lists(CHUNKS, max_size=5), max_size=3)


@given(BATCHES)
def test_many_blobs_pack_as_each_alone(batches: list[list[list[Chunk]]]) -> None:
    bulk = Bulk()
    for blobs in batches:
        expected = [_in_any_order(pack(blob)) for blob in blobs]
        assert [_in_any_order(packed) for packed in bulk.pack(blobs)] == expected


@given(BATCHES)
def test_many_blobs_pack_as_each_alone_where_words_share_hashes(
    batches: list[list[list[Chunk]]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("term_hash", "hash_once"):
            patch.setattr(postings, name, lambda term: len(term) % 4)
        test_many_blobs_pack_as_each_alone.hypothesis.inner_test(batches)


def test_a_full_table_of_identifiers_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = [
        [Chunk(1, 1, 0, 0, f"commit offset{i} {'again ' * i}", doc=f"d{i}")] for i in range(70)
    ]
    expected = [_in_any_order(pack(blob)) for blob in blobs]
    monkeypatch.setattr("ragit.word_numbers.MOST", 10)
    bulk = Bulk()
    packed = [one for i in range(0, 70, 7) for one in bulk.pack(blobs[i : i + 7])]
    assert [_in_any_order(one) for one in packed] == expected
