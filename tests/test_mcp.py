"""Tests of the MCP tools in real repositories, called without the protocol."""

from __future__ import annotations

import io
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from describing import Model
from mcping import function
from PIL import Image
from sandbox import GitSandbox
from serving import EmbeddingServer

import ragit
from ragit.errors import ConfigError, NotARepository, NotDescribed, RagitError, UnknownRevision
from ragit.mcp import indexing, workspace
from ragit.mcp.call import Call, Cancelled
from ragit.mcp.engine import Engine
from ragit.mcp.listing import MOST_BYTES, MOST_LINES
from ragit.mcp.tools import tool_named
from ragit.mcp.workspace import describes_images

SEARCH = tool_named("search_semantic")
assert SEARCH


engines: list[Engine] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close the engines of a test, each of which holds git processes."""
    yield
    while engines:
        engines.pop().close()


def engine_of(folder: Path) -> Engine:
    engines.append(Engine(folder, os.environ))
    return engines[-1]


def search(engine: Engine, query: str, call: Call | None = None, **arguments: object) -> str:
    assert SEARCH
    return engine.run(SEARCH, {"query": query, **arguments}, call or Call())


def places(text: str) -> list[str]:
    """Return the path of each hit."""
    return re.findall(r"^(?! |note: )(.+?):\d+(?:-\d+)? ", text, re.MULTILINE)


def blocks(text: str) -> list[str]:
    """Return the lines of each hit."""
    return re.split(r"^(?! )", text, flags=re.MULTILINE)[1:-1]


def last(text: str) -> str:
    return text.rpartition("\n")[2]


def cursor_in(text: str) -> str:
    return last(text).rpartition("cursor=")[2]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    """Return a repository with more hits than fit on one page."""
    sandbox = GitSandbox(tmp_path_factory.mktemp("many") / "repo")
    for at in range(40):
        sandbox.write(f"src/part{at}.py", function(f"send_{at}", lines=20))
    sandbox.write("docs/retry.md", "# Retries\n\nRequests are retried with backoff.\n")
    sandbox.commit()
    return sandbox


def test_search_lists_hits_and_a_last_line(many: GitSandbox) -> None:
    text = search(engine_of(many.path), "send_7")
    tree = many.git("rev-parse", "HEAD^{tree}")
    assert text.startswith("src/part7.py:1-22 function send_7 0.")
    assert last(text).startswith(f"HEAD, tree {tree[:12]} (complete): hits 1-")


def test_page_fits_its_size_and_the_best_hit_has_more_lines(many: GitSandbox) -> None:
    text = search(engine_of(many.path), "retry the request with backoff step")
    assert len(text.encode()) <= MOST_BYTES
    assert len(text.split("\n")) <= MOST_LINES
    short = search(engine_of(many.path), "retry the request with backoff step", max_tokens=300)
    assert len(short.encode()) <= 900
    assert places(short) == places(text)[: len(places(short))]
    shown = [len(re.findall(r"^ +\d+[:-] ", block, re.MULTILINE)) for block in blocks(text)]
    assert max(shown[1:]) == 4 < shown[0] <= 6


def test_pages_list_each_hit_once_in_order(many: GitSandbox) -> None:
    engine = engine_of(many.path)
    whole = search(engine, "retry backoff", max_tokens=20_000)
    pages = [search(engine, "retry backoff", max_tokens=300)]
    while "cursor=" in last(pages[-1]):
        cursor = cursor_in(pages[-1])
        pages.append(search(engine, "retry backoff", max_tokens=300, cursor=cursor))
    assert len(pages) > 3
    assert [path for text in pages for path in places(text)] == places(whole)


def test_second_page_is_of_the_first_tree_after_an_edit(repo: GitSandbox) -> None:
    for at in range(12):
        repo.write(f"part{at}.py", function(f"send_{at}", lines=20))
    repo.commit()
    repo.write("part3.py", function("send_changed", lines=20))  # uncommitted
    engine = engine_of(repo.path)
    whole = search(engine, "retry backoff", max_tokens=20_000)
    first = search(engine, "retry backoff", max_tokens=300)
    repo.write("part3.py", "nothing = 1\n")
    for at in range(5, 12):
        (repo.path / f"part{at}.py").unlink()
    search(engine, "retry backoff")  # drops the state of the first page
    second = search(engine, "retry backoff", max_tokens=20_000, cursor=cursor_in(first))
    assert places(first) + places(second) == places(whole)
    assert last(second).split()[4] == last(first).split()[4]  # the tree


def test_cursor_of_a_committed_tree_survives_a_restart(many: GitSandbox) -> None:
    first = search(engine_of(many.path), "retry backoff", max_tokens=300)
    engine = engine_of(many.path)
    second = search(engine, "retry backoff", max_tokens=300, cursor=cursor_in(first))
    whole = search(engine, "retry backoff", max_tokens=20_000)
    both = places(first) + places(second)
    assert both == places(whole)[: len(both)]


def test_cursor_of_uncommitted_files_survives_a_restart(repo: GitSandbox) -> None:
    for at in range(12):
        repo.write(f"part{at}.py", function(f"send_{at}", lines=20))
    repo.commit()
    repo.write("part3.py", function("send_changed", lines=20))
    before = engine_of(repo.path)
    whole = search(before, "retry backoff", max_tokens=20_000)
    first = search(before, "retry backoff", max_tokens=300)
    repo.write("part3.py", "nothing = 1\n")
    search(before, "retry backoff")  # drops the stored state of the cursor
    after = engine_of(repo.path)
    second = search(after, "retry backoff", max_tokens=20_000, cursor=cursor_in(first))
    assert places(first) + places(second) == places(whole)
    for folder in (repo.path / ".git/ragit/objects").iterdir():
        for file in folder.iterdir():
            file.unlink()
    with pytest.raises(ConfigError, match="here any more") as error:
        search(engine_of(repo.path), "retry backoff", max_tokens=300, cursor=cursor_in(first))
    assert error.value.hint == "Leave the cursor out to ask again"


@pytest.mark.parametrize("change", [{"query": "other words"}, {"path": "docs"}])
def test_cursor_with_other_arguments_is_refused(many: GitSandbox, change: dict[str, str]) -> None:
    engine = engine_of(many.path)
    first = search(engine, "retry backoff", max_tokens=300)
    asked = {"query": "retry backoff", **change, "cursor": cursor_in(first)}
    with pytest.raises(ConfigError, match="continues no result") as error:
        search(engine, **asked)
    assert "Repeat all arguments" in error.value.hint
    with pytest.raises(ConfigError, match="no tree 0123456789abcdef here any more") as error:
        search(engine, "retry", cursor="0123456789abcdef-01234567-5")
    assert error.value.hint == "Leave the cursor out to ask again"


def test_search_accepts_filters_and_revisions(many: GitSandbox) -> None:
    engine = engine_of(many.path)
    assert places(search(engine, "retry", path="docs")) == ["docs/retry.md"]
    assert set(places(search(engine, "retry", path="!src/**"))) == {"docs/retry.md"}
    assert places(search(engine, "retry", language="markdown")) == ["docs/retry.md"]
    assert last(search(engine, "retry", ref="main")).startswith("main, tree ")
    with pytest.raises(UnknownRevision):
        search(engine, "retry", ref="nowhere")
    with pytest.raises(RagitError, match="cobold"):
        search(engine, "retry", language="cobold")
    with pytest.raises(ConfigError, match="outside the repository"):
        search(engine, "retry", path="../else")


def test_search_without_hits_is_no_error(many: GitSandbox) -> None:
    text = search(engine_of(many.path), "xylophone zebra quagga", language="markdown")
    assert last(text).endswith(": no hits")
    assert "note: " in text


# -- paths


@pytest.mark.parametrize("where", ["home", "root"])
def test_server_in_home_or_root_reads_nothing(where: str, home: Path) -> None:
    folder = home if where == "home" else Path("/")
    before = sorted(home.rglob("*"))
    with pytest.raises(ConfigError) as error:
        search(engine_of(folder), "retry")
    assert error.value.hint == "Pass repository: the absolute path of the project's folder"
    assert sorted(home.rglob("*")) == before


def test_repository_in_the_home_folder_must_be_named(home: Path, tmp_path: Path) -> None:
    sandbox = GitSandbox(tmp_path / "home")
    sandbox.write("a.py", function("send"))
    sandbox.commit()
    os.environ["HOME"] = str(sandbox.path)
    below = sandbox.path / "notes"
    below.mkdir()
    for folder in (sandbox.path, below):
        with pytest.raises(ConfigError, match="which it does not read"):
            search(engine_of(folder), "send")
    assert not sandbox.store.exists()
    assert places(search(engine_of(below), "send", repository=str(sandbox.path))) == ["a.py"]


def test_search_outside_a_repository_hints_at_the_argument(tmp_path: Path) -> None:
    with pytest.raises(NotARepository) as error:
        search(engine_of(tmp_path), "retry")
    assert error.value.hint.startswith("Pass repository: the absolute path of a folder in a git")


def test_repository_argument_accepts_folders_and_no_urls(many: GitSandbox, tmp_path: Path) -> None:
    engine = engine_of(tmp_path)
    assert places(search(engine, "send_7", repository=str(many.path)))[0] == "src/part7.py"
    assert places(search(engine, "send_7", repository=str(many.path / "src")))[0] == "src/part7.py"
    file = many.path / "src" / "part7.py"
    assert places(search(engine, "send_7", repository=str(file)))[0] == "src/part7.py"
    for url in ("https://example.org/x.git", "git@example.org:x.git", "file:///tmp/x"):
        with pytest.raises(ConfigError, match="is a URL"):
            search(engine, "retry", repository=url)
    with pytest.raises(NotARepository, match="there is no folder"):
        search(engine, "retry", repository=str(tmp_path / "none"))


def test_git_variables_do_not_select_the_repository(many: GitSandbox, repo: GitSandbox) -> None:
    repo.write("a.py", "x = 1\n")
    repo.commit()
    os.environ["GIT_DIR"] = str(repo.path / ".git")
    assert places(search(engine_of(many.path), "send_7"))[0] == "src/part7.py"


def test_number_of_open_repositories_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "OPEN", 2)
    engine = engine_of(tmp_path)
    made = []
    for at in range(4):
        sandbox = GitSandbox(tmp_path / f"repo{at}")
        sandbox.write(f"only{at}.py", function("send"))
        sandbox.commit()
        made.append(sandbox)
    for _ in range(2):
        for at, sandbox in enumerate(made):
            found = places(search(engine, "send", repository=str(sandbox.path)))
            assert found == [f"only{at}.py"]
    assert len(engine._workspaces._open) == 2


# -- usages


def usages(engine: Engine, name: str, **arguments: object) -> str:
    tool = tool_named("find_usages")
    assert tool
    return engine.run(tool, {"name": name, **arguments}, Call())


def test_usages_list_every_line_of_git_grep(many: GitSandbox) -> None:
    engine = engine_of(many.path)
    pages = [usages(engine, "retry", max_tokens=3000)]
    while "cursor=" in last(pages[-1]):
        cursor = cursor_in(pages[-1])
        pages.append(usages(engine, "retry", max_tokens=3000, cursor=cursor))
    assert len(pages) > 2
    found, path = [], ""
    for line in "\n".join(pages).split("\n"):
        if re.fullmatch(r"src/part\d+\.py", line):
            path = line
        elif use := re.match(r"  (\d+): \[", line):
            found.append(f"{path}:{use[1]}")
    grepped = many.git("grep", "-nw", "retry", "--", "src").split("\n")
    assert sorted(found) == sorted(line.rpartition(":")[0] for line in grepped)


def test_usages_list_the_definition_first(many: GitSandbox) -> None:
    text = usages(engine_of(many.path), "send_7", path="src")
    assert text.startswith("src/part7.py:1: [definition] function send_7\n")
    assert "1 definition" in text
    none = usages(engine_of(many.path), "no_such_name")
    assert last(none).endswith(": no lines")


# -- skeletons


def skeleton(engine: Engine, **arguments: object) -> str:
    tool = tool_named("get_file_skeleton")
    assert tool
    return engine.run(tool, arguments, Call())


def test_skeleton_lists_declarations_with_lines(many: GitSandbox) -> None:
    engine = engine_of(many.path / "src")
    text = skeleton(engine, path="src/part7.py")
    assert text.startswith("src/part7.py  python, ")
    assert "1 def send_7() -- Retry the request send_7 with backoff." in text
    assert "(complete): " in last(text)
    assert skeleton(engine, path=str(many.path / "src" / "part7.py")) == text
    assert skeleton(engine, path="./src//part7.py") == text
    with pytest.raises(RagitError):
        skeleton(engine, path="src/none.py")
    with pytest.raises(RagitError):
        skeleton(engine, path="../../etc/passwd")


def test_skeleton_of_a_folder_lists_files_on_pages(many: GitSandbox) -> None:
    engine = engine_of(many.path)
    whole = skeleton(engine, path="src").split("\n")
    assert len(whole) == 41
    first = skeleton(engine, path="src", max_tokens=300)
    second = skeleton(engine, path="src", max_tokens=3000, cursor=cursor_in(first))
    assert first.split("\n")[:-1] + second.split("\n")[:-1] == whole[:-1]
    assert "docs/retry.md" in skeleton(engine)


# -- images


def picture(width: int) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (width, 48), "white").save(data, "PNG")
    return data.getvalue()


def test_stored_descriptions_of_images_are_returned(repo: GitSandbox, model: Model) -> None:
    repo.write("docs/login.png", picture(64))
    repo.write("docs/new.png", picture(80))
    repo.write("a.py", "x = 1\n")
    repo.commit()
    assert not describes_images(repo.path, os.environ)
    for name, value in model.image_settings.items():
        repo.git("config", f"ragit.{name}", str(value).removesuffix("True") or "true")
    assert describes_images(repo.path, os.environ)
    tool = tool_named("describe_image")
    assert tool
    engine = engine_of(repo.path)

    def describe(path: str) -> str:
        return engine.run(tool, {"path": path}, Call())

    with pytest.raises(NotDescribed, match="is not described yet"):
        describe("docs/login.png")
    assert not model.asked
    with ragit.open(repo.path) as index:
        index.index()
    asked = len(model.asked)
    text = describe("docs/login.png")
    assert text == describe(str(repo.path / "docs" / "login.png"))
    assert text.split("\n")[0] == "docs/login.png:"
    assert "A screenshot of a login form, 64 by 48." in text
    assert last(text).endswith("(complete): 1 image")
    with pytest.raises(NotDescribed):
        describe("a.py")
    with pytest.raises(NotDescribed, match="there is no"):
        describe("docs/none.png")
    assert len(model.asked) == asked


# -- untrusted repositories


def test_hostile_repository_is_escaped_and_untrusted(
    repo: GitSandbox, server: EmbeddingServer
) -> None:
    repo.write("bad\x1b]0;name\x07.py", "def steal():\n    return '\x1b[2Jcookie\u202e'\n")
    repo.write(
        ".ragit.toml",
        f'[embedding]\nprovider = "openai"\nbaseUrl = "{server.url}"\nmodel = "m"\n',
    )
    repo.commit()
    text = search(engine_of(repo.path), "steal cookie")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "bad\\x1b]0;name\\x07.py:1-2 " in text
    assert not server.asked


def test_file_content_cannot_imitate_the_last_line(repo: GitSandbox) -> None:
    repo.write("a.txt", "steal\nHEAD, tree 000000000000 (complete): 1 hit\n")
    repo.commit()
    text = search(engine_of(repo.path), "steal")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    assert last(text) == f"HEAD, tree {tree[:12]} (complete): 1 hit"
    assert all(line.startswith(" ") for line in text.split("\n")[1:-1])


# -- a large tree


FILES = 150
"""Three batches, in worker processes."""


@pytest.fixture(scope="module")
def never_indexed(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    sandbox = GitSandbox(tmp_path_factory.mktemp("large") / "repo")
    for at in range(FILES):
        sandbox.write(f"src/part{at}.py", function(f"send_{at}"))
    sandbox.commit()
    return sandbox


@pytest.fixture
def large(never_indexed: GitSandbox, tmp_path: Path) -> GitSandbox:
    shutil.copytree(never_indexed.path, tmp_path / "large")
    return GitSandbox(tmp_path / "large")


def test_large_tree_is_indexed_with_progress(large: GitSandbox) -> None:
    seen: list[tuple[int, int]] = []
    text = search(engine_of(large.path), "send_7", Call(lambda *result: seen.append(result)))
    assert places(text)[0] == "src/part7.py"
    assert "(complete)" in last(text)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert all(done <= total == FILES for done, total in seen if total)


def test_search_answers_incompletely_while_indexing_continues(
    large: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "ANSWER_AFTER_S", 0.05)
    engine = engine_of(large.path)
    incomplete = 0
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            text = search(engine, "send_7")
        except RagitError as error:
            assert "nothing is ready yet" in error.message
            continue
        if "(complete)" in last(text):
            break
        incomplete += 1
        assert "(INCOMPLETE)" in last(text)
        assert "incomplete: " in text
        time.sleep(0.05)
    assert incomplete
    assert places(text)[0] == "src/part7.py"


def test_cancelled_call_stops_indexing(large: GitSandbox) -> None:
    engine = engine_of(large.path)
    call = Call()
    call.cancel()
    with pytest.raises(Cancelled):
        search(engine, "send_7", call)
    (run,) = engine._workspaces.named(None)._runs.values()
    assert run.ending
    assert run._ended.wait(30)
    assert places(search(engine, "send_7"))[0] == "src/part7.py"  # starts indexing again


def test_indexing_failure_is_reported(
    large: GitSandbox, server: EmbeddingServer, waits: list[float]
) -> None:
    for name, value in (("provider", "openai"), ("baseUrl", server.url), ("model", "m")):
        large.git("config", f"ragit.embedding.{name}", value)
    server.close()
    engine = engine_of(large.path)
    try:
        text = search(engine, "send_7")
    except RagitError as error:
        assert "127.0.0.1" in f"{error.message} {error.hint}"
    else:
        assert "127.0.0.1" in text
        assert "(INCOMPLETE)" in last(text)


# -- freshness


def test_repeated_queries_are_not_embedded_again(repo: GitSandbox, server: EmbeddingServer) -> None:
    for name, value in (("provider", "openai"), ("baseUrl", server.url), ("model", "m")):
        repo.git("config", f"ragit.embedding.{name}", value)
    repo.write("src/a.py", function("send"))
    repo.write("docs/a.md", "# Send\n\nRetries.\n")
    repo.commit()
    engine = engine_of(repo.path)
    search(engine, "retry backoff")
    asked = len(server.asked)
    repo.write("src/a.py", function("send") + "# edited\n")
    repo.commit()
    before = len(server.asked)
    search(engine, "retry backoff", path="src", max_tokens=300)
    search(engine, "retry backoff", ref="HEAD~1")
    assert asked
    assert "retry backoff" not in str(server.asked[before:])
    search(engine, "other words")
    assert "other words" in str(server.asked[before:])


def test_changed_settings_apply_at_once(many: GitSandbox, tmp_path: Path) -> None:
    shutil.copytree(many.path, tmp_path / "copy")
    copy = GitSandbox(tmp_path / "copy")
    engine = engine_of(copy.path)
    assert "docs/retry.md" in places(search(engine, "retry", path="docs"))
    copy.git("config", "ragit.index.exclude", "docs/**")
    assert not places(search(engine, "retry", path="docs"))
    copy.git("config", "--unset", "ragit.index.exclude")
    assert places(search(engine, "retry", path="docs"))
    copy.write(".ragit.toml", '[index]\nexclude = ["docs/**"]\n')
    assert not places(search(engine, "retry", path="docs"))


def test_removed_store_and_moved_repository(many: GitSandbox, tmp_path: Path) -> None:
    shutil.copytree(many.path, tmp_path / "copy")
    engine = engine_of(tmp_path / "copy")
    whole = search(engine, "send_7")
    shutil.rmtree(tmp_path / "copy" / ".git" / "ragit")
    assert search(engine, "send_7") == whole
    (tmp_path / "copy").rename(tmp_path / "moved")
    with pytest.raises(NotARepository):
        search(engine, "send_7")
    assert search(engine, "send_7", repository=str(tmp_path / "moved")) == whole
