"""Tests that path patterns mean the same as in .gitignore, compared with git."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sandbox import GitSandbox

from ragit.globs import from_top, matcher


def matches(pattern: str, path: bytes) -> bool:
    match = matcher([pattern])
    return match is not None and match(path)


@pytest.mark.parametrize(
    ("pattern", "found", "not_found"),
    [
        ("*.py", [b"a.py", b"x/y/a.py", b"a.py/inner"], [b"a.pyc", b"apy"]),
        ("tests", [b"tests/a", b"x/tests/a", b"tests"], [b"tests2/a", b"mytests"]),
        ("tests/", [b"tests/a", b"x/tests/a"], [b"tests", b"x/tests"]),
        ("src/*.c", [b"src/a.c"], [b"src/x/a.c", b"lib/src/a.c"]),
        ("/docs", [b"docs/a", b"docs"], [b"x/docs/a"]),
        ("lib/**/test_*.c", [b"lib/test_a.c", b"lib/x/y/test_a.c"], [b"test_a.c", b"lib/x/a.c"]),
        ("**/x", [b"x", b"a/x", b"a/b/x/c"], [b"ax"]),
        ("a/**", [b"a/b", b"a/b/c"], [b"a", b"b/a/c"]),
        ("[ab]?.md", [b"ax.md", b"d/bz.md"], [b"a.md", b"cx.md", b"a/.md"]),
        ("[!a]x", [b"bx"], [b"ax", b"/x"]),
        (r"\*", [b"*"], [b"a"]),
        ("ä*", ["ä.txt".encode()], [b"a.txt"]),
        ("[", [b"["], [b"a"]),
        ("*.PY", [b"a.PY"], [b"a.py"]),
    ],
)
def test_patterns_match_paths(pattern: str, found: list[bytes], not_found: list[bytes]) -> None:
    assert [path for path in found if not matches(pattern, path)] == []
    assert [path for path in not_found if matches(pattern, path)] == []


@pytest.mark.parametrize(
    ("pattern", "here", "meant"),
    [
        ("src", "lib/", "src"),
        ("/src", "lib/", "/src"),
        ("*.py", "lib/", "*.py"),
        (".github", "lib/", ".github"),
        ("..x/*", "lib/", "..x/*"),
        ("./src", "", "/src"),
        ("./src/", "lib/a/", "/lib/a/src/"),
        (".//src/./*.py", "lib/", "/lib/src/*.py"),
        ("../docs", "lib/", "/docs"),
        ("../../*", "lib/a/", "/*"),
        (".", "lib/a/", "/lib/a"),
        ("./", "lib/a/", "/lib/a/"),
        ("..", "lib/", "**"),
        (".", "", "**"),
        ("/", "lib/", "**"),
        ("/r/s", "lib/", "**"),
        ("/r/s/", "lib/", "**"),
        ("/r/s/docs/*.md", "lib/", "/docs/*.md"),
        ("/r/sx", "lib/", "/r/sx"),
    ],
)
def test_from_top_resolves_relative_patterns(pattern: str, here: str, meant: str) -> None:
    assert from_top(pattern, here, "/r/s") == meant


@pytest.mark.parametrize("pattern", ["..", "../x", "./../x", "/r/s/../x"])
def test_pattern_outside_the_repository_is_none(pattern: str) -> None:
    assert from_top(pattern, "", "/r/s") is None


@given(st.lists(st.text("ab*?[]!\\-. ", min_size=1, max_size=4), min_size=1, max_size=3))
def test_current_folder_is_matched_literally(names: list[str]) -> None:
    names = [f"_{name}" for name in names]
    path = "/".join([*names, "f"]).encode()
    pattern = from_top("./f", "/".join(names) + "/", None)
    assert pattern
    assert matches(pattern, path)
    assert not matches(pattern, b"x" + path)


@pytest.mark.parametrize("unit", ["*a", "**/", "**/a/", "*/", "?*", "**/*a", "[ab]*", "*a*/**/"])
@pytest.mark.parametrize("end", ["b", "/b", ""])
def test_every_pattern_matches_in_bounded_time(unit: str, end: str) -> None:
    pattern, paths = unit * 60 + end, [b"a" * 250, b"a/" * 120 + b"c", b"ab" * 50 + b"/a" * 70]
    started = time.process_time()
    for path in paths:
        matches(pattern, path)
    assert time.process_time() - started < 2


def test_empty_patterns_make_no_matcher() -> None:
    assert matcher([]) is None
    assert matcher(["", "/"]) is None


def test_several_patterns_are_alternatives() -> None:
    match = matcher(["*.c", "docs/"])
    assert match
    assert [match(path) for path in (b"a.c", b"docs/x", b"a.h")] == [True, True, False]


@given(st.text(min_size=1, max_size=30), st.binary(max_size=30))
@example("[z-a]", b"b")
@example("[[:alpha:]]", b"b")
@example("[!]", b"!")
@example("(?P<", b"b")
@example("\\", b"\\")
@example("[\\", b"[")
@example("\udcff", b"\xff")
@example("\ud800", b"\xff")
def test_any_text_is_a_valid_pattern(pattern: str, path: bytes) -> None:
    matches(pattern, path)


PIECES = st.sampled_from(
    ["a", "b", "ab", "*", "**", "?", "/", "/", "[ab]", "[!a]", "**/", "/**", "x.y", "\\*", "[a-c]"]
)
# For git, `**` not between slashes is a plain `*`, and it then treats a**/b differently.
GLUED = re.compile(r"[^/]\*\*|\*\*[^/]")
PATTERNS = (
    st.lists(PIECES, min_size=1, max_size=5)
    .map("".join)
    .filter(lambda p: "/" not in p or not GLUED.search(p))
)
NAMES = st.sampled_from(["a", "b", "ab", "abc", "x.y", "*", "d"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    return GitSandbox(tmp_path_factory.mktemp("globs") / "repo")


def ignored(git: GitSandbox, pattern: str, paths: list[str]) -> set[str]:
    """Return the paths that git ignores by this pattern."""
    excludes = Path(git.path / ".git" / "info" / "exclude")
    excludes.parent.mkdir(exist_ok=True)
    excludes.write_text(pattern + "\n")
    asked = ["git", "check-ignore", "--no-index", "--stdin", "-z", "--verbose", "--non-matching"]
    result = subprocess.run(
        asked, cwd=git.path, input="\0".join(paths).encode() + b"\0", capture_output=True
    ).stdout
    assert result
    fields = os.fsdecode(result).split("\0")
    return {path for source, path in zip(fields[0::4], fields[3::4], strict=False) if source}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PATTERNS, st.lists(PATHS, min_size=1, max_size=12, unique=True))
@example("a/**/b", ["a/b", "a/d/b"])
@example("**a", ["d/a", "ba"])
@example("a//b", ["a/b"])
@example("/**", ["a"])
@example("**", ["a"])
@example("*/", ["a/b", "a"])
def test_patterns_match_like_gitignore(git: GitSandbox, pattern: str, paths: list[str]) -> None:
    match = matcher([pattern])
    ours = {path for path in paths if match is not None and match(path.encode())}
    assert ours == ignored(git, pattern, paths)
