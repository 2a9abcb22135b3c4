"""Tests of ragit/git on all kinds of repositories that this machine's git can make.

Not made: reftable refs, relative worktrees and compatObjectFormat, which git 2.39 does not know.
ragit/git reads no refs or extensions itself: it resolves names with `git`, and reads objects from
an object directory that is the same in all of them. Tests of `git cat-file` and of reading without
a repository therefore cover them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sandbox import GitSandbox
from test_git_uncommitted import MIB, fingerprint, staged_by_git

from ragit.errors import GitFailed, NotARepository, UnknownRevision
from ragit.git import GITLINK, Repo
from ragit.types import Oid

ROOT = str(Path(__file__).parent.parent)


@pytest.fixture
def history(repo: GitSandbox) -> GitSandbox:
    """Return a repository with two commits and three files."""
    repo.write("a.py", "one\n")
    repo.write("lib/b.py", "b\n")
    repo.commit()
    repo.write("a.py", "two\n")
    repo.write("doc/c.md", "c\n")
    repo.commit()
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return repo


def contents(found: Repo, tree: Oid, *, bulk: bool) -> dict[bytes, bytes | None]:
    entries = [entry for entry in found.entries(tree) if entry.mode != GITLINK]
    read = dict(found.objects(bulk=bulk).read_many(entry.oid for entry in entries))
    return {entry.path: read[entry.oid] for entry in entries}


def check(path: Path, expected: dict[bytes, bytes | None]) -> Repo:
    """Open `path`, and compare the files that both engines read at HEAD."""
    found = Repo.open(path)
    for bulk in (False, True):
        assert contents(found, found.head().tree, bulk=bulk) == expected
    return found


HEAD_FILES: dict[bytes, bytes | None] = {
    b"a.py": b"two\n",
    b"doc/c.md": b"c\n",
    b"lib/b.py": b"b\n",
}


# Bare, linked, nested


def test_bare_repository_has_no_uncommitted_changes(history: GitSandbox, tmp_path: Path) -> None:
    bare = history.clone(tmp_path / "bare", "--bare")
    with check(bare.path, HEAD_FILES) as found:
        assert (found.top, found.prefix, found.git_dir) == (None, b"", bare.path)
        assert found.working_tree(MIB) == (history.tree(), history.git("rev-parse", "HEAD"), {})
        assert [(tree.path, tree.head, tree.git_dir) for tree in found.worktrees()] == [
            (bare.path, None, bare.path)
        ]


def test_git_dir_has_no_working_tree(history: GitSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    with check(history.path / ".git", HEAD_FILES) as found:
        assert (found.top, found.common_dir) == (None, history.path / ".git")
    monkeypatch.chdir(history.path / ".git")
    with Repo.open(env={**os.environ, "GIT_DIR": "."}) as found:  # as in post-receive
        assert (found.top, found.head().tree) == (None, history.tree())
        assert found.working_tree(MIB).tree == history.tree()


@pytest.mark.parametrize("where", [".", "objects", "with a working tree"])
def test_repository_committed_inside_another_is_refused(
    history: GitSandbox, tmp_path: Path, where: str
) -> None:
    inner = GitSandbox(history.path / "lib" / "inner", "--bare")
    if where == "with a working tree":
        inner.git("config", "core.bare", "false")
        inner.git("config", "core.worktree", "/")
    for folder in ("refs", "objects"):
        history.write(f"lib/inner/{folder}/keep", "")
    history.commit()
    clone = history.clone(tmp_path / "clone")
    inside = clone.path / "lib" / "inner"
    with pytest.raises(NotARepository, match="came with the files of"):
        Repo.open(inside / where if where == "objects" else inside)
    with Repo.open(inside, {**os.environ, "GIT_DIR": str(inside)}) as found:
        assert found.common_dir == inside


def test_untracked_bare_repository_in_a_working_tree_opens(
    history: GitSandbox,
) -> None:
    history.clone(history.path / "mine.git", "--bare")
    with Repo.open(history.path / "mine.git") as found:
        assert found.common_dir == history.path / "mine.git"


def test_linked_worktrees_share_the_common_dir(history: GitSandbox, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    history.git("worktree", "add", "-q", "-b", "topic", str(linked), "HEAD~1")
    (linked / "new.py").write_text("only here\n")
    with Repo.open(linked) as found:
        assert (found.top, found.common_dir) == (linked, history.path / ".git")
        assert (found.git_dir, found.branch()) == (
            history.path / ".git" / "worktrees" / "linked",
            "topic",
        )
        tree = found.working_tree(MIB).tree
        assert contents(found, tree, bulk=False) == {
            b"a.py": b"one\n",
            b"lib/b.py": b"b\n",
            b"new.py": b"only here\n",
        }
    with Repo.open(history.path) as main:  # reads what the other worktree wrote
        assert len(contents(main, tree, bulk=True)) == 3
        assert main.working_tree(MIB).tree == history.tree()


def test_worktrees_of_a_bare_repository(history: GitSandbox, tmp_path: Path) -> None:
    bare = history.clone(tmp_path / "project" / ".bare", "--bare")
    (tmp_path / "project" / ".git").write_text("gitdir: ./.bare\n")
    bare.git("worktree", "add", "-q", "../main")
    with check(tmp_path / "project" / "main", HEAD_FILES) as found:
        assert (found.top, found.common_dir) == (tmp_path / "project" / "main", bare.path)
    with Repo.open(tmp_path / "project") as found:
        assert found.top is None
        assert [tree.path.name for tree in found.worktrees()] == [".bare", "main"]


def test_submodule_is_a_repository_and_a_gitlink(history: GitSandbox, tmp_path: Path) -> None:
    outer = GitSandbox(tmp_path / "outer")
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(history.path), "module"
    )
    outer.commit()
    module = GitSandbox(outer.path / "module")
    with check(module.path, HEAD_FILES) as found:
        assert found.common_dir == outer.path / ".git" / "modules" / "module"
    (module.path / "a.py").write_text("dirty\n")
    with Repo.open(outer.path) as found:
        link = next(entry for entry in found.entries(found.head().tree) if entry.path == b"module")
        assert (link.mode, link.oid) == (GITLINK, module.git("rev-parse", "HEAD"))
        assert found.objects().header(link.oid) is None
        assert (
            found.working_tree(MIB).tree == outer.tree()
        )  # changes inside belong to the submodule
        commit = module.commit()
        moved = found.working_tree(MIB).tree
        assert moved == staged_by_git(outer, tmp_path)
        assert [
            (change.path, change.new and change.new.oid)
            for change in found.diff(outer.tree_oid(), moved)
        ] == [(b"module", commit)]


def test_git_variables_select_repository_and_index(history: GitSandbox, tmp_path: Path) -> None:
    elsewhere = tmp_path / "files"
    elsewhere.mkdir()
    (elsewhere / "x.py").write_text("x\n")
    env = {**os.environ, "GIT_DIR": str(history.path / ".git"), "GIT_WORK_TREE": str(elsewhere)}
    with Repo.open(tmp_path, env=env) as found:
        assert (found.top, found.common_dir) == (elsewhere, history.path / ".git")
        assert contents(found, found.working_tree(MIB).tree, bulk=False) == {b"x.py": b"x\n"}
    index = tmp_path / "other-index"
    history.git("read-tree", "HEAD~1", env={"GIT_INDEX_FILE": str(index)})
    with Repo.open(history.path, env={**os.environ, "GIT_INDEX_FILE": str(index)}) as found:
        assert found.staged_tree() == history.tree("HEAD~1")
    index.rename(history.path / ".git" / "relative")
    with Repo.open(
        history.path / "lib", env={**os.environ, "GIT_INDEX_FILE": ".git/relative"}
    ) as found:
        assert found.staged_tree() == history.tree("HEAD~1")


def test_core_worktree_is_followed(history: GitSandbox, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else"
    elsewhere.mkdir()
    (elsewhere / "y").write_text("y")
    history.git("config", "core.worktree", str(elsewhere))
    with Repo.open(history.path / ".git") as found:
        assert found.top == elsewhere
        assert contents(found, found.working_tree(MIB).tree, bulk=False) == {b"y": b"y"}


def test_separate_git_dir_is_found(history: GitSandbox, tmp_path: Path) -> None:
    history.git("init", "-q", f"--separate-git-dir={tmp_path / 'aside'}")
    with check(history.path, HEAD_FILES) as found:
        assert (found.common_dir, found.top) == (tmp_path / "aside", history.path)


def test_worktree_configuration_is_read(history: GitSandbox) -> None:
    history.git("config", "extensions.worktreeConfig", "true")
    history.git("config", "--worktree", "ragit.topK", "4")
    with check(history.path, HEAD_FILES) as found:
        assert found.config(r"^ragit\.") == {"ragit.topk": "4"}


# Parts of a repository


@pytest.mark.parametrize("name", ["HEAD~1", "main~2", "@^", "HEAD^^{tree}", "HEAD~1:a"])
def test_shallow_clone_hints_at_unshallow_for_old_revisions(
    history: GitSandbox, tmp_path: Path, name: str
) -> None:
    shallow = history.clone(tmp_path / "shallow", "--depth=1")
    with Repo.open(shallow.path) as found, pytest.raises(UnknownRevision) as caught:
        found.resolve(name)
    assert "shallow clone" in caught.value.hint
    assert "git fetch --unshallow" in caught.value.hint


def test_shallow_clone_hints_at_unshallow_for_an_unknown_commit(
    history: GitSandbox, tmp_path: Path
) -> None:
    old = history.git("rev-parse", "HEAD~1")
    shallow = history.clone(tmp_path / "shallow", "--depth=1")
    with Repo.open(shallow.path) as found, pytest.raises(UnknownRevision) as caught:
        found.resolve(old)
    assert "git fetch --unshallow --tags" in caught.value.hint


def test_full_clone_reports_the_end_of_its_history(history: GitSandbox) -> None:
    with Repo.open(history.path) as found, pytest.raises(UnknownRevision) as caught:
        found.resolve("HEAD~1000")
    assert "history of HEAD does not go back that far" in caught.value.hint


def test_shallow_clone_is_read(history: GitSandbox, tmp_path: Path) -> None:
    shallow = history.clone(tmp_path / "shallow", "--depth=1")
    with check(shallow.path, HEAD_FILES) as found:
        assert found.trees_of([Oid(history.git("rev-parse", "HEAD~1"))]) == {}
        assert [ref.name for ref in found.refs()] == ["refs/heads/main", "refs/remotes/origin/main"]


def objects_of(repo: GitSandbox) -> set[str]:
    result = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(result.split())


def test_partial_clone_fetches_only_on_request(history: GitSandbox, tmp_path: Path) -> None:
    partial = history.clone(
        tmp_path / "partial", "--filter=blob:none"
    )  # checkout downloads the blobs of HEAD
    before = objects_of(partial)
    old = Oid(history.git("rev-parse", "HEAD~1:a.py"))
    assert old not in before
    with check(partial.path, HEAD_FILES) as found:
        tree = found.resolve("HEAD~1").tree
        oids = [entry.oid for entry in found.entries(tree)]
        for bulk in (False, True):
            objects = found.objects(bulk=bulk)
            assert dict(objects.read_many(oids)) == {old: None, oids[1]: b"b\n"}
            assert objects.sizes(oids) == {oids[1]: 2}
            assert (objects.header(old), objects.read(oids[1])) == (None, b"b\n")
        assert found.attributes(found.entries(tree), [b"a.py"]) == {}
        partial.write("a.py", "three\n")
        assert found.working_tree(MIB).tree == staged_by_git(partial, tmp_path)
        assert objects_of(partial) == before
        found.fetch([old])
        assert objects_of(partial) == before | {old}
        assert found.objects().read(old) == found.objects(bulk=True).read(old) == b"one\n"
        found.fetch([])


def test_treeless_clone_reports_missing_trees(history: GitSandbox, tmp_path: Path) -> None:
    partial = history.clone(tmp_path / "partial", "--filter=tree:0")
    with check(partial.path, HEAD_FILES) as found, pytest.raises(GitFailed) as caught:
        found.entries(history.tree_oid("HEAD~1"))
    assert "partial clone" in caught.value.hint


def test_partial_clone_without_its_remote_fails_to_fetch(
    history: GitSandbox, tmp_path: Path
) -> None:
    partial = history.clone(tmp_path / "partial", "--filter=blob:none")
    partial.git("remote", "set-url", "origin", f"file://{tmp_path}/nowhere")
    old = Oid(history.git("rev-parse", "HEAD~1:a.py"))
    with check(partial.path, HEAD_FILES) as found:
        assert found.objects().read(old) is None
        with pytest.raises(GitFailed, match="fetch"):
            found.fetch([old])


@pytest.mark.parametrize("how", ["--shared", "--reference"])
def test_alternate_object_directories_are_read(
    history: GitSandbox, tmp_path: Path, how: str
) -> None:
    borrowing = GitSandbox(tmp_path / "borrowing")
    args = [how] if how == "--shared" else [how, str(history.path)]
    history.git("clone", "-q", "--template=", *args, str(history.path), str(tmp_path / "copy"))
    copy = GitSandbox(tmp_path / "copy")
    with check(copy.path, HEAD_FILES) as found:
        copy.write("a.py", "mine\n")
        assert found.working_tree(MIB).tree == staged_by_git(copy, tmp_path)
    env = {**os.environ, "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(history.path / ".git" / "objects")}
    with Repo.open(borrowing.path, env=env) as found:
        for bulk in (False, True):
            assert contents(found, history.tree_oid(), bulk=bulk) == HEAD_FILES


def packed(repo: GitSandbox) -> None:
    repo.git("gc", "-q", "--aggressive", "--prune=now")
    repo.git("pack-refs", "--all")
    repo.git("multi-pack-index", "write")


def replaced(repo: GitSandbox) -> None:
    """Replace a blob by `git replace`: its oid must still mean its own content."""
    repo.git("replace", repo.git("rev-parse", "HEAD:a.py"), repo.git("rev-parse", "HEAD:lib/b.py"))


@pytest.mark.parametrize("change", [packed, replaced])
def test_packed_and_replaced_objects_are_read(
    history: GitSandbox, change: Callable[[GitSandbox], None]
) -> None:
    change(history)
    check(history.path, HEAD_FILES).close()


def test_sha256_repository(tmp_path: Path) -> None:
    repo = GitSandbox(tmp_path / "sha256", "--object-format=sha256")
    with Repo.open(repo.path) as found:
        assert (found.object_format, found.head().tree) == ("sha256", found.empty_tree)
        assert found.entries(found.empty_tree) == []
    repo.write("a.py", "1\n")
    repo.write(".gitattributes", "*.py linguist-generated\n")
    repo.commit()
    with check(
        repo.path, {b"a.py": b"1\n", b".gitattributes": b"*.py linguist-generated\n"}
    ) as found:
        repo.write("a.py", "2\n")
        tree = found.working_tree(MIB).tree
        assert (len(tree), tree) == (64, staged_by_git(repo, tmp_path))
        assert found.diff(found.head().tree, tree)[0].path == b"a.py"
        assert found.attributes(found.entries(tree), [b"a.py"]) == {
            b"a.py": {"linguist-generated": "set"}
        }
        sizes = found.objects(bulk=True).sizes(entry.oid for entry in found.entries(tree))
        assert sorted(sizes.values()) == [2, 24]
        assert found.prune_private_objects([], grace=-1) > 0


# Kinds of index


def split(repo: GitSandbox) -> None:
    repo.git("config", "core.splitIndex", "true")
    repo.git("update-index", "--split-index")
    repo.write("staged.py", "s\n")
    repo.git("add", "staged.py")


def cone(repo: GitSandbox) -> None:
    repo.git("sparse-checkout", "set", "--cone", "lib")


def sparse_index(repo: GitSandbox) -> None:
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "lib")
    assert repo.git("ls-files", "--sparse", "doc") == "doc/"


def version_4(repo: GitSandbox) -> None:
    repo.git("config", "feature.manyFiles", "true")
    repo.git("update-index", "--index-version", "4", "--untracked-cache")


def assumed_unchanged(repo: GitSandbox) -> None:
    repo.git("update-index", "--assume-unchanged", "doc/c.md")
    repo.write("doc/c.md", "git does not look here\n")


def fsmonitor(repo: GitSandbox) -> None:
    """Install a monitor that reports every file as possibly changed."""
    hook = repo.write(".git/monitor", "#!/bin/sh\nprintf 'token\\0/\\0'\n", executable=True)
    repo.git("config", "core.fsmonitor", str(hook))
    repo.git("update-index", "--fsmonitor")


@pytest.mark.parametrize(
    "kind", [split, cone, sparse_index, version_4, assumed_unchanged, fsmonitor]
)
def test_every_kind_of_git_index(
    history: GitSandbox, tmp_path: Path, kind: Callable[[GitSandbox], None]
) -> None:
    kind(history)
    history.write("lib/b.py", "edited\n")
    history.write("lib/new.py", "new\n")
    staged = history.git("write-tree")
    before = fingerprint(history)
    with Repo.open(history.path) as found:
        assert found.staged_tree() == staged
        first = found.working_tree(MIB).tree
        assert found.working_tree(MIB).tree == first == staged_by_git(history, tmp_path)
        assert {change.path for change in found.diff(found.staged_tree(), first)} == {
            b"lib/b.py",
            b"lib/new.py",
        }
    assert fingerprint(history) == before


# Filters and conversions


def crlf(repo: GitSandbox) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "core.safecrlf", "true")
    repo.write("text", "a\r\nb\r\n")


def mixed_line_ends(repo: GitSandbox) -> None:
    repo.write(".gitattributes", "* text=auto eol=crlf\n")
    repo.write("text", "a\r\nb\n")


def clean_filter(repo: GitSandbox) -> None:
    repo.write(".gitattributes", "text filter=upper\n")
    repo.git("config", "filter.upper.clean", "tr a-z A-Z")
    repo.write("text", "shout\n")


def filter_in_the_users_locale(repo: GitSandbox) -> None:
    repo.write(".gitattributes", "text filter=locale\n")
    repo.git("config", "filter.locale.clean", 'cat; echo "$LC_ALL"')
    repo.write("text", "hello\n")


def ident(repo: GitSandbox) -> None:
    repo.write(".gitattributes", "text ident\n")
    repo.write("text", "$Id: 0123456789 $\n")


def utf_16(repo: GitSandbox) -> None:
    repo.write(".gitattributes", "text working-tree-encoding=UTF-16\n")
    repo.write("text", "h\u00e9llo\n".encode("utf-16"))


def lfs(repo: GitSandbox) -> None:
    """Configure a stand-in for `git lfs clean`: the blob is a pointer, never the content."""
    repo.write(".gitattributes", "text filter=lfs\n")
    pointer = "version https://git-lfs.github.com/spec/v1"
    repo.git("config", "filter.lfs.clean", f"cat >/dev/null; echo {pointer}")
    repo.write("text", "large")


BLOBS: dict[Callable[[GitSandbox], None], bytes] = {
    crlf: b"a\nb\n",
    mixed_line_ends: b"a\nb\n",
    clean_filter: b"SHOUT\n",
    filter_in_the_users_locale: b"hello\nC.UTF-8\n",
    ident: b"$Id$\n",
    utf_16: "h\u00e9llo\n".encode(),
    lfs: b"version https://git-lfs.github.com/spec/v1\n",
}


@pytest.mark.parametrize("kind", BLOBS, ids=lambda kind: kind.__name__)
def test_working_tree_applies_git_filters(
    history: GitSandbox, tmp_path: Path, kind: Callable[[GitSandbox], None]
) -> None:
    kind(history)
    with Repo.open(history.path) as found:
        tree = found.working_tree(MIB).tree
        assert contents(found, tree, bulk=False)[b"text"] == BLOBS[kind]
        history.git("config", "core.safecrlf", "false")
        assert tree == staged_by_git(history, tmp_path)
        history.commit()
        os.utime(history.path / "text")  # now git has to compare contents
        assert found.working_tree(MIB).tree == history.tree()


def test_paths_differ_by_case_and_unicode_form(history: GitSandbox, tmp_path: Path) -> None:
    for name in ("A.py", "caf\u00e9", "cafe\u0301"):
        history.write(name, name)
    with Repo.open(history.path) as found:
        tree = found.working_tree(MIB).tree
        paths = [entry.path for entry in found.entries(tree)]
        assert {b"A.py", b"a.py", "caf\u00e9".encode(), "cafe\u0301".encode()} <= set(paths)
        assert tree == staged_by_git(history, tmp_path)


@pytest.mark.parametrize("locale", ["POSIX", "C.UTF-8"])
def test_undecodable_paths_work_in_any_locale(
    history: GitSandbox, tmp_path: Path, locale: str
) -> None:
    history.write(b"caf\xe9/d\xff.py", "latin\n")
    history.write("\u65e5\u672c.py", "utf-8\n")
    code = (
        "import sys\nfrom ragit.git import Repo\nwith Repo.open(sys.argv[1]) as r:\n"
        " t = r.working_tree(1000).tree\n print(t, [e.path.hex() for e in r.entries(t)])"
    )
    env = {
        **os.environ,
        "LC_ALL": locale,
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONPATH": ROOT,
    }
    below = os.fsencode(history.path) + b"/caf\xe9"
    done = subprocess.run(
        [sys.executable, "-c", code, below], env=env, capture_output=True, check=True
    )
    assert done.stdout.decode().startswith(staged_by_git(history, tmp_path))
    assert b"caf\xe9/d\xff.py".hex() in done.stdout.decode()


# Ownership


def test_repository_of_another_owner_is_refused_unless_trusted(history: GitSandbox) -> None:
    foreign = {**os.environ, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    with pytest.raises(NotARepository, match="dubious ownership") as caught:
        Repo.open(history.path, env=foreign)
    assert caught.value.hint.endswith(f"git config --global --add safe.directory {history.path}")
    trusted = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    with Repo.open(history.path, env={**foreign, **trusted}) as found:  # as containers and CI do
        assert contents(found, found.head().tree, bulk=True) == HEAD_FILES


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away"
)
def test_repository_of_another_user_is_refused(history: GitSandbox) -> None:
    os.chown(history.path, 12345, 12345)
    os.chown(history.path / ".git", 12345, 12345)
    with pytest.raises(NotARepository, match="dubious ownership"):
        Repo.open(history.path)


def test_unknown_repository_format_is_refused(history: GitSandbox) -> None:
    history.git("config", "core.repositoryFormatVersion", "1")
    history.git("config", "extensions.refStorage", "reftable")
    with pytest.raises(NotARepository, match="(?i)refstorage"):
        Repo.open(history.path)
