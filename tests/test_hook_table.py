"""Tests of git's operations: which wake the worker, and that search is right after each.

After each operation the index is compared with a fresh one. `BY_HOOK` operations are complete
before a search; the others fire no hook of ragit's, and the next search completes them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hooking import Hooked
from sandbox import GitSandbox

import ragit
from ragit.types import Answer

QUERY = "function number value"

Steps = list[str]
"""Shell commands at the top of the working tree."""

BY_HOOK: dict[str, Steps] = {
    "commit": ["echo 'def function_x(): ...' > x.py", "git add x.py", "git commit -qm x"],
    "commit -a": ["echo 'number = 7' >> a.py", "git commit -qam x"],
    "commit PATH": ["echo 'number = 7' >> a.py", "echo 'number = 8' >> b.py", "git commit -qm x -- a.py"],
    "commit --no-verify": ["echo 'number = 7' >> a.py", "git commit -qanm x"],
    "commit --amend": ["echo 'number = 7' >> a.py", "git commit -qa --amend --no-edit"],
    "commit --fixup": ["echo 'number = 7' >> a.py", "git commit -qa --fixup HEAD"],
    "commit in a subfolder": ["cd lib && echo 'number = 7' >> c.py && git commit -qam x"],
    "commit by -C": ["echo 'number = 7' >> a.py", "cd / && git -C $OLDPWD commit -qam x"],
    "commit with GIT_DIR": ["echo 'number = 7' >> a.py", "GIT_DIR=$PWD/.git GIT_WORK_TREE=$PWD git commit -qam x"],
    "first commit of an orphan": ["git checkout -q --orphan new", "echo 'number = 1' > a.py", "git commit -qam x"],
    "switch": ["git switch -q topic"],
    "switch -": ["git switch -q topic", "git switch -q -"],
    "switch -c": ["git switch -q -c new topic"],
    "checkout -B": ["git checkout -q -B main topic"],
    "checkout --detach": ["git checkout -q --detach topic"],
    "merge, fast-forward": ["git merge -q origin/ahead"],
    "merge": ["git merge -q --no-edit topic"],
    "merge --squash and commit": ["git merge -q --squash topic", "git commit -qm squashed"],
    "merge, conflict, commit": ["git merge -q clash || :", "git checkout -q --theirs a.py", "git commit -qam x"],
    "merge, conflict, --continue": [
        "git merge -q clash || :", "git checkout -q --theirs a.py", "git add a.py", "git merge --continue",
    ],
    "cherry-pick": ["git cherry-pick topic"],
    "cherry-pick range": ["git cherry-pick topic~2..topic"],
    "revert": ["git revert --no-edit HEAD"],
    "pull, fast-forward": ["git pull -q --ff-only . origin/ahead"],
    "pull --rebase": ["git pull -q --rebase . topic"],
    "rebase": ["git rebase -q main topic"],
    "rebase --apply": ["git rebase -q --apply main topic"],
    "rebase, fast-forward": ["git rebase -q topic main~3"],
    "rebase --exec": ["git rebase -q --exec true main topic"],
    "rebase --autostash": ["git switch -q topic", "echo 'number = 3' >> b.py", "git rebase -q --autostash main"],
    "rebase -i, squash": ["GIT_SEQUENCE_EDITOR='sed -i 2s/pick/squash/' git rebase -q -i HEAD~2"],
    "rebase -i, fixup": ["GIT_SEQUENCE_EDITOR='sed -i 2s/pick/fixup/' git rebase -q -i HEAD~2"],
    "rebase -i, reword": ["GIT_SEQUENCE_EDITOR='sed -i s/pick/reword/' git rebase -q -i HEAD~2"],
    "rebase, conflict, --continue": [
        "git rebase -q main clash || :", "git checkout -q --theirs a.py", "git add a.py", "git rebase --continue",
    ],
    "rebase --autosquash": [
        "echo 'number = 7' >> a.py", "git commit -qa --fixup HEAD", "git rebase -q -i --autosquash HEAD~3",
    ],
    "worktree add": ["git worktree add -q -b new ../new topic", "cd ../new; echo 'n = 1' >> a.py; git commit -qam x"],
    "bisect": [
        "git bisect start main main~3", "git bisect good", "git bisect reset", "git commit -q --allow-empty -m x",
    ],
}  # fmt: skip

BY_SEARCH: dict[str, Steps] = {
    "reset --hard": ["git reset -q --hard origin/ahead"],
    "reset --soft": ["git reset -q --soft origin/ahead"],
    "branch -f and switch by plumbing": ["git branch -f other topic", "git symbolic-ref HEAD refs/heads/other"],
    "update-ref": ["git update-ref refs/heads/main topic"],
    "commit-tree": ["git reset -q --soft $(git commit-tree -p HEAD -m x topic^{tree})"],
    "am": ["git format-patch -q -o .git/p main..topic", "git am -q .git/p/*"],
    "am --3way in pieces": ["git format-patch -q -o .git/p main..topic", "for p in .git/p/*; do git am -q -3 $p; done"],
    "rebase --abort": [
        "git branch -f main origin/ahead 2>/dev/null || git reset -q --hard origin/ahead",
        "git rebase -q clash || :", "git rebase --abort",
    ],
    "fetch into a branch": ["git fetch -q . topic:fetched", "git symbolic-ref HEAD refs/heads/fetched"],
    "stash": ["echo 'number = 9' >> a.py", "git stash -q"],
    "stash pop": ["echo 'number = 9' >> a.py", "git stash -q", "git stash pop -q"],
    "cherry-pick -n": ["git cherry-pick -n topic"],
    "read-tree": ["git read-tree -u -m topic"],
    "restore from a commit": ["git restore -s topic --staged --worktree b.py"],
    "merge that stops": ["git merge -q clash || :"],
    "filter-branch": ["git filter-branch -f --tree-filter 'echo number >> b.py' main~2..main"],
    "replace the history by a tree": ["git reset -q --hard $(git commit-tree -m x topic^{tree})"],
    "worktree add --no-checkout": ["git worktree add -q --no-checkout -b new ../new topic"],
    "sparse-checkout": ["git sparse-checkout set --no-cone lib"],
    "gc": ["git reset -q --hard topic", "git gc -q --prune=now"],
    "nothing at all": [":"],
}  # fmt: skip

SHORT = {
    "commit",
    "commit PATH",
    "switch",
    "merge",
    "rebase",
    "rebase --apply",
    "reset --hard",
    "am",
    "rebase --abort",
}
"""Operations of every run; the whole table takes a minute."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, home: Path) -> GitSandbox:
    """Return diverged branches that change the same and other files, with hooks installed and HEAD
    indexed.
    """
    repo = Hooked(tmp_path_factory.mktemp("template") / "repo")
    for number, name in enumerate(("a", "b", "lib/c", "d")):
        repo.write(
            f"{name}.py",
            f"def function_{name[-1]}(value):\n    number = {number}\n    return number\n",
        )
        repo.commit(f"add {name}")
    for branch, files in (("topic", ("t0", "t1", "b")), ("clash", ("a", "a", "a"))):
        repo.branch(branch, "main~1")
        for number, file in enumerate(files):
            repo.write(
                f"{file}.py",
                f"def function_{branch}(value):\n    number = {number * 10}\n    return {branch!r}\n",
            )
            repo.commit(f"{branch} {number}")
        repo.switch("main")
    repo.write("a.py", "def function_main(value):\n    return value + 1\n")
    repo.commit("main goes on")
    repo.git("update-ref", "refs/remotes/origin/ahead", ahead(repo))
    repo.git("config", "ragit.index.workers", "1")
    with repo.index() as index:
        index.index()
    repo.install()
    return repo


