"""Tests of names of definitions made by calls, wrappers, conditionals and macros."""

from __future__ import annotations

import time

import pytest

from ragit.chunk import chunk
from ragit.chunk.macros import hidden
from ragit.types import Definition

CASES = {
    "macro before the name": (
        "c",
        "int __init_or_module after_all(void) {\n return 1;\n}\n",
        "after_all",
    ),
    "name in a macro": ("c", "BENCH(fixture_run)(state *s) {\n x();\n}\n", "fixture_run"),
    "macros alone on their lines": (
        "c",
        "FOO(foo)\nFOO(bar)\n\nstatic inline int real_one(int a) {\n return a;\n}\n"
        "static int real_two(int a) {\n return a;\n}\n",
        "real_one real_two",
    ),
    "macro that defines": (
        "c",
        "SYSCALL_DEFINE3(read_thing, int, fd) {\n return 1;\n}\n",
        "read_thing",
    ),
    "macro on a line of its own": (
        "c",
        "static int\ninternal_function\nf (int a)\n{\n return 1;\n}\n",
        "f",
    ),
    "attributes before the name": (
        "c",
        "static void printflike(3, 4)\nadd(char *b, ...)\n{\n x();\n}\n"
        "static int __printf(2, 3) say(char *b, ...)\n{\n x();\n}\n"
        "void printflike(1, 2) __dead\nfatal(const char *m, ...)\n{\n x();\n}\n",
        "add say fatal",
    ),
    "type before a name in a macro": ("c", "static int FOO(bar)(int a) {\n return 1;\n}\n", "bar"),
    "tests of Boost": (
        "cpp",
        "BOOST_AUTO_TEST_CASE(one) {\n x();\n}\nBOOST_FIXTURE_TEST_CASE(two, Fixture) {\n}\n",
        "one two",
    ),
    "dollar signs": ("java", "class $Inner {\n void $go() {\n }\n}\n", "$Inner $Inner.$go"),
    "tag and name of a type": ("c", "typedef struct tag {\n int a;\n} name;\n", "tag name"),
    "conditional that splits a function": (
        "c",
        "int a(int x) {\n#ifdef ONE\n if (x) {\n#else\n if (!x) {\n#endif\n  y();\n }\n}\n"
        "int b(void) {\n return 1;\n}\n",
        "a b",
    ),
    "conditional in an initializer": (
        "c",
        "struct op ops[] = {\n {1},\n#ifdef X\n {2},\n#endif\n};\nint after(void) {\n return 1;\n}\n",
        "ops after",
    ),
    "operators of Swift": (
        "swift",
        "struct A {\n  static func == (l: A) -> Bool {\n    true\n  }\n"
        "  static func <+> (l: A) -> A {\n    l\n  }\n}\nprefix func -(x: A) -> A {\n  x\n}\n",
        "A A.== A.<+> -",
    ),
    "operators of Dart": (
        "dart",
        "class D {\n  int operator [](int i) => 1;\n  void operator []=(int i, int v) {\n  }\n"
        "  D operator ~() => this;\n}\n",
        "D D.operator [] D.operator []= D.operator ~",
    ),
    "triggers": (
        "sql",
        "CREATE TRIGGER tr1 BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f1();\n",
        "tr1",
    ),
    "tests of GoogleTest": (
        "cpp",
        "TEST_F(Suite, doesThing) {\n x();\n}\nTEST(A, B)\n{\n}\n",
        "Suite.doesThing A.B",
    ),
    "specialised templates": (
        "cpp",
        "template <typename T>\nstruct is_range<with<T>> : std::false_type {};\n"
        "template <typename F>\nclass is_unary<F, void_t<decltype(f(x))>> {\n};\n",
        "is_range is_unary",
    ),
    "default of a parameter without a name": (
        "cpp",
        "struct X {\n template <bool D>\n void destruct(std::enable_if_t<D>* = nullptr) {\n"
        "  go<true>(); }\n};\n",
        "X X.destruct",
    ),
    "macro on the line above a template": (
        "cpp",
        "namespace {\n\nLIB_STOP_WARNINGS\n\ntemplate <typename T>\nstruct Foo {\n"
        " int size() {\n return 0; }\n};\n}\n",
        "Foo Foo.size",
    ),
    "strings of a shell": (
        "bash",
        'f() {\n eval "(( \\${#${a}[@]} > 0 ))"\n}\ng() {\n r="${r%%]*}"\n}\nh() {\n x\n}\n',
        "f g h",
    ),
    "generic call signatures below comments": (
        "typescript",
        "export interface A<E> {\n  <I extends X = {}>(a: I): R\n\n  // more\n  <\n    I extends X,\n"
        "  >(\n    h: I\n  ): [H<E>]\n\n  // last\n  <E2 extends V = E>(\n    ...h: M<E2>[]\n  ): B<E2>\n}\n"
        "export class F<E extends V = V> {\n  m() {\n    return 1\n  }\n}\n",
        "A F F.m",
    ),
    "export macro": (
        "cpp",
        "EXPORT class Kettle {\npublic:\n int boil() {\n return 1; }\n};\n"
        "EXPORT template <typename T> class A {\n};\n",
        "Kettle Kettle.boil A",
    ),
    "pragma macro": (
        "cpp",
        'PRAGMA_X(diagnostic ignored "-Wx")\nclass Q {\n void q() {\n }\n};\n',
        "Q Q.q",
    ),
    "conversion and macro behind the parameters": (
        "cpp",
        "class R {\n operator float() const {\n return 1; }\n void noex() NOEXCEPT_MACRO {\n }\n};\n",
        "R R.operator float R.noex",
    ),
    "conditional in a head of C#": (
        "csharp",
        "public abstract partial class W\n#if HAVE_X\n    : IThing\n#endif\n{\n void M() {\n }\n}\n",
        "W W.M",
    ),
    "delegation": ("kotlin", "class A(e: I) : I by e {\n fun hello() {\n }\n}\n", "A A.hello"),
    "definitions of Ruby by a call": (
        "ruby",
        "class C\n  private def x\n    1\n  end\n  memoize def y\n    2\n  end\n  class_methods do\n"
        "    def z\n    3\n    end\n  end\n  P = Struct.new(:a) do\n    def q\n    end\n  end\n"
        "  define_method(:m) do\n   1\n  end\n  scope :active, -> { 1 }\n  attr_accessor :n, :o\nend\n",
        "C C.x C.y C.z C.P C.P.q C.m C.active C.n C.o",
    ),
    "functions in commands": (
        "bash",
        "if true; then\n  foo() {\n    echo\n  }\nfi\ncase x in\n  a)\n    bar() {\n    echo\n    }\n"
        "  ;;\nesac\n{\n  baz() {\n   echo\n  }\n}\n(\n  qux() {\n   echo\n }\n)\n"
        "true && quux() {\n echo\n}\n",
        "foo bar baz qux quux",
    ),
    "functions and scopes of PowerShell": (
        "powershell",
        "if ($x) {\n  function Foo {\n    1\n  }\n}\nfunction global:Bar {\n 2\n}\n",
        "Foo Bar",
    ),
    "tests of Pester": (
        "powershell",
        'Describe "cart" {\n  Context "full" {\n    It "adds" {\n    1\n    }\n  }\n}\n',
        "cart cart.full cart › full.adds",
    ),
    "groups of Go": ("go", "package a\n\nvar (\n ErrA = 1\n ErrB = 2\n)\n", "ErrA ErrB"),
    "ambient declarations": (
        "typescript",
        "declare global {\n interface X {\n  a(): void\n  b(): void\n }\n}\n",
        "X X.a X.b",
    ),
    "nameless class": (
        "typescript",
        "export default class extends B {\n m() {\n 1\n }\n}\n",
        "m",
    ),
    "functions of an object": (
        "typescript",
        "export default {\n m() {\n  1\n },\n}\nconst o = {\n n() {\n 1\n },\n a: () => 1,\n}\n",
        "m o o.n o.a",
    ),
    "tests of JavaScript": (
        "javascript",
        'describe("cart", () => {\n  it("adds", () => {\n   1\n  })\n'
        '  describe.each([1])("deep", () => {\n   test.skip("sub", async () => {\n   })\n  })\n})\n',
        "cart cart.adds cart.deep cart › deep.sub",
    ),
    "tests of Lua": (
        "lua",
        'describe("cart", function()\n  it("adds", function()\n    x()\n  end)\nend)\n',
        "cart cart.adds",
    ),
    "extension and given of Scala": (
        "scala",
        "extension (s: String)\n  def ext2: Int =\n    1\n\n"
        "given intOrd: Ord[Int] with {\n  def compare(a: Int) =\n    1\n}\n",
        "ext2 intOrd intOrd.compare",
    ),
    "constructors and operators of Dart": (
        "dart",
        "class D {\n  factory D.named() {\n    x();\n  }\n  bool operator ==(o) {\n    return true;\n  }\n}\n",
        "D D.named D.operator ==",
    ),
    "statics in a macro of Rust": (
        "rust",
        "lazy_static! {\n    static ref LAZY: i32 = 1;\n}\nthread_local! {\n    static C: u8 = 1;\n}\n",
        "LAZY C",
    ),
    "procedures and batches of SQL": (
        "sql",
        "CREATE PROCEDURE dbo.p\nAS\nBEGIN\n SELECT 1;\nEND\nGO\nCREATE TABLE [dbo].[t] (a int);\nGO\n"
        "CREATE OR REPLACE FUNCTION f() RETURNS int AS $$\nBEGIN\n RETURN 1;\nEND;\n"
        "$$ LANGUAGE plpgsql;\nCREATE VIEW v AS SELECT 1;\n",
        "p t f v",
    ),
    "members of a Razor page": (
        "razor",
        '@page "/x"\n<h1>a</h1>\n@code {\n  int Count { get; set; }\n\n  void Inc() {\n    Count++;\n  }\n}\n',
        "Count Inc",
    ),
    "headings of Markdown": (
        "markdown",
        "Title\n=====\n\ntext\n\nSub\n---\n\nmore\n\n## Two ##\n\nx\n\n# C#\n\ny\n",
        "Title Sub Two C#",
    ),
    "headings of HTML": (
        "html",
        "<html><body>\n<h1>Big <b>title</b></h1>\n<p>x</p>\n"
        '<h2 class="m"><a href="#m">More</a></h2>\n</body></html>\n',
        "Big title, More",
    ),
    "variables declared by a macro": (
        "c",
        "DEFINE_MUTEX(one);\nstatic DEFINE_SPINLOCK(two);\nstatic DEFINE_PER_CPU(int, three);\n"
        "DECLARE_WORK(four, run);\nstatic LIST_HEAD(five);\nEXPORT_SYMBOL(no);\n"
        'DEFINE_bool(six, false, "x");\nABSL_FLAG(int, seven, 1, "x");\n',
        "one two three four five six seven",
    ),
    "attributes that are macros": (
        "c",
        "struct rt {\n int a;\n} __packed __aligned(8);\n"
        "asmlinkage __visible long sys_x(int a)\n{\n return 1;\n}\n",
        "rt sys_x",
    ),
    "enum without a name": ("c", "enum {\n ONE = 1,\n TWO,\n};\n", "ONE TWO"),
    "fixture and name in a macro": (
        "cpp",
        "BENCHMARK_F(Fixture, run)(State& s) {\n x();\n}\n",
        "run",
    ),
    "functions in macros of Rust": (
        "rust",
        'proptest! {\n    #[test]\n    fn parses(s in "\\\\PC*(") {\n        x(&s);\n    }\n'
        "    fn adds(a in 0..9, b: u8) {\n        y();\n    }\n}\n"
        "mod m {\n    prop_compose! {\n"
        "        fn pair(n: u8)(a in 0..n) -> u8 {\n            a\n        }\n    }\n}\n"
        "quote! {\n    fn no() {}\n}\n",
        "parses adds m m.pair",
    ),
    "items in macros of Rust": (
        "rust",
        "bitflags! {\n    pub struct Flags: u32 {\n        const A = 1;\n    }\n}\n"
        "cfg_if! {\n    if #[cfg(unix)] {\n        fn unix() {\n            x();\n        }\n"
        "    } else {\n        fn other() {\n            x();\n        }\n    }\n}\n"
        "cfg_rt! {\n    impl Handle {\n        fn spawn() {\n            x();\n        }\n    }\n}\n"
        "rgtest!(r16, |dir: Dir| {\n    x();\n});\n",
        "Flags unix other Handle Handle.spawn r16",
    ),
    "types on one line": (
        "kotlin",
        "class A { companion object { const val X = 1 } }\n"
        "class B(val a: Int) { companion object { fun of() = B(1) } fun m() = 2 }\n"
        "enum class E { P, Q { override fun t() = 1 }; abstract fun t(): Int }\n"
        "class F { companion object }\n",
        "A A.companion A.X B B.companion B.of B.m E t F F.companion",
    ),
    "object that delegates": (
        "kotlin",
        "fun a() {\n val s = object : Source by Buffer() {\n  override fun read(): Long {\n"
        "   return 1\n  }\n }\n}\nfun b() {\n x()\n}\n",
        "a read b",
    ),
    "name in backticks": (
        "scala",
        "object O {\n  def `a quoted name`(a: Int): Int = {\n    a\n  }\n}\n",
        "O, O.a quoted name",
    ),
    "objects of SQL": (
        "sql",
        "CREATE DOMAIN us_postal AS TEXT\n  CHECK (VALUE ~ '^\\d;$');\nCREATE ROLE app;\n"
        'CREATE EXTENSION IF NOT EXISTS "uuid-ossp";\nCREATE POLICY mine ON t USING (true);\n'
        "CREATE VIRTUAL TABLE words USING fts5(a);\nCREATE OPERATOR CLASS opc FOR TYPE int;\n"
        "CREATE TABLE after_it (a int);\n",
        "us_postal app uuid-ossp mine words opc after_it",
    ),
    "operators of Elixir": (
        "elixir",
        "defmodule A do\n  def a <~> b do\n    a\n  end\n  def left ~> right when left > 1 do\n"
        "    right\n  end\n  def -a do\n    a\n  end\n  def plain when 1 do\n    1\n  end\nend\n",
        "A A.<~> A.~> A.- A.plain",
    ),
    "operators of OCaml": ("ocaml", "let ( +! ) a b = a\nlet ( let* ) a f = f a\n", "+! let*"),
    "operators and enums of Julia": (
        "julia",
        "Base.:+(a, b) = 1\n@enum Fruit apple pear\n@enum Small::UInt8 one\n",
        "Base.+ Fruit Small",
    ),
    "methods of a class of Haskell": (
        "haskell",
        "class Shape a where\n  area :: a -> Int\n  size :: a -> Int\n",
        "Shape Shape.area Shape.size",
    ),
    "pattern synonyms": (
        "haskell",
        "module M where\n\npattern One x = Just x\n\npattern Two x y = (x, y)\n\npattern No = Nothing\n",
        "M One Two No",
    ),
    "methods of a protocol": ("clojure", "(defprotocol P\n  (need [this]))\n", "P need"),
    "methods of an interface of Go": (
        "go",
        "package a\n\ntype (\n\tT interface {\n\t\tDo()\n\t\tGo(a int) error\n\t}\n)\n",
        "T Do Go",
    ),
    "methods of a list": (
        "r",
        'P <- R6Class("P", public = list(\n  add = function(x) {\n    x\n  }\n))\n',
        "P P.add",
    ),
    "constants and attributes of Perl": (
        "perl",
        "use constant PI => 3;\nuse constant { A => 1, B => 2 };\nhas name => (is => 'ro');\n",
        "PI A B name",
    ),
    "constants and closures of PHP": (
        "php",
        "<?php\n$twice = function () {\n  return 1;\n};\ndefine('LIMIT', 2);\n",
        "twice LIMIT",
    ),
    "alias of Swift": ("swift", "typealias Alias = Int\n", "Alias"),
    "configuration of PowerShell": (
        "powershell",
        "configuration Site {\n  Node x { }\n}\n",
        "Site",
    ),
    "owners of several kinds": (
        "lua",
        "function api.Api:load()\n  x()\nend\n",
        "api.Api.load",
    ),
    "tests of Bats": (
        "bash",
        '@test "adds two" {\n  run x\n}\n\nsetup() {\n  y\n}\n',
        "adds two, setup",
    ),
    "mark of a heading": ("markdown", "# Title {#the-id}\n\nx\n", "Title"),
}


