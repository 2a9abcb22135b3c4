"""Tests that after an embedding server's failure, every command reports the same state until it is
back.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from describing import Model, body
from hypothesis import given, settings
from hypothesis import strategies as st
from sandbox import GitSandbox
from serving import EmbeddingServer, Payload, embeddings_answer

from ragit.cli import cli
from ragit.doctor import examine
from ragit.errors import EmbedderUnavailable
from ragit.reports import IndexReport
from ragit.repository.repository import Ragit, open_repository
from ragit.types import Completeness, WithoutVectors, lacking

FILES = 8
PER_FILE = 3
"""Chunks in a file."""


class State(NamedTuple):
    """The missing parts of a tree."""

    files: int
    vectors: WithoutVectors | None


@pytest.fixture
def code(repo: GitSandbox, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> GitSandbox:
    monkeypatch.setattr("ragit.index.run.run.BATCH_FILES", 2)
    for number in range(FILES):
        repo.write(
            f"{number}.py", "\n\n".join(body(f"thing_{number}_{part}") for part in range(PER_FILE))
        )
    repo.commit()
    return repo


def flags(server: EmbeddingServer) -> dict[str, object]:
    return {
        "embedding.provider": "openai",
        "embedding.baseUrl": server.url,
        "embedding.model": "tiny",
    }


def opened(repo: GitSandbox, server: EmbeddingServer, **more: object) -> Ragit:
    return open_repository(repo.path, flags={**flags(server), **more})


@pytest.fixture(autouse=True)
def one_request_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make one request per batch, so that requests tell the number of stored files."""
    monkeypatch.setattr("ragit.embed.pace.FIRST", 100_000)


def dead(payload: Payload) -> None:
    """Close the connection, each time."""


def typed(repo: GitSandbox, server: EmbeddingServer, *args: str) -> Any:
    options = [part for name, value in flags(server).items() for part in ("-c", f"{name}={value}")]
    return CliRunner().invoke(cli, ["-C", str(repo.path), *options, *args])


def hint_of(failed: Any) -> str:
    """Return the hint of a failed command."""
    assert isinstance(failed.exception, EmbedderUnavailable)
    return failed.exception.hint


def _state(how: Completeness) -> State:
    return State(how.missing, how.without_vectors)


def states(repo: GitSandbox, server: EmbeddingServer) -> dict[str, State]:
    """Return the missing parts of HEAD by each command, from values and JSON."""
    with opened(repo, server) as index:
        answer = index.search("thing", index=False)
        check, (status, *_), dry_run = index.check(), index.status().refs, index.index(dry_run=True)
        assert answer.complete == check.fresh == answer.completeness.complete
    found = {
        "search": _state(answer.completeness),
        "check": _state(check.completeness),
        "status": _state(status.completeness),
        "index --dry-run": State(dry_run.indexed, dry_run.without_vectors),
    }
    read = {
        name: json.loads(typed(repo, server, *name.split(), "--json").stdout)
        for name in list(found)[1:]
    }
    search = json.loads(typed(repo, server, "search", "--no-index", "--json", "thing").stdout)
    found["search --json"] = State(search["missing"], _vectors(search))
    found["check --json"] = State(len(read["check"]["missing"]), _vectors(read["check"]))
    found["status --json"] = State(
        read["status"]["refs"][0]["missing"], _vectors(read["status"]["refs"][0])
    )
    found["dry run --json"] = State(
        read["index --dry-run"]["indexed"], _vectors(read["index --dry-run"])
    )
    return found


def _vectors(report: dict[str, Any]) -> WithoutVectors | None:
    return WithoutVectors(**report["without_vectors"]) if "without_vectors" in report else None


def assert_same_state_reported(repo: GitSandbox, server: EmbeddingServer, expected: State) -> None:
    """Check the state that every command reports, as values, JSON and text."""
    found = states(repo, server)
    assert found == dict.fromkeys(found, expected)
    words = lacking(*expected, "HEAD")
    assert words in typed(repo, server, "search", "--no-index", "thing").stderr
    assert (
        f"stale: {lacking(*expected, f'HEAD (tree {repo.tree()[:10]})')}"
        in typed(repo, server, "check").stdout
    )
    with_settings = [finding.text for finding in examine(repo.path, flags=flags(server))]
    assert words in with_settings
    status = typed(repo, server, "status").stdout
    assert (f"{expected.files} not indexed" in status) == bool(expected.files)
    if expected.vectors:
        chunks, of = expected.vectors
        assert f"{chunks} of {of} chunks without vectors" in status
        assert (
            lacking(0, expected.vectors, "what is stored")
            in typed(repo, server, "index", "--dry-run").stdout
        )


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("requests", [0, 1, 2, 3, 4])
def test_commands_agree_after_a_server_failure(
    code: GitSandbox, server: EmbeddingServer, requests: int
) -> None:
    stored = min(FILES, max(0, 2 * requests - 1))  # the first file is sent alone
    server.replies = [embeddings_answer] * requests
    server.reply = dead
    left = State(FILES - stored, None)
    assert f"What was done is kept: {lacking(*left, 'what was asked for')}" in hint_of(
        typed(code, server, "index")
    )
    if stored:  # the state of a tree without stored files is unknown
        assert_same_state_reported(code, server, left)

    with opened(code, server) as index:  # its search reads the words of missing files
        answer = index.search("thing_7_1")
    lost = WithoutVectors((FILES - stored) * PER_FILE, FILES * PER_FILE)
    assert _state(answer.completeness) == State(0, lost)
    assert "connection broke" in answer.degraded and answer.hits[0].path == "7.py"
    assert_same_state_reported(code, server, State(0, lost))
    assert lacking(0, lost, "what was asked for") in hint_of(typed(code, server, "index"))

    server.reply = embeddings_answer
    with opened(code, server) as index:
        estimate, done = index.index(dry_run=True), index.index()
        assert counts(estimate) == counts(done)
        assert (done.indexed, done.embedded) == (0, lost.chunks)
        answer = index.search("thing_7_1")
        assert answer.complete and not answer.degraded and not answer.completeness.without_vectors
    found = states(code, server)
    assert found == dict.fromkeys(found, State(0, None))
    assert (
        "complete" in typed(code, server, "status").stdout
        and "fresh" in typed(code, server, "check").stdout
    )


