"""Make the model file from the list of packages: `python training/make.py [--work DIR] [--model
FILE]`.

The first step needs the package registries. A step whose result is under --work is not repeated.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import export  # noqa: E402
import fetch  # noqa: E402
import numpy as np  # noqa: E402
import pairs  # noqa: E402
import train  # noqa: E402
import words_start  # noqa: E402


def main() -> None:
    """Parse the arguments and run the missing steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=HERE.parent / "build" / "training")
    parser.add_argument(
        "--model", type=Path, default=HERE.parent / "ragit" / "embed" / "weights" / "code-256.bin"
    )
    arguments = parser.parse_args()
    work: Path = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    records = work / "records.jsonl.gz"
    if not records.exists():
        sources = fetch.fetch(HERE / "packages.toml", work)
        partial = work / "records.partial.gz"
        print(pairs.extract(sources, partial), "records", flush=True)
        partial.rename(records)
    lexicon, rows = trained(records, work)
    print(export.export(rows, lexicon, np.zeros(rows.shape[1]), arguments.model))


def trained(records: Path, work: Path) -> tuple[train.Lexicon, np.ndarray]:
    """Return the vocabulary and the blend of all runs."""
    settings = train.RUNS[0]
    kept = train.balance(train.read(records), settings)
    documents, packages, split = train.count(kept)
    lexicon = train.Lexicon(
        words_start.vocabulary(documents, packages, settings.vocabulary), settings
    )
    numbered = train.number(kept, split, lexicon)
    start = words_start.start_rows(lexicon.vocabulary, documents, work, settings.dimensions)
    rows = np.concatenate([start, train.start_groups(start, lexicon)]).astype(np.float32)
    return lexicon, train.blend(
        [train.train(numbered, lexicon, rows.copy(), run) for run in train.RUNS]
    )


if __name__ == "__main__":
    main()
