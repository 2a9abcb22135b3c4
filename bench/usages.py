"""Check `ragit usages` against git grep, and its certainties against language tools.

usage: python bench/usages.py grep REPOSITORY... [--names N] [--seed N]
       python bench/usages.py time REPOSITORY [--names N] [--seed N]
       python bench/usages.py resolve TOOL REPOSITORY... [--names N] [--seed N] [--show]

`grep` draws identifiers of the indexed text, and compares the listed lines with those of `git grep
-w` in indexed files, except where a letter such as `é` stands beside the name. `time` draws
identifiers with 50 to 500 uses, runs the command for each in a process of its own, and prints its
processor time.

`resolve` draws functions, methods and types that the repository defines, lists their uses, and asks
TOOL where the definition of each use in code is: jedi (Python, `pip install jedi`), typescript
(`npm install typescript`, with --node-modules FOLDER) or clangd (C; on the PATH). It prints:

precision  of the uses with a rule that names one definition and an answer of the tool, the share
           where both name the same
recall     of the uses of a drawn definition according to the tool, the share for which ragit names
           it

A use that the tool does not answer is not counted, nor one of which it knows the import alone.
`unique` is counted apart: it is a name that has one definition, not a rule.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import unquote

import ragit
from ragit.usages import Defined, Usages, Use

RULES = ("same scope", "same file", "import", "same package", "receiver")
"""Certainties that name a definition by a rule."""

KINDS = {"function", "method", "class", "interface", "struct", "enum", "type", "constant"}
SUFFIXES = {
    "jedi": (".py",),
    "typescript": (".ts", ".tsx"),
    "clangd": (".c", ".h"),
}
IDENTIFIER = re.compile(rb"\b[A-Za-z_]\w{2,40}\b")


class Place(NamedTuple):
    path: str
    line: int


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("grep", "time", "resolve"))
    parser.add_argument("arguments", nargs="+")
    parser.add_argument("--names", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=40, help="uses of a name that are judged")
    parser.add_argument("--node-modules", default="node_modules")
    parser.add_argument("--show", action="store_true", help="print each disagreement")
    options = parser.parse_args()
    if options.what == "resolve":
        tool, *repositories = options.arguments
        return resolve(tool, repositories, options)
    run = grep if options.what == "grep" else measure
    return max([run(Path(repository), options) for repository in options.arguments])


# -- every line


def grep(repository: Path, options: argparse.Namespace) -> int:
    """Compare the listed lines with those of git grep."""
    with ragit.open(repository) as index:
        index.index()
        paths = index.searched_paths(scope="committed")
        names = drawn_names(repository, paths, options)
        lines, missed, extra = 0, set(), 0
        for name in names:
            listed = places(index.usages(name, scope="committed", top_k=1 << 30))
            wanted = {one for one in grepped(repository, name) if one.path in paths}
            lines += len(wanted)
            missed |= {(name, *one) for one in wanted - listed}
            extra += len(listed - wanted)
    print(
        f"{repository.name}: {len(names)} names, {lines} lines, {len(missed)} missed, {extra} more"
    )
    for one in sorted(missed)[:10]:
        print("  missed", *one)
    return 1 if missed else 0


def drawn_names(repository: Path, paths: Iterable[str], options: argparse.Namespace) -> list[str]:
    """Return distinct identifiers of random files."""
    random.seed(options.seed)
    files = sorted(paths)
    names: dict[str, None] = {}
    while len(names) < options.names:
        data = git(repository, "cat-file", "blob", f"HEAD:{random.choice(files)}")
        found = IDENTIFIER.findall(data)
        if found:
            names[random.choice(found).decode()] = None
    return list(names)


def grepped(repository: Path, name: str) -> Iterator[Place]:
    """Yield the lines that git grep finds in text files of HEAD."""
    asked = ("grep", "-nwIz", "--full-name", "-e", name, "HEAD", "--")
    done = subprocess.run(["git", *asked], cwd=repository, capture_output=True, check=False)
    for line in done.stdout.split(b"\n"):
        match = re.match(rb"HEAD:(.*?)\0(\d+)\0", line, re.DOTALL)
        if match:
            found = (one.span() for one in re.finditer(re.escape(name).encode(), line))
            if not all(letter_beside(line, *span) for span in found):
                yield Place(os.fsdecode(match[1]), int(match[2]))


def letter_beside(line: bytes, start: int, end: int) -> bool:
    """Return whether a letter that git does not count as part of a word stands beside a name."""
    letter = rb"[\xc3-\xdf][\x80-\xbf]"
    before = re.search(letter + rb"$", line[:start])
    return bool(before or re.match(letter, line[end:]))


def places(found: Usages) -> set[Place]:
    return {Place(one.path, one.line) for one in (*found.definitions, *found.uses)}


def git(repository: Path, *words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=repository, capture_output=True, check=True).stdout


# -- time


def measure(repository: Path, options: argparse.Namespace) -> int:
    """Print the processor time of the command for names with 50 to 500 uses."""
    command = [str(Path(sys.executable).with_name("ragit")), "usages"]
    with ragit.open(repository) as index:
        index.index()
        drawn = drawn_names(repository, index.searched_paths(scope="committed"), options)
        counts = {name: index.usages(name).total for name in drawn}
    times = []
    for name, count in counts.items():
        if 50 <= count <= 500:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*command, name], cwd=repository, stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            times.append((spent * 1000, count, name))
    times.sort()
    middle, last = times[len(times) // 2], times[-1]
    print(
        f"{repository.name}: {len(times)} names with 50 to 500 uses, processor time "
        f"{middle[0]:.0f} ms in the median, {last[0]:.0f} ms at most ({last[2]}, {last[1]} uses)"
    )
    return 0


# -- certainty


class Tool(Protocol):
    """Finds the definition of a name at a place."""

    def definitions(self, path: str, line: int, column: int) -> list[Place]:
        """Return the places of the definitions, from the top of the repository; columns from 0."""

    def close(self) -> None:
        """End what was started."""


class Jedi:
    def __init__(self, repository: Path) -> None:
        import jedi

        self._jedi, self._top = jedi, repository.resolve()
        self._project = jedi.Project(str(self._top), added_sys_path=[str(self._top / "src")])
        self._scripts: dict[str, object] = {}

    def definitions(self, path: str, line: int, column: int) -> list[Place]:
        script = self._scripts.get(path)
        if script is None:
            file = self._top / path
            script = self._jedi.Script(path=str(file), project=self._project)
            self._scripts[path] = script
        try:
            found = script.goto(line, column, follow_imports=True)  # type: ignore[attr-defined]
        except Exception:  # jedi fails on some files in many ways
            return []
        return [
            Place(below(self._top, Path(one.module_path)), one.line)
            for one in found
            if one.module_path and one.line
        ]

    def close(self) -> None:
        pass


class TypeScript:
    def __init__(self, repository: Path, modules: str) -> None:
        self._top = repository.resolve()
        script = Path(__file__).with_name("usages_typescript.js")
        environ = {**os.environ, "NODE_PATH": str(Path(modules).resolve())}
        self._process = subprocess.Popen(
            ["node", str(script), str(self._top)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environ,
        )

    def definitions(self, path: str, line: int, column: int) -> list[Place]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps([path, line, column]) + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        return [Place(below(self._top, Path(file)), at) for file, at in found]

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


class Clangd:
    """Speaks LSP. Without a background index, the definition of another file's function is its
    declaration.
    """

    def __init__(self, repository: Path) -> None:
        self._top = repository.resolve()
        self._process = subprocess.Popen(
            ["clangd", "--background-index=false", "--log=error"],
            cwd=self._top,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._asked = 0
        self._opened: set[str] = set()
        self._ask("initialize", {"rootUri": self._top.as_uri(), "capabilities": {}})

    def definitions(self, path: str, line: int, column: int) -> list[Place]:
        uri = (self._top / path).as_uri()
        if path not in self._opened:
            self._opened.add(path)
            text = (self._top / path).read_text("utf-8", "replace")
            item = {"uri": uri, "languageId": "c", "version": 1, "text": text}
            self._send({"method": "textDocument/didOpen", "params": {"textDocument": item}})
        where = {"line": line - 1, "character": column}
        asked = {"textDocument": {"uri": uri}, "position": where}
        found = self._ask("textDocument/definition", asked) or []
        return [
            Place(
                below(self._top, Path(unquote(one["uri"][7:]))), one["range"]["start"]["line"] + 1
            )
            for one in found
        ]

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self._process.stdin.flush()

    def _ask(self, method: str, params: object) -> list[dict[str, object]]:
        assert self._process.stdout
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        while True:
            size = 0
            while (line := self._process.stdout.readline().strip()) != b"":
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            answer = json.loads(self._process.stdout.read(size))
            if answer.get("id") == self._asked:
                return answer.get("result") or []

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def below(top: Path, path: Path) -> str:
    """Return a path from the top of the repository; the path itself if it lies elsewhere."""
    try:
        return str(path.resolve().relative_to(top))
    except ValueError:
        return str(path)


def resolve(tool: str, repositories: Sequence[str], options: argparse.Namespace) -> int:
    """Compare the definitions that ragit names with those of a tool."""
    total: Counter[str] = Counter()
    for name in repositories:
        repository = Path(name)
        asked: Tool
        if tool == "jedi":
            asked = Jedi(repository)
        elif tool == "typescript":
            asked = TypeScript(repository, options.node_modules)
        else:
            asked = Clangd(repository)
        counts = judged(asked, repository, SUFFIXES[tool], options)
        asked.close()
        report(repository.name, counts)
        total += counts
    if len(repositories) > 1:
        report(f"all by {tool}", total)
    return 0


def judged(
    tool: Tool, repository: Path, suffixes: tuple[str, ...], options: argparse.Namespace
) -> Counter[str]:
    counts: Counter[str] = Counter()
    with ragit.open(repository) as index:
        index.index()
        for name in defined_names(index, suffixes, options):
            found = index.usages(name, scope="committed", top_k=1 << 30)
            ours = {Place(one.path, one.line): one for one in found.definitions}
            imports = {Place(use.path, use.line) for use in found.uses if use.kind == "import"}
            counts["names"] += 1
            for use in sample(found.uses, suffixes, options.most):
                truth = set(tool.definitions(use.path, use.line, use.column - 1))
                truth -= {Place(use.path, use.line), *imports}
                if truth:
                    judge(use, truth, ours, counts, options.show)
    return counts


def defined_names(
    index: ragit.Ragit, suffixes: tuple[str, ...], options: argparse.Namespace
) -> list[str]:
    """Return names that files of a language define, drawn at random."""
    with index.reading(scope="committed") as opened:
        snapshot = opened.tree.snapshot
        rows = zip(snapshot.paths, snapshot.chunkings, strict=True)
        wanted = [number for path, number in rows if os.fsdecode(path).endswith(suffixes)]
        defined = opened.store.names.defined(sorted(set(wanted)))
        names = sorted({name for _, name, kind in defined if kind in KINDS and len(name) > 2})
    random.seed(options.seed)
    return random.sample(names, min(options.names, len(names)))


def sample(uses: Iterable[Use], suffixes: tuple[str, ...], most: int) -> list[Use]:
    """Return the uses in code of a language, or some of many."""
    code = [
        use
        for use in uses
        if use.path.endswith(suffixes) and use.kind not in ("comment", "string", "text")
    ]
    return code if len(code) <= most else random.sample(code, most)


def judge(
    use: Use, truth: set[Place], ours: dict[Place, Defined], counts: Counter[str], show: bool
) -> None:
    """Count one use by the answers of the tool and of ragit."""
    path, _, line = use.definition.rpartition(":")
    named = Place(path, int(line)) if use.definition else None
    agrees = named is not None and any(same(named, one, ours) for one in truth)
    counts[f"{use.certainty} judged"] += 1
    counts[f"{use.certainty} right"] += agrees
    wanted = not truth.isdisjoint(ours)
    if wanted:
        counts["wanted"] += 1
        counts["found"] += agrees
    if show and named is not None and not agrees:
        print(f"  {use.path}:{use.line} [{use.certainty}, {use.kind}] {use.text.strip()[:80]}")
        print(f"    ragit {use.definition}, tool {' '.join(f'{p}:{n}' for p, n in truth)}")
    elif show and not agrees and not truth.isdisjoint(ours):
        print(
            f"  missed {use.path}:{use.line} [{use.certainty}, {use.kind}] {use.text.strip()[:80]}"
        )


def same(one: Place, other: Place, definitions: dict[Place, Defined]) -> bool:
    """Return whether two places mean one definition.

    Overloads (one name in one file and type) count as one, and so do a function and its
    declaration.
    """
    if one == other:
        return True
    if one not in definitions or other not in definitions:
        return False
    if "declaration" in (definitions[one].kind, definitions[other].kind):
        return True
    return one.path == other.path and definitions[one].parent == definitions[other].parent


def report(name: str, counts: Counter[str]) -> None:
    judged = sum(counts[f"{rule} judged"] for rule in RULES)
    right = sum(counts[f"{rule} right"] for rule in RULES)
    share = right / judged if judged else 0.0
    recall = counts["found"] / counts["wanted"] if counts["wanted"] else 0.0
    print(
        f"{name}: {counts['names']} names, precision {share:.3f} of {judged}, "
        f"recall {recall:.3f} of {counts['wanted']}"
    )
    for rule in (*RULES, "unique", "ambiguous", "name", "local", "outside"):
        if counts[f"{rule} judged"]:
            print(f"  {rule:<12} {counts[f'{rule} right']:>5} of {counts[f'{rule} judged']}")


if __name__ == "__main__":
    sys.exit(main())
