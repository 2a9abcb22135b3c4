"""Tests of the command line in all kinds of repositories.

Kinds that this machine's git cannot make (reftable refs before 2.45, relative worktrees before
2.48) are skipped. ragit reads no refs or extensions itself, and the same commands run where git can
make them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hooking import Hooked, command, process
from sandbox import GitSandbox

from ragit.git import version
from ragit.repository.submodules import below

WORD = "quartz"


def fill(repo: GitSandbox) -> GitSandbox:
    """Make two commits; `quartz` is a function of a.py since the second."""
    repo.git("config", "ragit.embedding.provider", "none")
    repo.write("a.py", "def granite():\n    return 1\n")
    repo.write("lib/b.py", "def basalt():\n    return 2\n")
    repo.commit()
    repo.write("a.py", "def quartz():\n    return 3\n")
    repo.commit()
    return repo


@pytest.fixture
def history(repo: GitSandbox) -> GitSandbox:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return fill(repo)


def found(
    place: Path, word: str = WORD, *args: str, env: dict[str, str] | None = None
) -> list[str]:
    done = command(
        "search",
        word,
        "--json",
        *args,
        cwd=place,
        env={"RAGIT_EMBEDDING_PROVIDER": "none", **(env or {})},
    )
    assert done.returncode in (0, 1), done.stderr
    answer = json.loads(done.stdout)
    assert answer["complete"]
    return [hit["path"] for hit in answer["results"]]


def assert_commands_work(place: Path, *, dirty: bool = True) -> None:
    """Check index, search, status, check and gc, and with `dirty` a search of uncommitted work."""
    for args in (["index"], ["check"], ["gc"], ["check"], ["doctor"]):
        done = command(*args, cwd=place, env={"RAGIT_EMBEDDING_PROVIDER": "none"})
        assert (done.returncode, done.stderr) == (0, ""), f"{args}: {done.stdout}{done.stderr}"
    assert found(place) == ["a.py"]
    assert found(place, "granite") == []
    assert found(place, "granite", "--ref", "HEAD~1") == ["a.py"]
    status = json.loads(
        command("status", "--json", cwd=place, env={"RAGIT_EMBEDDING_PROVIDER": "none"}).stdout
    )
    assert (status["refs"][0]["files"], status["refs"][0]["missing"]) == (2, 0)
    if dirty:
        (place / "new.py").write_text("def marble():\n    return 4\n")
        assert found(place, "marble") == ["new.py"]
        (place / "new.py").unlink()


def store_of(place: Path) -> Path:
    return Path(json.loads(command("status", "--json", cwd=place).stdout)["store"])


# What a repository is made of


def test_ordinary_repository(history: GitSandbox) -> None:
    assert_commands_work(history.path)


def test_sha256_repository(tmp_path: Path) -> None:
    assert_commands_work(fill(GitSandbox(tmp_path / "repo", "--object-format=sha256")).path)


@pytest.mark.skipif(version() < (2, 45), reason="this git knows no reftable")
@pytest.mark.parametrize("format", ["sha1", "sha256"])
def test_reftable_repository(tmp_path: Path, format: str) -> None:
    repo = fill(GitSandbox(tmp_path / "repo", "--ref-format=reftable", f"--object-format={format}"))
    assert_commands_work(repo.path)
    hooked = Hooked(repo.path)
    hooked.install()
    hooked.write("c.py", "def obsidian(): ...\n")
    hooked.commit()
    hooked.settle()
    assert hooked.check().fresh


@pytest.mark.skipif(version() < (2, 48), reason="this git knows no relative worktrees")
def test_relative_worktrees(history: GitSandbox, tmp_path: Path) -> None:
    history.git("worktree", "add", "-q", "--relative-paths", str(tmp_path / "linked"))
    assert_commands_work(tmp_path / "linked")


@pytest.mark.parametrize("how", ["--bare", "--mirror"])
def test_bare_and_mirror_clones(history: GitSandbox, tmp_path: Path, how: str) -> None:
    assert_commands_work(history.clone(tmp_path / "clone.git", how).path, dirty=False)


def test_shallow_clone(history: GitSandbox, tmp_path: Path) -> None:
    clone = history.clone(tmp_path / "clone", "--depth=1")
    for args in (["index"], ["check"], ["gc"]):
        assert command(*args, cwd=clone.path).returncode == 0
    assert found(clone.path) == ["a.py"]
    done = command("search", WORD, "--ref", "HEAD~1", cwd=clone.path)
    assert (done.returncode, "no commit or tree is named 'HEAD~1'" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            lambda repo: repo.git("config", "extensions.worktreeConfig", "true"),
            id="worktreeConfig",
        ),
        pytest.param(
            lambda repo: repo.git("config", "core.splitIndex", "true"),
            id="split.auto",
            marks=pytest.mark.slow,
        ),
        pytest.param(lambda repo: repo.git("update-index", "--split-index"), id="split"),
        pytest.param(
            lambda repo: repo.git("update-index", "--index-version", "4"),
            id="v4",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda repo: repo.git("update-index", "--untracked-cache"),
            id="untracked",
            marks=pytest.mark.slow,
        ),
        pytest.param(lambda repo: repo.git("config", "feature.manyFiles", "true"), id="manyFiles"),
        pytest.param(
            lambda repo: repo.git("gc", "-q", "--aggressive"), id="gc", marks=pytest.mark.slow
        ),
        pytest.param(lambda repo: repo.git("pack-refs", "--all"), id="packed"),
        pytest.param(
            lambda repo: (repo.git("repack", "-adq"), repo.git("multi-pack-index", "write")),
            id="midx",
            marks=pytest.mark.slow,
        ),
        pytest.param(lambda repo: repo.git("config", "core.ignoreCase", "true"), id="icase"),
        pytest.param(
            lambda repo: repo.git("config", "core.precomposeUnicode", "true"),
            id="nfc",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_git_settings_and_index_formats(
    history: GitSandbox, change: Callable[[GitSandbox], object]
) -> None:
    change(history)
    assert_commands_work(history.path)


def test_fsmonitor(history: GitSandbox, tmp_path: Path) -> None:
    hook = tmp_path / "monitor"
    hook.write_text("#!/bin/sh\nprintf 'token\\0/\\0'\n")  # all may have changed
    hook.chmod(0o755)
    history.git("config", "core.fsmonitor", str(hook))
    history.git("update-index", "--fsmonitor")
    assert_commands_work(history.path)


@pytest.mark.parametrize("sparse_index", [False, True])
def test_sparse_checkout(history: GitSandbox, sparse_index: bool) -> None:
    """Files that are not checked out belong to HEAD, so they are found."""
    history.git("sparse-checkout", "init", "--cone", *(["--sparse-index"] if sparse_index else []))
    history.git("sparse-checkout", "set", "nothing")
    assert not (history.path / "lib").exists()
    assert_commands_work(history.path)
    assert found(history.path, "basalt") == ["lib/b.py"]


def test_shared_objects(history: GitSandbox, tmp_path: Path) -> None:
    history.git("clone", "-q", "--shared", str(history.path), str(tmp_path / "shared"))
    assert_commands_work(tmp_path / "shared")


# Partial clones: nothing is downloaded unless requested


class Watched:
    """A partial clone whose downloads are counted."""

    def __init__(self, origin: GitSandbox, path: Path, filter: str) -> None:
        self.clone = origin.clone(path, f"--filter={filter}", "--no-checkout")
        self.clone.git("config", "ragit.embedding.provider", "none")
        self.count = path.parent / "fetches"
        script = path.parent / "upload-pack"
        script.write_text(f'#!/bin/sh\necho x >> {self.count}\nexec git-upload-pack "$@"\n')
        script.chmod(0o755)
        self.clone.git("config", "remote.origin.uploadpack", str(script))

    @property
    def fetches(self) -> int:
        return len(self.count.read_text().splitlines()) if self.count.exists() else 0


def test_blobless_clone_downloads_only_on_request(history: GitSandbox, tmp_path: Path) -> None:
    watched = Watched(history, tmp_path / "partial", "blob:none")
    place = watched.clone.path
    watched.clone.git("sparse-checkout", "set", "--no-cone", "/a.py")
    watched.clone.git("checkout", "-q", "main")  # downloads a.py alone
    before = watched.fetches
    for args in (["index"], ["check"], ["gc"], ["status"], ["check"], ["doctor"]):
        assert command(*args, cwd=place).returncode == 0
    assert found(place) == ["a.py"]
    assert found(place, "basalt") == []
    assert found(place, "granite", "--ref", "HEAD~1") == []
    assert (
        "`ragit index HEAD~1 --fetch-missing` downloads"
        in command("check", "HEAD~1", cwd=place).stdout
    )
    assert "not downloaded 1" in command("index", cwd=place).stdout
    assert "1 file of HEAD is not downloaded" in command("search", WORD, cwd=place).stderr
    assert "ragit index --fetch-missing" in command("doctor", cwd=place).stdout
    assert watched.fetches == before
    done = command("index", "--fetch-missing", cwd=place)
    assert (done.returncode, watched.fetches) == (0, before + 1)
    assert "not downloaded" not in done.stdout
    assert found(place, "basalt") == ["lib/b.py"]
    assert command("index", "--fetch-missing", "HEAD~1", cwd=place).returncode == 0
    assert found(place, "granite", "--ref", "HEAD~1") == ["a.py"]
    assert watched.fetches == before + 2


def test_treeless_clone_downloads_only_on_request(history: GitSandbox, tmp_path: Path) -> None:
    watched = Watched(history, tmp_path / "partial", "tree:0")
    place = watched.clone.path
    watched.clone.git("checkout", "-q", "main")
    before = watched.fetches
    for args in (["index"], ["check"], ["gc"], ["status"]):
        assert command(*args, cwd=place).returncode == 0, args
    assert found(place) == ["a.py"]
    done = command("search", "granite", "--ref", "HEAD~1", cwd=place)
    assert (done.returncode, watched.fetches) == (2, before)
    assert "ragit index --fetch-missing" in done.stderr
    assert command("index", "--fetch-missing", "HEAD~1", cwd=place).returncode == 0
    assert watched.fetches == before + 2  # its trees, then its files
    assert found(place, "granite", "--ref", "HEAD~1") == ["a.py"]


def test_treeless_clone_without_a_working_tree(history: GitSandbox, tmp_path: Path) -> None:
    """The clone lacks HEAD's own tree, but the repository is not empty."""
    watched = Watched(history, tmp_path / "partial", "tree:0")
    place = watched.clone.path
    for args in (["index"], ["check"], ["search", WORD, "--committed"]):
        done = command(*args, cwd=place)
        assert (done.returncode, "ragit index --fetch-missing" in done.stderr) == (2, True), args
    assert watched.fetches == 0
    assert command("index", "--fetch-missing", cwd=place).returncode == 0
    assert found(place, WORD, "--committed") == ["a.py"]
    assert command("gc", cwd=place).returncode == 0
    assert watched.fetches == 2


