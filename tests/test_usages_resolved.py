"""Tests of the rules that lead a use to its definition, in several languages.

Each line of these files that ends in `//: CERTAINTY` or `#: CERTAINTY` uses the name of its file's
row in NAMES; with `-> FILE` it means a definition in that file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from sandbox import GitSandbox

import ragit
from ragit.usages import Modules, Use

FILES = {
    "py/shop/__init__.py": "from .prices import price  #: import -> py/shop/prices.py\n",
    "py/shop/prices.py": """\
def price(item):
    return item


def total(items):
    return sum(map(price, items))  #: same file -> py/shop/prices.py


class Cart:
    def add(self, item):
        self.add(item)  #: -

    def price(self):
        return self.price()  #: same scope -> py/shop/prices.py
""",
    "py/till.py": """\
import shop
import shop.prices
from os import price as other
from shop import price  #: import -> py/shop/prices.py
from shop.prices import Cart


def main(cart, price_list):
    price(1)  #: import -> py/shop/prices.py
    shop.price(2)  #: import -> py/shop/prices.py
    shop.prices.price(3)  #: import -> py/shop/prices.py
    Cart.price(cart)  #: receiver -> py/shop/prices.py
    mine = Cart()
    mine.price()  #: receiver -> py/shop/prices.py
    unknown().price()  #: unique -> py/shop/prices.py
    show(price=4)  #: name
    "the price is not code"  #: word


def local(price):  #: local
    return price  #: local
""",
    "py/elsewhere.py": """\
from somewhere import price  #: outside


price(1)  #: outside
""",
    "jv/src/main/java/org/a/Base.java": """\
package org.a;
public class Base {
  void fetch() {}
  void again() { fetch(); } //: same scope -> jv/src/main/java/org/a/Base.java
}
""",
    "jv/src/main/java/org/a/Middle.java": """\
package org.a;
public class Middle extends Base {
  void more() { this.fetch(); } //: same scope -> jv/src/main/java/org/a/Base.java
}
""",
    "jv/src/main/java/org/b/Use.java": """\
package org.b;
import org.a.Base;
import org.a.Middle;
class Use {
  private Base field;
  void run(Middle given) {
    given.fetch(); //: receiver -> jv/src/main/java/org/a/Base.java
    field.fetch(); //: receiver -> jv/src/main/java/org/a/Base.java
    get().fetch(); //: ambiguous
  }
}
""",
    "jv/src/main/java/org/b/Other.java": "package org.b;\nclass Other { void fetch() {} }\n",
    "jv/src/main/java/org/c/Foreign.java": """\
package org.c;
import com.elsewhere.Base;
class Foreign {
  void run(Base given) {
    given.fetch(); //: ambiguous
  }
}
""",
    "ts/lib/parse.ts": """\
export function parse(text: string): string {
  return text ? parse(text.slice(1)) : text //: same file -> ts/lib/parse.ts
}
""",
    "ts/lib/index.ts": "export { parse } from './parse' //: import -> ts/lib/parse.ts\n",
    "ts/app.ts": """\
import * as lib from './lib'
import { parse } from './lib' //: import -> ts/lib/parse.ts
parse('a') //: import -> ts/lib/parse.ts
lib.parse('b') //: import -> ts/lib/parse.ts
show({ parse: 1 }) //: name
""",
    "ts/far.ts": """\
import { parse } from 'parser' //: outside
parse('a') //: outside
""",
    "c/list.h": "struct list;\nvoid push(struct list *l);\n",
    "c/list.c": '#include "list.h"\nvoid push(struct list *l)\n{\n}\n',
    "c/main.c": """\
#include "list.h"
int main(void)
{
	push(0); //: import -> c/list.c
	return 0;
}
""",
    "go/store/store.go": """\
package store

func Open() *DB {
	return &DB{}
}

type DB struct{}

func again() {
	Open() //: same file -> go/store/store.go
}
""",
    "go/store/more.go": """\
package store

func more() {
	Open() //: same package -> go/store/store.go
}
""",
    "php/Path/Normalizer.php": "<?php\nnamespace Php\\Path;\ninterface Normalizer {}\n",
    "php/Path/Reader.php": """\
