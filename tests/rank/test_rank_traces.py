"""Tests of stack traces of seven languages: their frames, innermost first."""

from __future__ import annotations

import pytest

from ragit.rank import parse_query
from ragit.rank.traces import MOST_FRAMES, frames_of

PYTHON = """\
Traceback (most recent call last):
  File "a/b.py", line 3, in <module>
    main()
  File "a/c.py", line 9, in main
    x()
KeyError: 1

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a/d.py", line 1, in outer
  File "/home/u/a/e.py", line 2, in inner
ValueError: the basket is upside down
"""
JAVA = """\
java.lang.IllegalStateException: boom
\tat org.harbor.stock.StockLedger.reserve(StockLedger.java:17)
\tat app//org.harbor.Main.lambda$run$0(Main.java:5)
\tat java.base/java.lang.Thread.run(Native Method)
Caused by: java.io.IOException: the disk is upside down
\tat org.harbor.io.Disk$Inner.read(Disk.java:99)
\t... 3 more
"""
JAVASCRIPT = """\
TypeError: x is not a function
    at Object.parsePrice (/home/u/app/web/format.ts:9:11)
    at async run (file:///app/web/main.mjs:3:4)
    at /app/web/socket.ts:7:1
    at new Foo (C:\\app\\web\\foo.js:1:2)
broadcast@http://localhost/web/socket.ts:9:1
"""
GO = """\
panic: runtime error: index out of range
goroutine 1 [running]:
main.(*Router).ServeHTTP(0xc000, {0x1, 0x2})
\t/home/u/go/router/router.go:33 +0x1d
created by main.serve in goroutine 1
\t/home/u/go/main.go:7 +0x2
"""
RUST = """\
thread 'main' panicked at src/lib.rs:37:13:
too heavy
stack backtrace:
   3: harbor::Parcel::postage
             at ./rust/src/lib.rs:37:13
   4: harbor::main::{{closure}}
             at ./rust/src/main.rs:3:5
"""
RUBY = """\
app/models/order.rb:12:in `total': undefined method `price' for nil (NoMethodError)
\tfrom app/controllers/orders_controller.rb:7:in 'block in OrdersController#show'
\tfrom bin/serve.rb:4:in `<main>'
"""
CSHARP = """\
System.InvalidOperationException: Sequence contains no elements
   at Harbor.Stock.Ledger.Reserve(String sku, Int32 n) in C:\\src\\Stock\\Ledger.cs:line 42
   at Harbor.Program.<Main>d__0.MoveNext() in /src/Program.cs:line 7
"""


@pytest.mark.parametrize(
    ("trace", "frames"),
    [
        (
            PYTHON,
            [
                ("/home/u/a/e.py", 2, "inner"),
                ("a/d.py", 1, "outer"),
                ("a/c.py", 9, "main"),
                ("a/b.py", 3, ""),
            ],
        ),
        (
            JAVA,
            [
                ("org/harbor/io/Disk.java", 99, "read"),
                ("org/harbor/stock/StockLedger.java", 17, "reserve"),
                ("org/harbor/Main.java", 5, "run"),
            ],
        ),
        (
            JAVASCRIPT,
            [
                ("/home/u/app/web/format.ts", 9, "parsePrice"),
                ("/app/web/main.mjs", 3, "run"),
                ("/app/web/socket.ts", 7, ""),
                ("C:/app/web/foo.js", 1, "Foo"),
                ("http://localhost/web/socket.ts", 9, "broadcast"),
            ],
        ),
        (GO, [("/home/u/go/router/router.go", 33, "ServeHTTP"), ("/home/u/go/main.go", 7, "")]),
        (
            RUST,
            [
                ("src/lib.rs", 37, ""),
                ("./rust/src/lib.rs", 37, "postage"),
                ("./rust/src/main.rs", 3, "main"),
            ],
        ),
        (
            RUBY,
            [
                ("app/models/order.rb", 12, "total"),
                ("app/controllers/orders_controller.rb", 7, "show"),
                ("bin/serve.rb", 4, ""),
            ],
        ),
        (CSHARP, [("C:/src/Stock/Ledger.cs", 42, "Reserve"), ("/src/Program.cs", 7, "Main")]),
    ],
    ids=["python", "java", "javascript", "go", "rust", "ruby", "csharp"],
)
def test_frames_are_read_innermost_first(trace: str, frames: list[tuple[str, int, str]]) -> None:
    assert [tuple(frame) for frame in frames_of(trace)] == frames
    assert parse_query(trace).frames == frames_of(trace)


