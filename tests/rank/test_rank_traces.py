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
        ("    (a 0.1.0) lib/a.ex:7: A.g/0", "lib/a.ex", 7),
        ("#0      g (package:app/a.dart:6:3)", "a.dart", 6),
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
