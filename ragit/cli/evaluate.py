"""The command `ragit eval`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

import ragit
from ragit.cli.numbers import Number, WholeNumber
from ragit.cli.progress import Bar
from ragit.cli.shared import open_index, print_lines, render_options
from ragit.repository import Ragit

if TYPE_CHECKING:
    from ragit.evaluate import GoldenSet

_FILE = click.Path(dir_okay=False, path_type=Path)
_SHARE = Number(0, 1)


@click.command("eval", short_help="Measure how well searching answers, here.")
@click.option(
    "--golden",
    type=_FILE,
    metavar="FILE",
    help="A set of queries and where their answers stand (docs/eval.md).",
)
@click.option(
    "--from-history",
    "history",
    type=WholeNumber(1),
    metavar="N",
    help="Make one of N commits instead.",
)
@click.option(
    "--write", type=_FILE, metavar="FILE", help="Write the set of --from-history, as TOML or JSON."
)
@click.option(
    "--compare",
    nargs=2,
    type=_FILE,
    metavar="A B",
    help="Two files like .ragit.toml, on the same set.",
)
@click.option(
    "--ref", metavar="REV", help="Search this revision; with --from-history, take its commits."
)
@click.option("--min-ndcg", type=_SHARE, help="Fail if NDCG@10 is lower.")
@click.option("--min-mrr", type=_SHARE, help="Fail if the mean reciprocal rank is lower.")
@click.option("--min-recall-1", type=_SHARE, help="Fail if recall among the first hit is lower.")
@click.option("--min-recall-5", type=_SHARE, help="Fail if recall among the first 5 is lower.")
@click.option("--min-recall-10", type=_SHARE, help="Fail if recall among the first 10 is lower.")
@click.option("--max-p50-ms", type=Number(0), help="Fail if half of the answers take longer.")
@click.option("--full", is_flag=True, help="Show every query.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def evaluate(
    ctx: click.Context,
    /,
    golden: Path | None,
    history: int | None,
    write: Path | None,
    compare: tuple[Path, Path] | None,
    ref: str | None,
    full: bool,
    as_json: bool,
    **limits: float | None,
) -> int:
    """Measure how well searching answers, and fail if it is worse than it should be.

    Exit status: 0 good enough, 1 a threshold was not met or an arm of a compared configuration is
    dead, 2 error.

    \b
    Examples:
      ragit eval --golden search.toml --min-ndcg 0.8
      ragit eval --from-history 100 --write history.toml
      ragit eval --golden history.toml --compare old.toml new.toml
    """
    from ragit import evaluate as room
    from ragit.render import judged as show

    if (golden is None) == (history is None):
        raise click.UsageError("give one of --golden and --from-history")
    if write and history is None:
        raise click.UsageError("--write is for the set of --from-history")
    options = render_options({"full": full})
    with open_index(ctx.obj) as index, closing(Bar(as_json, "asking")) as bar:
        asked, notes = _set(index, golden, history, ref, write)
        asked = _demanding(asked, limits)
        if not compare:
            found = room.evaluate(index, asked, ref, notes=notes, progress=bar)
            print_lines((show.evaluation_json if as_json else show.evaluation_text)(found, options))
            return 1 if found.failures else 0
        pair = [room.read_configuration(path) for path in compare]
        both = room.compare(_opener(ctx), asked, pair[0], pair[1], ref, notes=notes, progress=bar)
        print_lines((show.comparison_json if as_json else show.comparison_text)(both, options))
        return 1 if both.failures else 0


def _opener(ctx: click.Context) -> Callable[[Mapping[str, object]], Ragit]:
    """Return a function that opens the repository with other settings, below those of -c."""
    directory, flags = ctx.obj.directory, ctx.obj.flags
    return lambda settings: ragit.open(directory, flags={**settings, **flags})


def _set(
    index: Ragit, golden: Path | None, history: int | None, ref: str | None, write: Path | None
) -> tuple[GoldenSet, list[str]]:
    from ragit import evaluate as room

    if golden is not None:
        return room.read(golden), []
    with closing(Bar(False)) as bar:
        asked, notes = room.from_history(index, history or 0, ref or "HEAD", progress=bar)
    if write:
        room.write(write, asked.questions)
    return asked, notes


def _demanding(asked: GoldenSet, limits: Mapping[str, float | None]) -> GoldenSet:
    given = {name: limit for name, limit in limits.items() if limit is not None}
    return replace(asked, thresholds={**asked.thresholds, **given})
