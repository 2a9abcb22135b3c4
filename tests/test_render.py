"""Tests of rendering: exact screens, JSON as documented, no control characters, any text."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragit.config import KNOBS, TomlFile, describe, load
from ragit.errors import UnknownFormat
from ragit.records import replaced
from ragit.render import (
    FORMATS,
    PLAIN,
    RenderOptions,
    config_json,
    config_text,
    described_json,
    described_text,
    format_named,
    freshness_json,
    freshness_text,
    gc_json,
    gc_text,
    index_json,
    index_text,
    notes,
    status_json,
    status_text,
    strongest,
    summary,
    visible,
)
from ragit.render.screen import cells, money
from ragit.render.snippet import lines_of, marked, snippet
from ragit.reports import (
    Described,
    FreshnessReport,
    GcReport,
    ImageDescribed,
    IndexReport,
    RefStatus,
    StatusReport,
)
from ragit.types import Answer, Completeness, Definition, Demoted, Hit, Member, Oid, Optimized
from ragit.words import terms

DOCS = Path(__file__).parent.parent / "docs" / "json.md"

CODE = '''\
# Commits what was consumed so far.
def commit_offsets(self, offsets, retries=3):
    """Send the offsets to the coordinator.

    Retries on a lost connection.
    """
    for attempt in range(retries):
        if self.coordinator.send(offsets):
            return True
        self.reconnect()
    return self.failed(offsets, "commit refused")'''


def hit(**changes: Any) -> Hit:
    whole = Hit(
        path="src/consumer.py",
        start_line=40,
        end_line=50,
        score=0.91234567,
        language="python",
        kind="method",
        symbol="commit_offsets",
        parent="Consumer",
        text=CODE,
        blob=Oid("b" * 40),
        signals={
            "keyword": 0.31,
            "vector": 0.25,
            "symbolDefinition": 0.4,
            "testFile": -0.05,
            "unused": 0.0,
        },
        terms=("commit", "offsets"),
    )
    return replaced(whole, **changes)


def answer(*hits: Hit, query: str = "commit the offsets", **changes: Any) -> Answer:
    whole = Answer(
        query=query,
        ref="HEAD",
        tree=Oid("a" * 40),
        completeness=Completeness(),
        degraded="",
        took_ms=12.34567,
        hits=hits,
    )
    return replaced(whole, **changes)


def shown(name: str, of: Answer, **options: Any) -> str:
    return "\n".join(format_named(name)(of, RenderOptions(**options)))


def uncoloured(text: str) -> str:
    return re.sub("\x1b\\[[0-9;]*m", "", text)


# Text
# --------------------------------------------------------------------------------------------------------------

HITS = (
    hit(),
    hit(
        path="src/other.py",
        symbol="",
        parent="",
        kind="imports",
        text="import a\nimport b",
        start_line=1,
        end_line=2,
    ),
    hit(start_line=7, end_line=7, text="    commit = None", symbol="commit", score=0.5),
)


def test_text_groups_hits_by_file_with_matching_lines() -> None:
    assert shown("text", answer(*HITS)) == (
        "src/consumer.py:41\n"
        "  Consumer.commit_offsets  method 40-50  0.912\n"
        "  40: # Commits what was consumed so far.\n"
        "  41: def commit_offsets(self, offsets, retries=3):\n"
        '  42:     """Send the offsets to the coordinator.\n'
        "  --\n"
        "  47:         if self.coordinator.send(offsets):\n"
        "  --\n"
        '  50:     return self.failed(offsets, "commit refused")\n'
        "\n"
        "src/consumer.py:7\n"
        "  Consumer.commit  method  0.500\n"
        "  7: commit = None\n"
        "\n"
        "src/other.py:1\n"
        "  imports 1-2  0.912\n"
        "  1- import a\n"
        "  2- import b"
    )


def test_context_shows_surrounding_lines_and_marks_gaps() -> None:
    assert shown("text", answer(hit(terms=("reconnect",)), query="reconnect"), context=1) == (
        "src/consumer.py:49\n"
        "  Consumer.commit_offsets  method 40-50  0.912\n"
        "  40- # Commits what was consumed so far.\n"
        "  41- def commit_offsets(self, offsets, retries=3):\n"
        '  42-     """Send the offsets to the coordinator.\n'
        "  43-\n"
        "  --\n"
        "  48-             return True\n"
        "  49:         self.reconnect()\n"
        '  50-     return self.failed(offsets, "commit refused")'
    )


def test_full_shows_every_line() -> None:
    lines = shown("text", answer(hit()), full=True).split("\n")[2:]
    assert [int(line[2:4]) for line in lines] == list(range(40, 51))
    assert [line[5:].removeprefix(" ") for line in lines] == CODE.split("\n")
    assert [line[4] for line in lines] == list(":::----:--:")


