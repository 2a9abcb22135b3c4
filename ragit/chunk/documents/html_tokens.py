"""A page of HTML or XHTML as tags and text, each letter of it looked at once.

Not by the standard library's parser: it takes up anew, from each `<` on, what does not end, and so needs hours for a
page of some 100,000 of them. What a page means is as browsers have it (the HTML standard, 13.2.5): what is begun and
never ended goes on to the end of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

_TAG = re.compile(r"</?([A-Za-z][^\t\n\r\f />]*)")
_MARKUP = re.compile("<(?=[A-Za-z/!?])")
"""The `<` that begins a tag, a comment or a declaration; any other one is text."""
_END_OR_QUOTE = re.compile(r">|=\s*([\"'])")
_ALTERNATIVE = re.compile(
    r"""[\s/"']alt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", re.IGNORECASE
)
_RAW = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
"""Elements in which a `<` begins nothing but their own end."""
_LARGE = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9A-Fa-f]{7,});?")
"""Numbers of no letter: as many digits as one likes would be computed with."""


class Token(NamedTuple):
    """Text, or a tag."""

    kind: str
    """text, start, end, or empty for an element without content: `<br/>`."""
    text: str
    """Of a tag its name in lower case."""
    alternative: str = ""
    """What a picture shows (`alt`)."""


def tokens(page: str) -> Iterator[Token]:
    """All tags and texts of a page. Comments, declarations and scripts are left out."""
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
            return  # a tag that does not end is none, and neither is what follows it
        token = _token(page[stop:at], tag[1].lower())
        yield token
        if token.kind == "start" and token.text in _RAW:
            end = _RAW[token.text].search(page, at)
            at = end.start() if end else size


def _token(tag: str, name: str) -> Token:
    if tag.startswith("</"):
        return Token("end", name)
    found = _ALTERNATIVE.search(tag) if name == "img" else None
    said = next(filter(None, found.groups()), "") if found else ""
    return Token("" if tag.endswith("/>") else "start", name, _plain(said))


def _other(page: str, at: int) -> tuple[str, int]:
    """Text that begins at a `<` which begins no tag, and where what comes after it begins."""
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
    """Where a tag ends, within whose attributes a `>` may stand; -1 if it does not."""
    while found := _END_OR_QUOTE.search(page, at):
        if not found[1]:
            return found.end()
        at = page.find(found[1], found.end()) + 1
        if not at:
            break
    return -1


def _plain(text: str) -> str:
    return unescape(_LARGE.sub("\ufffd", text)) if "&" in text else text