TITLED = {
    "javascript": 'describe("cart", () => {\n  it("adds", () => {\n    x()\n  })\n'
    '  test.concurrent.only("several", () => {\n    x()\n  })\n})\n'
    "QUnit.test('in QUnit', () => {\n  x()\n})\nDeno.test('in Deno', () => {\n  x()\n})\n",
    "cpp": 'TEST_CASE("adds numbers", "[math]") {\n  SECTION("small") {\n    x();\n  }\n}\n'
    'namespace n {\n  SCENARIO("x y") {\n    y();\n  }\n}\n',
    "go": 'package a\nfunc TestIt(t *testing.T) {\n\tt.Run("sub test", func(t *testing.T) {\n\t\tx()\n\t})\n}\nvar _ = Describe("cart", func() {\n\tIt("adds", func() {\n\t\tx()\n\t})\n})\n',
    "php": '<?php\ndescribe("cart", function () {\n  it("adds", function () {\n    x();\n  });\n});\n',
    "swift": 'describe("cart") {\n  it("adds") {\n    x()\n  }\n}\n',
    "dart": 'void main() {\n  group("cart", () {\n    test("adds", () {\n      x();\n    });\n  });\n}\n',
    "r": 'describe("cart", {\n  it("adds", {\n    x()\n  })\n})\ntest_that("it works", {\n  y()\n})\n',
    "julia": '@testset "cart" begin\n  @testset "adds" begin\n    @test 1\n  end\nend\n',
    "clojure": '(describe "cart"\n  (it "adds"\n    (x)))\n',
    "perl": 'subtest "cart" => sub {\n  subtest("adds", sub { ok 1 });\n};\n',
    "scala": 'class S extends FunSuite {\n  describe("cart") {\n    it("adds") {\n      x()\n    }\n  }\n'
    '  "A cart" should "sum up" in {\n    y()\n  }\n}\n',
    "ruby": 'namespace :db do\n  task migrate: :env do\n    x\n  end\n  task "seed" => [:a] do\n'
    "    y\n  end\nend\n",
}
TITLES = {
    "scala": ["cart", "adds", "sum up"],
    "go": ["sub test", "cart", "adds"],
    "javascript": ["cart", "adds", "several", "in QUnit", "in Deno"],
    "cpp": ["adds numbers", "x y"],
    "r": ["cart", "adds", "it works"],
    "ruby": ["migrate", "seed"],
}