def test_fetch_missing_without_missing_files_uses_no_remote(history: GitSandbox) -> None:
    history.git("remote", "add", "origin", "/nowhere")
    assert command("index", "--fetch-missing", cwd=history.path).returncode == 0


# Missing objects that cannot be downloaded


def damage_object(repo: GitSandbox, path: str, content: bytes | None) -> None:
    """Remove a file's object from the repository, or replace its content."""
    oid = repo.git("rev-parse", f"HEAD:{path}")
    file = repo.path / ".git" / "objects" / oid[:2] / oid[2:]
    file.unlink()
    if content is not None:
        file.write_bytes(content)


@pytest.mark.parametrize("format", ["sha1", pytest.param("sha256", marks=pytest.mark.slow)])
@pytest.mark.parametrize("content", [None, b"", b"no object"], ids=["gone", "empty", "damaged"])
def test_all_commands_report_a_lost_file_alike(
    tmp_path: Path, format: str, content: bytes | None
) -> None:
    repo = fill(GitSandbox(tmp_path / "repo", f"--object-format={format}"))
    damage_object(repo, "lib/b.py", content)
    before = found(repo.path)
    assert command("index", cwd=repo.path).returncode == 0
    assert before == found(repo.path) == ["a.py"]
    why = "missing or damaged in git"
    answer = json.loads(command("search", WORD, "--json", cwd=repo.path).stdout)
    assert answer["absent"] == {why: 1}
    assert f"1 file of HEAD is {why}" in command("search", WORD, cwd=repo.path).stderr
    checked = command("check", cwd=repo.path)
    assert (checked.returncode, f"but for 1 file {why}" in checked.stdout) == (0, True)
    assert json.loads(command("check", "--json", cwd=repo.path).stdout)["absent"] == {why: 1}
    for args in (["index"], ["index", "--dry-run"], ["index", "--fetch-missing"], ["status"]):
        assert f"skipped 1: {why} 1" in command(*args, cwd=repo.path).stdout, args
    status = json.loads(command("status", "--json", cwd=repo.path).stdout)
    assert [(ref["files"], ref["missing"]) for ref in status["refs"]] == [(1, 0), (1, 0)]
    doctor = command("doctor", cwd=repo.path)
    assert (doctor.returncode, "git fsck" in doctor.stdout) == (1, True)


