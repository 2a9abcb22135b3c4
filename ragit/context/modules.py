"""Compare the module that an import statement names with the path of a file. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

_INDEX = frozenset(("index", "__init__", "mod", "lib", "main"))
"""Files that stand for their folder."""


def fits(path: str, module: str) -> int:
    """Return how many parts of a module's name a path ends in, or the folder of that path."""
    parts, wanted = _parts(path), _split(module)
    return max(_common_end(parts, wanted), _common_end(parts[:-1], wanted))


@lru_cache(maxsize=8192)
def _split(module: str) -> tuple[str, ...]:
    """Return the parts of a module's name, without the suffix of a file name."""
    module = module.removesuffix(".js").removesuffix(".ts").removesuffix(".h")
    for sign in ("::", "\\", ".", "-"):
        module = module.replace(sign, "/")
    left_out = ("", "@", "crate", "super", "self")
    return tuple(part for part in module.split("/") if part not in left_out)


@lru_cache(maxsize=32768)
def _parts(path: str) -> tuple[str, ...]:
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    if stem in _INDEX and folder:
        return tuple(folder.replace("-", "/").split("/"))
    return (*folder.replace("-", "/").split("/"), *stem.split("-"))


def _common_end(ending: Sequence[str], module: Sequence[str]) -> int:
    count = 0
    while count < min(len(ending), len(module)) and ending[-1 - count] == module[-1 - count]:
        count += 1
    return count


def last_parts(module: str) -> tuple[str, ...]:
    """Return the last part of a module's name; none of an empty one."""
    return _split(module)[-1:]


def ends_of(path: str) -> tuple[str, ...]:
    """Return the names by which a module may end in a path: its file's, and its folder's."""
    return tuple(dict.fromkeys(_parts(path)[-2:]))


def stem_of(path: str) -> str:
    """Return the name of a file without its suffix."""
    return path.rpartition("/")[2].partition(".")[0]
