"""Adds lines between two markers at the end of a text, and removes them again.

A text without a final line end has none afterwards either, so removal restores it exactly, without
a record.
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


def new_file(lines: Sequence[str], comment: Comment) -> str:
    """Return the text of a new file."""
    return "\n".join(_block(lines, comment, _NEW)) + "\n"


def is_new_file(text: str, comment: Comment) -> bool:
    """Return whether a file is as created: only the lines, and blank ones at the end."""
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
    # The line end before the block was added with it, of the kind of the text before.
    added = _newline(before[:-2]) if before.endswith("\r\n") else "\n"
    return before.removesuffix(added)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


class _Found(NamedTuple):
    start: int
    end: int
    """End of the last marker, without its line end."""
    new: bool
    """True if the file was created for the lines."""


def _find(text: str, comment: Comment) -> _Found | None:
    """Return the place of the block. Raises Unfit if a marker is missing or repeated."""
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
