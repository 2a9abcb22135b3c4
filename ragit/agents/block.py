"""Adds lines between two markers at the end of a text, and cuts them out again.

If the text had no line end after its last line, it has none afterwards either: so removal gives the
same text, without a record of what was there.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragit.agents.unfit import Unfit
from ragit.records import NamedTuple

_NEW = ", new file"


class Comment(NamedTuple):
    """The signs around a comment on a line of its own, by format."""

    before: str
    after: str


MARKDOWN = Comment("<!-- ", " -->")
HASH = Comment("# ", "")


def made(lines: Sequence[str], comment: Comment) -> str:
    """Return the text of a new file."""
    return "\n".join(_block(lines, comment, _NEW)) + "\n"


def is_made(text: str, comment: Comment) -> bool:
    """Return True if a file is as it was made: nothing but the lines, and blank ones at the end."""
    found = _find(text, comment)
    return found is not None and found.new and not (text[: found.start] + text[found.end :]).strip()


def lines_in(text: str, comment: Comment) -> list[str] | None:
    """Return the lines between the markers; None if there are none. Raises Unfit."""
    found = _find(text, comment)
    return None if found is None else text[found.start : found.end].splitlines()[1:-1]


def with_lines(text: str, lines: Sequence[str], comment: Comment) -> str:
    """Return a text with the lines added or replaced. Raises Unfit if the markers are damaged."""
    found = _find(text, comment)
    if found is not None:
        newline = _newline(text[found.start : found.end])
        block = newline.join(_block(lines, comment, _NEW if found.new else ""))
        return text[: found.start] + block + text[found.end :]
    newline = _newline(text)
    block = newline.join(_block(lines, comment, ""))
    if not text or text.endswith("\n"):
        return f"{text}{block}{newline}"
    return f"{text}{newline}{block}"


def without_lines(text: str, comment: Comment) -> str:
    """Return a text without the lines. Raises Unfit if the markers are damaged."""
    found = _find(text, comment)
    if found is None:
        return text
    before, after = text[: found.start], text[found.end :]
    if after:
        return before + after.removeprefix("\r").removeprefix("\n")
    # The line end before the block was added with it, of the kind that the text before it has.
    added = _newline(before[:-2]) if before.endswith("\r\n") else "\n"
    return before.removesuffix(added)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


class _Found(NamedTuple):
    start: int
    end: int
    """The end of the last marker, without its line end."""
    new: bool
    """True if the file was made for the lines."""


def _find(text: str, comment: Comment) -> _Found | None:
    """Return where the block is. Raises Unfit if a marker is missing or there twice."""
    begins = (_mark(comment, "begin"), _mark(comment, f"begin{_NEW}"))
    end = _mark(comment, "end")
    marks: list[tuple[int, str]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        if (bare := line.rstrip("\r\n")) in (*begins, end):
            marks.append((at, bare))
        at += len(line)
    if not marks:
        return None
    if len(marks) != 2 or marks[0][1] not in begins or marks[1][1] != end:
        raise Unfit("the lines that mark ragit's part are not one pair")
    (start, begin), (last, _) = marks
    return _Found(start, last + len(end), begin == begins[1])


def _block(lines: Sequence[str], comment: Comment, note: str) -> list[str]:
    return [_mark(comment, f"begin{note}"), *lines, _mark(comment, "end")]


def _mark(comment: Comment, word: str) -> str:
    return f"{comment.before}ragit: {word}{comment.after}"
