"""Tests that staged and uncommitted work is read as git would stage it, and that nothing of the
user's changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sandbox import GitSandbox

from ragit.errors import GitFailed
from ragit.git import Repo, private
from ragit.types import Oid

MIB = 1 << 20


def staged_by_git(repo: GitSandbox, tmp: Path, *, add: bool = True) -> str:
    """Return the tree that `git add --all` (unless `add` is false) and `git write-tree` make of a
    copy.
    """
    copy = tmp / f"oracle-{os.urandom(4).hex()}"
    shutil.copytree(repo.path, copy, symlinks=True)
    git = GitSandbox(copy)
    if add:
        git.git("add", "--all", ".")
    tree = git.git("write-tree")
    shutil.rmtree(copy)
    return tree


def working_tree(repo: GitSandbox, max_bytes: int = MIB) -> str:
    with Repo.open(repo.path) as found:
        return found.working_tree(max_bytes).tree


def fingerprint(repo: GitSandbox) -> dict[str, str]:
    """Return names and contents of the user's files in the git dir."""
    git_dir = repo.path / ".git"
    files = (
        file
        for file in git_dir.rglob("*")
        if file.is_file() and git_dir / "ragit" not in file.parents
    )
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def names(repo: Repo, tree: Oid) -> list[bytes]:
    return [entry.path for entry in repo.entries(tree)]


# Staged work


def test_staged_tree_equals_the_committed_tree(repo: GitSandbox, opened: Repo) -> None:
    repo.write("a", "1")
    repo.write("b", "1")
    repo.commit()
    repo.write("a", "2")
    repo.git("add", "a")
    repo.write("b", "not staged")
    repo.write("c", "intent only")
    repo.git("add", "--intent-to-add", "c")
    before = fingerprint(repo)
    tree = opened.staged_tree()
    assert fingerprint(repo) == before
    repo.commit(all=False)
    assert tree == repo.tree()


def test_staged_tree_with_conflicts_raises(repo: GitSandbox, opened: Repo) -> None:
    conflict(repo)
    with pytest.raises(GitFailed, match="write-tree.*failed: .*unmerged") as caught:
        opened.staged_tree()
    assert "conflicts" in caught.value.hint


@pytest.mark.parametrize("linked", [False, True], ids=["main", "linked"])
@pytest.mark.parametrize(
    "how",
    [["commit", "-m", "x"], ["commit", "-am", "x"], ["commit", "-m", "x", "--", "a"]],
    ids=str,
)
def test_staged_tree_in_a_pre_commit_hook_is_the_committed_one(
    repo: GitSandbox, how: list[str], linked: bool
) -> None:
    repo.write("a", "1")
    repo.write("b", "1")
    repo.commit()
    if linked:
        path = repo.path.parent / "linked"
        repo.git("worktree", "add", "-q", str(path))
        repo = GitSandbox(path)
    repo.write("a", "2")
    repo.write("b", "2")
    repo.write("staged", "new")
    repo.git("add", "staged")
    seen = repo.path.parent / "seen"
    hook = f"from ragit.git import Repo\nwith Repo.open() as r: open('{seen}', 'w').write(r.staged_tree())"
    hooks = repo.path.parent / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").write_text(f'#!/bin/sh\nexec {sys.executable} -c "{hook}"\n')
    (hooks / "pre-commit").chmod(0o755)
    repo.git(
        "-c", f"core.hooksPath={hooks}", *how, env={"PYTHONPATH": str(Path(__file__).parent.parent)}
    )
    assert seen.read_text() == repo.tree()


# Uncommitted work


def conflict(repo: GitSandbox) -> None:
    """Start a merge that stops: one file edited on both sides, one edited here and deleted
    there.
    """
    repo.write("both", "base\n")
    repo.write("half", "base\n")
    repo.commit()
    repo.branch("theirs")
    repo.write("both", "theirs\n")
    repo.rm("half")
    repo.commit()
    repo.switch("main")
    repo.write("both", "ours\n")
    repo.write("half", "ours\n")
    repo.commit()
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "theirs")


def many_edits(repo: GitSandbox) -> None:
    for path in (
        "keep",
        "edit",
        "delete",
        "staged",
        "folder/one",
        "folder/two",
        "to-link",
        "to-folder",
        "mode",
    ):
        repo.write(path, f"{path}\n")
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    repo.write("edit", "edited\n")
    repo.rm("delete")
    repo.write("staged", "staged\n")
    repo.git("add", "staged")
    repo.write("staged", "and edited again\n")
    repo.rm("folder")
    repo.write("folder", "now a file\n")
    repo.rm("to-link")
    (repo.path / "to-link").symlink_to("nowhere")
    repo.rm("to-folder")
    repo.write("to-folder/inner", "x")
    (repo.path / "mode").chmod(0o755)
    repo.write("new/deep/caf\u00e9\n.py", "new\n")
    repo.write("ignored.log", "no\n")