@pytest.mark.parametrize("language", TITLED)
def test_calls_that_define_tests_or_tasks_give_their_titles(language: str) -> None:
    found = [
        definition.name
        for one in chunk(TITLED[language].encode(), language).chunks
        for definition in one.definitions
    ]
    wanted = TITLES.get(language, ["cart", "adds"])
    assert [name for name in found if name in wanted] == wanted
    assert not [name for name in found if set(name) <= {"x"}]


@pytest.mark.parametrize("name", CASES)
def test_definitions_have_the_expected_names(name: str) -> None:
    language, code, expected = CASES[name]
    assert names(language, code) == expected.replace(",", "").split() or " ".join(
        names(language, code)
    ) == expected.replace(",", "")


def names(language: str, code: str) -> list[str]:
    """Return the name of each definition, with the parents of the chunk if it has only one."""
    found = []
    for each in chunk(code.encode(), language).chunks:
        for definition in each.definitions:
            owner = each.parent
            if definition is not each.definitions[0] and each.kind in ("class", "interface"):
                owner = ".".join(filter(None, (each.parent, each.definitions[0].name)))
            name = definition.name
            found.append(f"{owner}.{name}" if owner and language != "markdown" else name)
    return found


def test_title_is_the_name_of_a_test() -> None:
    for language, code in (
        ("cpp", 'TEST_CASE("adds two", "[x]") {\n x();\n}\n'),
        ("bash", '@test "adds two" {\n  x\n}\n'),
    ):
        (one,) = chunk(code.encode(), language).chunks
        assert one.definitions == (Definition("adds two", "test", 1),)


