"""List the chunks of a file, one a line: `python tests/chunk/outlines.py FILE` prints it for a new
sample.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ragit.chunk import chunk, language_of
from ragit.types import Chunk

SAMPLES = Path(__file__).parent / "samples"


def samples() -> list[Path]:
    return sorted(path for path in SAMPLES.iterdir() if path.suffix != ".outline")


def line_of(chunk: Chunk) -> str:
    name = f"{chunk.parent}.{chunk.symbol}" if chunk.parent else chunk.symbol
    return f"{chunk.start_line}-{chunk.end_line} {chunk.kind} {name}".rstrip()


def outline(path: Path) -> str:
    chunking = chunk(path.read_bytes(), language_of(path.name.encode()))
    return "".join(f"{line}\n" for line in (chunking.language, *map(line_of, chunking.chunks)))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        sys.stdout.write(outline(Path(name)))
