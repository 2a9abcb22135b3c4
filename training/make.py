"""From the list of packages to the model file, in one command: `python training/make.py --work build/training`.

Needs network access to the package registries for the first step; every step is skipped whose result is there already.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import fetch  # noqa: E402
import pairs  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=HERE.parent / "build" / "training")
    work: Path = parser.parse_args().work
    work.mkdir(parents=True, exist_ok=True)
    sources = fetch.fetch(HERE / "packages.toml", work)
    records = work / "records.jsonl.gz"
    if not records.exists():
        print(pairs.extract(sources, records), "records")


if __name__ == "__main__":
    main()
