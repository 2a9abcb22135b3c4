"""Tests that .ragitignore excludes what git would by the same .gitignore, as it is in the searched
tree.
"""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sandbox import GitSandbox

import ragit
from ragit.errors import GitFailed
from ragit.git import GITLINK, Repo, patterns, version
from ragit.types import Entry, Oid

_PATHS = [
    b"a.py",
    b"a.md",
    b"src/a.py",
    b"src/deep/a.md",
    b"src/deep/b.txt",
    b"build/out.py",
    b"lib/build/x",
    b"w s",
    b"[x]",
]
_PATTERNS = [
    *(
        "*.py",
        "!a.py",
        "/a.py",
        "src/",
        "/src",
        "build",
        "build/",
        "**/deep",
        "src/**",
        "!src/deep/",
        "!/src/deep/a.md",
    ),
    *(
        "a.*",
        "# a.py",
        "\\#x",
        "w\\ s",
        "w s  ",
        "[[]x]",
        "*",
        "!*/",
        "!*.md",
        "lib/*/x",
        "deep/a.md",
        "",
        "?.py",
        "[a-b].md",
    ),
]
_files = st.dictionaries(
    st.sampled_from(
        [b".ragitignore", b"src/.ragitignore", b"src/deep/.ragitignore", b"lib/.ragitignore"]
    ),
    st.lists(st.sampled_from(_PATTERNS), max_size=4),
    min_size=1,
)


def search(repo: GitSandbox, query: str = "word", **options: object) -> set[str]:
    with ragit.open(repo.path) as index:
        hits = index.search(query, mode="keyword", top_k=100, **options).hits  # type: ignore[arg-type]
        return {path for hit in hits for path in (hit.path, *hit.also)}


def skipped(repo: GitSandbox) -> dict[str, int]:
    with ragit.open(repo.path) as index:
        return dict(index.status().skipped)


