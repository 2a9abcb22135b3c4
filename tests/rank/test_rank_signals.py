"""Tests of each signal: what raises it, what does not, and by how much."""

from __future__ import annotations

import math

import pytest

from ragit.chunk import language_of
from ragit.chunk.languages import LANGUAGES
from ragit.rank import parse_query, paths
from ragit.rank.keyword import ChunkScore, Shares
from ragit.rank.signals import (
    CHUNK_SIGNALS,
    FILE_SIGNALS,
    ChunkFacts,
    ChunkNames,
    FileFacts,
    QueryFacts,
    held_in_code,
    shaped,
    signal_weights,
)


def facts(query: str, *, in_code: bool = True) -> QueryFacts:
    """Return the facts of a query in a tree of 100 files, each term in the name of one file."""
    terms = parse_query(query)
    return QueryFacts(terms, Shares(terms, dict.fromkeys(terms.listed, 1), 100), in_code)


def of_file(
    name: str, path: str, query: str = "where are carts kept", **known: float | str
) -> float:
    file = FileFacts(path, 0.0, 0.0, 0.0, 0.0)._replace(**known)
    return FILE_SIGNALS[name].of(file, facts(query))


CHUNK = ChunkFacts(0, 0, 0.0, ChunkScore(0.0, True), 0.0)


def of_chunk(name: str, names: ChunkNames | None, query: str) -> float:
    return CHUNK_SIGNALS[name].of(CHUNK, names, facts(query))


# alike


def test_alike_signal_is_the_nearness_of_the_name() -> None:
    near = CHUNK._replace(alike=0.4)
    assert CHUNK_SIGNALS["alike"].of(near, None, facts("drop an event")) == 0.4
    assert of_chunk("alike", ChunkNames("function", "drop_event", ""), "drop an event") == 0.0


def test_alike_signal_is_off_for_pasted_text() -> None:
    weights = signal_weights({})
    assert [shaped(weights, shape)["alike"] > 0 for shape in ("phrase", "text", "trace")] == [
        True,
        False,
        False,
    ]


# defines


@pytest.mark.parametrize(
    ("names", "query", "value"),
    [
        (ChunkNames("function", "commit_offset", ""), "commit_offset", 1.0),
        (ChunkNames("function", "commit_offset", ""), "commitOffset", 0.6),
        (ChunkNames("function", "commit commit_offset", ""), "commit_offset", 0.7),
        (ChunkNames("class", "Cart", ""), "Cart", 1.0),
        (ChunkNames("class", "Cart", ""), "cart", 1.0),
        (ChunkNames("function", "cartLine", ""), "cart_line", 0.6),
        (ChunkNames("describe", "when Cart is full", ""), "Cart", 0.0),
        (ChunkNames("function", "Cart", ""), "Cart", 0.8),
        (ChunkNames("key", "cart", ""), "cart", 0.5),
        (ChunkNames("heading", "Cart", ""), "Cart", 0.4),
        (ChunkNames("method", "add", "Cart"), "Cart.add", 1.0),
        (ChunkNames("method", "Cart.add", ""), "Cart::add", 1.0),
        (ChunkNames("method", "add", "shop.Cart"), "Cart#add", 1.0),
        (ChunkNames("method", "add", "Basket"), "Cart.add", 0.5),
        (ChunkNames("method", "add", ""), "Cart.add", 0.5),
        (ChunkNames("method", "remove", "Cart"), "Cart.add", 0.0),
        (ChunkNames("method", "", "Cart"), "Cart", 0.0),
        (ChunkNames("class", "Cart", "", "extension Cart"), "Cart", 0.6),
        (ChunkNames("class", "Cart", "", "class Cart;", 1), "Cart", 0.6),
        (ChunkNames("impl", "Cart", ""), "Cart", 0.48),
        (None, "Cart", 0.0),
    ],
)
def test_defines_signal_depends_on_spelling_kind_and_owner(
    names: ChunkNames | None, query: str, value: float
) -> None:
    assert of_chunk("defines", names, query) == pytest.approx(value)


