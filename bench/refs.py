"""Measure searches over several trees: --new-in, --gone-since, --in-refs and --refs.

usage: python bench/refs.py PATH [--old REV] [--tags N] [--repeat N]

PATH is any git repository with tags. It is cloned to a temporary folder and indexed there. Figures
are of whole processes: the median processor time with git's, over the queries of bench.py, each
`--repeat` times; its ratio to a plain search of HEAD, or of one tag; and the peak memory. HEAD is
compared with `--old` (default: the release N / 2 releases back); `--tags` is the number of releases
searched together. The growth of the index at each step is printed, too.

Standard library only. Processor time depends little on other work of the machine; wall time does,
and is not printed.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path

from processes import Run

from bench import QUERIES, Place, searches

DAY = "1 day ago"


def releases(place: Place) -> list[str]:
    """Return the tags that look like releases, in the order of versions, the newest last."""
    tags = place.git("tag", "--sort=version:refname", "--merged", "HEAD").splitlines()
    tags += place.git("tag", "--sort=version:refname", "--no-merged", "HEAD").splitlines()
    ordered = place.git("tag", "--sort=version:refname").splitlines()
    return [tag for tag in ordered if tag in tags and "-" not in tag and tag[-1:].isdigit()]


def cells(what: str, runs: list[Run], base: float | None, note: str = "") -> list[str]:
    """Return one row: median processor time, its ratio to another, peak memory."""
    median = statistics.median(run.processor for run in runs)
    ratio = f"{median / base:.2f}" if base else ""
    peak = max(run.megabytes for run in runs)
    return [what, f"{median * 1000:.0f} ms", ratio, f"{peak:.0f} MB", note]


def measured(place: Place, old: str, tags: list[str], repeat: int) -> list[list[str]]:
    def timed(*args: str) -> list[Run]:
        return searches(place, QUERIES, repeat, *args)

    def middle(runs: list[Run]) -> float:
        return statistics.median(run.processor for run in runs)

    rows = []
    place.index()
    size = place.stored()
    plain = timed()
    base = middle(plain)
    rows.append(cells("search of HEAD", plain, None, f"index of {size:.0f} MB"))
    day = place.git(
        "rev-list", "-1", f"--before={place.git('log', '-1', '--format=%cd')} {DAY}", "HEAD"
    )
    for name, since in (("a day", day), (old, old)):
        place.index(since)
        note = f"the index grew by {place.stored() - size:.0f} MB"
        size = place.stored()
        rows.append(cells(f"--new-in, {name}", timed("--new-in", f"{since}..HEAD"), base, note))
    rows.append(cells(f"--gone-since {old}", timed("--gone-since", old), base))
    first = [place.search(QUERIES[0], "--in-refs", "refs/tags/*")]
    kept = place.store.with_name("index.db.refs").stat().st_size / 1e6
    count = len(place.git("tag").splitlines())
    rows.append(cells(f"--in-refs, {count} tags, first", first, base, f"a map of {kept:.1f} MB"))
    rows.append(cells(f"--in-refs, {count} tags", timed("--in-refs", "refs/tags/*"), base))
    place.index(*tags)
    note = f"the index grew by {place.stored() - size:.0f} MB"
    single = timed("--ref", tags[-1])
    rows.append(cells(f"--ref {tags[-1]}", single, None))
    union = [word for tag in tags for word in ("--refs", tag)]
    place.search(QUERIES[0], *union)
    rows.append(cells(f"--refs, {len(tags)} tags", timed(*union), middle(single), note))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--old", default="")
    parser.add_argument("--tags", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    ragit = shutil.which("ragit")
    if ragit is None:
        parser.error("ragit is not on the PATH")
    with tempfile.TemporaryDirectory() as folder:
        place = Place(options.path.resolve(), Path(folder), ragit)
        tags = releases(place)[-options.tags :]
        if len(tags) < 2:
            parser.error("the repository has no releases")
        old = options.old or tags[len(tags) // 2]
        rows = measured(place, old, tags, options.repeat)
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)))


if __name__ == "__main__":
    main()
