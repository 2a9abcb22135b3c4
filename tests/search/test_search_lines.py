"""Tests of the line of a hit: that of the definition or the match."""

from __future__ import annotations

import pytest
from sandbox import GitSandbox

import ragit
from ragit.rank import WordWeights, parse_query
from ragit.search.lines import Landing, best_line, definition_line
from ragit.words import STOP_WORDS


def line_for(query: str, text: str, *definitions: tuple[str, int]) -> int:
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
def test_best_line_is_a_use_only_if_the_query_names_it(query: str, line: int) -> None:
    assert line_for(query, USER, ("get_user", 0)) == line


def test_definition_is_preferred_to_an_earlier_use() -> None:
    text = "def run(data):\n    return total(data)\n\ndef total(data):\n    return 1"
    assert line_for("total", text, ("run", 0), ("total", 3)) == 3


def test_name_in_exact_case_is_preferred() -> None:
    text = "Status status() {\n}\nclass Status {\n};"
    assert line_for("Status", text, ("status", 0), ("Status", 2)) == 2
    assert line_for("status", text, ("status", 0), ("Status", 2)) == 0


def test_exact_spelling_is_preferred_to_a_definition() -> None:
    text = '@JsonProperty("target_rate")\npublic long targetRate() {\n    return rate;\n}'
    assert line_for("target_rate", text, ("targetRate", 1)) == 0
    assert line_for("targetRate", text, ("targetRate", 1)) == 1
    assert line_for("TargetRate", text, ("targetRate", 1)) == 1


def test_best_line_of_a_message_is_where_it_begins() -> None:
    text = (
        "def fill(basket):\n"
        '    """Fill a basket."""\n'
        "    if basket.full:\n"
        '        raise ValueError("the basket cannot hold "\n'
        '                         "more apples")'
    )
    assert line_for("the basket cannot hold more apples", text, ("fill", 0)) == 3
    assert line_for("ValueError: the basket cannot hold more apples", text, ("fill", 0)) == 3
    assert line_for("fill a basket", text, ("fill", 0)) in (0, 1)


def test_best_line_without_a_match_is_the_definition() -> None:
    assert line_for("compute the sum", "\n# x\ndef total(data):\n    return 1", ("total", 2)) == 2
    assert line_for("compute the sum", "\n\n    return 1") == 2


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
def test_definition_line_is_distinguished_from_uses(name: str, text: str, line: int) -> None:
    assert definition_line(name, text.splitlines()) == line


def test_definition_line_of_a_missing_name_is_none() -> None:
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
def test_place_in_the_query_is_the_first_hit(
    repo: GitSandbox, query: str, place: tuple[str, int]
) -> None:
    for path, text in PLACES.items():
        repo.write(path, text)
    repo.commit()
    with ragit.open(repo.path) as index:
        answer = index.search(query)
    assert (answer.hits[0].path, answer.hits[0].line) == place
    assert not any("word for word" in note for note in answer.notes)