def test_defines_signal_takes_the_best_name_of_a_group() -> None:
    group = ChunkNames("method", "add_line addLine", "")
    assert of_chunk("defines", group, "addLine") == pytest.approx(0.7)
    assert of_chunk("defines", group, "add_line") == pytest.approx(1.0)


def test_defines_signal_ignores_plain_words() -> None:
    assert of_chunk("defines", ChunkNames("function", "offset", ""), "commit the offset") == 0.0


# named


def test_named_signal_is_the_mean_of_both_shares() -> None:
    def named(symbol: str, query: str = "merge carts") -> float:
        return of_chunk("named", ChunkNames("function", symbol, ""), query)

    assert named("merge_carts") == pytest.approx(1.0)
    assert named("carts") == pytest.approx(math.sqrt(0.5))
    assert named("merge_carts_of_two_customers") == pytest.approx(math.sqrt(2 / 5))
    assert named("baskets") == 0.0
    assert named("OAuthHandler", "oauth") == pytest.approx(5 / 12)
    assert named("") == 0.0
    assert of_chunk("named", None, "merge carts") == 0.0


def test_named_signal_ignores_later_names_of_a_group() -> None:
    group = ChunkNames("function", "helper merge_carts", "")
    assert of_chunk("named", group, "merge carts") == 0.0


# fileName


@pytest.mark.parametrize(
    ("path", "query", "value"),
    [
        ("src/order_service.py", "order service", 1.0),
        ("src/OrderService.java", "OrderService", 1.0),
        ("src/order_service.py", "where is the order placed", 0.5),
        ("src/order.service.ts", "order", 0.5),
        ("order/cart.py", "order", 0.0),
        ("Makefile", "makefile", 1.0),
    ],
)
def test_file_name_signal_is_the_share_of_common_words(path: str, query: str, value: float) -> None:
    assert of_file("fileName", path, query) == pytest.approx(value)


def test_file_name_signal_is_lower_for_words_below_the_title() -> None:
    issue = "Total of an order is cut\n\n" + 10 * "When I add three prices, the shop loses a cent. "
    assert of_file("fileName", "total.py", issue) == 1.0
    assert of_file("fileName", "shop.py", issue) == pytest.approx(0.15)


# Precomputed numbers

_NUMBERS = ("nearness", "keyword", "path_share", "path_nearness", "mentioned", "suffix_share")


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("fileVector", "nearness"),
        ("fileKeyword", "keyword"),
        ("path", "path_share"),
        ("pathVector", "path_nearness"),
        ("mentioned", "mentioned"),
        ("suffixShare", "suffix_share"),
    ],
)
def test_precomputed_number_is_its_own_signal(name: str, known: str) -> None:
    numbers = dict.fromkeys(_NUMBERS, 0.25)
    assert of_file(name, "a.py", **{**numbers, known: 0.75}) == 0.75


# Demotions


@pytest.mark.parametrize(
    "path",
    [
        "tests/cart.py",
        "src/test/java/Cart.java",
        "test_cart.py",
        "Tests/CartFixture.swift",
        "src/UnitTests/Cart.cs",
        "Cart.IntegrationTests/Setup.cs",
        "cart/src/jvmTest/kotlin/Carts.kt",
        "cart-tests/src/Fixture.kt",
        "t/t5548-cart.sh",
        "t/helper/cart.c",
        "contrib/cart/t/t0001-cart.sh",
        "lib/Cart/t/basic.t",
        "cart.bats",
        "ext/cart/001.phpt",
        "cart_test.go",
        "cart.spec.ts",
        "cart-test.js",
        "src/CartTest.java",
        "src/CartIT.java",
        "spec/cart.rb",
        "pkg/testdata/x.json",
        "conftest.py",
        "__mocks__/cart.js",
    ],
)
def test_tests_are_demoted_unless_asked_for(path: str) -> None:
    assert of_file("test", path) == 0.8
    assert of_file("test", path, tests_candidate=True) == 1.0
    assert of_file("test", path, "tests of the cart") == 0.0


