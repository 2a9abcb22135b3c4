"""How the cells of a workbook are shown, by the number of their style: what tells a date or a share from a number."""

from __future__ import annotations

from ragit.chunk.documents.markup import attribute, events, local

_KIND = "xlsx"
MOST = 100_000
"""Styles; Excel allows 65,490."""

BUILT_IN = {
    1: "0",
    9: "0%",
    10: "0.00%",
    **dict.fromkeys((14, *range(27, 32), 36, *range(50, 55), 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((15, 16, 17), "d-mmm-yy"),
    **dict.fromkeys((18, 19, 20, 21, *range(32, 36), 45, 47, 55, 56), "h:mm:ss"),
    22: "yyyy-mm-dd h:mm",
    46: "[h]:mm:ss",
}
"""Numbers of formats that no file writes out (ECMA-376 part 1, 18.8.30), as far as they change how a number reads."""


def formats(styles: bytes) -> list[str]:
    """The format of each style that cells may have."""
    own: dict[int, str] = {}
    found: list[str] = []
    within = False
    for event, element in events(styles, _KIND):
        name = local(element)
        if name == "cellXfs":
            within = event == "start"
        elif event == "end" and name == "numFmt":
            own[_number(attribute(element, "numFmtId"))] = attribute(element, "formatCode")[:500]
        elif event == "end" and name == "xf" and within and len(found) < MOST:
            number = _number(attribute(element, "numFmtId"))
            found.append(own.get(number) or BUILT_IN.get(number, ""))
            element.clear()
    return found


def _number(said: str) -> int:
    return int(said) if said.isdecimal() and len(said) < 9 else 0
