"""Tests of Word 97-2003: pieces, fields, tables, headings, notes, and files with wrong numbers."""

from __future__ import annotations

import struct

import pytest
from making import IN_TABLE, ROW_END, compound, docx, p, sprms, word97
from reading import blocks, lines, read_checked, skip_reason

from ragit.chunk import chunk
from ragit.chunk.options import DocumentOptions


@pytest.mark.parametrize("pieces", [1, 2, 3, 7])
def test_text_in_unordered_pieces_is_read(pieces: int) -> None:
    paragraphs = [
        "First paragraph.\r",
        "Der zweite: na\u00efve \u201cquotes\u201d.\r",
        "The end.\r",
    ]
    found = lines(word97(paragraphs, pieces=pieces), "doc")
    assert found == [f"text: {line.strip()}" for line in paragraphs]


def test_text_of_any_script_is_read() -> None:
    assert lines(
        word97(["\u041f\u0440\u0438\u0432\u0435\u0442 \u4e16\u754c \U0001f600 end\r", "next\r"]),
        "doc",
    ) == [
        "text: \u041f\u0440\u0438\u0432\u0435\u0442 \u4e16\u754c \U0001f600 end",
        "text: next",
    ]


def test_field_result_replaces_its_instruction() -> None:
    link = (
        'See \x13 HYPERLINK "http://example.org" \x01\x14the page\x15 for \x13 PAGE \x1412\x15.\r'
    )
    nested = "\x13 IF \x13 NAME \x14x\x15 \x14shown\x15\r"
    assert lines(word97([link, nested, "After \x13 an end\r"]), "doc") == [
        "text: See the page for 12.",
        "text: shown",
        "text: After an end",
    ]


def test_special_characters_are_converted() -> None:
    assert lines(word97(["a\x0bb\x1ec\x1fd\xa0e\x02\x05\r", "one\x0ctwo\r"]), "doc") == [
        "text: a\nb-cd e",
        "text: one",
        "text: two",
    ]


def test_headings_by_style_and_by_outline_level() -> None:
    level = sprms((0x2640, 1))
    found = blocks(
        word97([("One\r", 1, b""), "a\r", ("Two\r", 0, level), "b\r", ("Next\r", 1, b"")]), "doc"
    )
    assert [(block.kind, block.text, block.headings) for block in found] == [
        ("heading", "One", ("One",)),
        ("text", "a", ("One",)),
        ("heading", "Two", ("One", "Two")),
        ("text", "b", ("One", "Two")),
        ("heading", "Next", ("Next",)),
    ]


def test_custom_style_inherits_its_heading_level() -> None:
    def style(kind: int, based_on: int) -> bytes:
        return struct.pack("<HHHHHH", 10, kind, based_on << 4 | 1, 0, 0, 0)

    sheet = struct.pack("<H", 18) + bytes(18)
    sheet += b"".join(style(number, 0xFFF) for number in range(15))
    sheet += style(62, 0) + style(0xFFE, 2) + style(0xFFE, 16)
    paragraphs = [("Book\r", 15, b""), ("Own\r", 17, b""), ("text\r", 0, b"")]
    found = blocks(word97(paragraphs, lists={1: sheet}), "doc")
    assert [block.headings for block in found] == [("Book",), ("Book", "Own"), ("Book", "Own")]


def test_table_rows_repeat_their_header() -> None:
    cells = [("Name\x07", 0, IN_TABLE), ("Age\x07", 0, IN_TABLE), ("\x07", 0, ROW_END)]
    cells += [
        ("Ada\r", 0, IN_TABLE),
        ("Lovelace\x07", 0, IN_TABLE),
        ("\x07", 0, IN_TABLE),
        ("\x07", 0, ROW_END),
    ]
    found = blocks(word97(["Before\r", *cells, "After\r"], pieces=2), "doc")
    assert [(block.kind, block.text, block.repeat) for block in found] == [
        ("text", "Before", ""),
        ("table", "Name | Age", "Name | Age"),
        ("table", "Ada Lovelace", "Name | Age"),
        ("text", "After", ""),
    ]


def level(shape: int, text: str, start: int = 1) -> bytes:
    raw = text.encode("utf-16-le")
    return struct.pack("<iB19x", start, shape) + bytes(4) + struct.pack("<H", len(text)) + raw


def test_list_items_have_their_numbers() -> None:
    shape = struct.pack("<i", 7) + bytes(24)
    bullets = struct.pack("<i", 8) + bytes(22) + b"\x01\x00"
    lists = {
        73: struct.pack("<H", 2) + shape + bullets,
        74: struct.pack("<I", 2) + struct.pack("<i12x", 7) + struct.pack("<i12x", 8),
    }
    levels = level(0, "\x00.", 3) + level(4, "\x00.\x01)") + level(0, "x") * 7 + level(23, "\u2022")
    first, dot = (struct.pack("<HH", 0x460B, number) for number in (1, 2))
    inner = first + sprms((0x260A, 1))
    paragraphs = [
        ("three\r", 0, first),
        ("a\r", 0, inner),
        ("b\r", 0, inner),
        ("four\r", 0, first),
        ("dot\r", 0, dot),
        "text\r",
    ]
    assert lines(word97(paragraphs, lists=lists, behind={73: levels}), "doc") == [
        "list: 3. three",
        "list:   3.a) a",
        "list:   3.b) b",
        "list: 4. four",
        "list: - dot",
        "text: text",
    ]