def test_doctor_is_not_recommended_for_other_trees(tmp_path: Path) -> None:
    """The doctor looks at HEAD's files, which are all there."""
    repo = fill(GitSandbox(tmp_path / "repo"))
    repo.git("tag", "old")
    damage_object(repo, "lib/b.py", None)
    repo.git("rm", "-q", "lib/b.py")
    repo.git("commit", "-q", "-m", "without")
    assert "objects" not in command("doctor", cwd=repo.path).stdout
    result = command("search", WORD, "--ref", "old", cwd=repo.path).stderr
    assert "1 file of old is missing or damaged in git" in result
    checked = command("check", "old", cwd=repo.path).stdout
    assert all(
        "`git fsck` says more" in text and "doctor" not in text for text in (result, checked)
    )


def test_restored_file_is_found(tmp_path: Path) -> None:
    repo = fill(GitSandbox(tmp_path / "repo"))
    damage_object(repo, "lib/b.py", None)
    assert found(repo.path, "basalt") == []
    repo.git("hash-object", "-w", "lib/b.py")
    assert found(repo.path, "basalt") == ["lib/b.py"]
    assert "absent" not in json.loads(command("search", "basalt", "--json", cwd=repo.path).stdout)


def test_file_lost_after_indexing_is_named(tmp_path: Path) -> None:
    repo = fill(GitSandbox(tmp_path / "repo"))
    assert command("index", cwd=repo.path).returncode == 0
    damage_object(repo, "lib/b.py", None)
    done = command("search", "basalt", cwd=repo.path)
    assert (done.returncode, "git fsck" in done.stderr, "lib/b.py" in done.stderr) == (
        0,
        True,
        True,
    )
    assert "git fsck" not in command("search", WORD, "-k", "1", cwd=repo.path).stderr


