"""Tests of bad repositories, disks and input: a right answer, or one sentence with a hint, never a
traceback.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sandbox import GitSandbox
from storing import tampered
from terminal import Result, Terminal

import ragit
from ragit.repository.repository import Ragit
from ragit.store import Store
from ragit.types import Hit

HELLO = "def hello():\n    pass\n"


@pytest.fixture
def shell(repo: GitSandbox) -> Terminal:
    """Return a shell in a repository with one file, committed and indexed."""
    repo.write("a.py", HELLO)
    repo.commit()
    terminal = Terminal(repo.path)
    terminal.ragit("index", "-q", code=0)
    return terminal


def best(repo: GitSandbox, query: str, **options: object) -> Hit:
    """Return the first hit of a library call."""
    with ragit.open(repo.path) as index:
        answer = index.search(query, **options)  # type: ignore[arg-type]
    assert answer.complete
    return answer.hits[0]


# Repositories


@pytest.mark.parametrize(
    "command", ["search x", "index", "status", "check", "gc", "config", "trust"]
)
def test_commands_outside_a_repository_are_refused(tmp_path: Path, command: str) -> None:
    result = Terminal(tmp_path).refused(*command.split())
    assert "not a git repository" in result.err
    assert "git init" in result.hint


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    assert "is not a folder" in Terminal(tmp_path).refused("-C", "nowhere", "search", "x").err


def test_bare_repository_is_searched(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("a.py", HELLO)
    repo.commit()
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    shell = Terminal(bare)
    for scope in ([], ["--committed"], ["--ref", "main"]):
        assert shell.ragit("search", "hello", *scope, code=0).out.startswith("a.py:1\n")
    assert "bare repository" in shell.refused("trust").err
    shell.ragit("status", code=0)
    shell.ragit("gc", code=0)


def test_repository_before_its_first_commit(repo: GitSandbox) -> None:
    shell = Terminal(repo.path)
    assert shell.ragit("search", "hello", code=1).err == "no hits in HEAD\n"
    assert shell.ragit("index", code=0).out.startswith("up to date: 0 files, 0 chunks")
    repo.write("a.py", HELLO)
    assert shell.ragit("search", "hello", code=0).out.startswith("a.py:1\n")
    shell.ragit("search", "--committed", "hello", code=1)
    shell.ragit("search", "--staged", "hello", code=1)
    repo.git("add", "a.py")
    shell.ragit("search", "--staged", "hello", code=0)


def test_commit_without_files(repo: GitSandbox) -> None:
    repo.commit("nothing")
    shell = Terminal(repo.path)
    shell.ragit("search", "--no-index", "hello", code=1)
    shell.ragit("search", "hello", code=1)
    shell.ragit("status", code=0)
    shell.ragit("check", code=0)
    shell.ragit("gc", code=0)


def test_detached_head_is_searched(repo: GitSandbox, shell: Terminal) -> None:
    repo.switch(repo.git("rev-parse", "HEAD"))
    repo.write("b.py", "def detached(): pass\n")
    repo.commit()
    assert shell.ragit("search", "detached", code=0).out.startswith("b.py:1\n")


@pytest.mark.parametrize(
    ("revision", "near"),
    [("mian", "main"), ("v1.1", "v1.0"), ("feature/logn", "feature/login"), ("mian~2", "main")],
)
def test_unknown_revision_hints_at_similar_names(
    repo: GitSandbox, shell: Terminal, revision: str, near: str
) -> None:
    repo.tag("v1.0")
    repo.git("branch", "feature/login")
    for command in (["search", "--ref", revision, "x"], ["index", revision], ["check", revision]):
        result = shell.refused(*command)
        assert revision in result.err
        assert near in result.hint


@pytest.mark.parametrize(
    "revision", ["", "--help", "a\nb", "\x1b[31m", "HEAD:a.py", "no such", "HEAD@{99}", "^main"]
)
def test_invalid_revision_is_refused_without_control_characters(
    shell: Terminal, revision: str
) -> None:
    result = shell.refused("search", "--ref", revision, "x")
    assert "\x1b" not in result.err


# Files


CONTENTS: dict[str, tuple[bytes, str, tuple[int, int]]] = {
    "no final line end": (b"one\ndef needle(): pass", "def needle(): pass", (1, 2)),
    "carriage returns": (b"alpha\rneedle here\rgamma\r", "needle here", (1, 3)),
    "mixed line ends": (b"a\r\nb\nneedle c\rd\n", "needle c", (1, 3)),
    "invalid UTF-8": (b"needle \xff\xfe\xc3 here\n", "needle", (1, 1)),
    "a BOM": (b"\xef\xbb\xbfneedle = 1\n", "needle = 1", (1, 1)),
    "UTF-16": ("needle = 'é'\n".encode("utf-16"), "needle = 'é'", (1, 1)),
    "NUL far down": (b"needle\n" + b"x = 1\n" * 2000 + b"\0", "needle", (1, 1)),
    "form feeds": (b"needle\x0c\nx\x0b\n", "needle", (1, 2)),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_unusual_encodings_are_found_at_their_lines(repo: GitSandbox, name: str) -> None:
    content, wanted, (first, last) = CONTENTS[name]
    repo.write("odd.py" if b"def" in content else "odd.txt", content)
    repo.commit()
    hit = best(repo, "needle", top_k=1)
    assert wanted in hit.text
    assert hit.start_line == first
    assert hit.end_line >= last


SKIPPED: dict[str, tuple[bytes, str]] = {
    "binary.dat": (b"needle\0needle", "binary"),
    "pointer.bin": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
        "lfs pointer",
    ),
    "huge.py": (b"needle = 1\n" * 200_000, "too large"),
    "line.json": (b'{"k": "' + b"needle " * 100_000 + b'"}', "minified"),
    "empty.py": (b"", "empty"),
}


def test_skipped_files_are_counted_by_reason(repo: GitSandbox) -> None:
    for path, (content, _) in SKIPPED.items():
        repo.write(path, content)
    (repo.path / "link.py").symlink_to("huge.py")
    (repo.path / "dangling").symlink_to("nowhere")
    inner = GitSandbox(repo.path / "sub")
    inner.write("needle.py", "needle = 1\n")
    inner.commit()
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "-A")
    repo.commit(all=False)
    result = Terminal(repo.path).ragit("index", "--json", code=0)
    counted = json.loads(result.out)["skipped"]
    assert counted == {
        **{reason: 1 for _, reason in SKIPPED.values()},
        "symlink": 2,
        "submodule": 1,
    }


def test_file_of_50_mb_is_searched_if_the_limit_allows(repo: GitSandbox) -> None:
    repo.write(
        "big.txt", b"needle top\n" + b"filler line of text here\n" * 2_000_000 + b"needle end\n"
    )
    repo.write("line.txt", b"needle " + b"x" * 5_000_000 + b" tail\n")
    repo.commit()
    shell = Terminal(repo.path)
    wanted = (
        "-c",
        "index.maxFileBytes=100m",
        "-c",
        "index.maxChunkLines=2000",
        "-c",
        "index.maxChunkBytes=60000",
    )
    report = json.loads(shell.ragit(*wanted, "index", "--json", code=0).out)
    assert report["files"] + sum(report["skipped"].values()) == 2
    result = shell.ragit(*wanted, "search", "--mode", "keyword", "--json", "needle end", code=0)
    assert json.loads(result.out)["results"][0]["path"] == "big.txt"


def test_file_with_too_many_chunks_is_skipped(repo: GitSandbox) -> None:
    """Chunk numbers have 16 bits within a file; settings that make more chunks must not damage the
    store.
    """
    repo.write("many.txt", "".join(f"word{i}\n\n" for i in range(66_000)))
    repo.write("other.py", HELLO)
    repo.commit()
    with ragit.open(
        repo.path, flags={"index.maxChunkLines": "1", "index.maxChunkBytes": "64"}
    ) as index:
        assert index.index().skipped == {"more than 65,536 chunks": 1}
        assert index.search("hello").hits[0].path == "other.py"


@pytest.mark.parametrize(
    "suffix", ["json", "py", "c", "js", "go", "html", "yaml", "md", "toml", "xml", "css", "sql"]
)
def test_ten_thousand_levels_of_nesting_are_indexed(repo: GitSandbox, suffix: str) -> None:
    opening, closing = {
        "html": ("<b>", "</b>"),
        "xml": ("<b>", "</b>"),
        "md": ("> ", ""),
        "css": ("a{", "}"),
    }.get(suffix, ("[\n", "]\n") if suffix in {"json", "js", "toml", "yaml"} else ("(\n", ")\n"))
    repo.write(f"deep.{suffix}", "x = " + opening * 10_000 + closing * 10_000 + "\nneedle\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        report = index.index()
        assert report.files + sum(report.skipped.values()) == 1
        if report.files:
            assert index.search("needle", mode="keyword").hits


PATHS = [
    b"with space.py",
    b"new\nline.py",
    b"q\"uo'te.py",
    b"byte\xff.py",
    "caf\u00e9.py".encode(),
    b"\x1b[31mred.py",
    b"-dash.py",
]


def test_paths_of_any_bytes_are_found_and_printed_escaped(repo: GitSandbox) -> None:
    for number, path in enumerate(PATHS):
        repo.write(path, f"def needle{number}(): pass\n")
    repo.commit()
    shell = Terminal(repo.path)
    for number, path in enumerate(PATHS):
        hit = best(repo, f"needle{number}", top_k=1)
        assert os.fsencode(hit.path) == path
        for form in ("text", "json", "vimgrep", "markdown"):
            result = shell.ragit("search", "-k1", "--format", form, f"needle{number}", code=0)
            assert "\x1b" not in result.out
            assert len(result.out.splitlines()) <= 9


# Stores


def damage(store: Path, how: str) -> None:
    content = bytearray(store.read_bytes())
    for suffix in ("-wal", "-shm"):
        Path(f"{store}{suffix}").unlink(missing_ok=True)
    if how == "garbage":
        store.write_bytes(b"\x07garbage" * 4000)
    elif how == "cut short":
        store.write_bytes(content[: len(content) // 3])
    else:
        for page in range(4096, len(content), 4096):
            content[page : page + 300] = bytes(range(200, 250)) * 6
        store.write_bytes(content)


@pytest.mark.parametrize("how", ["garbage", "cut short", "spoilt pages"])
def test_damaged_store_is_refused_and_rebuilt(repo: GitSandbox, shell: Terminal, how: str) -> None:
    store = repo.store
    damage(store, how)
    for command in (["search", "hello"], ["index"], ["status"], ["check"], ["gc"]):
        result = shell.refused(*command)
        assert f"the index {store} is damaged" in result.err
        assert "ragit index --rebuild" in result.hint
    assert shell.ragit("index", "--rebuild", code=0).out.startswith("indexed 1 file")
    assert shell.ragit("search", "hello", code=0).out.startswith("a.py:1\n")


def test_store_of_newer_version_is_refused_until_rebuilt(repo: GitSandbox, shell: Terminal) -> None:
    store = repo.store
    with tampered(store) as db:
        db.pragma("user_version", 99)
    for command in (["search", "hello"], ["index"], ["status"], ["gc"]):
        result = shell.refused(*command)
        assert "newer than this ragit" in result.err
        assert "Upgrade" in result.hint
    shell.ragit("index", "--rebuild", code=0)
    shell.ragit("search", "hello", code=0)


def test_empty_file_is_used_as_a_new_store(repo: GitSandbox, shell: Terminal) -> None:
    for suffix in ("-wal", "-shm"):
        Path(f"{repo.store}{suffix}").unlink(missing_ok=True)
    repo.store.write_bytes(b"")
    shell.ragit("status", code=0)
    shell.ragit("search", "hello", code=0)


@pytest.mark.parametrize("what", ["database", "text", "folder"])
def test_foreign_file_at_store_path_is_kept(
    repo: GitSandbox, shell: Terminal, tmp_path: Path, what: str
) -> None:
    """index.storePath may name the wrong file."""
    precious = tmp_path / "precious"
    if what == "folder":
        precious.mkdir()
        (precious / "kept").write_text("kept")
    elif what == "text":
        precious.write_text("kept\n" * 1000)
    else:
        with sqlite3.connect(precious) as db:
            db.execute("CREATE TABLE kept(x)")
        db.close()
    before = precious.read_bytes() if precious.is_file() else b""
    repo.git("config", "ragit.index.storePath", str(precious))
    for command in (["search", "hello"], ["index"], ["status"]):
        shell.refused(*command)
    assert not precious.is_file() or precious.read_bytes() == before
    shell.ragit("index", "--rebuild", code=0)
    aside = tmp_path / "precious.aside-1"
    assert (aside / "kept").exists() if what == "folder" else aside.read_bytes() == before
    shell.ragit("search", "hello", code=0)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Make a folder read-only; for root, who is not bound by permissions, by a mount."""
    if os.geteuid():
        modes = {
            path: path.stat().st_mode for path in (folder, *folder.rglob("*")) if path.is_dir()
        }
        for path in modes:
            path.chmod(0o555)
        yield
        for path, mode in modes.items():
            path.chmod(mode)
        return
    if subprocess.run(
        ["mount", "--bind", folder, folder], capture_output=True, check=False
    ).returncode:
        pytest.skip("root may not mount here")
    subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def test_read_only_git_dir_is_indexed_in_the_user_cache(repo: GitSandbox, home: Path) -> None:
    repo.write("a.py", HELLO)
    repo.commit()
    shell = Terminal(repo.path)
    with read_only(repo.path / ".git"):
        assert shell.ragit("search", "hello", code=0).out.startswith("a.py:1\n")
        assert not repo.store.exists()
        assert list((home / ".cache" / "ragit").glob("*/index.db"))
        repo.write("a.py", "def changed(): pass\n")
        assert shell.ragit("search", "changed", code=0).out.startswith("a.py:1\n")
        shell.ragit("status", code=0)


