"""Tests of settings: each acts in every layer, layers override in order, errors name the setting,
and untrusted files are limited.

Run as a script, it rewrites the table in docs/configuration.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox

import ragit
from ragit.chunk import languages
from ragit.config import (
    KNOBS,
    Config,
    Knob,
    Loaded,
    TomlFile,
    describe,
    expected,
    load,
    read_file,
    selection_fingerprint,
    value_of,
)
from ragit.config.toml import MAX_BYTES, line_of
from ragit.errors import ConfigError
from ragit.index import Selector
from ragit.repository import trust

DOCS = Path(__file__).parent.parent / "docs" / "configuration.md"

OTHER: dict[str, tuple[str, Any]] = {
    "index.include": ("src/*.py, lib/**", ("src/*.py", "lib/**")),
    "index.exclude": ("vendor/**", ("vendor/**",)),
    "index.storePath": ("/somewhere/index.db", "/somewhere/index.db"),
    "embedding.provider": ("openai", "openai"),
    "retrieval.hybridSearch.keywordScoring": ("tfidf", "tfidf"),
    "freshness.policy": ("refuse", "refuse"),
    "retrieval.reranking.queryTemplate": ("about {query}", "about {query}"),
}
"""Values other than the default, as text and parsed, for settings whose type does not
suggest one.
"""

ENTRIES = {
    "chunking.nodeTypes": (
        "python",
        "class_definition, call",
        ("python", ("class_definition", "call")),
    ),
    "chunking.parsers": ("cu", "cpp", (".cu", "cpp")),
    "chunkers": ("xyz", "tools/my_chunker.py", (".xyz", "tools/my_chunker.py")),
    "retrieval.signals": ("path", "0.5", ("path", 0.5)),
    **{
        f"{section}.headers": ("x-team", "$TEAM", ("x-team", "$TEAM"))
        for section in (
            "embedding",
            "description",
            "imageDescription",
            "retrieval.reranking",
            "retrieval.queryRewriting",
        )
    },
    "pricing": ("gpt-4o-mini", "0.15, 0.6", ("gpt-4o-mini", (0.15, 0.6))),
}
"""For each table setting: an entry's name, its value as text, and the parsed entry."""

SCALARS = [knob for knob in KNOBS.values() if not knob.table]
TABLES = [knob for knob in KNOBS.values() if knob.table]


def other_value(knob: Knob) -> tuple[str, Any]:
    if knob.name in OTHER:
        return OTHER[knob.name]
    if knob.name.endswith(".baseUrl"):
        return "http://localhost:8080/v1", "http://localhost:8080/v1"
    if knob.name.endswith(".apiKeyEnv"):
        return "MY_KEY", "MY_KEY"
    if knob.name.endswith(".proxy"):
        return "http://localhost:3128", "http://localhost:3128"
    if knob.choices:
        return knob.choices[-1], knob.choices[-1]
    if knob.kind == "bool":
        return ("false", False) if knob.default else ("true", True)
    if knob.kind == "int":
        return str(knob.default + 1), knob.default + 1
    if knob.kind == "float":
        return "0.25", 0.25
    return "something: ", "something: "


def as_toml(name: str, value: object) -> bytes:
    section, _, key = name.rpartition(".")
    return f"[{section}]\n{key} = {json.dumps(value)}\n".encode()


def toml(text: str, *, trusted: bool = False) -> Loaded:
    return load(TomlFile(text.encode(), trusted=trusted))


