"""Renders answers and reports as lines without line ends. Pure: no file, no terminal.

All text of a repository goes through `visible` or JSON's escapes, so that no file name can control
a terminal. To add a format: one function and a row of FORMATS.
"""

from collections.abc import Callable, Iterator

from ragit.errors import UnknownFormat
from ragit.render.budget import BYTES_PER_TOKEN, fitted, strongest
from ragit.render.screen import PLAIN, RenderOptions, visible
from ragit.render.text import hit_lines, indexing, notes, summary, text
from ragit.types import Answer

TYPE_CHECKING = False

if TYPE_CHECKING:  # exported, and imported on first use: a search shows text
    from ragit.render import changes, contexts, judged, outlines, since, usages
    from ragit.render.agents import (
        agents_json,
        agents_text,
        changes_text,
        snippet_text,
    )
    from ragit.render.machine import (
        dumps,
    )
    from ragit.render.reports import (
        described_json,
        described_text,
        freshness_json,
        freshness_text,
        gc_json,
        gc_text,
        index_json,
        index_text,
        status_json,
        status_text,
    )
    from ragit.render.setup import (
        config_json,
        config_text,
        doctor_json,
        doctor_text,
        embedder_json,
        embedder_text,
        hooks_json,
        hooks_text,
        request_text,
    )
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "agents": [
                "agents_json",
                "agents_text",
                "changes_text",
                "snippet_text",
            ],
            "machine": [
                "dumps",
            ],
            "reports": [
                "described_json",
                "described_text",
                "freshness_json",
                "freshness_text",
                "gc_json",
                "gc_text",
                "index_json",
                "index_text",
                "status_json",
                "status_text",
            ],
            "setup": [
                "config_json",
                "config_text",
                "doctor_json",
                "doctor_text",
                "embedder_json",
                "embedder_text",
                "hooks_json",
                "hooks_text",
                "request_text",
            ],
        },
    )

Format = Callable[[Answer, RenderOptions], Iterator[str]]


def _for_programs(name: str) -> Format:
    """Return a format of the module `machine`, imported on first use."""

    def show(answer: Answer, options: RenderOptions) -> Iterator[str]:
        from ragit.render import machine

        format_: Format = getattr(machine, name)
        return format_(answer, options)

    return show


FORMATS: dict[str, Format] = {
    "text": text,
    **{name: _for_programs(name) for name in ("json", "vimgrep", "markdown", "compact")},
}


LEAST_SHARE = {"markdown": 1.0, "compact": 1.0, "text": 0.2, "vimgrep": 0.2}
"""Formats that leave out hits far weaker than the best, with the factor of `retrieval.leastShare`:
people look at a list from its beginning, agents pay for all of it.
"""


def format_named(name: str) -> Format:
    """Return a format by name. Raises UnknownFormat, with the nearest name."""
    if name in FORMATS:
        return FORMATS[name]
    from difflib import get_close_matches  # only on the way to an error message

    near = get_close_matches(name.lower(), FORMATS, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise UnknownFormat(
        f"unknown format {visible(name)!r}", f"{hint}There are {', '.join(FORMATS)}."
    )