def test_read_only_index_is_copied_to_the_user_cache_to_update(
    repo: GitSandbox, shell: Terminal, home: Path
) -> None:
    def copies() -> set[Path]:
        return set((home / ".cache" / "ragit").glob("*/index.db"))

    before = copies()
    with read_only(repo.path / ".git"):
        assert shell.ragit("search", "hello", code=0).out.startswith("a.py:1\n")
        assert copies() == before  # it is read in place
        repo.write("b.py", "def changed(): pass\n")
        assert "incomplete: 1 file" in shell.ragit("search", "--no-index", "hello", code=0).err
        assert shell.ragit("search", "changed", code=0).out.startswith("b.py:1\n")
        assert len(copies() - before) == 1
        shell.ragit("index", code=0)
        assert shell.ragit("search", "hello", code=0).out.startswith("a.py:1\n")
        for command in (["status"], ["check"], ["gc"], ["index", "--rebuild"]):
            shell.ragit(*command, code=0)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a file system of a few hundred kB, if this machine can mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("this machine does not let us mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def fill(folder: Path) -> None:
    with (folder / "filling").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            pass


def test_full_disk_is_reported_and_keeps_the_old_index(repo: GitSandbox, small_disk: Path) -> None:
    repo.write("a.py", HELLO)
    repo.commit()
    repo.git("config", "ragit.index.storePath", str(small_disk / "index.db"))
    shell = Terminal(repo.path)
    fill(small_disk)
    for command in (["index"], ["search", "hello"], ["index", "--rebuild"]):
        result = shell.refused(*command)
        assert "full" in result.err or "No space left" in result.err
    (small_disk / "filling").unlink()
    assert shell.ragit("search", "hello", code=0).out.startswith("a.py:1\n")
    for number in range(200):
        repo.write(f"more{number}.py", f"def more{number}():\n    return {number}\n" * 5)
    repo.commit()
    assert "full" in shell.refused("index").err
    # The old content is still there, and sound.
    assert shell.ragit("search", "--ref", "HEAD~1", "hello", code=0).out.startswith("a.py:1\n")


def test_gc_runs_on_a_full_disk(repo: GitSandbox, small_disk: Path) -> None:
    repo.git("config", "ragit.index.storePath", str(small_disk / "index.db"))
    repo.git("config", "ragit.embedding.provider", "none")
    repo.git("config", "ragit.gc.reflogDays", "0")
    repo.write("a.py", HELLO)
    repo.commit()
    repo.git("switch", "-q", "-c", "topic")
    for number in range(40):
        repo.write(f"more{number}.py", f"def more{number}():\n    return {number}\n" * 5)
    repo.commit()
    shell = Terminal(repo.path)
    shell.ragit("index", "main", "topic", code=0)
    repo.git("switch", "-q", "main")
    repo.git("branch", "-q", "-D", "topic")
    size = (small_disk / "index.db").stat().st_size
    fill(small_disk)
    assert shell.ragit("search", "hello", code=0).out.startswith("a.py:1\n")
    shell.ragit("gc", code=0)
    assert (small_disk / "index.db").stat().st_size < size
    with Store(small_disk / "index.db", writable=True) as store:
        assert store.problems() == []
        assert store._db.pragma("journal_mode") == "wal"
    assert shell.ragit("search", "hello", code=0).out.startswith("a.py:1\n")


def test_gc_says_how_much_the_last_writes_need_on_a_full_disk(
    repo: GitSandbox, small_disk: Path
) -> None:
    repo.git("config", "ragit.index.storePath", str(small_disk / "index.db"))
    repo.git("config", "ragit.embedding.provider", "none")
    repo.write("a.py", HELLO)
    repo.commit()
    shell = Terminal(repo.path)
    shell.ragit("index", code=0)
    for number in range(300):
        repo.write(f"more{number}.py", f"def more{number}():\n    return {number}\n" * 9)
    repo.commit()
    assert "full" in shell.refused("index").err
    fill(small_disk)
    said = shell.refused("gc").err
    assert "do not fit" in said
    assert "needs none" not in said


def test_full_disk_under_the_repository_is_reported(repo: GitSandbox, small_disk: Path) -> None:
    repo.write("a.py", HELLO)
    repo.commit()
    repo.git("clone", "-q", "--template=", ".", str(small_disk / "clone"))
    (small_disk / "clone" / "a.py").write_text("def changed(): pass\n")
    fill(small_disk)
    shell = Terminal(small_disk / "clone")
    result = shell.refused("search", "changed")
    assert "No space left" in result.err or "full" in result.err


# Settings


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[retrieval]\ntopk = 5\n", [".ragit.toml:2", "topk", "Did you mean retrieval.topK"]),
        ("[retrieval]\ntopK = 'x'\n", [".ragit.toml:2", "retrieval.topK", "an integer"]),
        ("[retrieval\n", [".ragit.toml:1"]),
        ("\xff", [".ragit.toml:1", "UTF-8"]),
        ("[retrieval.signals]\ntset = 0\n", [".ragit.toml:", "tset", "test"]),
        ("[chunking.parsers]\n'.x' = 'pythn'\n", ["pythn", "python"]),
    ],
)
def test_malformed_settings_file_is_refused_with_its_line(
    repo: GitSandbox, shell: Terminal, toml: str, words: list[str]
) -> None:
    repo.write(".ragit.toml", toml.encode("latin-1"))
    result = shell.refused("search", "hello")
    for word in words:
        assert word in result.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["search", "--language", "pythn", "x"], ["pythn", "python"]),
        (["search", "--format", "jsn", "x"], ["jsn", "json"]),
        (["search", "--min-score", "nan", "x"], ["nan"]),
        (["search", "--ref", "HEAD", "--staged", "x"], ["staged"]),
        (["-c", "retrieval.topk=3", "search", "x"], ["topK"]),
    ],
)
def test_unknown_values_are_refused_with_the_valid_ones(
    shell: Terminal, args: list[str], words: list[str]
) -> None:
    result = shell.refused(*args)
    for word in words:
        assert word in result.err


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["sarch", "x"], "search"),
        (["search"], "QUERY"),
        (["search", "-k", "0", "x"], "at least"),
        (["search", "--mode", "foo", "x"], "hybrid"),
        (["search", "--nosuch", "x"], "--nosuch"),
        (["-c", "nonsense", "search", "x"], "NAME=VALUE"),
    ],
)
def test_mistyped_command_is_refused_with_the_right_spelling(
    shell: Terminal, args: list[str], word: str
) -> None:
    result = shell.ragit(*args, code=2)
    assert word in result.err
    assert "Traceback" not in result.err
    assert result.out == ""


