"""Tests of `ragit usages`: all lines with a name, in any tree, and bad input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox import GitSandbox
from terminal import Terminal
from test_render import faults, schemas

import ragit
from ragit.errors import ConfigError, UnknownRevision
from ragit.usages import Usages

FILES = {
    "shop/cart.py": (
        "from shop.prices import price_of, Price as P\n\n\n"
        "class Cart:\n"
        "    def total(self):\n"
        "        # price_of each item\n"
        "        return sum(price_of(item) for item in self.items) + price_of(None)\n"
    ),
    "shop/prices.py": "def price_of(item):\n    return Price(item)\n\n\nclass Price:\n    pass\n",
    "tests/test_cart.py": "from shop.prices import price_of\n\ndef test_it():\n    price_of(1)\n",
    "lib/Price.java": "class Price {\r\n  int priceOf(Item item) { return price_of; }\r\n}\r\n",
    "notes.md": "# Prices\n\nUse `price_of`, not price_offer or xprice_of.\n价格price_of是\n",
    "cjk.md": "# 价格\n\n价格onlyHere是\n",
    "a-b.css": ".price-tag { color: red }\n.price-tags { color: red }\n",
    "odd.txt": "_ __ price_of\n\tprice_of price_of\n",
}
NAMES = "price_of Price P priceOf total Cart self price-tag _ item None sum return items onlyHere".split()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    repo = GitSandbox(tmp_path_factory.mktemp("shop") / "repo")
    for path, text in FILES.items():
        repo.write(path, text)
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
    return repo


def listed(found: Usages) -> set[tuple[str, int]]:
    return {(one.path, one.line) for one in (*found.definitions, *found.uses)}


def grepped(repo: GitSandbox, name: str, *tree: str) -> set[tuple[str, int]]:
    """Return the lines that `git grep -w` finds."""
    lines = repo.git("grep", "-nwI", "--full-name", "-e", name, *tree, "--").splitlines()
    found = (re.match(r"(?:HEAD:)?(.*?):(\d+):", line) for line in lines)
    return {(match[1], int(match[2])) for match in found if match}


@pytest.mark.parametrize("name", NAMES)
def test_usages_list_every_line_of_git_grep(shop: GitSandbox, name: str) -> None:
    with ragit.open(shop.path) as index:
        found = index.usages(name, top_k=1000)
    assert listed(found) == grepped(shop, name)
    assert found.total == len(found.uses) == sum(count for _, count in found.files)


def test_non_ascii_letter_is_part_of_a_word(tmp_path: Path) -> None:
    repo = GitSandbox(tmp_path / "repo")
    repo.write("a.txt", "adres\nadresă\nîadres\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        assert [use.line for use in index.usages("adres").uses] == [1]
        assert [use.line for use in index.usages("adresă").uses] == [2]


def test_definitions_come_first_and_tests_last(shop: GitSandbox) -> None:
    with ragit.open(shop.path) as index:
        found = index.usages("price_of")
    [defined] = found.definitions
    assert (defined.path, defined.line, defined.kind) == ("shop/prices.py", 1, "function")
    assert [use.path for use in found.uses if use.test] == ["tests/test_cart.py"] * 2
    assert [use.test for use in found.uses] == sorted(use.test for use in found.uses)
    inside = {use.line: use.symbol for use in found.uses if use.path == "shop/cart.py"}
    assert inside[7] == "Cart.total"


def test_pages_list_every_line_once(shop: GitSandbox) -> None:
    with ragit.open(shop.path) as index:
        whole = index.usages("price_of", top_k=1000)
        pages = [index.usages("price_of", top_k=4, page=page) for page in range(1, 9)]
    assert pages[0].pages == -(-whole.total // 4)
    assert tuple(use for page in pages for use in page.uses) == whole.uses


def test_path_patterns_filter_files(shop: GitSandbox) -> None:
    with ragit.open(shop.path / "shop") as index:
        assert {path for path, _ in index.usages("price_of", paths=("*.py", "!tests")).files} == {
            "shop/cart.py"
        }
        assert {path for path, _ in index.usages("price_of", paths="./cart.py").files} == {
            "shop/cart.py"
        }


@pytest.mark.parametrize("scope", ["worktree", "staged", "committed"])
def test_each_tree_has_its_own_lines(tmp_path: Path, scope: str) -> None:
    repo = GitSandbox(tmp_path / "repo")
    repo.write("a.py", "def one():\n    pass\n\n\none()\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        repo.write("a.py", "one()\n\n\ndef one():\n    pass\n")
        repo.git("add", "-A")
        repo.write("b.py", "one()\n")
        lines = {
            "worktree": {("a.py", 1), ("a.py", 4), ("b.py", 1)},
            "staged": {("a.py", 1), ("a.py", 4)},
            "committed": {("a.py", 1), ("a.py", 5)},
        }
        assert listed(index.usages("one", scope=scope)) == lines[scope]
        assert listed(index.usages("one", ref="HEAD")) == lines["committed"]


@pytest.fixture(scope="module")
def shell(shop: GitSandbox) -> Terminal:
    return Terminal(shop.path)


def test_text_names_place_certainty_and_line(shell: Terminal) -> None:
    lines = shell.ragit("usages", "price_of", code=0).out.splitlines()
    assert re.fullmatch(r"price_of: 1 definition, \d+ uses in 5 files of HEAD", lines[0])
    assert lines[1] == "shop/prices.py:1: [definition] function price_of"
    for line in lines[2:]:
        assert not line or line in FILES or re.match(r"  \d+: \[[a-z ]+, [a-z]+\]", line), line


def test_json_follows_its_schema(shell: Terminal) -> None:
    for name in ("price_of", "Cart"):
        found = json.loads(shell.ragit("usages", "--json", name, code=0).out)
        assert not list(faults(found, schemas()["usages"]))
        assert all(name in line["text"] for line in (*found["definitions"], *found["uses"]))


def test_vimgrep_and_compact_have_one_line_per_use(shell: Terminal) -> None:
    with ragit.open(shell.folder) as index:
        found = index.usages("price_of")
    for name in ("vimgrep", "compact"):
        lines = shell.ragit("usages", "--format", name, "price_of", code=0).out.splitlines()
        places = {tuple(re.split("[: ]", line)[:2]) for line in lines}
        assert places == {(path, str(line)) for path, line in listed(found)}
    line = FILES["shop/cart.py"].splitlines()[6]
    vimgrep = shell.ragit("usages", "--format", "vimgrep", "price_of").out
    assert f"shop/cart.py:7:{line.index('price_of') + 1}:" in vimgrep


def test_unknown_name_exits_with_status_1(shell: Terminal) -> None:
    result = shell.ragit("usages", "nowhere_at_all", code=1)
    assert result.err == "no file of HEAD holds nowhere_at_all\n"


@pytest.mark.parametrize(
    "args",
    [
        ["two words"],
        [""],
        ["a/b"],
        ["(*x)"],
        ["--ref", "no-such-branch", "price_of"],
        ["--ref", "HEAD", "--staged", "price_of"],
        ["--format", "yaml", "price_of"],
        ["--callers", "--callees", "price_of"],
        ["--path", "", "price_of"],
    ],
    ids=str,
)
def test_bad_input_is_refused_in_one_sentence(shell: Terminal, args: list[str]) -> None:
    shell.refused("usages", *args)


def test_library_rejects_bad_input(shop: GitSandbox) -> None:
    with ragit.open(shop.path) as index:
        for options in ({"relation": "friends"}, {"page": 0}, {"top_k": 0}, {"scope": "other"}):
            with pytest.raises(ConfigError):
                index.usages("price_of", **options)  # type: ignore[arg-type]
        with pytest.raises(UnknownRevision):
            index.usages("price_of", ref="nowhere")


@pytest.fixture
def index(shop: GitSandbox) -> Iterator[ragit.Ragit]:
    with ragit.open(shop.path) as opened:
        yield opened


@pytest.mark.parametrize("name", ["price_of()", "$price_of", " price_of\n", "@price_of"])
def test_surrounding_characters_of_a_name_are_removed(index: ragit.Ragit, name: str) -> None:
    assert index.usages(name).query.name == "price_of"


def test_line_with_many_uses_is_listed_once(repo: GitSandbox) -> None:
    repo.write("a.py", "x = [" + "name(1), " * 20_000 + "]\n\n\ndef name(x): ...\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        [use] = index.usages("name").uses
    assert (use.line, use.column, use.certainty) == (1, 6, "same file")
    assert len(use.text) == 1000


def test_lost_blob_is_named(repo: GitSandbox) -> None:
    repo.write("a.py", "one()\n")
    repo.write("b.py", "def one(): ...\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
        blob = repo.git("rev-parse", "HEAD:a.py")
        (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        found = index.usages("one", ref="HEAD")
    assert [(one.path, one.line) for one in found.definitions] == [("b.py", 1)]
    assert any("a.py" in note for note in found.notes)


def test_tree_without_files_has_no_usages(repo: GitSandbox) -> None:
    shell = Terminal(repo.path)
    assert shell.ragit("usages", "name", code=1).out.startswith("name: 0 definitions, 0 uses")


def test_missing_files_are_indexed_first(repo: GitSandbox) -> None:
    repo.write("a.py", "one()\n")
    repo.commit()
    shell = Terminal(repo.path)
    assert "nothing is indexed" in shell.refused("usages", "--no-index", "one").err
    assert "1: [name, call]" in shell.ragit("usages", "one", code=0).out
    repo.write("b.py", "two()\n")
    result = shell.refused("-c", "freshness.policy=refuse", "usages", "two")
    assert "1 file of HEAD + uncommitted changes is not indexed" in result.err
