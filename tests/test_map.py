"""Tests of `ragit map`: definitions by personalised PageRank over the files, within a token
budget.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from shop import write_shop
from terminal import Terminal
from test_render import faults, schemas

import ragit
from ragit.outline.pagerank import pagerank
from ragit.outlines import RepositoryMap
from ragit.repository.repository import Ragit


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    """Return a tree in which most files use `CentralStore`, and few `SideChannel`."""
    repo = GitSandbox(tmp_path_factory.mktemp("map") / "repo")
    repo.git("config", "ragit.embedding.provider", "none")
    repo.write("core.py", "class CentralStore:\n    def read_all(self):\n        return []\n")
    repo.write("side.py", "class SideChannel:\n    def send_all(self):\n        return []\n")
    for number in range(6):
        repo.write(
            f"user{number}.py",
            f"from core import CentralStore\n\n\ndef open_user_{number}():\n"
            "    return CentralStore().read_all()\n",
        )
    repo.write(
        "mail.py",
        "from side import SideChannel\n\n\ndef deliver_mail():\n    return SideChannel().send_all()\n",
    )
    repo.write("tests/test_core.py", "class TestOnlyHelper:\n    pass\n\n\nTestOnlyHelper()\n")
    repo.write("tests/test_more.py", "from test_core import TestOnlyHelper\n\nTestOnlyHelper()\n")
    repo.commit()
    Terminal(repo.path).ragit("index", "-q", code=0)
    return repo


@pytest.fixture
def index(repository: GitSandbox) -> Iterator[Ragit]:
    with ragit.open(repository.path) as opened:
        yield opened


def listed(found: RepositoryMap) -> list[tuple[str, str]]:
    return [(file.path, line.text) for file in found.files for line in file.lines]


def test_most_used_definitions_come_first(index: Ragit) -> None:
    found = index.map()
    assert [file.path for file in found.files[:2]] == ["core.py", "side.py"]
    assert listed(found)[:2] == [
        ("core.py", "class CentralStore"),
        ("core.py", "def read_all(self)"),
    ]
    assert found.files[0].rank > 2 * found.files[1].rank


def test_query_ranks_its_best_files_first(index: Ragit) -> None:
    found = index.map("deliver mail")
    assert [file.path for file in found.files[:2]] == ["mail.py", "side.py"]


def test_definitions_of_tests_are_left_out(index: Ragit) -> None:
    assert "TestOnlyHelper" not in str(listed(index.map()))


@pytest.mark.parametrize("most", [1, 10, 20, 40, 2000])
def test_map_fits_into_the_token_limit(repository: GitSandbox, index: Ragit, most: int) -> None:
    found = index.map(max_tokens=most)
    assert found.tokens <= most
    result = Terminal(repository.path).ragit("map", "--tokens", str(most), code=0)
    assert math.ceil(len(result.out.encode()) / 3) <= most
    assert (result.err == "") == bool(found.files)


def test_more_tokens_add_definitions(index: Ragit) -> None:
    few, more = set(listed(index.map(max_tokens=25))), set(listed(index.map(max_tokens=50)))
    assert few < more


@pytest.mark.parametrize("name", ["text", "json", "vimgrep", "compact"])
def test_every_format_names_the_definition(repository: GitSandbox, name: str) -> None:
    result = Terminal(repository.path).ragit("map", "--format", name, code=0)
    assert "CentralStore" in result.out
    if name == "json":
        assert not list(faults(json.loads(result.out), schemas()["map"]))


def test_each_tree_has_its_own_map(repo: GitSandbox) -> None:
    repo.git("config", "ragit.embedding.provider", "none")
    repo.write("core.py", "class OldName:\n    pass\n")
    repo.write("user.py", "from core import OldName\n\nOldName()\n")
    repo.commit()
    repo.tag("v1")
    repo.write("core.py", "class NewName:\n    pass\n")
    repo.write("user.py", "from core import NewName\n\nNewName()\n")
    with ragit.open(repo.path) as index:
        assert listed(index.map()) == [("core.py", "class NewName")]
        assert listed(index.map(ref="v1")) == [("core.py", "class OldName")]
        assert listed(index.map(scope="committed")) == [("core.py", "class OldName")]
        repo.git("add", "-A")
        assert listed(index.map(scope="staged")) == [("core.py", "class NewName")]


def test_map_depends_only_on_the_tree(repository: GitSandbox, tmp_path: Path) -> None:
    """Compare an index that holds another commit with one made of this tree alone."""
    repo = GitSandbox(tmp_path / "grown")
    repo.git("config", "ragit.embedding.provider", "none")
    write_shop(repo)
    with ragit.open(repo.path) as grown, ragit.open(repository.path) as fresh:
        grown.index()
        repo.git("rm", "-q", "-r", ".")
        for path in sorted(repository.git("ls-files").splitlines()):
            repo.write(path, (repository.path / path).read_bytes())
        repo.commit()
        assert repo.tree() == repository.tree()
        for query in ("", "deliver mail"):
            one, other = grown.map(query), fresh.map(query)
            assert one.files == other.files


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--tokens", "0"], "'0' is not a whole number of at least 1"),
        (["--ref", "nope"], "no commit or tree is named 'nope'"),
        (["--format", "yaml"], "unknown format 'yaml'"),
    ],
    ids=str,
)
def test_bad_input_exits_with_status_2(
    repository: GitSandbox, args: list[str], message: str
) -> None:
    result = Terminal(repository.path).ragit("map", *args, code=2)
    assert message in result.err


def test_map_of_one_file_lists_what_it_defines(repo: GitSandbox) -> None:
    repo.write("one.py", "class Basket:\n    def add_item(self, item):\n        pass\n")
    repo.write("tests/test_one.py", "def test_basket():\n    pass\n")
    repo.commit()
    result = Terminal(repo.path).ragit("map", code=0)
    assert result.out.split("\n")[:3] == [
        "one.py",
        "  1 class Basket",
        "  2 def add_item(self, item)",
    ]


def test_stand_ins_of_tests_are_left_out(repo: GitSandbox) -> None:
    repo.write("mocked-functions.php", "<?php\nfunction rmdir(...$a) { return rmdir($a); }\n")
    repo.write("src/Disk.php", "<?php\nclass Disk { function clear() { rmdir($this->path); } }\n")
    repo.commit()
    result = Terminal(repo.path).ragit("map", code=0)
    assert "src/Disk.php" in result.out and "mocked-functions" not in result.out


def test_map_of_a_tree_without_code_is_empty(repo: GitSandbox) -> None:
    repo.write("a.txt", "words\n")
    repo.commit()
    result = Terminal(repo.path).ragit("map", code=0)
    assert (result.out, result.err) == (
        "",
        "note: no definition of HEAD fits\n",
    )


# -- PageRank


def test_ranks_of_a_known_graph() -> None:
    """Two pages that link to each other, and one that links to both."""
    ranks = pagerank([{1: 1.0}, {0: 1.0}, {0: 1.0, 1: 1.0}], {})
    assert ranks[2] == pytest.approx(0.05, abs=1e-3)
    assert ranks[0] == ranks[1] == pytest.approx(0.475, abs=5e-3)


def test_ranks_concentrate_near_the_start() -> None:
    ranks = pagerank([{1: 1.0}, {}, {3: 1.0}, {}], {0: 2.0})
    assert ranks[0] > ranks[1] > ranks[2] == ranks[3] == 0


@given(
    st.lists(
        st.dictionaries(st.integers(0, 7), st.floats(0.01, 100), max_size=4),
        min_size=8,
        max_size=8,
    ),
    st.dictionaries(st.integers(0, 7), st.floats(0.01, 10), max_size=3),
)
def test_ranks_add_up_to_one(edges: list[dict[int, float]], start: dict[int, float]) -> None:
    ranks = pagerank(edges, start)
    assert sum(ranks) == pytest.approx(1)
    assert min(ranks) >= 0
