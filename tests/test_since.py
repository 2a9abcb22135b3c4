"""Tests of when code was added or removed, compared with a scan of all commits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from histories import Step, play, steps
from hypothesis import given, settings
from hypothesis import strategies as st
from sandbox import GitSandbox
from terminal import Terminal
from test_diff import ADD, CLOSE, RETRY
from test_invariants import FEW, sandbox, store
from test_render import faults, schemas

import ragit
from ragit.changes import Since
from ragit.chunk import text_of
from ragit.errors import GitFailed, NoSuchPath, SeveralDefinitions, UnknownRevision
from ragit.refs import line_of
from ragit.repository.repository import Ragit
from ragit.types import path_text

PLAIN = {"index.minChunkBytes": "0"}


@pytest.fixture
def terminal(repo: GitSandbox) -> Terminal:
    return Terminal(repo.path)


def since(repo: GitSandbox, place: str, ref: str | None = None) -> Since:
    with ragit.open(repo.path, flags=PLAIN) as index:
        return index.since(place, ref=ref)


def commit_of(found: Since) -> str:
    assert found.now.since
    return found.now.since.commit


def test_since_reports_commit_tag_and_earlier_versions(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY)
    first = repo.commit("retry")
    repo.tag("v1.9")
    repo.write("a.py", RETRY.replace("OSError", "TimeoutError"))
    second = repo.commit("other error")
    repo.tag("v1.10", annotated=True)
    repo.tag("v1.10-rc1")
    repo.write("a.py", ADD + "\n\n" + RETRY.replace("OSError", "TimeoutError"))
    repo.commit("add")
    found = since(repo, "a.py:7")
    assert commit_of(found) == second
    assert found.now.since and found.now.since.subject == "other error"
    assert found.now.since.author == "Tester"
    assert (found.first_tag, found.tag_has_commit) == ("v1.10-rc1", True)
    assert [one.since and one.since.commit for one in found.earlier] == [first]
    assert not found.more and not found.unknown
    assert since(repo, "retry").now == found.now
    assert since(repo, "a.py:2").first_tag == ""
    assert commit_of(since(repo, "retry", ref="v1.9")) == first


def test_renames_and_moves_are_followed(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY + "\n\n" + CLOSE)
    first = repo.commit("both")
    repo.tag("v1")
    repo.git("mv", "a.py", "b.py")
    renamed = repo.commit("rename the file")
    repo.write("b.py", RETRY)
    repo.write("pool/close.py", CLOSE)
    moved = repo.commit("move one function")
    found = since(repo, "close_connection")
    assert commit_of(found) == first
    assert [(one.commit.commit, one.old_path, one.new_path) for one in found.moves] == [
        (moved, "b.py", "pool/close.py"),
        (renamed, "a.py", "b.py"),
    ]
    assert found.path_then == "a.py"
    assert found.first_tag == "v1"


def test_copy_is_not_a_move(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY)
    repo.commit("retry")
    repo.write("b.py", RETRY)
    copied = repo.commit("copy")
    assert commit_of(since(repo, "b.py:1")) == copied


def test_restored_code_is_as_old_as_its_return(repo: GitSandbox) -> None:
    repo.write("a.py", ADD + "\n\n" + RETRY)
    repo.commit("both")
    repo.tag("v1")
    repo.write("a.py", ADD)
    repo.commit("without")
    repo.write("a.py", ADD + "\n\n" + RETRY)
    back = repo.commit("back")
    repo.tag("v2")
    found = since(repo, "retry")
    assert commit_of(found) == back
    assert (found.first_tag, found.tag_has_commit) == ("v1", False)


def test_code_changed_and_moved_at_once_has_an_earlier_version(repo: GitSandbox) -> None:
    repo.write("old.py", RETRY)
    first = repo.commit("retry")
    repo.rm("old.py")
    repo.write("new.py", RETRY.replace("OSError", "TimeoutError"))
    second = repo.commit("move and change")
    found = since(repo, "retry")
    assert commit_of(found) == second
    assert [(one.since and one.since.commit, one.path) for one in found.earlier] == [
        (first, "old.py")
    ]


def test_uncommitted_code_has_earlier_versions(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY)
    first = repo.commit("retry")
    repo.write("a.py", RETRY.replace("OSError", "TimeoutError"))
    found = since(repo, "retry")
    assert found.now.since is None
    assert found.unknown == "it is not committed yet"
    assert [one.since and one.since.commit for one in found.earlier] == [first]
    repo.rm("a.py")
    repo.write("b.py", RETRY)
    assert commit_of(since(repo, "retry")) == first


def test_since_before_the_first_commit(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY)
    found = since(repo, "retry")
    assert (found.now.since, found.earlier) == (None, ())


def test_side_branch_is_followed_through_its_merge(repo: GitSandbox) -> None:
    repo.write("a.py", ADD)
    repo.commit("add")
    repo.branch("side")
    repo.write("a.py", ADD + "\n\n" + RETRY)
    on_side = repo.commit("retry on a side branch")
    repo.switch("main")
    repo.write("a.py", "import os\n\n\n" + ADD)
    repo.commit("import on main")
    repo.git("merge", "-q", "--no-edit", "side")
    assert commit_of(since(repo, "retry")) == on_side


def test_code_added_by_a_merge_is_of_the_merge(repo: GitSandbox) -> None:
    repo.write("a.py", ADD)
    repo.commit("add")
    repo.branch("side")
    repo.write("b.py", CLOSE)
    repo.commit("side")
    repo.switch("main")
    repo.write("c.py", CLOSE.replace("close_", "shut_"))
    repo.commit("main")
    repo.git("merge", "-q", "--no-commit", "side")
    repo.write("a.py", ADD + "\n\n" + RETRY)
    merge = repo.commit("merge with more")
    assert commit_of(since(repo, "retry")) == merge
    assert commit_of(since(repo, "add")) != merge


def test_octopus_merge_is_followed(repo: GitSandbox) -> None:
    repo.write("a.py", ADD)
    repo.commit("add")
    made = {}
    for name, code in (("one", RETRY), ("two", CLOSE)):
        repo.git("switch", "-q", "-c", name, "main")
        repo.write(f"{name}.py", code)
        made[name] = repo.commit(name)
    repo.switch("main")
    repo.write("main.py", ADD.replace("add", "plus"))
    repo.commit("main")
    repo.git("merge", "-q", "--no-edit", "one", "two")
    assert commit_of(since(repo, "one.py:1")) == made["one"]
    assert commit_of(since(repo, "two.py:1")) == made["two"]


def test_shallow_clone_reports_that_code_may_be_older(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("a.py", RETRY)
    repo.commit("retry")
    for number in range(3):
        repo.write(f"{number}.py", ADD.replace("add", f"add_{number}"))
        repo.commit(str(number))
    clone = repo.clone(tmp_path / "shallow", "--depth=2")
    found = since(clone, "retry")
    assert "shallow clone" in found.unknown
    assert found.earlier == ()
    assert since(clone, "add_2").unknown == ""


def test_partial_clone_reports_missing_files(repo: GitSandbox, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.write("a.py", RETRY)
    repo.commit("retry")
    repo.write("a.py", RETRY + "\n\n" + ADD)
    repo.commit("add")
    clone = repo.clone(tmp_path / "partial", "--filter=blob:none")
    found = since(clone, "retry")
    assert "not in this repository" in found.unknown
    assert found.absent == 1
    assert commit_of(found) == repo.git("rev-parse", "HEAD")


def test_grafted_history_is_followed(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY)
    repo.commit("retry")
    repo.write("b.py", ADD)
    second = repo.commit("add")
    repo.write("c.py", CLOSE)
    repo.commit("close")
    repo.git("replace", "--graft", second)
    assert commit_of(since(repo, "retry")) == second


def test_sha256_repository(tmp_path: Path) -> None:
    repo = GitSandbox(tmp_path / "repo", "--object-format=sha256")
    repo.write("a.py", RETRY)
    first = repo.commit("retry")
    repo.write("a.py", RETRY + "\n\n" + ADD)
    repo.commit("add")
    repo.tag("v1")
    found = since(repo, "retry")
    assert (commit_of(found), found.first_tag) == (first, "v1")
    repo.rm("a.py")
    removed = repo.commit("remove")
    with ragit.open(repo.path) as index:
        assert index.gone("retry").removed.commit == removed


def test_unusual_file_names_are_followed(repo: GitSandbox) -> None:
    names = [b"new\nline.py", b"byte\xff.py", b"-dash.py", b"star*.py", b":(top).py"]
    for number, name in enumerate(names):
        repo.write(name, RETRY.replace("retry", f"retry_{number}"))
    first = repo.commit("odd")
    repo.tag("v1")
    repo.write("a.py", ADD)
    repo.commit("more")
    for number in range(len(names)):
        found = since(repo, f"retry_{number}")
        assert commit_of(found) == first
        assert found.first_tag == ("" if number == 0 else "v1")


# -- gone


def test_gone_reports_removal_and_last_place(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY + "\n\n" + CLOSE)
    repo.commit("both")
    repo.tag("v1")
    repo.git("mv", "a.py", "b.py")
    repo.commit("rename")
    repo.tag("v2")
    repo.write("b.py", CLOSE + "\n\nretry = None\n\n\ndef use():\n    retry()\n")
    repo.write("b.py", CLOSE)
    removed = repo.commit("remove")
    repo.write("c.py", "import retry\n")
    repo.commit("only the word")
    with ragit.open(repo.path, flags=PLAIN) as index:
        gone = index.gone("retry")
        assert gone.removed.commit == removed
        assert (gone.last.path, gone.last.start_line, gone.last_tag) == ("b.py", 1, "v2")
        assert gone.last_commit == repo.git("rev-parse", f"{removed}^")
        with pytest.raises(NoSuchPath, match="is not gone: HEAD defines it at b.py:1"):
            index.gone("close_connection")
        with pytest.raises(
            NoSuchPath, match="no commit of HEAD removed a definition of never .4 looked at"
        ):
            index.gone("never")


def test_moved_definition_is_gone_by_its_removal_only(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY)
    repo.commit("retry")
    repo.git("mv", "a.py", "b.py")
    repo.commit("move")
    repo.rm("b.py")
    removed = repo.commit("remove")
    with ragit.open(repo.path) as index:
        gone = index.gone("retry")
    assert (gone.removed.commit, gone.last.path) == (removed, "b.py")


def test_definition_removed_by_a_merge_is_of_the_merge(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY + "\n\n" + CLOSE)
    repo.commit("both")
    repo.branch("side")
    repo.write("b.py", ADD)
    repo.commit("side")
    repo.switch("main")
    repo.write("c.py", ADD.replace("add", "plus"))
    repo.commit("main")
    repo.git("merge", "-q", "--no-commit", "side")
    repo.write("a.py", CLOSE)
    merge = repo.commit("merge without retry")
    with ragit.open(repo.path, flags=PLAIN) as index:
        assert index.gone("retry").removed.commit == merge


def test_gone_reports_progress_and_ends_in_time(repo: GitSandbox) -> None:
    for number in range(20):
        repo.write("a.py", f"X = {number}\n")
        repo.commit(str(number))
    reported: list[tuple[int, int]] = []
    with ragit.open(repo.path) as index:
        with pytest.raises(NoSuchPath, match="never .20 looked at"):
            index.gone("never", progress=lambda *counts: reported.append(counts))
        assert reported == [(16, 20), (20, 20)]
        with pytest.raises(NoSuchPath, match="the newest 16 of 20 commits of HEAD removed no"):
            index.gone("never", within_s=0)


def test_gone_in_a_shallow_clone(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("a.py", RETRY + "\n\n" + CLOSE)
    repo.commit("both")
    repo.write("a.py", CLOSE)
    repo.commit("without retry")
    repo.write("a.py", ADD)
    repo.commit("without close")
    clone = repo.clone(tmp_path / "shallow", "--depth=2")
    with ragit.open(clone.path, flags=PLAIN) as index:
        assert "shallow clone" in index.gone("close_connection").unknown
        with pytest.raises(NoSuchPath) as raised:
            index.gone("retry")
    assert "(2 looked at; this shallow clone lacks older ones)" in raised.value.message
    shell = Terminal(clone.path, RAGIT_INDEX_MIN_CHUNK_BYTES="0")
    assert "  note    this is a shallow" in shell.ragit("since", "--gone", "close_connection").out
    result = json.loads(shell.ragit("since", "--gone", "close_connection", "--json").out)
    assert "shallow clone" in result["unknown"]
    assert not list(faults(result, schemas()["gone"]))


def test_gone_in_a_partial_clone_raises(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("a.py", RETRY)
    repo.commit("retry")
    repo.write("a.py", ADD)
    repo.commit("without")
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = repo.clone(tmp_path / "partial", "--filter=blob:none")
    with ragit.open(clone.path) as index, pytest.raises(GitFailed, match="this partial clone"):
        index.gone("retry")
    clone.git("fetch", "-q", "--refetch", "--no-filter")
    with ragit.open(clone.path) as index:
        assert index.gone("retry").removed.subject == "without"


# -- bad input


def test_name_with_many_definitions_lists_them(repo: GitSandbox, terminal: Terminal) -> None:
    for number in range(14):
        repo.write(f"{number:02}.py", f"class C{number}:\n    def run(self):\n        return 1\n")
    repo.commit("many")
    result = terminal.ragit("since", "run", code=2)
    assert "14 definitions are called run: 00.py:2, 01.py:2" in result.err
    assert "and 4 more" in result.err
    assert "as `ragit since 00.py:2`" in result.hint
    assert "class" in terminal.ragit("since", "C3", code=0).out
    with ragit.open(repo.path) as index, pytest.raises(SeveralDefinitions):
        index.since("run")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["no/file.py:3"], "has no file no/file.py"),
        (["a.py:99"], "a.py has no text at line 99"),
        (["image.png:1"], "image.png is not indexed: image"),
        (["nothing"], "defines no nothing"),
        (["--ref", "no", "retry"], "no commit or tree is named 'no'"),
        (["--ref", "HEAD^{tree}", "retry"], "is no commit"),
        (["--gone", "retry"], "is not gone"),
        (["--gone", "a.py"], "removed a definition"),
        (["--versions", "-1", "retry"], "not a whole number"),
    ],
    ids=" ".join,
)
def test_bad_input_is_refused(
    repo: GitSandbox, terminal: Terminal, args: list[str], words: str
) -> None:
    repo.write("a.py", RETRY)
    repo.write("image.png", b"\x89PNG\r\n\x1a\n")
    repo.commit()
    assert words in terminal.ragit("since", *args, code=2).err


def test_tree_has_no_history(repo: GitSandbox) -> None:
    repo.write("a.py", RETRY)
    repo.commit()
    with pytest.raises(UnknownRevision, match="is no commit"):
        since(repo, "retry", ref=repo.tree())


def test_since_command_prints_text_and_json(repo: GitSandbox, terminal: Terminal) -> None:
    repo.write("a.py", RETRY)
    first = repo.commit("Retry calls")[:10]
    repo.write("a.py", RETRY.replace("OSError", "TimeoutError"))
    second = repo.commit("Catch timeouts")[:10]
    repo.tag("v1")
    result = terminal.ragit("since", "retry", code=0)
    assert result.out == (
        "a.py:1-8  retry  function\n"
        f"  since   2023-11-14  {second}  Tester  Catch timeouts\n"
        "  tag     v1 is the first that has it\n"
        f"  before  2023-11-14  {first}  Tester  Retry calls\n"
        "looked at 2 commits, 1 tag and 2 versions of files\n"
    )
    value = json.loads(terminal.ragit("since", "a.py:1", "--json", code=0).out)
    assert not list(faults(value, schemas()["since"]))
    repo.rm("a.py")
    repo.commit("Remove it")
    shown = terminal.ragit("since", "--gone", "retry", code=0).out
    assert shown.startswith("retry is gone from HEAD\n  removed 2023-11-14  ")
    gone = json.loads(terminal.ragit("since", "--gone", "retry", "--json", code=0).out)
    assert not list(faults(gone, schemas()["gone"]))


# -- comparison with a full scan


class Scan:
    """Answers by reading every file of every commit."""

    def __init__(self, repo: GitSandbox) -> None:
        self.repo = repo
        self.parents = {
            commit: parents
            for commit, *parents in (
                line.split() for line in repo.git("rev-list", "--parents", "HEAD").splitlines()
            )
        }
        self.files = {commit: dict(self._files(commit)) for commit in self.parents}

    def _files(self, commit: str) -> Iterator[tuple[bytes, bytes]]:
        for record in self.repo.run("ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
            facts, path = record.split(b"\t", 1)
            mode, _, blob = facts.decode().split()
            if mode.startswith("100"):
                yield path, text_of(self.repo.run("cat-file", "blob", blob)) or b""

    def origins(self, code: bytes, commit: str, path: bytes) -> set[str]:
        """Return the commits that may have brought a text to a file, along any line of history."""
        found: set[str] = set()
        seen: set[tuple[str, bytes]] = set()
        waiting = [(commit, path)]
        while waiting:
            here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            before = self._before(code, *here)
            waiting += before
            if not before:
                found.add(here[0])
        return found

    def _before(self, code: bytes, commit: str, path: bytes) -> list[tuple[str, bytes]]:
        parents = self.parents[commit]
        same = [(one, path) for one in parents if line_of(code, self.files[one].get(path, b""))]
        if same:
            return same
        return [
            (one, other)
            for one in parents
            for other, text in self.files[one].items()
            if other != path
            and line_of(code, text)
            and not line_of(code, self.files[commit].get(other, b""))
        ]

    def first_tag(self, code: bytes, paths: set[bytes]) -> str:
        tags = self.repo.git("tag", "--sort=v:refname").split()
        for tag in tags:
            files = self.files[self.repo.git("rev-parse", f"{tag}^{{commit}}")]
            if any(line_of(code, files.get(path, b"")) for path in paths):
                return tag
        return ""


def places(index: Ragit) -> list[tuple[bytes, int, bytes]]:
    """Return a path, a line and the text of each chunk of HEAD; for each line the smallest."""
    found = []
    with index.reading("HEAD") as opened:
        snapshot = opened.tree.snapshot
        for path, chunking in zip(snapshot.paths, snapshot.chunkings, strict=True):
            rows = opened.chunks_of(chunking)
            text = opened.text_of(chunking)
            for row in rows:
                held = [one for one in rows if one.start_line <= row.start_line <= one.end_line]
                least = min(held, key=lambda one: one.end_line - one.start_line)
                if least is row and b"\n" not in path:
                    found.append((path, row.start_line, text[row.start : row.end]))
    return found


@settings(FEW, max_examples=4)
@given(steps(4, 10))
def test_since_agrees_with_a_scan_of_all_commits(history: list[Step]) -> None:
    with sandbox() as repo:
        commits = play(repo, history)
        reached = set(repo.git("rev-list", "HEAD").split())
        for number, commit in enumerate(commits):
            if commit in reached:
                repo.tag(f"v{number}", commit)
        scan = Scan(repo)
        head = repo.git("rev-parse", "HEAD")
        with store(repo) as index:
            for path, line, code in places(index):
                found = index.since(f"{path_text(path)}:{line}", ref="HEAD")
                assert commit_of(found) in scan.origins(code, head, path)
                paths = {path, *(one.old_path.encode() for one in found.moves)}
                assert found.first_tag == scan.first_tag(code, paths)
                assert not found.unknown


NAMES = ("draw", "erase", "paint", "scale")
FILES = ("a.py", "b.py", "lib/c.py")
_placed = st.dictionaries(
    st.sampled_from(NAMES), st.tuples(st.sampled_from(FILES), st.integers(1, 2)), max_size=4
)
"""The definitions of a tree: the file of each, and what it returns."""


def write_definitions(repo: GitSandbox, placed: dict[str, tuple[str, int]]) -> None:
    for file in FILES:
        here = {name: value for name, (at, value) in placed.items() if at == file}
        text = "\n\n".join(f"def {name}():\n    return {here[name]}\n" for name in sorted(here))
        repo.write(file, text or "# nothing\n")


@settings(FEW, max_examples=8)
@given(st.lists(_placed, min_size=2, max_size=7))
def test_gone_agrees_with_a_scan_of_all_commits(
    trees: list[dict[str, tuple[str, int]]],
) -> None:
    with sandbox() as repo, store(repo) as index:
        removals: dict[str, tuple[str, str, str]] = {}
        before: dict[str, tuple[str, int]] = {}
        parent = ""
        for placed in trees:
            write_definitions(repo, placed)
            commit = repo.commit()
            for name in before.keys() - placed.keys():
                removals[name] = commit, parent, before[name][0]
            before, parent = placed, commit
        for name in NAMES:
            if name in before or name not in removals:
                words = "is not gone" if name in before else "removed a definition"
                with pytest.raises(NoSuchPath, match=words):
                    index.gone(name, ref="HEAD")
                continue
            gone = index.gone(name, ref="HEAD")
            assert (gone.removed.commit, gone.last_commit, gone.last.path) == removals[name]
            assert gone.last.names == (name,)