def add_nothing(repo: GitSandbox) -> None:
    repo.write("a", "1")
    repo.commit()


def stage_only(repo: GitSandbox) -> None:
    add_nothing(repo)
    repo.write("a", "2")
    repo.git("add", "a")


def intend_to_add(repo: GitSandbox) -> None:
    add_nothing(repo)
    for name in ("kept", "gone"):
        repo.write(name, "x")
        repo.git("add", "--intent-to-add", name)
    repo.rm("gone")


def lose_the_index(repo: GitSandbox) -> None:
    add_nothing(repo)
    repo.write("b", "untracked")
    (repo.path / ".git" / "index").unlink()


def resolve_half(repo: GitSandbox) -> None:
    conflict(repo)
    repo.write("both", "my own resolution\n")
    repo.rm("half")


def folder_becomes_link(repo: GitSandbox) -> None:
    repo.write("real/a", "1")
    repo.write("other/a", "1")
    repo.commit()
    repo.rm("other")
    (repo.path / "other").symlink_to("real")


def remove_from_index(repo: GitSandbox) -> None:
    add_nothing(repo)
    repo.git("rm", "-q", "--cached", "a")


SITUATIONS = [
    add_nothing,
    many_edits,
    stage_only,
    intend_to_add,
    lose_the_index,
    conflict,
    resolve_half,
    folder_becomes_link,
    remove_from_index,
]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_working_tree_equals_git_add_all(
    repo: GitSandbox, tmp_path: Path, situation: Callable[[GitSandbox], None]
) -> None:
    situation(repo)
    before, status = fingerprint(repo), repo.git("--no-optional-locks", "status", "--porcelain")
    for _ in range(2):  # the second time with a refreshed copy of the index
        found = working_tree(repo)
        assert fingerprint(repo) == before
        assert found == staged_by_git(repo, tmp_path)
    assert repo.git("--no-optional-locks", "status", "--porcelain") == status


PATHS = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "c.log", ".gitignore", "d/.gitignore"])
TEXTS = st.sampled_from(["", "one\n", "two\n", "*.log\n", "d/\n", "x" * 50])
EDITS = st.one_of(
    st.tuples(st.just("write"), PATHS, TEXTS),
    st.tuples(st.just("link"), PATHS, TEXTS),
    st.tuples(st.sampled_from(["rm", "chmod", "add", "intend", "uncache"]), PATHS, st.just("")),
    st.tuples(st.sampled_from(["commit", "reset", "stash"]), st.just(""), st.just("")),
)


def apply(repo: GitSandbox, what: str, path: str, text: str) -> None:
    """Make one random edit; skip it if it is impossible."""
    file = repo.path / path
    if what in ("write", "link", "rm") and path:
        for above in [*reversed(file.relative_to(repo.path).parents)][1:]:
            if (repo.path / above).is_symlink() or (repo.path / above).is_file():
                repo.rm(str(above))
        if file.is_symlink() or file.exists():
            repo.rm(path)
        if what == "write":
            repo.write(path, text)
        elif what == "link":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.symlink_to(text.strip() or "nowhere")
        return
    if what == "chmod" and file.is_file() and not file.is_symlink():
        file.chmod(file.stat().st_mode ^ 0o111)
    commands = {
        "add": ["add", "-f", "--", path],
        "intend": ["add", "--intent-to-add", "--", path],
        "uncache": ["rm", "-q", "-r", "--cached", "--", path],
        "commit": ["commit", "-q", "--allow-empty", "-m", "x"],
        "reset": ["reset", "-q", "--hard"],
        "stash": ["stash", "-q"],
    }
    if what in commands:
        unless_refused(lambda: repo.git(*commands[what]))


def unless_refused(call: Callable[[], object]) -> None:
    try:
        call()
    except subprocess.CalledProcessError:
        return


