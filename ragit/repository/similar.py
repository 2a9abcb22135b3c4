"""Searches for code similar to the chunk at a line of a file."""

from __future__ import annotations

from ragit.errors import ConfigError
from ragit.query import Query
from ragit.records import NamedTuple, replaced
from ragit.search import OpenTree
from ragit.types import Answer, path_text

OVERLAPPING = 3
"""Hits requested beyond top_k: the chunk itself, and hits merged with its neighbours."""


class Sample(NamedTuple):
    """The chunk to find similar ones for."""

    path: str
    line: int
    start_line: int
    end_line: int
    text: str


def parse_place(place: str) -> tuple[str, int]:
    """Return the file and the line of FILE:LINE. Raises ConfigError."""
    file, _, line = place.rpartition(":")
    if not file or not line.isdecimal() or not int(line):
        raise ConfigError(
            f"{place!r} is not FILE:LINE", "For example: ragit search --like src/a.py:12"
        )
    return file, int(line)


def sample_at(opened: OpenTree, path: bytes, line: int) -> Sample:
    """Return the smallest chunk at a line of a file. Raises NoSuchPath."""
    row, code = opened.chunk_at(path, line)
    text = code.decode("utf-8", "replace")
    return Sample(path_text(path), line, row.start_line, row.end_line, text)


def as_query(query: Query, sample: Sample, top_k: int) -> Query:
    """Return the query for chunks similar to a sample: by vectors, since a chunk has too many
    words.
    """
    return replaced(query, text=sample.text, mode="vector", top_k=top_k + OVERLAPPING)


def without_sample(answer: Answer, sample: Sample, top_k: int) -> Answer:
    """Return an answer without the sample itself, with its FILE:LINE as the query."""
    hits = [
        hit
        for hit in answer.hits
        if hit.path != sample.path
        or hit.end_line < sample.start_line
        or hit.start_line > sample.end_line
    ]
    return replaced(answer, query=f"{sample.path}:{sample.line}", hits=tuple(hits[:top_k]))
