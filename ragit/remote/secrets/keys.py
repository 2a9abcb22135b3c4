"""Private keys: blocks of lines, which are often longer than one chunk of a file.

So where they stand is decided on the whole text of a file, before it is cut (`private_key_spans`), and what was found is taken out
of each piece of it (`without_spans`): the middle of a key has no form by which it could be told from any other base64.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence

GONE = "***"
"""What stands in the place of what was taken out."""

Spans = Sequence[tuple[int, int]]
"""Offsets, half-open, in order, none over another and none over a line's end."""

_MARK = "PRIVATE KEY"
_PUTTY = "Private-Lines:"
_PACKED = "LS0tL"
"""What `---` begins with in base64: a key in a manifest of Kubernetes is packed once more."""

_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY ----"
_END = r"----(?:-| )END [A-Z0-9 ]{0,40}PRIVATE KEY"
_WRAPPED = r"(?<![A-Za-z0-9+/])LS0tL[A-Za-z0-9+/]{40,}={0,2}"


def may_hold_private_key(text: str) -> bool:
    """False where there is no private key for sure. As fast as looking for a word."""
    return _MARK in text or _PUTTY in text or _PACKED in text


def private_key_spans(text: str) -> Spans:
    """Where lines of private keys stand: between two marks, after the first or before the last of them.

    By lines and not by one pattern: where a mark is missing, a pattern tries every way to cut the lines before it.
    """
    lines = text.split("\n")
    gone: dict[int, tuple[int, int]] = {}
    for number, line in enumerate(lines):
        if (begin := re.search(rf"{_BEGIN}|Private-Lines: \d+", line)) is not None:
            if rest := _key_begun(line, begin.end()):
                gone[number] = rest
            gone.update(_key_lines(lines, number + 1, 1))
        elif re.search(_END, line) and number - 1 not in gone:
            gone.update(_key_lines(lines, number - 1, -1))
        elif _PACKED in line and (packed := _base64_key(line)):
            gone[number] = packed
            gone.update(_key_lines(lines, number + 1, 1))
    return list(_offsets(lines, gone))


def without_spans(text: str, found: Spans, start: int = 0) -> tuple[str, int]:
    """A piece of the text that begins at `start`, without what was found in it; and how many keys it held a part of."""
    parts: list[str] = []
    at, keys, last, counted = 0, 0, -2, False
    for first, stop in ((first - start, stop - start) for first, stop in found):
        counted = counted and first == last + 1  # lines of one key follow each other
        last = stop
        first, stop = max(first, 0), min(stop, len(text))
        if first >= stop:
            continue
        keys += not counted
        counted = True
        parts += [text[at:first], GONE]
        at = stop
    return "".join(parts) + text[at:], keys


def decode_without_keys(whole: bytes, start: int, end: int) -> str:
    """A range of a file's bytes as text, without what the whole file tells to be of a private key."""
    text = whole[start:end].decode("utf-8", "replace")
    letters = whole.decode("latin-1")  # one for each byte
    if not may_hold_private_key(letters):
        return text
    clean, keys = without_spans(letters[start:end], private_key_spans(letters), start)
    return clean.encode("latin-1").decode("utf-8", "replace") if keys else text


def _offsets(lines: Sequence[str], gone: dict[int, tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start = 0
    for number, line in enumerate(lines):
        if number in gone:
            first, stop = gone[number]
            yield start + first, start + stop
        start += len(line) + 1


def _key_begun(line: str, end: int) -> tuple[int, int] | None:
    """Of the line on which a key begins, what of the key stands on it: a string that holds all of it, say."""
    close = line.find("-----END", end)
    close = len(line) if close < 0 else close
    return (end, close) if re.search(r"[A-Za-z0-9+/]{16}", line[end:close]) else None


def _base64_key(line: str) -> tuple[int, int] | None:
    """A key that is packed in base64 once more."""
    for match in re.finditer(_WRAPPED, line):
        whole = match[0].rstrip("=")
        if _MARK.encode() in base64.b64decode(whole[: len(whole) // 4 * 4]):
            return match.span()
    return None


def _key_lines(lines: Sequence[str], start: int, step: int) -> dict[int, tuple[int, int]]:
    """The lines from `start` on that can be lines of a key; one that is no longer or a mark ends them."""
    found: dict[int, tuple[int, int]] = {}
    number = start
    while 0 <= number < len(lines) and "----" not in lines[number] and _is_key_line(lines[number]):
        found[number] = (0, len(lines[number]))
        number += step
    return found if any(len(_bare(lines[one])) >= 32 for one in found) else {}


def _is_key_line(line: str) -> bool:
    """Base64, in quotes and with a sign to join it or without; headers such as DEK-Info; a blank line."""
    return bool(re.fullmatch(r"[A-Za-z0-9+/=]*|[A-Za-z-]{3,20}: .{1,80}", _bare(line)))


def _bare(line: str) -> str:
    return re.sub(r"\\[nr]", "", line).strip(" \t\r\"'`+,;\\*#/|()")