def ahead(repo: GitSandbox) -> str:
    """Make a commit to which main can be fast-forwarded."""
    repo.branch("ahead-of-main")
    repo.write("e.py", "def function_ahead(value):\n    return 'number'\n")
    oid = repo.commit("ahead")
    repo.switch("main")
    repo.git("branch", "-q", "-D", "ahead-of-main")
    return oid


@pytest.fixture
def hooked(template: GitSandbox, tmp_path: Path) -> Hooked:
    shutil.copytree(template.path, tmp_path / "repo", symlinks=True)
    repo = Hooked(tmp_path / "repo")
    repo.git("status")  # the copied files are younger than the index
    return repo


def run(repo: Hooked, steps: Iterable[str]) -> None:
    env = {
        **os.environ,
        "GIT_EDITOR": "true",
        "GIT_SEQUENCE_EDITOR": "true",
        "FILTER_BRANCH_SQUELCH_WARNING": "1",
    }
    for step in steps:
        step = step if "GIT_SEQUENCE_EDITOR=" in step else f"GIT_SEQUENCE_EDITOR=true; {step}"
        done = subprocess.run(
            ["sh", "-c", step], cwd=repo.path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{step}: {done.stdout}{done.stderr}"


def same_as_rebuilt(place: Path, scratch: Path) -> None:
    """Compare searches of HEAD and the working tree with those in a fresh index."""
    flags = {"index.storePath": str(scratch / f"{place.name}-fresh.db")}
    with ragit.open(place) as grown, ragit.open(place, flags=flags) as fresh:
        for scope in ("committed", "worktree"):
            ours, theirs = (index.search(QUERY, scope=scope, top_k=50) for index in (grown, fresh))
            assert ours.complete
            assert ours.tree == theirs.tree
            assert shown(ours) == shown(theirs)
            assert ours.hits or scope == "worktree"  # --no-checkout leaves it empty


def shown(answer: Answer) -> list[tuple[str, int, int, float, str]]:
    return [
        (hit.path, hit.start_line, hit.end_line, round(hit.score, 6), hit.text)
        for hit in answer.hits
    ]


def rows(table: dict[str, Steps]) -> list[object]:
    return [
        pytest.param(name, id=name, marks=[] if name in SHORT else [pytest.mark.slow])
        for name in table
    ]


@pytest.mark.parametrize("name", rows(BY_HOOK))
def test_hook_indexes_before_the_next_search(hooked: Hooked, name: str, tmp_path: Path) -> None:
    run(hooked, BY_HOOK[name])
    hooked.settle()
    for place in worktrees(hooked):
        assert Hooked(place).check().missing == ()
        same_as_rebuilt(place, tmp_path)


@pytest.mark.parametrize("name", rows(BY_SEARCH))
def test_search_completes_what_no_hook_announces(hooked: Hooked, name: str, tmp_path: Path) -> None:
    run(hooked, BY_SEARCH[name])
    hooked.settle()
    for place in worktrees(hooked):
        same_as_rebuilt(place, tmp_path)
        assert Hooked(place).check().missing == ()


def worktrees(repo: Hooked) -> list[Path]:
    listed = repo.git("worktree", "list", "--porcelain").splitlines()
    return [Path(line.removeprefix("worktree ")) for line in listed if line.startswith("worktree ")]
