"""Tests of answers end to end: exact matches first, at their line; nothing where nothing
matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox import GitSandbox

import ragit
from ragit.rank import parse_query

LOADER = '''\
def load_{0}(x):
    """Detect the types of x; a type is detected once."""
    return [detect(t) for t in x.types]
'''
POWER = """\
class Pow:
    def __new__(cls, base, exponent):
        if base.is_relational:
            raise TypeError("Relational cannot be used in Pow")
        return object.__new__(cls)
"""
DOCS = "# Relations\n\nA relational is used where a Pow cannot be, or a power in a relational.\n"
TRACE = """\
Traceback (most recent call last):
  File "main.py", line 3, in <module>
  File "/home/u/site/core/power.py", line 330, in __new__
TypeError: boom
"""

ROUNDING = """\
def round_total(order):
    \"\"\"Return the total of an order without fractions of a cent.\"\"\"
    return int(sum(order.prices))
"""
ISSUE = """\
Total of an order is cut instead of rounded

When I add three prices of an order, the last cent is lost in what the program shows.
The following prints the wrong amount: expected 10.00 but got 9.99 for the whole order
I looked at the test of the shop and it fails in the same way on my machine since the last release.
"""


LEDGER = """\
class Ledger:
    def close(self, book):
        if book.is_open:
            raise ValueError(f"Ledger \"{book}\" must be balanced before it closes")
        self.refund_tally = 0
        return self.balance(book)
"""
TEST_OF_LEDGER = """\
describe("refundTally must be zero", () => {
  it("Ledger must be balanced before it closes", () => {
    expect(() => close()).toThrow('Ledger "x" must be balanced before it closes');
  });
});
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ragit.Ragit]:
    repo = GitSandbox(Path(tmp_path_factory.mktemp("answers")) / "repo")
    repo.write("examples/db.py", "def get_db(path):\n    return connect(path, detect_types=1)\n")
    for number in range(12):
        repo.write(f"src/m{number}.py", LOADER.format(number))
    repo.write("core/power.py", POWER)
    repo.write("core/relation.py", f'"""{DOCS}"""\n\n\nclass Relational:\n    pass\n')
    repo.write("auth.py", "class OAuthHandler:\n    pass\n")
    repo.write("retry.c", "#define MAX_RETRY_COUNT 3\n")
    repo.write("shop/rounding.py", ROUNDING)
    for number in range(90):
        repo.write(
            f"fields/f{number}.py", f"def get_field_{number}(field):\n    return get(field)\n"
        )
    repo.write("tests/test_fields.py", f"{'x = 1' * 300}\n\n\ndef test_all():\n    getFields(x)\n")
    repo.write("tests/test_shop.py", f'def test_total():\n    """{ISSUE}"""\n    assert shop()\n')
    repo.write("CHANGES.md", f"# 1.2\n\n{ISSUE}")
    repo.write("books/ledger.py", LEDGER)
    repo.write("books/requests.py", "def send(request):\n    request = wrap(request)\n")
    repo.write("books/model.py", "class Request:\n    pass\n")
    repo.write("web/__tests__/ledger.test.js", TEST_OF_LEDGER)
    for number in range(80):
        repo.write(
            f"tests/test_books{number}.py", f"def test_{number}(io):\n    assert io.refund_tally\n"
        )
    repo.write("注.py", "# 调用getUser方法\nx = 1\n")
    repo.commit()
    with ragit.open(repo.path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "path", "line"),
    [
        ("detect_types", "examples/db.py", 2),
        ("Relational cannot be used in Pow", "core/power.py", 4),
        ('"cannot be used in"', "core/power.py", 4),
        (TRACE, "core/power.py", 2),
        ("oauth", "auth.py", 1),
        ("max_retry", "retry.c", 1),
        ("core/power.py", "core/power.py", None),
        ("getFields", "tests/test_fields.py", 5),
        ('Ledger "x" must be balanced before it closes', "books/ledger.py", 4),
        ("refund_tally", "books/ledger.py", 5),
        ("request", "books/model.py", 1),
        (ISSUE, "shop/rounding.py", None),
        (3 * TRACE + ISSUE, "core/power.py", None),
    ],
)
def test_exact_match_is_first_and_at_its_line(
    index: ragit.Ragit, query: str, path: str, line: int | None
) -> None:
    hit = index.search(query, scope="committed").hits[0]
    assert hit.path == path
    assert line is None or hit.line == line