OTHERS = {
    "php": (
        "PHP Fatal error:  Uncaught Full: no room in C:\\www\\src\\Basket.php:42\n"
        "#0 /www/src/Controller.php(17): App\\Basket->add('apple')\n#1 {main}\n"
        "  thrown in C:\\www\\src\\Basket.php on line 42",
        [("C:/www/src/Basket.php", 42, ""), ("/www/src/Controller.php", 17, "")],
    ),
    "kotlin": (
        "\tat shop.Basket$addAll$1.invokeSuspend(Basket.kt:51)\n"
        "\tat shop.MainKt$main$1.invoke(Main.kt:9)\n\tat shop.Basket.a(SourceFile:42)",
        [
            ("shop/Basket.kt", 51, "addAll"),
            ("shop/Main.kt", 9, "main"),
            ("shop/Basket", 0, "a"),
        ],
    ),
    "swift": (
        "0 Shop 0x0000000104e2c3a4 Shop.Basket.add(item: Shop.Item) throws -> () + 120 (Basket.swift:42)\n"
        "1 [ra] 0x0000aaaab0c34567 static Main.main() + 9 in shop at /src/Main.swift:9:3",
        [("Basket.swift", 42, "add"), ("/src/Main.swift", 9, "main")],
    ),
    "elixir": (
        "** (ArgumentError) no room\n    (shop 0.1.0) lib/basket.ex:42: Shop.Basket.add/2\n"
        "    (shop 0.1.0) lib/cart.ex:17: anonymous fn/3 in Shop.Cart.store!/1",
        [("lib/basket.ex", 42, "add"), ("lib/cart.ex", 17, "store!")],
    ),
    "gdb": (
        "#0  0x000055 in basket_add (b=0x0, item=0x1) at src/basket.c:42\n"
        "#1  shop::Cart::store (this=0x7f) at ../src/cart.cpp:17",
        [("src/basket.c", 42, "basket_add"), ("../src/cart.cpp", 17, "store")],
    ),
    "sanitizer": (
        "    #0 0x55d0f2 in basket_add(basket*, item const&) /src/basket.c:42:13\n"
        "    #1 0x55d0f3 in shop::Cart::store() const /src/cart.cpp:17:3",
        [("/src/basket.c", 42, "basket_add"), ("/src/cart.cpp", 17, "store")],
    ),
    "valgrind": (
        "==12==    at 0x401136: basket_add (basket.c:42)\n==12==    by 0x401180: main (main.c:9)",
        [("basket.c", 42, "basket_add"), ("main.c", 9, "main")],
    ),
    "lldb": (
        "  * frame #0: 0x000100 shop`basket_add(b=0x0) at basket.c:42:8",
        [("basket.c", 42, "basket_add")],
    ),
    "pytest": (
        "tests/test_basket.py:12: \n_ _ _\nshop/basket.py:42: in add\nshop/basket.py:60: Full",
        [
            ("shop/basket.py", 60, ""),
            ("shop/basket.py", 42, "add"),
            ("tests/test_basket.py", 12, ""),
        ],
    ),
    "dart": (
        "#0      Basket.add (package:shop/basket.dart:42:7)",
        [("basket.dart", 42, "add")],
    ),
    "zig": ("/src/basket.zig:42:13: 0x10 in add (shop)", [("/src/basket.zig", 42, "add")]),
    "lua": ("\tshop/basket.lua:42: in method 'add'", [("shop/basket.lua", 42, "add")]),
    "perl": (
        "no room at lib/Basket.pm line 42.\n\tBasket::add(3) called at lib/Cart.pm line 17",
        [("lib/Basket.pm", 42, ""), ("lib/Cart.pm", 17, "")],
    ),
    "erlang": (
        "in function  basket:add/2 (src/basket.erl, line 42)",
        [("src/basket.erl", 42, "add")],
    ),
    "ocaml": ('Called from B.add in file "src/basket.ml", line 42', [("src/basket.ml", 42, "")]),
    "scala": ("\tat shop.B$.$anonfun$add$1(B.scala:42)", [("shop/B.scala", 42, "add")]),
}


@pytest.mark.parametrize("language", OTHERS)
def test_frames_of_further_languages_and_tools_are_read(language: str) -> None:
    trace, frames = OTHERS[language]
    assert [tuple(frame) for frame in parse_query(trace).frames] == frames


