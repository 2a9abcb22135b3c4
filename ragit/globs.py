"""Path patterns, as .gitignore taught everybody to write them. Pure; works on bytes, since paths are bytes.

A pattern without a slash matches a file or folder of that name at any depth (*.py, tests); one with a slash is anchored
at the root (src/*.py, /docs, lib/**/test_*.c). What matches a folder matches all that is in it. `*` and `?` stop at a
slash, `**` does not; [abc] and [!abc] are sets of characters. Case matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|/\*\*|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)


def _translated(token: str) -> str:
    if token == "**/":
        return "(?:[^/]+/)*"
    if token == "/**":
        return "/.+"
    if token == "**":
        return ".*"
    if token == "*":
        return "[^/]*"
    if token == "?":
        return "[^/]"
    if token.startswith("[") and len(token) > 2:
        negated = token[1] == "!"
        members = re.sub(r"([\\\[\]^&~|])", r"\\\1", token[2 if negated else 1 : -1])
        return f"[{'^/' if negated else ''}{members}]"
    return re.escape(token)


@lru_cache(maxsize=512)
def _regex(pattern: str) -> re.Pattern[bytes]:
    anchored = "/" in pattern.rstrip("/")
    body = "".join(map(_translated, _TOKEN.findall(pattern.strip("/"))))
    head = "" if anchored else "(?:.*/)?"
    return re.compile(f"{head}{body}(?:/.*)?".encode("utf-8", "surrogateescape"), re.DOTALL)


def matcher(patterns: Iterable[str]) -> Callable[[bytes], bool] | None:
    """A test of a path against any of the patterns; None if there are no patterns."""
    regexes = [_regex(pattern) for pattern in patterns if pattern.strip("/")]
    if not regexes:
        return None
    return lambda path: any(regex.fullmatch(path) for regex in regexes)
