"""Tests that each option has an effect, and changes the fingerprints of the languages it
affects.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outlines import SAMPLES

from ragit.chunk import ChunkOptions, check_node_types, chunk, fingerprint, languages
from ragit.chunk.languages import LANGUAGES
from ragit.errors import ConfigError, UnknownLanguage

PYTHON = (SAMPLES / "python.pyw").read_bytes()


def kinds(data: bytes, language: str, options: ChunkOptions) -> list[str]:
    return [each.kind for each in chunk(data, language, options).chunks]


def test_node_types_replace_the_defaults() -> None:
    chosen = ChunkOptions(node_types={"python": ("class_definition",)}, item_bytes=0)
    found = chunk(PYTHON, "python", chosen).chunks
    assert {each.symbol for each in found if each.symbol} == {"Cart", "Point"}
    [cart] = [each for each in found if each.symbol == "Cart"]
    assert "def price" in cart.text, "a configured container is one undivided chunk"


def test_configured_node_types_are_found_at_any_depth() -> None:
    code = (
        b"def f():\n    if x:\n        pass\n\n    try:\n        g()\n    finally:\n        h()\n"
    )
    chosen = ChunkOptions(node_types={"python": ("try_statement",)}, item_bytes=0)
    assert [(each.start_line, each.kind) for each in chunk(code, "python", chosen).chunks][-1] == (
        5,
        "try",
    )


FUNCTIONS_AND_CLASSES = ("function_definition", "decorated_definition", "class_definition")


def test_class_node_type_beside_functions_keeps_its_methods() -> None:
    found = chunk(
        PYTHON, "python", ChunkOptions(node_types={"python": FUNCTIONS_AND_CLASSES})
    ).chunks
    usual = chunk(PYTHON, "python").chunks
    assert [each.symbol for each in found if each.kind in ("class", "method")] == [
        each.symbol.split()[0] for each in usual if each.kind in ("class", "method")
    ]


def test_class_as_the_only_node_type_lists_its_methods() -> None:
    chosen = ChunkOptions(node_types={"python": ("class_definition",)})
    [cart] = [each for each in chunk(PYTHON, "python", chosen).chunks if each.symbol == "Cart"]
    assert {"__init__", "size", "empty", "price"} <= {each.name for each in cart.definitions}


def test_decorator_as_the_only_node_type_finds_decorated_functions() -> None:
    chosen = ChunkOptions(node_types={"python": ("decorated_definition",)})
    found = chunk(PYTHON, "python", chosen).chunks
    assert "fetch" in [each.symbol for each in found]
    assert "total" not in [each.symbol for each in found]


def test_typescript_node_types_apply_to_tsx() -> None:
    code = b"interface A {\n  a: 1\n  b: 2\n}\nfunction f() {\n  return 1;\n}\n"
    for options in ({"typescript": ("function_declaration",)}, {"tsx": ("function_declaration",)}):
        found = chunk(code, "tsx", ChunkOptions(node_types=options)).chunks
        assert "f" in [each.symbol for each in found]
    none = ChunkOptions(node_types={"typescript": ()})
    assert "f" not in [each.symbol for each in chunk(code, "tsx", none).chunks]


def test_misspelt_node_type_is_rejected_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="no node type 'function_definitoin'") as caught:
        check_node_types({"python": ["class_definition", "function_definitoin"]})
    assert caught.value.hint == "Did you mean function_definition?"
    with pytest.raises(ConfigError, match="latex is not cut by a grammar"):
        check_node_types({"latex": ["section"]})
    check_node_types({"python": FUNCTIONS_AND_CLASSES})


def test_empty_node_types_give_no_function_chunks() -> None:
    assert "function" not in kinds(PYTHON, "python", ChunkOptions(node_types={"python": ()}))


def test_node_types_of_another_language_have_no_effect() -> None:
    assert chunk(PYTHON, "python", ChunkOptions(node_types={"java": ("block",)})) == chunk(
        PYTHON, "python"
    )


def test_min_bytes_groups_neighbours() -> None:
    apart, grouped, more = (
        len(chunk(PYTHON, "python", ChunkOptions(min_bytes=n)).chunks) for n in (0, 200, 2000)
    )
    assert apart > grouped > more


FUNCTION_AND_LINES = b"""import os

A = 1
B = 2
TABLE = {
    1: 2,
}

def one():
    pass

def two():
    pass

class Cart:
    limit = 1
    size = 2

    def add(self):
        pass