def refused(text: str | bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(TomlFile(text if isinstance(text, bytes) else text.encode()))
    return caught.value


def test_settings_without_layers_are_defaults() -> None:
    loaded = load()
    assert loaded.config == Config()
    assert set(loaded.origins.values()) == {"default"}
    assert not loaded.ignored
    assert not loaded.warning


def test_defaults_of_the_retrieval_pipeline() -> None:
    retrieval = Config().retrieval
    assert (retrieval.top_k, retrieval.min_score, retrieval.hybrid_search.keyword_weight) == (
        10,
        0,
        0.4,
    )
    cut = retrieval.context_optimization
    assert (cut.adjacent_gap_threshold, cut.similarity_threshold, cut.max_per_file) == (5, 0.8, 3)


@pytest.mark.parametrize("knob", SCALARS, ids=lambda knob: knob.name)
def test_every_setting_takes_effect_in_every_layer(knob: Knob) -> None:
    text, value = other_value(knob)
    assert value != knob.default
    lowered = f"ragit.{knob.name.rpartition('.')[0]}.{knob.name.rpartition('.')[2].lower()}"  # as git prints it
    layers = {
        ".ragit.toml:2": load(TomlFile(as_toml(knob.name, value), trusted=True)),
        "git config": load(git={lowered: text}),
        knob.variable: load(environ={knob.variable: text}),
        "command line": load(flags={knob.name: value}),
    }
    for origin, loaded in layers.items():
        assert value_of(loaded.config, knob) == value
        assert loaded.origins[knob.name] == origin
        assert [
            name for name, one in KNOBS.items() if value_of(loaded.config, one) != one.default
        ] == [knob.name]


@pytest.mark.parametrize("knob", TABLES, ids=lambda knob: knob.name)
def test_every_table_setting_takes_entries_in_every_layer(knob: Knob) -> None:
    name, text, entry = ENTRIES[knob.name]
    typed = list(entry[1]) if isinstance(entry[1], tuple) else entry[1]
    layers = [
        load(TomlFile(as_toml(f"{knob.name}.{name}", typed), trusted=True)),
        load(git={f"ragit.{knob.name}.{name}": text}),
        load(environ={f"{knob.variable}_{name.upper()}": text}),
        load(flags={f"{knob.name}.{name}": text}),
        load(flags={knob.name: {name: typed}}),
    ]
    for loaded in layers:
        assert value_of(loaded.config, knob) == (entry,)
        assert loaded.origins[knob.name] != "default"


def test_layers_override_in_order() -> None:
    file = TomlFile(b"[retrieval]\ntopK = 1\n")
    git = {"ragit.retrieval.topk": "2"}
    environ = {"RAGIT_RETRIEVAL_TOP_K": "3"}
    flags = {"retrieval.topK": 4}
    answers = [
        load(file),
        load(file, git),
        load(file, git, environ),
        load(file, git, environ, flags),
    ]
    assert [loaded.config.retrieval.top_k for loaded in answers] == [1, 2, 3, 4]
    names = [loaded.origins["retrieval.topK"] for loaded in answers]
    assert names == [".ragit.toml:2", "git config", "RAGIT_RETRIEVAL_TOP_K", "command line"]


def test_tables_are_merged_entry_by_entry_and_lists_replaced() -> None:
    text = '[chunking.nodeTypes]\npython = ["a", "b"]\ngo = ["c"]\n[index]\nexclude = ["x", "y"]\n'
    git = {"ragit.chunking.nodeTypes.python": "d", "ragit.index.exclude": "z"}
    loaded = load(TomlFile(text.encode(), trusted=True), git)
    assert loaded.config.chunking.node_types == (("go", ("c",)), ("python", ("d",)))
    assert loaded.config.index.exclude == ("z",)
    assert loaded.origins["chunking.nodeTypes"] == ".ragit.toml:1, git config"


CHUNKERS = """# two ways to write it
[[chunkers]]
module = "tools/my_chunker.py"
extensions = [".xyz", "ABC"]

[[chunkers]]
module = "package.module:Name"
extensions = [".d.ts"]
"""


def test_chunkers_are_a_list_of_tables() -> None:
    mine, theirs = "tools/my_chunker.py", "package.module:Name"
    entries = ((".abc", mine), (".d.ts", theirs), (".xyz", mine))
    tables = (
        f"{{module = '{mine}', extensions = ['abc', 'xyz']}}",
        f"{{module = '{theirs}', extensions = ['.d.ts']}}",
    )
    inline = f"chunkers = [{', '.join(tables)}]"
    for text in (CHUNKERS, inline):
        loaded = toml(text, trusted=True)
        assert loaded.config.chunkers == entries
        shown = next(row for row in describe(loaded) if row.name == "chunkers")
        assert shown.value == [
            {"module": mine, "extensions": [".abc", ".xyz"]},
            {"module": theirs, "extensions": [".d.ts"]},
        ]
    assert loaded.origins["chunkers"] == ".ragit.toml:1"
    assert load(flags={"chunkers": shown.value}).config.chunkers == entries


def test_chunker_of_one_extension_is_overridden_alone() -> None:
    """Another layer replaces or disables it, and keeps the others."""
    file = TomlFile(CHUNKERS.encode(), trusted=True)
    loaded = load(file, {"ragit.chunkers.xyz": "installed-one"}, {"RAGIT_CHUNKERS_ABC": ""})
    assert dict(loaded.config.chunkers) == {
        ".abc": "",
        ".d.ts": "package.module:Name",
        ".xyz": "installed-one",
    }
    assert loaded.origins["chunkers"] == ".ragit.toml:2, git config, RAGIT_CHUNKERS_ABC"


def test_chunkers_of_an_untrusted_file_are_ignored() -> None:
    loaded = toml(CHUNKERS)
    assert loaded.config.chunkers == ()
    assert loaded.warning == "ignored until `ragit trust`: chunkers (.ragit.toml)"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            CHUNKERS.replace(".d.ts", ".xyz"),
            ".ragit.toml:6: table 2 of the list: chunkers takes each extension once",
        ),
        (
            CHUNKERS.replace("extensions = [", "extension = [", 1),
            ".ragit.toml:2: table 1 of the list: chunkers takes a",
        ),
        (
            CHUNKERS.replace("tools/", "../tools/"),
            ".ragit.toml:2: table 1 of the list: chunkers takes a list of",
        ),
        (
            CHUNKERS.replace("tools/", "/tools/"),
            ".ragit.toml:2: table 1 of the list: chunkers takes a list of",
        ),
        (
            CHUNKERS.replace("tools/", "tools/../../"),
            ".ragit.toml:2: table 1 of the list: chunkers takes a list of",
        ),
        (
            CHUNKERS.replace("tools/", "~/"),
            ".ragit.toml:2: table 1 of the list: chunkers takes a list of",
        ),
        (
            CHUNKERS.replace("e.module:N", "e module:N"),
            ".ragit.toml:6: table 2 of the list: chunkers takes a list of",
        ),
        (
            CHUNKERS.replace('[".d.ts"]', "[]") + "extra = 1",
            ".ragit.toml:6: table 2 of the list: chunkers takes a list",
        ),
        (
            CHUNKERS.replace('[".d.ts"]', '"d.ts"'),
            ".ragit.toml:6: table 2 of the list: chunkers takes a list of",
        ),
        (
            CHUNKERS.replace(".d.ts", "a/b"),
            ".ragit.toml:6: table 2 of the list: chunkers takes each extension once",
        ),
        ("\nchunkers = 1", ".ragit.toml:2: chunkers takes a list of tables, each with a module"),
        (
            "[chunkers]\nmodule = 'a'\nextensions = ['b']",
            ".ragit.toml:1: chunkers takes a list of tables, each with a",
        ),
    ],
)
def test_invalid_chunker_is_reported_with_its_line(text: str, place: str) -> None:
    assert refused(text).message.startswith(place)
    assert "docs/chunkers.md" in refused(text).hint


