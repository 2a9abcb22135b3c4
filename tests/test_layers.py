"""Tests of the structure: imports point one way, and each library is used by one room."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ragit

PACKAGE = Path(ragit.__file__).parent

SHARED = {
    "types",
    "reports",
    "records",
    "digests",
    "errors",
    "words",
    "globs",
    "lazy",
    "lfs",
    "contexts",
    "judgements",
    "outlines",
    "changes",
    "query",
}
"""Modules that all others may import: no IO, only the standard library."""

ROOMS: dict[str, set[str]] = {
    "records": set(),
    "digests": set(),
    "types": set(),
    "query": set(),
    "reports": set(),
    "errors": set(),
    "words": set(),
    "globs": set(),
    "lazy": set(),
    "lfs": set(),
    "judgements": set(),
    "contexts": set(),
    "outlines": set(),
    "changes": set(),
    "word_numbers": set(),
    "postings": set(),
    "bulk_postings": {"postings", "word_numbers"},
    "references": set(),
    "remembered": set(),
    "usages": {"references", "remembered"},
    "locks": set(),
    "sandbox": set(),
    "crash": set(),
    "config": set(),
    "git": set(),
    "chunk": {"references", "sandbox"},
    "remote": set(),
    "embed": {"remembered", "remote", "word_numbers"},
    "services": {"config", "git", "remote"},
    "describe": {"remote", "sandbox"},
    "store": {"locks", "postings", "references", "remembered"},
    "rank": {"postings"},
    "render": {"usages"},
    "index": {
        "bulk_postings",
        "chunk",
        "config",
        "describe",
        "embed",
        "git",
        "locks",
        "postings",
        "remote",
        "sandbox",
        "services",
        "store",
        "word_numbers",
    },
    "search": {
        "chunk",
        "config",
        "embed",
        "git",
        "index",
        "postings",
        "rank",
        "remembered",
        "remote",
        "services",
        "store",
    },
    "tree_world": {"rank", "references", "remembered", "search", "store", "usages"},
    "context": {"chunk", "postings", "rank", "references", "store", "tree_world", "usages"},
    "outline": {"chunk", "rank", "search", "store"},
    "refs": {"chunk", "git"},
    "history": {"config", "git", "index", "outline", "refs", "search", "store"},
    "repository": {
        "chunk",
        "config",
        "context",
        "git",
        "index",
        "outline",
        "history",
        "rank",
        "references",
        "refs",
        "remembered",
        "search",
        "store",
        "tree_world",
        "usages",
    },
    "installation": set(),
    "agents": {"config", "git", "installation"},
    "hooks": {"repository", "config", "git", "index", "installation", "locks", "store"},
    "doctor": {
        "agents",
        "chunk",
        "config",
        "embed",
        "git",
        "hooks",
        "index",
        "locks",
        "repository",
        "store",
    },
    "evaluate": {"repository", "chunk", "config", "git", "rank"},
    "mcp": {"crash", "outlines", "render", "repository", "usages"},
    "cli": {"agents", "config", "repository", "doctor", "evaluate", "hooks", "mcp", "render"},
    "__main__": {"cli", "crash", "render"},
    "__init__": {"repository"},
}
"""Other rooms that each room may import. A new room needs an entry."""

OWNERS = {
    "anyio": {"mcp"},
    "apsw": {"store"},
    "click": {"cli", "__main__"},
    "docx": {"chunk"},
    "lxml": {"chunk"},
    "mcp": {"mcp"},
    "mcp_types": {"mcp"},
    "numpy": {
        "bulk_postings",
        "embed",
        "search/sign_bits.py",
        "search/tree_arrays.py",
        "search/word_arrays.py",
        "word_numbers",
    },
    "olefile": {"chunk"},
    "openai": {"remote/client.py"},
    "openpyxl": {"chunk"},
    "pygit2": {"git"},
    "pypdf": {"chunk"},
    "pygments": {"render/syntax.py"},
    "pypdfium2": {"chunk"},
    "striprtf": {"chunk"},
    "sqlite_vec": {"store"},
    "tomli": {"config"},
    "tree_sitter": {"chunk"},
    "tree_sitter_language_pack": {"chunk"},
    "xlrd": {"chunk"},
    "typing_extensions": {"records"},  # for type checkers only
    # Modules of the standard library for input, output and processes.
    "http": set(),
    "httpcore2": {"remote/transport.py"},
    "httpx2": {"remote"},
    "multiprocessing": set(),
    "socket": {"hooks", "remote/transport.py"},
    "sqlite3": set(),
    "ssl": {"remote/transport.py"},
    "PIL": {"describe/scale.py"},
    "subprocess": {"sandbox", "git", "hooks", "cli/pager.py", "agents/discovery.py"},
    "urllib": {"remote"},
}
"""Every library and every module for IO, with the rooms (or files) that may use it."""


@cache
def nodes(file: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a file, its module first."""
    return tuple(ast.walk(ast.parse(file.read_bytes())))


