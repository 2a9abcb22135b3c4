"""Hide from the C and C++ grammars macros that they cannot parse."""

from __future__ import annotations

import re

# A grammar takes `class EXPORT Cart {` for a variable of the type EXPORT, and NAMESPACE_BEGIN for
# the next type's name.
_MASKS = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+((?:[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?\s+)+)"
    rb"(?=[A-Za-z_]\w*\s*(?:[:{<]|final\b))"
    rb"|^[ \t]*([A-Z_]*(?:BEGIN|END|NAMESPACE|Q_OBJECT|Q_GADGET)[A-Z_]*(?:\(\w*\))?)[ \t]*$",
    re.MULTILINE,
)
_LETTER = re.compile(rb"[^\n]")


def hidden(text: bytes) -> bytes:
    """Return a text of equal length with such macros turned to spaces."""
    return _MASKS.sub(_blank, text)


def _blank(found: re.Match[bytes]) -> bytes:
    """Return what was found with its last group turned to spaces; line ends stay."""
    group = found.lastindex or 0
    whole, start, end = (
        found.group(),
        found.start(group) - found.start(),
        found.end(group) - found.start(),
    )
    return whole[:start] + _LETTER.sub(b" ", whole[start:end]) + whole[end:]