@pytest.mark.parametrize(
    ("module", "taken"),
    [
        *(
            (name, True)
            for name in (
                "a.py",
                "a b/c-d.py",
                "tools/x.py:Name",
                "x.py:A.b",
                "pkg:Name",
                "p.m:N.f",
                "name-of",
            )
        ),
        *(
            (name, False)
            for name in (
                "a/./b.py",
                "..py/../a.py",
                "C:/a.py",
                "a\\b.py",
                "a.py:",
                "p.m:",
                ":N",
                "a b",
            )
        ),
        *(
            (name, False)
            for name in ("a/b", "a.py\0", "a\n.py", "-x", "https://host/a.py", "a.py:1x")
        ),
    ],
)
def test_chunker_names_are_validated(module: str, taken: bool) -> None:
    try:
        assert load(flags={"chunkers.xyz": module}).config.chunkers == ((".xyz", module),)
    except ConfigError:
        assert not taken
    else:
        assert taken


def test_chunker_path_may_begin_with_a_dot() -> None:
    text = '[[chunkers]]\nmodule = "./tools/x.py"\nextensions = [".xyz"]\n'
    assert toml(text, trusted=True).config.chunkers == ((".xyz", "tools/x.py"),)
    given = load(flags={"chunkers.xyz": "./tools/x.py"}).config
    assert given.chunkers == ((".xyz", "tools/x.py"),)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ('{ module = "./tools/x.py" }', "extensions is missing"),
        ('{ extensions = [".x"] }', "module is missing"),
        ('{ module = "./x.js", extensions = [".x"] }', "a chunker is written in Python"),
    ],
)
def test_invalid_chunker_table_is_refused_with_the_reason(table: str, why: str) -> None:
    assert why in refused(f"chunkers = [{table}]").message


def test_flag_of_none_changes_nothing() -> None:
    loaded = load(git={"ragit.retrieval.topk": "7"}, flags={"retrieval.topK": None})
    assert (loaded.config.retrieval.top_k, loaded.origins["retrieval.topK"]) == (7, "git config")


def test_freshness_has_a_short_form() -> None:
    assert toml('freshness = "warn"').config.freshness.policy == "warn"
    assert toml('[freshness]\npolicy = "warn"').config.freshness.policy == "warn"
    assert load(git={"ragit.freshness": "refuse"}).config.freshness.policy == "refuse"
    assert load(environ={"RAGIT_FRESHNESS": "refuse"}).config.freshness.policy == "refuse"
    assert load(flags={"freshness": "refuse"}).config.freshness.policy == "refuse"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("yes", True),
        ("on", True),
        ("1", True),
        ("no", False),
        ("", False),
        ("OFF", False),
    ],
)
def test_git_spellings_of_booleans(text: str, value: bool) -> None:
    assert (
        load(
            git={"ragit.retrieval.hybridSearch.enabled": text}
        ).config.retrieval.hybrid_search.enabled
        is value
    )


def test_git_unit_suffixes_are_accepted() -> None:
    assert load(git={"ragit.index.maxfilebytes": "2m"}).config.index.max_file_bytes == 2 << 20


def test_integer_is_accepted_for_a_number() -> None:
    score = toml("[retrieval]\nminScore = 1").config.retrieval.min_score
    assert (score, type(score)) == (1.0, float)


def test_retrieval_query_prefix_overrides_the_embedding_one() -> None:
    text = '[embedding]\nqueryPrefix = "a: "\n'
    assert toml(text, trusted=True).config.query_prefix == "a: "
    more = '[retrieval]\nqueryPrefix = "b: "'
    assert toml(text + more, trusted=True).config.query_prefix == "b: "


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            '[chunking]\nchunkers = ["x"]',
            ".ragit.toml:2: unknown setting chunking.chunkers",
            "Did you mean chunkers?",
        ),
        ("topK = 4", ".ragit.toml:1: unknown setting topK", "Did you mean retrieval.topK?"),
        (
            "\n[retrieval]\ntopk = 4",
            ".ragit.toml:3: unknown setting retrieval.topk",
            "Did you mean retrieval.topK?",
        ),
        (
            "[retreival]\ntopK = 4",
            ".ragit.toml:1: unknown setting retreival",
            "Did you mean retrieval?",
        ),
        ("[zebra]", ".ragit.toml:1: unknown setting zebra", "`ragit config` lists every setting."),
        (
            '[retrieval]\ntopK = "4"',
            '.ragit.toml:2: retrieval.topK takes an integer from 1 to 10000, not "4"',
            "Most hits",
        ),
        (
            "[retrieval]\ntopK = 0",
            ".ragit.toml:2: retrieval.topK takes an integer from 1 to 10000, not 0",
            "Most hits",
        ),
        (
            "[retrieval]\ntopK = true",
            ".ragit.toml:2: retrieval.topK takes an integer from 1 to 10000, not true",
            "Most",
        ),
        (
            "[retrieval]\nminScore = nan",
            ".ragit.toml:2: retrieval.minScore takes a number from 0 to 100, not NaN",
            "Hits",
        ),
        (
            'freshness = "sometimes"',
            '.ragit.toml:1: freshness.policy takes one of "refresh", "warn", "refuse", not "sometimes"',
            "refresh:",
        ),
        (
            "retrieval = 3",
            ".ragit.toml:1: retrieval is a table",
            "Write its settings under [retrieval].",
        ),
        (
            "[index]\ninclude = 'a'",
            '.ragit.toml:2: index.include takes a list of strings, not "a"',
            "Only paths",
        ),
        (
            "[chunking]\nnodeTypes = 1",
            ".ragit.toml:2: chunking.nodeTypes takes a table of languages, each with a list of node types, not 1",
            "Per language",
        ),
        (
            "[retrieval]\ntopK 4",
            ".ragit.toml:2: expected '=' after a key in a key/value pair",
            "Each line is",
        ),
        (
            "[retrieval\n",
            ".ragit.toml:1: expected ']' at the end of a table declaration",
            "Each line is",
        ),
        ("a = 1\na = 2", ".ragit.toml:2: cannot overwrite a value", "Each line is"),
        ('a = "', ".ragit.toml:1: unterminated string", "Each line is"),
        (b"ok = 1\n\xff = 2", ".ragit.toml:2: not UTF-8 text", "Save the file as UTF-8."),
    ],
)
def test_invalid_setting_is_reported_with_its_line(
    text: str | bytes, message: str, hint: str
) -> None:
    error = refused(text)
    assert error.message == message
    assert error.hint.startswith(hint)


