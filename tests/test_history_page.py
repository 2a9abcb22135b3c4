"""Tests of the sessions of docs/history.md, on a clone of apache/kafka if there is one, and on a
small repository.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from sandbox import GitSandbox
from terminal import Terminal, steady
from test_diff import ADD, CLOSE, RETRY

PAGE = Path(__file__).parent.parent / "docs" / "history.md"
COMMIT = "1eb7644349cb07139d6a3c1ad1986979647cac99"
OTHER_TREES = ("3.7.0", "3.9.0-rc3", "3.6.0", "3.6.1", "3.6.2", "3.7.1", "3.8.0")
CLONE = os.environ.get("KAFKA_CLONE", "")


def sessions() -> list[str]:
    return re.findall(r"```console\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def shown(terminal: Terminal, session: str) -> str:
    """Type the commands of a session, and return it with their present output."""
    lines = []
    for line in session.splitlines():
        if line.startswith("$ ragit "):
            result = terminal.ragit(*shlex.split(line[8:]))
            progress = ("indexing", "commits: ")
            err = [one for one in result.err.splitlines() if not one.startswith(progress)]
            lines += [line, *result.out.splitlines(), *err]
    return "\n".join(lines) + "\n"


def test_page_shows_every_history_command() -> None:
    typed = [line for one in sessions() for line in one.splitlines() if line.startswith("$ ragit ")]
    assert len(typed) >= 6
    for command in ("diff", "since", "since --gone", "search --in-refs", "search --gone-since"):
        assert any(line.startswith(f"$ ragit {command} ") for line in typed)


@pytest.fixture(scope="module")
def kafka() -> Terminal:
    """Return a shell in a clone of apache/kafka, with all trees of the sessions indexed."""
    repo = GitSandbox(Path(CLONE))
    assert repo.git("rev-parse", "HEAD") == COMMIT
    terminal = Terminal(repo.path)
    terminal.ragit("index", "-q", "HEAD", *OTHER_TREES, code=0)
    return terminal


def steadied(session: str) -> str:
    """Return a session without scores and counts of commits, which change with the ranking and
    speed.
    """
    text = re.sub(r"\b0\.\d{3}$", "SCORE", session, flags=re.MULTILINE)
    text = re.sub(r"^note: [\d,]+ more", "note: N more", text, flags=re.MULTILINE)
    looked = r"^looked at [\d,]+ commits?, 253 tags and [\d,]+ versions?"
    return re.sub(looked, "looked at N", text, flags=re.MULTILINE)


@pytest.mark.skipif(not CLONE, reason="KAFKA_CLONE names no clone of apache/kafka")
@pytest.mark.slow
@pytest.mark.parametrize("session", sessions(), ids=lambda text: text.splitlines()[0][2:40])
def test_sessions_on_kafka_are_current(kafka: Terminal, session: str) -> None:
    assert steadied(shown(kafka, session)) == steadied(session)


@pytest.fixture
def shop(repo: GitSandbox) -> GitSandbox:
    """Return a repository with two releases; between them code was added, moved, renamed and
    removed.
    """
    repo.write("shop/calls.py", RETRY + "\n\n" + CLOSE)
    repo.commit("Call the bank")
    repo.tag("v1.0")
    repo.write("shop/calls.py", RETRY.replace("OSError", "TimeoutError"))
    repo.write("shop/pool.py", CLOSE)
    repo.commit("Keep connections in a pool")
    repo.write("shop/sums.py", ADD)
    repo.rm("shop/calls.py")
    repo.write(
        "shop/retries.py", RETRY.replace("OSError", "TimeoutError").replace("retry", "again")
    )
    repo.commit("Sum up")
    repo.tag("v1.1")
    return repo


LOOKED = "looked at N commits, 2 tags and N versions"
SHOP = """\
$ ragit diff v1.0..v1.1
1 added, 1 moved, 1 renamed in 4 files; v1.0 (tree TREE) to v1.1 (tree TREE)

shop/pool.py
  moved    1-4  function  close_connection  from shop/calls.py

shop/retries.py
  renamed  1-8  function  again  like retry from shop/calls.py (N)

shop/sums.py
  added    1-3  function  add
$ ragit diff v1.0..v1.1 "sum of two numbers" -k 1
1 added for 'sum of two numbers', v1.0 (tree TREE) to v1.1 (tree TREE)

shop/sums.py:1
  added  1-3  function  add  N
note: N more changes found; -k shows more
$ ragit since close_connection
shop/pool.py:1-4  close_connection  function
  since   2023-11-14  COMMIT  Tester  Call the bank
  moved   2023-11-14  COMMIT  Tester  Keep connections in a pool
          from shop/calls.py
  tag     v1.0 is the first that has it
looked at N commits, 2 tags and N versions of files
$ ragit since shop/calls.py:3 --ref v1.0
shop/calls.py:1-8  retry  function
  since   2023-11-14  COMMIT  Tester  Call the bank
  tag     v1.0 is the first that has it
looked at N commits, 2 tags and N versions of files
$ ragit since --gone retry
retry is gone from HEAD
  removed 2023-11-14  COMMIT  Tester  Sum up
  last    shop/calls.py:1-8  retry  function in COMMIT
  since   2023-11-14  COMMIT  Tester  Keep connections in a pool
  tag     none had it
looked at N commits, 2 tags and N versions of files
$ ragit since pay
error: HEAD defines no pay
hint: If it is gone, to see when: ragit since --gone pay
"""


def test_sessions_on_a_small_repository(shop: GitSandbox) -> None:
    text = steady(shown(Terminal(shop.path, RAGIT_INDEX_MIN_CHUNK_BYTES="0"), SHOP))
    for rev in ("v1.0", "v1.1"):
        text = text.replace(shop.tree(rev)[:10], "TREE")
    for commit in shop.git("rev-list", "HEAD").split():
        text = text.replace(commit[:10], "COMMIT")
    text = re.sub(r"\d\.\d{3}$", "N", text, flags=re.MULTILINE)
    text = re.sub(r"\(\d\.\d\d\)$", "(N)", text, flags=re.MULTILINE)
    text = re.sub(r"\d+ more change(?=s)", "N more change", text)
    text = re.sub(r"looked at \d+ commits?, 2 tags and \d+ versions?", LOOKED, text)
    assert text == SHOP
