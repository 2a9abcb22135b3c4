"""Compare the definitions that ragit finds with those of Universal Ctags.

    python bench/definitions.py REPOS [--repo NAME] [--missing 20] [--out bench/RESULTS.md]

REPOS is a folder of git repositories, each as OWNER+NAME/repo, OWNER+NAME or NAME; bare or not. For
each one listed here, the files of its language at the pinned revision are read by `ctags
--output-format=json` (Debian's universal-ctags) and chunked by ragit with its default settings. A
function, method, class, struct, interface, enum or trait of ctags counts as found if a chunk has a
definition of its name on its line. The report lists each missing definition, with its reason if
known, and each definition of ragit whose name is no identifier of its language.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ragit.chunk import chunk, language_of
from ragit.types import Chunking


class Repository(NamedTuple):
    """A public repository, the revision to compare, and its language for ctags and for ragit."""

    name: str
    revision: str
    ctags: str
    languages: str


REPOSITORIES = (
    Repository("pallets/jinja", "5ef70112a1ff19c05324ff889dd30405b1002044", "Python", "python"),
    Repository(
        "mochajs/mocha", "e6b9ee773481fd739ae24caeb42f32ac0b010f95", "JavaScript", "javascript"
    ),
    Repository(
        "immerjs/immer", "061c2425e1c9dff89e4e4189d42af1b7839dfe0a", "TypeScript", "typescript"
    ),
    Repository("apache/commons-io", "d83aeb6f4774aee75d857b29fb6cd89132c9a91b", "Java", "java"),
    Repository("spf13/viper", "528f7416c4b56a4948673984b190bf8713f0c3c4", "Go", "go"),
    Repository("jqlang/jq", "579e6f76cffd7643ba4002a2c3618a5ea710589a", "C", "c h"),
    Repository("google/leveldb", "78a352f47ed6c1e9d750545e9b242289185b87e1", "C++", "cpp h"),
    Repository("serilog/serilog", "60935b4d7abad71cf6157b45a10f5c3c65ead527", "C#", "csharp"),
    Repository("BurntSushi/ripgrep", "3fce3b5bb0236da2df6d99672afb8a719642eca7", "Rust", "rust"),
    Repository("jekyll/jekyll", "202df571314ba1d18e9fccd81d12aaad4a703c38", "Ruby", "ruby"),
    Repository("composer/composer", "eba7baa59eb1b59246cf9800b0120fe78915b6ac", "PHP", "php"),
    Repository("square/okio", "4164f2976ac7174f3d35d52150e8ffbdbe0acbec", "Kotlin", "kotlin"),
    Repository("luarocks/luarocks", "2d2cc8eff2f03c23d142f8059146fb241dcf56b5", "Lua", "lua"),
)

KINDS = frozenset(
    "function func method singletonMethod generator getter setter class struct union interface"
    " enum trait".split()
)
"""Kinds of ctags that count. `member` is a method in Python, and a field in C."""

IDENTIFIERS = {
    "bash": r"[^\s()<>|&;$`\"'=]+",
    "cpp": r"~?[^\W\d]\w*|operator\b.*",
    "csharp": r"[@~]?[^\W\d]\w*|operator .+",
    "javascript": r"[#$]?[^\W\d]?[\w$]*|\[[\w.]+\]",
    "kotlin": r"[^\W\d]\w*|[^`\n]+",
    "php": r"[^\W\d][\w\\]*",
    "ruby": r"[^\W\d]\w*[?!=]?|[^\w\s]+|\w+(?:::\w+)*",
    "rust": r"(?:r#)?[^\W\d]\w*",
}
IDENTIFIERS["c"] = IDENTIFIERS["java"] = r"(?:[^\W\d]|\$)[\w$]*"
IDENTIFIERS["typescript"] = IDENTIFIERS["tsx"] = IDENTIFIERS["javascript"]
IDENTIFIER = r"[^\W\d]\w*"
"""Default pattern of a definition's name."""

