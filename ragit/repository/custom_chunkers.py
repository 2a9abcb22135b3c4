"""Find the custom chunkers that the settings name, and check that the user allowed them.

A file of the repository is read from the working tree, as .ragit.toml is, whatever tree is
searched. It has to be allowed by its content, and the compared bytes are the bytes that run. Any
other module comes from the user's Python. It is not imported from the repository or the current
folder, so that a clone cannot shadow an installed module.

Loaded only if the settings name a chunker. Runs no chunker.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from ragit import chunk, digests
from ragit.chunk import Custom
from ragit.records import NamedTuple
from ragit.repository import trust

MAX_BYTES = 1 << 20
"""Limit of a chunker's file."""

_READ = 4 << 20
"""Bytes of an installed package that its digest covers; of the rest only names and sizes."""

_ATTRIBUTE = "chunk"
_GROUP = "ragit.chunkers"
_INSTALLED = ("site-packages", "dist-packages")


class Origin(NamedTuple):
    """The repository that chunkers come from, and the record of permissions."""

    top: Path | None
    """The working tree; None for a bare repository."""
    common_dir: Path
    record: Path
    """The record of permissions."""


class Named(NamedTuple):
    """A chunker named by the settings."""

    name: str
    suffixes: tuple[str, ...]
    custom: Custom | None = None
    content: bytes = b""
    """Content of a file of the repository."""
    problem: str = ""
    """Why it cannot be used; empty if it can."""
    allowed: bool = True
    """False if only the user's permission is missing."""


class _Absent(Exception):
    """There is no such chunker; the text tells why."""


def named(pairs: Iterable[tuple[str, str]], origin: Origin) -> list[Named]:
    """Return the chunkers of the setting `chunkers`, each once."""
    modules: dict[str, list[str]] = {}
    for suffix, module in pairs:
        if module:
            modules.setdefault(module, []).append(suffix)
    return [_named(module, tuple(suffixes), origin) for module, suffixes in modules.items()]


def in_force(found: Iterable[Named]) -> dict[str, Custom]:
    """Return the usable chunkers by extension."""
    return {
        suffix: one.custom for one in found if one.custom and one.allowed for suffix in one.suffixes
    }


def warnings(found: Iterable[Named]) -> Iterator[str]:
    """Yield a line about each unused chunker."""
    found = list(found)
    if waiting := [
        f"{one.name} (chunker of {' '.join(one.suffixes)})" for one in found if not one.allowed
    ]:
        yield f"ignored until `ragit trust`: {', '.join(waiting)}"
    yield from (f"chunker {one.name} is ignored: {one.problem}" for one in found if one.problem)


def _named(name: str, suffixes: tuple[str, ...], origin: Origin) -> Named:
    file, _, attribute = name.partition(":")
    try:
        if file.endswith(".py"):
            content = _content(file, origin)
            digest = digests.digest(content).hex()
            custom = Custom(
                name, digest, attribute or _ATTRIBUTE, source=content, path=import_path(origin.top)
            )
            allowed = trust.is_trusted(
                origin.record, origin.common_dir, content, worktree=origin.top, name=file
            )
            return Named(name, suffixes, custom, content, allowed=allowed)
        return Named(name, suffixes, _installed(name, import_path(origin.top)))
    except _Absent as why:
        return Named(name, suffixes, problem=str(why))


def _content(file: str, origin: Origin) -> bytes:
    """Return the content of a chunker's file in the working tree. Raises _Absent."""
    if origin.top is None:
        raise _Absent("a bare repository has no files")
    top = origin.top.resolve()
    path = (top / file).resolve()
    if not path.is_relative_to(top) or path.is_relative_to(origin.common_dir.resolve()):
        raise _Absent("it leads out of the repository")
    try:
        if not path.is_file():
            raise _Absent("there is no such file in the working tree")
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise _Absent(f"it cannot be read ({error.strerror})") from error
    if not content or len(content) > MAX_BYTES:
        raise _Absent("it is empty" if not content else f"it is larger than {MAX_BYTES} bytes")
    return content


def import_path(top: Path | None) -> tuple[str, ...]:
    """Return the import path without folders of the working tree and the current folder.

    The environment that runs ragit stays, even within the working tree.
    """
    here, tree = Path.cwd(), top.resolve() if top else None
    kept = []
    for entry in sys.path:
        path = Path(entry)
        if not entry or not path.is_absolute():
            continue
        path = path.resolve()
        within = tree is not None and path.is_relative_to(tree)
        if (within or path == here) and not (
            path.name in _INSTALLED and path.is_relative_to(_prefix())
        ):
            continue
        kept.append(entry)
    return tuple(kept)


def _prefix() -> Path:
    return Path(sys.prefix).resolve()


def _installed(name: str, path: tuple[str, ...]) -> Custom:
    declared = ":" not in name
    module, _, attribute = (_entry_point(name, path) if declared else name).partition(":")
    if module.partition(".")[0] in sys.stdlib_module_names:
        raise _Absent("Python's own library holds no chunkers")
    specs = _specs(module, path)
    if specs is None:
        raise _Absent(f"no module {module} is installed where ragit is")
    return Custom(name, _digest(specs), attribute, module=module, declared=declared, path=path)


def _entry_point(name: str, path: tuple[str, ...]) -> str:
    """Return the MODULE:OBJECT of an entry point. Raises _Absent."""
    from importlib.metadata import distributions  # takes 40 ms, so only for entry points

    for distribution in distributions(path=list(path)):
        for point in distribution.entry_points:
            if point.group == _GROUP and point.name == name:
                if ":" not in point.value:
                    raise _Absent(f"its entry point names no object ({point.value})")
                return point.value.partition("[")[0].replace(" ", "")
    raise _Absent(
        f"nothing that is installed where ragit is calls itself so (entry points of {_GROUP})"
    )


def _specs(module: str, path: Iterable[str]) -> list[ModuleSpec] | None:
    """Find a module and its parent packages, outermost first, without running them."""
    found: list[ModuleSpec] = []
    where: list[str] | None = list(path)
    parts = module.split(".")
    for depth in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:depth]), where) if where else None
        if spec is None:
            return None
        found.append(spec)
        try:
            where = list(spec.submodule_search_locations or ())
        except KeyError:  # a namespace in a namespace, whose parent would have to be imported
            return None
    return found


def _digest(specs: Iterable[ModuleSpec]) -> str:
    """Return a digest of an installed module and its package; the module's own file comes first."""
    specs = list(specs)
    own = [(spec.name, Path(spec.origin)) for spec in reversed(specs) if spec.origin]
    folders = map(Path, specs[0].submodule_search_locations or ())
    found = (
        (file.relative_to(folder).as_posix(), file)
        for folder in folders
        for file in folder.rglob("*")
    )
    parts: list[tuple[str, object]] = []
    left = _READ
    for name, file in own + sorted(
        (name, file) for name, file in found if file.suffix != ".pyc" and file.is_file()
    ):
        try:
            size = file.stat().st_size
            left -= size
            parts.append((name, digests.digest(file.read_bytes()).hex() if left >= 0 else size))
        except OSError as error:
            raise _Absent(f"{file} cannot be read ({error.strerror})") from error
    return digests.fingerprint(repr(parts))


def instead(found: Iterable[Named]) -> Iterator[str]:
    """Yield a line about each extension where a chunker replaces ragit's own."""
    for suffix, custom in in_force(found).items():
        if language := chunk.named(suffix):
            yield f"{suffix} by {custom.name} in place of ragit's {language}"
