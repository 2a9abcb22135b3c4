"""Read the texts of the queries in queries/. Loads no grammar: fingerprints need the texts, too."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "queries"

_INHERITS = "; inherits: "
"""Begins the first line of a query that goes on where others end, before their names."""


@cache
def query_text(language: str) -> str:
    """Return the text of a language's query of definitions."""
    return _read(FOLDER, language)


@cache
def references_text(language: str) -> str:
    """Return the text of a language's query of references; empty for a language without one."""
    folder = FOLDER / "references"
    return _read(folder, language) if (folder / f"{language}.scm").exists() else ""


def _read(folder: Path, language: str) -> str:
    """Return the text of a query, after the texts of those named in its first line."""
    text = (folder / f"{language}.scm").read_text(encoding="utf-8")
    if not text.startswith(_INHERITS):
        return text
    names = text[len(_INHERITS) : text.index("\n")].split(",")
    return "".join(_read(folder, name) for name in names) + text
