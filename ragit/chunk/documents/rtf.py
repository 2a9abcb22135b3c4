"""Read Rich Text Format (.rtf) by striprtf: titles, paragraphs, lists, tables and notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from striprtf.striprtf import rtf_to_text

from ragit.chunk.documents.block import Block, Bounds, Unreadable
from ragit.chunk.documents.rtf_flow import Flow
from ragit.chunk.documents.rtf_marks import (
    ASIDE_BEGINS,
    ASIDE_ENDS,
    CELL,
    KINDS,
    LABEL_BEGINS,
    LABEL_ENDS,
    PARAGRAPH,
    ROW,
    Marker,
    level_and_depth,
    number_in,
)

_PART = re.compile(
    f"[{PARAGRAPH}{ASIDE_BEGINS}].|[{CELL}-{LABEL_ENDS}]|[^{PARAGRAPH}-{LABEL_ENDS}]+", re.DOTALL
)
_REST = Block("[The text goes on: the rest is left out.]", kind="note")


def read(data: bytes, bounds: Bounds) -> Iterator[Block]:
    """Read paragraphs under their titles, and rows of tables under their first row."""
    if not data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{\\rtf"):
        raise Unreadable("no rtf file")
    marker = Marker(data.decode("latin-1"), bounds)
    text: str = rtf_to_text(marker.marked, marker.encoding, "replace")  # type: ignore[no-untyped-call]
    yield from _blocks(text, bounds)
    if marker.cut:
        yield _REST


def _blocks(text: str, bounds: Bounds) -> Iterator[Block]:
    main = flow = Flow("", bounds)
    around: list[Flow] = []
    for found in _PART.finditer(text):
        part = found[0]
        mark = part[0]
        if mark == ASIDE_BEGINS:
            around.append(flow)
            flow = Flow(KINDS[number_in(part[1])], bounds)
        elif mark == ASIDE_ENDS:
            flow.end()
            blocks, flow = flow.take(), around.pop()
            flow.beside(blocks)
        else:
            _feed(flow, mark, part)
        yield from main.take()
    main.end()
    yield from main.take()


def _feed(flow: Flow, mark: str, part: str) -> None:
    """Pass text, or the end of a paragraph, cell or row, to its flow."""
    if mark == PARAGRAPH:
        flow.end_paragraph(*level_and_depth(part[1]))
    elif mark == CELL:
        flow.end_cell()
    elif mark == ROW:
        flow.end_row()
    elif mark in (LABEL_BEGINS, LABEL_ENDS):
        flow.in_label = mark == LABEL_BEGINS
    elif flow.in_label:
        flow.mark = (flow.mark + part)[:40]
    else:
        flow.add(part)