@settings(max_examples=max(10, (settings.default or settings()).max_examples // 3))
@given(_files)
def test_ragitignore_matches_like_gitignore(files: dict[bytes, list[str]]) -> None:
    """Compare with `git check-ignore` and the same text as .gitignore."""
    with tempfile.TemporaryDirectory() as folder:
        repo = GitSandbox(Path(folder) / "repo")
        for path in _PATHS:
            repo.write(path, "word\n")
        for path, patterns in files.items():
            repo.write(path, "\n".join(patterns))
            repo.write(path.replace(b"ragitignore", b"gitignore"), "\n".join(patterns))
        wanted = b"\0".join(_PATHS)
        try:
            result = repo.run("check-ignore", "--no-index", "-z", "--stdin", stdin=wanted)
        except Exception as none:
            result = getattr(none, "output", b"")  # exit code 1: none of them
        repo.git("add", "-f", ".")
        repo.commit("first", all=False)
        with Repo.open(repo.path) as opened:
            entries = opened.entries(opened.head().tree)
            assert opened.ignored(entries, _PATHS) == set(result.split(b"\0")) - {b""}


def test_ignored_files_are_skipped_and_counted(repo: GitSandbox) -> None:
    repo.write(".ragitignore", "*.log\n/generated/\n")
    repo.write("a.txt", "word")
    repo.write("b.log", "word")
    repo.write("generated/c.txt", "word")
    repo.write("src/generated/d.txt", "word")
    repo.commit()
    assert search(repo) == {"a.txt", "src/generated/d.txt"}
    assert skipped(repo)["ignored"] == 2


def test_nested_ragitignore_overrides_its_parent(repo: GitSandbox) -> None:
    repo.write(".ragitignore", "*.txt\n")
    repo.write("docs/.ragitignore", "!keep.txt\n")
    for path in ("a.txt", "keep.txt", "docs/keep.txt", "docs/other.txt"):
        repo.write(path, "word")
    repo.commit()
    assert search(repo) == {"docs/keep.txt"}


def test_each_tree_has_its_own_patterns(repo: GitSandbox) -> None:
    repo.write("a.log", "word")
    repo.write("a.txt", "word")
    first = repo.commit()
    repo.write(".ragitignore", "*.log\n")
    second = repo.commit()
    assert search(repo, ref=first) == {"a.log", "a.txt"}
    assert search(repo, ref=second) == {"a.txt"}
    repo.write(".ragitignore", "*.txt\n")  # not committed
    assert search(repo) == {"a.log"}
    assert search(repo, scope="committed") == {"a.txt"}
    repo.rm(".ragitignore")
    assert search(repo) == {"a.log", "a.txt"}


def test_untracked_ragitignore_applies_to_the_working_tree(repo: GitSandbox) -> None:
    repo.write("a.log", "word")
    repo.write("a.txt", "word")
    repo.commit()
    assert search(repo) == {"a.log", "a.txt"}
    repo.write(".ragitignore", "*.log\n")
    repo.write("new.log", "word")
    assert search(repo) == {"a.txt"}


def test_patterns_apply_to_files_added_later(repo: GitSandbox) -> None:
    """A tree resolved from a similar one reads the patterns for new files."""
    repo.write(".ragitignore", ".ragitignore\n*.log\n")
    repo.write("a.txt", "word")
    repo.commit()
    assert search(repo) == {"a.txt"}
    repo.write("b.log", "word")
    repo.write("b.txt", "word")
    repo.commit()
    assert search(repo) == {"a.txt", "b.txt"}
    assert skipped(repo)["ignored"] == 2


def test_patterns_and_attributes_combine(repo: GitSandbox) -> None:
    repo.write(".ragitignore", "*.log\n")
    repo.write(".gitattributes", "*.gen linguist-generated\n")
    for path in ("a.log", "a.gen", "a.txt"):
        repo.write(path, "word")
    repo.commit()
    assert search(repo) == {"a.txt"}
    assert (skipped(repo)["ignored"], skipped(repo)["generated"]) == (1, 1)


def test_other_git_excludes_do_not_hide_committed_files(
    repo: GitSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write(".ragitignore", "*.log\n")
    repo.write("a.txt", "word")
    repo.commit()
    (tmp_path / "everything").write_text("*\n")
    repo.git("config", "core.excludesFile", str(tmp_path / "everything"))
    repo.write(".git/info/exclude", "*\n")
    assert search(repo) == {"a.txt"}


def test_ragitignore_behind_a_link_is_not_read(repo: GitSandbox) -> None:
    repo.write("a.txt", "word")
    (repo.path / ".ragitignore").symlink_to("*.txt")
    repo.commit()
    assert search(repo) == {"a.txt"}


def test_unusual_paths_are_matched(repo: GitSandbox) -> None:
    repo.git("config", "core.protectNTFS", "false")
    repo.write(".ragitignore", "*.log\n")
    for path in (
        b"new\nline.log",
        b"byte\xff.log",
        b"git~1/a.log",
        b"back\\slash.log",
        b'q"uote.log',
    ):
        repo.write(path, "word")
    repo.write("a.txt", "word")
    repo.commit()
    assert search(repo) == {"a.txt"}


def test_malformed_tree_is_matched(repo: GitSandbox) -> None:
    """Use a tree with `.git` and `..` as names, and with a file and a folder of the same name."""
    oid = Oid(repo.run("hash-object", "-w", "--stdin", stdin=b"*.log\n").decode().strip())
    paths = [b"a.log", b".GIT/x.log", b"a/../b.log", b"x.log", b"x.log/y.log", b"sub.log"]
    entries = [
        Entry(b".ragitignore", 0o100644, oid),
        *(Entry(path, 0o100644, oid) for path in paths),
    ]
    entries[-1] = Entry(b"sub.log", GITLINK, Oid("0" * 40))
    with Repo.open(repo.path) as opened:
        assert {b"a.log", b"sub.log"} <= opened.ignored(entries, paths) < set(paths)


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_both_object_formats_are_matched(tmp_path: Path, kind: str) -> None:
    repo = GitSandbox(tmp_path / kind, f"--object-format={kind}")
    repo.write(".ragitignore", "*.log\n")
    repo.write("a.txt", "word")
    repo.write("a.log", "word")
    repo.commit()
    assert search(repo) == {"a.txt"}


@pytest.mark.parametrize(
    ("name", "after"), [(".ragitignore", ""), (".gitattributes", " linguist-generated")]
)
@pytest.mark.parametrize("pattern", ["*a" * 40 + "*b", "*a*" * 30 + "/*b"])
def test_slow_pattern_is_stopped(
    tmp_path: Path, name: str, after: str, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Use a bare repository: with a working tree, git itself would be slow on the attributes."""
    monkeypatch.setattr(patterns, "SECONDS", 1)
    repo = GitSandbox(tmp_path / "repo", "--bare")
    blobs = [
        repo.run("hash-object", "-w", "--stdin", stdin=text)
        for text in (b"word\n", (pattern + after).encode())
    ]
    names = (b"a" * 200 + b".py", name.encode())
    listed = b"".join(
        b"100644 blob %s\t%s\n" % (b.strip(), n) for b, n in zip(blobs, names, strict=True)
    )
    tree = repo.run("mktree", stdin=listed).decode().strip()
    started = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with ragit.open(repo.path) as index:
        try:
            assert index.search("word", ref=tree, mode="keyword").complete
        except GitFailed as error:
            assert (
                f"a pattern in {name} takes git too long to match: {pattern[:40]}" in error.message
            )
            assert "fewer *" in error.hint
        else:
            assert version() >= (2, 41) or "/" in pattern
    spent = (
        resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        - started[1]
        + time.process_time()
        - started[0]
    )
    assert spent < 10
