"""Match path patterns written like those of .gitignore. Paths are bytes.

A pattern without a slash matches a file or folder of that name at any depth (*.py, tests); one with
a slash is anchored at the root (src/*.py, /docs, lib/**/test_*.c). A matching folder matches with
its content; a slash at the end matches folders only. `*` and `?` stop at a slash; `**` between
slashes stands for any number of folders. [abc], [a-z] and [!abc] are sets of bytes, a backslash
escapes the next character, a `[` without its `]` is itself. Case matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

_TOKEN = rb"(?s)\\.|\*+|\?|\[[!^]?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\]|."
_MEMBER = rb"(?s)\[:([a-z]+):\]|(?:\\(.)|(.))(?:-(?:\\(.)|([^\]])))?"
_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"digit": b"0-9",
    b"lower": b"a-z",
    b"space": rb"\s",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}
_NOTHING = b"(?!)"


def _translated(token: bytes) -> bytes:
    if token == b"?":
        return b"[^/]"
    if token.startswith(b"[") and len(token) > 2:
        return _set(token[1:-1])
    return re.escape(token[1:] if token.startswith(b"\\") and len(token) > 1 else token)


def _set(body: bytes) -> bytes:
    negated = body[:1] in {b"!", b"^"}
    members = b"".join(map(_member, re.finditer(_MEMBER, body[negated:])))
    if not members:
        return b"[^/]" if negated else _NOTHING
    return b"(?!/)[" + (b"^" if negated else b"") + members + b"]"


def _member(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return _CLASSES.get(match[1], b"")
    low = match[2] or match[3]
    high = match[4] or match[5] or low
    return re.escape(low) + b"-" + re.escape(high) if low <= high else b""


class _Numbers:
    """Group names, each used once in a pattern."""

    def __init__(self) -> None:
        self._last = 0

    def first_of(self, skipped: bytes, wanted: bytes) -> bytes:
        """Return a regex for the nearest match of `wanted`, without backtracking to a later one.

        A later match is not needed, since what follows may skip anything, too. Backtracking would
        take exponential time for a pattern of many stars, and patterns may come with a clone.
        """
        self._last += 1
        name = b"g%d" % self._last
        return b"(?=(?P<" + name + b">" + skipped + b"*?" + wanted + b"))(?P=" + name + b")"


def _segment(segment: bytes, numbers: _Numbers) -> bytes:
    """Return the regex of a name between slashes."""
    parts = [b""]
    for token in re.findall(_TOKEN, segment):
        if token.startswith(b"*"):
            parts.append(b"")
        else:
            parts[-1] += _translated(token)
    if len(parts) == 1:
        return parts[0]
    first, *between, last = parts
    return (
        first
        + b"".join(numbers.first_of(b"[^/]", part) for part in between if part)
        + b"[^/]*"
        + last
    )


def _body(segments: list[bytes]) -> bytes:
    """Return the regex of a pattern's names, without the text allowed before and after."""
    numbers = _Numbers()
    last = len(segments) - 1
    parts = [b""]
    for at, segment in enumerate(segments):
        if segment != b"**" or not last:
            parts[-1] += _segment(segment, numbers) + (b"/" if at < last else b"")
        elif at == last:
            parts[-1] += b".+"
        elif parts[-1] or at == 0:
            parts.append(b"")
    if len(parts) == 1:
        return parts[0]
    first, *between, end = parts
    skipped = b"(?:[^/]+/)"
    return (
        first + b"".join(numbers.first_of(skipped, part) for part in between) + skipped + b"*" + end
    )


@lru_cache(maxsize=512)
def _regex(pattern: str) -> re.Pattern[bytes]:
    text = _bytes(pattern)
    named = text.removesuffix(b"/")

    head = b"" if b"/" in named else b"(?:.*/)?"
    body = _body(named.removeprefix(b"/").split(b"/"))
    tail = b"/.*" if text.endswith(b"/") else b"(?:/.*)?"
    return re.compile(head + body + tail, re.DOTALL)


def _bytes(pattern: str) -> bytes:
    try:
        return pattern.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair, which no path contains
        return pattern.encode("utf-8", "surrogatepass")


def matcher(patterns: Iterable[str]) -> Callable[[bytes], bool] | None:
    """Return a test of a path against any of the patterns; None without patterns."""
    regexes = [_regex(pattern) for pattern in patterns if pattern.strip("/")]
    if not regexes:
        return None
    return lambda path: any(regex.fullmatch(path) for regex in regexes)


LESS = "!"
"""Prefix of a filter that excludes files."""


def chooser(filters: Iterable[str]) -> Callable[[bytes], bool] | None:
    """Return a test of a path against filters; None if all files pass.

    A path passes if a filter without `!` matches (or there is none), and no filter with `!` does.
    """
    listed = list(filters)
    wanted = matcher(one for one in listed if not one.startswith(LESS))
    unwanted = matcher(one[len(LESS) :] for one in listed if one.startswith(LESS))
    if unwanted is None:
        return wanted
    return lambda path: not unwanted(path) and (wanted is None or wanted(path))


def from_top(pattern: str, here: str, top: str | None) -> str | None:
    """Return a pattern relative to the top of the repository; None if it leads out of it.

    A pattern that begins with `./` or `../` is relative to the folder `here` (itself relative to
    the top), an absolute one to the root, all others to the top.
    """
    end = "/" if pattern.endswith("/") else ""
    if top and f"{pattern}/".startswith(f"{top.rstrip('/')}/"):
        segments = pattern[len(top.rstrip("/")) :].split("/")
    elif pattern.split("/")[0] in {".", ".."}:
        segments = [*map(literal, here.split("/")), *pattern.split("/")]
    else:
        return pattern if pattern.strip("/") else _ALL
    kept: list[str] = []
    for segment in segments:
        if segment == ".." and not kept:
            return None
        if segment == "..":
            kept.pop()
        elif segment not in {"", "."}:
            kept.append(segment)
    return f"/{'/'.join(kept)}{end}" if kept else _ALL


_ALL = "**"


def literal(name: str) -> str:
    """Return a name as a pattern that matches only it."""
    return re.sub(r"([\\*?\[])", r"\\\1", name)
