"""Number formats and dates of Excel workbooks, by openpyxl's tables; .xls and .xlsx share them."""

from __future__ import annotations

import re
from datetime import timedelta

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

from ragit.chunk.documents import values
from ragit.chunk.documents.markup import attribute, events, local

_MOST = 100_000
"""Limit of styles; Excel allows 65,490."""
_LONGEST = 500
"""Limit of a number format in characters."""

_EAST_ASIAN = {
    **dict.fromkeys((*range(27, 32), 36, *range(50, 55), 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((*range(32, 36), 55, 56), "h:mm:ss"),
}
"""Built-in formats of East Asian versions (ECMA-376 part 1, 18.8.30) that openpyxl lacks."""


def formats(styles: bytes) -> list[str]:
    """Return the number formats of cell styles by number, from a part `styles`."""
    own: dict[int, str] = {}
    found: list[str] = []
    within = False
    for event, element in events(styles, "xlsx"):
        name = local(element)
        if name == "cellXfs":
            within = event == "start"
        elif event == "end" and name == "numFmt":
            code = attribute(element, "formatCode")[:_LONGEST]
            own[_number(attribute(element, "numFmtId"))] = code
        elif event == "end" and name == "xf" and within and len(found) < _MOST:
            number = _number(attribute(element, "numFmtId"))
            found.append(own.get(number) or built_in(number))
            element.clear()
    return found


def built_in(number: int) -> str:
    """Return the number format with this number in every workbook; empty if there is none."""
    return BUILTIN_FORMATS.get(number) or _EAST_ASIAN.get(number, "")


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else 0


def number(value: float, shown_as: str, since_1904: bool) -> tuple[str, bool]:
    """Return a cell's number as text, and whether its format makes it a date, time or duration."""
    # openpyxl checks only the first section, which may be for one value only: `[=0]?;[hh]:mm`.
    sections = shown_as[:_LONGEST].split(";")
    section = next((each for each in sections if not each.startswith("[=")), "")
    if not is_date_format(section):
        return values.number(value, shown_as), False
    epoch = CALENDAR_MAC_1904 if since_1904 else CALENDAR_WINDOWS_1900
    is_duration = is_timedelta_format(section)
    if value < 0 and not is_duration:
        return values.number(value), True
    if since_1904 and 0 <= value < 1 and re.search("[dy]", section, re.IGNORECASE):
        return values.moment(epoch + timedelta(days=value)), True  # the calendar's first day
    try:
        moment = from_excel(value, epoch, timedelta=is_duration)
    except (ValueError, OverflowError):  # beyond the dates that Excel has
        return values.number(value), True
    return values.moment(moment), True