def test_explain_lists_what_raised_and_lowered_the_score() -> None:
    optimized = Optimized(merged_from=("40-44", "45-50"), deduped_from=("60-70",), file_capped=True)
    meanings = {"keyword": "words of the query in these lines", "testFile": "a test"}
    one = hit(optimized=optimized, text="x", end_line=40, symbol="", score=0.91)
    assert shown("text", answer(one), explain=True, meanings=meanings) == (
        "src/consumer.py:40\n"
        "  Consumer  method  0.910\n"
        "  40- x\n"
        "  raised by   +0.400 symbolDefinition\n"
        "              +0.310 words of the query in these lines (keyword)\n"
        "              +0.250 vector\n"
        "  lowered by  -0.050 a test (testFile)\n"
        "  matches     commit, offsets\n"
        "  merged      40-44, 45-50\n"
        "  replaces    60-70\n"
        "  left out    further hits of this file (retrieval.contextOptimization.maxPerFile)"
    )


def test_files_with_the_same_content_are_named() -> None:
    also = tuple(f"copy/{number}.py" for number in range(5))
    last = shown("text", answer(hit(also=also))).split("\n")[-1]
    assert last == "  same content: copy/0.py, copy/1.py, copy/2.py and 2 more"


def test_colour_marks_matches_and_keeps_the_text() -> None:
    coloured = shown("text", answer(*HITS), color=True)
    assert (
        "\x1b[35msrc/consumer.py\x1b[0m:\x1b[32m41\x1b[0m\n  \x1b[1mConsumer.commit_offsets\x1b[0m"
        in coloured
    )
    assert "def \x1b[1;31mcommit\x1b[0m_\x1b[1;31moffsets\x1b[0m(self" in coloured
    assert uncoloured(coloured) == shown("text", answer(*HITS))


def test_queried_name_comes_first_and_decides_the_line() -> None:
    text = "def add(a):\n    grow(a)\n\ndef add_all(a):\n    grow(a)"
    group = hit(
        symbol="add add_all",
        parent="",
        kind="function",
        text=text,
        start_line=10,
        end_line=14,
        terms=("addall",),
    )
    assert shown("text", answer(group, query="add_all")).startswith(
        "src/consumer.py:13\n  add_all, add  function 10-14  0.912\n"
    )
    assert shown("vimgrep", answer(group, query="add_all")).startswith(
        "src/consumer.py:13:5:def add_all"
    )


def test_many_names_are_counted() -> None:
    many = hit(
        symbol="A B C D E", parent="", kind="constant", text="x\nB = 1", start_line=1, end_line=2
    )
    assert shown("text", answer(many, query="zebra")).split("\n")[:2] == [
        "src/consumer.py:2",
        "  A, B, C and 2 more  constant 1-2  0.912",
    ]
    assert shown("vimgrep", answer(many, query="zebra")) == "src/consumer.py:2:1:B = 1"


@pytest.mark.parametrize(
    ("query", "held", "lines"),
    [
        (
            "who's caching committed offsets caching",
            ("commit", "s", "cach"),
            ["matches     caching, committed", "lacks       offsets"],
        ),
        ("commitOffsets", ("commit",), ["matches     commit of commitOffsets"]),
        ("commitOffsets", ("commit", "offset", "commitoffsets"), ["matches     commitOffsets"]),
        (
            "how does it work",
            (),
            ["matches     none of the query: found by its meaning, its file or its path"],
        ),
        ("会话持久化", ("会话", "持久"), ["matches     会话, 持久 of 会话持久化"]),
        ("?!", (), []),
    ],
)
def test_explain_lists_words_as_typed(query: str, held: tuple[str, ...], lines: list[str]) -> None:
    one = hit(terms=held, signals={}, text="x", end_line=40, symbol="", parent="", path="x")
    assert shown("text", answer(one, query=query), explain=True).split("\n")[3:] == [
        f"  {line}" for line in lines
    ]


def test_explain_notes_a_score_kept_above_0() -> None:
    one = hit(
        signals={"vector": 0.1, "test": -0.3}, score=0.001, text="x", end_line=40, terms=("commit",)
    )
    assert "  kept        +0.001 scores do not fall below 0" in shown(
        "text", answer(one), explain=True
    )


DEMOTED = Demoted("tests/test_a\x1b.py", 3, 9, "test_a helper", 0.2, 0.5, {"test": -0.3})


def test_explain_lists_demoted_hits() -> None:
    of = answer(demoted=(DEMOTED,))
    assert shown("text", of, explain=True, meanings={"test": "a test"}) == (
        "\nkept out by a demotion:\n"
        "  tests/test_a\\x1b.py:3  test_a  0.200 instead of 0.500\n"
        "    -0.300 a test (test)"
    )
    assert shown("text", of) == ""


def test_explain_in_json() -> None:
    one = hit(signals={"vector": 0.25, "testFile": -0.05}, terms=("commit",), symbol="", parent="")
    of = answer(one, demoted=(DEMOTED,))
    found = json.loads(
        shown("json", of, explain=True, meanings={"vector": "meaning of these lines"})
    )
    assert found["results"][0]["explain"] == {
        "raised_by": [{"signal": "vector", "value": 0.25, "meaning": "meaning of these lines"}],
        "lowered_by": [{"signal": "testFile", "value": -0.05, "meaning": ""}],
        "matched": ["commit"],
        "partly_matched": {},
        "matched_in_path": [],
        "unmatched": ["offsets"],
        "terms": ["commit"],
        "blob": "b" * 40,
    }
    assert [one["score_without_demotion"] for one in found["demoted"]] == [0.5]
    assert not list(faults(found, schemas()["search"]))
    assert "demoted" not in json.loads(shown("json", of))