@pytest.mark.parametrize(
    "written",
    [
        '\x1b[31mFile \x1b[35m"/app/e.py"\x1b[0m, line \x1b[35m2\x1b[0m, in \x1b[35mf\x1b[0m',
        'web_1  | 2026-03-02T10:11:12.123Z   File "/app/e.py", line 2, in f',
        'File\n"/app/e.py",\nline 2, in f',
        '{"msg": "failed\\n  File \\"/app/e.py\\", line 2, in f"}',
    ],
    ids=["coloured", "of a container", "wrapped", "of a log in JSON"],
)
def test_a_frame_is_read_whatever_is_around_it(written: str) -> None:
    assert parse_query(f"Traceback (most recent call last):\n{written}\n").frames == (
        ("/app/e.py", 2, "f"),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("lib/basket.rb:42:in `add': no room left (Shop::Full)", "no room left shop full"),
        ("src/basket.c:42:13: error: no room left", "error no room left"),
        ("src\\basket.cs(42,13): error CS1: no room left", "error cs1 no room left"),
        (
            "thread 'main' panicked at 'no room left', src/b.rs:4:9",
            "thread main panicked at no room left",
        ),
    ],
)
def test_the_message_beside_a_place_is_read_without_it(line: str, message: str) -> None:
    assert tuple(message.split()) in parse_query(line).sequences


@pytest.mark.parametrize(
    ("trace", "title"),
    [
        (PYTHON, "ValueError: the basket is upside down"),
        (JAVA, "Caused by: java.io.IOException: the disk is upside down"),
        (JAVASCRIPT, "TypeError: x is not a function"),
        (CSHARP, "System.InvalidOperationException: Sequence contains no elements"),
    ],
)
def test_title_of_a_trace_is_its_root_error(trace: str, title: str) -> None:
    assert parse_query(trace + "more words here " * 20).title == title


def test_frame_lines_are_not_messages() -> None:
    sequences = parse_query(PYTHON).sequences
    assert ("valueerror", "the", "basket", "is", "upside", "down") in sequences
    assert not any("traceback" in one or "file" in one for one in sequences)


@pytest.mark.parametrize(
    "line",
    [
        "    at eval (webpack:///./web/m.mjs?:7:9)",
        "    at eval (webpack-internal:///./web/m.mjs?4f2a:7:9)",
        "eval@http://localhost:8080/web/m.mjs?t=171&v=b.c:7:9",
        "    at eval (file:///app/web/m.mjs:7:9)",
    ],
)
def test_bundle_and_url_frames_give_the_file(line: str) -> None:
    (frame,) = parse_query(f"Error: x\n{line}\n").frames
    assert frame.path.endswith("/web/m.mjs")
    assert (frame.line, frame.function) == (7, "eval")


def test_text_without_a_trace_has_no_frames() -> None:
    assert frames_of("look at main.c: it has three lines, and at the end of it a b.c") == ()
    assert parse_query("how is a.py read").frames == ()


def test_number_of_frames_is_bounded() -> None:
    lines = "".join(f'  File "a.py", line {number}, in f\n' for number in range(500))
    assert len(frames_of(lines)) == MOST_FRAMES


@pytest.mark.parametrize(
    ("query", "path", "line"),
    [
        ("lib/a.js:6", "lib/a.js", 6),
        ("lib/a.js:6:9", "lib/a.js", 6),
        ("see ./b.py:5 please", "./b.py", 5),
        ("src\\deep\\b.py(6)", "src/deep/b.py", 6),
        ("src/m.c:4:2: warning: unused variable", "src/m.c", 4),
        ("Fatal error: Uncaught E: x in /www/src/A.php:7", "/www/src/A.php", 7),
        ("x at lib/A.pm line 6.", "lib/A.pm", 6),
        ("In file included from src/n.h:1:\nsrc/m.c:4: error", "src/m.c", 4),
    ],
)
def test_place_in_a_query_is_a_frame(query: str, path: str, line: int) -> None:
    assert parse_query(query).frames == ((path, line, ""),)


def test_place_in_a_long_text_is_not_a_frame() -> None:
    assert (
        parse_query("It is slow since yesterday, and odd. " * 20 + "\nSee b.py:5 too.").frames == ()
    )


def test_quotes_in_a_trace_are_not_phrases() -> None:
    assert parse_query(PYTHON).phrases == ()
