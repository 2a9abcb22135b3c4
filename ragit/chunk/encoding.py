"""Decode the bytes of a file to the UTF-8 text of chunks, postings and search.

A UTF-8 file is its own text, byte for byte, even with a NUL far down or odd control characters;
only a byte order mark is left out. Everything else is decoded and encoded again as UTF-8. No bytes
raise.
"""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the other's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFF = 8000
"""Bytes searched for a NUL, which means binary; git uses the same number."""

# `re` compiles these two for the first file that is not UTF-8, which takes 0.4 ms.
_DECLARED = (
    rb"""(?: coding[:=] | fileencoding= | \bfenc= | <\?xml[^>]{0,200}?encoding=["']"""
    rb""" | charset=["']? ) [ \t]*
    ([A-Za-z0-9._-]{2,40})"""
)
# Only codecs that map bytes to text in one linear pass: Python knows others, such as "zlib".
_PLAIN_CODEC = (
    r"(iso-?8859|latin|l[1-9]$|cp\d|windows-?\d|koi8|mac|euc|shift|sjis|gb|big5|hz$|iso-?2022|johab"
    r"|tis|utf-?8)"
)
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b\x0b"))


def text_of(data: bytes) -> bytes | None:
    """Return a blob's text as UTF-8 without a byte order mark; None if the blob is binary.

    Offsets of chunks count in these bytes. For a UTF-8 file without a mark they are `data` itself.
    """
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
    else:
        for mark, codec in _BOMS:
            if data.startswith(mark):
                return _utf_16_or_32(data[len(mark) :], codec)
    if b"\0" in data[:_SNIFF]:
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _other_encoding(data)
    return data


def _utf_16_or_32(data: bytes, codec: str) -> bytes | None:
    text = data.decode(codec, "replace")
    if "\0" in text[:_SNIFF]:
        return None
    return text.encode("utf-8", "replace")


def _other_encoding(data: bytes) -> bytes | None:
    if b"\0" in data or _looks_binary(data):
        return None
    declared = _declared(data)
    if declared:
        try:
            return data.decode(declared).encode("utf-8", "replace")
        except (LookupError, ValueError):
            pass  # the declaration is wrong: guess by the bytes
    if _broken_utf_8(data):
        return data.decode("utf-8", "replace").encode("utf-8")
    return data.decode(single_byte(data), "replace").encode("utf-8")


def _looks_binary(data: bytes) -> bool:
    head = data[:_SNIFF]
    return len(head) - len(head.translate(None, _CONTROL)) > len(head) // 50


def _declared(data: bytes) -> str:
    """Return the codec declared in the first or last lines; empty if there is none.

    Reads declarations of Python, XML, HTML, Emacs and Vim.
    """
    for part in (data[:1024], data[-512:]):
        found = re.search(_DECLARED, part, re.VERBOSE)
        if found:
            name = found.group(1).decode("ascii").lower()
            if re.match(_PLAIN_CODEC, name):
                return name
    return ""


def _broken_utf_8(data: bytes) -> bool:
    """Return whether bytes are UTF-8 with a few bad bytes, whose other letters Latin-1
    would spoil.
    """
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(1 for letter in re.findall(r"[^\x00-\x7f]", text) if letter != "\ufffd")
    return good > 4 * bad


def single_byte(data: bytes) -> str:
    """Return the likeliest single-byte encoding of a text.

    Words of high bytes alone are Cyrillic; single accented letters are Latin.
    """
    runs = re.findall(rb"[\xc0-\xff]{3,}", data)
    high = len(re.findall(rb"[\x80-\xff]", data))
    in_runs = sum(map(len, runs))
    if in_runs * 10 < high * 7:
        # Windows' code page is Latin-1 with letters and quotes where Latin-1 has control codes.
        return "latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", data) else "cp1252"
    # Lower case prevails in any text: the upper half of the range in Windows-1251, the lower
    # half in KOI8-R.
    upper_half = sum(len(re.findall(rb"[\xe0-\xff]", run)) for run in runs)
    return "cp1251" if upper_half * 2 > in_runs else "koi8-r"
