"""Tests of splitting any text into words, for documents, queries and the model."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit import words


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("commitOffset", ("commit", "offset")),
        ("commit_offset", ("commit", "offset")),
        ("CommitOffset2", ("commit", "offset", "2")),
        ("HTTPServer", ("http", "server")),
        ("parseURLFast", ("parse", "url", "fast")),
        ("MAX_VALUE", ("max", "value")),
        ("__init__", ("init",)),
        ("x86_64", ("x", "86", "64")),
        ("utf8Decoder", ("utf", "8", "decoder")),
        ("maxStraßeGröße", ("max", "straße", "größe")),
        ("GRÖSSE", ("grösse",)),
        ("Überschreitung", ("überschreitung",)),
        ("redirección", ("redirección",)),
        ("приветМир", ("привет", "мир")),
        ("𠮷野家", ("𠮷野", "野家")),
        ("данные", ("данные",)),
        ("提交偏移", ("提交", "交偏", "偏移")),
        ("提", ("提",)),
        ("get提交", ("get", "提交")),
        ("x" * 65, ()),
        ("提交" * 40, ("提交", "交提") * 39 + ("提交",)),
        ("提" + "x" * 65, ("提",)),
        ("_", ()),
    ],
)
def test_identifiers_are_split_into_parts(identifier: str, parts: tuple[str, ...]) -> None:
    assert words.parts(identifier) == parts


def test_kebab_case_and_paths_are_split() -> None:
    assert words.words("kebab-case/path.to:name") == ["kebab", "case", "path", "to", "name"]


@pytest.mark.parametrize(
    "group",
    [
        ["commit", "commits", "committed", "committing"],
        ["parse", "parses", "parsed", "parsing"],
        ["index", "indexes", "indexed", "indexing"],
        ["retry", "retries"],
        ["class", "classes"],
        ["file", "files"],
        ["status"],
        ["process", "processes", "processed", "processing"],
    ],
)
def test_forms_of_a_word_share_a_stem(group: list[str]) -> None:
    assert len({words.stem(word) for word in group}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("string", "str"), ("bus", "bu"), ("need", "nee"), ("thing", "th"), ("red", "r")],
)
def test_false_endings_are_kept(one: str, other: str) -> None:
    assert words.stem(one) != words.stem(other)


def test_spellings_of_a_name_share_a_compound() -> None:
    joined = [
        set(words.terms_of(name))
        for name in ("commit_offset", "commitOffset", "CommitOffset", "COMMIT_OFFSET")
    ]
    assert "commitoffset" in set.intersection(*joined)


@given(st.text(max_size=300))
def test_any_text_is_split_into_words(text: str) -> None:
    for word in words.words(text):
        assert word
        assert word == word.lower() or not word.isascii()
    for term in words.terms(text):
        assert term
        assert " " not in term
        assert "\0" not in term


@given(st.text(max_size=100), st.text(max_size=100))
def test_lines_are_split_independently(one: str, other: str) -> None:
    assert words.terms(one + "\n" + other) == words.terms(one) + words.terms(other)


@given(st.from_regex(r"[a-z]{1,20}", fullmatch=True))
def test_stem_is_not_empty_and_at_most_one_letter_longer(word: str) -> None:
    assert 0 < len(words.stem(word)) <= len(word) + 1


@given(st.text(st.characters(max_codepoint=300)))
def test_identifiers_of_latin_text_are_runs_of_word_characters(text: str) -> None:
    assert words.identifiers(text) == re.findall(r"\w+", text)


@given(st.text(st.characters(max_codepoint=127)))
def test_identifiers_of_ascii_are_runs_of_word_characters(text: str) -> None:
    assert words.identifiers(text) == re.findall(r"\w+", text)
