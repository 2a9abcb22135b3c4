"""Read the folders of modules from a tree's manifests: `go.mod`, `package.json`, `tsconfig.json`.
Pure.

These files come with the repository and are untrusted: their number and sizes are limited, and only
paths in the tree count.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ragit.records import NamedTuple

Read = Callable[[str], str]
"""Returns the text of a file of the tree; empty if there is none."""

MOST_FILES = 500
"""Limit of manifests of a kind that are read, those nearest to the top first."""

MOST_CHARACTERS = 200_000
"""Length of a manifest from which it is not read."""

_MOST_EXTENDS = 5
_MOST_PATHS = 200
"""Limit of patterns in one `tsconfig.json`, and of targets of each."""

_GO_FILE = re.compile(r"go\.mod")
_PACKAGE_FILE = re.compile(r"package\.json")
_TYPESCRIPT_FILE = re.compile(r"[jt]sconfig(?:\.\w+)?\.json")
"""Its variants, such as `tsconfig.app.json`, count only if the file itself has no paths."""

_GO_MODULE = re.compile(r'^\s*module\s+"?([^\s"]+)"?', re.MULTILINE)
_JSON_PART = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


class Alias(NamedTuple):
    """A pattern for module names, and the paths at which they are looked for."""

    before: str
    after: str
    targets: tuple[str, ...]
    """Paths from the top, with a `*` for the variable part."""


class TypeScriptPaths(NamedTuple):
    """Aliases and base folder of module names from a `tsconfig.json`."""

    aliases: tuple[Alias, ...]
    base: str | None
    """The folder in which all other modules are looked for; None if there is none."""


def go_modules(paths: Iterable[str], read: Read) -> dict[str, str]:
    """Return the folders of Go modules by name."""
    found = {}
    for path in _files_named(paths, _GO_FILE):
        match = _GO_MODULE.search(_text(path, read))
        if match:
            found[match[1]] = posixpath.dirname(path)
    return found


def packages(paths: Iterable[str], read: Read) -> dict[str, str]:
    """Return the folders of JavaScript packages by name."""
    found: dict[str, str] = {}
    for path in _files_named(paths, _PACKAGE_FILE):
        name = _json(_text(path, read)).get("name")
        if isinstance(name, str) and name:
            found.setdefault(name, posixpath.dirname(path))
    return found


def typescript_paths(paths: Iterable[str], read: Read) -> dict[str, TypeScriptPaths]:
    """Return the TypeScript configurations' paths by folder."""
    held = frozenset(paths)
    found: dict[str, TypeScriptPaths] = {}
    for path in _files_named(held, _TYPESCRIPT_FILE):
        settings = _configured(path, held, read)
        if settings.aliases or settings.base is not None:
            found.setdefault(posixpath.dirname(path), settings)
    return found


def _configured(path: str, held: frozenset[str], read: Read) -> TypeScriptPaths:
    """Return the paths of a configuration or the nearest one that it extends."""
    aliases: tuple[Alias, ...] = ()
    base: str | None = None
    for at, whole in _extended(path, held, read):
        options = whole.get("compilerOptions")
        if not isinstance(options, dict):
            continue
        folder = posixpath.dirname(at)
        url = options.get("baseUrl")
        here = _joined(folder, url) if isinstance(url, str) else None
        if not aliases and isinstance(options.get("paths"), dict):
            aliases = tuple(_aliases(options["paths"], folder if here is None else here))
        base = here if base is None else base
    return TypeScriptPaths(aliases, base)


def _extended(
    path: str, held: frozenset[str], read: Read
) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield a configuration and those that it extends, by relative paths."""
    for _ in range(_MOST_EXTENDS):
        whole = _json(_text(path, read))
        yield path, whole
        parent = whole.get("extends")
        if not isinstance(parent, str) or not parent.startswith("."):
            return
        path = _joined(posixpath.dirname(path), parent)
        path = path if path in held else f"{path}.json"
        if path not in held:
            return


def _aliases(paths: Mapping[str, object], folder: str) -> Iterator[Alias]:
    for pattern, targets in list(paths.items())[:_MOST_PATHS]:
        before, _, after = pattern.partition("*")
        if isinstance(targets, list):
            texts = [one for one in targets[:_MOST_PATHS] if isinstance(one, str)]
            yield Alias(before, after, tuple(_joined(folder, one) for one in texts))


def mapped(module: str, aliases: Sequence[Alias]) -> list[str]:
    """Return the paths at which a module is looked for, by the longest matching pattern."""
    fitting = [
        one
        for one in aliases
        if module.startswith(one.before)
        and module.endswith(one.after)
        and len(module) >= len(one.before) + len(one.after)
    ]
    if not fitting:
        return []
    best = max(fitting, key=lambda one: len(one.before))
    rest = module[len(best.before) : len(module) - len(best.after)]
    return [posixpath.normpath(target.replace("*", rest, 1)) for target in best.targets]


def _files_named(paths: Iterable[str], name: re.Pattern[str]) -> list[str]:
    """Return the files with a matching name, those nearest to the top and with short names
    first.
    """
    found = [path for path in paths if name.fullmatch(path.rpartition("/")[2])]
    return sorted(found, key=lambda path: (path.count("/"), len(path), path))[:MOST_FILES]


def _text(path: str, read: Read) -> str:
    text = read(path)
    return text if len(text) <= MOST_CHARACTERS else ""


def _json(text: str) -> Mapping[str, object]:
    """Return a JSON object, which may contain comments and trailing commas; empty if it is none."""
    try:
        found = json.loads(_JSON_PART.sub(lambda part: part[1] or "", text))
    except (ValueError, RecursionError):  # not JSON, or nested too deeply
        return {}
    return found if isinstance(found, dict) else {}


def _joined(folder: str, path: str) -> str:
    found = posixpath.normpath(posixpath.join(folder, path))
    return "" if found == "." else found
