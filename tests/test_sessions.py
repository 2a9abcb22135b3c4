"""Tests of user sessions, with the exact text of the terminal.

N replaces what differs from run to run, and scores, which change with every weight.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from sandbox import GitSandbox
from terminal import RAGIT, Terminal, steady

CART = '''\
def total(cart, prices):
    """What a customer has to pay."""
    return sum(prices[article] * count for article, count in cart)
'''
COUPONS = """\
# Coupons

A coupon takes ten percent off.
"""
REFUND = """\
def refund(order):
    return -order.paid
"""


class Session:
    """Type lines, and compare the output with the expected text."""

    def __init__(self, repo: GitSandbox) -> None:
        self.repo = repo
        self.terminal = Terminal(repo.path)

    def shows(self, script: str) -> None:
        """Type the lines that begin with `$ `; the others are the expected output, stderr after
        stdout.
        """
        shown = []
        for line in script.strip("\n").split("\n"):
            if line.startswith("$ "):
                shown.append(line)
                shown.extend(self.type(line[2:]))
        assert "\n".join(shown) == script.strip("\n")

    def type(self, line: str) -> list[str]:
        name, *args = shlex.split(line)
        if name != "ragit":
            self.repo.clock += 1
            return self.repo.git(*shlex.split(line)[1:]).splitlines()
        result = self.terminal.ragit(*args)
        text = steady(result.out + result.err).replace(str(self.repo.path), "~")
        text = re.sub(r"(  )-?\d+\.\d{3}$", r"\1N", text, flags=re.MULTILINE)
        text = re.sub(r"static:[0-9a-f]{16}", "static:N", text)
        status = [f"exit {result.code}"] if result.code else []
        return [*text.splitlines(), *status]


@pytest.fixture
def session(repo: GitSandbox) -> Session:
    repo.write("shop/cart.py", CART)
    repo.write("docs/coupons.md", COUPONS)
    repo.commit("A shop")
    return Session(repo)


def test_session_of_a_first_search(session: Session) -> None:
    session.shows(
        """
$ ragit search "customer pay" -k 1
shop/cart.py:2
  total  function 1-3  N
  1- def total(cart, prices):
  2:     \"""What a customer has to pay.\"""
  3-     return sum(prices[article] * count for article, count in cart)
$ ragit search coupon -k 1
docs/coupons.md:1
  Coupons  section 1-3  N
  1: # Coupons
  2-
  3: A coupon takes ten percent off.
$ ragit search --mode keyword refund
no hits in HEAD
exit 1
$ ragit status
store     ~/.git/ragit/index.db, N kB
holds     2 chunks of 2 file versions
embedder  static:N:256

HEAD             commit TREE  2 files  complete
refs/heads/main  commit TREE  2 files  complete
""".replace("TREE", session.repo.git("rev-parse", "HEAD")[:10])
    )


def test_session_of_edit_stage_and_commit(session: Session) -> None:
    session.type("ragit index -q")
    session.repo.write("shop/refund.py", REFUND)
    session.shows("""
$ ragit search refund -k 1
shop/refund.py:1
  refund  function 1-2  N
  1: def refund(order):
  2-     return -order.paid
$ ragit search --committed --mode keyword refund
no hits in HEAD
exit 1
$ ragit search --staged --mode keyword refund
no hits in staged changes
exit 1
$ git add shop/refund.py
$ ragit search --staged --mode keyword refund
shop/refund.py:1
  refund  function 1-2  N
  1: def refund(order):
  2-     return -order.paid
$ git commit -q -m Refunds
$ ragit search --committed --mode keyword refund
shop/refund.py:1
  refund  function 1-2  N
  1: def refund(order):
  2-     return -order.paid
$ ragit index
up to date: 3 files, 3 chunks (N s)
""")


