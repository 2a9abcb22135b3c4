"""Tests of ragit as a library: open engines and caches."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sandbox import GitSandbox

import ragit
from ragit.errors import ConfigError, NotARepository, NotIndexed, UnknownRevision
from ragit.query import Query
from ragit.repository.repository import CACHED_ANSWERS, Ragit
from ragit.search import Searcher

HELLO = "def hello():\n    pass\n"


@pytest.fixture
def index(repo: GitSandbox) -> Ragit:
    repo.write("a.py", HELLO)
    repo.commit()
    return ragit.open(repo.path)


def test_open_index_search_status(repo: GitSandbox, index: Ragit) -> None:
    with index:
        report = index.index()
        assert (report.files, report.indexed, report.chunks) == (1, 1, 1)
        answer = index.search("hello")
        assert [hit.path for hit in answer.hits] == ["a.py"]
        status = index.status()
        assert (status.exists, status.chunks, status.refs[0].completeness.missing) == (True, 1, 0)
        assert Path(status.store) == repo.store
        assert index.check().fresh
        assert index.gc().dropped == 0
        assert index.top == repo.path


def test_reading_gives_chunks_and_texts_of_a_tree(repo: GitSandbox, index: Ragit) -> None:
    repo.write("b/c.py", "def other():\n    pass\n")
    with index:
        with index.reading() as opened:
            assert opened.tree.snapshot.paths == [b"a.py", b"b/c.py"]
            assert opened.tree.complete
            chunking = opened.chunking_at(b"b/c.py")
            assert chunking is not None
            assert [chunk.symbol for chunk in opened.chunks_of(chunking)] == ["other"]
            assert opened.text_of(chunking) == b"def other():\n    pass\n"
            assert opened.chunking_at(b"b") is None
        with index.reading(scope="committed") as opened:
            assert opened.chunking_at(b"b/c.py") is None
            assert opened.target.name == "HEAD"
        with index.reading("HEAD", index=False) as opened:
            assert opened.tree.snapshot.paths == [b"a.py"]


def test_reading_without_index_raises_not_indexed(index: Ragit) -> None:
    with index, pytest.raises(NotIndexed), index.reading(index=False):
        pass


def test_search_accepts_a_query_object(index: Ragit) -> None:
    with index:
        assert index.search(Query("hello", top_k=1)).hits == index.search("hello", top_k=1).hits


def test_search_accepts_query_options_and_rejects_unknown_ones(index: Ragit) -> None:
    with index:
        given = dict(Query.defaults)
        assert index.search("hello", **given).hits == index.search("hello").hits
        assert index.search(Query("hello"), top_k=1).hits == index.search("hello", top_k=1).hits
        with pytest.raises(TypeError, match="top_k"):
            index.search("hello", topk=1)  # type: ignore[call-arg]


def test_open_accepts_settings_and_rejects_unknown_names(repo: GitSandbox) -> None:
    repo.commit()
    with ragit.open(repo.path, flags={"retrieval.topK": 3}) as opened:
        assert opened.config.retrieval.top_k == 3
        assert {row.name: row.origin for row in opened.settings.rows()}[
            "retrieval.topK"
        ] == "command line"
    with pytest.raises(ConfigError, match="topk"):
        ragit.open(repo.path, flags={"retrieval.topk": 3})


def test_open_outside_a_repository_raises(tmp_path: Path) -> None:
    with pytest.raises(NotARepository):
        ragit.open(tmp_path)


def record_searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list to which each computed query is added."""
    computed: list[str] = []
    real = Searcher.search

    def search(self: Searcher, query: Query, *rest: object) -> object:
        computed.append(query.text)
        return real(self, query, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Searcher, "search", search)
    return computed


def test_answers_are_cached_until_the_tree_changes(
    repo: GitSandbox, index: Ragit, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = record_searches(monkeypatch)
    with index:
        first = index.search("hello")
        assert index.search("hello").hits == first.hits
        assert computed == ["hello"]
        index.search("hello", top_k=1)
        assert len(computed) == 2
        repo.write("b.py", "def hello_b():\n    pass\n")
        changed = index.search("hello")
        assert len(computed) == 3
        assert {hit.path for hit in changed.hits} == {"a.py", "b.py"}
        repo.rm("b.py")
        assert index.search("hello").hits == first.hits
        assert len(computed) == 3
        repo.write("b.py", "def hello_b():\n    pass\n")
        repo.commit()
        assert index.search("hello").ref == "HEAD"
        assert {hit.path for hit in index.search("hello", scope="committed").hits} == {
            "a.py",
            "b.py",
        }


def test_answer_cache_is_bounded(index: Ragit) -> None:
    with index:
        for number in range(CACHED_ANSWERS + 5):
            index.search(f"hello {number}", mode="keyword")
        assert len(index._answers._values) == CACHED_ANSWERS


def test_open_index_follows_head(repo: GitSandbox, index: Ragit) -> None:
    with index:
        index.index()
        for number in range(3):
            repo.write(f"f{number}.py", f"def later{number}():\n    pass\n")
            repo.commit()
            assert not index.check().fresh
            found = index.search(f"later{number}", scope="committed")
            assert (found.hits[0].path, found.tree) == (f"f{number}.py", repo.tree())
            assert index.status().refs[0].tree == repo.tree()
            assert index.index().indexed == 0
        repo.branch("side", "HEAD~2")
        assert index.search("later0", scope="committed").tree == repo.tree("HEAD")
        assert index.search("later2", scope="staged").tree == repo.tree("HEAD")


def test_open_index_survives_a_rebuild_by_another(repo: GitSandbox, index: Ragit) -> None:
    with index, ragit.open(repo.path) as other:
        index.index()
        other.index(rebuild=True)
        assert index.search("hello").hits
        repo.write("b.py", "def other():\n    pass\n")
        assert index.search("other").hits[0].path == "b.py"


def test_unknown_revision_raises(index: Ragit) -> None:
    with index:
        for call in (
            lambda: index.index("nope"),
            lambda: index.search("x", ref="nope"),
            lambda: index.check("nope"),
        ):
            with pytest.raises(UnknownRevision, match="nope"):
                call()


def test_threads_open_and_search_one_repository(repo: GitSandbox) -> None:
    from concurrent.futures import ThreadPoolExecutor

    for number in range(30):
        repo.write(f"f{number}.py", f"def f{number}():\n    pass\n")
    repo.commit()

    def search_in_new_index(number: int) -> str:
        with ragit.open(repo.path) as opened:
            return opened.search(f"f{number}", top_k=1, mode="keyword").hits[0].path

    for _ in range(
        4
    ):  # each time from nothing: all of them make the store and the copy of git's index
        shutil.rmtree(repo.path / ".git" / "ragit", ignore_errors=True)
        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(search_in_new_index, range(12))) == [
                f"f{number}.py" for number in range(12)
            ]