def test_name_within_a_longer_name_or_script_is_not_unmatched(
    index: ragit.Ragit,
) -> None:
    for query in ("max_retry", "MAX_RETRY_COUNT", "getUser"):
        assert index.search(query, scope="committed").unmatched_names == (), query
    assert index.search("get_order", scope="committed").unmatched_names == ("get_order",)


def test_query_without_a_match_has_no_hits_and_a_note(index: ragit.Ragit) -> None:
    answer = index.search("kdjfkd", scope="committed")
    assert answer.hits == ()
    assert "--guess" in answer.notes[0]


def test_min_score_applies_to_the_shown_score(index: ragit.Ragit) -> None:
    def scores(minimum: float | None = None) -> list[float]:
        found = index.search("detect the types", scope="committed", min_score=minimum)
        return [hit.score for hit in found.hits]

    shown = scores()
    assert len(shown) == 10
    for minimum in (0.1, shown[4], shown[0] + 0.01):
        assert scores(minimum) == [score for score in shown if score >= minimum]


TESTED = {
    "go": (
        ("handler.go", "package h\n\nfunc CreateOrder(r *Request) {\n\tsave(r)\n}\n"),
        (
            "handler_test.go",
            "package h\n\nfunc TestCreateOrderHandler(t *testing.T) {\n\tCreateOrder(nil)\n}\n",
        ),
    ),
    "typescript": (
        ("src/order.ts", "export function createOrder(req: Req) {\n  return save(req)\n}\n"),
        (
            "src/order.test.ts",
            "describe('create order handler', () => {\n  it('creates an order', () => {\n"
            "    createOrder(1)\n  })\n})\n",
        ),
    ),
    "ruby": (
        ("app/orders.rb", "class Orders\n  def create_order(req)\n    save(req)\n  end\nend\n"),
        (
            "spec/orders_spec.rb",
            "describe 'create order handler' do\n  it 'creates an order' do\n    create_order(1)\n"
            "  end\nend\n",
        ),
    ),
    "csharp": (
        (
            "src/Orders.cs",
            "class Orders\n{\n    Order CreateOrder(R r)\n    {\n        x();\n    }\n}\n",
        ),
        (
            "tests/OrdersTests.cs",
            "public class CreateOrderHandlerTests\n{\n    public void CreateOrderHandler_Works()\n"
            "    {\n        new Orders().CreateOrder(null);\n    }\n}\n",
        ),
    ),
    "rust": (
        ("src/order.rs", "pub fn create_order(r: Req) -> Order {\n    save(r)\n}\n"),
        ("tests/order.rs", "#[test]\nfn create_order_handler() {\n    create_order(1);\n}\n"),
    ),
}


@pytest.mark.parametrize("language", TESTED)
def test_test_ranks_after_the_code_it_tests(repo: GitSandbox, language: str) -> None:
    (code, code_text), (test, test_text) = TESTED[language]
    repo.write(code, code_text)
    repo.write(test, test_text)
    repo.commit()
    with ragit.open(repo.path) as opened:
        hits = opened.search("create order handler").hits
        assert [hit.path for hit in hits][:2] == [code, test]
        assert all(hit.score == pytest.approx(sum(hit.signals.values())) for hit in hits)
        assert opened.search("tests of the create order handler").hits[0].path == test


@pytest.mark.parametrize(
    ("query", "tests"),
    [
        ("retry a flaky test", False),
        ("skip each test", False),
        ("run tests", False),
        ("how are slow tests collected", False),
        ("order creation tests", True),
        ("unit tests of the basket", True),
        ("run the integration tests", True),
    ],
)
def test_query_about_running_tests_does_not_ask_for_tests(query: str, tests: bool) -> None:
    assert parse_query(query).intent.tests is tests


def test_files_below_min_score_are_counted_in_a_note(repo: GitSandbox) -> None:
    for number in range(30):
        repo.write(f"m{number}.py", f"def fetch_{number}(queue):\n    return queue.get({number})\n")
    repo.commit()
    with ragit.open(repo.path) as opened:
        best = opened.search("fetch the queue", top_k=100).hits[0].score
        for minimum in (best + 0.01, best - 0.001):
            found = opened.search("fetch the queue", top_k=100, min_score=minimum)
            more = 30 - len({hit.path for hit in found.hits})
            assert found.notes == (
                f"{more} more files hold words of the query, with scores below {minimum:g}",
            )
        assert opened.search("fetch the queue", top_k=100).notes == ()