# Several working trees, one store


def test_linked_worktrees_share_one_store(history: GitSandbox, tmp_path: Path) -> None:
    assert command("index", cwd=history.path).returncode == 0
    history.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    store = store_of(history.path)
    before = store.stat().st_size
    report = json.loads(command("index", "--json", cwd=tmp_path / "linked").stdout)
    assert (report["indexed"], store_of(tmp_path / "linked"), store.stat().st_size) == (
        0,
        store,
        before,
    )
    assert_commands_work(tmp_path / "linked")
    assert list((tmp_path / "linked").rglob("index.db")) == []


def test_worktrees_of_a_bare_repository(history: GitSandbox, tmp_path: Path) -> None:
    bare = history.clone(tmp_path / "project" / ".bare", "--bare")
    bare.git("config", "ragit.embedding.provider", "none")
    (tmp_path / "project" / ".git").write_text("gitdir: ./.bare\n")
    bare.git("worktree", "add", "-q", "../main")
    assert_commands_work(tmp_path / "project" / "main")
    assert_commands_work(tmp_path / "project", dirty=False)


@pytest.fixture
def nested(history: GitSandbox, tmp_path: Path) -> GitSandbox:
    """Return outer > libs/middle > deep, each with a file that contains the same word."""
    middle = GitSandbox(tmp_path / "middle")
    outer = GitSandbox(tmp_path / "outer")
    file = ("-c", "protocol.file.allow=always")
    for repo, inner, name in ((middle, history, "deep"), (outer, middle, "libs/middle")):
        repo.git("config", "ragit.embedding.provider", "none")
        repo.write(f"own_{name[:4]}.py", "def quartz():\n    return 'own'\n")
        repo.git(*file, "submodule", "add", "-q", str(inner.path), name)
        repo.commit()
    outer.git(*file, "submodule", "update", "-q", "--init", "--recursive")
    return outer