<?php
namespace Php\\Path;
class Reader
{
    private Normalizer $normalizer; //: same package -> php/Path/Normalizer.php
}
""",
    "go/cmd/main.go": """\
package main

import "example.com/x/store"

func main() {
	store.Open() //: import -> go/store/store.go
}
""",
}
NAMES = {"py": "price", "jv": "fetch", "ts": "parse", "c": "push", "go": "Open"}
MARK = re.compile(r"(?:#|//): ([a-z ]+?)(?: -> (\S+))?$")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ragit.Ragit]:
    repo = GitSandbox(tmp_path_factory.mktemp("resolved") / "repo")
    for path, text in FILES.items():
        repo.write(path, text)
    repo.commit()
    with ragit.open(repo.path) as opened:
        opened.index()
        yield opened


def expected(language: str) -> dict[tuple[str, int], tuple[str, str]]:
    """Return the marks of a language's files: certainty and file of the definition, by path and
    line.
    """
    found = {}
    for path, text in FILES.items():
        if path.startswith(f"{language}/"):
            for number, line in enumerate(text.splitlines(), 1):
                mark = MARK.search(line)
                if mark:
                    found[path, number] = (mark[1], mark[2] or "")
    return found


def meaning(use: Use) -> tuple[str, str]:
    return use.certainty, use.definition.rpartition(":")[0]


@pytest.mark.parametrize("language", NAMES)
def test_uses_have_the_expected_certainty(index: ragit.Ragit, language: str) -> None:
    found = index.usages(NAMES[language], paths=(f"/{language}",), top_k=1000)
    listed = {(use.path, use.line): meaning(use) for use in found.uses}
    wanted = expected(language)
    assert {place: listed.get(place) for place in wanted} == wanted
    unmarked = listed.keys() - wanted.keys()
    assert all(
        FILES[path].splitlines()[line - 1].startswith(("from os", "void push"))
        for path, line in unmarked
    )


def test_callers_are_calling_definitions(index: ragit.Ragit) -> None:
    found = index.usages("price", relation="callers", paths=("/py",))
    assert [use.symbol for use in found.uses] == ["Cart.price", "main"]


def test_callees_are_calls_of_a_definition(index: ragit.Ragit) -> None:
    found = index.usages("main", relation="callees", paths=("/py",))
    calls = {(use.line, use.symbol): meaning(use) for use in found.uses if use.path == "py/till.py"}
    assert calls[9, "price"] == ("import", "py/shop/prices.py")
    assert calls[13, "Cart"] == ("import", "py/shop/prices.py")
    assert calls[16, "show"] == ("name", "")


def test_qualified_name_selects_the_definition_of_its_type(index: ragit.Ragit) -> None:
    assert index.usages("fetch", relation="overrides").uses == ()
    found = index.usages("Base.fetch")
    assert {one.path for one in found.definitions} == {"jv/src/main/java/org/a/Base.java"}
    assert not any(use.path.endswith("Other.java") for use in found.uses)


def test_member_is_found_through_an_inheriting_type(index: ragit.Ragit) -> None:
    [defined] = index.usages("Middle.fetch").definitions
    assert defined.path == "jv/src/main/java/org/a/Base.java"
    found = index.usages("Nobody.fetch")
    assert len(found.definitions) == 2
    assert found.notes == ("Nobody has no fetch; all uses are listed",)


def test_overriding_methods_are_listed(tmp_path_factory: pytest.TempPathFactory) -> None:
    repo = GitSandbox(tmp_path_factory.mktemp("overrides") / "repo")
    repo.write(
        "a.py", "class A:\n    def run(self):\n        pass\n\n\nclass Z:\n    def run(self): ...\n"
    )
    repo.write(
        "b.py", "from a import A\n\n\nclass B(A):\n    def run(self):\n        super().run()\n"
    )
    repo.commit()
    with ragit.open(repo.path) as index:
        found = index.usages("run", relation="overrides")
        assert [(use.path, use.line, use.definition) for use in found.uses] == [
            ("b.py", 5, "a.py:2")
        ]
        assert index.usages("Z.run", relation="overrides").uses == ()
        [called] = [use for use in index.usages("run").uses if use.path == "b.py"]
        assert meaning(called) == ("same scope", "a.py")


@pytest.mark.parametrize(
    ("module", "importer", "family", "wanted"),
    [
        ("a.b", "x/main.py", "python", ("a/b.py",)),
        (".b", "a/c.py", "python", ("a/b.py",)),
        ("..a.b", "x/y/c.py", "python", ()),
        ("a", "x/main.py", "python", ("a/__init__.py",)),
        ("b", "x/main.py", "python", ()),
        ("./m", "js/n.ts", "ecma", ("js/m.ts",)),
        ("./m.js", "js/n.ts", "ecma", ("js/m.ts",)),
        ("../js/sub", "js2/n.ts", "ecma", ("js/sub/index.tsx",)),
        ("m", "js/n.ts", "ecma", ()),
        ("@scope/pkg", "js/n.ts", "ecma", ("packages/pkg/package.json", "packages/pkg/src/a.ts")),
        ("m.h", "c/x.c", "c", ("c/m.h",)),
        ("deep/m.h", "y.c", "c", ("c/deep/m.h",)),
        ("org.x", "A.java", "jvm", ("src/main/java/org/x/Y.java",)),
        ("example.com/r/pkg/z", "main.go", "go", ("pkg/z/z.go",)),
        ("fmt", "main.go", "go", ()),
        ("crate::a::b", "rs/src/lib.rs", "rust", ("rs/src/a/b.rs",)),
        ("super::a", "rs/src/c.rs", "rust", ("rs/src/a/mod.rs",)),
        ("App\\Models", "x.php", "php", ("app/App/Models/User.php",)),
        ("./util", "rb/main.rb", "ruby", ("rb/util.rb",)),
        ("rb/util", "x.rb", "ruby", ("lib/rb/util.rb", "rb/util.rb")),
        ("anything", "x.lua", "lua", ()),
    ],
)
def test_modules_are_resolved_by_path(
    module: str, importer: str, family: str, wanted: tuple[str, ...]
) -> None:
    paths = (
        *("a/__init__.py", "a/b.py", "x/main.py", "js/m.ts", "js/sub/index.tsx"),
        *("packages/pkg/package.json", "packages/pkg/src/a.ts", "c/m.h", "c/deep/m.h"),
        *("src/main/java/org/x/Y.java", "pkg/z/z.go", "rs/src/lib.rs", "rs/src/a/mod.rs"),
        *("rs/src/a/b.rs", "app/App/Models/User.php", "rb/util.rb", "lib/rb/util.rb"),
    )
    assert Modules(paths).files(module, importer, family) == wanted


MANIFESTS = {
    "go.mod": "// the main module\nmodule example.com/r // named so\n\ngo 1.22\n",
    "tools/go.mod": 'module "example.com/r/tools"\n',
    "web/tsconfig.json": """{
      // a comment with "quotes" and http://
      "extends": "../base.json",
      "compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"], "env": ["./src/env.ts",],},},
    }""",
    "base.json": '{"compilerOptions": {"paths": {"@/*": ["nowhere/*"]}}}',
    "app/tsconfig.json": '{"references": [{"path": "./tsconfig.app.json"}]}',
    "app/tsconfig.app.json": '{"compilerOptions": {"paths": {"~/*.css": ["css/*"], "~/*": ["*"]}}}',
    "libs/one/package.json": '{"name": "@scope/one"}',
    "libs/two/package.json": '{"name": "second"}',
    "bad/tsconfig.json": "[" * 100_000,
    "bad/package.json": '{"name": 5}',
    "out/tsconfig.json": '{"extends": "./tsconfig.json", "compilerOptions": {"paths": {"x": "y", '
    '"out": ["../../../etc/passwd"], "*": [7, "../web/src/*"]}}}',
}
SOURCES = (
    *("pkg/z/z.go", "tools/z/z.go", "tools/z/z.md", "other/r/pkg/z/z.go", "main.go", "fmt/f.go"),
    *("web/src/deep/a.ts", "web/src/env.ts", "web/plain.ts", "web/src/main.ts", "src/deep/a.ts"),
    *("app/main.ts", "app/util.ts", "libs/one/src/part.ts", "libs/one/index.ts", "libs/two/a.ts"),
    *("two/index.ts", "bad/a.ts", "out/a.ts"),
)


@pytest.mark.parametrize(
    ("module", "importer", "wanted"),
    [
        ("example.com/r/pkg/z", "main.go", ("pkg/z/z.go",)),
        ("example.com/r/tools/z", "main.go", ("tools/z/z.go",)),
        ("example.com/other/r/pkg/z", "main.go", ()),  # not the declared prefix
        ("fmt", "main.go", ()),
        ("example.com/r", "tools/z/z.go", ("main.go",)),
        ("@/deep/a", "web/src/main.ts", ("web/src/deep/a.ts",)),
        ("env", "web/src/main.ts", ("web/src/env.ts",)),
        ("plain", "web/src/deep/a.ts", ("web/plain.ts",)),
        ("~/util", "app/main.ts", ("app/util.ts",)),
        ("@scope/one/part", "app/main.ts", ("libs/one/src/part.ts",)),
        ("second", "app/main.ts", ("libs/two/a.ts", "libs/two/package.json")),
        ("two", "app/main.ts", ()),  # the folder's name is not the package's
        ("deep/a", "out/a.ts", ("web/src/deep/a.ts",)),
        ("out", "out/a.ts", ()),
        ("anything", "bad/a.ts", ()),
    ],
)
def test_modules_are_resolved_by_manifests(
    module: str, importer: str, wanted: tuple[str, ...]
) -> None:
    modules = Modules((*MANIFESTS, *SOURCES), lambda path: MANIFESTS[path])
    assert modules.files(module, importer, "go" if importer.endswith(".go") else "ecma") == wanted


def test_member_of_a_possibly_foreign_type_is_not_unique(repo: GitSandbox) -> None:
    repo.write("a.py", "class Plain:\n    def only(self):\n        pass\n")
    repo.write("b.py", "import lib\n\n\nclass Base(lib.Dict):\n    pass\n")
    repo.write("c.py", "class Derived(Base):\n    def keys(self):\n        pass\n")
    repo.write("d.py", "def f(x):\n    x.only()\n    x.keys()\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        [only] = index.usages("only").uses
        [keys] = index.usages("keys").uses
    assert (only.certainty, only.definition) == ("unique", "a.py:2")
    assert (keys.certainty, keys.definition) == ("name", "")


def test_python_builtin_name_is_not_unique(repo: GitSandbox) -> None:
    repo.write("a.py", "bytes = str\n")
    repo.write("b.py", "def f(x: bytes):\n    return bytes(x)\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        assert {use.certainty for use in index.usages("bytes").uses} == {"name"}


def test_module_of_an_import_is_not_a_use_of_a_member(repo: GitSandbox) -> None:
    repo.write("a.py", "class App:\n    def cli(self):\n        pass\n")
    repo.write("b.py", "from .cli import main\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        [use] = index.usages("cli").uses
    assert (use.kind, use.certainty) == ("import", "name")


def test_uses_are_resolved_by_the_manifests_of_their_tree(repo: GitSandbox) -> None:
    repo.write("tsconfig.json", '{"compilerOptions": {"paths": {"#/*": ["./code/*"]}}}')
    repo.write("code/prices.ts", "export function price() {\n  return 1;\n}\n")
    repo.write("else/prices.ts", "export function price() {\n  return 2;\n}\n")
    repo.write("till/main.ts", 'import { price } from "#/prices";\n\nprice();\n')
    repo.commit("One")
    repo.write("tsconfig.json", '{"compilerOptions": {"paths": {"#/*": ["./else/*"]}}}')
    repo.commit("Two")
    with ragit.open(repo.path) as index:
        for ref, folder in (("HEAD~1", "code"), ("HEAD", "else")):
            found = index.usages("price", ref=ref).uses
            meant = {(use.line, use.certainty, use.definition) for use in found}
            assert meant == {(line, "import", f"{folder}/prices.ts:1") for line in (1, 3)}