def test_heading_number_comes_from_its_style() -> None:
    def style(kind: int, list_number: int) -> bytes:
        upx = struct.pack("<HHHH", 6, 0, 0x460B, list_number) if list_number else b""
        record = struct.pack("<HHHHH", kind, 0xFFF1, 0, 0, 0) + struct.pack("<HH", 0, 0) + upx
        return struct.pack("<H", len(record)) + record

    sheet = struct.pack("<HHH", 18, 15, 10) + bytes(14) + style(0, 0) + style(1, 1)
    lists = {
        1: sheet,
        73: struct.pack("<H", 1) + struct.pack("<i", 7) + bytes(24),
        74: struct.pack("<I", 1) + struct.pack("<i12x", 7),
    }
    paragraphs = [("Scope\r", 1, b""), ("Terms\r", 1, b"")]
    assert lines(word97(paragraphs, lists=lists, behind={73: level(0, "\x00.") * 9}), "doc") == [
        "heading: 1. Scope",
        "heading: 2. Terms",
    ]


def test_item_of_an_undefined_list_gets_a_dash() -> None:
    assert lines(word97([("one\r", 0, struct.pack("<HH", 0x460B, 1)), "text\r"]), "doc") == [
        "list: - one",
        "text: text",
    ]
    assert lines(word97([("one\r", 0, struct.pack("<HH", 0x460B, 0))]), "doc") == ["text: one"]


@pytest.mark.parametrize("pieces", [1, 2])
def test_tracked_deletion_is_left_out(pieces: int) -> None:
    assert lines(
        word97(["Keep this, not that.\r", "Next.\r"], pieces=pieces, deleted=(4, 9)), "doc"
    ) == [
        "text: Keep, not that.",
        "text: Next.",
    ]


def test_notes_headers_and_boxes_are_read() -> None:
    paragraphs = ["First\x02 line.\r", "Second.\r"]
    stories = ["", "", "", "", "", "", "Even\r", "Draft\r", "", "ACME\r", "", ""]
    ends = [sum(map(len, stories[:at])) for at in range(len(stories) + 1)]
    lists = {
        2: struct.pack("<IIH", 5, 99, 1),
        3: struct.pack("<III", 0, 6, 7),
        11: struct.pack(f"<{len(ends)}I", *ends),
    }
    others = {"footnote": "\x02Note\r\r", "header": "".join(stories), "box": "In a box\r"}
    found = blocks(word97(paragraphs, others, lists=lists), "doc")
    assert [(block.kind, block.text, block.place.within) for block in found] == [
        ("header", "Even", "header"),
        ("header", "Draft", "header"),
        ("text", "First line.", ""),
        ("note", "footnote: Note", ""),
        ("text", "Second.", ""),
        ("text", "In a box", ""),
        ("footer", "ACME", "footer"),
    ]


def test_text_beyond_max_text_is_left_out() -> None:
    found = read_checked(
        word97(["words and words and some more words\r"] * 2000),
        "doc",
        DocumentOptions(max_text=5000),
    )
    assert 3000 < len(found.text) < 7000


def test_encrypted_doc_is_skipped() -> None:
    assert skip_reason(word97(["x\r"], flags=0x0300), "doc") == "password-protected"
    assert skip_reason(word97(["x\r"], flags=0x8200), "doc") == "password-protected"


# Wrong numbers, other files


@pytest.mark.parametrize("value", [0xFFFFFFFF, 0x7FFFFFFF, 5])
def test_invalid_offsets_raise_no_error(value: int) -> None:
    intact = bytearray(word97([("One\r", 1, b""), "words\r"], pieces=2))
    main = intact.index(b"\xec\xa5\xc1\x00")
    for at in range(0x9A, 0x9A + 8 * 76, 4):
        corrupted = bytearray(intact)
        struct.pack_into("<I", corrupted, main + at, value)
        assert skip_reason(bytes(corrupted), "doc") in ("", "damaged doc", "no text"), at


@pytest.mark.parametrize("at", range(8))
def test_too_high_counts_raise_no_error(at: int) -> None:
    corrupted = bytearray(word97(["words\r"]))
    struct.pack_into(
        "<i", corrupted, corrupted.index(b"\xec\xa5\xc1\x00") + 0x4C + 4 * at, 0x7FFFFFF0
    )
    assert skip_reason(bytes(corrupted), "doc") in ("", "damaged doc", "no text")


@pytest.mark.parametrize("cut", [20, 600, 2000, 4000])
def test_truncated_doc_raises_no_error(cut: int) -> None:
    assert skip_reason(word97(["words\r"])[:cut], "doc") in (
        "damaged doc",
        "no doc inside",
        "no text",
        "",
    )


def test_other_formats_with_doc_extension_are_reported() -> None:
    assert read_checked(docx(p("Really new")), "doc").language == "docx"
    assert skip_reason(compound({"Workbook": b"x"}), "doc") == "xls under another name"
    assert skip_reason(compound({"PowerPoint Document": b"x"}), "doc") == "ppt under another name"
    assert skip_reason(compound({"Contents": b"x"}), "doc") == "no doc inside"
    assert skip_reason(compound({"WordDocument": b"x" * 5000}), "doc") == "damaged doc"


def test_html_or_text_with_doc_extension_is_detected() -> None:
    page = chunk(b"<html><body><h1>Report</h1></body></html>", "doc")
    assert (page.language, page.derived, bool(page.chunks)) == ("html", b"", True)
    note = chunk(b"Just a note.\n", "doc")
    assert (note.language, note.chunks[0].text, note.derived) == ("text", "Just a note.", b"")
    assert chunk(b"\x00\x01\x02" * 100, "doc").skipped == "binary"
    assert chunk(b"", "doc").skipped == "empty"
