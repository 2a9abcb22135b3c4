"""Take the marks off a comment."""

from __future__ import annotations

import re

_OPENING = (
    r"///+!?|//!?",  # C and its kin; Rust and Swift document with three slashes or a bang
    r"/\*[*!]*|\*(?![*/])",
    r"#+[!']?(?![\[>])",  # R documents with #'; #[ and #> are something else
    r"--+(?:\[\[| ?[|^])?",  # Lua, SQL, Haskell
    r"\{-\|?|\(\*+|<!--|<#|;+|%+",
    r"[rRbBuUfF]{0,2}(?:\"\"\"|\'\'\'|\"|\')",
    r"=begin|@(?:module|type)?doc\b",
)
_CLOSING = r"(?:\*+/|-->|-\}|\*+\)|\"\"\"|\'\'\'|\"|\'|#>|\]\]|=end|#+|\*{3,}|-{3,}|={3,})"
_MARKS = re.compile(rf"^[ \t]*(?:{'|'.join(_OPENING)})[ \t]?|[ \t]*{_CLOSING}[ \t]*$", re.MULTILINE)


def plain(comment: str, limit: int) -> str:
    """Return the words of a comment on one line, at most `limit` characters."""
    return " ".join(_MARKS.sub("", comment[: 2 * limit]).split())[:limit]