def test_hit_in_a_document_shows_its_place_without_line_numbers() -> None:
    rows = "Item | Cost\nitem 72 | 510\noffsets | 511\n\n  commit | 513"
    budget = hit(
        path="b.xlsx",
        start_line=63,
        end_line=67,
        place="sheet Budget rows 60-112",
        kind="text",
        text=rows,
    )
    budget = replaced(budget, symbol="", parent="")
    assert shown("text", answer(budget)) == (
        "b.xlsx  sheet Budget rows 60-112\n  0.912\n  offsets | 511\n\n    commit | 513"
    )
    titled = replaced(budget, kind="section", symbol="Costs", parent="Year")
    assert shown("text", answer(titled), context=1).split("\n") == [
        "b.xlsx  sheet Budget rows 60-112",
        "  Year > Costs  section  0.912",
        *("  Item | Cost", "  item 72 | 510", "  offsets | 511", "", "    commit | 513"),
    ]
    assert uncoloured(shown("text", answer(titled), color=True)) == shown("text", answer(titled))
    assert (
        shown("vimgrep", answer(budget)) == "b.xlsx:65:1:[sheet Budget rows 60-112] offsets | 511"
    )
    assert "## `b.xlsx:63-67`" in shown("markdown", answer(budget))


def test_headings_are_joined_as_titles() -> None:
    section = hit(
        kind="section",
        parent="Guide > Setup",
        symbol="Proxy",
        text="# Proxy",
        start_line=1,
        end_line=1,
    )
    assert shown("text", answer(section)).startswith(
        "src/consumer.py:1\n  Guide > Setup > Proxy  section  0.912"
    )


def test_syntax_colours_keep_text_and_matches() -> None:
    code = hit(
        path="src/a.py",
        start_line=7,
        end_line=9,
        text='def commit(offset):\n\t# not the "offset"\n\treturn "no offset", 12\x1b',
        symbol="commit",
    )
    coloured = shown("text", answer(code, query="offset"), color=True, syntax=True)
    assert uncoloured(coloured) == shown("text", answer(code, query="offset"))
    assert "\x1b[34mdef\x1b[0m \x1b[1mcommit\x1b[0m(\x1b[1;31moffset\x1b[0m):" in coloured
    assert '\x1b[2m# not the "\x1b[0m\x1b[1;31moffset\x1b[0m' in coloured
    assert "\x1b[36m12\x1b[0m\\x1b" in coloured


@pytest.mark.parametrize("path", ["notes", "a.unknown-suffix", "b.py"])
def test_unknown_syntax_or_no_colour_changes_nothing(path: str) -> None:
    one = answer(hit(path=path, text="commit offsets", start_line=1, end_line=1))
    plain = shown("text", one, color=path != "b.py")
    assert shown("text", one, color=path != "b.py", syntax=True) == plain


def test_long_line_is_cut_around_the_match() -> None:
    text = "x " * 200 + "commit" + " y" * 200
    for width in (40, 80, 200):
        line = shown(
            "text", answer(hit(text=text, symbol="", start_line=1, end_line=1)), width=width
        ).split("\n")[2]
        assert cells(line) <= width
        assert " ...x x" in line or "... x" in line
        assert "commit" in line
        assert line.endswith("...")


def test_narrow_terminal_shows_one_name() -> None:
    many = hit(symbol="first_name second_name third_name fourth_name", parent="")
    wide, narrow = (shown("text", answer(many), width=width).split("\n")[1] for width in (200, 60))
    assert "  first_name, second_name, third_name and 1 more  " in wide
    assert "  first_name and 3 more  " in narrow
    assert cells(narrow) <= 60
    assert "third_name and 1 more" in shown("text", answer(many))


def test_path_is_never_cut() -> None:
    path = "deep/" * 60 + "file.py"
    assert shown("text", answer(hit(path=path)), width=40).split("\n")[0] == f"{path}:41"


def test_wide_characters_count_as_two_cells() -> None:
    text = "提交 " + "偏移量" * 60
    line = shown(
        "text", answer(hit(text=text, symbol="", terms=("提交",)), query="提交"), width=60
    ).split("\n")[2]
    assert cells(line) <= 60
    assert len(line) < 45


def test_common_words_are_marked_only_if_alone() -> None:
    one = hit(text="for the offsets in the list", symbol="", start_line=1, end_line=1, terms=())
    assert (
        shown("text", answer(one, query="the offsets in it"), color=True).count("\x1b[1;31m") == 1
    )
    assert shown("text", answer(one, query="the"), color=True).count("\x1b[1;31m") == 2


@pytest.mark.parametrize(
    ("line", "query", "marks"),
    [
        ("def getCommittedOffset(x)", "offset", ["Offset"]),
        ("committing = commits", "commit", ["committing", "commits"]),
        ("HTTPServer2 http", "http", ["HTTP", "http"]),
        ("commitOffset(commit, offset)", "commitoffset", ["commitOffset"]),
        ("seek_to_end", "to end", ["to", "end"]),
        ("aabab_ab", "ab", ["ab"]),
        ("İstanbul_x", "x", ["İstanbul_x"]),  # its lower case is longer, so places are unknown
        ("提交偏移", "交偏", ["交偏"]),
        ("nothing", "commit", []),
    ],
)
def test_marked_splits_a_line_at_matches(line: str, query: str, marks: list[str]) -> None:
    pieces = list(marked(line, frozenset(terms(query))))
    assert "".join(piece for piece, _ in pieces) == line
    assert [piece for piece, match in pieces if match] == marks