def counts(report: IndexReport) -> tuple[object, ...]:
    return (
        report.files,
        report.chunks,
        report.indexed,
        report.embedded,
        report.reused,
        report.words,
        report.skipped,
    )


STEP = st.tuples(
    st.sampled_from(["index", "search", "check --fix", "gc", "edit", "words only", "other model"]),
    st.integers(0, 3),
)


@settings(max_examples=5)
@given(steps=st.lists(STEP, min_size=1, max_size=5))
def test_commands_agree_after_any_steps(steps: list[tuple[str, int]]) -> None:
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as folder,
        EmbeddingServer() as server,
    ):
        patch.setattr("ragit.index.run.run.BATCH_FILES", 2)
        patch.setattr("ragit.remote.client._pause", lambda *_: None)
        patch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.0)
        assert isinstance(server, EmbeddingServer)
        repo = GitSandbox(Path(folder) / "repo")
        for number in range(5):
            repo.write(f"{number}.py", body(f"thing_{number}") + "\n\n" + body("shared"))
        repo.commit()
        with opened(repo, server) as index:
            index.index()
        for what, lasts in steps:
            take(repo, server, what, lasts)
            found = states(repo, server)
            assert found == dict.fromkeys(found, found["check"]), what
        server.reply, server.replies = embeddings_answer, []
        with opened(repo, server) as index:
            estimate, done = index.index(dry_run=True), index.index()
            assert counts(estimate) == counts(done)
        found = states(repo, server)
        assert found == dict.fromkeys(found, State(0, None))


def take(repo: GitSandbox, server: EmbeddingServer, what: str, lasts: int) -> None:
    """Take one step with a server that fails after `lasts` requests."""
    if what == "edit":
        repo.write(f"{lasts}.py", body(f"edited_{repo.tree()[:6]}") + "\n\n" + body("shared"))
        repo.commit()
        return
    server.replies, server.reply = [embeddings_answer] * lasts, dead
    more = {
        "words only": {"embedding.provider": "none"},
        "other model": {"embedding.model": "other"},
    }.get(what, {})
    with opened(repo, server, **more) as index, suppress(EmbedderUnavailable):
        if what == "search":
            index.search("thing")
        elif what == "check --fix":
            index.check(fix=True)
        elif what == "gc":
            index.gc()
        else:
            index.index()


@pytest.mark.usefixtures("waits")
def test_chunks_without_vectors_are_found_by_keywords(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    server.replies = [embeddings_answer] * 2
    server.reply = dead
    with opened(code, server) as index:
        with pytest.raises(EmbedderUnavailable):
            index.index()
        index.search("thing")  # reads words only
        server.reply = embeddings_answer
        answer = index.search("thing_7_1", index=False)
        assert not answer.degraded and answer.completeness.without_vectors == (15, 24)
        assert answer.hits[0].path == "7.py"
        near = index.search("thing_0_1 thing_7_1", mode="vector", index=False)
        assert {hit.path for hit in near.hits} <= {"0.py", "1.py", "2.py"}


@pytest.mark.usefixtures("waits")
def test_descriptions_without_vectors_are_counted_and_completed(
    code: GitSandbox, server: EmbeddingServer, model: Model
) -> None:
    """Descriptions are stored at once. Vectors without them do not count, and cost no model to
    make.
    """
    described = {**flags(server), **model.settings}
    server.reply = embeddings_answer
    with open_repository(code.path, flags=described) as index:
        index.index(describe=False)
        server.reply = dead
        with pytest.raises(EmbedderUnavailable):
            index.index()
    with open_repository(code.path, flags=described) as index:
        paid = len(model.asked)
        assert 0 < paid < FILES * PER_FILE
        stored, waiting = index.status().descriptions or (0, 0)
        server.reply = embeddings_answer
        estimate = index.index(dry_run=True)
        answer = index.search("thing", index=False)
        assert estimate.described
        assert (stored, waiting, answer.completeness.undescribed) == (
            paid,
            FILES * PER_FILE - paid,
            estimate.described.chunks,
        )
        assert answer.completeness.undescribed == waiting
        assert (
            answer.completeness.without_vectors
            == index.check().completeness.without_vectors
            == estimate.without_vectors
            == (paid, 24)
        )
        completed = index.search("thing")
        assert (
            completed.complete
            and completed.completeness.undescribed == waiting
            and len(model.asked) == paid
        )
        report = index.index()
        assert report.described and (report.described.chunks, report.embedded) == (waiting, waiting)
        assert index.search("thing").completeness.undescribed == 0