def test_variable_after_a_long_struct_is_in_the_chunk_of_its_name() -> None:
    fields = "".join(f" int field_{i};\n" for i in range(70))
    code = (
        "static const struct {\n"
        + fields
        + "#define FLAG 1\n"
        + fields
        + "} table[] = {\n {1},\n};\n"
    )
    found = chunk(code.encode(), "c").chunks
    (holder,) = [one for one in found if "table" in one.symbol]
    assert [(each.name, each.line) for each in holder.definitions if each.name == "table"] == [
        ("table", 143)
    ]
    assert holder.start_line <= 143 <= holder.end_line


@pytest.mark.parametrize("line", ["int x = (struct)y;", "void g(struct , int) {}"])
def test_missing_name_in_c_keeps_later_definitions(line: str) -> None:
    found = chunk(f"{line}\nint after(void)\n{{\n return 1;\n}}\n".encode(), "c")
    assert not found.skipped
    assert found.chunks[-1].definitions[-1].name == "after"


def test_large_test_suite_is_cut_at_its_tests() -> None:
    code = 'describe("cart", () => {\n' + "".join(
        f'  it("case {i}", () => {{\n    expect({i});\n  }});\n' for i in range(60)
    )
    found = chunk((code + "});\n").encode(), "javascript").chunks
    assert [each.symbol for each in found] == ["cart", *(f"case {i}" for i in range(60))]
    assert {each.parent for each in found[1:]} == {"cart"}


