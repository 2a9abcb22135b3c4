"""Tests of the line of a hit: that of the definition or the match."""

from __future__ import annotations

import pytest
from sandbox import GitSandbox

import ragit
from ragit.rank import WordWeights, parse_query
from ragit.search.lines import Landing, best_line, definition_line
from ragit.words import STOP_WORDS


def landed(query: str, text: str, *definitions: tuple[str, int]) -> int:
    terms = parse_query(query)
    words = [word for sequence in terms.sequences for word in sequence]
    weights = WordWeights({w: 0.2 if w in STOP_WORDS else 5.0 for w in words}, 5.0, {})
    return best_line(terms, weights, Landing(text.splitlines(), definitions))


USER = """\
def get_user(request):
    row = first(request)
    if row is None:
        return None
    user_id = row.key
    return load(user_id)"""


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("user_id", 4),
        ("get_user", 0),
        ("getUser", 0),
        ("where is the user loaded", 0),
        ("row.key", 4),
        ("how to get the first row", 0),
    ],
)
def test_a_use_is_landed_on_where_a_use_is_asked_for(query: str, line: int) -> None:
    assert landed(query, USER, ("get_user", 0)) == line


def test_a_definition_further_down_is_landed_on_before_a_use_above() -> None:
    text = "def run(data):\n    return total(data)\n\ndef total(data):\n    return 1"
    assert landed("total", text, ("run", 0), ("total", 3)) == 3


def test_the_same_letters_in_another_case_come_after_the_exact_name() -> None:
    text = "Status status() {\n}\nclass Status {\n};"
    assert landed("Status", text, ("status", 0), ("Status", 2)) == 2
    assert landed("status", text, ("status", 0), ("Status", 2)) == 0


def test_a_line_that_spells_the_name_comes_before_a_definition_in_another_spelling() -> None:
    text = '@JsonProperty("target_rate")\npublic long targetRate() {\n    return rate;\n}'
    assert landed("target_rate", text, ("targetRate", 1)) == 0
    assert landed("targetRate", text, ("targetRate", 1)) == 1
    assert landed("TargetRate", text, ("targetRate", 1)) == 1


def test_a_message_is_landed_on_where_it_stands() -> None:
    text = (
        "def fill(basket):\n"
        '    """Fill a basket."""\n'
        "    if basket.full:\n"
        '        raise ValueError("the basket cannot hold "\n'
        '                         "more apples")'
    )
    assert landed("the basket cannot hold more apples", text, ("fill", 0)) == 3
    assert landed("ValueError: the basket cannot hold more apples", text, ("fill", 0)) == 3
    assert landed("fill a basket", text, ("fill", 0)) in (0, 1)


def test_where_no_line_holds_a_word_the_definition_is_landed_on() -> None:
    assert landed("compute the sum", "\n# x\ndef total(data):\n    return 1", ("total", 2)) == 2
    assert landed("compute the sum", "\n\n    return 1") == 2


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("PacketRouter", '@Named("PacketRouter")\n@Component\nclass PacketRouter {', 2),
        ("total", "return total(x)\ndef total(x):", 1),
        ("total", "# total is computed here\nlet total = 3", 1),
        ("operator==", "V& operator=(V o);\nbool operator==(V o);", 1),
        ("operator=", "bool operator==(V o);\nV& operator=(V o);", 1),
        ("name_8999", "  name_8978 TEXT,\n  name_8999 TEXT,", 1),
        ("MAX", "if (x > MAX)\n#define MAX 3", 1),
        ("Cart.add", "  add_all(x)\n  void add(x) {", 1),
        ("run", "server.run()\nfunc (s *Server) run() {", 1),
    ],
)
def test_the_line_of_a_definition_is_told_from_uses(name: str, text: str, line: int) -> None:
    assert definition_line(name, text.splitlines()) == line


def test_a_name_that_no_line_holds_has_no_line() -> None:
    assert definition_line("total", ["totals"]) is None


PLACES = {
    "lib/a.js": "function f() {\n  g()\n}\n\nfunction g() {\n  throw new Error('nope')\n}\n",
    "c.c": "".join(f"int f{i}(int c)\n{{\n\treturn c + {i};\n}}\n\n" for i in range(40)),
    "src/b.py": "import x\n\n\ndef f():\n    a = 1\n    b = 2\n    return a\n",
}


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("a.js:2", ("lib/a.js", 2)),
        ("c.c:130", ("c.c", 130)),
        ("/home/me/src/b.py:6:1", ("src/b.py", 6)),
        (
            "Error: nope\n    at g (/app/lib/a.js:6:9)\n    at f (/app/lib/a.js:2:3)\n",
            ("lib/a.js", 6),
        ),
    ],
)
def test_a_place_that_is_named_is_landed_on(
    repo: GitSandbox, query: str, place: tuple[str, int]
) -> None:
    for path, text in PLACES.items():
        repo.write(path, text)
    repo.commit()
    with ragit.open(repo.path) as index:
        answer = index.search(query)
    assert (answer.hits[0].path, answer.hits[0].line) == place
    assert not any("word for word" in note for note in answer.notes)