def test_a_frame_of_a_library_is_no_file_of_the_tree_with_its_name(repo: GitSandbox) -> None:
    repo.write("src/decoder.py", "def unrelated(x):\n    return x\n\n\n" * 40)
    repo.write("shop/basket.py", "def add(x):\n    return decode(x)\n")
    repo.write("shop/other/basket.py", "def clear(x):\n    return decode(x)\n")
    repo.commit()
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/home/u/basket.py", line 2, in add\n'
        '  File "/usr/lib/python3.11/json/decoder.py", line 38, in raw_decode\n'
        "JSONDecodeError: Expecting value\n"
    )
    with ragit.open(repo.path) as index:
        hits = index.search(trace, top_k=3).hits
    assert (hits[0].path, hits[0].line) == ("shop/basket.py", 2)
    assert all(hit.score < hits[0].score / 2 for hit in hits[1:])


def test_the_innermost_frame_is_first(repo: GitSandbox) -> None:
    repo.write("a/Main.java", "class Main {\n  void main() {\n    store.put(1);\n  }\n}\n")
    repo.write("a/Store.java", "class Store {\n  void put(int x) {\n    b.add(x);\n  }\n}\n")
    repo.commit()
    trace = "java.lang.Error: main of Main failed in main\n\tat a.Store.put(Store.java:3)\n\tat a.Main.main(Main.java:3)\n"
    with ragit.open(repo.path) as index:
        places = [(hit.path, hit.line) for hit in index.search(trace).hits]
    assert places[:2] == [("a/Store.java", 3), ("a/Main.java", 3)]


README_OF_SHOP = """\
# Shopkeeper

## Configuration

Set `SHOP_PORT` in the environment.

## Deployment

Copy the program to the host.
"""
CONFIG_OF_SHOP = """\
def configure_app(app, config):
    \"\"\"Configure the app with the config of the app.\"\"\"
    app.port = config.port
"""
STORE_OF_SHOP = """\
class SessionStore {
  prune(now) {
    for (const [key, session] of this.items) {
      if (session.createdAt + this.ttl < now) this.items.delete(key);
    }
  }
}
"""
TEST_OF_STORE = """\
describe("SessionStore", () => {
  it("removes expired sessions from the store", () => {
    store.prune(20);
  });
});
"""
JOBS = """\
def pick_next_job(jobs):
    \"\"\"Return the job of the highest priority.\"\"\"
    return max(jobs, key=lambda job: job.priority)
"""
ANSWERS = "# Questions\n\n## How does it pick the next job?\n\nBy priority, see the code.\n"


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("how do I configure the app", "README.md"),
        ("how to deploy", "README.md"),
        ("configure the app", "src/config.py"),
        ("removes expired sessions from the store", "src/sessions.js"),
        ("how does it pick the next job", "src/jobs.py"),
    ],
)
def test_a_sentence_about_code_comes_after_the_code_unless_prose_is_asked_for(
    repo: GitSandbox, query: str, path: str
) -> None:
    repo.write("README.md", README_OF_SHOP)
    repo.write("src/config.py", CONFIG_OF_SHOP)
    repo.write("src/sessions.js", STORE_OF_SHOP)
    repo.write("tests/sessions.test.js", TEST_OF_STORE)
    repo.write("src/jobs.py", JOBS)
    repo.write("docs/questions.md", ANSWERS)
    repo.commit()
    with ragit.open(repo.path) as index:
        assert index.search(query).hits[0].path == path


def test_a_name_in_the_body_of_a_test_is_first_where_no_code_has_it(repo: GitSandbox) -> None:
    repo.write("src/sessions.js", STORE_OF_SHOP)
    repo.write("tests/sessions.test.js", TEST_OF_STORE.replace("prune(20)", "isGone('some_dir')"))
    repo.commit()
    with ragit.open(repo.path) as index:
        hits = index.search("some_dir").hits
        assert (hits[0].path, hits[0].line) == ("tests/sessions.test.js", 3)


def test_a_path_with_spaces_is_first(repo: GitSandbox) -> None:
    repo.write("a b/c d.py", "def crlf_name():\n    return 1\n")
    repo.write("sub/d.py", "def b_c():\n    return 'a b c d'\n")
    repo.commit()
    with ragit.open(repo.path) as index:
        assert index.search("a b/c d.py").hits[0].path == "a b/c d.py"