# Untrusted names and texts
# --------------------------------------------------------------------------

HOSTILE = "a\x1b[2J\x9b31m\x07\r\x08\u202eb\udcff\x00\u2028\ufeffc\x7f"
CONTROL = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def hostile() -> Answer:
    one = hit(
        path=f"{HOSTILE}\n.py",
        symbol=HOSTILE,
        parent=HOSTILE,
        kind=HOSTILE,
        language=HOSTILE,
        text=f"{HOSTILE}\ncommit {HOSTILE}",
        signals={HOSTILE: 1.0},
        terms=(HOSTILE, "commit"),
        also=(HOSTILE,),
        optimized=Optimized((HOSTILE,), (HOSTILE,), True),
        start_line=1,
        end_line=2,
    )
    return answer(
        one,
        query=f"commit {HOSTILE}",
        ref=HOSTILE,
        degraded=HOSTILE,
        unmatched_names=(HOSTILE,),
        completeness=Completeness(missing=3),
    )


@pytest.mark.parametrize("name", FORMATS)
def test_control_characters_are_escaped_in_every_format(name: str) -> None:
    for line in format_named(name)(hostile(), RenderOptions(explain=True, full=True)):
        assert not CONTROL.search(line)
    assert not CONTROL.search("".join([*notes(hostile()), summary(hostile())]))


def test_visible_escapes_invisible_characters() -> None:
    assert (
        visible("a\x1b[2J\r\n\u202e\udcff\x9b\ufeff\tb")
        == "a\\x1b[2J\\r\\n\\u202e\\xff\\x9b\\ufeff\tb"
    )
    assert visible("naïve 提交 🎉") == "naïve 提交 🎉"


@given(
    st.text(st.characters()),
    st.text(st.characters()),
    st.booleans(),
    st.integers(0, 200),
    st.integers(0, 3),
)
def test_any_text_renders_safely_in_every_format(
    text: str, query: str, full: bool, width: int, context: int
) -> None:
    lines = max(1, len(re.split(r"\r\n|\n|\r", text)))
    one = hit(
        text=text, path=text or "x", symbol=text, end_line=40 + lines - 1, terms=(), start_line=40
    )
    for render in FORMATS.values():
        options = RenderOptions(full=full, width=width, context=context, explain=True)
        for line in render(answer(one, query=query), options):
            assert not CONTROL.search(line)


def test_parts_of_a_name_found_whole_do_not_match() -> None:
    rows = "\n".join(f"CC{number:04d} | Owner {number}" for number in range(100, 160))
    found = snippet("CC0123", hit(text=rows, start_line=1, end_line=60, line=24, terms=("cc0123",)))
    assert [line.text for line in found if line.matches] == ["CC0123 | Owner 123"]


@given(st.text(), st.text(), st.integers(0, 3))
def test_snippet_has_lines_of_the_hit_in_order(text: str, query: str, context: int) -> None:
    lines = re.split(r"\r\n|\n|\r", text)
    one = hit(text=text, start_line=5, end_line=5 + len(lines) - 1, terms=())
    found = snippet(query, one, context=context)
    assert [line.number for line in found] == sorted({line.number for line in found})
    assert all(lines[line.number - 5] == line.text for line in found)
    assert found
    assert len(found) <= 6 * (1 + 2 * context)
    assert [line.text for line in snippet(query, one, full=True)] == lines


def test_lines_of_splits_at_every_kind_of_line_end() -> None:
    for end in ("\n", "\r\n", "\r"):
        assert lines_of(hit(text=CODE.replace("\n", end))) == CODE.split("\n")
    assert lines_of(hit(text="a\rb", start_line=1, end_line=1)) == ["a\rb"]
    assert lines_of(hit(text="a\r\nb\r", start_line=1, end_line=2)) == ["a", "b"]


def test_far_weaker_hits_are_left_out_and_counted() -> None:
    several = [hit(path=f"{n}.py", score=score) for n, score in enumerate((0.8, 0.5, 0.4, 0.39))]
    found = strongest(answer(*several), 0.5)
    assert [one.path for one in found.hits] == ["0.py", "1.py", "2.py"]
    assert notes(found) == ["note: 1 weaker hit is left out (retrieval.leastShare)"]
    assert strongest(answer(*several), 0) == answer(*several)
    assert strongest(answer(), 0.5) == answer()


def test_compact_has_one_line_per_hit() -> None:
    page = hit(path="a.pdf", kind="section", symbol="Costs", parent="", place="page 3")
    assert shown("compact", answer(hit(), page)).splitlines() == [
        "src/consumer.py:40-50 method Consumer.commit_offsets 0.912",
        "a.pdf:40-50 page 3 section Costs 0.912",
    ]


