"""Tests that a dry run predicts the run's report exactly, for any store and settings."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from describing import Model, body, failing
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image
from sandbox import GitSandbox
from serving import EmbeddingServer

from ragit.index.vectors.same_model import PROBE
from ragit.reports import IndexReport
from ragit.repository.repository import Ragit, open_repository

TOKEN = "ghp_" + "a1B2" * 9

FILES = {
    "alpha.py": body("alpha"),
    "beta.py": body("beta"),
    "two.py": body("alpha") + "\n\n" + body("beta"),
    "three.py": body("beta") + "\n\n" + body("gamma") + "\n\n" + body("delta"),
    "again.py": body("delta") + "\n\n" + body("alpha"),
    "secret.py": body("delta") + f'\n\nKEY = "{TOKEN}"\n' + body("gamma"),
    "empty.py": "",
    "data.bin": "\0\1",
}
"""Files that share texts with each other."""


class Wanted(NamedTuple):
    """Settings, and the kind of run."""

    embedder: str
    chunks: bool = False
    """Describe chunks."""
    images: bool = False
    describe: bool = True
    """Run with --describe."""
    prompt: str = ""

    def flags(self, server: EmbeddingServer, model: Model) -> dict[str, object]:
        """Return the settings as flags."""
        served = (
            {"embedding.baseUrl": server.url, "embedding.model": "tiny"}
            if self.embedder == "openai"
            else {}
        )
        described = {**model.settings, "description.prompt": self.prompt} if self.chunks else {}
        images = model.image_settings if self.images else {}
        return {
            "embedding.provider": self.embedder,
            **served,
            **described,
            **images,
            "index.workers": 1,
        }


class Before(NamedTuple):
    """An earlier run."""

    what: str
    wanted: Wanted
    at: int
    faults: bool
    """The describing model refuses some chunks."""


WANTED = st.builds(
    Wanted,
    st.sampled_from(["static", "none", "openai"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "Say it in verse."]),
)
BEFORE = st.builds(
    Before,
    st.sampled_from(["index", "search", "gc", "rebuild"]),
    WANTED,
    st.integers(0, 2),
    st.booleans(),
)


@pytest.fixture(autouse=True, scope="module")
def small_batches() -> Iterator[None]:
    """Make batches small, so that one run has several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragit.index.run.run.BATCH_FILES", 3)
        patch.setattr("ragit.index.run.run.DESCRIBED_FILES", 2)
        yield


@pytest.fixture(scope="module")
def history() -> Iterator[tuple[GitSandbox, list[str]]]:
    """Return three revisions, each with more of the files."""
    with tempfile.TemporaryDirectory() as folder:
        repo = GitSandbox(Path(folder) / "repo")
        revisions = []
        for number in range(3):
            for name, text in list(FILES.items())[: (3, 5, 9)[number]]:
                repo.write(name, text)
            for name in ("one.png", "same.png")[: number + 1]:
                repo.write(name, picture(20 + number // 2))
            revisions.append(repo.commit())
        yield repo, revisions


def picture(side: int) -> bytes:
    sink = io.BytesIO()
    Image.new("RGB", (side, side)).save(sink, "PNG")
    return sink.getvalue()


def counts(report: IndexReport) -> dict[str, object]:
    """Return all counts that can be known in advance; the words of an image cannot."""
    asked = report.described
    found = {
        name: getattr(report, name)
        for name in ("trees", "files", "chunks", "indexed", "embedded", "reused")
    }
    found["skipped"] = dict(report.skipped)
    found["described"] = asked and (asked.chunks, asked.images, asked.secrets)
    found["words"] = report.words if asked is None or not asked.images else "more or less"
    found["taken out"] = report.sent.secrets if report.sent else 0
    return found


def act(index: Ragit, one: Before, revisions: list[str]) -> None:
    if one.what == "search":
        index.search("alpha step", ref=revisions[one.at])
    elif one.what == "gc":
        index.gc()
    else:
        index.index(revisions[one.at], rebuild=one.what == "rebuild", describe=one.wanted.describe)


@settings(max_examples=12)
@given(
    before=st.lists(BEFORE, max_size=3), wanted=WANTED, at=st.integers(0, 2), rebuild=st.booleans()
)
@example(  # vectors of undescribed code, in the table of another describer
    before=[Before("index", Wanted("openai", chunks=True), 2, faults=True)],
    wanted=Wanted("openai", chunks=True, describe=False, prompt="Say it in verse."),
    at=2,
    rebuild=False,
)
@example(
    before=[Before("search", Wanted("static", chunks=True), 2, faults=False)],
    wanted=Wanted("static"),
    at=2,
    rebuild=False,
)
@example(  # a rebuild takes descriptions over
    before=[Before("index", Wanted("static", images=True), 0, faults=False)],
    wanted=Wanted("static", images=True, describe=False),
    at=0,
    rebuild=True,
)
def test_dry_run_counts_equal_those_of_the_run(
    history: tuple[GitSandbox, list[str]],
    before: list[Before],
    wanted: Wanted,
    at: int,
    rebuild: bool,
) -> None:
    repo, revisions = history
    with tempfile.TemporaryDirectory() as folder, EmbeddingServer() as server, Model() as model:
        assert isinstance(server, EmbeddingServer) and isinstance(model, Model)
        place = {"index.storePath": f"{folder}/index.db"}
        for one in before:
            model.faults = {"beta": failing(400)} if one.faults else {}
            with open_repository(
                repo.path, flags={**one.wanted.flags(server, model), **place}
            ) as index:
                act(index, one, revisions)
        model.faults = {}
        server.asked.clear()
        model.asked.clear()
        with open_repository(repo.path, flags={**wanted.flags(server, model), **place}) as index:
            options = {"rebuild": rebuild, "describe": wanted.describe}
            predicted = index.index(revisions[at], dry_run=True, **options)
            assert not server.asked and not model.asked
            done = index.index(revisions[at], **options)
            assert counts(predicted) == counts(done)
            sent = [text for payload in server.asked for text in payload["input"] if text != PROBE]
            assert (
                len(sent) == len(set(sent)) == (done.embedded if wanted.embedder == "openai" else 0)
            )
            assert len(model.asked) == (
                done.described.chunks + done.described.images if done.described else 0
            )
            again = index.index(revisions[at], dry_run=True, describe=wanted.describe)
            assert (again.indexed, again.embedded, again.without_vectors) == (0, 0, None)


def test_workers_count_shared_texts_once(repo: GitSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragit.index.run.run.POOL_FROM", 2)
    for number in range(12):
        repo.write(f"{number}.py", body("shared") + "\n\n" + body(f"own_{number}"))
    repo.commit()
    with open_repository(repo.path, flags={"index.workers": 2}) as index:
        predicted, done = index.index(dry_run=True), index.index()
    assert counts(predicted) == counts(done)
    assert (done.embedded, done.reused, done.chunks) == (13, 11, 24)