def test_submodules_are_searched_on_request(nested: GitSandbox) -> None:
    env = {"RAGIT_EMBEDDING_PROVIDER": "none"}
    assert found(nested.path, WORD) == ["own_libs.py"]
    every = ["libs/middle/deep/a.py", "libs/middle/own_deep.py", "own_libs.py"]
    assert sorted(found(nested.path, WORD, "--recurse-submodules")) == every
    assert sorted(found(nested.path, WORD, "--recurse-submodules", "--ref", "HEAD")) == every
    stores = sorted(str(p.relative_to(nested.path)) for p in nested.path.rglob("index.db"))
    modules = ".git/modules/libs/middle"
    folders = (f"{modules}/modules/deep", modules, ".git")
    assert stores == [f"{at}/ragit/index.db" for at in folders]
    narrowed = ("--recurse-submodules", "--path")
    assert found(nested.path, WORD, *narrowed, "libs/middle/*.py", env=env) == [
        "libs/middle/own_deep.py"
    ]
    assert found(nested.path, WORD, *narrowed, "!deep", env=env) == [
        "libs/middle/own_deep.py",
        "own_libs.py",
    ]
    assert found(nested.path, WORD, *narrowed, "libs/", "--path", "!own_*.py", env=env) == [
        "libs/middle/deep/a.py"
    ]
    assert found(nested.path, WORD, *narrowed, "!/libs/middle/", env=env) == ["own_libs.py"]
    assert found(nested.path, WORD, *narrowed, "deep", env=env) == ["libs/middle/deep/a.py"]
    assert found(nested.path, WORD, *narrowed, "/own_libs.py", env=env) == ["own_libs.py"]
    (nested.path / "libs/middle/deep/dirty.py").write_text("def obsidian(): ...\n")
    assert found(nested.path, "obsidian", "--recurse-submodules") == ["libs/middle/deep/dirty.py"]
    assert found(nested.path, "obsidian", "--recurse-submodules", "--committed") == []


def test_ignored_settings_of_submodules_are_noted(nested: GitSandbox) -> None:
    for folder in ("libs/middle", "libs/middle/deep"):
        (nested.path / folder / ".ragit.toml").write_text(
            '[embedding]\nbaseUrl = "http://stranger.example/v1"\n'
        )
    answer = json.loads(
        command("search", WORD, "--recurse-submodules", "--json", cwd=nested.path).stdout
    )
    assert [warning.partition(":")[0] for warning in answer["warnings"]] == [
        "libs/middle",
        "libs/middle/deep",
    ]
    result = command("search", WORD, "--recurse-submodules", cwd=nested.path).stderr
    assert "note: libs/middle/deep: " in result
    assert result.count("embedding.baseUrl") == 2
    assert "libs" not in command("search", WORD, cwd=nested.path).stderr


