"""Rich Text Format (.rtf), read by striprtf: paragraphs and tables. It tells neither headings nor pages apart."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import groupby

from ragit.chunk.documents.block import Block, Bounds, Place, Unreadable

_CODE_PAGE = re.compile(rb"\\ansicpg(\d{2,5})")
_PICTURE = re.compile(rb"\\(?:pict|objdata)\b[^{}]*")
"""Hexadecimal digits of a picture or of an embedded file, mostly nearly all of the file."""


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Paragraphs, and the rows of tables with their first row above them."""
    from striprtf.striprtf import rtf_to_text

    if not data.lstrip().startswith(b"{\\rtf"):
        raise Unreadable("no rtf file")
    try:
        code = _PICTURE.sub(b"", data).decode(_code_page(data), "replace")
        text: str = rtf_to_text(code, errors="replace")  # type: ignore[no-untyped-call]
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, LookupError, OverflowError) as error:
        raise Unreadable("damaged rtf") from error
    # A row's cells each end with a bar.
    for is_table, lines in groupby(text.split("\n"), lambda line: line.endswith("|")):
        if is_table:
            yield from _table(list(lines))
        else:
            yield from (Block(line.strip()) for line in lines if line.strip())


def _code_page(data: bytes) -> str:
    found = _CODE_PAGE.search(data[:4096])
    name = f"cp{found[1].decode('ascii')}" if found else "cp1252"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "utf-8" if name == "cp65001" else "cp1252"


def _table(lines: list[str]) -> Iterator[Block]:
    rows = [" ".join(" | ".join(line.rstrip("|").split("|")).split()) for line in lines]
    rows = [row for row in rows if row.strip("| ")]
    header = rows[0] if len(rows) > 1 else ""
    for row in rows[1:] or rows:
        yield Block(row, Place(), (), "table", header)