# Embedding servers


UNREACHABLE = (
    "-c",
    "embedding.provider=openai",
    "-c",
    "embedding.baseUrl=http://127.0.0.1:9/v1",
    "-c",
    "embedding.model=m",
)


def test_keyword_search_works_without_the_embedding_server(
    repo: GitSandbox, shell: Terminal
) -> None:
    result = shell.ragit(*UNREACHABLE, "search", "--json", "hello", code=0)
    answer = json.loads(result.out)
    assert answer["results"][0]["path"] == "a.py"
    assert "127.0.0.1:9" in answer["degraded"]
    assert "note: " in result.err
    for command in (["search", "--mode", "vector", "hello"], ["index"]):
        refused = shell.refused(*UNREACHABLE, *command)
        assert "127.0.0.1:9" in refused.err
        assert "embedding." in refused.hint


def test_vector_search_without_embedder_is_refused(shell: Terminal) -> None:
    assert shell.ragit("-c", "embedding.provider=none", "search", "hello", code=0).err == ""
    assert (
        "provider is none"
        in shell.refused("-c", "embedding.provider=none", "search", "--mode", "vector", "x").err
    )


# Queries


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ragit]:
    repo = GitSandbox(tmp_path_factory.mktemp("queries") / "repo")
    repo.write("a.py", HELLO)
    repo.write("提交.md", "# 提交偏移\n\n消费者组在这里提交偏移。\n")
    repo.write("emoji.txt", "ship it 🚀\n")
    repo.commit()
    with ragit.open(repo.path) as opened:
        opened.index()
        yield opened


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200), st.sampled_from(["hybrid", "keyword", "vector"]))
@example('"', "hybrid")
@example("'; DROP TABLE chunk; --", "hybrid")
@example("hello AND NOT (world OR", "hybrid")
@example("NEAR(hello, 5) ^ * symbol:", "keyword")
@example("hello\0world", "hybrid")
@example("🚀", "hybrid")
@example("提交", "keyword")
@example("x" * 10_000, "hybrid")
@example("hello " * 2000, "hybrid")
@example("\ud800\udfff", "hybrid")
@example("\udcff", "keyword")
@example("%s %n {0} \\", "vector")
@example("", "hybrid")
@example("é" * 3000, "hybrid")
@example("a_b_c_d_e_f_g_h" * 500, "hybrid")
def test_any_text_is_a_valid_query(index: Ragit, query: str, mode: str) -> None:
    answer = index.search(query, mode=mode)
    assert answer.complete
    assert all(hit.score > 0 for hit in answer.hits)