def test_session_of_branches_and_tags(session: Session) -> None:
    session.type("ragit index -q")
    session.type("git tag v1.0")
    session.type("git checkout -q -b refunds")
    session.repo.write("shop/refund.py", REFUND)
    session.repo.commit("Refunds")
    session.shows(
        """
$ ragit check
stale: 1 file of HEAD (tree TREE) is not indexed
  shop/refund.py
to fix it: ragit index
exit 1
$ ragit index
indexed 3 files, 3 chunks in N s
  1 new file read, 1 chunk embedded, 0 reused
$ ragit check
fresh: everything in HEAD (tree TREE) is indexed
$ git checkout -q main
$ ragit search --mode keyword refund
no hits in HEAD
exit 1
$ ragit search --mode keyword --ref refunds refund
shop/refund.py:1
  refund  function 1-2  N
  1: def refund(order):
  2-     return -order.paid
$ ragit search --mode keyword --ref v1.0 refund
no hits in v1.0
exit 1
$ ragit search --ref v1.1 refund
error: no commit or tree is named 'v1.1'
hint: Did you mean v1.0?
exit 2
$ ragit index --all-branches v1.0
up to date: 3 files of 2 trees, 3 chunks (N s)
""".replace("TREE", session.repo.tree("refunds")[:10])
    )


def test_session_of_gc_after_deleting_a_branch(session: Session) -> None:
    session.type("git checkout -q -b refunds")
    session.repo.write("shop/refund.py", REFUND)
    session.repo.commit("Refunds")
    session.type("git checkout -q main")
    session.shows("""
$ ragit index --all-branches
indexed 3 files of 2 trees, 3 chunks in N s
  3 new files read, 3 chunks embedded, 0 reused
$ ragit gc
nothing to drop: 3 file versions, N kB
$ git branch -q -D refunds
$ git reflog expire --expire=now --all
$ ragit gc
dropped 1 file version, kept 2
  N kB freed, N kB left
$ ragit search -k 1 --mode keyword coupon
docs/coupons.md:1
  Coupons  section 1-3  N
  1: # Coupons
  2-
  3: A coupon takes ten percent off.
""")


def test_session_without_indexing(session: Session) -> None:
    session.shows("""
$ ragit search --no-index coupon
error: nothing is indexed in this repository
hint: Type: ragit index
exit 2
$ ragit index --dry-run
would index 2 of 2 files, 2 chunks
  2 chunks to embed, about 27 words; nothing was written
$ ragit index -q
$ ragit search --no-index --mode keyword coupon --format vimgrep
docs/coupons.md:1:3:# Coupons
""")
    session.repo.write("shop/refund.py", REFUND)
    session.shows("""
$ ragit search --no-index --mode keyword refund
incomplete: 1 file of HEAD + uncommitted changes is not indexed; to complete: ragit index --worktree
no hits in HEAD + uncommitted changes
exit 1
""")


def test_session_in_a_second_worktree(session: Session, tmp_path: Path) -> None:
    session.type("ragit index -q")
    session.repo.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    (tmp_path / "other" / "shop" / "refund.py").write_text(REFUND)
    other = Terminal(tmp_path / "other")
    assert other.ragit("search", "refund", "-k1", code=0).out.startswith(
        "shop/refund.py:1\n  refund"
    )
    session.shows("""
$ ragit search --mode keyword refund
no hits in HEAD
exit 1
""")


def test_session_in_a_subfolder(session: Session) -> None:
    session.terminal.folder = session.repo.path / "docs"
    session.shows("""
$ ragit search --mode keyword coupon
coupons.md:1
  Coupons  section 1-3  N
  1: # Coupons
  2-
  3: A coupon takes ten percent off.
$ ragit search --mode keyword --path "*.py" coupon
no hits in HEAD
exit 1
""")


def test_ragit_runs_as_a_git_subcommand(session: Session) -> None:
    env = {**session.terminal.env, "PATH": f"{RAGIT.parent}:{session.terminal.env['PATH']}"}
    result = subprocess.run(
        ["git", "ragit", "search", "-k1", "coupon"],
        cwd=session.repo.path,
        env=env,
        capture_output=True,
        check=True,
    )
    assert result.stdout.startswith(b"docs/coupons.md:1")


def test_closed_pipe_ends_quietly(session: Session) -> None:
    line = f"{shlex.quote(str(RAGIT))} search --full coupon | head -c 1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(
        ["bash", "-c", line], cwd=session.repo.path, capture_output=True, text=True, check=True
    )
    assert "Traceback" not in result.stderr
    assert "Broken" not in result.stderr
    assert result.stdout.strip().endswith("0")
