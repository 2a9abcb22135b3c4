"""Removes passwords in table columns whose header names them: CSV, Markdown, SQL's INSERT and COPY.

Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ragit.remote.secrets.keys import GONE
from ragit.remote.secrets.password import is_plain_password
from ragit.remote.secrets.rule import is_secret_literal

_INSERT = re.compile(
    r"(?:[iI]nsert into|INSERT INTO)\s{1,8}[\w.`\"\[\]]{1,120}\s{0,8}"
    r"\((?P<heads>[^()]{1,2000})\)\s{0,8}(?i:values)\s{0,8}"
)
_ROW = re.compile(r"\s{0,40},?\s{0,40}\((?P<cells>(?:'(?:[^'\\]|\\.)*'|[^'()]){1,8000})\)")
_COPY = re.compile(
    r"COPY\s{1,8}[\w.\"]{1,120}\s{0,8}\((?P<heads>[^()]{1,2000})\)\s{1,8}FROM\s[^\n]{1,80}\n"
    r"(?P<rows>(?:(?!\\\.)[^\n]*(?:\n|\Z))*)"
)
_CELL = re.compile(r"(?:'(?:[^'\\]|\\.)*'|[^',])+")
"""Pattern of one value. A doubled quote within a string ends one string and begins another."""

_HEAD = re.compile(
    r"\"?(?:[\w-]{0,20}[ _-])?(?:password|passwd|passphrase|pwd|pass|passcode|secret|api[ _-]?key"
    r"|(?:api|access|auth|refresh|bot|session|remember|reset|user|device)[ _-]?token"
    r"|(?:secret|private|access|license)[ _-]?key|(?:totp|otp)[ _-]?(?:secret|seed))\"?",
    re.I,
)
_HEADER = re.compile(
    r"(?im)^(?:[ \t]*\|)?(?:[\w\"#][^\n,;|\t(){}=<>:]{0,39}[,;\t]|[^\n,;|\t(){}=<>:]{1,40}\|)*"
    r"[ \t\"]*(?:[\w-]{1,20}[ _-])?(?:password|passwd|passphrase|pwd|pass|passcode|secret"
    r"|api[ _-]?key|(?:api|access|auth|refresh|bot|session|remember|reset|user|device)[ _-]?token"
    r"|(?:secret|private|access|license)[ _-]?key|(?:totp|otp)[ _-]?(?:secret|seed))[ \t\"]*"
    r"(?:[,;\t][\w\"][^\n(){}=<>:]{0,400}|\|[^\n(){}=<>:]{0,400})?\r?$"
)


_OF_ACCOUNTS = re.compile(
    r"\W*(?:[\w-]{0,20}[ _.-])?(?:users?|user_?name|user_?id|login|account|name|e?-?mail|host"
    r"|hostname|server|url|ip|id"
    r"|uid|role|admin|service|system|site|port|database|db|title|env|environment|group)\W*",
    re.I,
)
"""Headers beside a password in a table of accounts, unlike in a list of words."""


def without(text: str, found: Counter[str] | None) -> str:
    """Return the text without the values in columns of passwords."""
    return _without_copied(_without_inserted(_without_columns(text, found), found), found)


def _without_copied(text: str, found: Counter[str] | None) -> str:
    """Return the text without the passwords in rows of a COPY."""
    parts: list[str] = []
    at = 0
    for copy in _COPY.finditer(text) if "COPY " in text else ():
        columns = _secret_columns(copy["heads"].split(","), '" \t\n')
        rows = copy["rows"].split("\n") if columns and copy.start() >= at else []
        for number, row in enumerate(rows):
            cells = row.split("\t")
            if _blank_cells(cells, columns, found):
                rows[number] = "\t".join(cells)
        if rows:
            parts += [text[at : copy.start("rows")], "\n".join(rows)]
            at = copy.end("rows")
    return "".join(parts) + text[at:] if parts else text


def _without_inserted(text: str, found: Counter[str] | None) -> str:
    """Return the text without the passwords in rows of an INSERT."""
    if "nsert into" not in text and "NSERT INTO" not in text:
        return text
    parts: list[str] = []
    at = 0
    for insert in _INSERT.finditer(text):
        columns = _secret_columns(insert["heads"].split(","), '`"[] \t\n')
        row = _ROW.match(text, insert.end()) if columns and insert.start() >= at else None
        while row is not None:
            cells = _CELL.findall(row["cells"])
            if ",".join(cells) == row["cells"] and _blank_cells(cells, columns, found):
                parts += [text[at : row.start("cells")], ",".join(cells)]
                at = row.end("cells")
            row = _ROW.match(text, row.end())
    return "".join(parts) + text[at:] if parts else text


def _secret_columns(heads: Sequence[str], around: str = " \t\r") -> list[int]:
    """Return the columns whose header names a secret."""
    return [column for column, head in enumerate(heads) if _HEAD.fullmatch(head.strip(around))]


def _without_columns(text: str, found: Counter[str] | None) -> str:
    """Return the text without values under a password's header, in lines with as many cells."""
    parts: list[str] = []
    at = 0
    for header in _HEADER.finditer(text):
        if header.start() < at:
            continue
        heads, _ = _cells(header[0])
        columns = _secret_columns(heads) if any(map(_OF_ACCOUNTS.fullmatch, heads)) else []
        end = header.end()
        while columns and end < len(text):
            stop = text.find("\n", end + 1)
            stop = len(text) if stop < 0 else stop
            cells, delimiter = _cells(text[end + 1 : stop])
            if len(cells) != len(heads):
                break
            if _blank_cells(cells, columns, found):
                parts += [text[at : end + 1], delimiter.join(cells)]
                at = stop
            end = stop
        parts.append(text[at:end])
        at = end
    return "".join(parts) + text[at:] if parts else text


def _blank_cells(cells: list[str], columns: Sequence[int], found: Counter[str] | None) -> bool:
    changed = False
    for column in columns:
        value = cells[column].strip().strip("\"`'") if column < len(cells) else GONE
        if GONE in value or not (
            is_plain_password(value) or (len(value) > 5 and is_secret_literal(value, "password"))
        ):
            continue
        cells[column] = cells[column].replace(value, GONE)
        changed = True
        if found is not None:
            found["column"] += 1
    return changed


def _cells(line: str) -> tuple[list[str], str]:
    for delimiter in "\t|;,":
        if delimiter in line:
            return line.split(delimiter), delimiter
    return [line], ","
