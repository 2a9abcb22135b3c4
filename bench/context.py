"""Measure `Ragit.context`: does the context contain the definition of a name that a hidden line
calls?

usage: python bench/context.py [--places N] [--seed N] REPOSITORY...

The script draws lines of random files that call a name which the file imports from the same
repository. It blanks the line, and requests the context of its place with 1,200 tokens. It counts
as found if the definition of the name is among the declarations. The definition is found here by
the rules of the language (module to file), not by ragit: Python, Java, TypeScript and JavaScript;
in C a name counts as imported from an included header that declares it. Names whose module leads to
no file of the tree, or to a file that does not define them, are left out.

The baseline gives windows of 20 lines of other files in the folder, those first that share most
identifiers with the 10 lines before and after (Jaccard index), as many as fit.

Prints both shares by repository, and the processor time of a call: median and 95th percentile in
milliseconds, after a first call that opens the tree.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from statistics import median, quantiles

import ragit
from ragit.chunk import imports_of
from ragit.repository import Ragit
from ragit.types import path_text

TOKENS = 1200
BYTES_PER_TOKEN = 3
WINDOW = 20
NEAR = 10
SUFFIXES = (".py", ".java", ".ts", ".tsx", ".js", ".c")
WORD = re.compile(r"[^\W\d]\w*")
IMPORT = re.compile(r"\s*(?:from|import|export|#\s*include)\b")


@dataclass
class Tree:
    """The files of a repository, and the lines that define each name, by path."""

    lines: dict[str, list[str]]
    languages: dict[str, str]
    defined: dict[str, dict[str, list[int]]]


@dataclass
class Hidden:
    """A line that calls an imported name, and where the name is defined."""

    path: str
    line: int
    name: str
    places: set[tuple[str, int]]


def read_tree(index: Ragit) -> Tree:
    """Read all files of a repository, and their definitions."""
    tree = Tree({}, {}, {})
    with index.reading(scope="committed") as opened:
        snapshot = opened.tree.snapshot
        for raw, chunking in zip(snapshot.paths, snapshot.chunkings, strict=True):
            path = path_text(raw)
            if not path.endswith((*SUFFIXES, ".h")):
                continue
            tree.lines[path] = opened.text_of(chunking).decode("utf-8", "replace").split("\n")
            tree.languages[path] = opened.texts.blobs[chunking][1]
            names = tree.defined.setdefault(path, {})
            for row in opened.chunks_of(chunking):
                for each in row.definitions:
                    names.setdefault(each.name, []).append(each.line)
    return tree


def statements(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first index, last index and text of the import statements of a file."""
    at = 0
    while at < len(lines):
        if IMPORT.match(lines[at]):
            last = at
            while "\n".join(lines[at : last + 1]).count("(") > "\n".join(
                lines[at : last + 1]
            ).count(")") or "\n".join(lines[at : last + 1]).count("{") > "\n".join(
                lines[at : last + 1]
            ).count("}"):
                last += 1
                if last >= len(lines) - 1 or last > at + 60:
                    break
            yield at, last, "\n".join(lines[at : last + 1])
            at = last
        at += 1


def file_of(tree: Tree, path: str, module: str, name: str) -> Iterator[str]:
    """Yield the files that a module of an import statement may be."""
    folder = PurePosixPath(path).parent
    if path.endswith(".py"):
        dots = len(module) - len(module.lstrip("."))
        parts = [part for part in module.strip(".").split(".") if part]
        if dots:
            base = (
                PurePosixPath(path).parents[dots - 1]
                if dots - 1 < len(PurePosixPath(path).parents)
                else folder
            )
            starts = [base]
        else:
            starts = [PurePosixPath("."), PurePosixPath("src"), PurePosixPath("lib")]
        for start in starts:
            stem = start.joinpath(*parts)
            yield from (str(stem) + ".py", str(stem / "__init__.py"))
    elif path.endswith(".java"):
        ending = f"/{module.replace('.', '/')}/{name}.java"
        yield from (other for other in tree.lines if other.endswith(ending))
    elif path.endswith((".ts", ".tsx", ".js")) and module.startswith("."):
        stem = normal(folder / module)
        stem = re.sub(r"\.[jt]sx?$", "", stem)
        for suffix in (".ts", ".tsx", ".js", "/index.ts", "/index.tsx", "/index.js"):
            yield stem + suffix
    elif path.endswith(".c"):
        yield from (normal(folder / module), module)


