"""Follow imports, re-exports and includes from file to file. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ragit.remembered import Remembered
from ragit.usages.candidates import Importer, World
from ragit.usages.modules import standpoint

_DEEPEST = 4
"""Limit of re-exports and includes followed in a row."""

_MOST = 200_000
"""Limit of files in all remembered answers, after which the oldest are forgotten."""


class Reach:
    """Finds the files in which a name of a module may be defined, and remembers them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: Remembered[tuple[str, str, str, str, int], tuple[str, ...]] = Remembered(_MOST)

    def files(self, module: str, name: str, view: Importer, depth: int = 0) -> tuple[str, ...]:
        """Return the files in which a name of a module may be defined, as a file imports it."""
        # with the depth, so that no answer depends on the order of questions
        key = (module, name, standpoint(view.path, view.family), view.family, depth)
        known = self._known.get(key)
        if known is None:
            known = tuple(self._find_files(module, name, view, depth))
            self._known.add(key, known, len(known) + 1)
        return known

    def _find_files(self, module: str, name: str, view: Importer, depth: int) -> dict[str, None]:
        modules = self._world.modules
        files = dict.fromkeys(modules.files(module, view.path, view.family))
        if name not in ("", "*", "default") and view.family in ("python", "jvm", "rust", "php"):
            submodule = submodule_of(module, name, view.family)
            files |= dict.fromkeys(modules.files(submodule, view.path, view.family))
        if depth < _DEEPEST and view.family in ("python", "ecma", "c", "rust"):
            for path in tuple(files):
                file = self._world.view(path)
                for other, original in _reexports(file, name):
                    files |= dict.fromkeys(self.files(other, original, file, depth + 1))
        return files


def _reexports(view: Importer, name: str) -> Iterator[tuple[str, str]]:
    """Yield the imports of a module that others can import from it."""
    if name not in ("", "*"):
        yield from bindings(view, name)
    for module in wildcard_imports(view):
        yield module, name


def bindings(view: Importer, alias: str) -> Iterator[tuple[str, str]]:
    """Yield modules, and names in them, that a file imports under this name."""
    if view.references is None:
        return
    for one in view.references.importing(alias) if alias else ():
        for bound in one.names:
            if bound.alias == alias:
                yield one.module, bound.name


def wildcard_imports(view: Importer) -> Iterator[str]:
    """Yield the modules of which a file sees all names."""
    if view.references is None:
        return
    for one in view.references.imports:
        if any(bound.name == "*" for bound in one.names):
            yield one.module


def submodule_of(module: str, name: str, family: str) -> str:
    """Return the name of a module in a module."""
    sign = {"rust": "::", "php": "\\", "ecma": "/"}.get(family, ".")
    return f"{module}{'' if module.endswith('.') else sign}{name}"