@pytest.mark.parametrize(
    "path", ["src/contest.py", "latest/cart.py", "src/attest.go", "tokio-test/src/io.rs"]
)
def test_path_that_only_resembles_a_test_is_not_demoted(path: str) -> None:
    assert of_file("test", path) == 0.0


@pytest.mark.parametrize(
    "path",
    ["examples/a.py", "docs/conf.py", "benchmarks/b.rs", "lib/generators/templates/model.rb.tt"],
)
def test_examples_and_docs_are_demoted_unless_asked_for(path: str) -> None:
    assert of_file("aside", path) == 1.0
    assert of_file("aside", path, "an example of a cart") == 0.0
    assert of_file("aside", f"src/{path.rpartition('/')[2]}") == 0.0
    assert of_file("aside", path, lead=0.25) == 0.0


@pytest.mark.parametrize(
    "path", ["vendor/a.go", "a.min.js", "a_pb2.py", "a.pb.go", "poetry.lock", "build/a.js"]
)
def test_vendored_and_generated_files_are_demoted(path: str) -> None:
    assert of_file("vendored", path) == 1.0
    assert of_file("vendored", "src/vendors.py") == 0.0


@pytest.mark.parametrize(
    "path",
    ["legacy/a.py", "src/compat/a.c", "x/Deprecations/A.swift", "OldCart.java", "cart_old.py"],
)
def test_outdated_files_are_demoted(path: str) -> None:
    assert of_file("old", path) == 1.0
    assert of_file("old", "src/holder.py") == 0.0
    assert of_file("old", "src/v1/cart.go", is_outdated=True) == 1.0


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml",
        "locale/de/LC_MESSAGES/django.po",
        "CHANGELOG.md",
        "docs/release-notes/1.2.md",
        "tox.ini",
        "src/i18n/fr.json",
        "locale/de/LC_MESSAGES/app.js",
        "CHANGES.old",
        ".agents/skills/carts/SKILL.md",
    ],
)
def test_tooling_is_demoted_unless_asked_for(path: str) -> None:
    assert of_file("tooling", path) == 1.0
    assert of_file("tooling", path, "translations and changelog of the CI workflow") == 0.0
    assert of_file("tooling", "src/changes_feed.py") == 0.0


def test_file_with_a_lead_in_query_words_is_demoted_less() -> None:
    assert of_file("prose", "guide.md", lead=0.125) == 0.5
    assert of_file("prose", "guide.md", lead=0.25) == 0.0
    assert of_file("tooling", ".github/a.yml", lead=1.0) == 0.0
    assert of_file("test", "test_a.py", lead=0.25) == 0.0


def test_issue_demotes_files_despite_their_lead() -> None:
    issue = (
        "Carts lose apples\n\n" + "The documentation of this test says that carts hold them. " * 6
    )
    assert of_file("prose", "guide.md", issue, lead=1.0) == 1.0
    assert of_file("tooling", "CHANGELOG.md", issue, lead=1.0) == 1.0
    assert of_file("test", "test_a.py", issue, lead=1.0) == 1.0


def test_non_code_is_demoted_unless_prose_is_asked_for() -> None:
    assert of_file("notCode", "a.md", "carts", best_kind="heading") == 1.0
    assert of_file("notCode", "a.py", "carts", best_kind="function") == 0.0
    assert of_file("notCode", "a.md", "how to build from source", best_kind="heading") == 0.0
    assert of_file("notCode", "a.md", "carts", best_kind="heading", lead=0.25) == 0.0


def test_header_with_bodies_elsewhere_is_demoted() -> None:
    assert of_file("declares", "a.h", has_bodies=True) == 1.0
    assert of_file("declares", "a.h") == 0.0


