"""Write values of cells as text, the same for every spreadsheet format."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal

_DIGITS = 15
"""Digits with which a spreadsheet computes; the rest is noise (0.30000000000000004)."""

_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_ZEROS = re.compile(r"0{2,15}")


def number(value: float, shown_as: str = "") -> str:
    """Return a number in a searchable form: `12.5%` and `007` by its format, else plain."""
    shown_as = (
        _QUOTED.sub("", shown_as)
        if '"' in shown_as or "\\" in shown_as or "[" in shown_as
        else shown_as
    )
    if "%" in shown_as:
        return f"{_plain(value * 100)}%"
    if _ZEROS.fullmatch(shown_as) and value >= 0 and value == int(value):
        return _plain(value).zfill(len(shown_as))
    return _plain(value)


def _plain(value: float) -> str:
    if isinstance(value, int):
        return str(value) if value.bit_length() < 200 else f"{Decimal(value):.14e}"
    short = f"{value:.{_DIGITS}g}"
    if "e" not in short or not 1e-9 < abs(value) < 1e21:
        return short
    return f"{Decimal(short):f}"


_ISO = re.compile(r"(\d{4}-\d\d-\d\d)?T?(\d\d:\d\d(?::\d\d)?)?(?:[.,](\d+))?Z?")


def written_moment(text: str) -> str:
    """Return a date or time from ISO 8601 text; other text unchanged."""
    found = _ISO.fullmatch(text.strip()[:40])
    if not found or not found[1] and not found[2]:
        return " ".join(text[:40].split())
    day, clock, fraction = found.groups()
    try:
        whole = datetime.fromisoformat(f"{day or '2000-01-01'} {clock or '00:00'}")
        whole += timedelta(seconds=float(f"0.{fraction or 0}"))
    except (ValueError, OverflowError):
        return text.strip()[:40]
    return moment(whole if day else whole.time())


def moment(value: object, with_time: bool = True) -> str:
    """Return a date or time in ISO 8601, to the second; the date alone if it has no time."""
    if isinstance(value, datetime):
        value = _rounded(value)
        if not with_time or value.time() == time():
            return value.date().isoformat()
        return f"{value.date().isoformat()} {_clock(value.time())}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return _clock(_rounded(datetime.combine(date(2000, 1, 1), value)).time())
    if isinstance(value, timedelta):
        return _duration(value)
    return str(value)


def _rounded(value: datetime) -> datetime:
    """Round to the second: spreadsheets count days in binary fractions."""
    whole = value.replace(microsecond=0, tzinfo=None)
    try:
        return whole + timedelta(seconds=1) if value.microsecond >= 500_000 else whole
    except OverflowError:
        return whole


def _clock(value: time) -> str:
    return value.strftime("%H:%M:%S" if value.second else "%H:%M")


def _duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    sign, seconds = ("-" if seconds < 0 else ""), abs(seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def boolean(value: bool) -> str:
    """Return TRUE or FALSE, as spreadsheets show it."""
    return "TRUE" if value else "FALSE"