def test_class_lists_its_members_with_lines() -> None:
    several = tuple(Member(f"m{n}", "method", 10 * n, 10 * n, 10 * n + 4) for n in range(1, 9))
    of_class = hit(kind="class", symbol="Consumer", parent="", members=several)
    line = "members: m1 10-14, m2 20-24, m3 30-34, m4 40-44, m5 50-54, m6 60-64 and 2 more"
    assert shown("text", answer(of_class)).splitlines()[-1] == f"  {line}"
    assert line in shown("markdown", answer(of_class)).splitlines()
    found = json.loads(shown("json", answer(of_class)))
    assert found["results"][0]["members"][0] == {
        "name": "m1",
        "kind": "method",
        "line": 10,
        "start_line": 10,
        "end_line": 14,
    }
    assert not list(faults(found, schemas()["search"]))


# JSON
# --------------------------------------------------------------------------------------------------------------


def schemas() -> dict[str, Any]:
    text = DOCS.read_text().partition("```json\n")[2].partition("```")[0]
    found: dict[str, Any] = json.loads(text)["$defs"]
    return found


TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def faults(value: Any, schema: dict[str, Any], at: str = "") -> Iterator[str]:
    """Yield departures of a value from a schema; knows the keywords that docs/json.md uses."""
    assert schema.keys() <= {
        "type",
        "required",
        "additionalProperties",
        "properties",
        "items",
        "minimum",
        "$ref",
    }
    if "$ref" in schema:
        yield from faults(value, schemas()[schema["$ref"].rpartition("/")[2]], at)
        return
    allowed = schema.get("type", list(TYPES))
    names = [allowed] if isinstance(allowed, str) else allowed
    if not any(
        isinstance(value, TYPES[name]) and (name == "boolean") == isinstance(value, bool)
        for name in names
    ):
        yield f"{at}: {value!r} is no {allowed}"
    elif isinstance(value, dict):
        yield from (
            f"{at}: {name} is missing" for name in schema.get("required", []) if name not in value
        )
        for name, one in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            yield from (
                [f"{at}: {name} is unknown"]
                if inner is False
                else faults(one, inner, f"{at}.{name}")
            )
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from faults(one, schema.get("items", {}), f"{at}[{number}]")
    elif "minimum" in schema and value < schema["minimum"]:
        yield f"{at}: {value} is below {schema['minimum']}"


def test_schema_check_finds_faults() -> None:
    good = json.loads(shown("json", answer(hit())))
    assert not list(faults(good, schemas()["search"]))
    for name, wrong in {
        "query": 3,
        "missing": -1,
        "complete": 1,
        "results": {},
        "extra": 1,
        "missing ": True,
    }.items():
        assert list(faults({**good, name: wrong}, schemas()["search"]))
    assert list(
        faults({key: value for key, value in good.items() if key != "tree"}, schemas()["search"])
    )
    assert list(
        faults({**good, "results": [{**good["results"][0], "start_line": 0}]}, schemas()["search"])
    )


def test_json_is_exactly_as_documented() -> None:
    optimized = Optimized(("40-44", "45-50"), (), False)
    named = (Definition("commit_offsets", "method", 41),)
    one = hit(text="x", optimized=optimized, also=("copy.py",), definitions=named)
    assert json.loads(shown("json", answer(one, degraded="no vectors"))) == {
        "query": "commit the offsets",
        "ref": "HEAD",
        "tree": "a" * 40,
        "complete": True,
        "missing": 0,
        "degraded": "no vectors",
        "took_ms": 12.346,
        "results": [
            {
                "path": "src/consumer.py",
                "line": 40,
                "start_line": 40,
                "end_line": 50,
                "score": 0.9123,
                "language": "python",
                "kind": "method",
                "symbol": "commit_offsets",
                "parent": "Consumer",
                "definitions": [{"name": "commit_offsets", "kind": "method", "line": 41}],
                "text": "x",
                "same_content": ["copy.py"],
                "optimized": {
                    "mergedFrom": ["40-44", "45-50"],
                    "dedupedFrom": [],
                    "fileCapped": False,
                },
            }
        ],
    }


@pytest.mark.parametrize(
    "of", [answer(), answer(*HITS), hostile()], ids=["empty", "hits", "hostile"]
)
def test_search_json_follows_its_schema(of: Answer) -> None:
    assert not list(faults(json.loads(shown("json", of)), schemas()["search"]))


