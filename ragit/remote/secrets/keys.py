"""Finds private keys: blocks of lines, often longer than one chunk of a file.

The middle of a key looks like any other base64, so `private_key_spans` searches the whole text of a
file, and `without_spans` removes its spans from each part.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence

GONE = "***"
"""Replacement of a secret."""

Spans = Sequence[tuple[int, int]]
"""Offsets, half-open and in order, without overlaps or line ends."""

_MARK = "PRIVATE KEY"
_PUTTY = "Private-Lines:"
_PACKED = "LS0tL"
"""Base64 of `---`: Kubernetes manifests encode keys once more."""

_BEGIN = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|---- BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY ----"
)
_END = r"----(?:-| )END [A-Z0-9 ]{0,40}PRIVATE KEY"
_WRAPPED = r"(?<![A-Za-z0-9+/])LS0tL[A-Za-z0-9+/]{40,}={0,2}"


def may_hold_private_key(text: str) -> bool:
    """Return False if the text surely has no private key. Fast."""
    return _MARK in text or _PUTTY in text or _PACKED in text


def private_key_spans(text: str) -> Spans:
    """Return the lines of private keys: between two marks, after the first or before the last.

    Reads line by line: without a mark, one pattern would try every way to split the lines before
    it.
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
    """Return a part of a text without the spans, and the number of keys with a span in it.

    `start` is the offset of the part; spans are offsets of the whole text.
    """
    parts: list[str] = []
    at, keys, last, counted = 0, 0, -2, False
    for first, stop in ((first - start, stop - start) for first, stop in found):
        counted = counted and first == last + 1  # consecutive lines belong to one key
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
    """Return a range of a file's bytes as text, without the private keys of the whole file."""
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
    """Return the span of a key's content on the line of its first mark; None if there is none."""
    close = line.find("-----END", end)
    close = len(line) if close < 0 else close
    return (end, close) if re.search(r"[A-Za-z0-9+/]{16}", line[end:close]) else None


def _base64_key(line: str) -> tuple[int, int] | None:
    """Return the span of a key that is base64-encoded once more."""
    for match in re.finditer(_WRAPPED, line):
        whole = match[0].rstrip("=")
        if _MARK.encode() in base64.b64decode(whole[: len(whole) // 4 * 4]):
            return match.span()
    return None


def _key_lines(lines: Sequence[str], start: int, step: int) -> dict[int, tuple[int, int]]:
    """Return the spans of possible key lines from `start` up to a mark."""
    found: dict[int, tuple[int, int]] = {}
    number = start
    while 0 <= number < len(lines) and "----" not in lines[number] and _is_key_line(lines[number]):
        found[number] = (0, len(lines[number]))
        number += step
    return found if any(len(_bare(lines[one])) >= 32 for one in found) else {}


def _is_key_line(line: str) -> bool:
    """Return whether a line is base64 (plain, quoted or joined), a header like DEK-Info, or
    blank.
    """
    return bool(re.fullmatch(r"[A-Za-z0-9+/=]*|[A-Za-z-]{3,20}: .{1,80}", _bare(line)))


def _bare(line: str) -> str:
    return re.sub(r"\\[nr]", "", line).strip(" \t\r\"'`+,;\\*#/|()")