@cache
def imports(file: Path) -> frozenset[str]:
    """Return dotted names of all imports in a file."""

    def names() -> Iterator[str]:
        for node in nodes(file):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file}: relative import"
                yield from (f"{node.module}.{alias.name}" for alias in node.names)

    return frozenset(names())


def files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room_of(file: Path) -> str:
    return file.relative_to(PACKAGE).with_suffix("").parts[0]


def rooms_imported(file: Path) -> set[str]:
    dotted = [name.split(".") for name in imports(file) if name.startswith("ragit.")]
    return {parts[1] for parts in dotted if parts[1] != "__version__"} - {room_of(file)}


def by_name(file: Path) -> str:
    return str(file.relative_to(PACKAGE))


def test_packages_import_only_allowed_packages() -> None:
    for file in files():
        forbidden = rooms_imported(file) - SHARED - ROOMS[room_of(file)]
        assert not forbidden, f"{by_name(file)} imports {sorted(forbidden)}"


def test_libraries_are_imported_only_by_their_owners() -> None:
    for file in files():
        place = by_name(file)
        for name in {name.split(".")[0] for name in imports(file)} - {"ragit"}:
            if name in OWNERS:
                assert OWNERS[name] & {room_of(file), place}, f"{place} imports {name}"
            else:
                assert name in sys.stdlib_module_names or name == "_blake2", (
                    f"{place} imports {name}, which has no owner"
                )


def test_packages_have_no_import_cycle() -> None:
    done: set[str] = set()
    waiting = {room: set(before) for room, before in ROOMS.items()}
    while waiting:
        ready = {room for room, before in waiting.items() if before <= done}
        assert ready, f"an import cycle among {sorted(waiting)}"
        done |= ready
        waiting = {room: before for room, before in waiting.items() if room not in ready}


@pytest.mark.parametrize("room", sorted(SHARED))
def test_shared_modules_import_only_each_other(room: str) -> None:
    assert rooms_imported(PACKAGE / f"{room}.py") <= SHARED


@pytest.mark.parametrize(
    "room",
    [
        "types.py",
        "query.py",
        "reports.py",
        "words.py",
        "globs.py",
        "lfs.py",
        "judgements.py",
        "postings.py",
        "bulk_postings.py",
        "word_numbers.py",
        "references.py",
        "rank",
        "usages",
    ],
)
def test_pure_packages_import_no_io(room: str) -> None:
    within = [PACKAGE / room] if room.endswith(".py") else sorted((PACKAGE / room).rglob("*.py"))
    for file in within:
        assert not {"os", "io", "pathlib", "subprocess", "socket"} & {
            name.split(".")[0] for name in imports(file)
        }


def test_sql_stays_in_the_store() -> None:
    for file in files():
        strings = (n.value for n in nodes(file) if isinstance(n, ast.Constant))
        verbs = ("SELECT ", "INSERT ", "DELETE FROM ", "UPDATE ", "CREATE TABLE", "PRAGMA ")
        found = [
            text for text in strings if isinstance(text, str) and text.lstrip().startswith(verbs)
        ]
        assert not found or room_of(file) == "store", f"{by_name(file)}: {found[0]}"


def test_every_module_has_a_docstring() -> None:
    for file in files():
        module = nodes(file)[0]
        assert isinstance(module, ast.Module)
        doc = ast.get_docstring(module)
        assert doc and len(doc) > 20, by_name(file)