def test_notes_of_submodules_with_filters(nested: GitSandbox) -> None:
    search = ("search", WORD, "--recurse-submodules", "--json")
    everywhere = json.loads(command(*search, "--path", "*.md", cwd=nested.path).stdout)
    assert everywhere["notes"] == ["no file passes the filters: path *.md"]
    below = json.loads(command(*search, "--path", "own_libs.py", cwd=nested.path).stdout)
    assert (below["degraded"], "notes" in below) == (None, False)


def test_name_defined_in_a_submodule_is_matched(nested: GitSandbox) -> None:
    (nested.path / "libs/middle/deep/dirty.py").write_text("def dark_obsidian(): ...\n")
    search = ("search", "dark_obsidian or pale_obsidian", "--json")
    assert json.loads(command(*search, cwd=nested.path).stdout)["unmatched_names"] == [
        "dark_obsidian",
        "pale_obsidian",
    ]
    assert json.loads(command(*search, "--recurse-submodules", cwd=nested.path).stdout)[
        "unmatched_names"
    ] == ["pale_obsidian"]


def test_missing_submodule_is_skipped(nested: GitSandbox, tmp_path: Path) -> None:
    nested.git("submodule", "deinit", "-q", "--all", "--force")
    assert found(nested.path, WORD, "--recurse-submodules") == ["own_libs.py"]


@pytest.mark.parametrize(
    ("pattern", "folder", "expected"),
    [
        ("*.py", "sub", "*.py"),
        ("sub", "sub", "**"),
        ("sub/", "sub", "**"),
        ("sub/*.py", "sub", "/*.py"),
        ("/sub/lib/", "sub", "/lib/"),
        ("other/*.py", "sub", None),
        ("libs/sub/a.py", "libs/sub", "/a.py"),
        ("libs/", "libs/sub", "**"),
        ("libs/*/a.py", "libs/sub", "/a.py"),
        ("**/test_*.py", "libs/sub", "**/test_*.py"),
        ("libs/**", "libs/sub", "**"),
        ("/a.py", "sub", None),
    ],
)
def test_pattern_is_translated_for_a_submodule(
    pattern: str, folder: str, expected: str | None
) -> None:
    assert below(pattern, folder) == expected


# Git variables, other owners, read-only folders


def test_git_variables_select_the_repository(history: GitSandbox, tmp_path: Path) -> None:
    tree = {"GIT_DIR": str(history.path / ".git"), "GIT_WORK_TREE": str(history.path)}
    assert found(tmp_path, env=tree) == ["a.py"]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "c.py").write_text("def obsidian(): ...\n")
    tree["GIT_WORK_TREE"] = str(tmp_path / "elsewhere")
    assert found(tmp_path / "elsewhere", "obsidian", env=tree) == ["c.py"]
    index = tmp_path / "other-index"
    shutil.copy(history.path / ".git" / "index", index)
    history.write("d.py", "def diorite(): ...\n")
    history.git("add", "d.py", env={"GIT_INDEX_FILE": str(index)})
    history.rm("d.py")
    assert found(history.path, "diorite", "--staged", env={"GIT_INDEX_FILE": str(index)}) == [
        "d.py"
    ]
    assert found(history.path, "diorite", "--staged") == []


def test_repository_of_another_owner_is_refused(history: GitSandbox) -> None:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root may give a repository away")
    subprocess.run(["chown", "-R", "12345", str(history.path)], check=True)
    for args in (["index"], ["search", WORD], ["status"], ["check"], ["hooks", "install"]):
        done = command(*args, cwd=history.path)
        assert (
            done.returncode,
            "dubious ownership" in done.stderr,
            "safe.directory" in done.stderr,
        ) == (2, True, True)
    assert process("hooks", "run", cwd=history.path).returncode == 0
    trusted = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": str(history.path),
    }
    assert found(history.path, env=trusted) == ["a.py"]


