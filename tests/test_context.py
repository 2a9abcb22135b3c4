"""Tests of `ragit context`: declarations used and imported at a cursor, and similar code, within a
token budget.
"""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from shop import CART, write_shop
from terminal import Terminal
from test_render import faults, schemas

import ragit
from ragit.context.cursor import read_cursor
from ragit.context.headers import likeliest
from ragit.contexts import Context
from ragit.repository.repository import Ragit
from ragit.tree_world import Export
from ragit.usages import StoredDefinition
from ragit.words import parts

JAVA = """\
package org.shop;

import org.shop.util.Money;
import java.util.List;

class Till {
    long total(List<Long> prices) {
        return prices.get(0);
    }
}
"""


STATEMENTS = [
    "import",
    "import (",
    "from . import (",
    "import {",
    "use a::{b,",
    'import x from "y"',
    "#include <",
    "import a.b.{C, D => E}",
    "const x = require(",
    "}",
    ")",
    "call(Other)",
]
"""Import statements, complete and incomplete."""


def write_many(repo: GitSandbox) -> None:
    """Write small trees of several languages, with a name that is defined in several places."""
    repo.write("src/org/shop/Till.java", JAVA)
    repo.write(
        "src/org/shop/util/Money.java",
        "package org.shop.util;\n\npublic class Money {\n"
        "    public static long round(long cents) {\n        return cents;\n    }\n}\n",
    )
    for number in range(30):
        repo.write(
            f"src/org/other/p{number}/Money.java",
            f"package org.other.p{number};\n\nclass Money {{\n    int v{number};\n}}\n",
        )
    repo.write("web/till.ts", 'import { sum as add } from "./math";\n\nconst a = 1;\n')
    repo.write(
        "web/math/index.ts",
        "export function sum(a: number, b: number): number {\n  return a + b;\n}\n",
    )
    repo.write("c/till.c", '#include "buffer.h"\n\nint till(void)\n{\n\treturn 0;\n}\n')
    repo.write("c/buffer.h", "struct buffer;\nvoid buffer_add(struct buffer *b, int c);\n")
    repo.write(
        "c/buffer.c", '#include "buffer.h"\n\nvoid buffer_add(struct buffer *b, int c)\n{\n}\n'
    )


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    repo = GitSandbox(tmp_path_factory.mktemp("context") / "repo")
    repo.git("config", "ragit.embedding.provider", "none")
    write_many(repo)
    write_shop(repo)
    Terminal(repo.path).ragit("index", "-q", code=0)
    return repo


@pytest.fixture
def index(repository: GitSandbox) -> Iterator[Ragit]:
    with ragit.open(repository.path) as opened:
        yield opened


def names(found: Context) -> list[tuple[str, str, str]]:
    return [(one.path, one.name, one.reason) for one in found.signatures]


def exports(header: str, *names: str) -> list[Export]:
    definitions = (
        StoredDefinition(header, at, "function", "", "c", name=name)
        for at, name in enumerate(names, 1)
    )
    return [Export(one, frozenset(parts(one.name))) for one in definitions]


def test_likeliest_orders_header_declarations_by_relevance() -> None:
    strings = exports("strbuf.h", "strbuf_add", "strbuf_trim", "strbuf_rare", "xmalloc")
    lock = exports("lock.h", "lock_file", "lock_free")
    lines = ["struct strbuf buffer;", "strbuf_add(&buffer);", "trim_it();"]
    files = {"xmalloc": 300, "lock_free": 2}
    found = likeliest([strings, lock], ["buffer", "strbuf"], lines, lambda one: files.get(one, 1))
    order = [one.name for one in found]
    assert set(order) == {one.definition.name for one in (*strings, *lock)}
    assert order.index("strbuf_trim") < order.index("strbuf_rare")  # the file has the word trim
    # many files use xmalloc; of lock.h this file uses nothing yet, and it is small
    assert order.index("xmalloc") < order.index("lock_free") < order.index("lock_file")
    none_used = likeliest([strings, lock], [], [], lambda one: 1)
    assert [one.name for one in none_used[:2]] == ["lock_file", "lock_free"]
    assert likeliest([], [], [], lambda one: 1) == []


def test_declarations_of_imported_names_come_first(index: Ragit) -> None:
    found = index.context("shop/cart.py", 18)
    first = found.signatures[0]
    assert (first.path, first.line, first.name) == ("shop/prices.py", 1, "PriceList")
    assert (first.text, first.reason) == ("class PriceList", "imported")
    assert all(one.path != "shop/cart.py" for one in found.signatures)
    assert all(piece.path != "shop/cart.py" for piece in found.similar)


