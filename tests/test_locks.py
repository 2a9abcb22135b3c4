"""Locks between processes: shared or alone, freed by a death, and an error in words where they cannot be had."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragit.errors import StoreBusy, StoreUnreadable
from ragit.locks import held, lock


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x.lock"
    with lock(path) as first, lock(path) as second:
        assert (first, second) == (True, False)
    with lock(path) as again:
        assert again


def test_several_share_and_keep_others_out(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with lock(path, shared=True) as one, lock(path, shared=True) as two, lock(path) as alone:
        assert (one, two, alone) == (True, True, False)


def test_waiting_has_an_end_and_says_for_whom(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    started = time.monotonic()
    with (
        lock(path),
        pytest.raises(StoreBusy, match="a running gc has held") as caught,
        held(path, wait_s=0.1, by="a running gc"),
    ):
        pass
    assert 0.1 <= time.monotonic() - started < 5
    assert "Wait" in caught.value.hint


def test_a_dead_holder_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    script = (
        "import time; from pathlib import Path; from ragit.locks import lock\n"
        f"with lock(Path({str(path)!r})):\n    print(1, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        with lock(path) as taken:
            assert not taken
        holder.kill()
        holder.wait()
    with lock(path, wait_s=2) as taken:
        assert taken


def test_a_lock_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreUnreadable, match="cannot write") as caught,
        lock(tmp_path / "file" / "x.lock"),
    ):
        pass
    assert (
        "ragit -c index.storePath=FILE" in caught.value.hint
    )  # git config could not write there, either
