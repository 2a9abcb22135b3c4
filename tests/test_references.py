"""Tests of references in files: from each language's syntax, packed, stored and checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from storing import tampered

import ragit
from ragit import chunk
from ragit.chunk.sources import FOLDER
from ragit.errors import StoreUnreadable
from ragit.references import (
    KINDS,
    Bound,
    Hidden,
    Import,
    Reference,
    References,
    checked,
    pack,
)
from ragit.store import Store

SOURCES = {
    "python": "from a.b import c as d, e\nimport f\n\n@d\nclass X(f.Base):\n    y: 'e'\n    Z.g(h())\n",
    "java": "import a.b.C;\nimport static a.D.max;\nclass X extends Base implements I<C> {\n"
    "  C f() { return new G(max(C.of())); }\n}\n",
    "javascript": "import a, {b as c} from './m'\nconst {d} = require('n')\n"
    "class X extends Base { f() { return new G(c(), a.h) } }\n",
    "typescript": "import * as a from './m'\nexport * from './n'\nclass X extends Base implements I {\n"
    "  f(x: T): U { return a.g(x) } }\n",
    "c": '#include "a/b.h"\nstruct S f(struct T *t) { return g(t->h(1)); }\n',
    "cpp": "#include <a>\nclass X : public Base { T f() { return N::g(h<T>()); } };\n",
    "go": 'package p\nimport q "a/b"\ntype X struct { Base }\nfunc f(t T) { q.G(h(U{})) }\n',
    "rust": "use a::{b, c::D as E};\nimpl I for X { fn f(t: T) { b::g(h(t)); m!() } }\n",
    "kotlin": "import a.b.C\nclass X : Base(), I { fun f(t: T) { C.g(h(t)) } }\n",
    "csharp": "using A.B;\nclass X : Base, I { T f() { return C.G(new H()); } }\n",
    "ruby": "require_relative 'a'\nclass X < Base\n  def f\n    C.g(h(1))\n  end\nend\n",
    "php": "<?php\nuse A\\{B, C as D};\nclass X extends Base implements I {\n"
    "  function f(T $t) { return D::g(h(new H())); }\n}\n",
    "scala": "import a.{B, C => D}\nclass X extends Base { def f(t: T) = D.g(h(new H())) }\n",
    "swift": "import A\nclass X: Base { func f(t: T) { C.g(h(t)) } }\n",
}

IMPORTS = {
    "python": [("a.b", [("c", "d"), ("e", "e")]), ("f", [("", "f")])],
    "java": [("a.b", [("C", "C")]), ("a.D", [("max", "max")])],
    "javascript": [("./m", [("b", "c"), ("default", "a")]), ("n", [("d", "d")])],
    "typescript": [("./m", [("", "a")]), ("./n", [("*", "")])],
    "c": [("a/b.h", [("*", "")])],
    "cpp": [("a", [("*", "")])],
    "go": [("a/b", [("", "q")])],
    "rust": [("a", [("b", "b")]), ("a::c", [("D", "E")])],
    "kotlin": [("a.b", [("C", "C")])],
    "csharp": [("A.B", [("*", "")])],
    "ruby": [("./a", [("*", "")])],
    "php": [("A", [("B", "B"), ("C", "D")])],
    "scala": [("a", [("B", "B"), ("C", "D")])],
    "swift": [("A", [("*", "")])],
}
NAMES = {
    "python": {"call": "d g h", "base": "Base", "attribute": "Z f"},
    "java": {"call": "G max of", "base": "Base I", "type": "C", "attribute": "C"},
    "javascript": {"call": "G c require", "base": "Base", "attribute": "a"},
    "typescript": {"call": "g", "base": "Base I", "type": "T U X", "attribute": "a"},
    "c": {"call": "g h", "type": "S T"},
    "cpp": {"call": "g h", "base": "Base", "type": "T X", "attribute": "N"},
    "go": {"call": "G U h", "base": "Base", "type": "T X", "attribute": "q"},
    "rust": {"call": "g h m", "base": "I", "type": "T X", "attribute": "b"},
    "kotlin": {"call": "g h", "base": "Base I", "type": "T", "attribute": "C"},
    "csharp": {"call": "G H", "base": "Base I", "type": "T", "attribute": "C"},
    "ruby": {"call": "g h require_relative", "base": "Base", "attribute": "C"},
    "php": {"call": "H g h", "base": "Base I", "type": "T", "attribute": "D"},
    "scala": {"call": "H g h", "base": "Base", "type": "T", "attribute": "D"},
    "swift": {"call": "g h", "base": "Base", "type": "T", "attribute": "C"},
}


def referred(language: str, text: str) -> References:
    return References(chunk.chunk(text.encode(), language, isolated=False).references)


@pytest.mark.parametrize("language", SOURCES)
def test_references_of_each_language(language: str) -> None:
    found = referred(language, SOURCES[language])
    imports = [(one.module, list(map(tuple, one.names))) for one in found.imports]
    assert imports == IMPORTS[language]
    names: dict[str, set[str]] = {}
    for one in found.all():
        names.setdefault(one.kind, set()).add(one.name)
    assert {kind: " ".join(sorted(held)) for kind, held in names.items()} == NAMES[language]


def test_every_query_file_has_a_tested_language() -> None:
    named = {file.stem for file in (FOLDER / "references").glob("*.scm")}
    assert named == {*SOURCES, "ecma", "tsx"}


def test_comments_and_strings_hide_names() -> None:
    text = 'a()  # b\nc = """d\ne""" + f(f"{g} h")\n'
    found = referred("python", text)
    hidden = {"b": "comment", "d": "string", "e": "string", "h": "string", "a": "", "g": ""}
    for number, line in enumerate(text.splitlines(), 1):
        for column, sign in enumerate(line):
            if sign in hidden:
                assert found.hides(number, column) == hidden[sign], sign


def test_language_without_rules_has_no_references() -> None:
    assert chunk.chunk(b"x = 1\n", "lua", isolated=False).references == b""
    assert chunk.chunk(b"# Title\n", "markdown", isolated=False).references == b""


def test_child_process_gives_the_same_references() -> None:
    text = SOURCES["java"].encode()
    assert chunk.chunk(text, "java") == chunk.chunk(text, "java", isolated=False)


def test_script_in_a_page_has_lines_of_the_page() -> None:
    found = referred("vue", "<template/>\n<script>\nimport a from './a'\nb()\n</script>\n")
    assert found.imports == (Import(3, "./a", (Bound("default", "a"),)),)
    assert found.of("b") == [Reference("b", "call", 4)]


names = st.text(st.characters(categories=["L", "N"], include_characters="_$"), min_size=1)
numbers = st.integers(1, 10**6)
references = st.lists(
    st.builds(Reference, names, st.sampled_from(sorted(KINDS.values())), numbers), unique=True
)
imports = st.lists(
    st.builds(Import, numbers, names, st.lists(st.builds(Bound, names, names)).map(tuple))
)
hiding = st.lists(st.builds(Hidden, st.sampled_from(("comment", "string")), *[numbers] * 2))


@given(references, imports, hiding)
def test_references_survive_packing(
    references: list[Reference], imports: list[Import], hiding: list[Hidden]
) -> None:
    spans = [Hidden(one.kind, one.line, one.column, one.line + 2, 7) for one in hiding]
    packed = checked(pack(references, imports, spans))
    found = References(packed)
    assert sorted(found.all()) == sorted(references)
    assert found.imports == tuple(sorted(imports))
    assert sorted(found.hidden) == sorted(spans)
    assert found.names == {one.name for one in references}
    for one in references:
        assert one in found.of(one.name)
    assert found.of("no such name") == []
    assert found.of("") == []


@pytest.mark.parametrize(
    "text", ["", "\n", "x\n\n", "1\ta\tb\n\n\n", "\n\nname x1\n", "\nq1:1-1:1\n\n", "\n\nname\n"]
)
def test_invalid_packed_references_are_refused(text: str) -> None:
    import zlib

    with pytest.raises(ValueError, match="references|line"):
        checked(zlib.compress(text.encode()))
    with pytest.raises(ValueError, match="references"):
        checked(text.encode())


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    repo = GitSandbox(tmp_path_factory.mktemp("references") / "repo")
    repo.write("a.py", SOURCES["python"])
    repo.write("b.md", "# Title\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
    return repo


def test_references_are_stored_by_chunking(indexed: GitSandbox) -> None:
    with ragit.open(indexed.path) as index, index.reading() as opened:
        stored = opened.store.names.references(opened.tree.snapshot.chunkings)
        assert list(stored) == [opened.chunking_at(b"a.py")]
        [found] = stored.values()
        assert [one.line for one in found.of("h")] == [7]


def test_references_are_removed_with_their_chunking(indexed: GitSandbox, tmp_path: Path) -> None:
    path = copied(indexed, tmp_path)
    with Store(path, writable=True) as store:
        assert store.problems() == []
        numbers = [number for number, *_ in store.all_keys()]
        with store.writing():
            store.drop_except(set(), set())
        assert store.names.references(numbers) == {}
        assert store.problems() == []


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("UPDATE reference SET packed = x'00'", "a row cannot be read"),
        ("UPDATE reference SET chunking = chunking + 99", "1 references of no file"),
    ],
)
def test_damaged_references_are_reported(
    indexed: GitSandbox, tmp_path: Path, sql: str, problem: str
) -> None:
    path = copied(indexed, tmp_path)
    with tampered(path) as db:
        db.execute(sql)
    with Store(path, writable=False) as store:
        assert any(problem in found for found in store.problems())
        if "packed" in sql:
            with pytest.raises(StoreUnreadable):
                store.names.references([number for number, *_ in store.all_keys()])


def copied(repo: GitSandbox, folder: Path) -> Path:
    path = folder / "index.db"
    path.write_bytes((repo.path / ".git" / "ragit" / "index.db").read_bytes())
    return path