def test_functions_have_at_most_50_lines() -> None:
    """At most 50 lines, and 95 % below 35."""
    sizes: list[tuple[int, str]] = []
    for file in files():
        for node in nodes(file):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                sizes.append(
                    ((node.end_lineno or 0) - node.lineno + 1, f"{by_name(file)}:{node.name}")
                )
    sizes.sort()
    assert sizes[-1][0] <= 50, sizes[-5:]
    assert sizes[len(sizes) * 95 // 100][0] < 35


def test_files_have_at_most_550_lines() -> None:
    for file in files():
        assert file.read_bytes().count(b"\n") <= 550, by_name(file)


def module_name(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def statements(room: str) -> Iterator[ast.stmt]:
    """Yield the statements of a package's `__init__`, also those for type checkers only."""
    for node in ast.parse((PACKAGE / room / "__init__.py").read_bytes()).body:
        yield from node.body if isinstance(node, ast.If) else [node]


@cache
def reexported_names(room: str) -> frozenset[str]:
    """Return the names that a package's `__init__` imports from the package's own modules, or from
    elsewhere under the same name (`x as x`).
    """
    return frozenset(
        alias.asname or alias.name
        for node in statements(room)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.".startswith(f"ragit.{room}.") or alias.asname == alias.name
    )


@cache
def exported_names(room: str) -> frozenset[str]:
    """Return what a package exports: the public names that its `__init__` reexports or defines."""
    defined: set[str] = set()
    for node in statements(room):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined.add(node.name)
        elif isinstance(node, ast.Assign):
            defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            defined.add(node.target.id)
    public = {name for name in defined - {"TYPE_CHECKING"} if not name.startswith("_")}
    return reexported_names(room) | public


PACKAGES = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}


def test_packages_import_only_exported_names() -> None:
    for file in files():
        for node in nodes(file):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("ragit."):
                continue
            room = str(node.module).split(".")[1]
            if room in PACKAGES - {room_of(file)}:
                assert node.module == f"ragit.{room}", f"{by_name(file)} imports {node.module}"
                hidden = {alias.name for alias in node.names} - exported_names(room)
                assert not hidden, f"{by_name(file)} imports {sorted(hidden)}"


@pytest.mark.parametrize("room", sorted(PACKAGES))
def test_reexported_names_are_used(room: str) -> None:
    """Names that no other package, test or script imports are removed from the `__init__`."""
    assert reexported_names(room) <= names_imported_from(room)


@cache
def names_imported_from(room: str) -> frozenset[str]:
    """Return the names that code outside of a package imports from it, or may read from it."""
    found: set[str] = set()
    for folder in ("ragit", "tests", "bench", "training"):
        for file in (PACKAGE.parent / folder).rglob("*.py"):
            if file.is_relative_to(PACKAGE / room):
                continue
            for node in nodes(file):
                if isinstance(node, ast.ImportFrom) and node.module == f"ragit.{room}":
                    found |= {alias.name for alias in node.names}
                elif isinstance(node, ast.Attribute):
                    found.add(node.attr)
    return frozenset(found)


@pytest.mark.parametrize("room", sorted(PACKAGES))
def test_exported_names_can_be_imported(room: str) -> None:
    """Names imported on first use must be the same at run time as for type checkers."""
    for name in exported_names(room):
        found: dict[str, object] = {}
        exec(f"from ragit.{room} import {name}", found)
        assert found[name] is not None


def test_modules_have_no_import_cycle() -> None:
    """Imports within functions and for types are counted, too."""
    names = {module_name(file): file for file in files()}
    needs: dict[str, set[str]] = {}
    for name, file in names.items():
        found = {
            dotted if dotted in names else dotted.rpartition(".")[0] for dotted in imports(file)
        }
        needs[name] = (found & names.keys()) - {name, "ragit"}
    while needs:
        ready = {name for name, wanted in needs.items() if not wanted & needs.keys()}
        assert ready, f"an import cycle among {sorted(needs)}"
        needs = {name: wanted for name, wanted in needs.items() if name not in ready}


MAX_CHAIN = 15
"""Limit of files in a chain in which each file imports the next when it is loaded."""


def test_import_chains_have_at_most_15_files() -> None:
    """Imports within functions and for types are not counted: they do not load a file."""
    names = {module_name(file): file for file in files()}
    lengths: dict[str, int] = {}

    def length(name: str) -> int:
        if name not in lengths:
            imported = imported_on_load(names[name])
            needed = {one if one in names else one.rpartition(".")[0] for one in imported}
            needed = needed & names.keys() - {name, "ragit"}
            lengths[name] = 1 + max(map(length, needed), default=0)
        return lengths[name]

    too_long = {name: length(name) for name in names if length(name) > MAX_CHAIN}
    assert too_long == {}


def imported_on_load(file: Path) -> set[str]:
    """Return dotted names of all that a file imports when it is loaded."""
    found = set()
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found