BROKEN = {
    "c": "int (foo)[3 = {1};\n(void) bar (baz)(x) { }\n",
    "cpp": "template <class T> T<()> x() = = { };\nvoid ()() {}\n",
    "scala": "extension (s: String) {}\nclass (a) { }\n",
    "javascript": "const [a, {b}] = x;\nfunction (x) { }\nobj['some key'] = function () {};\n",
    "python": "def (x):\n    pass\nclass 1a:\n    pass\n",
    "kotlin": "class { }\nfun (x: Int) = 1\n",
}


@pytest.mark.parametrize("language", BROKEN)
def test_names_in_broken_code_are_identifiers(language: str) -> None:
    for each in chunk(BROKEN[language].encode(), language).chunks:
        for definition in each.definitions:
            assert definition.name.isidentifier(), definition


SCRIPTS = (
    b"<html><body>\n" + b"<p>text</p>\n" * 60 + b'<script type="text/x-template">\n'
    b'<div id="tpl">\n function no() { }\n</div>\n</script>\n<script type="application/ld+json">\n'
    b'{"name": 1}\n</script>\n<script>\nfunction yes() {\n}\n</script>\n' + b"<p>text</p>\n" * 60
)


def test_html_script_is_parsed_by_its_type() -> None:
    found = chunk(SCRIPTS, "html").chunks
    defined = {each.name: each.kind for one in found for each in one.definitions}
    assert defined["yes"] == "function"
    assert defined["name"] == "key"
    assert defined["tpl"] == "element"
    assert "no" not in defined


def test_functions_in_a_small_html_page_are_named() -> None:
    page = (
        b"<html><body>\n<p>x</p>\n<script>\nfunction yes() {\n  x()\n}\n</script>\n</body></html>\n"
    )
    (one,) = chunk(page, "html").chunks
    assert [(each.name, each.line) for each in one.definitions] == [("yes", 4)]


def test_long_macros_behind_parameters_take_little_time() -> None:
    text = b"int f(void) " + b"A_MACRO_WITH_A_RATHER_LONG_NAME\n" * 8 + b"int g(void)\n{\n}\n"
    began = time.process_time()
    assert len(hidden(text, qualified=False)) == len(text)
    assert time.process_time() - began < 1
