"""Find the files of a tree that an import means. Pure.

It uses paths and the tree's manifests (`manifests`). A module that matches no file is assumed to be
outside of the tree.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile

from ragit.usages import manifests
from ragit.usages.manifests import Read

FAMILIES = {
    "java": "jvm",
    "kotlin": "jvm",
    "scala": "jvm",
    "javascript": "ecma",
    "typescript": "ecma",
    "tsx": "ecma",
    "vue": "ecma",
    "svelte": "ecma",
    "c": "c",
    "cpp": "c",
}
"""Languages whose files refer to each other's names; any other language is its own family."""

_ECMA_ENDINGS = (
    *(".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"),
    *(".vue", ".svelte"),
)
_SOURCE_ROOT = re.compile(r"^.*?(?:^|/)src/[^/]+/(?:java|kotlin|scala)(?=/|$)")


def family_of(language: str) -> str:
    """Return the family of a language: files of a family may refer to each other's definitions."""
    return FAMILIES.get(language, language)


def package_of(path: str, family: str) -> str | None:
    """Return the package of a file if files of one package see each other; else None."""
    folder = posixpath.dirname(path)
    if family == "jvm":
        return _SOURCE_ROOT.sub("", folder)
    return folder if family in ("go", "php") else None  # of PHP as PSR-4 has it: one namespace


def standpoint(path: str, family: str) -> str:
    """Return the part of a file's path on which the meaning of modules depends: its folder, or all
    of it.
    """
    return path if family == "rust" else posixpath.dirname(path)


