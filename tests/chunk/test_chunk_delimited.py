"""Tests of CSV and TSV: where chunks begin, and which column names they repeat."""

from __future__ import annotations

import csv
import io
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_chunk_properties import assert_invariants

from ragit import postings
from ragit.chunk import ChunkOptions, chunk, language_of

SMALL = ChunkOptions(item_bytes=60)


def parents(text: str) -> set[str]:
    return {each.parent for each in assert_invariants(text.encode(), "csv", SMALL).chunks}


@pytest.mark.parametrize("name", [b"a.csv", b"b.TSV", b"c.tab"])
def test_csv_and_tsv_extensions_are_recognised(name: bytes) -> None:
    assert language_of(name) == "csv"


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("sku,name\n1,apple\n2,pear\n", "sku | name"),
        ("sku;name\n1;a, b\n2;c, d\n", "sku | name"),
        ("sku\tname\n1\tapple\n", "sku | name"),
        ("sku|name\n1|apple\n", "sku | name"),
        ('"the sku","a ""name"", quoted"\n1,apple\n', 'the sku | a "name", quoted'),
        (",first,second\n0,1,2\n", "first | second"),
        ("# made by hand, or so\n\nsku,name,price\n1,apple,2\n", "sku | name | price"),
        ("The prices\n\nsku,name,price\n1,apple,2\n", "sku | name | price"),
        ("sep=;\nsku;name\n1;apple\n2;pear\n", "sku | name"),
        ("#CHROM\tPOS\tID\nchr1\t1\ta\n", "#CHROM | POS | ID"),
        ("# a comment\n#\n" * 40 + "#codes\tname\nAD\tAndorra\n", "#codes | name"),
        ("Name,Town\nAnna,Berlin\nOtto,Ulm\n", "Name | Town"),
        ("1,apple\n2,pear\n", ""),
        ("apple,1.5\npear,2.5\n", ""),
        ("apple,2024-01-31\npear,2024-02-01\n", ""),
        ("anna,anna@example.org\notto,otto@example.org\n", ""),
        ("red,apple\ngreen,pear\nred,cherry\n", ""),  # a value of its own column
        ("same,same\n1,2\n", ""),
        ("a,b\n", ""),  # no row below it
        ("one\ntwo\nthree\n", ""),
        ('"two\nlines",b\n1,2\n', ""),
        ("a,,,,b\n1,2,3,4,5\n", ""),
    ],
)
def test_header_is_detected(text: str, header: str) -> None:
    assert parents(text) == {header}


def test_wide_header_is_cut_between_column_names() -> None:
    names = [f"column{i}" for i in range(300)]
    [parent] = parents(",".join(names) + "\n" + ",".join("1" * 300) + "\n")
    assert 250 < len(parent) <= 300
    assert set(parent.split(" | ")) <= set(names)


def test_column_names_are_indexed_in_every_chunk() -> None:
    text = "sku,warehouse\n" + "".join(f"{i},somewhere {i}\n" for i in range(300))
    chunks = chunk(text.encode(), "csv").chunks
    assert len(chunks) > 3
    forward = postings.Forward(postings.pack(chunks).forward)
    found = forward.entries(postings.term_hash("warehous"))
    assert [entry >> 8 for entry in found] == list(range(len(chunks)))
    assert all(entry & postings.HEAD for entry in found)


cells = st.text(st.sampled_from('ab1",\n é'), max_size=12)


@given(
    rows=st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=40),
    delimiter=st.sampled_from(",;\t|"),
    min_bytes=st.sampled_from([5, 40]),
)
def test_chunks_begin_and_end_at_records(
    rows: list[list[str]], delimiter: str, min_bytes: int
) -> None:
    rows = [
        ["x", *(cell.replace(",", delimiter) for cell in row)] for row in rows
    ]  # no record is blank
    starts, ends, written = set(), set(), io.StringIO()
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        starts.add(written.getvalue().count("\n") + 1)
        writer.writerow(row)
        ends.add(written.getvalue().count("\n"))
    options = ChunkOptions(min_bytes=min_bytes, max_lines=1000)
    for each in assert_invariants(written.getvalue().encode(), "csv", options).chunks:
        assert each.start_line in starts
        assert each.end_line in ends


def test_unclosed_quote_keeps_chunks_small() -> None:
    text = 'a,b\n1,"half\n' + "".join(f"{i},apple\n" for i in range(2, 400))
    chunks = assert_invariants(text.encode(), "csv", ChunkOptions()).chunks
    assert all(len(each.text) <= 1600 for each in chunks)


def test_oversize_record_is_cut_and_keeps_its_header() -> None:
    text = 'a,b\n1,"' + "word\n" * 500 + '"\n2,c\n'
    chunks = assert_invariants(text.encode(), "csv", ChunkOptions()).chunks
    assert len(chunks) > 5
    assert {each.parent for each in chunks} == {"a | b"}


@pytest.mark.parametrize(
    "line", ['"', '"""\n', 'a,"b\n', ',"",\n', ',"', '""\n', "\n", "a\n", 'a;"\n']
)
@pytest.mark.parametrize("first", ["", '"'])
def test_repeated_lines_are_read_within_5_seconds(line: str, first: str) -> None:
    text = (first + line * (300_000 // len(line)) + "x").encode()
    start = process_time()
    chunk(text, "csv")
    assert process_time() - start < 5  # usually below 0.5; quadratic time would take hours