def test_documented_fields_are_those_of_the_schema() -> None:
    rows = re.findall(r"^\| (`.*?) \|", DOCS.read_text(), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == {*schemas()["search"]["properties"], *schemas()["hit"]["properties"]}


def test_json_is_one_line_unless_coloured() -> None:
    assert "\n" not in shown("json", answer(*HITS))
    assert shown("json", answer(*HITS), color=True).startswith('{\n  "query"')


def test_path_that_is_not_utf8_has_path_bytes() -> None:
    raw = b"caf\xe9/\xff.py"
    result = json.loads(shown("json", answer(hit(path=raw.decode("utf-8", "surrogateescape")))))[
        "results"
    ][0]
    assert result["path"] == "caf\ufffd/\ufffd.py"
    assert b64decode(result["path_bytes"]) == raw
    assert (
        "path_bytes"
        not in json.loads(shown("json", answer(hit(path="caf\ufffd.py"))))["results"][0]
    )


@given(st.text(), st.text(), st.floats(-1e6, 1e6), st.dictionaries(st.text(), st.floats(-10, 10)))
def test_json_preserves_text_and_signals(
    text: str, symbol: str, score: float, signals: dict[str, float]
) -> None:
    one = hit(text=text, symbol=symbol, score=score, signals=signals)
    result = json.loads(shown("json", answer(one), explain=True))["results"][0]
    assert (result["text"], result["symbol"]) == (text, symbol)
    assert result["score"] == pytest.approx(score, abs=1e-4)
    reasons = [*result["explain"]["raised_by"], *result["explain"]["lowered_by"]]
    given = {name: value for name, value in signals.items() if value}
    assert {one["signal"]: one["value"] for one in reasons} == pytest.approx(given, abs=1e-4)


# vimgrep and Markdown
# --------------------------------------------------------------------------------------------


def test_vimgrep_has_the_best_line_and_a_byte_column() -> None:
    wide = hit(text='x = "ü", offset', symbol="", start_line=3, end_line=3)
    none = hit(text="\n\n  y = 1", symbol="", parent="", start_line=8, end_line=10)
    assert shown("vimgrep", answer(hit(), wide, none)) == (
        "src/consumer.py:41:5:def commit_offsets(self, offsets, retries=3):\n"
        'src/consumer.py:3:11:x = "ü", offset\n'
        "src/consumer.py:10:3:  y = 1"
    )


def test_markdown_output() -> None:
    one = hit(text="a\r\nb", start_line=1, end_line=2)
    assert shown(
        "markdown", answer(one, completeness=Completeness(missing=1), degraded="no vectors")
    ) == (
        "1 hit for `commit the offsets` in `HEAD`\n"
        "\n"
        "> incomplete: 1 file of HEAD is not indexed; to complete: ragit index\n"
        "\n"
        "> note: no vectors\n"
        "\n"
        "## `src/consumer.py:1-2`\n"
        "\n"
        "`Consumer.commit_offsets`, method, score 0.912\n"
        "\n"
        "```python\n"
        "a\n"
        "b\n"
        "```"
    )


@given(st.text("`ab\n~ "), st.text("`ab ", min_size=1))
@example("```\n````", "`` a")
def test_markdown_fences_and_spans_cannot_be_closed_by_content(text: str, path: str) -> None:
    lines = shown("markdown", answer(hit(text=text, path=path, symbol=path))).split("\n")
    heading = next(line for line in lines if line.startswith("## "))
    marks = re.match("`+", heading[3:])
    assert marks
    assert marks[0] not in re.findall("`+", heading[3 + len(marks[0]) : -len(marks[0])])
    start = next(number for number, line in enumerate(lines) if re.fullmatch("`{3,}python", line))
    fence = lines[start].removesuffix("python")
    assert lines[start + 1 :].index(fence) == len(lines) - start - 2
    assert "\n".join(lines[start + 1 : -1]) == text


def test_unknown_format_hints_at_the_nearest() -> None:
    with pytest.raises(UnknownFormat) as caught:
        format_named("jsno")
    assert caught.value.message == "unknown format 'jsno'"
    assert (
        caught.value.hint == "Did you mean json? There are text, json, vimgrep, markdown, compact."
    )


# Notes and reports
# ---------------------------------------------------------------------------------------------------


def test_notes_and_summary_of_answers() -> None:
    assert notes(answer(hit())) == []
    assert notes(
        answer(completeness=Completeness(missing=1200), degraded="the server at X refused")
    ) == [
        "incomplete: 1,200 files of HEAD are not indexed; to complete: ragit index",
        "note: the server at X refused",
        "no hits in HEAD",
    ]
    assert notes(answer(hit(), unmatched_names=("OffsetStore",))) == [
        "note: no indexed file of HEAD holds the word OffsetStore"
    ]
    assert notes(answer(hit(), unmatched_names=("a_b", "c_d")))[0].endswith(
        " holds the words a_b, c_d"
    )
    assert summary(answer(*HITS)) == "3 hits in 2 files of HEAD (tree aaaaaaaaaa), 12 ms"


REPORT = IndexReport(
    trees=1,
    files=6519,
    chunks=52312,
    indexed=312,
    embedded=2100,
    reused=40,
    words=90000,
    skipped={"lfs pointer": 4, "binary": 100, "too large": 30, "none": 0},
    seconds=12.44,
)


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (
            REPORT,
            "indexed 6,519 files, 52,312 chunks in 12.4 s\n"
            "  312 new files read, 2,100 chunks embedded, 40 reused\n"
            "  skipped 134: binary 100, too large 30, lfs pointer 4",
        ),
        (
            replaced(REPORT, dry_run=True, skipped={}, trees=2),
            "would index 312 of 6,519 files of 2 trees, 52,312 chunks\n"
            "  2,100 chunks to embed, about 90,000 words; nothing was written",
        ),
        (
            replaced(
                REPORT, indexed=0, embedded=0, reused=0, skipped={}, files=1, chunks=1, seconds=0.04
            ),
            "up to date: 1 file, 1 chunk (40 ms)",
        ),
        (
            replaced(REPORT, dry_run=True, indexed=0, embedded=0, skipped={}, files=1, chunks=1),
            "would index nothing: 1 file, 1 chunk indexed already",
        ),
    ],
    ids=["indexed", "dry run", "nothing to do", "dry run, nothing to do"],
)
def test_index_report(report: IndexReport, text: str) -> None:
    assert "\n".join(index_text(report, PLAIN)) == text
    assert uncoloured("\n".join(index_text(report, RenderOptions(color=True)))) == text
    (line,) = index_json(report, PLAIN)
    assert not list(faults(json.loads(line), schemas()["index"]))
    assert json.loads(line)["skipped"] == report.skipped


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (0, "$0.00"),
        (1e-9, "less than $0.000001"),
        (0.0000013, "$0.0000013"),
        (0.0013, "$0.0013"),
        (0.00999, "$0.010"),
        (0.13, "$0.13"),
        (0.999, "$1.00"),
        (1.5, "$1.50"),
        (12345.678, "$12,345.68"),
    ],
)
def test_money_is_rounded_for_display(cost: float, text: str) -> None:
    assert money(cost) == text