def test_deep_nesting_and_long_numbers_are_config_errors() -> None:
    assert "nested too deeply" in refused("a = " + "[" * 100_000).message
    assert refused("[retrieval]\ntopK = " + "9" * 10_000).message.startswith(".ragit.toml:")


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        (
            {"git": {"ragit.retrieval.topx": "4"}},
            "git config: unknown setting ragit.retrieval.topx",
        ),
        (
            {"git": {"ragit.retrieval.topk": "many"}},
            'git config ragit.retrieval.topk: retrieval.topK takes an integer from 1 to 10000, not "many"',
        ),
        (
            {"environ": {"RAGIT_RETRIEVAL_TOPK": "4"}},
            "environment: unknown setting RAGIT_RETRIEVAL_TOPK",
        ),
        (
            {"environ": {"RAGIT_RETREIVAL_TOP_K": "4"}},
            "environment: unknown setting RAGIT_RETREIVAL_TOP_K",
        ),
        (
            {"environ": {"RAGIT_RETRIEVAL_SIGNALS": "4"}},
            "RAGIT_RETRIEVAL_SIGNALS: retrieval.signals takes a table of names",
        ),
        ({"flags": {"retrieval.topX": 4}}, "command line: unknown setting retrieval.topX"),
        ({"flags": {"retrieval.topK.x": 4}}, "command line: unknown setting retrieval.topK.x"),
        (
            {"flags": {"retrieval.topK": 0}},
            "command line: retrieval.topK takes an integer from 1 to 10000, not 0",
        ),
        (
            {"flags": {"retrieval.signals.x": "y"}},
            "command line: retrieval.signals.x: retrieval.signals takes a table",
        ),
    ],
)
def test_invalid_setting_of_other_layers_is_reported_with_its_origin(
    layers: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(**layers)
    assert caught.value.message.startswith(message)
    assert caught.value.hint


def test_unrelated_git_and_environment_names_are_ignored() -> None:
    assert load(git={"user.name": "x"}, environ={"RAGIT_BIN": "/bin/ragit", "PATH": "x"}) == load()


def test_signal_names_are_validated() -> None:
    known = {"symbolDefinition", "path"}
    for name in ("symbolDefinition", "symboldefinition", "symbol_definition"):
        loaded = load(flags={f"retrieval.signals.{name}": 2}, signal_names=lambda: known)
        assert loaded.config.retrieval.signals == (("symbolDefinition", 2.0),)
    with pytest.raises(ConfigError) as caught:
        load(TomlFile(b"[retrieval.signals]\nsymbolDefinitoin = 1"), signal_names=lambda: known)
    assert (
        caught.value.message == ".ragit.toml:1: unknown setting retrieval.signals.symbolDefinitoin"
    )
    assert caught.value.hint.startswith("Did you mean retrieval.signals.symbolDefinition?")


def test_language_names_are_validated() -> None:
    with pytest.raises(ConfigError, match="unknown setting chunking.nodeTypes.pyhton"):
        load(git={"ragit.chunking.nodeTypes.pyhton": "x"}, languages=lambda: {"python"})
    with pytest.raises(ConfigError, match=r"chunking.parsers: unknown language pyhton"):
        load(git={"ragit.chunking.parsers.x": "pyhton"}, languages=lambda: {"python"})
    assert load(
        git={"ragit.chunking.parsers.x": "text"}, languages=lambda: {"python"}
    ).config.chunking.parsers
    assert load(
        git={"ragit.chunking.parsers.x": "python"}, languages=lambda: {"python"}
    ).config.chunking.parsers == ((".x", "python"),)


def test_control_characters_in_errors_are_escaped() -> None:
    assert "\x1b" not in refused('"\\u001b[2J" = 1').message
    assert "\x1b" not in refused('[freshness]\npolicy = "\\u001b[2J"').message


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("a",), 1),
        (("b", "c"), 3),
        (("b", "d e"), 4),
        (("b", "f", "g"), 5),
        (("b", "k"), 6),
        (("b", "real"), 9),
        (("b", "inline", "x"), 10),
        (("h", "i"), 12),
        (("nowhere",), 1),
    ],
)
def test_line_of_finds_the_line_of_a_key(path: tuple[str, ...], line: int) -> None:
    text = 'a = 1\n[b]\nc = 2\n"d e" = 3\nf.g = 4\nk = """\nreal = 1\n"""\nreal = 2\ninline = { x = 1 }\n'
    text += "[ h ] # c\n'i' = 5\n"
    assert line_of(text, path) == line