def normal(path: PurePosixPath) -> str:
    """Return a path without `.` and `..`."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def hidden_lines(tree: Tree, path: str) -> list[Hidden]:
    """Return the lines of a file that call a name that it imports from the tree."""
    lines = tree.lines[path]
    listed = list(statements(lines))
    inside = {at for first, last, _ in listed for at in range(first, last + 1)}
    bound: dict[str, set[tuple[str, int]]] = {}
    for name, place in places_of(tree, path, [text for _, _, text in listed]):
        bound.setdefault(name, set()).add(place)
    if path.endswith(".c"):
        bound = with_bodies(tree, bound, tree.defined[path])
    found = []
    for at, text in enumerate(lines):
        if at in inside or text.lstrip().startswith(("#", "//", "*", "/*")):
            continue
        called = (name for name in WORD.findall(text) if bound.get(name))
        name = next((one for one in called if re.search(rf"\b{one}\s*[(.]", text)), None)
        if name is not None:
            found.append(Hidden(path, at + 1, name, bound[name]))
    return found


def places_of(tree: Tree, path: str, imports: list[str]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield the imported names, with each place where the name is defined."""
    for text in imports:
        for module, names in imports_of(tree.languages[path], text):
            if path.endswith(".c"):
                yield from declared(tree, path, module)
            for one in names:
                if one.name in ("", "*", "default"):
                    continue
                for other in dict.fromkeys(file_of(tree, path, module, one.name)):
                    for line in tree.defined.get(other, {}).get(one.name, ()):
                        yield one.alias, (other, line)


def declared(tree: Tree, path: str, header: str) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield the names that a header declares, with their places."""
    for other in dict.fromkeys(file_of(tree, path, header, "")):
        for name, lines in tree.defined.get(other, {}).items():
            yield from ((name, (other, line)) for line in lines)


def with_bodies(
    tree: Tree, bound: dict[str, set[tuple[str, int]]], own: dict[str, list[int]]
) -> dict[str, set[tuple[str, int]]]:
    """Add the bodies of functions that headers declare, and drop names that the file defines
    itself.
    """
    bodies: dict[str, set[tuple[str, int]]] = {}
    for path, names in tree.defined.items():
        if path.endswith(".c"):
            for name in names.keys() & bound.keys():
                bodies.setdefault(name, set()).update((path, line) for line in names[name])
    return {
        name: places | bodies.get(name, set())
        for name, places in bound.items()
        if name not in own and not name.isupper()
    }


def neighbours(tree: Tree, hidden: Hidden, lines: list[str]) -> set[tuple[str, int]]:
    """Return the lines of the baseline."""
    around = lines[max(0, hidden.line - 1 - NEAR) : hidden.line + NEAR]
    wanted = set(WORD.findall("\n".join(around)))
    folder = PurePosixPath(hidden.path).parent
    windows: list[tuple[float, str, int]] = []
    for path, others in tree.lines.items():
        if path == hidden.path or PurePosixPath(path).parent != folder:
            continue
        for start in range(0, len(others), WINDOW):
            words = set(WORD.findall("\n".join(others[start : start + WINDOW])))
            if words & wanted:
                windows.append((-len(words & wanted) / len(words | wanted), path, start))
    room = TOKENS * BYTES_PER_TOKEN
    given: set[tuple[str, int]] = set()
    for _, path, start in sorted(windows):
        text = tree.lines[path][start : start + WINDOW]
        room -= len("\n".join(text).encode()) + len(path) + 2
        if room < 0:
            break
        given.update((path, start + 1 + at) for at in range(len(text)))
    return given


def is_found(given: set[tuple[str, int]], hidden: Hidden) -> bool:
    """Return whether a definition of the name is among the lines."""
    return bool(given & hidden.places)


def measure(repository: Path, places: int, seed: int) -> None:
    """Print the figures of one repository."""
    chance = random.Random(seed)
    with ragit.open(repository) as index:
        index.index()
        tree = read_tree(index)
        paths = [path for path in sorted(tree.lines) if path.endswith(SUFFIXES)]
        chance.shuffle(paths)
        chosen: list[Hidden] = []
        for path in paths * 20:
            if len(chosen) == places:
                break
            if lines := hidden_lines(tree, path):
                chosen.append(chance.choice(lines))
        hits = base = 0
        times: list[float] = []
        reasons: Counter[str] = Counter()
        for number, hidden in enumerate(chosen):
            lines = list(tree.lines[hidden.path])
            lines[hidden.line - 1] = ""
            text = "\n".join(lines)
            started = time.process_time()
            found = index.context(
                hidden.path, hidden.line, text, max_tokens=TOKENS, scope="committed"
            )
            if number:
                times.append((time.process_time() - started) * 1000)
            assert found.tokens <= TOKENS
            given = {(one.path, one.line) for one in found.signatures}
            given |= {
                (piece.path, line)
                for piece in found.similar
                for line in range(piece.start_line, piece.end_line + 1)
            }
            hits += is_found(given, hidden)
            base += is_found(neighbours(tree, hidden, lines), hidden)
            reasons.update(one.reason for one in found.signatures)
    print(
        f"{repository.name:12} {len(chosen):4} places  found {hits / len(chosen):.3f}"
        f"  neighbours {base / len(chosen):.3f}"
        f"  ms median {median(times):.1f} p95 {quantiles(times, n=20)[18]:.1f}  {dict(reasons)}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--places", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for repository in options.repositories:
        measure(repository, options.places, options.seed)


if __name__ == "__main__":
    main()
