"""Tests of Rich Text: headings by style and level, lists, tables, encodings, notes, hostile
files.
"""

from __future__ import annotations

import time

import pytest
from packing import rtf
from reading import blocks, lines, read_checked, skip_reason

from ragit.chunk.documents import rtf_marks

pytestmark = pytest.mark.usefixtures("quiet")

STYLES = (
    r"{\stylesheet{\ql Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}{\s3 Title;}{\s4{\*\x}heading 3;}"
    r"{\*\cs15 heading 1 Char;}{\cs16 heading 2 Char;}{\s5 Plain;}}"
)


def test_headings_form_a_path() -> None:
    body = STYLES + (
        r"\pard\s3 The Book\par\pard\s1 One\par\pard a\par{\pard\s2 Two\par}\pard b\par"
        r"\pard\s4 Deep\par\pard\s5 c\par\pard\outlinelevel0 Three\par\pard\s1\outlinelevel9 no title\par"
    )
    assert [(block.kind, block.text, block.headings) for block in blocks(rtf(body), "rtf")] == [
        ("heading", "The Book", ("The Book",)),
        ("heading", "One", ("The Book", "One")),
        ("text", "a", ("The Book", "One")),
        ("heading", "Two", ("The Book", "One", "Two")),
        ("text", "b", ("The Book", "One", "Two")),
        ("heading", "Deep", ("The Book", "One", "Two", "Deep")),
        ("text", "c", ("The Book", "One", "Two", "Deep")),
        ("heading", "Three", ("The Book", "Three")),
        ("text", "no title", ("The Book", "Three")),
    ]


def test_list_items_have_their_numbers() -> None:
    body = (
        r"\pard{\listtext\pard 1.\tab}\ls1 one\par{\listtext a)\tab}\ilvl1 inner\par"
        r"\pard{\pntext\f1\'b7\tab}dot\par\pard plain\par"
    )
    assert lines(rtf(body), "rtf") == [
        "list: 1. one",
        "list:   a) inner",
        "list: - dot",
        "text: plain",
    ]


def test_table_rows_repeat_their_header() -> None:
    row = r"\trowd\cellx1000\cellx2000\pard\intbl {}\cell {}\cell\row"
    table = row.replace("{}", "Part", 1).replace("{}", "Size", 1) + row.replace(
        "{}", r"bolt\par long", 1
    ).replace("{}", "3", 1)
    alone = row.replace("{}", "only", 1).replace("{}", "row", 1)
    found = blocks(
        rtf(r"\pard before\par" + table + r"\pard between\par" + alone + r"\pard after\par"), "rtf"
    )
    assert [(block.kind, block.text, block.repeat) for block in found] == [
        ("text", "before", ""),
        ("table", "bolt long | 3", "Part | Size"),
        ("text", "between", ""),
        ("table", "only | row", ""),
        ("text", "after", ""),
    ]


@pytest.mark.parametrize(
    "body, text",
    [
        (r"caf\'e9", "caf\u00e9"),
        (r"\u8211? \u-10179?\u-8704?!", "\u2013 \U0001f600!"),
        (r"\uc2\u945ab!", "\u03b1!"),
        (r"\uc1\u945\'e1!", "\u03b1!"),
        (r"{\uc3\u945 abc}d", "\u03b1d"),
        (r"\uc0\u945\u946 x", "\u03b1\u03b2x"),
        (r"{\fonttbl{\f1\fcharset204 Arial;}}\f1\'ef\'f0\'e8 \f0\'e9", "\u043f\u0440\u0438 \u00e9"),
        (r"{\fonttbl{\f1\fcharset128 Mincho;}}\f1\'83\'65\'83X\'83g", "\u30c6\u30b9\u30c8"),
        (r"{\fonttbl{\f1\cpg1250 Arial;}}{\f1\'b3}\'b3", "\u0142\u00b3"),
        (r"\ansicpg1251\'f9", "\u0449"),
        (r"a\~b\_c\-d\emdash e\lquote f\rquote", "a b-cd\u2014e\u2018f\u2019"),
        (r"\{\\\}", "{\\}"),
        ("wra\r\npped \\\nnext", "wrapped\nnext"),
        (r"{\v hidden}seen{\deleted gone}", "seen"),
        (r"{\upr{\bkmk x}{\*\ud{\u945?}}}z", "\u03b1z"),
        (r'{\field{\*\fldinst HYPERLINK "x"}{\fldrslt shown}}', "shown"),
        (r"\'zz", "zz"),
    ],
)
def test_characters_are_decoded(body: str, text: str) -> None:
    assert "\n".join(block.text for block in blocks(rtf(body), "rtf")) == text