@given(st.text(max_size=200))
def test_any_text_loads_or_raises_config_error(text: str) -> None:
    try:
        toml(text)
    except ConfigError as error:
        assert error.message.startswith(".ragit.toml")
        assert error.hint


@given(st.sampled_from(SCALARS + TABLES), st.text(max_size=20))
def test_any_value_is_within_bounds_or_refused(knob: Knob, text: str) -> None:
    key = f"{knob.name}.{ENTRIES[knob.name][0]}" if knob.table else knob.name
    try:
        value = value_of(load(flags={key: text}).config, knob)
    except ConfigError as error:
        assert expected(knob) in error.message
    else:
        assert not knob.choices or value in knob.choices
        if knob.kind in {"int", "float"}:
            assert knob.low is not None and knob.high is not None
            assert knob.low <= value <= knob.high


# Settings of untrusted files
# ------------------------------------------------------------------------

HOSTILE = (
    '[embedding]\nprovider = "openai"\nbaseUrl = "http://evil.example/v1"\n[retrieval]\ntopK = 3\n'
)


def test_sensitive_settings_of_an_untrusted_file_have_no_effect() -> None:
    loaded = toml(HOSTILE)
    assert loaded.config.embedding == Config().embedding
    assert loaded.config.retrieval.top_k == 3
    assert loaded.ignored == {
        "embedding.provider": ".ragit.toml:2",
        "embedding.baseUrl": ".ragit.toml:3",
    }
    assert (
        loaded.warning
        == "ignored until `ragit trust`: embedding.provider, embedding.baseUrl (.ragit.toml)"
    )
    rows = {row.name: row for row in describe(loaded)}
    assert rows["embedding.provider"].value == "static"
    assert rows["embedding.provider"].origin == "default; .ragit.toml:2 ignored until `ragit trust`"


def test_untrusted_file_cannot_raise_document_limits() -> None:
    bounds = (
        "maxUnpackedBytes = 4294967296",
        "maxSeconds = 86400",
        "maxMemoryBytes = 1099511627776",
    )
    loaded = toml("\n".join(("[documents]", *bounds)), trusted=False)
    assert loaded.config.documents == Config().documents
    assert list(loaded.ignored) == [
        "documents.maxUnpackedBytes",
        "documents.maxSeconds",
        "documents.maxMemoryBytes",
    ]


def test_sensitive_settings_of_a_trusted_file_take_effect() -> None:
    loaded = toml(HOSTILE, trusted=True)
    assert loaded.config.embedding.base_url == "http://evil.example/v1"
    assert not loaded.ignored


def test_untrusted_file_cannot_override_the_provider_of_the_user() -> None:
    loaded = load(
        TomlFile(HOSTILE.encode()),
        {"ragit.embedding.provider": "openai", "ragit.embedding.baseurl": "https://mine/v1"},
    )
    assert (loaded.config.embedding.provider, loaded.config.embedding.base_url) == (
        "openai",
        "https://mine/v1",
    )


def test_model_names_with_dots_have_prices() -> None:
    loaded = load(
        TomlFile(b'[pricing]\n"gpt-4.1-mini" = [0.4, 1.6]\n', trusted=True),
        flags={"pricing.qwen2.5:3B": "0"},
    )
    assert loaded.config.pricing == (("gpt-4.1-mini", (0.4, 1.6)), ("qwen2.5:3b", (0.0,)))
    assert "one price or two" in refused("[pricing]\nx = [1, 2, 3]").message
    assert "one price or two" in refused('[pricing]\nx = "cheap"').message


UNTRUSTED = {
    "index.maxFileBytes": "at most 1048576",
    "index.include": "at most 100",
    "index.exclude": "at most 100",
    "index.minChunkBytes": "yes",
    "index.maxChunkLines": "at least 100",
    "index.maxChunkBytes": "at least 8000",
    "chunking.parsers": "yes",
    "chunking.chunkerSeconds": "at most 10",
    "documents.enabled": "yes",
    "documents.maxFileBytes": "at most 33554432",
    "documents.minChunkBytes": "at least 300",
    "documents.maxChunkBytes": "at least 4000",
    "documents.maxPages": "at most 2000",
    "documents.maxTextBytes": "at most 8388608",
    "documents.maxUnpackedBytes": "at most 268435456",
    "documents.maxSeconds": "at most 120",
    "documents.maxMemoryBytes": "at most 1073741824",
    "imageDescription.maxImageBytes": "at most 10485760",
    "imageDescription.maxPixels": "at most 50000000",
    "retrieval.topK": "at most 50",
    "retrieval.minScore": "yes",
    "retrieval.leastShare": "yes",
    "retrieval.hybridSearch.enabled": "yes",
    "retrieval.hybridSearch.keywordWeight": "yes",
    "retrieval.hybridSearch.keywordScoring": "yes",
    "retrieval.contextOptimization.enabled": "yes",
    "retrieval.contextOptimization.mergeAdjacent": "yes",
    "retrieval.contextOptimization.adjacentGapThreshold": "at most 20",
    "retrieval.contextOptimization.similarityThreshold": "yes",
    "retrieval.contextOptimization.maxPerFile": "yes",
    "retrieval.reranking.weight": "yes",
    "retrieval.reranking.minScore": "yes",
    "retrieval.signals": "yes",
    "freshness.policy": "yes",
}
"""Settings that an untrusted file may set, with their bounds. All others need trust."""