def without_root_powers() -> list[str]:
    """Return a command prefix with which permissions apply to root, too."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv")
    dropped = "-dac_override,-dac_read_search,-fowner"
    return ["setpriv", f"--inh-caps={dropped}", f"--bounding-set={dropped}"]


def test_read_only_git_dir_has_its_store_in_the_cache(history: GitSandbox, tmp_path: Path) -> None:
    env = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "RAGIT_EMBEDDING_PROVIDER": "none",
    }

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        start = [
            *without_root_powers(),
            sys.executable,
            "-P" if sys.version_info >= (3, 11) else "-s",
            "-m",
            "ragit",
            *args,
        ]
        return subprocess.run(
            start, cwd=history.path, env=env, capture_output=True, text=True, check=False
        )

    def hits(*args: str) -> list[str]:
        return [hit["path"] for hit in json.loads(run("search", "--json", *args).stdout)["results"]]

    (history.path / "new.py").write_text("def marble(): ...\n")
    for folder in (history.path / ".git").rglob("*"):
        folder.chmod(0o555 if folder.is_dir() else 0o444)
    (history.path / ".git").chmod(0o555)
    try:
        done = run("index")
        assert (done.returncode, done.stderr) == (0, "")
        assert (hits(WORD), hits("marble")) == (["a.py"], ["new.py"])
        assert (run("check").returncode, run("gc").returncode) == (0, 0)
        assert json.loads(run("status", "--json").stdout)["store"].startswith(
            f"{tmp_path}/cache/ragit/"
        )
        assert not (history.path / ".git" / "ragit").exists()
        denied = run("hooks", "install")
        assert (denied.returncode, "cannot write" in denied.stderr) == (2, True)
        assert run("hooks", "run", "post-commit").returncode == 0
    finally:
        (history.path / ".git").chmod(0o755)


def test_read_only_store_is_searched(history: GitSandbox) -> None:
    assert command("index", cwd=history.path).returncode == 0
    folder = history.path / ".git" / "ragit"
    for file in (folder, *folder.rglob("*")):
        file.chmod(0o555 if file.is_dir() else 0o444)
    try:
        start = [
            *without_root_powers(),
            sys.executable,
            "-P" if sys.version_info >= (3, 11) else "-s",
            "-m",
            "ragit",
        ]
        args = [*start, "search", "--json", "--committed", WORD]
        done = subprocess.run(args, cwd=history.path, capture_output=True, text=True, check=False)
        assert [hit["path"] for hit in json.loads(done.stdout)["results"]] == ["a.py"]
    finally:
        folder.chmod(0o755)
        (folder / "objects").chmod(0o755) if (folder / "objects").exists() else None


def test_paths_differing_in_case_or_composition_are_searched(history: GitSandbox) -> None:
    """Names that differ in case or composition only. A tree can have both, even if some disks
    cannot.
    """
    composed, decomposed = (
        unicodedata.normalize("NFC", "é.py"),
        unicodedata.normalize("NFD", "é.py"),
    )
    blobs = [
        history.run("hash-object", "-w", "--stdin", stdin=f"def twin_{n}(): ...\n".encode())
        for n in range(4)
    ]
    names = ["Twin.py", "twin.py", composed, decomposed]
    listed = "".join(
        f"100644 {b.decode().strip()}\t{n}\n" for b, n in zip(blobs, names, strict=True)
    )
    history.run("update-index", "--index-info", stdin=listed.encode())
    history.commit(all=False)
    for number, name in enumerate(names):
        assert found(history.path, f"twin_{number}", "--committed")[0] == name
    status = json.loads(command("status", "--json", cwd=history.path).stdout)
    (head,) = (row for row in status["refs"] if row["name"] == "HEAD")
    assert head["files"] == 6
