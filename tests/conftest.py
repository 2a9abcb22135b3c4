"""Shared fixtures: an empty home, a clean git environment, a fresh repository, servers."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from describing import Model
from hypothesis import HealthCheck, Phase, settings
from sandbox import GitSandbox, clean_environment, set_environment
from serving import EmbeddingServer

from ragit.chunk import texts
from ragit.git import Repo
from ragit.index.run.worker import IndexingWorker

# A shell that starts a process in the background makes it ignore Ctrl-C, also in its children.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start hundreds of processes, each twice as slow if it has to compile ragit first.
sys.dont_write_bytecode = False

# Use the same examples each time, so that a failure comes from the change. HYPOTHESIS_PROFILE=long
# tries others for an hour, raw does not shrink. No deadline, since the machine is shared.
_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("quick", max_examples=60, derandomize=True, **_COMMON)
settings.register_profile("long", max_examples=3000, **_COMMON)
settings.register_profile(
    "raw", phases=[Phase.explicit, Phase.generate], max_examples=60, **_COMMON
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


LONGEST = (
    "slow descriptions server_failures concurrency documents_work documents invariants damage cli"
    " precommit states crashing_grammars fuzz_grammars images chunkers bad_input kinds_of_repositories"
    " worker mcp_protocol bench secrets rebuild new_in refs_union doctor output documents_child api"
).split()
"""Files of tests that take 5 to 25 s of processor time."""


gc.disable()
"""Collection keeps all that it makes; looking through it for garbage takes a quarter of its time."""


def pytest_collection_finish() -> None:
    """Let the garbage collector run from here on, and never look at what collection made."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files, so that no process is left with one of them at the end."""
    order = {f"test_{name}": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return an empty home for the session. No test touches the real one, or inherits GIT_*
    variables.
    """
    real = dict(os.environ)
    empty = tmp_path_factory.mktemp("home")
    set_environment(clean_environment(empty))
    yield empty
    set_environment(real)


@pytest.fixture(autouse=True)
def same_environment() -> Iterator[None]:
    """Restore the environment after each test."""
    before = dict(os.environ)
    yield
    set_environment(before)


@pytest.fixture(scope="module", autouse=True)
def freed_memory() -> Iterator[None]:
    """Return freed memory to the system after each file. glibc would keep hundreds of megabytes."""
    yield
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)


@pytest.fixture(scope="session", autouse=True)
def kept_child() -> Iterator[None]:
    """Keep the child process that chunks texts for the next index run: a start takes 0.1 s, and
    tests index a thousand times. A child that a test starts in another way ends with its run.
    """
    close, start = IndexingWorker.close, texts._START

    def close_and_keep(worker: IndexingWorker) -> None:
        idle = []
        if start == texts._START:
            idle, texts._spares._idle = texts._spares._idle, idle
        close(worker)
        texts._spares._idle += idle

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IndexingWorker, "close", close_and_keep)
        yield


@pytest.fixture
def repo(tmp_path: Path) -> GitSandbox:
    """Return an empty repository on branch main, without a commit."""
    return GitSandbox(tmp_path / "repo")


@pytest.fixture
def opened(repo: GitSandbox) -> Iterator[Repo]:
    """Open the repository of `repo` before its first commit; tests `refresh` it."""
    with Repo.open(repo.path) as found:
        yield found


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """Return a scriptable embedding server on this machine."""
    running = EmbeddingServer()
    yield running
    running.close()


@pytest.fixture
def model() -> Iterator[Model]:
    """Return a language model on this machine that describes by rule."""
    with Model() as running:
        yield running


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses between retries, without sleeping."""
    pauses: list[float] = []
    monkeypatch.setattr("ragit.remote.client._pause", lambda seconds, _: pauses.append(seconds))
    clock = SimpleNamespace(sleep=pauses.append, time=time.time)
    monkeypatch.setattr("openai._base_client.time", clock)
    return pauses
