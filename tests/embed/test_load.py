"""Tests of loading an embedder by its name: ragit's own, or one of another distribution."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox import GitSandbox

import ragit
from ragit.embed import load_embedder
from ragit.errors import ConfigError, EmbedderUnavailable

LETTERS = """
from array import array

class Letters:
    fingerprint, dimensions, local = "letters:1", 26, True

    def __init__(self, options):
        pass

    def embed(self, texts):
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        counts = [text.lower().count(chr(97 + i)) for i in range(26)]
        length = sum(count * count for count in counts) ** 0.5 or 1.0
        return array("f", [count / length for count in counts]).tobytes()

    def knows(self, text):
        return True
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a distribution with two embedders, one of them broken."""
    folder = tmp_path / "site"
    metadata = folder / "letters-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "letters.py").write_text(LETTERS)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: letters\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[ragit.embedders]\nletters = letters:Letters\nbroken = letters:Missing\n"
    )
    monkeypatch.syspath_prepend(folder)


@pytest.mark.usefixtures("installed")
def test_installed_embedder_is_chosen_by_name(repo: GitSandbox) -> None:
    repo.write("a.py", "def zigzag():\n    pass\n")
    repo.commit()
    with ragit.open(repo.path, flags={"embedding.provider": "letters"}) as index:
        assert index.index().embedded == 1
        assert index.status().embedder == "letters:1"
        (hit,) = index.search("zigzag", mode="vector").hits
    assert hit.signals["vector"] > 0


@pytest.mark.usefixtures("installed")
def test_broken_embedder_is_reported() -> None:
    with pytest.raises(EmbedderUnavailable, match="the embedder broken cannot be loaded") as caught:
        load_embedder("broken")
    assert "embedding.provider" in caught.value.hint


@pytest.mark.usefixtures("installed")
def test_unknown_embedder_error_lists_the_known_ones(repo: GitSandbox) -> None:
    repo.commit()
    flags = {"embedding.provider": "statik"}
    with (
        ragit.open(repo.path, flags=flags) as index,
        pytest.raises(ConfigError, match="'statik'") as caught,
    ):
        index.index()
    for known in (
        "broken",
        "letters",
        "llama.cpp",
        "ollama",
        "openai",
        "static",
        "none for keywords only",
    ):
        assert known in caught.value.hint
