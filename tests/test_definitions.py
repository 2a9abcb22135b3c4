"""Tests of the definitions of a hit, with kinds and lines."""

from __future__ import annotations

from sandbox import GitSandbox

import ragit
from ragit.render.text import qualified
from ragit.store import pack_definitions
from ragit.types import Chunk, Definition

CODE = """\
LIMIT = 1
OTHER = 2


# Adds an item to the basket.
@cache
def add_item(basket):
    def inner():
        return basket
    return inner
"""


def test_hit_lists_its_definitions_with_lines(repo: GitSandbox) -> None:
    repo.write("shop.py", CODE)
    repo.commit("one")
    with ragit.open(repo.path) as index:
        hits = index.search("add_item", mode="keyword", optimize=False).hits
    [hit] = [each for each in hits if each.symbol == "add_item"]
    assert hit.definitions == (
        Definition("add_item", "function", 7),
        Definition("inner", "function", 8),
    )


def test_merged_hits_list_the_definitions_of_all(repo: GitSandbox) -> None:
    repo.write("shop.py", CODE)
    repo.commit("one")
    with ragit.open(repo.path) as index:
        hits = index.search("add_item OTHER LIMIT", mode="keyword").hits
    names = [each.name for hit in hits for each in hit.definitions]
    assert sorted(names) == ["LIMIT", "OTHER", "add_item", "inner"]


def test_packed_definitions_take_one_line_each() -> None:
    name = "adds\ttwo\u2028lines\n"
    chunk = Chunk(5, 9, 0, 1, "x", definitions=(Definition(name, "test", 6),))
    assert pack_definitions(chunk) == "1\ttest\tadds two lines"


def test_test_name_includes_the_enclosing_titles(repo: GitSandbox) -> None:
    repo.write(
        "a.test.js", 'describe("the cart", () => {\n  it("adds items", () => {\n  });\n});\n'
    )
    repo.commit("one")
    with ragit.open(repo.path) as index:
        hits = index.search("adds items", mode="keyword", optimize=False).hits
    assert [qualified("", hit) for hit in hits if hit.kind == "test"] == ["the cart › adds items"]


def test_class_hit_lists_methods_in_its_other_chunks(repo: GitSandbox) -> None:
    methods = "".join(
        f"    def m{n}(self):\n        # {'words ' * 60}\n        return {n}\n\n" for n in range(3)
    )
    repo.write("a.py", 'class Basket:\n    """Holds fruit."""\n\n' + methods)
    repo.commit()
    with ragit.open(repo.path, flags={"embedding.provider": "none"}) as index:
        (one,) = [hit for hit in index.search("Basket", optimize=False).hits if hit.kind == "class"]
        with index.reading() as opened:
            chunking = opened.chunking_at(b"a.py")
            assert chunking is not None
            lines = {row.symbol: row[1:3] for row in opened.chunks_of(chunking)}
    found = {member.name: (member.start_line, member.end_line) for member in one.members}
    assert found == {f"m{n}": lines[f"m{n}"] for n in range(3)}
