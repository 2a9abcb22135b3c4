"""What a comment says, without the marks that make it one."""

from __future__ import annotations

import re

_OPEN = r"(?:///+!?|//!?|/\*[*!]*|\*(?!\*)|#+!?(?!\[)|--+\[*|;+|%+|<!--|\{-\|?|\(\*+|[rRbBuUfF]{0,2}(?:\"\"\"|'''|\"|')|<#|=begin|@(?:module)?doc\b)"
_CLOSE = r"(?:\*+/|-->|-\}|\*+\)|\"\"\"|'''|\"|'|#>|\]\]|=end|#+|\*{3,}|-{3,}|={3,})"
_MARKS = re.compile(rf"^[ \t]*{_OPEN}[ \t]?|[ \t]*{_CLOSE}[ \t]*$", re.MULTILINE)


def plain(comment: str, limit: int) -> str:
    """The words of a comment on one line, at most `limit` characters."""
    return " ".join(_MARKS.sub("", comment[: 2 * limit]).split())[:limit]