def test_index_report_of_descriptions() -> None:
    described = Described(120, 1, 2, "it is \x1b down", 45_000, 2_400, 0.125)
    report = replaced(REPORT, described=described, skipped={})
    lines = list(index_text(report, PLAIN))
    assert lines[2:] == [
        "  120 chunks and 1 image described: 45,000 tokens read, 2,400 written; $0.12 by `pricing`",
        "  2 left without a description: it is \\x1b down",
        "  until then, chunks are found by their code, and images are not; the next `ragit index` asks again",
    ]
    estimate = replaced(described, images=0, failed=0, why="", cost=None, unpriced=("a:1b", "\x1b"))
    lines = list(index_text(replaced(report, described=estimate, dry_run=True), PLAIN))
    assert lines[2:] == [
        "  120 chunks to describe: about 45,000 tokens read, 2,400 written; no price for a:1b and \\x1b under `pricing`"
    ]
    (line,) = index_json(replaced(report, described=estimate), PLAIN)
    assert json.loads(line)["described"]["unpriced"] == ["a:1b", "\x1b"]
    uncounted = replaced(estimate, unpriced=())
    assert list(index_text(replaced(report, described=uncounted), PLAIN))[2].endswith(
        "; the server does not count all tokens, so that they have no price"
    )
    assert (
        len(list(index_text(replaced(report, described=Described(0, 0, 0, "", 0, 0, 0.0)), PLAIN)))
        == 2
    )
    (line,) = index_json(report, PLAIN)
    assert not list(faults(json.loads(line), schemas()["index"]))


def test_status_and_describe_report_descriptions() -> None:
    lines = list(status_text(replaced(STATUS, descriptions=(1200, 0)), PLAIN))
    assert "described 1,200 chunks and images, complete" in lines
    unindexed = replaced(
        STATUS,
        descriptions=(3, 0),
        refs=(RefStatus("HEAD", Oid("a" * 40), 0, Completeness(missing=18)),),
    )
    assert "described 3 chunks and images, more of HEAD to come: `ragit index`" in list(
        status_text(unindexed, PLAIN)
    )
    lacking = replaced(STATUS, descriptions=(1, 3), skipped={"image": 3})
    lines = list(status_text(lacking, PLAIN))
    assert "described 1 chunk or image, 3 of HEAD to come: `ragit index`" in lines
    assert lines[-1] == "skipped 3: image 3; `ragit status --skipped` names them"
    (line,) = status_json(lacking, PLAIN)
    assert not list(faults(json.loads(line), schemas()["status"]))
    outdated = replaced(
        lacking, refs=(RefStatus("HEAD", Oid("a" * 40), 6519, Completeness(missing=4)),)
    )
    assert "described 1 chunk or image, 3 or more of HEAD to come: `ragit index`" in list(
        status_text(outdated, PLAIN)
    )
    image = ImageDescribed("a\x1b.png", "HEAD", Oid("a" * 40), "http://x/v1#m:1", "A form\x07.")
    assert list(described_text(image, PLAIN)) == ["A form\\x07."]
    assert list(described_text(replaced(image, text=""), PLAIN))[0].startswith(
        "a\\x1b.png is not described yet"
    )
    for one in (image, replaced(image, text="")):
        (line,) = described_json(one, PLAIN)
        assert not list(faults(json.loads(line), schemas()["describe"]))
    lacking_some = answer(completeness=Completeness(undescribed=2))
    assert "note: 2 chunks and images have no description yet; `ragit index` asks for it" in notes(
        lacking_some
    )
    (line,) = FORMATS["json"](lacking_some, PLAIN)
    assert json.loads(line)["undescribed"] == 2
    assert not list(faults(json.loads(line), schemas()["search"]))


