"""Split HTML or XHTML pages into tags and text, in linear time.

The standard library's parser takes hours for 100,000 `<` without an end. As in browsers (HTML
standard, 13.2.5), unterminated markup extends to the end of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from ragit.records import NamedTuple

_TAG = re.compile(r"</?([A-Za-z][^\t\n\r\f />]*)")
_MARKUP = re.compile("<(?=[A-Za-z/!?])")
"""The `<` that begins a tag, a comment or a declaration; any other one is text."""
_END_OR_QUOTE = re.compile(r">|=\s*([\"'])")
_ALTERNATIVE = re.compile(
    r"""[\s/"']alt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", re.IGNORECASE
)
_RAW = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
"""Elements in which only their own end tag is markup."""
_LARGE = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9A-Fa-f]{7,});?")
"""Character numbers beyond Unicode, which `unescape` would compute with."""


class Token(NamedTuple):
    """Text, or a tag."""

    kind: str
    """text, start, end, or empty for an element without content: `<br/>`."""
    text: str
    """Text, or the name of a tag in lower case."""
    alternative: str = ""
    """Alternative text of a picture (`alt`)."""


def tokens(page: str) -> Iterator[Token]:
    """Yield all tags and texts of a page, without comments, declarations and scripts."""
    at, size = 0, len(page)
    while at < size:
        found = _MARKUP.search(page, at)
        stop = found.start() if found else size
        if stop > at:
            yield Token("text", _plain(page[at:stop]))
        if stop == size:
            return
        tag = _TAG.match(page, stop)
        if tag is None:
            text, at = _other(page, stop)
            if text:
                yield Token("text", text)
            continue
        at = _tag_end(page, tag.end())
        if at < 0:
            return  # a tag that does not end is none, and the rest is not shown either
        token = _token(page[stop:at], tag[1].lower())
        yield token
        if token.kind == "start" and token.text in _RAW:
            end = _RAW[token.text].search(page, at)
            at = end.start() if end else size


def _token(tag: str, name: str) -> Token:
    if tag.startswith("</"):
        return Token("end", name)
    found = _ALTERNATIVE.search(tag) if name == "img" else None
    alternative = next(filter(None, found.groups()), "") if found else ""
    return Token("" if tag.endswith("/>") else "start", name, _plain(alternative))


def _other(page: str, at: int) -> tuple[str, int]:
    """Return the text of markup that is no tag, and the offset after it."""
    if page.startswith("<!--", at):
        if page.startswith((">", "->"), at + 4):
            return "", page.index(">", at) + 1
        return "", _behind(page, "-->", at + 4)
    if page.startswith("<![CDATA[", at):
        stop = _behind(page, "]]>", at + 9)
        return page[at + 9 : stop].removesuffix("]]>"), stop
    if page.startswith(("<!", "<?", "</"), at):
        return "", _behind(page, ">", at + 2)
    return "<", at + 1


def _behind(page: str, end: str, at: int) -> int:
    found = page.find(end, at)
    return found + len(end) if found >= 0 else len(page)


def _tag_end(page: str, at: int) -> int:
    """Return the offset after a tag, whose attributes may contain a `>`; -1 if it has no end."""
    while found := _END_OR_QUOTE.search(page, at):
        if not found[1]:
            return found.end()
        at = page.find(found[1], found.end()) + 1
        if not at:
            break
    return -1


def _plain(text: str) -> str:
    return unescape(_LARGE.sub("\ufffd", text)) if "&" in text else text