@pytest.mark.parametrize(
    ("query", "path"),
    [("提交", "提交.md"), ("偏移", "提交.md"), ("hello\0", "a.py"), ('"hello"', "a.py")],
)
def test_queries_with_odd_characters_find_their_file(index: Ragit, query: str, path: str) -> None:
    assert index.search(query).hits[0].path == path


def test_query_without_words_has_no_hits(shell: Terminal) -> None:
    for query in ('"', "?!"):
        result: Result = shell.ragit("search", query, code=1)
        assert result.out == ""
        assert "no hits in HEAD" in result.err


def test_query_with_invalid_utf8_is_searched(shell: Terminal) -> None:
    assert shell.process("search", b"hello \xff\xfe", code=0).out.startswith("a.py:1\n")


def test_unexpected_exception_writes_a_crash_log(shell: Terminal, tmp_path: Path) -> None:
    """Forced by an unexpected exception in a search."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "sitecustomize.py").write_text(
        "import ragit.search.search as s\ns.Searcher.search = lambda *_: 1 / 0\n"
    )
    shell.env["PYTHONPATH"] = str(tmp_path / "broken")
    shell.env["XDG_STATE_HOME"] = str(tmp_path / "state")
    result = shell.process("search", "hello", code=3)
    log = tmp_path / "state" / "ragit" / "ragit-crash.log"
    assert str(log) in result.err
    assert "Traceback" not in result.err
    assert "Traceback" in log.read_text()
    shutil.rmtree(tmp_path / "state")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 itself takes runpy from there")
@pytest.mark.parametrize(
    "command", [["search", "hello"], ["index"], ["status"], ["config"]], ids=" ".join
)
def test_python_m_ragit_imports_nothing_from_the_current_folder(
    repo: GitSandbox, command: list[str], tmp_path: Path
) -> None:
    """`python -m` puts the current folder first on the path: the repository to be searched."""
    marker = tmp_path / "imported"
    repo.write("a.py", HELLO)
    for name in sorted(sys.stdlib_module_names) + [
        "apsw",
        "click",
        "keyring",
        "numpy",
        "pygit2",
        "tree_sitter",
    ]:
        repo.write(
            f"{name}.py", f"import os\nopen({str(marker)!r}, 'a').write({name!r} + os.linesep)\n"
        )
    repo.commit()
    subprocess.run(
        [sys.executable, "-m", "ragit", *command], cwd=repo.path, capture_output=True, check=True
    )
    assert not marker.exists(), marker.read_text()
