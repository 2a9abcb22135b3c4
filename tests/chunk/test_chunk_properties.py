"""Property tests for any bytes: no exception, no line lost or repeated, chunk texts are the file's
lines.
"""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from outlines import line_of, samples

from ragit import references
from ragit.chunk import ChunkOptions, chunk, language_of, languages, text_of
from ragit.types import BY_LINES, Chunking

FILES = {path.name: path.read_bytes() for path in samples()}
PIECES = [line for data in FILES.values() for line in data.splitlines(keepends=True)]
NASTY = [
    b"{",
    b"}",
    b'"',
    b"'''",
    b"/*",
    b"<!--",
    b"```\n",
    b"\x00",
    b"\xff\xfe",
    b"\xe9",
    "漢😀\u2028".encode(),
    b"\r",
    b"\r\n",
]

sizes = st.builds(
    ChunkOptions,
    max_lines=st.sampled_from([1, 2, 7, 100]),
    max_bytes=st.sampled_from([4, 30, 300, 8000]),
    min_bytes=st.sampled_from([0, 60, 800]),
    item_bytes=st.sampled_from([0, 60, 1600]),
)
spliced = st.lists(st.sampled_from(PIECES + NASTY), max_size=40).map(b"".join)


def assert_invariants(data: bytes, language: str, options: ChunkOptions) -> Chunking:
    """Check the invariants of a chunking."""
    chunking = chunk(data, language, options, isolated=False)
    text = text_of(data)
    if chunking.skipped and not chunking.skipped.startswith(BY_LINES):
        assert chunking.chunks == ()
        return chunking
    assert text is not None
    end = b"\r" if b"\n" not in text else b"\n"
    lines = text.split(end)
    covered: set[int] = set()
    position = 0
    for each in chunking.chunks:
        assert position <= each.start < each.end
        position = each.end
        assert text[each.start : each.end].decode() == each.text
        assert len(each.text.encode()) <= options.max_bytes
        assert each.end_line - each.start_line < options.max_lines
        whole = end.join(lines[each.start_line - 1 : each.end_line]).decode()
        assert each.text == whole or (each.start_line == each.end_line and each.text in whole)
        assert "\n" not in each.signature + each.doc
        for named in each.definitions:
            assert each.start_line <= named.line <= each.end_line, named
        covered.update(range(each.start_line, each.end_line + 1))
    if chunking.references:
        references.checked(chunking.references)
    blank = {number for number, line in enumerate(lines, 1) if not line.strip()}
    assert covered | blank >= set(range(1, len(lines) + 1))
    inner = b"".join(text[each.start : each.end] for each in chunking.chunks)
    assert b"".join(inner.split()) == b"".join(text.split()), (
        "every character is in exactly one chunk"
    )
    return chunking


@given(data=st.binary(max_size=400), language=st.sampled_from(languages()), options=sizes)
@example(
    data=b"q#", language="perl", options=ChunkOptions()
)  # The lexer looks for the end of the line forever.
@example(data=b"", language="python", options=ChunkOptions())
@example(data=b"\n\n \n", language="python", options=ChunkOptions())
@example(data=b"\xef\xbb\xbf\xef\xbb\xbf", language="text", options=ChunkOptions())
def test_random_bytes_hold_the_invariants(
    data: bytes, language: str, options: ChunkOptions
) -> None:
    assert_invariants(data, language, options)


@given(data=spliced, language=st.sampled_from(languages()), options=sizes)
def test_mixed_lines_hold_the_invariants_in_any_language(
    data: bytes, language: str, options: ChunkOptions
) -> None:
    assert_invariants(data, language, options)


@given(name=st.sampled_from(sorted(FILES)), options=sizes, data=st.data())
def test_broken_syntax_holds_the_invariants(
    name: str, options: ChunkOptions, data: st.DataObject
) -> None:
    source = FILES[name]
    cut = data.draw(st.integers(0, len(source)))
    skip = data.draw(st.integers(0, 60))
    wedge = b"".join(data.draw(st.lists(st.sampled_from(NASTY[:6]), max_size=5)))
    assert_invariants(
        source[:cut] + wedge + source[cut + skip :], language_of(name.encode()), options
    )


@given(
    name=st.sampled_from(sorted(FILES)),
    ends=st.lists(st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n"]), min_size=1),
)
def test_mixed_line_ends_hold_the_invariants(name: str, ends: list[bytes]) -> None:
    lines = FILES[name].split(b"\n")
    text = b"".join(line + ends[i % len(ends)] for i, line in enumerate(lines)).rstrip()
    assert_invariants(text, language_of(name.encode()), ChunkOptions())


@given(name=st.sampled_from(sorted(FILES)), end=st.sampled_from([b"\r\n", b"\r"]))
def test_crlf_and_cr_files_have_the_same_outline(name: str, end: bytes) -> None:
    language = language_of(name.encode())
    plain = chunk(FILES[name], language, ChunkOptions(item_bytes=0)).chunks
    other = chunk(FILES[name].replace(b"\n", end), language, ChunkOptions(item_bytes=0)).chunks
    assert [line_of(each) for each in plain] == [line_of(each) for each in other]


@given(data=spliced, language=st.sampled_from(languages()))
def test_chunking_is_deterministic(data: bytes, language: str) -> None:
    assert chunk(data, language) == chunk(data, language)
