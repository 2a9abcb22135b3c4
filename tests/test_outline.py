"""Tests of `ragit skeleton` and `ragit show`: the sessions of docs/reading.md, a sample of each
language, all kinds of trees, and bad input.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from histories import Step, play, steps
from hypothesis import Phase, given, settings
from sandbox import GitSandbox
from shop import write_shop
from terminal import Terminal
from test_render import faults, schemas

import ragit
from ragit.errors import RagitError
from ragit.outline.docs import sentence
from ragit.outline.outline import flat
from ragit.outlines import Choices, FileSkeleton, FolderSkeleton, Item, Shown
from ragit.repository.repository import Ragit

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "reading.md"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    """Return the indexed repository of the page. Tests only read it."""
    repo = GitSandbox(tmp_path_factory.mktemp("shop") / "repo")
    repo.git("config", "ragit.embedding.provider", "none")
    write_shop(repo)
    Terminal(repo.path).ragit("index", "-q", code=0)
    return repo


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ragit]:
    """Return an index of the samples of all languages."""
    repo = GitSandbox(tmp_path_factory.mktemp("samples") / "repo")
    repo.git("config", "ragit.embedding.provider", "none")
    for file in (TESTS / "chunk" / "samples").iterdir():
        if file.suffix != ".outline":
            shutil.copy(file, repo.path)
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
        yield index


def sessions() -> list[str]:
    """Return the console blocks of the page, which only read."""
    return re.findall(r"^```console\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)


@pytest.mark.parametrize("session", sessions(), ids=lambda text: text.split("\n")[0][2:])
def test_documented_sessions_are_current(shop: GitSandbox, session: str) -> None:
    shown = []
    for line in session.splitlines():
        if line.startswith("$ "):
            result = Terminal(shop.path).ragit(*line.split()[2:])
            shown += [line, *result.out.splitlines()]
    assert "\n".join(shown) == session.rstrip("\n")


def test_page_has_at_least_eight_sessions(shop: GitSandbox) -> None:
    assert len(sessions()) >= 8


# -- every language


def files(index: Ragit) -> list[FileSkeleton]:
    found = [index.skeleton(path) for path in sorted(index.searched_paths())]
    return [one for one in found if isinstance(one, FileSkeleton)]


def test_skeleton_lists_each_stored_definition_once(samples: Ragit) -> None:
    with samples.reading() as opened:
        for one in files(samples):
            chunking = opened.chunking_at(one.path.encode())
            assert chunking is not None
            rows = opened.chunks_of(chunking)
            stored = sorted((each.line, each.name) for row in rows for each in row.definitions)
            if not stored:
                continue
            assert sorted((item.line, item.name) for item in flat(one.items)) == stored, one.path


def check_nested(items: Sequence[Item], first: int, last: int, path: str) -> None:
    for item in items:
        assert first <= item.start_line <= item.line <= item.end_line <= last, (path, item)
        check_nested(item.children, item.start_line, item.end_line, path)


def test_lines_of_definitions_are_nested(samples: Ragit) -> None:
    for one in files(samples):
        check_nested(one.items, 1, max(one.lines, 1), one.path)


def test_signature_contains_the_name_and_no_body(samples: Ragit) -> None:
    for one in files(samples):
        for item in flat(one.items):
            assert item.name in item.signature or item.kind in {"instance", "impl", "section"}, (
                one.path,
                item,
            )
            assert not item.signature.endswith(("{", ";")), (one.path, item)


@pytest.mark.parametrize(
    ("path", "name", "doc"),
    [
        ("python.pyw", "Cart", "Holds lines."),
        ("java.java", "add", "Adds a line."),
        ("c.c", "line", "One line."),
        ("rust.rs", "LIMIT", "How many lines fit."),
        ("go.go", "Total", "Total adds up."),
        (
            "elixir.ex",
            "add",
            "Adds a line to the cart, or raises the count of the one that is there already.",
        ),
        ("haskell.hs", "Shape", "What can be drawn."),
        ("lua.lua", "push", "Pushes a task."),
        ("powershell.ps1", "Add-CartLine", "Adds a line."),
        ("solidity.sol", "pay", "Pays in."),
        ("sql.sql", "lines", "The shop's tables."),
        ("graphql.graphql", "schema", "The shop."),
    ],
)
def test_documentation_is_found(samples: Ragit, path: str, name: str, doc: str) -> None:
    found = samples.skeleton(path)
    assert isinstance(found, FileSkeleton)
    docs = [item.doc for item in flat(found.items) if item.name == name]
    assert doc in docs, [(item.name, item.doc) for item in flat(found.items)]


@pytest.mark.parametrize(
    ("comment", "first"),
    [
        ("/** Opens it. And more. */", "Opens it."),
        ("// Opens it, e.g. a file. And more", "Opens it, e.g. a file."),
        ("/**\n * Opens {@link File}s <b>now</b>\n * @param x y\n */", "Opens Files now"),
        ("# Opens it", "Opens it"),
        ("    #: the salt of\n    #: cookies. More", "the salt of cookies."),
        ("# Copyright 2020 Somebody", ""),
        ("/* Licensed under the Apache License */", ""),
        ("// eslint-disable-next-line", ""),
        ("// ------", ""),
        ("/// Reads 3.5 bytes. Not 4.", "Reads 3.5 bytes."),
        ("# " + "word " * 40, "word " * 18 + "word..."),
    ],
)
def test_first_sentence_of_a_comment(comment: str, first: str) -> None:
    assert sentence(comment) == first


def test_definition_is_shown_by_its_line(samples: Ragit) -> None:
    for path in ("python.pyw", "java.java", "cpp.cpp", "typescript.ts", "rust.rs"):
        found = samples.skeleton(path)
        assert isinstance(found, FileSkeleton)
        for item in flat(found.items):
            shown = samples.show(f"{path}:{item.line}", body=True)
            assert isinstance(shown, Shown)
            assert shown.start_line <= item.line < shown.start_line + len(shown.lines)
            assert shown.item.line == item.line or shown.item.start_line <= item.line


# -- the answers


def shown(repo: GitSandbox, *args: str) -> str:
    return Terminal(repo.path).ragit(*args, code=0).out


@pytest.mark.parametrize(
    ("schema", "args"),
    [
        ("skeleton", ["skeleton", "shop/cart.py"]),
        ("skeleton", ["skeleton", "docs/logo.bin"]),
        ("folder", ["skeleton"]),
        ("folder", ["skeleton", "shop/"]),
        ("shown", ["show", "Cart"]),
        ("shown", ["show", "shop/cart.py:3"]),
        ("choices", ["show", "total"]),
    ],
    ids=str,
)
def test_json_follows_its_schema(shop: GitSandbox, schema: str, args: list[str]) -> None:
    assert not list(faults(json.loads(shown(shop, *args, "--json")), schemas()[schema]))


def test_every_format_lists_every_definition(shop: GitSandbox) -> None:
    for name in ("vimgrep", "compact"):
        lines = shown(shop, "skeleton", "--format", name, "shop/cart.py").splitlines()
        assert len(lines) == 8
        assert all(line.startswith("shop/cart.py:") for line in lines)
    assert shown(shop, "show", "--format", "vimgrep", "total").splitlines() == [
        "shop/cart.py:29:1:def total(self) -> float",
        "shop/prices.py:12:1:def total(self) -> float",
    ]


def test_paths_are_relative_to_the_current_folder(shop: GitSandbox) -> None:
    result = Terminal(shop.path / "shop").ragit("skeleton", "prices.py", code=0)
    assert result.out.startswith("prices.py  python")
    result = Terminal(shop.path / "docs").ragit("show", "../shop/cart.py:11", code=0)
    assert result.out.startswith("../shop/cart.py:10-31  class Cart\n")


def test_line_limit_keeps_the_outer_levels(shop: GitSandbox) -> None:
    lines = shown(shop, "skeleton", "--max-lines", "5", "shop/cart.py").splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        ["6", "class", "CartFull(Exception)"],
        ["10", "class", "Cart"],
        ["34", "def", "parse_order(text:"],
    ]
    lines = shown(shop, "skeleton", "--max-lines", "3", "shop/cart.py").splitlines()
    assert len(lines) == 3
    assert lines[-1] == "2 more lines"


def test_name_is_narrowed_by_class_and_file(shop: GitSandbox) -> None:
    for symbol in ("Cart.total", "Cart::total", "cart.Cart.total", "shop.cart.Cart.total"):
        assert shown(shop, "show", symbol).startswith("shop/cart.py:29-31  method Cart.total\n")
    for symbol in ("prices.total", "PriceList.total", "prices.PriceList.total"):
        assert shown(shop, "show", symbol).startswith("shop/prices.py:12-13  method ")
    assert shown(shop, "show", "shop.total").startswith("2 definitions of shop.total; ")


def test_long_list_of_definitions_has_pages(repo: GitSandbox) -> None:
    repo.git("config", "ragit.embedding.provider", "none")
    for number in range(45):
        repo.write(f"m{number:02}.py", f"class C{number}:\n    def close(self):\n        pass\n")
    repo.write("tests/test_a.py", "def close():\n    pass\n")
    repo.commit()
    pages = [shown(repo, "show", "--page", str(page), "close").splitlines() for page in (1, 2, 3)]
    assert [len(page) for page in pages] == [21, 21, 7]
    listed = [line.partition("  ")[0] for page in pages for line in page[1:]]
    assert listed == [*(f"m{number:02}.py:2" for number in range(45)), "tests/test_a.py:1"]
    assert Terminal(repo.path).refused("show", "--page", "4", "close").hint


def test_declaration_is_named_below_the_definition(repo: GitSandbox) -> None:
    repo.git("config", "ragit.embedding.provider", "none")
    repo.write("a.h", "/* Opens it. */\nint open_it(void);\n")
    repo.write("a.c", '#include "a.h"\n\nint open_it(void)\n{\n\treturn 1;\n}\n')
    repo.commit()
    result = shown(repo, "show", "open_it")
    assert result.startswith("a.c:")
    assert result.endswith("declared in a.h:2\n")


def test_class_is_shown_in_place_of_its_constructors(repo: GitSandbox) -> None:
    repo.git("config", "ragit.embedding.provider", "none")
    body = "    A(int a) {\n        x = a;\n    }\n\n    void b() {\n        x++;\n    }\n"
    repo.write("A.java", f"class A {{\n    int x;\n\n{body}}}\n")
    repo.commit()
    assert shown(repo, "show", "A").startswith("A.java:1-11  class A\n")


def test_skeleton_and_show_read_each_tree(repo: GitSandbox) -> None:
    repo.git("config", "ragit.embedding.provider", "none")
    repo.write("a.py", "def committed():\n    pass\n")
    repo.commit()
    repo.tag("v1")
    repo.write("a.py", "def newer():\n    pass\n")
    repo.commit()
    repo.write("a.py", "def staged():\n    pass\n")
    repo.git("add", "a.py")
    repo.write("a.py", "def edited():\n    pass\n")
    for options, name in (
        (["--ref", "v1"], "committed"),
        (["--committed"], "newer"),
        (["--staged"], "staged"),
        ([], "edited"),
    ):
        assert shown(repo, "skeleton", *options, "a.py").splitlines()[1:] == [f"1 def {name}()"]
        assert shown(repo, "show", *options, name).startswith(f"a.py:1-2  function {name}\n")
        assert Terminal(repo.path).refused("show", *options, "nowhere")


def test_large_folder_counts_files_of_subfolders(repo: GitSandbox) -> None:
    repo.git("config", "ragit.embedding.provider", "none")
    for number in range(201):
        repo.write(f"src/deep/m{number}.txt", f"file {number}\n")
    repo.write("src/a.py", "def a():\n    pass\n")
    repo.commit()
    assert shown(repo, "skeleton").splitlines() == ["src/  202 files"]
    assert shown(repo, "skeleton", "src").splitlines() == [
        "src/deep/  201 files",
        "src/a.py  2 lines  a",
    ]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["skeleton", "shop/nope.py"], "there is no shop/nope.py in HEAD"),
        (["skeleton", "../elsewhere"], "../elsewhere is outside the repository"),
        (["skeleton", "--ref", "nope", "shop"], "no commit or tree is named 'nope'"),
        (["skeleton", "--format", "yaml", "shop"], "unknown format 'yaml'"),
        (["skeleton", "--staged", "--committed"], "several trees are asked for"),
        (["show", "shop/cart.py:41"], "shop/cart.py has 40 lines, so there is no line 41"),
        (["show", "shop/cart.py:0"], "shop/cart.py has 40 lines, so there is no line 0"),
        (["show", "shop:1"], "shop is a folder"),
        (["show", "docs/logo.bin:1"], "docs/logo.bin is not indexed: binary"),
        (["show", "nothing_here"], "no file of HEAD defines nothing_here"),
        (["show", "Basket.add"], "HEAD defines add, but not in Basket"),
        (["show", "total", "--page", "9"], "there are 2 definitions of total on 1 page"),
    ],
    ids=str,
)
def test_bad_input_is_refused_in_one_sentence(
    shop: GitSandbox, args: list[str], message: str
) -> None:
    assert message in Terminal(shop.path).refused(*args).err


@pytest.mark.parametrize("name", ["parseOrder", "ParseOrder", "PARSE_ORDER"])
def test_another_spelling_is_suggested(shop: GitSandbox, name: str) -> None:
    assert Terminal(shop.path).refused("show", name).hint == "Did you mean parse_order?"


def test_file_that_is_not_indexed_is_noted(shop: GitSandbox) -> None:
    result = Terminal(shop.path).ragit("skeleton", "docs/logo.bin", code=0)
    assert result.err == "note: docs/logo.bin is not indexed: binary\n"


def test_skeleton_without_an_index_is_refused(repo: GitSandbox) -> None:
    write_shop(repo)
    result = Terminal(repo.path).refused("skeleton", "--no-index", "shop/cart.py")
    assert "nothing is indexed" in result.err


def test_missing_files_are_noted(shop: GitSandbox) -> None:
    terminal = Terminal(shop.path)
    terminal.ragit("index", code=0)
    shop.write("shop/new.py", "class Cart:\n    pass\n")
    shop.write("docs/new.md", "# New\n")
    for args, files in (
        (["skeleton"], "2 files of HEAD + uncommitted changes are"),
        (["skeleton", "shop"], "1 file of HEAD + uncommitted changes is"),
        (["show", "Cart"], "2 files of HEAD + uncommitted changes are"),
        (["show", "total"], "2 files of HEAD + uncommitted changes are"),
    ):
        result = terminal.ragit(*args, "--no-index", code=0)
        assert (
            result.err == f"incomplete: {files} not indexed; to complete: ragit index --worktree\n"
        )
        found = json.loads(terminal.ragit(*args, "--no-index", "--json", code=0).out)
        assert (found["complete"], found["missing"]) == (False, int(files[0]))
    result = terminal.ragit("skeleton", "shop/cart.py", "--no-index", "--json", code=0)
    assert (result.err, json.loads(result.out)["complete"]) == ("", True)
    assert json.loads(terminal.ragit("skeleton", "--json", code=0).out)["missing"] == 0


def test_control_characters_are_escaped(repo: GitSandbox) -> None:
    repo.git("config", "ragit.embedding.provider", "none")
    repo.write("a\x1b[31m.py", "def a():  # \x1b[2J\n    pass\n\n\nB = '\u202e'\n")
    repo.commit()
    for args in (["skeleton"], ["skeleton", "a\x1b[31m.py"], ["show", "a"], ["show", "B"]):
        for name in ("text", "json", "vimgrep", "compact"):
            out = shown(repo, *args, "--format", name)
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out)


# -- purity


def answers(index: Ragit, commit: str) -> list[object]:
    """Return all skeletons and definitions of a commit."""
    found: list[object] = []
    names: set[str] = set()
    for path in sorted(index.searched_paths(commit)):
        one = index.skeleton(path, ref=commit)
        assert isinstance(one, FileSkeleton)
        names.update(item.name for item in flat(one.items))
        found.append(one)
    found.append(index.skeleton(ref=commit))
    for name in sorted(names):
        try:
            found.append(index.show(name, ref=commit))
        except RagitError as error:
            found.append(error.message)
    return found


@settings(max_examples=4, phases=[Phase.generate])
@given(steps(3, 8))
def test_outlines_depend_only_on_the_tree(history: list[Step]) -> None:
    """Compare an index that grew with the history with one made of the last commit alone."""
    with tempfile.TemporaryDirectory() as folder:
        repo = GitSandbox(Path(folder) / "repo")
        repo.git("config", "ragit.embedding.provider", "none")
        commits = play(repo, history)
        with ragit.open(repo.path) as grown:
            for commit in commits:
                grown.index(commit)
            old = [answers(grown, commit) for commit in (commits[0], commits[-1])]
        for commit, before in zip((commits[0], commits[-1]), old, strict=True):
            flags = {"index.storePath": str(Path(folder) / f"{commit}.db")}
            with ragit.open(repo.path, flags=flags) as fresh:
                fresh.index(commit)
                assert answers(fresh, commit) == before


def test_library_returns_values(shop: GitSandbox) -> None:
    with ragit.open(shop.path) as index:
        assert isinstance(index.skeleton("shop"), FolderSkeleton)
        several = index.show("total")
        assert isinstance(several, Choices)
        assert [one.line for one in several.choices] == [29, 12]
        one = index.show("Cart.add")
        assert isinstance(one, Shown)
        assert (one.item.qualified, one.item.doc) == ("Cart.add", "Put an article into the cart.")
