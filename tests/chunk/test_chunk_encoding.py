"""Tests of decoding: UTF-8 as it is, other encodings as declared or detected, never an
exception.
"""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit.chunk import chunk, text_of

GERMAN = "def größe(maß):\n    return 'Übergröße'\n"
RUSSIAN = "# Складывает строки корзины.\ntotal = сумма(строки)\n"


def test_utf_8_is_returned_unchanged() -> None:
    data = GERMAN.encode()
    assert text_of(data) is data


def test_byte_order_mark_is_removed() -> None:
    assert text_of(codecs.BOM_UTF8 + GERMAN.encode()) == GERMAN.encode()
    [only] = chunk(codecs.BOM_UTF8 + GERMAN.encode(), "python").chunks
    assert (only.start, only.symbol) == (0, "größe")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_utf_16_and_utf_32_with_a_byte_order_mark_are_decoded(codec: str) -> None:
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
    mark |= {"utf-32-le": codecs.BOM_UTF32_LE, "utf-32-be": codecs.BOM_UTF32_BE}
    data = mark[codec] + GERMAN.encode(codec)
    assert text_of(data) == GERMAN.encode()
    assert text_of(data + b"\x00") is not None  # half a character at the end


@pytest.mark.parametrize("codec", ["latin-1", "cp1252", "iso8859-15"])
def test_western_single_byte_encodings_are_decoded(codec: str) -> None:
    assert text_of(GERMAN.encode(codec)) == GERMAN.encode()


def test_windows_1252_quotes_are_decoded() -> None:
    assert text_of("“so” – sagt’s\n".encode("cp1252")) == "“so” – sagt’s\n".encode()


@pytest.mark.parametrize("codec", ["cp1251", "koi8-r"])
def test_cyrillic_single_byte_encodings_are_decoded(codec: str) -> None:
    assert text_of(RUSSIAN.encode(codec)) == RUSSIAN.encode()


@pytest.mark.parametrize(
    "declaration",
    [
        "# -*- coding: {} -*-\n",
        "<?xml version='1.0' encoding=\"{}\"?>\n",
        '<meta charset="{}">\n',
        "# vim: set fileencoding={} :\n",
    ],
)
def test_declared_encoding_is_used(declaration: str) -> None:
    text = declaration.format("shift_jis") + "漢字とかな\n"
    assert text_of(text.encode("shift_jis")) == text.encode()


@pytest.mark.parametrize("declared", ["punycode", "zlib", "nonsense-9", "utf-8", "unicode_escape"])
def test_wrong_encoding_declaration_is_ignored(declared: str) -> None:
    data = f"# coding: {declared}\nname = 'größe'\n".encode("latin-1")
    assert text_of(data) == data.decode("latin-1").encode()


def test_invalid_utf_8_byte_is_replaced() -> None:
    data = (GERMAN * 3).encode() + b"\xff\n"
    text = text_of(data)
    assert text is not None
    assert text.decode() == GERMAN * 3 + "\ufffd\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\x00",
        b"PK\x03\x04\x14\x00",
        bytes(range(256)) * 4,
        b"\x01\x02\x03\x04\xff" * 50,
    ],
)
def test_binary_file_is_skipped(data: bytes) -> None:
    assert text_of(data) is None
    assert chunk(data, "python").skipped == "binary"


def test_text_with_a_late_nul_byte_is_not_binary() -> None:
    data = b"x = 1\n" * 2000 + b"\x00\n"
    assert text_of(data) == data
    assert chunk(data, "python").chunks[-1].text.endswith("\x00")


@given(st.binary(max_size=300))
def test_any_bytes_give_utf_8_or_none(data: bytes) -> None:
    text = text_of(data)
    assert text is None or text.decode() is not None


@given(st.text(max_size=300))
def test_any_utf_8_without_nul_is_returned_unchanged(text: str) -> None:
    data = text.encode("utf-8", "replace")
    if b"\0" not in data and not data.startswith(codecs.BOM_UTF8):
        assert text_of(data) == data
