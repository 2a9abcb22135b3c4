"""Tests of the list in docs/providers.md; `python tests/test_providers_page.py` updates it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ragit.remote.presets import PRESETS, Embeddings, Preset

PAGE = Path(__file__).parents[1] / "docs" / "providers.md"
MADE = re.compile(r"(<!-- providers: made by .*? -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def rows() -> Iterator[str]:
    yield "| name | what it is | address | model | key in | query / code |"
    yield "|---|---|---|---|---|---|"
    for preset in PRESETS.values():
        if preset.embeddings:
            yield row(preset, preset.embeddings)


def row(preset: Preset, dialect: Embeddings) -> str:
    cells = (
        f"`{preset.name}`",
        f"[{preset.title}]({preset.page})" + (" **local**" if preset.local else ""),
        f"`{preset.base_url}`"
        if preset.base_url
        else "your own: `https://RESOURCE.openai.azure.com/openai/v1`",
        f"`{dialect.model}`" if dialect.model else "*name it*",
        f"`{preset.key_env}`"
        + (f" (header `{preset.key_header}`)" if preset.key_header != "Authorization" else "")
        if preset.key_env
        else "",
        query_and_document(dialect),
    )
    return f"| {' | '.join(cells)} |"


def query_and_document(dialect: Embeddings) -> str:
    if any(dialect.prefixes):
        return " / ".join(f"`{prefix.strip()}`" for prefix in dialect.prefixes)
    pairs = zip(dialect.query, dialect.document, strict=True)
    return ", ".join(
        f"`{name}`: `{query}` / `{document}`" for (name, query), (_, document) in pairs
    )


def table() -> str:
    return "".join(f"{line}\n" for line in rows())


def test_documented_providers_are_current() -> None:
    found = MADE.search(PAGE.read_text(encoding="utf-8"))
    assert found and found[2] == table()


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(MADE.sub(lambda found: found[1] + table() + found[3], text), encoding="utf-8")