@pytest.mark.parametrize(
    ("path", "line", "wanted"),
    [
        ("src/org/shop/Till.java", 8, ("src/org/shop/util/Money.java", "Money", "imported")),
        ("web/till.ts", 3, ("web/math/index.ts", "sum", "imported")),
        ("c/till.c", 5, ("c/buffer.c", "buffer_add", "imported")),
        ("tests/test_cart.py", 5, ("shop/cart.py", "parse_order", "imported")),
    ],
    ids=lambda value: str(value),
)
def test_imports_are_resolved_in_each_language(
    index: Ragit, path: str, line: int, wanted: tuple[str, str, str]
) -> None:
    found = names(index.context(path, line))
    if path.startswith("c/"):
        assert {("c/buffer.h", "buffer_add", "included"), wanted} & set(found)
    else:
        assert wanted in found


def test_imported_definition_is_chosen_among_many(index: Ragit) -> None:
    found = index.context("src/org/shop/Till.java", 8)
    assert [one.path for one in found.signatures if one.name == "Money"] == [
        "src/org/shop/util/Money.java"
    ]


def test_unsaved_text_replaces_the_file(index: Ragit) -> None:
    text = "from shop.cart import CartFull\n\n\ndef new():\n    \n"
    assert names(index.context("shop/prices.py", 5, text))[0][:2] == ("shop/cart.py", "CartFull")
    found = index.context("shop/not_there_yet.py", 5, text)
    assert names(found)[0] == ("shop/cart.py", "CartFull", "imported")


@pytest.mark.parametrize("most", [1, 20, 60, 200, 1200])
def test_context_fits_into_the_token_limit(repository: GitSandbox, index: Ragit, most: int) -> None:
    found = index.context("shop/cart.py", 38, max_tokens=most)
    assert found.tokens <= most
    result = Terminal(repository.path).ragit(
        "context", "shop/cart.py:38", "--max-tokens", str(most)
    )
    assert math.ceil(len(result.out.encode()) / 3) <= most


def test_similar_code_is_found_by_rare_words(repo: GitSandbox) -> None:
    repo.git("config", "ragit.embedding.provider", "none")
    for number in range(60):
        repo.write(f"m{number}.py", f"def f{number}():\n    return {number}\n")
    body = "def open_{0}(path):\n    with_retry_backoff(path)\n    return frobnicate_widget(path)\n"
    repo.write("one.py", body.format("one"))
    repo.write("two.py", body.format("two"))
    repo.commit()
    with ragit.open(repo.path) as index:
        (piece,) = index.context("one.py", 2).similar
    assert (piece.path, piece.start_line, piece.end_line) == ("two.py", 1, 3)
    assert piece.name == "open_two"
    assert set(piece.words) >= {"withretrybackoff", "frobnicatewidget"}
    assert piece.text == body.format("two").rstrip("\n")


