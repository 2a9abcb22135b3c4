"""Adds the server's entry to a JSON file by insertions, and removes it again.

Nothing is recorded elsewhere: the white space around an entry tells what was added with it, so that
removal restores the same bytes.

* In an existing object, the entry has white space before it.
* An object added for the entry is `{"ragit": {...}}` on one line, without white space.
* A file created for the entry is indented throughout; an added entry is on one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ragit.agents.compare import check_edit
from ragit.agents.jsonc import NotJson, Value, parse, skipped, space_before
from ragit.agents.row import NAME
from ragit.agents.unfit import Unfit
from ragit.records import NamedTuple

Key = tuple[str, ...]
"""The names that lead to the object of all servers."""

_SAME_LINE = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)")


class _Cut(NamedTuple):
    start: int
    end: int
    text: str = ""
    """New text in its place."""


def new_file(key: Key, entry: object) -> str:
    """Return the text of a new file."""
    return f"{json.dumps(_nested((*key, NAME), entry), indent=2, ensure_ascii=False)}\n"


def is_new_file(text: str, key: Key) -> bool:
    """Return whether a file is as created, apart from blank lines at the end."""
    entry = entry_in(text, key)
    return entry is not None and text.rstrip("\n") == new_file(key, entry).rstrip("\n")


def first_key(text: str, keys: Sequence[Key]) -> Key:
    """Return the first key that leads to an object in a file, else the last. Raises Unfit."""
    if not text.removeprefix("\ufeff").strip():
        return keys[-1]
    found = (key for key in keys if len(_way(_parsed(text), key)) > len(key))
    return next(found, keys[-1])


def entry_in(text: str, key: Key) -> object | None:
    """Return the entry of the server in a file; None if there is none. Raises Unfit."""
    if not text.removeprefix("\ufeff").strip():
        return None
    way = _way(_parsed(text), (*key, NAME))
    return way[-1].data if len(way) > len(key) + 1 else None


def with_entry(text: str, key: Key, entry: object) -> str:
    """Return a file with the entry added or replaced. Raises Unfit if anything else changes."""
    if not text.removeprefix("\ufeff").strip():
        mark = len(text) - len(text.removeprefix("\ufeff"))
        return text[:mark] + _compact(_nested((*key, NAME), entry)) + text[mark:]
    if is_new_file(text, key):
        return new_file(key, entry) + text[len(text.rstrip("\n")) + 1 :]
    path = (*key, NAME)
    way = _way(_parsed(text), path)
    if len(way) > len(path):
        cuts = [_Cut(way[-1].start, way[-1].end, _compact(entry))]
    else:
        name, *rest = path[len(way) - 1 :]
        member = f"{json.dumps(name)}: {_compact(_nested(rest, entry))}"
        cuts = _insertion(text, way[-1], member)
    return check_edit(_data, text, _applied(text, cuts), path, entry)


def without_entry(text: str, key: Key) -> str:
    """Return a file without the entry. Raises Unfit if anything else changes."""
    path = (*key, NAME)
    way = _way(_parsed(text), path)
    if len(way) <= len(path):
        return text
    at = len(path) - 1
    while at >= 0 and _is_added(text, way[at]):
        at -= 1
    if at < 0:
        return text[: way[0].start] + text[way[0].end :]
    after = _applied(text, _removal(text, way[at], path[at]))
    return check_edit(_data, text, after, path, None)


def _parsed(text: str) -> Value:
    try:
        text.encode()
        return parse(text)
    except NotJson as error:
        raise Unfit(f"it is not JSON ({error})") from error
    except UnicodeEncodeError as error:
        raise Unfit("it is not UTF-8 text") from error


def _data(text: str) -> object:
    return _parsed(text).data


def _way(root: Value, path: Key) -> list[Value]:
    """Return the values along a path, as far as it exists; the first is the whole file's.

    Raises Unfit if a value that must be an object is none.
    """
    way = [root]
    for depth, name in enumerate(path):
        members = way[-1].members
        if members is None:
            where = ".".join(path[:depth]) or "the file"
            raise Unfit(f"{where} is no object")
        found = [member.value for member in members if member.name == name]
        if len(found) > 1:
            raise Unfit(f"{'.'.join(path[: depth + 1])} is there twice")
        if not found:
            break
        way.append(found[0])
    return way


# Adding


def _insertion(text: str, at: Value, member: str) -> list[_Cut]:
    """Return the insertion of a member into an object: after the last one, or into the empty
    object.
    """
    members = at.members or ()
    if not members:
        return [_into_empty(text, at, member)]
    last = members[-1]
    gap = _gap(text, _member_area(at, len(members) - 1), last.start)
    comma = skipped(text, last.value.end)
    has_comma = text[comma] == ","
    place = _line_rest(text, comma + 1 if has_comma else last.value.end)
    if "\n" not in gap and _in_line_comment(text, last.value.end, place):
        gap = f"{_newline(text)}{_indent(text, at.end - 1)}  "
    if has_comma:
        return [_Cut(place, place, f"{gap}{member},")]
    return [_Cut(last.value.end, last.value.end, ","), _Cut(place, place, f"{gap}{member}")]


def _into_empty(text: str, at: Value, member: str) -> _Cut:
    close = at.end - 1
    place = space_before(text, at.start + 1, close)
    if "\n" not in text[place:close]:
        return _Cut(place, place, f" {member}")
    indent = _indent(text, close)
    unit = "\t" if indent.startswith("\t") else "  "
    return _Cut(place, place, f"{_newline(text)}{indent}{unit}{member}")


def _member_area(container: Value, at: int) -> int:
    """Return the end of the text before a member: of the previous member, or of the bracket."""
    members = container.members or ()
    return members[at - 1].value.end if at else container.start + 1


def _gap(text: str, start: int, end: int) -> str:
    """Return the white space before a member, reduced to its last line."""
    space = text[space_before(text, start, end) : end]
    if "\n" in space:
        return f"{_newline(space)}{space.rpartition(chr(10))[2]}"
    return " " if "\r" in space else space or " "


def _line_rest(text: str, at: int) -> int:
    """Return the offset after the comments on the rest of the line."""
    while found := _SAME_LINE.match(text, at):
        at = found.end()
    return at


def _in_line_comment(text: str, start: int, end: int) -> bool:
    return re.search(r"//[^\r\n]*\Z", text[start:end]) is not None


def _indent(text: str, at: int) -> str:
    """Return the indentation of the line at an offset."""
    line = text[:at].rpartition("\n")[2]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# Removing


def _is_added(text: str, container: Value) -> bool:
    """Return whether an object was added for its only member: it is written as this module does."""
    alone = len(container.members or ()) == 1
    return alone and text[container.start : container.end] == _compact(container.data)


def _removal(text: str, container: Value, name: str) -> list[_Cut]:
    """Return the cuts that remove a member, with its comma and the white space before it."""
    members = container.members or ()
    at = next(index for index, member in enumerate(members) if member.name == name)
    member, before = members[at], _member_area(container, at)
    cuts = [_Cut(space_before(text, before, member.start), member.value.end)]
    comma = skipped(text, member.value.end)
    if text[comma] == ",":
        return [*cuts, _Cut(comma, comma + 1)]
    if at > 0:
        comma = skipped(text, before)
        return [_Cut(comma, comma + 1), *cuts]
    return cuts


# Both


def _applied(text: str, cuts: Sequence[_Cut]) -> str:
    for cut in reversed(cuts):
        text = text[: cut.start] + cut.text + text[cut.end :]
    return text


def _nested(path: Sequence[str], entry: object) -> object:
    for name in reversed(path):
        entry = {name: entry}
    return entry


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False)