"""


def test_each_function_is_a_chunk_and_one_line_declarations_are_grouped() -> None:
    found = chunk(FUNCTION_AND_LINES, "python").chunks
    assert [(each.start_line, each.end_line, each.symbol) for each in found] == [
        (1, 4, "A B"),
        (5, 7, "TABLE"),
        (9, 10, "one"),
        (12, 13, "two"),
        (15, 17, "Cart limit size"),
        (19, 20, "add"),
    ]


def test_chunk_lists_its_definitions_with_kind_and_line() -> None:
    code = b"LIMIT = 1\nOTHER = 2\n\n# Adds.\n@cache\ndef add():\n    def inner():\n        pass\n"
    items, add = chunk(code, "python").chunks
    assert items.definitions == (("LIMIT", "constant", 1), ("OTHER", "constant", 2))
    assert add.definitions == (("add", "function", 6), ("inner", "function", 7))
    assert (add.start_line, add.symbol) == (4, "add")


@pytest.mark.parametrize("language", ["rust", "javascript", "java", "cpp"])
def test_long_doc_comment_is_cut_from_the_named_part(language: str) -> None:
    body = {"rust": b"pub fn go(x: u8) {\n", "java": b"class A {\nvoid go(int x) {\n"}
    code = b"/// A doc.\n" * 120 + body.get(language, b"function go(x) {\n")
    if language == "cpp":
        code = b"/// A doc.\n" * 120 + b"int go(int x) {\n"
    found = chunk(code + b"  x();\n" * 90 + b"}\n", language).chunks
    [part] = [each for each in found if "go" in each.symbol.split()]
    assert "go(" in part.signature
    assert "go(" in part.text
    assert {each.symbol for each in found if each.end_line <= 100} == {""}


def test_definition_that_fits_is_cut_only_from_its_comment() -> None:
    code = b"# Word.\n" * 30 + b"def go(x):\n" + b"    x()\n" * 90
    found = chunk(code, "python").chunks
    assert [(each.start_line, each.end_line, each.symbol) for each in found] == [
        (1, 30, ""),
        (31, 121, "go"),
    ]
    assert found[1].doc.startswith("Word.")


def test_max_lines_and_max_bytes_bound_chunks() -> None:
    code = b"def f():\n" + b"".join(b"    call(%d)\n" % i for i in range(150))
    by_lines = chunk(code, "python", ChunkOptions(max_lines=100)).chunks
    assert [(each.start_line, each.end_line) for each in by_lines] == [(1, 100), (101, 151)]
    by_bytes = chunk(code, "python", ChunkOptions(max_lines=1000, max_bytes=500)).chunks
    assert len(by_bytes) > 3
    assert max(len(each.text) for each in by_bytes) <= 500


def test_parts_of_a_large_function_have_it_as_parent() -> None:
    code = b"class A:\n    def f(self):\n" + b"".join(b"        call(%d)\n" % i for i in range(150))
    first, *rest = [each for each in chunk(code, "python").chunks if each.kind == "method"]
    assert (first.symbol, first.parent) == ("f", "A")
    assert [(each.symbol, each.parent, each.signature) for each in rest] == [
        ("", "A.f", "def f(self)")
    ]


def test_large_function_is_cut_at_a_block_boundary() -> None:
    block = b"    if x:\n" + b"        call()\n" * 29
    code = b"def f():\n" + block * 5
    starts = [each.start_line for each in chunk(code, "python").chunks]
    assert starts == [1, 92], "after three blocks of thirty lines, not after a hundred lines"


def test_functions_nested_in_a_large_function_are_found() -> None:
    inner = b"".join(
        b"  function inner%d() {\n    return [\n%s    ];\n  }\n" % (i, b"      1,\n" * 20)
        for i in range(9)
    )
    code = b"(function () {\n" + inner + b"})();\n"
    found = chunk(code, "javascript", ChunkOptions(item_bytes=0)).chunks
    assert [each.symbol for each in found if each.symbol] == [f"inner{i}" for i in range(9)]


@pytest.mark.parametrize("bad", [{"max_lines": 0}, {"max_bytes": 3}, {"min_bytes": -1}])
def test_sizes_out_of_range_are_rejected(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least"):
        ChunkOptions(**bad)  # type: ignore[arg-type]


CHANGES = [
    ChunkOptions(max_lines=99),
    ChunkOptions(max_bytes=7999),
    ChunkOptions(min_bytes=1),
    ChunkOptions(item_bytes=1),
]


@given(language=st.sampled_from(languages()), changed=st.sampled_from(CHANGES))
def test_each_size_option_changes_every_fingerprint(language: str, changed: ChunkOptions) -> None:
    assert fingerprint(language, changed) != fingerprint(language, ChunkOptions())
    assert fingerprint(language, changed) == fingerprint(language, changed)


@given(language=st.sampled_from(languages()), other=st.sampled_from(languages()))
def test_node_types_change_the_fingerprint_of_their_language_only(
    language: str, other: str
) -> None:
    chosen = ChunkOptions(node_types={other: ("block",)})
    rows = [LANGUAGES[name] for name in (language, *LANGUAGES[language].also.split())]
    changes = any(other in (row.name, row.dialect_of) for row in rows)
    assert (fingerprint(language, chosen) != fingerprint(language, ChunkOptions())) == changes


def test_fingerprints_depend_on_language_but_not_on_node_type_order() -> None:
    assert len({fingerprint(language, ChunkOptions()) for language in languages()}) == len(
        languages()
    )
    one, two = ({"c": types} for types in (("a", "b"), ("b", "a")))
    assert fingerprint("c", ChunkOptions(node_types=one)) == fingerprint(
        "c", ChunkOptions(node_types=two)
    )
    assert fingerprint("c", ChunkOptions(node_types={"c": ()})) != fingerprint("c", ChunkOptions())


def test_unknown_language_error_suggests_names() -> None:
    with pytest.raises(UnknownLanguage) as caught:
        chunk(b"", "pyhton")
    assert "python" in caught.value.hint
    with pytest.raises(UnknownLanguage) as caught:
        fingerprint("zzz", ChunkOptions())
    assert "typescript" in caught.value.hint


def test_language_of_and_fingerprint_load_no_grammar() -> None:
    script = (
        "import sys; from ragit.chunk import *; language_of(b'a.py'); fingerprint('python', ChunkOptions());"
        "heavy = [m for m in sys.modules if m.split('.')[0] in ('tree_sitter', 'tree_sitter_language_pack', 'numpy')];"
        "print(heavy, 'importlib.metadata' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[] False\n"
