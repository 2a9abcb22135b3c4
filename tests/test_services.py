"""Tests of a service's address and key, from settings, environment and git."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from ragit.config import Embedding, Reranking
from ragit.errors import ConfigError
from ragit.remote.presets import PRESETS, Preset
from ragit.remote.server import Server
from ragit.services import server_of


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for preset in PRESETS.values():
        if preset.key_env:
            monkeypatch.setenv(preset.key_env, f"key of {preset.name}")


def server(settings: Embedding, preset: str = "openai") -> Server:
    return server_of(settings, "embedding", preset=PRESETS[preset], timeout_ms=1500, concurrency=2)


@pytest.mark.parametrize(
    "row", [row for row in PRESETS.values() if row.base_url], ids=lambda row: row.name
)
def test_provider_has_its_address_and_key(row: Preset) -> None:
    made = server(Embedding(), row.name)
    assert (made.base_url, made.key_header) == (row.base_url, row.key_header)
    assert made.key == (f"key of {row.name}" if row.key_env else "")
    assert (made.timeout, made.concurrency, made.section) == (1.5, 2, "embedding")


def test_key_of_a_provider_is_sent_to_its_address_only() -> None:
    made = server(Embedding(base_url="https://models.example.org/v1"))
    assert made.key == ""
    assert made.key_hint == ""
    assert (
        server(Embedding(base_url="http://api.openai.com/v1")).key == ""
    )  # unencrypted, it is another address
    assert server(Embedding(base_url="https://api.openai.com.example.org/v1")).key == ""


def test_named_variable_holds_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", " abc \n")
    made = server(Embedding(base_url="https://models.example.org/v1", api_key_env="MY_KEY"))
    assert made.key == "abc"
    assert made.key_hint == "the environment variable MY_KEY (embedding.apiKeyEnv)"


def test_address_of_another_provider_uses_its_key() -> None:
    settings = Reranking(base_url="https://api.voyageai.com/v1/")
    made = server_of(settings, "retrieval.reranking", timeout_ms=1000)
    assert (made.base_url, made.key) == ("https://api.voyageai.com/v1", "key of voyage")


def test_azure_needs_a_base_url() -> None:
    with pytest.raises(ConfigError, match=r"embedding\.baseUrl is not set") as caught:
        server(Embedding(), "azure")
    assert "openai.azure.com" in caught.value.hint
    made = server(Embedding(base_url="https://me.openai.azure.com/openai/v1"), "azure")
    assert (made.key, made.key_header) == ("key of azure", "api-key")


def test_headers_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", "search")
    made = server(Embedding(headers=(("x-team", "$TEAM"), ("x-plain", "1"))))
    assert made.headers == (("x-team", "search"), ("x-plain", "1"))
    with pytest.raises(ConfigError, match=r"x-team takes its value from \$GONE, which is not set"):
        server(Embedding(headers=(("x-team", "$GONE"),)))


def test_key_from_the_git_credential_helper(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "gitconfig"
    store = tmp_path / "kept"
    config.write_text(f'[credential]\n\thelper = "store --file {store.as_posix()}"\n')
    store.write_text("https://me:abc-123@api.openai.com\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(tmp_path)
    made = server(Embedding(key_from="git"))
    assert made.key == "abc-123" and "abc-123" not in repr(made)
    other = server(Embedding(key_from="git", base_url="https://other.example.org/v1"))
    assert other.key == ""
    assert other.key_hint == "the key that git's credential helper keeps for other.example.org"


def test_key_from_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the library, which is no dependency, by a module with the one function called."""
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ConfigError, match="keyring is not installed"):
        server(Embedding(key_from="keyring"))
    ring = ModuleType("keyring")
    ring.get_password = lambda service, user: (
        "abc" if (service, user) == ("ragit", "api.openai.com") else None
    )  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", ring)
    assert server(Embedding(key_from="keyring")).key == "abc"
    assert server(Embedding(key_from="keyring", base_url="https://other.example.org/v1")).key == ""