def test_settings_allowed_to_untrusted_files_are_listed() -> None:
    rules = {knob.name: knob.untrusted.words for knob in KNOBS.values()}
    assert {name: rule for name, rule in rules.items() if rule != "no"} == UNTRUSTED


def test_defaults_are_within_the_bounds_of_untrusted_files() -> None:
    for knob in KNOBS.values():
        assert not knob.untrusted.allowed or knob.may_be_set_untrusted(knob.default), knob.name


def test_untrusted_file_stays_within_its_bounds() -> None:
    for name, knob in KNOBS.items():
        if not knob.table:
            assert_bounded(name, knob)


def assert_bounded(name: str, knob: Knob) -> None:
    extremes: dict[str, list[object]] = {
        "bool": [True, False],
        "str": ["x" * 100_000, "http://evil.example/v1", *knob.choices],
        "Globs": [["**/a*b*c*"] * 101],
    }
    section, _, key = name.rpartition(".")
    for value in extremes.get(knob.kind, [knob.low, knob.high]):
        text = f"[{section}]\n{key} = {json.dumps(value)}\n"
        with suppress(ConfigError):
            found = value_of(toml(text).config, knob)
            assert found == knob.default or knob.may_be_set_untrusted(found)
            if knob.untrusted.high is not None:
                assert (len(found) if isinstance(found, tuple) else found) <= knob.untrusted.high
            if knob.untrusted.low is not None:
                assert found >= knob.untrusted.low
            assert not (UNTRUSTED.get(name) is None and found != knob.default)


NEEDING_TRUST = sorted(name for name, knob in KNOBS.items() if not knob.untrusted.allowed)


def texts_for(name: str, knob: Knob) -> Iterator[str]:
    """Yield settings files with values for a setting, some of them invalid."""
    if knob.kind == "Chunkers":
        yield CHUNKERS
        return
    tables = {
        "NodeTypes": 'python = ["function_definition"]',
        "Headers": 'x-team = "search"',
        "Prices": "some-model = 1",
    }
    if knob.table:
        yield f"[{name}]\n{tables[knob.kind]}\n"
        return
    section, _, key = name.rpartition(".")
    words = ["http://evil.example/v1", "EVIL_KEY", "evil {query}", *knob.choices]
    for value in [True, False, knob.low, knob.high, 7, *words, ["**/evil"]]:
        yield f"[{section}]\n{key} = {json.dumps(value)}\n"


@pytest.mark.parametrize("name", NEEDING_TRUST)
def test_setting_that_needs_trust_has_no_effect_without(name: str) -> None:
    tried = 0
    for text in texts_for(name, KNOBS[name]):
        try:
            trusted = toml(text, trusted=True)
        except ConfigError:
            continue
        if trusted.config == Config():
            continue  # the default value
        tried += 1
        loaded = toml(text)
        assert loaded.config == Config()
        assert list(loaded.ignored) == [name]
    assert tried, "no value was tried"


def test_costly_value_of_an_untrusted_file_is_ignored() -> None:
    text = (
        '[embedding]\ndocumentPrefix = "xxxx"\nbatchSize = 1\n'
        "[index]\nmaxChunkBytes = 64\nmaxFileBytes = 1073741824\nworkers = 256\n"
    )
    loaded = toml(text)
    assert loaded.config == Config()
    assert list(loaded.ignored) == [
        "embedding.documentPrefix",
        "embedding.batchSize",
        "index.maxChunkBytes",
        "index.maxFileBytes",
        "index.workers",
    ]
    assert toml(text, trusted=True).config.index.max_chunk_bytes == 64


def test_cheaper_value_of_an_untrusted_file_takes_effect() -> None:
    text = "[index]\nmaxFileBytes = 1000\nmaxChunkBytes = 9000\n[retrieval]\ntopK = 20\n"
    loaded = toml(text)
    assert (loaded.config.index.max_file_bytes, loaded.config.index.max_chunk_bytes) == (1000, 9000)
    assert (loaded.config.retrieval.top_k, loaded.ignored) == (20, {})


def test_headers_and_passwords_are_masked() -> None:
    flags = {
        "embedding.headers": {"X-Team": "search-42", "x-key": "$MY_KEY"},
        "embedding.proxy": "http://me:secret@proxy:3128",
    }
    loaded = load(flags=flags)
    assert loaded.config.embedding.headers == (("x-key", "$MY_KEY"), ("x-team", "search-42"))
    rows = {row.name: row.value for row in describe(loaded)}
    assert rows["embedding.headers"] == {"x-key": "$MY_KEY", "x-team": "***"}
    assert rows["embedding.proxy"] == "http://***@proxy:3128"
    assert "a line of text" in refused('[embedding]\nheaders = { x = "a\\nb" }').message


