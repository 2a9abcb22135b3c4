"""Find code in a text as whole lines. Pure."""

from __future__ import annotations


def line_of(code: bytes, text: bytes) -> int:
    """Return the line of a text, from 1, at which the code begins as whole lines; 0 if it does not
    occur.
    """
    at = text.find(code)
    while at >= 0:
        end = at + len(code)
        if text[at - 1 : at] in (b"", b"\n", b"\r") and text[end : end + 1] in (b"", b"\n", b"\r"):
            return text.count(b"\n", 0, at) + 1
        at = text.find(code, at + 1)
    return 0