def test_freshness_report() -> None:
    fresh = FreshnessReport("HEAD", Oid("a" * 40), ())
    assert list(freshness_text(fresh, PLAIN)) == [
        "fresh: everything in HEAD (tree aaaaaaaaaa) is indexed"
    ]
    stale = replaced(fresh, missing=tuple(f"f{number}\x1b" for number in range(22)))
    lines = list(freshness_text(stale, PLAIN, fix="ragit index HEAD"))
    assert lines[0] == "stale: 22 files of HEAD (tree aaaaaaaaaa) are not indexed"
    assert lines[1] == "  f0\\x1b"
    assert lines[-2:] == ["  and 2 more", "to fix it: ragit index HEAD"]
    assert len(list(freshness_text(stale, RenderOptions(full=True)))) == 24
    for one in (fresh, stale):
        (line,) = freshness_json(one, PLAIN)
        assert not list(faults(json.loads(line), schemas()["check"]))
        assert json.loads(line)["fresh"] is one.fresh
        assert len(json.loads(line)["missing"]) == len(one.missing)


STATUS = StatusReport(
    store="/r/.git/ragit/index.db",
    exists=True,
    bytes=24_536_678,
    chunkings=6519,
    chunks=52312,
    embedder="static-1",
    other_embedders=("openai-\x1b",),
    refs=(
        RefStatus("HEAD", Oid("a" * 40), 6519, commit=Oid("b" * 40)),
        RefStatus("feature/x", Oid("c" * 40), 1, Completeness(missing=1)),
    ),
    skipped={"binary": 3},
)


def test_status_report() -> None:
    text = "\n".join(status_text(STATUS, PLAIN))
    assert text == (
        "store     /r/.git/ragit/index.db, 23.4 MB\n"
        "holds     52,312 chunks of 6,519 file versions\n"
        "embedder  static-1\n"
        "unused    openai-\\x1b; `ragit gc` drops its vectors\n"
        "\n"
        "HEAD       commit bbbbbbbbbb  6,519 files  complete\n"
        "feature/x  tree cccccccccc    1 file       1 not indexed\n"
        "\n"
        "skipped 3: binary 3; `ragit status --skipped` names them"
    )
    assert uncoloured("\n".join(status_text(STATUS, RenderOptions(color=True)))) == text
    none = replaced(STATUS, exists=False, embedder="", other_embedders=(), refs=(), skipped={})
    assert list(status_text(none, PLAIN)) == [
        "no index yet at /r/.git/ragit/index.db; `ragit index` makes one, and so does the first search",
        "embedder  none: keywords only",
    ]
    named = replaced(
        STATUS,
        skipped={"binary": 2, "too large": 1},
        skipped_files=(("a", "too large"), ("b\x1b", "binary")),
    )
    assert list(status_text(named, RenderOptions(full=True)))[-3:] == [
        "skipped 3: binary 2, too large 1",
        "  binary     b\\x1b",
        "  too large  a",
    ]
    assert "b\\x1b" not in "".join(status_text(named, PLAIN))
    (line,) = status_json(named, RenderOptions(full=True))
    assert json.loads(line)["skipped_files"][0] == {"path": "a", "reason": "too large"}
    assert not list(faults(json.loads(line), schemas()["status"]))
    for one in (STATUS, none):
        (line,) = status_json(one, PLAIN)
        assert not list(faults(json.loads(line), schemas()["status"]))


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (
            GcReport(12, 6519, 30 << 20, 20 << 20, 512),
            "dropped 12 file versions, kept 6,519\n  10.0 MB freed, 20.0 MB left",
        ),
        (GcReport(0, 1, 900, 900), "nothing to drop: 1 file version, 900 bytes"),
        (
            GcReport(0, 1, 900, 900, 2048),
            "dropped 0 file versions, kept 1\n  2.0 kB freed, 900 bytes left",
        ),
    ],
)
def test_gc_report(report: GcReport, text: str) -> None:
    assert "\n".join(gc_text(report, PLAIN)) == text
    (line,) = gc_json(report, PLAIN)
    assert not list(faults(json.loads(line), schemas()["gc"]))


def test_config_rows() -> None:
    loaded = load(
        TomlFile(
            b'[embedding]\nprovider = "openai"\n[retrieval]\ntopK = 3\n[index]\nexclude = ["\\u001b", "b"]\n'
        )
    )
    lines = list(config_text(describe(loaded), PLAIN))
    assert lines[0] == "[index]"
    set_here = {
        "index": ['exclude ["\\u001b", "b"] .ragit.toml:6'],
        "embedding": ['provider "static" default; .ragit.toml:2 ignored until `ragit trust`'],
        "retrieval": ["topK 3 .ragit.toml:4"],
    }
    sections = dict.fromkeys(name.partition(".")[0] for name in KNOBS)
    heads = {section: [f"[{section}]"] for section in sections if section not in KNOBS}
    wanted = [
        line for one in sections for line in ("", *heads.get(one, []), *set_here.get(one, []))
    ]
    changed = [
        " ".join(line.split()) for line in lines if "default" not in line or "ignored" in line
    ]
    assert changed == wanted[1:]
    assert uncoloured(
        "\n".join(config_text(describe(loaded), RenderOptions(color=True)))
    ) == "\n".join(lines)
    assert sum(
        line.startswith("    ") for line in config_text(describe(loaded), RenderOptions(full=True))
    ) == len(KNOBS)
    (line,) = config_json(describe(loaded), PLAIN)
    table = json.loads(line)
    assert not list(faults(table, schemas()["config"]))
    assert list(table) == list(KNOBS)
    assert table["retrieval.topK"]["value"] == 3