FREE = frozenset("test describe namespace package module impl".split())
"""Kinds whose names are titles, paths or types."""


_INVENTED = re.compile(r"^__anon|^anonymous|^Anonymous|[<\s\[{]|^\W*$")
"""Names that ctags invents for anonymous definitions, and titles."""


class Tag(NamedTuple):
    """A definition of ctags."""

    path: str
    line: int
    name: str
    kind: str


class Result(NamedTuple):
    """The result for one repository."""

    repository: Repository
    tags: int
    missing: list[tuple[Tag, str]]
    no_names: list[str]


def main() -> None:
    """Compare all repositories found, and print or store the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repos", type=Path)
    parser.add_argument("--repo", action="append", default=[], help="only this one (OWNER/NAME)")
    parser.add_argument("--missing", type=int, default=20, help="how many are listed for each")
    parser.add_argument("--out", type=Path, help="a page whose table is brought up to date")
    args = parser.parse_args()
    results = []
    for repository in REPOSITORIES:
        if args.repo and repository.name not in args.repo:
            continue
        place = found(args.repos, repository.name)
        if place is None:
            sys.stdout.write(f"{repository.name}: not in {args.repos}\n")
            continue
        results.append(compared(repository, place))
        report(results[-1], args.missing)
    table = "\n".join(table_of(results)) + "\n"
    sys.stdout.write(table)
    if args.out:
        store(args.out, table)


def found(root: Path, name: str) -> Path | None:
    """Return the git repository of that name under a folder."""
    joined = name.replace("/", "+")
    for place in (f"{joined}/repo", joined, name.rpartition("/")[2]):
        if (root / place).is_dir():
            return root / place
    return None


def compared(repository: Repository, place: Path) -> Result:
    """Compare one repository."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        archive = subprocess.Popen(
            ["git", "-C", str(place), "archive", repository.revision], stdout=subprocess.PIPE
        )
        subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=False)
        archive.wait()
        paths = sorted(
            str(path.relative_to(top))
            for path in top.rglob("*")
            if path.is_file() and language_of(path.name.encode()) in repository.languages.split()
        )
        tags = tags_of(top, paths, repository.ctags)
        chunkings = {
            path: chunk((top / path).read_bytes(), language_of(path.encode())) for path in paths
        }
        missing = [
            (tag, reason(tag, chunkings[tag.path], (top / tag.path).read_bytes()))
            for tag in tags
            if not bears(chunkings[tag.path], tag)
        ]
        return Result(repository, len(tags), missing, sorted(no_names(chunkings)))