def test_api_key_as_a_variable_name_is_not_repeated() -> None:
    error = refused('[embedding]\napiKeyEnv = "sk-123-secret"')
    assert error.message == (
        ".ragit.toml:2: embedding.apiKeyEnv takes the name of an environment variable (never the key itself)"
    )
    assert "secret" not in error.hint


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://host/v1", "https://host/v1"),
        ("https://me:pw@host:8/v1", "https://***@host:8/v1"),
        ("https://host/v1?key=abc&x=y", "https://host/v1?key=***&x=***"),
        ("https://me:p@w@host", "https://***@host"),
    ],
)
def test_secrets_in_a_url_are_masked(url: str, shown: str) -> None:
    rows = {row.name: row.value for row in describe(load(git={"ragit.embedding.baseurl": url}))}
    assert rows["embedding.baseUrl"] == shown


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return trust.record_path({"XDG_CONFIG_HOME": str(tmp_path / "settings")})


def test_trust_applies_to_one_content_in_one_repository(record: Path, tmp_path: Path) -> None:
    here, there = tmp_path / "a" / ".git", tmp_path / "b" / ".git"
    assert not trust.is_trusted(record, here, b"x = 1")
    trust.trust(record, here, b"x = 1")
    assert trust.is_trusted(record, here, b"x = 1")
    assert not trust.is_trusted(record, here, b"x = 2")
    assert not trust.is_trusted(record, there, b"x = 1")


def test_trust_of_another_version_keeps_the_first(record: Path, tmp_path: Path) -> None:
    trust.trust(record, tmp_path, b"1")
    trust.trust(record, tmp_path, b"2")
    assert trust.is_trusted(record, tmp_path, b"1")
    assert trust.distrust(record, tmp_path)
    assert not trust.is_trusted(record, tmp_path, b"1")
    assert not trust.is_trusted(record, tmp_path, b"2")
    assert not trust.distrust(record, tmp_path)


def test_trust_resolves_links_to_a_repository(record: Path, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    trust.trust(record, tmp_path / "link", b"x")
    assert trust.is_trusted(record, real, b"x")


def test_trust_record_is_readable_by_the_user_only(record: Path, tmp_path: Path) -> None:
    trust.trust(record, tmp_path, b"x")
    assert record.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in record.parent.iterdir()] == ["trusted.json"]


def test_trust_record_in_the_worktree_is_refused(repo: GitSandbox) -> None:
    record = trust.record_path({"XDG_CONFIG_HOME": str(repo.path / ".config")})
    trust.trust(record, repo.path / ".git", b"x")  # as an attacker would write it
    assert not trust.is_trusted(record, repo.path / ".git", b"x", worktree=repo.path)
    with pytest.raises(ConfigError) as caught:
        trust.trust(record, repo.path / ".git", b"x", worktree=repo.path)
    assert "XDG_CONFIG_HOME" in caught.value.hint


def test_path_of_the_trust_record() -> None:
    assert trust.record_path({"XDG_CONFIG_HOME": "/x", "HOME": "/h"}) == Path(
        "/x/ragit/trusted.json"
    )
    assert trust.record_path({"XDG_CONFIG_HOME": "relative", "HOME": "/h"}) == Path(
        "/h/.config/ragit/trusted.json"
    )
    assert trust.record_path({"HOME": "/h"}) == Path("/h/.config/ragit/trusted.json")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"version": 1, "trusted": []}', b"\xff", b"[" * 100_000]
)
def test_damaged_trust_record_is_an_error(record: Path, tmp_path: Path, content: bytes) -> None:
    record.parent.mkdir(parents=True)
    record.write_bytes(content)
    with pytest.raises(ConfigError, match="is damaged"):
        trust.is_trusted(record, tmp_path, b"x")


def test_trust_record_of_another_version_is_unchanged(record: Path, tmp_path: Path) -> None:
    record.parent.mkdir(parents=True)
    record.write_text('{"version": 2, "trusted": {}}')
    with pytest.raises(ConfigError, match="another version"):
        trust.trust(record, tmp_path, b"x")
    assert record.read_text() == '{"version": 2, "trusted": {}}'
    assert not record.with_name("trusted.json.lock").exists()


def test_unwritable_trust_record_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot use") as caught:
        trust.trust(tmp_path / "file" / "trusted.json", tmp_path, b"x")
    assert caught.value.hint


def test_stale_lock_of_the_trust_record_is_named(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "_LOCK_SECONDS", 0.0)
    record.parent.mkdir(parents=True)
    record.with_name("trusted.json.lock").touch()
    with pytest.raises(ConfigError, match=r"trusted\.json\.lock"):
        trust.trust(record, tmp_path, b"x")
    assert record.with_name("trusted.json.lock").exists()


TRUST = """
import sys; from pathlib import Path; from ragit.repository import trust
trust.trust(Path(sys.argv[1]), Path(f"/repository/{sys.argv[2]}"), b"x")
"""


def test_concurrent_trusts_are_all_recorded(record: Path) -> None:
    command = [sys.executable, "-c", TRUST, str(record)]
    workers = [subprocess.Popen([*command, str(number)]) for number in range(4)]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    assert all(trust.is_trusted(record, Path(f"/repository/{number}"), b"x") for number in range(4))


# The file
# ----------------------------------------------------------------------------------------------------------


