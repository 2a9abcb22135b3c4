"""Read import statements: the imported module and names. Pure.

A statement is read from its text, since each grammar names its parts differently. Parts that are
not understood give no name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ragit.references import Bound

Found = Iterator[tuple[str, tuple[Bound, ...]]]
"""Modules with the names imported from each."""

_MOST = 20_000
"""Limit of the characters read of a statement."""

_ALL = (Bound("*", ""),)


def imports_of(language: str, statement: str) -> Found:
    """Yield the modules of an import statement with the imported names."""
    read = _READERS.get(language)
    if read is not None:
        text = statement[:_MOST]
        if language == "python":
            text = re.sub(r"#[^\n]*|\\\n", "", text)
        yield from read(" ".join(text.split()))


def _renamed(names: str, word: str) -> tuple[Bound, ...]:
    """Return the names of a list such as `a, b as c`, where `word` comes before the new name."""
    found = []
    for part in names.split(","):
        name, _, alias = part.strip().partition(word)
        name, alias = name.strip(), alias.strip()
        if name:
            found.append(Bound(name, "") if name == "*" else Bound(name, alias or name))
    return tuple(found)


def _python(text: str) -> Found:
    match = re.fullmatch(r"from (\.*\s*[\w.]*) import (.*)", text)
    if match:
        names = match[2].strip("() ;")
        yield match[1].replace(" ", ""), _renamed(names, " as ")
        return
    for part in re.sub(r"^import ", "", text).split(","):
        module, _, alias = part.strip().partition(" as ")
        if module:
            yield module, (Bound("", alias.strip() or module.split(".")[0]),)


def _java(text: str) -> Found:
    match = re.match(r"import (static )?([\w.]+?)(?:\.(\*))?\s*;?$", text)
    if match:
        yield from _dotted(match[2], match[3] or "", "")


def _kotlin(text: str) -> Found:
    match = re.match(r"import ([\w.`]+?)(?:\.(\*))?(?: as (\w+))?\s*;?$", text)
    if match:
        yield from _dotted(match[1].replace("`", ""), match[2] or "", match[3] or "")


def _dotted(path: str, star: str, alias: str) -> Found:
    if star:
        yield path, _ALL
        return
    module, _, name = path.rpartition(".")
    yield module, (Bound(name, alias or name),)


def _scala(text: str) -> Found:
    for part in re.split(r",(?![^{]*\})", re.sub(r"^(import|export) ", "", text)):
        path = part.strip().rstrip(";")
        listed = re.fullmatch(r"([\w.`]+)\.\{(.*)\}", path)
        if listed:
            names = re.sub(r"\s*=>\s*", " as ", listed[2])
            bound = _renamed(re.sub(r"\b_(?=\s*(,|$))", "*", names), " as ")
            yield listed[1], tuple(one for one in bound if one.alias != "_")
        elif path.endswith(("._", ".*")):
            yield path[:-2], _ALL
        elif path:
            name, _, alias = path.partition(" as ")
            yield from _dotted(name.strip(), "", alias.strip())


_QUOTED = re.compile(r"""["']([^"']+)["']""")


def _ecma(text: str) -> Found:
    quoted = _QUOTED.findall(text)
    if not quoted:
        return
    module = quoted[-1]
    if text.startswith(("import", "export")):
        head = re.sub(r"^(import|export)( type)?\b", "", text[: text.rindex(module) - 1])
        yield module, tuple(_ecma_names(re.sub(r"\bfrom\s*$", "", head.strip())))
        return
    match = re.search(r"(?:const|let|var) (\{[^}]*\}|[\w$]+) ?= ?require ?\(", text)
    if match and match[1].startswith("{"):
        yield module, _renamed(match[1].strip("{} "), ":")
    elif match:
        yield module, (Bound("", match[1]),)


def _ecma_names(head: str) -> Iterator[Bound]:
    listed = re.search(r"\{([^}]*)\}", head)
    if listed:
        yield from _renamed(re.sub(r"\btype (?=\w)", "", listed[1]), " as ")
        head = head[: listed.start()] + head[listed.end() :]
    for part in head.split(","):
        name = part.strip()
        if name.startswith("* as "):
            yield Bound("", name[5:].strip())
        elif name == "*":
            yield Bound("*", "")
        elif re.fullmatch(r"[\w$]+", name):
            yield Bound("default", name)


def _c(text: str) -> Found:
    match = re.search(r'(?:include|import)\w*\s*(?:"([^"]+)"|<([^>]+)>)', text)
    if match:
        yield match[1] or match[2], _ALL
        return
    match = re.match(r"using (?:namespace )?([\w:]+)\s*;", text)
    if match:
        module, _, name = match[1].rpartition("::")
        yield (match[1], _ALL) if "namespace" in text else (module, (Bound(name, name),))


def _go(text: str) -> Found:
    for alias, module in re.findall(r'([\w.]+)?\s*"([^"]+)"', re.sub(r"^import", "", text)):
        parts = [part for part in module.split("/") if not re.fullmatch(r"v\d+", part)]
        last = re.sub(r"\.v\d+$|^go-|-go$", "", parts[-1]) if parts else ""
        if alias == ".":
            yield module, _ALL
        elif alias != "_":
            yield module, (Bound("", alias or last),)


def _rust(text: str) -> Found:
    match = re.search(r"\buse (.*?);?$", text)
    if match:
        yield from _rust_tree("", match[1].strip())
    match = re.search(r"\bextern crate (\w+)(?: as (\w+))?", text)
    if match:
        yield match[1], (Bound("", match[2] or match[1]),)


def _rust_tree(prefix: str, tree: str) -> Found:
    """Yield the imports of a `use` tree such as `a::{b, c::{d, e as f}}`."""
    match = re.fullmatch(r"(.*?)(?:::)?\{(.*)\}", tree)
    if match:
        inner = "::".join(filter(None, (prefix, match[1].strip())))
        for part in _top_level(match[2]):
            yield from _rust_tree(inner, part)
        return
    path, _, alias = tree.partition(" as ")
    module, _, name = "::".join(filter(None, (prefix, path.strip()))).rpartition("::")
    if name == "*":
        yield module, _ALL
    elif name == "self":
        outer, _, last = module.rpartition("::")
        yield outer, (Bound(last, alias.strip() or last),)
    elif name and alias.strip() != "_":
        yield module, (Bound(name, alias.strip() or name),)


def _top_level(text: str) -> Iterator[str]:
    """Yield the parts of a list between commas outside of braces."""
    depth, start = 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and not depth:
            yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()


def _php(text: str) -> Found:
    match = re.match(r"use (?:function |const )?(.*?);?$", text)
    if not match:
        return
    group = re.fullmatch(r"\\?([\w\\]+)\\\{(.*)\}", match[1].strip())
    if group:
        yield group[1], _renamed(group[2], " as ")
        return
    for part in match[1].split(","):
        path, _, alias = part.strip().partition(" as ")
        module, _, name = path.strip().lstrip("\\").rpartition("\\")
        if name:
            yield module, (Bound(name, alias.strip() or name),)


def _csharp(text: str) -> Found:
    match = re.match(r"(?:global )?using (static )?(?:(\w+)\s*=\s*)?([\w.]+)\s*;", text)
    if match and match[2]:
        module, _, name = match[3].rpartition(".")
        yield module, (Bound(name, match[2]),)
    elif match:
        yield match[3], _ALL


def _ruby(text: str) -> Found:
    match = re.match(r"""(require|require_relative|load|autoload)\b.*?["']([^"']+)["']\)?$""", text)
    if match:
        relative = match[1] == "require_relative" and not match[2].startswith(".")
        yield f"./{match[2]}" if relative else match[2], _ALL


def _swift(text: str) -> Found:
    match = re.match(r"(?:@\w+ )*import (?:\w+ )?([\w.]+)$", text)
    if match:
        yield match[1], _ALL


_READERS: dict[str, Callable[[str], Found]] = {
    "python": _python,
    "java": _java,
    "kotlin": _kotlin,
    "scala": _scala,
    "javascript": _ecma,
    "typescript": _ecma,
    "tsx": _ecma,
    "c": _c,
    "cpp": _c,
    "go": _go,
    "rust": _rust,
    "php": _php,
    "csharp": _csharp,
    "ruby": _ruby,
    "swift": _swift,
}
