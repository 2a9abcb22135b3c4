"""Removes the values of Kubernetes Secrets, whatever their names. Pure.

A Secret is recognised by `kind: Secret` above or below, by `stringData`, which only Secrets have,
or, in a cut manifest, by `data` with only base64 text. References (`{{ .Values.password }}`,
`${PASSWORD}`) stay.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator

from ragit.remote.secrets.keys import GONE
from ragit.remote.secrets.password import is_placeholder
from ragit.remote.secrets.strength import looks_random

_NEXT = re.compile(r"---|[ ]*- (?:apiVersion|kind|metadata|data|stringData):")
"""First line of a manifest: of a document, or of an item of a list."""

_KIND = re.compile(
    r"(?:[ ]{0,2}|[ ]{0,4}- )[\"']?kind[\"']?[ \t]*:[ \t]*[\"']?(\w+)[\"']?,?[ \t\r]*$"
)
_DATA = re.compile(r"([ ]*(?:- )?)[\"']?(data|stringData)[\"']?[ \t]*:[ \t]*\r?")
_PAIR = re.compile(r"([ ]*)((?:\"[^\"]{1,253}\"|'[^']{1,253}'|[\w.-]{1,253})[ \t]*:)([ \t]+)(\S.*)")
_BLOCK = re.compile(r"[|>][-+\d]*[ \t]*(?:#.*)?\r?")
_REFERENCE = re.compile(
    r"[\"']?(?:\{\{|\$\{|\$\(|<[^<>]+>|\$\w+|@\w+@).*|[\"']{2}\r?|(?:null|~)\r?|[&*!]\w.*|[\[{].*"
)

_IN_BRACES = re.compile(
    r"[\"']?(?:data|stringData)[\"']?[ \t]{0,4}[:=][ \t]{0,4}\{(?P<pairs>(?:[^{}\"]|\"(?:[^\"\\\n]"
    r"|\\.)*\"){1,20000})\}",
)
_QUOTED = re.compile(r"([:=][ \t]{0,4}\")((?:[^\"\\\n]|\\.){1,8000})(\")")
_JSON = re.compile(r"\"kind\"\s{0,4}:\s{0,4}\"Secret\"|\"kubernetes_secret")


def without(text: str, found: Counter[str] | None) -> str:
    """Return the text without the values of Secrets."""
    if (
        "stringData" not in text
        and "data:" not in text
        and "kubernetes_secret" not in text
        and '"data"' not in text
    ):
        return text
    if _JSON.search(text):
        return _IN_BRACES.sub(lambda match: _blanked(match, found), text)
    lines = text.split("\n")
    kinds = _kinds(lines)
    changed = False
    for number, line in enumerate(lines):
        match = _DATA.fullmatch(line)
        if match is not None and _is_secret_data(lines, number, match, kinds[number]):
            changed = _without_values(lines, number, len(match[1]), found) or changed
    return "\n".join(lines) if changed else text


def _blanked(match: re.Match[str], found: Counter[str] | None) -> str:
    def gone(pair: re.Match[str]) -> str:
        if _is_kept(pair[2]):
            return pair[0]
        if found is not None:
            found["Kubernetes secret"] += 1
        return pair[1] + GONE + pair[3]

    start = match.start("pairs") - match.start()
    return (
        match[0][:start]
        + _QUOTED.sub(gone, match["pairs"])
        + match[0][start + len(match["pairs"]) :]
    )


def _is_kept(value: str) -> bool:
    """Return whether a value is a reference, a placeholder, or removed already."""
    bare = value.strip("\"' \t\r")
    if looks_random(bare):
        return False
    return GONE in value or _REFERENCE.fullmatch(value) is not None or is_placeholder(bare)


def _is_secret_data(lines: list[str], number: int, data: re.Match[str], kind: str) -> bool:
    """Return whether the `data` on a line belongs to a Secret."""
    if data[2] == "stringData" or kind:
        return data[2] == "stringData" or kind == "Secret"
    values = [pair[4].strip() for _, pair in _pairs(lines, number, len(data[1]))]
    return bool(values) and all(map(_is_base64_text, values))


def _kinds(lines: list[str]) -> list[str]:
    """Return the kind of the manifest around each line; empty if unknown."""
    manifests = [0]
    kinds: dict[int, str] = {}
    for line in lines:
        manifests.append(manifests[-1] + bool(_NEXT.match(line)))
        kind = _KIND.match(line)
        if kind is not None:
            kinds[manifests[-1]] = kind[1]
    return [kinds.get(manifest, "") for manifest in manifests[1:]]


def _pairs(lines: list[str], number: int, indent: int) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the lines under `data` with a name and a value."""
    deep = 0
    for at in range(number + 1, len(lines)):
        line = lines[at]
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip(" "))
        if depth <= indent:
            return
        deep = deep or depth
        pair = _PAIR.fullmatch(line)
        if depth == deep and pair is not None:
            yield at, pair


def _without_values(lines: list[str], number: int, indent: int, found: Counter[str] | None) -> bool:
    changed = False
    for at, pair in list(_pairs(lines, number, indent)):
        value = pair[4]
        if _BLOCK.fullmatch(value):
            gone = _without_block(lines, at + 1, len(pair[1]))
        elif value.startswith("#") or _is_kept(value):
            gone = False
        else:
            quote = value[0] if value[0] in "\"'" and value.rstrip().endswith(value[0]) else ""
            end = "\r" if value.endswith("\r") else ""
            lines[at] = pair[1] + pair[2] + pair[3] + quote + GONE + quote + end
            gone = True
        changed = changed or gone
        if gone and found is not None:
            found["Kubernetes secret"] += 1
    return changed


def _without_block(lines: list[str], start: int, indent: int) -> bool:
    """Replace the lines of a block value, which are indented deeper than its name."""
    changed = False
    for at in range(start, len(lines)):
        line = lines[at]
        depth = len(line) - len(line.lstrip(" "))
        if line.strip() and depth <= indent:
            break
        if line.strip() and not _is_kept(line.strip()):
            lines[at] = " " * depth + GONE + ("\r" if line.endswith("\r") else "")
            changed = True
    return changed


def _is_base64_text(value: str) -> bool:
    value = value.strip("\"'")
    if len(value) < 8 or len(value) % 4 or not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", value):
        return GONE in value
    try:
        return base64.b64decode(value).decode().isprintable()
    except (binascii.Error, UnicodeDecodeError):
        return False
