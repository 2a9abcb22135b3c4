"""Read the texts of the queries in queries/. Loads no grammar: fingerprints need the texts, too."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "queries"

_INHERITS = re.compile(r"; inherits: ([\w,]+)\n")


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
    inherited = _INHERITS.match(text)
    if not inherited:
        return text
    return "".join(_read(folder, name) for name in inherited.group(1).split(",")) + text
