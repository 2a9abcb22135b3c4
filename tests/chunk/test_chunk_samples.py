"""Tests of one sample per language against its outline, and of each language's query."""

from __future__ import annotations

from pathlib import Path

import pytest
from outlines import outline, samples

from ragit.chunk import ChunkOptions, chunk, language_of
from ragit.chunk.grammars import COMMENTS, grammar
from ragit.chunk.languages import LANGUAGES
from ragit.chunk.query import load
from ragit.chunk.row import Language
from ragit.chunk.sources import FOLDER, query_text

PARSED = [row for row in LANGUAGES.values() if row.grammar]


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.name)
def test_sample_matches_its_outline(path: Path) -> None:
    assert outline(path) == path.with_name(f"{path.name}.outline").read_text(encoding="utf-8")


def test_every_language_has_a_sample() -> None:
    sampled = {language_of(path.name.encode()) for path in samples()}
    assert sampled == {
        row.name for row in LANGUAGES.values() if row.reader not in ("none", "document")
    }


@pytest.mark.parametrize("row", PARSED, ids=lambda row: row.name)
def test_query_compiles_with_its_grammar(row: Language) -> None:
    """A query with an unknown node type or an impossible pattern does not compile."""
    rules = load(row.name, row.grammar, None)
    assert any(pattern.kind for pattern in rules.patterns)


def test_every_query_belongs_to_a_language_or_is_inherited() -> None:
    names = {path.stem for path in FOLDER.glob("*.scm")}
    assert names - {row.name for row in PARSED} == {"ecma"}


def test_each_grammar_has_a_known_comment_node_type() -> None:
    comments = set(COMMENTS)
    without = set()
    for row in PARSED:
        parser = grammar(row.grammar)
        if not comments & {
            parser.node_kind_for_id(number) or "" for number in range(parser.node_kind_count)
        }:
            without.add(row.name)
    assert without == {"markdown"}


FUNCTION_LEVEL = {
    "typescript": "function_declaration method_definition arrow_function interface_declaration type_alias_declaration",
    "javascript": "function_declaration method_definition arrow_function",
    "python": "function_definition decorated_definition",
    "java": "method_declaration interface_declaration enum_declaration",
    "go": "function_declaration method_declaration",
    "c": "function_definition struct_specifier enum_specifier union_specifier type_definition preproc_def",
    "cpp": "function_definition struct_specifier enum_specifier union_specifier",
    "csharp": "method_declaration interface_declaration struct_declaration record_declaration enum_declaration",
    "rust": "function_item struct_item enum_item trait_item impl_item type_item",
    "ruby": "method singleton_method",
    "kotlin": "function_declaration object_declaration property_declaration",
    "swift": "function_declaration protocol_declaration",
    "bash": "function_definition",
    "php": "function_definition method_declaration",
    "powershell": "function_statement",
    "sql": "statement",
    "json": "pair",
    "html": "script_element style_element",
    "css": "rule_set at_rule media_statement keyframes_statement",
    "xml": "element",
    "yaml": "block_mapping_pair block_sequence_item",
    "toml": "table table_array_element pair",
    "ini": "section",
    "dockerfile": "from_instruction run_instruction cmd_instruction copy_instruction onbuild_instruction",
    "markdown": "section",
}


@pytest.mark.parametrize("language", FUNCTION_LEVEL)
def test_function_level_node_types_are_in_the_query(language: str) -> None:
    query = query_text(language)
    assert [name for name in FUNCTION_LEVEL[language].split() if f"({name}" not in query] == []


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.name)
def test_grouping_loses_no_symbol(path: Path) -> None:
    data, language = path.read_bytes(), language_of(path.name.encode())
    apart = chunk(data, language, ChunkOptions(item_bytes=0)).chunks
    grouped = chunk(data, language).chunks
    assert len(grouped) <= len(apart)
    assert _symbols(apart) == _symbols(grouped)


def _symbols(chunks: object) -> set[str]:
    return {word for each in chunks for word in each.symbol.split()}  # type: ignore[attr-defined]