def test_settings_file_behind_a_link_is_refused(repo: GitSandbox, tmp_path: Path) -> None:
    secret = tmp_path / "credentials"
    secret.write_text("aws_secret = 'x'\n")
    (repo.path / ".ragit.toml").symlink_to(secret)
    with pytest.raises(ConfigError, match="is a link, which is not followed") as caught:
        ragit.open(repo.path)
    assert "aws_secret" not in str(caught.value) + caught.value.hint
    with pytest.raises(ConfigError, match="link"):
        read_file(repo.path / ".ragit.toml", follow_links=False)
    assert read_file(repo.path / ".ragit.toml") == secret.read_bytes()
    (repo.path / ".ragit.toml").unlink()
    (repo.path / ".ragit.toml").symlink_to(tmp_path / "nothing")
    with pytest.raises(ConfigError, match="is a link"):
        ragit.open(repo.path)


def test_read_file_accepts_a_bom_and_carriage_returns(tmp_path: Path) -> None:
    path = tmp_path / ".ragit.toml"
    assert read_file(path) is None
    path.write_bytes(b"\xef\xbb\xbf[retrieval]\r\ntopK = 3\r\n")
    data = read_file(path)
    assert data is not None
    assert load(TomlFile(data)).config.retrieval.top_k == 3


def test_large_or_irregular_file_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(ConfigError, match="larger than"):
        read_file(large)
    with pytest.raises(ConfigError, match="is not a file"):
        read_file(tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ConfigError, match="is not a file"):
        read_file(pipe)  # opening it would block


# Effects on other packages
# -----------------------------------------------------------------------------


def test_config_is_hashable_and_comparable() -> None:
    one, two = (
        toml("[retrieval.signals]\nb = 1\na = 2").config,
        toml("[retrieval.signals]\na = 2\nb = 1").config,
    )
    assert one == two
    assert len({one, two, Config()}) == 2


SELECTING = {
    "index.maxFileBytes",
    "documents.maxFileBytes",
    "index.include",
    "index.exclude",
    "chunking.parsers",
}
CHUNKING = {
    "index.maxFileBytes",
    "index.maxChunkLines",
    "index.minChunkBytes",
    "index.maxChunkBytes",
    "chunking.nodeTypes",
}


def changed(knob: Knob) -> dict[str, object]:
    """Return flags that give a setting another value."""
    if knob.table:
        name, text, _ = ENTRIES[knob.name]
        return {f"{knob.name}.{name}": text}
    return {knob.name: other_value(knob)[1]}


def test_fingerprint_depends_on_its_settings_only() -> None:
    before = Selector(Config()).fingerprint_of("python")
    for knob in KNOBS.values():
        config = load(flags=changed(knob)).config
        selects = selection_fingerprint(config) != selection_fingerprint(Config())
        assert selects == (knob.name in SELECTING), knob.name
        now = Selector(config).fingerprint_of("python")
        assert (now != before) == (knob.name in CHUNKING), knob.name


def test_chunking_settings_change_the_selection_fingerprint() -> None:
    """A resolved tree is cached by the selection's fingerprint, so it must not name other
    chunks.
    """
    flags: dict[str, object] = {"imageDescription.enabled": True}
    before = Selector(load(flags=flags).config)
    for knob in KNOBS.values():
        now = Selector(load(flags={**flags, **changed(knob)}).config)
        if any(now.fingerprint_of(one) != before.fingerprint_of(one) for one in languages()):
            assert now.fingerprint != before.fingerprint, knob.name


def test_node_types_of_one_language_leave_others_unchanged() -> None:
    config = toml('[chunking.nodeTypes]\npython = ["a"]').config
    assert Selector(config).fingerprint_of("go") == Selector(Config()).fingerprint_of("go")


def test_path_of_the_store(tmp_path: Path) -> None:
    assert Config().store_file(tmp_path) == tmp_path / "ragit" / "index.db"
    assert (
        load(flags={"index.storePath": "x/y.db"}).config.store_file(tmp_path)
        == tmp_path / "x" / "y.db"
    )
    assert load(flags={"index.storePath": "/z.db"}).config.store_file(tmp_path) == Path("/z.db")


def test_rows_list_every_setting_once_with_help() -> None:
    rows = describe(load())
    assert [row.name for row in rows] == list(KNOBS)
    assert all(row.help.endswith(".") and row.origin == "default" for row in rows)
    assert len({knob.variable for knob in KNOBS.values()}) == len(KNOBS)
    json.dumps([row.value for row in rows])


def table() -> str:
    rows = ["| setting | default | takes | meaning | untrusted |", "|---|---|---|---|---|"]
    for knob in KNOBS.values():
        default = f"`{json.dumps(knob.default)}`" if not isinstance(knob.default, tuple) else "none"
        rule = knob.untrusted.words
        rows.append(f"| `{knob.name}` | {default} | {expected(knob)} | {knob.help} | {rule} |")
    return "\n".join(rows)


def documented() -> tuple[str, str, str]:
    head, mark, rest = DOCS.read_text().partition("a test compares -->\n")
    old, end, tail = rest.partition("<!-- end -->")
    return head + mark, old.strip(), end + tail


def test_documented_settings_are_current() -> None:
    assert documented()[1] == table(), "run: python tests/test_config.py"


def test_documented_example_is_valid() -> None:
    example = DOCS.read_text().partition("```toml\n")[2].partition("```")[0]
    config = toml(example).config
    assert config.retrieval.top_k == 20
    assert config.chunking.parsers == ((".cu", "cpp"),)


if __name__ == "__main__":
    before, _, after = documented()
    DOCS.write_text(f"{before}{table()}\n{after}")