def tags_of(top: Path, paths: list[str], language: str) -> list[Tag]:
    """Return the definitions of ctags in some files."""
    listed = subprocess.run(
        [
            "ctags",
            "--output-format=json",
            "--fields=+nKP",
            f"--languages={language}",
            f"--language-force={language}",
            "-f",
            "-",
            "-L",
            "-",
        ],
        input="\n".join(paths),
        cwd=top,
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted(set(parsed(listed.stdout, language)))


def parsed(lines: str, language: str) -> Iterator[Tag]:
    """Yield the counted definitions in ctags' output."""
    kinds = KINDS | {"member"} if language == "Python" else KINDS
    for line in lines.splitlines():
        tag = json.loads(line)
        name, kind = tag["name"], tag.get("kind")
        pattern = tag.get("pattern") or ""
        if kind in kinds and not _INVENTED.search(name) and not guessed(language, kind, pattern):
            yield Tag(tag["path"], tag["line"], name, kind)


def guessed(language: str, kind: str, pattern: str) -> bool:
    """Return whether ctags is known to be wrong about a definition, by its line.

    It takes a JavaScript variable that holds an object for a class, a parameter of a Kotlin lambda
    for a method, the rest of any Lua function for its name, and a C++ test macro for a function of
    the macro's name.
    """
    if language == "JavaScript":
        return kind == "class" and not re.search(r"\bclass\b", pattern)
    if language == "Kotlin":
        return kind == "method" and not re.search(r"\bfun\b|constructor", pattern)
    if language == "Lua":
        return not re.search(r"function\s+[\w.:]+\s*\(|[\w\]]\s*=\s*function\b", pattern)
    return language in ("C", "C++") and re.search(r"\^TEST(?:_F|_P)?\(", pattern) is not None


def plain(name: str) -> str:
    """Return a name without owners, quotes and spaces, which the two tools write differently."""
    name = name.strip("`'\"#")
    if not name.startswith(("operator", "[", "=")):
        name = re.split(r"::|(?<=\w)[.\\:](?=\w)", name)[-1]
    return re.sub(r"\s+", "", name)


def bears(chunking: Chunking, tag: Tag) -> bool:
    """Return True if a chunk has a definition of a tag's name on its line."""
    wanted = plain(tag.name)
    return any(
        each.line == tag.line and wanted in (plain(each.name), plain(each.name).split(".")[-1])
        for one in chunking.chunks
        if one.start_line <= tag.line <= one.end_line
        for each in one.definitions
    )


def reason(tag: Tag, chunking: Chunking, data: bytes) -> str:
    """Return why a definition of ctags is not found, if the reason is known."""
    if chunking.skipped:
        return chunking.skipped
    named = [
        each.line
        for one in chunking.chunks
        for each in one.definitions
        if plain(each.name) == plain(tag.name)
    ]
    if named:
        return f"found on line {min(named, key=lambda line: abs(line - tag.line))}"
    return "not found: " + data.splitlines()[tag.line - 1].decode("utf-8", "replace").strip()[:100]


def no_names(chunkings: dict[str, Chunking]) -> Iterator[str]:
    """Yield the names of definitions that are no identifiers of their language."""
    for path, chunking in chunkings.items():
        identifier = re.compile(IDENTIFIERS.get(chunking.language, IDENTIFIER))
        for one in chunking.chunks:
            for each in one.definitions:
                if each.kind not in FREE and not identifier.fullmatch(each.name):
                    yield f"{path}:{each.line}: {each.kind} {each.name!r}"


def report(result: Result, most: int) -> None:
    """Print the missing definitions of one repository."""
    share = 1 - len(result.missing) / max(1, result.tags)
    sys.stdout.write(
        f"{result.repository.name}: {result.tags} definitions, {share:.2%} found, "
        f"{len(result.no_names)} names that are none\n"
    )
    for tag, why in result.missing[:most]:
        sys.stdout.write(f"  {tag.path}:{tag.line} {tag.kind} {tag.name}: {why}\n")
    for line in result.no_names[:most]:
        sys.stdout.write(f"  no name: {line}\n")


def table_of(results: list[Result]) -> Iterator[str]:
    """Yield the lines of a table of all repositories."""
    yield "| repository | language | definitions | found | reasons for the rest | no names |"
    yield "|---|---|---|---|---|---|"
    for result in results:
        share = 1 - len(result.missing) / max(1, result.tags)
        reasons = Counter(re.sub(r":.*| on line .*", "", why) for _, why in result.missing)
        told = ", ".join(f"{number} {why}" for why, number in reasons.most_common())
        name, language = result.repository.name, result.repository.ctags
        yield (
            f"| {name} | {language} | {result.tags} | {share:.2%} | {told} "
            f"| {len(result.no_names)} |"
        )


BEGIN = "<!-- definitions: made by `python bench/definitions.py`"
END = "<!-- end of definitions -->"


def store(page: Path, table: str) -> None:
    """Put a table between the marks of a page."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    mark, _, after = rest.partition("\n")
    after = after.partition(END)[2]
    page.write_text(f"{before}{BEGIN}{mark}\n{table}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