def test_pictures_and_embedded_files_are_no_text() -> None:
    body = (
        r"a{\*\shppict{\pict{\*\picprop{\sp{\sn x}{\sv y}}}\pngblip 89504e47}}{\nonshppict{\pict 0100}}"
        r"{\object{\*\objdata 0105000002}{\result b}}{\pict\bin4 }}{{}c{\info{\author Ada}}{\*\unknown d}"
    )
    assert lines(rtf(body), "rtf") == ["text: abc"]


def test_notes_headers_and_boxes_are_separate_blocks() -> None:
    body = STYLES + (
        r"{\header running head\par}{\headerf running head\par}{\footer \par}{\footer page {\field 3}\par}"
        r"\pard\s1 One\par\pard text{\footnote\pard a note\par}{\*\annotation remark} goes on\par"
        r"{\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt in a box\par}}{\shprslt in a box}}\pard end\par"
    )
    found = [
        (block.kind, block.text, block.headings, block.place.within)
        for block in blocks(rtf(body), "rtf")
    ]
    assert found == [
        ("heading", "One", ("One",), ""),
        ("header", "running head", (), "header"),
        ("footer", "page 3", (), "footer"),
        ("text", "text goes on", ("One",), ""),
        ("note", "a note", ("One",), ""),
        ("note", "remark", ("One",), ""),
        ("text", "end", ("One",), ""),
        ("text", "in a box", ("One",), ""),
    ]


def test_only_rtf_with_text_is_read() -> None:
    assert skip_reason(b"words", "rtf") == "no rtf file"
    assert skip_reason(rtf(""), "rtf") == "no text"
    assert skip_reason(rtf(r"{\pict 00ff}"), "rtf") == "no text"
    assert lines(b"\xef\xbb\xbf {\\rtf1 words", "rtf") == ["text: words"]
    assert lines(rtf("words") + b"\0\0junk}", "rtf") == ["text: words"]


def test_rtf_cut_anywhere_raises_no_error() -> None:
    whole = rtf(
        STYLES
        + r"\pard\s1 One\par{\footnote note}\trowd\intbl a\cell b\cell\row\pard caf\'e9 \u945? end\par"
    )
    for stop in range(len(whole)):
        read_checked(whole[:stop], "rtf")


def test_deeply_nested_groups_are_skipped() -> None:
    assert skip_reason(b"{\\rtf1 " + b"{" * 1_000_000, "rtf") == "nested too deeply"
    assert lines(b"{\\rtf1 a" + b"}" * 100_000, "rtf") == ["text: a"]


@pytest.mark.parametrize(
    "piece",
    [
        rb"\u8364?",
        rb"{\footnote a}",
        rb"\cell ",
        rb"\cell\row ",
        rb"{\listtext x}",
        rb"\'83",
        rb"\bin0 ",
        rb"\par a",
        rb"{}",
        rb"{\fonttbl{\f1 a;}}",
        rb"{\fonttbl\f1",
        rb'{\field{\*\fldinst{HYPERLINK "a',
        rb"{\pict\bin1 a",
    ],
)
def test_repeated_control_words_are_read_within_10_seconds(piece: bytes) -> None:
    data = b"{\\rtf1 " + piece * (300_000 // len(piece)) + b"}"
    started = time.process_time()
    read_checked(data, "rtf")
    assert time.process_time() - started < 10
    assert skip_reason(b"{\\rtf1\\bin999999999 " + piece, "rtf") == "no text"


def test_tokens_beyond_the_bound_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtf_marks, "_MOST_TOKENS", 1000)
    found = lines(rtf(r"a\par " * 1000), "rtf")
    assert 400 < len(found) < 600
    assert found[-1] == "note: [The text goes on: the rest is left out.]"


@pytest.mark.parametrize(
    "body",
    [r"\u64976?", r"\u64976?\u57344?", r"{\v \u64979?}", r"\u-1?\par\u64977?"],
)
def test_internal_mark_characters_in_a_document_are_tolerated(body: str) -> None:
    found = lines(rtf(f"a {body} b"), "rtf")
    assert found[0].startswith("text: a")
    assert found[-1].endswith("b")


def test_double_byte_character_ending_in_brace_or_backslash_is_decoded() -> None:
    fonts = r"{\fonttbl{\f1\fcharset128 Mincho;}}\f1 "
    assert lines(rtf(fonts + r"\'8f\'5c\'83\'7b plain"), "rtf") == ["text: \u5341\u30dc plain"]


def test_control_words_with_missing_or_huge_numbers_are_tolerated() -> None:
    assert lines(rtf(r"\uc a\u b\u99999999? c\ansicpg99999 d\f-1 e"), "rtf")[0].startswith(
        "text: a"
    )