def test_long_name_signal_grows_with_the_words_of_the_file_name() -> None:
    assert of_file("longName", "src/routing.py") == 0.0
    assert of_file("longName", "src/http/request_handler.py") == 0.25
    assert of_file("longName", "NodeHTTPRequestHandlerFactory.ts") == 1.0
    assert of_file("longName", "Makefile") == 0.0


def is_prose(path: str, query: str = "where are carts kept") -> bool:
    return of_file("prose", path, query) == 1.0


@pytest.mark.parametrize("language", ["restructuredtext", "asciidoc"])
def test_markup_is_prose_with_each_of_its_suffixes(language: str) -> None:
    suffixes = LANGUAGES[language].files.split()
    assert suffixes
    for suffix in suffixes:
        assert is_prose(f"src/carts{suffix}"), suffix
        assert not is_prose(f"src/carts{suffix}", "documentation of carts"), suffix


@pytest.mark.parametrize(
    "path", ["carts.csv", "carts.tsv", "carts.tab", "carts.json", "carts.yaml", "carts.py"]
)
def test_data_and_code_are_not_prose(path: str) -> None:
    assert language_of(path.encode()) != "text"
    assert not is_prose(path)


def test_prose_is_not_demoted_without_code_or_in_another_script() -> None:
    file = FileFacts("guide.md", 0.0, 0.0, 0.0, 0.0)
    prose = FILE_SIGNALS["prose"].of
    assert prose(file, facts("carts")) == 1.0
    assert prose(file, facts("carts", in_code=False)) == 0.0
    assert prose(file._replace(in_script=True), facts("carts")) == 0.0


def test_held_in_code_is_false_if_only_prose_has_a_query_word() -> None:
    prose, code = FileFacts("a.md", 0.5, 0, 0, 0), FileFacts("a.py", 0.5, 0, 0, 0)
    assert held_in_code([prose, code])
    assert not held_in_code([prose, code._replace(keyword=0.0)])
    assert held_in_code([prose._replace(keyword=0.0), code._replace(keyword=0.0)])


# Weights


def test_symbol_query_lowers_vector_and_raises_definition_weight() -> None:
    weights = {"fileVector": 2.0, "defines": 0.5, "path": 0.2}
    assert shaped(weights, "symbol") == {"fileVector": 1.0, "defines": 0.75, "path": 0.2}
    assert shaped(weights, "question") == weights


def test_pasted_text_lowers_vector_mention_and_repeat_weights() -> None:
    weights = {"fileVector": 2.0, "mentioned": 0.8, "repeat": -1.0}
    assert shaped(weights, "text") == pytest.approx(
        {"fileVector": 1.0, "mentioned": 0.24, "repeat": -0.2}
    )
    assert shaped(weights, "trace") == pytest.approx(weights | {"repeat": -0.3})


def test_weights_can_be_set_and_switched_off() -> None:
    weights = signal_weights({"declares": 0.0, "path": 0.9})
    assert "declares" not in weights
    assert weights["path"] == 0.9
    usual = {
        "defines": 0.5,
        "named": 0.15,
        "fileVector": 2.0,
        "fileKeyword": 0.25,
        "fileName": 0.3,
        "pathVector": 0.5,
        "mentioned": 0.8,
        "suffixShare": 0.2,
        "exact": 0.75,
        "notCode": -0.15,
        "test": -0.75,
        "old": -0.4,
        "tooling": -0.6,
        "aside": -0.4,
        "vendored": -0.3,
        "prose": -0.6,
        "repeat": -1.0,
    }
    assert {name: weights[name] for name in usual} == usual


@pytest.mark.parametrize(
    "path", ["src/user.service.spec.ts", "user.service.test.ts", "test_user_service.py"]
)
def test_subject_of_a_test_comes_from_its_file_name(path: str) -> None:
    assert paths.subject_of(path) == paths.subject_of("user_service.py") == "userservice"