def test_second_call_starts_no_process(index: Ragit, monkeypatch: pytest.MonkeyPatch) -> None:
    first = index.context("shop/cart.py", 18)
    started: list[object] = []
    real = subprocess.Popen.__init__

    def count(self: object, *args: object, **named: object) -> None:
        started.append(args)
        real(self, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(subprocess.Popen, "__init__", count)
    again = index.context("shop/cart.py", 18, fresh_s=600)
    assert not started
    assert (again.signatures, again.similar) == (first.signatures, first.similar)


def test_context_follows_edits_commits_and_other_trees(repo: GitSandbox) -> None:
    repo.git("config", "ragit.embedding.provider", "none")
    repo.write("a.py", "from b import one\n\n\nx = 1\n")
    repo.write("b.py", "def one(old):\n    pass\n")
    repo.commit()
    repo.tag("v1")
    with ragit.open(repo.path) as index:

        def text(**tree: str) -> list[str]:
            return [one.text for one in index.context("a.py", 4, fresh_s=0, **tree).signatures]

        assert text() == ["def one(old)"]
        repo.write("b.py", "def one(edited):\n    pass\n")
        assert text() == ["def one(edited)"]
        assert text(scope="committed") == ["def one(old)"]
        repo.git("add", "b.py")
        repo.write("b.py", "def one(again):\n    pass\n")
        assert text(scope="staged") == ["def one(edited)"]
        repo.commit()
        assert text(ref="v1") == ["def one(old)"]
        assert text(ref="main") == ["def one(again)"]


def test_context_depends_only_on_the_tree(repository: GitSandbox, tmp_path: Path) -> None:
    """Compare an index that holds other commits with one made of this tree alone."""
    places = [("shop/cart.py", 38), ("tests/test_cart.py", 5), ("c/till.c", 5), ("web/till.ts", 3)]
    repo = GitSandbox(tmp_path / "grown")
    repo.git("config", "ragit.embedding.provider", "none")
    write_shop(repo)
    repo.write("shop/prices.py", "class Other:\n    pass\n")
    repo.write("c/buffer.h", "int buffer_add(void);\n")
    with ragit.open(repo.path) as grown:
        grown.index(repo.commit())
        write_many(repo)
        write_shop(repo)
        grown.index()
        with ragit.open(repository.path) as fresh:
            for path, line in places:
                one, other = grown.context(path, line), fresh.context(path, line)
                assert (one.signatures, one.similar) == (other.signatures, other.similar), path


@pytest.mark.parametrize("name", ["text", "json", "vimgrep", "compact"])
def test_every_format_lists_the_signatures(repository: GitSandbox, name: str) -> None:
    result = Terminal(repository.path).ragit(
        "context", "tests/test_cart.py:5", "--format", name, code=0
    )
    assert "parse_order" in result.out
    if name == "json":
        assert not list(faults(json.loads(result.out), schemas()["context"]))


def test_stdin_replaces_the_text_of_the_file(repository: GitSandbox) -> None:
    text = CART.replace("from shop.prices import PriceList", "import shop")
    done = Terminal(repository.path).process_bytes(
        "context", "--stdin", "--json", "shop/cart.py:3", stdin=text.encode()
    )
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert all(one["reason"] != "imported" for one in found["signatures"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["shop/cart.py"], "'shop/cart.py' is not PATH:LINE"),
        (["shop/cart.py:900"], "shop/cart.py has 41 lines, so there is no line 900"),
        (["shop/nope.py:1"], "there is no shop/nope.py in HEAD"),
        (["docs/logo.bin:1"], "docs/logo.bin is not indexed: binary"),
        (["--ref", "nope", "shop/cart.py:1"], "no commit or tree is named 'nope'"),
        (["--format", "yaml", "shop/cart.py:1"], "unknown format 'yaml'"),
    ],
    ids=str,
)
def test_bad_input_is_refused_in_one_sentence(
    repository: GitSandbox, args: list[str], message: str
) -> None:
    assert message in Terminal(repository.path).refused("context", *args).err


def test_empty_context_exits_with_status_1(repo: GitSandbox) -> None:
    repo.write("a.txt", "nothing here\n")
    repo.commit()
    result = Terminal(repo.path).ragit("context", "a.txt:1", code=1)
    assert result.err == "note: nothing that a.txt uses there is defined elsewhere\n"


# -- parsing of files


@pytest.mark.parametrize(
    ("language", "text", "imported"),
    [
        ("python", "from a.b import (\n    c,\n    d as e,\n)\nimport os.path\n", ["c", "e", "os"]),
        ("java", "import a.B;\nimport static c.D.e;\n", ["B", "e"]),
        (
            "typescript",
            'import {\n  a,\n  b as c,\n} from "./x";\nimport d from "y";\n',
            ["a", "c", "d"],
        ),
        ("rust", "use a::{b, c as d};\n", ["b", "d"]),
        ("c", '#include "x.h"\n', [""]),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isalpha() else "",
)
def test_imports_are_read_from_the_text(language: str, text: str, imported: list[str]) -> None:
    cursor = read_cursor("a", text.split("\n"), 1, language)
    bound = [name.alias for one in cursor.references.imports for name in one.names]
    assert bound == imported


def test_names_near_the_cursor_are_ordered_by_distance() -> None:
    lines = ["far_away()", *[""] * 20, "third()", "first()", "# comment()", "second = Other()"]
    cursor = read_cursor("a.py", lines, 23, "python")
    assert cursor.used == ("first", "third", "Other")
    assert cursor.names == ("first", "third", "Other", "second")
    assert list(cursor.rest) == ["far_away"]


@given(
    st.lists(st.one_of(st.text(), st.sampled_from(STATEMENTS)), max_size=8),
    st.sampled_from(["python", "java", "scala", "typescript", "rust", "go", "c", "php", "swift"]),
    st.integers(1, 8),
)
def test_read_cursor_accepts_any_text(lines: list[str], language: str, line: int) -> None:
    text = [part for each in lines for part in each.split("\n")] or [""]
    cursor = read_cursor("a", text, line, language)
    assert set(cursor.used) <= set(cursor.names)
    assert not set(cursor.rest) & set(cursor.used)
