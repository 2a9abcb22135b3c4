"""Tests that repeated openers without an end do not crash the calling process, and that a crash of
the reader is reported.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragit.chunk import chunk, end_children, nesting, texts
from ragit.chunk.languages import LANGUAGES
from ragit.chunk.reader_process import Ended
from ragit.chunk.time_budget import BRIEF, FULL, TimeBudget
from ragit.types import PARSER_FAILED, PARSER_TOO_LONG, TOO_DEEP

GRAMMARS = {row.grammar: name for name, row in LANGUAGES.items() if row.grammar}
"""A language for each grammar."""

BRACKETS = ["(", "[", "{", "<", "{{", "((", "<a>", "</", "<!--", "/*", "(*", "{-", "--[[", "<%"]
QUOTES = ['"', "'", "`", '"""', "'''", 'f"{', 'r#"', "%w(", "q{", "<<A\n", "<<~A\n", "```\n"]
MARKS = [
    "- ",
    "* ",
    "+ ",
    "1. ",
    "> ",
    ">",
    "? ",
    ": ",
    "# ",
    "::: ",
    "| ",
    "@",
    "\\",
    "\\begin{a}",
]
INTERPOLATIONS = ["${", '"${', '"#{', "`${", "{`$", '"$(', "$((", '"\\(', "${{", "@(", "$$", '"@{']
WORDS = ["begin ", "if ", "do ", "case ", "let ", "fn(", "->", "=>", "not ", "if a {\n", "a:\n"]
OPENERS = [*BRACKETS, *QUOTES, *MARKS, *INTERPOLATIONS, *WORDS]
INDENTED = ["- a\n", "1. a\n", "a:\n", "if a:\n", "> a\n", "x = do\n"]
DEPTHS = [100, 400, 1500, 10_000]
MAX_BYTES = 1_000_000
"""Bytes of a case. Deep indentation grows with the square of its depth."""


def cases(depth: int) -> Iterator[tuple[str, bytes]]:
    for opener in OPENERS:
        yield f"{opener!r} * {depth}", (opener * depth + "\n").encode()
    for unit in (" ", "  ", "\t"):
        for line in INDENTED:
            text = "".join(unit * level + line for level in range(depth))
            yield f"{line!r} indented by {unit!r} {depth} times", text.encode()


def assert_reported(language: str, label: str, data: bytes, kind: str) -> None:
    """Chunk a text as a command does. It must not raise, and a crash must be among the reasons."""
    crashes: list[str] = []
    real = texts._ask

    def recorded(*given: object) -> object:
        try:
            return real(*given)  # type: ignore[arg-type]
        except Ended as ended:
            crashes.append(ended.how)
            raise

    budget = TimeBudget(kind)
    texts._ask = recorded  # type: ignore[assignment]
    try:
        found = chunk(data, language, budget=budget)
    finally:
        texts._ask = real
    if crashes and not (budget.over and kind == BRIEF):
        assert found.skipped in (PARSER_FAILED, PARSER_TOO_LONG), (language, label, crashes)
    if not budget.over:
        lines = {n for one in found.chunks for n in range(one.start_line, one.end_line + 1)}
        written = [n for n, line in enumerate(data.split(b"\n"), 1) if line.strip()]
        assert found.skipped == "minified" or lines.issuperset(written), (language, label)


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_repeated_openers_do_not_crash_the_calling_process(grammar: str) -> None:
    """Use a depth at which the scanners of Markdown, YAML and Perl overrun their buffer."""
    for label, data in cases(300):
        if len(data) < 20_000:
            assert_reported(GRAMMARS[grammar], label, data, BRIEF)


@pytest.mark.slow
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("grammar", GRAMMARS)
def test_deep_nesting_does_not_crash_the_calling_process(grammar: str, depth: int) -> None:
    for label, data in cases(depth):
        if len(data) < MAX_BYTES:
            assert_reported(GRAMMARS[grammar], label, data, BRIEF)


OVERRUNS = {
    "markdown": [b">" * 300, b"+ " * 300, b"1. " * 300, b"- > " * 200],
    "yaml": [b"- " * 255, b"? " * 300, b": " * 300],
    "perl": [b"{`$" * 84, b'"${' * 100, b"`@{" * 100],
}
"""Texts that overrun the buffer of a scanner; only some of the runs crash."""


@pytest.mark.parametrize("grammar", OVERRUNS)
def test_text_that_overruns_a_scanner_is_not_parsed(grammar: str) -> None:
    steps = {
        "markdown": b"".join(b"  " * level + b"- a\n" for level in range(300)),
        "yaml": b"".join(b" " * level + b"a:\n" for level in range(300)),
        "perl": b'"${' * 99,
    }
    for data in [*OVERRUNS[grammar], steps[grammar]]:
        found = chunk(data + b"\n", grammar)
        assert (found.skipped, bool(found.chunks)) == (TOO_DEEP, True)


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        ("markdown", b"- a\n  - b\n    - c\n      > d\n" * 500),
        ("markdown", b"* * * * * * * *\n" + b"-" * 900 + b"\n" + b" " * 900 + b"far right\n"),
        ("markdown", b"```\n" + b"\t" * 80 + b"code\n```\n"),
        ("yaml", b"a:\n  b:\n  - c: 1\n    d: [1, 2]\n" * 500),
        ("yaml", b"a: |\n" + b" " * 500 + b"text\n"),
        ("perl", b'my $x = "a ${\\ join(q{,}, @{$list->{$key}})} b";\n' * 500),
        ("python", b"(" * 900),
    ],
)
def test_ordinary_source_is_not_too_deep(grammar: str, text: bytes) -> None:
    assert not nesting.too_deep(grammar, text)


@pytest.mark.parametrize("kind", [BRIEF, FULL])
def test_text_that_crashes_its_parser_is_cut_by_lines(kind: str) -> None:
    """Kotlin's scanner aborts when its stack is full."""
    found = chunk(b'"${' * 2000 + b"\n", "kotlin", budget=TimeBudget(kind))
    assert (found.skipped, len(found.chunks)) == (PARSER_FAILED, 1)
    assert chunk(b"fun f() = 1\n", "kotlin").chunks[0].symbol == "f", "the next text is parsed"


def teardown_module() -> None:
    end_children()