class Modules:
    """The files of one tree by module."""

    def __init__(self, paths: Iterable[str], read: Read = lambda path: "") -> None:
        """Take the paths of a tree; `read` gives the text of a file, for its manifests."""
        self._paths = frozenset(paths)
        self._read = read
        self._known: dict[tuple[str, str, str], tuple[str, ...]] = {}

    def files(self, module: str, importer: str, family: str) -> tuple[str, ...]:
        """Return the files that a module may be, as an importing file names it."""
        key = (module, standpoint(importer, family), family)
        found = self._known.get(key)
        if found is None:
            found = tuple(sorted(self._found(module, importer, family)))
            self._known[key] = found
        return found

    def _found(self, module: str, importer: str, family: str) -> Iterable[str]:
        folder = posixpath.dirname(importer)
        if family == "python":
            return self._python(module, folder)
        if family == "jvm":
            return self._in_folders(module.replace(".", "/"), least=2)
        if family == "ecma":
            return self._ecma(module, folder)
        if family == "c":
            return self._included(module, folder)
        if family == "go":
            return self._go(module)
        if family == "rust":
            return self._rust(module, importer)
        if family == "php":
            return self._in_folders(module.replace("\\", "/"), least=1)
        if family == "ruby":
            return self._ruby(module, folder)
        return ()

    def _python(self, module: str, folder: str) -> Iterable[str]:
        dots = len(module) - len(module.lstrip("."))
        parts = [part for part in module[dots:].split(".") if part]
        if dots:
            for _ in range(dots - 1):
                folder = posixpath.dirname(folder)
            return self._python_files(posixpath.join(folder, *parts))
        if not parts:
            return ()
        roots = sorted(self._roots_of(parts[0]), key=lambda root: _distance(root, folder))
        for root in roots:
            found = self._python_files(posixpath.join(root, *parts))
            if found:
                return found
        return ()

    def _python_files(self, path: str) -> list[str]:
        names = (f"{path}.py", f"{path}/__init__.py", f"{path}.pyi", f"{path}/__init__.pyi")
        return [name for name in names if name.lstrip("/") in self._paths]

    def _roots_of(self, name: str) -> list[str]:
        """Return folders that are no package and contain a module or package of this name."""
        found = set()
        for path in (*self._by_name.get(f"{name}.py", ()), *self._by_name.get(f"{name}.pyi", ())):
            found.add(posixpath.dirname(path))
        for folder in self._folders_named.get(name, ()):
            found.add(posixpath.dirname(folder))
        return [one for one in found if posixpath.join(one, "__init__.py") not in self._paths]

    def _ecma(self, module: str, folder: str) -> Iterable[str]:
        if module.startswith("."):
            return self._ecma_files(posixpath.normpath(posixpath.join(folder, module)))
        configured = self._configured(module, folder)
        if configured:
            return configured
        if module.startswith(("@/", "~/")):
            rest = module[2:]
            roots = self._folders_named.get("src", ())
            return [one for root in roots for one in self._ecma_files(posixpath.join(root, rest))]
        return self._in_package(module)

    def _configured(self, module: str, folder: str) -> list[str]:
        """Return the files of a module by the nearest `tsconfig.json` around the importing file."""
        if not self._typescript:
            return []
        while folder not in self._typescript:
            if not folder:
                return []
            folder = _folder(folder)
        settings = self._typescript[folder]
        paths = manifests.mapped(module, settings.aliases)
        if not paths and settings.base is not None:
            paths = [posixpath.join(settings.base, module)]
        found = (self._ecma_files(path) for path in paths)
        return next((files for files in found if files), [])

    def _in_package(self, module: str) -> list[str]:
        """Return the files of a package of the tree, or the one at a path in it."""
        scope, rest = _after(module) if module.startswith("@") else ("", module)
        last, rest = _after(rest)
        package = self._packages.get(f"{scope}/{last}" if scope else last)
        if package is not None:
            return self._file_in(package, rest) or self._below(package)
        found: list[str] = []
        for folder in self._folders_named.get(last, ()):
            if posixpath.join(folder, "package.json") in self._unnamed:
                found += self._below(folder)
        return found

    def _file_in(self, package: str, path: str) -> list[str]:
        """Return the file at a path in a package, whose sources may be in `src`."""
        if not path:
            return []
        beside = self._ecma_files(posixpath.join(package, path))
        return beside or self._ecma_files(posixpath.join(package, "src", path))

    def _ecma_files(self, path: str) -> list[str]:
        stem = re.sub(r"\.[cm]?jsx?$", "", path)
        names = [path, *(stem + ending for ending in _ECMA_ENDINGS)]
        names += [f"{path}/index{ending}" for ending in _ECMA_ENDINGS]
        return [name for name in dict.fromkeys(names) if name in self._paths][:1]

    def _included(self, module: str, folder: str) -> Iterable[str]:
        beside = posixpath.normpath(posixpath.join(folder, module))
        if beside in self._paths:
            return (beside,)
        return self._ending_with(posixpath.normpath(module).lstrip("./"))

    def _go(self, module: str) -> Iterable[str]:
        if self._go_modules:
            return self._in_go_module(module)
        parts = module.split("/")
        least = 1 if "." in parts[0] else len(parts)
        for start in range(len(parts) - least + 1):
            found = list(self._in_folders("/".join(parts[start:]), least=1))
            if found:
                return found
        return ()

    def _in_go_module(self, module: str) -> list[str]:
        """Return the files of a package, whose folder follows from the nearest module around it."""
        name = module
        while name and name not in self._go_modules:
            name = _folder(name)
        if not name:
            return []
        rest = module[len(name) :].strip("/")
        folder = posixpath.join(self._go_modules[name], rest).rstrip("/")
        return [path for path in self._by_folder.get(folder, ()) if path.endswith(".go")]

    def _rust(self, module: str, importer: str) -> Iterable[str]:
        parts = module.split("::")
        folder = posixpath.dirname(importer)
        stem = posixpath.basename(importer).removesuffix(".rs")
        own = folder if stem in ("mod", "lib", "main") else posixpath.join(folder, stem)
        if parts[0] == "crate":
            base = importer[: importer.rfind("src/") + 3] if "src/" in importer else folder
            return self._rust_files(base, parts[1:])
        if parts[0] in ("self", "super"):
            above = sum(1 for _ in takewhile(lambda part: part == "super", parts))
            for _ in range(above):
                own = posixpath.dirname(own)
            return self._rust_files(own, parts[max(1, above) :])
        found: list[str] = []
        for crate in self._crates(parts[0]):
            found += self._rust_files(f"{crate}/src", parts[1:])
        return found

    def _crates(self, name: str) -> Iterator[str]:
        """Yield the folders of a crate, whose package name may have hyphens."""
        for one in (name, name.replace("_", "-")):
            for path in self._folders_named.get(one, ()):
                if posixpath.join(path, "Cargo.toml") in self._paths:
                    yield path

    def _rust_files(self, base: str, parts: Sequence[str]) -> list[str]:
        """Return the file of a module, or the nearest one around it that has a file."""
        for stop in range(len(parts), 0, -1):
            path = posixpath.join(base, *parts[:stop])
            found = [one for one in (f"{path}.rs", f"{path}/mod.rs") if one in self._paths]
            if found:
                return found
        names = (f"{base}/lib.rs", f"{base}/main.rs", f"{base}/mod.rs", f"{base}.rs")
        return [name for name in names if name in self._paths]

    def _ruby(self, module: str, folder: str) -> Iterable[str]:
        name = module if module.endswith(".rb") else f"{module}.rb"
        if module.startswith("."):
            beside = posixpath.normpath(posixpath.join(folder, name))
            return (beside,) if beside in self._paths else ()
        return self._ending_with(name)

    def _in_folders(self, suffix: str, *, least: int) -> Iterable[str]:
        """Return the files in folders with this end of their path, or files with such a path."""
        suffix = suffix.strip("/")
        parts = suffix.split("/")
        if not suffix or len(parts) < least:
            return ()
        folders = [
            folder
            for folder in self._folders_named.get(parts[-1], ())
            if folder == suffix or folder.endswith(f"/{suffix}")
        ]
        found = [path for folder in folders for path in self._by_folder.get(folder, ())]
        for path in self._by_stem.get(parts[-1], ()):
            stem = posixpath.splitext(path)[0]
            if stem == suffix or stem.endswith(f"/{suffix}"):
                found.append(path)
        return found

    def _ending_with(self, suffix: str) -> list[str]:
        named = self._by_name.get(posixpath.basename(suffix), ())
        return [path for path in named if path == suffix or path.endswith(f"/{suffix}")]

    def _below(self, folder: str) -> list[str]:
        return [path for path in self._paths if not folder or path.startswith(f"{folder}/")]

    @cached_property
    def _go_modules(self) -> dict[str, str]:
        return manifests.go_modules(self._paths, self._read)

    @cached_property
    def _packages(self) -> dict[str, str]:
        return manifests.packages(self._paths, self._read)

    @cached_property
    def _unnamed(self) -> set[str]:
        """The `package.json` files without a name, for which the folder's name counts."""
        named = {posixpath.join(folder, "package.json") for folder in self._packages.values()}
        return {path for path in self._by_name.get("package.json", ()) if path not in named}

    @cached_property
    def _typescript(self) -> dict[str, manifests.TypeScriptPaths]:
        return manifests.typescript_paths(self._paths, self._read)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return _grouped(self._paths, _name)

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        return _grouped(self._paths, stem_of)

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        return _grouped(self._paths, _folder)

    @cached_property
    def _folders_named(self) -> dict[str, list[str]]:
        folders = set()
        for folder in self._by_folder:
            while folder and folder not in folders:
                folders.add(folder)
                folder = _folder(folder)
        return _grouped(folders, _name)


def _grouped(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(key(path), []).append(path)
    return found


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def stem_of(path: str) -> str:
    """Return the name of a file without its suffix."""
    return _name(path).partition(".")[0]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _after(module: str) -> tuple[str, str]:
    """Return the first part of a module's name, and the rest."""
    first, _, rest = module.partition("/")
    return first, rest


def _distance(root: str, folder: str) -> tuple[int, int, str]:
    """Return the distance of a root folder from an importing folder: enclosing roots are nearest,
    then the usual ones, then short paths.
    """
    if root and f"{folder}/".startswith(f"{root}/"):
        return 0, -len(root), root
    return (1 if root in ("", "src", "lib") else 2), len(root), root
