"""Colours code by its syntax, with Pygments, which takes longer to load than a search."""

from __future__ import annotations

from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, String
from pygments.util import ClassNotFound

Styles = list[tuple[int, str]]
"""Where each style begins in a line, in characters. A style is a method of `Paint`, or empty for
plain text.
"""

_MOST = 50_000
"""Characters beyond which a hit is data, and not coloured."""

_STYLES = (
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Keyword, "keyword"),
    (Name.Function, "definition"),
    (Name.Class, "definition"),
    (Name.Decorator, "keyword"),
)


def styles_of(path: str, lines: list[str]) -> list[Styles]:
    """Return the styles of each line of a piece of a file; none if Pygments does not know the
    file's kind. Lines have no line end.
    """
    lexer = _lexer(path)
    if lexer is None or sum(map(len, lines)) > _MOST:
        return [[(0, "")] for _ in lines]
    found: list[Styles] = [[]]
    column = 0
    for token, text in lexer.get_tokens("\n".join(lines)):
        for number, part in enumerate(text.split("\n")):
            if number:
                found.append([])
                column = 0
            if part:
                found[-1].append((column, _style(token)))
                column += len(part)
    return [styles or [(0, "")] for styles in found][: len(lines)]


def _lexer(path: str) -> Lexer | None:
    # Keep blank lines and line ends, so that styles stay at their offsets.
    try:
        return get_lexer_for_filename(path, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _style(token: Any) -> str:
    for kind, style in _STYLES:
        if token in kind:
            return style
    return ""
