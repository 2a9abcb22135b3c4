"""Tests that a private key cut over many chunks reaches no server, as a text to embed, describe or
rank.
"""

from __future__ import annotations

import json
import random
import string

import pytest
from describing import Model
from hypothesis import given, settings
from hypothesis import strategies as st
from sandbox import GitSandbox
from serving import AnsweringServer, EmbeddingServer

import ragit
from ragit.index.vectors.private_keys import without_private_keys
from ragit.index.vectors.text import text_hash
from ragit.remote.secrets import redact
from ragit.types import Chunk

LINES = [
    "".join(random.Random(seed).choices(string.ascii_letters + string.digits + "+/", k=64))
    for seed in range(40)
]
KEY = "\n".join(["-----BEGIN PRIVATE KEY-----", *LINES, "-----END PRIVATE KEY-----"])
SIZES: dict[str, object] = {"index.maxChunkLines": 7, "index.maxChunkBytes": 600}


@pytest.fixture
def code(repo: GitSandbox) -> GitSandbox:
    """Return a key alone, a key within code, and code beside them."""
    repo.write("deploy.pem", KEY + "\n")
    repo.write(
        "deploy.py",
        f'def connect():\n    return """{KEY}"""\n\n\ndef close():\n    return "closed"\n',
    )
    repo.write("other.py", 'def connect_slowly():\n    return "slowly"\n')
    repo.commit()
    return repo


def sent(*servers: AnsweringServer) -> str:
    """Return all requests to these servers."""
    return json.dumps([server.asked for server in servers])


def test_key_in_many_chunks_is_not_sent(
    code: GitSandbox, server: EmbeddingServer, model: Model
) -> None:
    flags: dict[str, object] = {
        **SIZES,
        **model.settings,
        "embedding.provider": "openai",
        "embedding.baseUrl": server.url,
        "embedding.model": "tiny",
        "retrieval.reranking.provider": "jina",
        "retrieval.reranking.candidates": 50,
    }

    def relevances(payload: dict[str, object]) -> object:
        documents = payload["documents"]
        assert isinstance(documents, list)
        return {"results": [{"index": at, "relevance_score": -at} for at in range(len(documents))]}

    with AnsweringServer(relevances) as reranker:
        flags["retrieval.reranking.baseUrl"] = reranker.url
        with ragit.open(code.path, flags=flags) as index:
            estimate = index.index(dry_run=True)
            done = index.index()
            answer = index.search("connect deploy", top_k=50, rerank=True)
        assert answer.reranked_by and answer.reranked_by.candidates > 12
        requests = sent(server, model, reranker)
    assert "BEGIN PRIVATE KEY" in requests and "closed" in requests and "***" in requests
    assert not [line for line in LINES if line in requests]
    assert estimate.sent and done.sent and done.described
    assert estimate.sent.secrets == done.sent.secrets == done.described.secrets >= 6


def test_text_around_a_key_is_still_found(code: GitSandbox) -> None:
    with ragit.open(code.path, flags=SIZES) as index:
        assert "closed" in index.search("close").hits[0].text
        assert KEY.split("\n")[2] in "".join(
            hit.text for hit in index.search("deploy.pem", top_k=50).hits
        )


def test_text_inside_and_outside_a_key_has_different_hashes() -> None:
    """Otherwise its vector would depend on the file indexed first."""
    middle = "\n".join(LINES[10:17])
    inside = [
        Chunk(1, 11, 0, 688, "\n".join(KEY.split("\n")[:11])),
        Chunk(12, 18, 689, 689 + len(middle), middle),
    ]
    outside = [Chunk(1, 7, 0, len(middle), middle)]
    assert text_hash(without_private_keys(inside).chunks[1]) != text_hash(
        without_private_keys(outside).chunks[0]
    )
    assert without_private_keys(outside).chunks == tuple(outside)


@given(st.integers(1, 30), st.integers(100, 3000))
@settings(max_examples=30, deadline=None)
def test_reranked_text_contains_no_part_of_a_token(at: int, bound: int) -> None:
    """A text is cleaned before it is cut to size."""
    from ragit.config import Reranking
    from ragit.records import replaced
    from ragit.search.hits import Document
    from ragit.search.rerank import Reranker

    token = "ghp_" + "a1B2" * 9
    text = "x = 1\n" * at + f'token = "{token}"\n' * 40
    reranker = Reranker(
        replaced(Reranking(), base_url="http://localhost:1/v1", max_doc_chars=bound)
    )
    shown = reranker._document_text(Document(f"keys/{token}.py", "", "", text))
    assert "a1B2a1B2" not in shown and redact(shown) == shown
