"""Tests of requests to an embedding server, from a commit to the report: counts, forecasts, prices,
secrets.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from sandbox import GitSandbox
from serving import Answer, EmbeddingServer, embeddings_answer, error

import ragit
from ragit.cli import cli
from ragit.errors import ConfigError, EmbedderUnavailable
from ragit.index.vectors.same_model import PROBE

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def code(repo: GitSandbox) -> GitSandbox:
    repo.write("a.py", f'def one():\n    return "{TOKEN}"\n')
    repo.write("b.py", f'def one():\n    return "{TOKEN}"\n')  # the same text is sent once
    repo.write("c.py", "def two():\n    return 2\n")
    repo.write("d.py", "def three():\n" + "    call()\n" * 90)
    repo.commit()
    return repo


def flags(server: EmbeddingServer, **more: object) -> dict[str, object]:
    named = {f"embedding.{name}": value for name, value in more.items()}
    return {
        "embedding.provider": "openai",
        "embedding.baseUrl": server.url,
        "embedding.model": "Tiny",
        **named,
    }


def picky(payload: dict[str, Any]) -> Answer:
    """Answer as a server with a short limit that refuses one text."""
    if any(len(text) > 600 for text in payload["input"]):
        return error(400, "too long")
    if any("two" in text for text in payload["input"]):
        return error(422, "I do not like that")
    status, headers, body = embeddings_answer(payload)
    return status, headers, json.dumps({**json.loads(body), "usage": {"total_tokens": 10}}).encode()


def test_report_counts_what_was_sent(code: GitSandbox, server: EmbeddingServer) -> None:
    server.replies = [picky] * 50
    settings = {**flags(server), "pricing": {"tiny": [2.0]}}
    with ragit.open(code.path, flags=settings) as index:
        sent = index.index().sent
        assert sent and (sent.model, sent.secrets, sent.shortened, sent.refused) == (
            "Tiny",
            1,
            1,
            1,
        )
        assert sent.tokens >= 20 and sent.cost == pytest.approx(sent.tokens * 2e-6)
        assert index.index().sent is None  # nothing was missing
        assert index.search("one", mode="vector").hits  # only the refused text has no vector
        assert "c.py" in [hit.path for hit in index.search("two").hits]
    assert TOKEN not in json.dumps(server.asked)


def test_search_names_the_server_it_indexes_with(code: GitSandbox, server: EmbeddingServer) -> None:
    settings = [f"-c{name}={value}" for name, value in flags(server).items()]
    host = server.url.split("/")[2]
    for first in (f"indexing 3 files first, with openai at {host}\n", ""):
        result = CliRunner().invoke(cli, ["-C", str(code.path), *settings, "search", "two"])
        assert result.stderr.startswith("indexing") == bool(first)
        assert result.stderr.startswith(first)


def test_dry_run_estimates_tokens_and_sends_nothing(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    settings = {**flags(server), "pricing.tiny": "100"}
    with ragit.open(code.path, flags=settings) as index:
        estimate = index.index(dry_run=True)
        assert not server.asked
        done = index.index()
    assert estimate.sent and done.sent is not None
    assert estimate.sent.secrets == done.sent.secrets == 1
    texts = sum(len(text) for payload in server.asked for text in payload["input"] if text != PROBE)
    assert estimate.sent.tokens == pytest.approx(texts / 3.5, rel=0.1)
    assert estimate.sent.cost == pytest.approx(estimate.sent.tokens / 10_000)


def test_changed_dimensions_degrade_to_keyword_search(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    def wider(payload: dict[str, Any]) -> Answer:
        return embeddings_answer(payload, 6)

    words = "gives 6 dimensions now, and the stored vectors have 4"
    with ragit.open(code.path, flags=flags(server)) as index:
        index.index()
    server.replies = [wider] * 100
    with ragit.open(code.path, flags=flags(server)) as index:
        answer = index.search("three")
        assert words in answer.degraded and [hit.path for hit in answer.hits] == ["d.py"]
        with pytest.raises(EmbedderUnavailable, match=words):
            index.search("three", mode="vector")
        code.write("new.py", "def another(): pass\n")
        answer = index.search("another")  # which indexes that file by its words
        assert words in answer.degraded and [hit.path for hit in answer.hits] == ["new.py"]
        with pytest.raises(EmbedderUnavailable, match=words):
            index.index(scope="worktree")
        index.index(rebuild=True)
        assert index.search("three", mode="vector").hits


def test_index_command_prints_tokens_and_secrets(code: GitSandbox, server: EmbeddingServer) -> None:
    server.replies = [picky] * 50
    options = [part for name, value in flags(server).items() for part in ("-c", f"{name}={value}")]
    run = CliRunner()
    estimate = run.invoke(cli, ["-C", str(code.path), *options, "index", "--dry-run"]).output
    assert "tokens for Tiny; no price for Tiny under `pricing`" in estimate
    assert "1 secret to be taken out of what is sent" in estimate
    done = run.invoke(cli, ["-C", str(code.path), *options, "index", "--json"])
    assert json.loads(done.output)["sent"]["shortened"] == 1
    assert TOKEN not in done.output


def test_bundled_model_sends_nothing(code: GitSandbox) -> None:
    with ragit.open(code.path) as index:
        assert index.index(dry_run=True).sent is None
        assert index.index().sent is None
        trial = index.test_embedder()
    assert (trial.provider, trial.address, trial.dimensions) == ("static", "", 256)
    assert trial.notes == ("it is part of ragit, and sends nothing anywhere",)


def test_test_embedder_reports_the_server(code: GitSandbox, server: EmbeddingServer) -> None:
    with ragit.open(code.path, flags=flags(server, dimensions=3)) as index:
        trial = index.test_embedder()
    assert (trial.address, trial.model, trial.dimensions) == (f"{server.url}/embeddings", "Tiny", 3)
    assert trial.key == "none is sent, unless embedding.apiKeyEnv names one" and trial.query_ms > 0
    assert len(server.asked) == 2


def test_embeddings_of_zeros_are_an_error(code: GitSandbox, server: EmbeddingServer) -> None:
    def zeros(payload: dict[str, Any]) -> object:
        return {
            "data": [{"index": at, "embedding": [0.0, 0]} for at in range(len(payload["input"]))]
        }

    options = [part for name, value in flags(server).items() for part in ("-c", f"{name}={value}")]
    server.reply = zeros
    with ragit.open(code.path, flags=flags(server)) as index:
        with pytest.raises(
            EmbedderUnavailable, match=r"model Tiny at .* embeddings that are all zero"
        ):
            index.test_embedder()
        with pytest.raises(EmbedderUnavailable, match="all zero"):
            index.index()
    done = CliRunner().invoke(cli, ["-C", str(code.path), *options, "embed", "--test"])
    assert done.exit_code != 0 and "works" not in done.output


def test_text_with_a_zero_vector_is_found_by_keywords(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    def some(payload: dict[str, Any]) -> object:
        rows = [[0.0, 0] if "two" in text else [1.0, len(text)] for text in payload["input"]]
        return {"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}

    server.reply = some
    with ragit.open(code.path, flags=flags(server)) as index:
        sent = index.index().sent
        assert sent and sent.refused == 1
        assert "c.py" in [hit.path for hit in index.search("two").hits]


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"provider": "ollama"}, "key: none is sent, and none is needed"),
        ({"provider": "openai"}, "key: none is sent, unless embedding.apiKeyEnv names one"),
        (
            {"provider": "vllm"},
            "key: the environment variable VLLM_API_KEY (embedding.apiKeyEnv): "
            "not set, and needed only where the server was started with one",
        ),
        (
            {"provider": "openai", "apiKeyEnv": "MY_KEY"},
            "key: the environment variable MY_KEY (embedding.apiKeyEnv): set",
        ),
    ],
)
def test_embed_test_reports_the_key(
    code: GitSandbox,
    server: EmbeddingServer,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, object],
    line: str,
) -> None:
    monkeypatch.setenv("MY_KEY", "k-123456")
    options = [p for name, v in flags(server, **settings).items() for p in ("-c", f"{name}={v}")]
    output = CliRunner().invoke(cli, ["-C", str(code.path), *options, "embed", "--test"]).output
    assert f"  {line}\n" in output


def test_refusal_without_a_key_hints_at_the_key_setting(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    server.reply = lambda _: error(401, "who are you")
    with (
        ragit.open(code.path, flags=flags(server)) as index,
        pytest.raises(EmbedderUnavailable) as caught,
    ):
        index.test_embedder()
    assert (
        caught.value.hint
        == "No key is sent to this address: embedding.apiKeyEnv names the variable that holds one"
    )


@pytest.mark.parametrize(
    ("price", "words"),
    [
        ("2", "10 tokens for both; $0.000020 by `pricing`"),
        (None, "10 tokens for both; no price for Tiny under `pricing`"),
    ],
)
def test_embed_test_reports_its_cost(
    code: GitSandbox, server: EmbeddingServer, price: str | None, words: str
) -> None:
    def five(payload: dict[str, Any]) -> Answer:
        status, headers, body = embeddings_answer(payload)
        return (
            status,
            headers,
            json.dumps({**json.loads(body), "usage": {"total_tokens": 5}}).encode(),
        )

    server.reply = five
    settings = {**flags(server), **({"pricing.tiny": price} if price else {})}
    options = [p for name, v in settings.items() for p in ("-c", f"{name}={v}")]
    assert (
        f"  {words}\n"
        in CliRunner().invoke(cli, ["-C", str(code.path), *options, "embed", "--test"]).output
    )


def test_embed_test_does_not_print_the_key(
    code: GitSandbox, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "k-123456")
    options = [
        p for name, v in flags(server, apiKeyEnv="MY_KEY").items() for p in ("-c", f"{name}={v}")
    ]
    for form in ([], ["--json"]):
        output = (
            CliRunner()
            .invoke(cli, ["-C", str(code.path), *options, "embed", "--test", *form])
            .output
        )
        assert "k-123456" not in output and "MY_KEY" in output
        assert "unencrypted" not in output  # the server is on this machine
    assert server.headers[-1]["Authorization"] == "Bearer k-123456"


def test_model_with_constant_vectors_is_noted(code: GitSandbox, server: EmbeddingServer) -> None:
    same = json.dumps({"data": [{"index": 0, "embedding": [1, 2]}]}).encode()
    server.replies = [lambda _: (200, {}, same)] * 2
    with ragit.open(code.path, flags=flags(server)) as index:
        assert "no model for search" in index.test_embedder().notes[0]


def test_embed_test_without_an_embedder_is_refused(code: GitSandbox) -> None:
    with (
        ragit.open(code.path, flags={"embedding.provider": "none"}) as index,
        pytest.raises(ConfigError, match="none"),
    ):
        index.test_embedder()


def test_untrusted_settings_file_cannot_set_a_server(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    """Settings of a clone have no effect until the user trusts them: nothing is sent."""
    lines = "".join(
        f'{name.partition(".")[2]} = "{value}"\n' for name, value in flags(server).items()
    )
    code.write(
        ".ragit.toml", f'[embedding]\n{lines}headers = {{ x = "$HOME" }}\nproxy = "{server.url}"\n'
    )
    code.commit()
    with ragit.open(code.path) as index:
        index.index()
        index.search("one")
        assert index.test_embedder().provider == "static"
    assert not server.asked


def test_untrusted_settings_file_cannot_multiply_requests(
    code: GitSandbox, server: EmbeddingServer
) -> None:
    """Prefixes, batches and chunk sizes of an untrusted file do not apply to the user's server."""

    def sent() -> tuple[int, int]:
        server.asked.clear()
        with ragit.open(code.path, flags=flags(server)) as index:
            index.index(rebuild=True)
            index.search("one")
        texts = [text for payload in server.asked for text in payload["input"]]
        return len(server.asked), sum(map(len, texts))

    for number in range(5):
        body = "".join(f"    total += values[{line}] * {number}\n" for line in range(60))
        code.write(
            f"long_{number}.py", f"def weigh_{number}(values, total):\n{body}    return total\n"
        )
    code.commit()
    requests, characters = sent()
    prefix = "x" * 5000
    code.write(
        ".ragit.toml",
        f'[embedding]\ndocumentPrefix = "{prefix}"\nqueryPrefix = "{prefix}"\nbatchSize = 1\n'
        "[index]\nmaxChunkBytes = 64\nmaxChunkLines = 1\nmaxFileBytes = 1073741824\n"
        '[retrieval]\ntopK = 10000\n[chunking.nodeTypes]\npython = ["expression_statement"]\n',
    )
    again = sent()
    assert again[0] <= 2 * requests  # the settings file itself is indexed too
    assert again[1] < characters + 4 * len(prefix)