@settings(max_examples=12, deadline=None)
@given(st.lists(st.lists(EDITS, min_size=1, max_size=6), min_size=1, max_size=3))
def test_any_edits_are_staged_like_git_does(rounds: list[list[tuple[str, str, str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = GitSandbox(Path(folder) / "repo")
        repo.write("a", "start\n")
        repo.commit()
        with Repo.open(repo.path) as opened:
            for edits in rounds:
                for edit in edits:
                    apply(repo, *edit)
                before = fingerprint(repo)
                found = opened.working_tree(MIB)
                staged = opened.staged_tree()
                assert fingerprint(repo) == before
                assert found.tree == staged_by_git(repo, Path(folder))
                assert staged == staged_by_git(repo, Path(folder), add=False)
                assert found.commit == repo.git("rev-parse", "HEAD")


def test_edit_with_same_size_and_times_is_seen(repo: GitSandbox, tmp_path: Path) -> None:
    """git recognises such a file by the index's own time, so a copy of the index must keep it."""
    repo.git("config", "core.trustctime", "false")
    repo.git("config", "core.checkStat", "minimal")
    file = repo.write("f", "aaaa")
    repo.commit()
    when = (1_700_000_000, 1_700_000_000)
    os.utime(file, when)
    repo.git("update-index", "--refresh")
    repo.write("f", "bbbb")
    os.utime(file, when)
    os.utime(repo.path / ".git" / "index", when)
    expected = staged_by_git(repo, tmp_path)
    assert expected != repo.tree()
    assert [working_tree(repo), working_tree(repo)] == [expected, expected]


def traced(repo: GitSandbox, trace: Path) -> Repo:
    trace.unlink(missing_ok=True)
    return Repo.open(repo.path, env={**os.environ, "GIT_TRACE2_EVENT": str(trace)})


def commands(trace: Path) -> list[str]:
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    return [
        event["name"]
        for event in events
        if event["event"] == "cmd_name" and "/" not in event["sid"]
    ]


def test_working_tree_runs_few_git_commands(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("f", "1")
    repo.commit()
    with traced(repo, tmp_path / "trace") as found:
        assert found.working_tree(MIB).tree == repo.tree()
    assert commands(tmp_path / "trace") == ["rev-parse", "status"]
    repo.write("f", "2")
    with traced(repo, tmp_path / "trace") as found:
        assert found.working_tree(MIB).tree != repo.tree()
    assert commands(tmp_path / "trace") == ["rev-parse", "status", "update-index", "write-tree"]


def test_status_runs_while_other_reads_happen(repo: GitSandbox) -> None:
    repo.write("f", "1")
    repo.commit()
    repo.write("f", "2")
    with Repo.open(repo.path) as found:
        status = found.start_status()
        assert names(found, found.head().tree) == [b"f"]
        tree = found.working_tree(MIB, status).tree
        assert found.diff(found.head().tree, tree)[0].path == b"f"


def test_head_moved_after_opening_is_used(repo: GitSandbox) -> None:
    repo.write("f", "1")
    repo.commit()
    with Repo.open(repo.path) as found:
        repo.write("f", "2")
        second = repo.commit()
        working = found.working_tree(MIB, found.start_status())
        assert (working.commit, working.tree) == (second, repo.tree())
        assert found.head().commit == second


def test_reading_runs_no_hook(repo: GitSandbox, tmp_path: Path) -> None:
    many_edits(repo)
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (hooks / "post-index-change").chmod(0o755)
    with Repo.open(repo.path) as found:
        found.staged_tree()
        found.attributes(found.entries(found.working_tree(MIB).tree), [b"f"])
    assert not (tmp_path / "ran").exists()
    repo.git("add", "edit")
    assert (tmp_path / "ran").exists()  # the hook would have written it


# Skipped files


def test_large_files_are_skipped_and_named(repo: GitSandbox, opened: Repo) -> None:
    repo.write("tracked", "small")
    repo.write("other", "x")
    repo.commit()
    opened.refresh()
    repo.write("tracked", "x" * 1001)
    repo.write("untracked", "y" * 1001)
    repo.write("fits", "z" * 1000)
    tree, _, skipped = opened.working_tree(1000)
    assert names(opened, tree) == [
        b"fits",
        b"other",
    ]  # not the former content of "tracked"
    assert skipped == {b"tracked": "too large", b"untracked": "too large"}
    repo.git("checkout", "tracked")
    repo.rm("fits")
    assert opened.working_tree(1000) == (
        repo.tree(),
        repo.git("rev-parse", "HEAD"),
        {b"untracked": "too large"},
    )


def test_embedded_repositories_and_special_files_are_skipped(
    repo: GitSandbox, opened: Repo
) -> None:
    repo.write("pipe", "a file")
    repo.commit()
    opened.refresh()
    GitSandbox(repo.path / "inner").commit()
    repo.write("inner/f", "x")
    repo.rm("pipe")
    os.mkfifo(repo.path / "pipe")
    tree, _, skipped = opened.working_tree(MIB)
    assert names(opened, tree) == []
    assert skipped[b"inner"] == "embedded repository"
    assert skipped.get(b"pipe") in (None, "special file")  # git may call it deleted


@pytest.mark.parametrize("killed", [True, False])
def test_stale_lock_of_the_index_copy_is_removed(
    repo: GitSandbox, opened: Repo, killed: bool
) -> None:
    """While the copy of the index is locked, git cannot record which files are unchanged."""
    repo.write("a", "old\n")
    repo.commit()
    opened.refresh()
    opened.working_tree(MIB)
    (copy,) = opened.git_dir.joinpath("ragit").glob("status-*")
    lock = copy.with_name(f"{copy.name}.lock")
    lock.touch()
    if killed:
        long_ago = time.time() - private.IN_USE_SECONDS - 60
        os.utime(lock, (long_ago, long_ago))
    before = copy.read_bytes()
    os.utime(repo.path / "a", (1_000_000_000, 1_000_000_000))  # only its time changed
    assert names(opened, opened.working_tree(MIB)[0]) == [b"a"]
    assert lock.exists() is not killed
    assert (copy.read_bytes() != before) is killed


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads every file")
def test_unreadable_files_are_skipped(repo: GitSandbox, opened: Repo) -> None:
    repo.commit()
    opened.refresh()
    repo.write("secret", "x").chmod(0)
    assert opened.working_tree(MIB).skipped == {b"secret": "unreadable"}


def test_files_refused_by_git_are_skipped_alone(repo: GitSandbox, opened: Repo) -> None:
    repo.write(".gitattributes", "*.bad filter=broken\n")
    repo.commit()
    repo.git("config", "filter.broken.clean", "false")
    repo.git("config", "filter.broken.required", "true")
    opened.refresh()
    for number in range(7):
        repo.write(f"good{number}", str(number))
    repo.write("one.bad", "x")
    repo.write("two.bad", "x")
    tree, _, skipped = opened.working_tree(MIB)
    assert names(opened, tree) == [b".gitattributes", *(b"good%d" % number for number in range(7))]
    assert set(skipped.values()) == {"refused by git"}
    assert set(skipped) == {b"one.bad", b"two.bad"}


# Paths written


def test_uncommitted_objects_are_written_outside_the_object_store(
    repo: GitSandbox, opened: Repo, tmp_path: Path
) -> None:
    repo.write("f", "1")
    repo.commit()
    opened.refresh()
    repo.write("f", "uncommitted")
    tree = opened.working_tree(MIB).tree
    oid = opened.entries(tree)[0].oid
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("cat-file", "-e", oid)
    assert opened.objects().read(oid) == opened.objects(bulk=True).read(oid) == b"uncommitted"
    assert not list((repo.path / ".git" / "ragit").glob("index-*"))


def test_unwritable_git_dir_uses_a_scratch_folder(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("f", "1")
    repo.commit()
    repo.write("f", "2")
    (repo.path / ".git" / "ragit").write_text("a file, so that no folder can be made here")
    before, expected = fingerprint(repo), staged_by_git(repo, tmp_path)
    with Repo.open(repo.path, scratch=tmp_path / "scratch") as found:
        assert found.working_tree(MIB).tree == expected
    assert (tmp_path / "scratch" / "objects" / expected[:2] / expected[2:]).exists()
    with Repo.open(repo.path) as found:  # without one, a temporary folder is used
        tree = found.working_tree(MIB).tree
        assert tree == expected
        temporary = Path(found.recipe().alternates[0]).parent
        assert names(found, tree) == [b"f"]
        assert temporary.exists()
    assert not temporary.exists()
    assert fingerprint(repo) == before


def test_prune_keeps_objects_of_kept_trees(repo: GitSandbox, opened: Repo) -> None:
    repo.write("deep/er/f", "1")
    repo.commit()
    opened.refresh()
    trees = []
    for text in ("first", "second"):
        repo.write("deep/er/f", text)
        trees.append(opened.working_tree(MIB).tree)
    assert opened.prune_private_objects([], grace=3600) == 0
    assert opened.prune_private_objects([trees[1], Oid(repo.tree())], grace=-1) > 0
    with Repo.open(repo.path) as later:
        (kept,) = later.entries(trees[1])
        assert later.objects().read(kept.oid) == b"second"
        with pytest.raises(GitFailed):
            later.entries(trees[0])
    assert opened.prune_private_objects([], grace=-1, copies_grace=-1) > 0
    assert not [file for file in (repo.path / ".git/ragit").rglob("*") if file.is_file()]
    assert opened.working_tree(MIB).tree == trees[1]  # pruned objects are written again
