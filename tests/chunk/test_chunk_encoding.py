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


def test_utf_8_is_its_own_text() -> None:
    data = GERMAN.encode()
    assert text_of(data) is data


def test_a_byte_order_mark_is_left_out() -> None:
    assert text_of(codecs.BOM_UTF8 + GERMAN.encode()) == GERMAN.encode()
    [only] = chunk(codecs.BOM_UTF8 + GERMAN.encode(), "python").chunks
    assert (only.start, only.symbol) == (0, "größe")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_with_a_mark(codec: str) -> None:
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
    mark |= {"utf-32-le": codecs.BOM_UTF32_LE, "utf-32-be": codecs.BOM_UTF32_BE}
    data = mark[codec] + GERMAN.encode(codec)
    assert text_of(data) == GERMAN.encode()
    assert text_of(data + b"\x00") is not None  # half a letter at the end


@pytest.mark.parametrize("codec", ["latin-1", "cp1252", "iso8859-15"])
def test_western_single_byte(codec: str) -> None:
    assert text_of(GERMAN.encode(codec)) == GERMAN.encode()


def test_quotes_of_windows() -> None:
    assert text_of("“so” – sagt’s\n".encode("cp1252")) == "“so” – sagt’s\n".encode()


@pytest.mark.parametrize("codec", ["cp1251", "koi8-r"])
def test_cyrillic_single_byte(codec: str) -> None:
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
def test_declared_encodings(declaration: str) -> None:
    text = declaration.format("shift_jis") + "漢字とかな\n"
    assert text_of(text.encode("shift_jis")) == text.encode()


@pytest.mark.parametrize("lie", ["punycode", "zlib", "nonsense-9", "utf-8", "unicode_escape"])
def test_a_wrong_declaration_is_passed_over(lie: str) -> None:
    data = f"# coding: {lie}\nname = 'größe'\n".encode("latin-1")
    assert text_of(data) == data.decode("latin-1").encode()


def test_utf_8_with_a_bad_byte_keeps_the_rest() -> None:
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
def test_binary(data: bytes) -> None:
    assert text_of(data) is None
    assert chunk(data, "python").skipped == "binary"


def test_a_nul_far_down_does_not_make_a_text_binary() -> None:
    data = b"x = 1\n" * 2000 + b"\x00\n"
    assert text_of(data) == data
    assert chunk(data, "python").chunks[-1].text.endswith("\x00")


@given(st.binary(max_size=300))
def test_any_bytes_give_utf_8_or_nothing(data: bytes) -> None:
    text = text_of(data)
    assert text is None or text.decode() is not None


@given(st.text(max_size=300))
def test_any_text_without_nul_comes_back(text: str) -> None:
    data = text.encode("utf-8", "replace")
    if b"\0" not in data and not data.startswith(codecs.BOM_UTF8):
        assert text_of(data) == data
