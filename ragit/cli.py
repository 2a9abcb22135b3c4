"""ragit for people: parse, one call, render. Decides nothing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from contextlib import closing
from typing import Any

import click

import ragit
from ragit import render
from ragit.types import Query

BLINK = 200
"""Missing files from which a search says that it indexes first."""


class _Commands(click.Group):
    """Commands in the order in which they are written, which is the order in which one needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(ragit.__version__, prog_name="ragit")
@click.option("-C", "directory", default=".", type=click.Path(), metavar="DIR", help="Run as if started in DIR.")
@click.option(
    "-c", "settings", multiple=True, metavar="NAME=VALUE", help="Set a setting for this call (see `ragit config`)."
)
@click.pass_context
def cli(ctx: click.Context, directory: str, settings: tuple[str, ...]) -> None:
    """Search a git repository by words and by meaning, at any commit, offline.

    \b
    Example:
      ragit search "where are offsets committed?"
    """
    ctx.obj = {"directory": directory, "flags": dict(map(_setting, settings))}


@cli.command()
@click.argument("query", nargs=-1, required=True)
@click.option("-k", "--top-k", type=click.IntRange(1), help="How many hits at most.")
@click.option("--ref", metavar="REV", help="Search this branch, tag, commit or tree instead of the working tree.")
@click.option("--staged", "scope", flag_value="staged", help="Search what is staged.")
@click.option("--committed", "scope", flag_value="committed", help="Search HEAD without uncommitted changes.")
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only paths that match; may be repeated.")
@click.option("--language", "languages", multiple=True, metavar="NAME", help="Only this language; may be repeated.")
@click.option(
    "--mode", type=click.Choice(["hybrid", "keyword", "vector"]), default="hybrid", help="Which arms take part."
)
@click.option("--min-score", type=float, help="Leave out hits below this score.")
@click.option("--format", "format_name", default="text", help="text, json, vimgrep or markdown.")
@click.option("--json", "format_name", flag_value="json", help="The same as --format json.")
@click.option("--explain", is_flag=True, help="Say why each hit is where it is.")
@click.option("--no-optimize", is_flag=True, help="Do not merge neighbours, drop near-duplicates or cap files.")
@click.option("--no-index", is_flag=True, help="Answer from what is indexed already.")
@click.option("--full", is_flag=True, help="Show whole chunks.")
@click.option("-C", "--context", type=click.IntRange(0), default=0, help="Lines to show around matching lines.")
@click.pass_context
def search(ctx: click.Context, /, query: tuple[str, ...], **options: Any) -> int:
    """Find the places that answer QUERY: a symbol, some words, or a question.

    Searches HEAD with the uncommitted changes of this worktree. Exit status: 0 hits, 1 none, 2 error.

    \b
    Examples:
      ragit search HTTPException
      ragit search "how does a plugin get loaded?" --path 'src/**/*.py'
      ragit search --ref v1.2 --json retry backoff
    """
    show = render.format_named(options["format_name"])
    with _open(ctx) as index:
        answer = index.search(_query(" ".join(query), options), on_index=_on_index)
        _print(show(answer, _look(options)))
    for line in render.notes(answer):
        click.echo(line, err=True)
    return 0 if answer.hits else 1


@cli.command()
@click.argument("revisions", nargs=-1, metavar="[REV]...")
@click.option("--all-branches", is_flag=True, help="Every local branch, beside the named revisions.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say what is missing.")
@click.option("--rebuild", is_flag=True, help="Index from nothing and replace the store.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.pass_context
def index(
    ctx: click.Context,
    revisions: tuple[str, ...],
    all_branches: bool,
    dry_run: bool,
    rebuild: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make the trees of the given revisions complete (default: HEAD).

    What other trees share with them is there already. Ctrl-C keeps what is done.

    \b
    Examples:
      ragit index
      ragit index v1.0 v2.0 main
      ragit index --all-branches --dry-run
    """
    options = {"all_branches": all_branches, "dry_run": dry_run, "rebuild": rebuild}
    with _open(ctx) as opened, closing(_Bar(quiet or as_json)) as bar:
        report = opened.index(*revisions, **options, progress=bar)
    if not quiet:
        _print((render.index_json if as_json else render.index_text)(report, _look({})))


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Show what is indexed, for which refs, and what is not.

    \b
    Example:
      ragit status
    """
    with _open(ctx) as index:
        _print((render.status_json if as_json else render.status_text)(index.status(), _look({})))


@cli.command()
@click.argument("revision", required=False)
@click.option("--staged", "scope", flag_value="staged", help="The tree that a commit would record now.")
@click.option("--worktree", "scope", flag_value="worktree", help="HEAD with all uncommitted changes.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def check(ctx: click.Context, revision: str | None, scope: str | None, as_json: bool) -> int:
    """Say whether a tree (default: HEAD's) is completely indexed.

    Exit status: 0 fresh, 1 stale, 2 error.

    \b
    Examples:
      ragit check
      ragit check --staged
    """
    with _open(ctx) as index:
        freshness = index.check(revision, scope=scope or "committed")
    mend = f"ragit index {revision}" if revision else 'ragit search --staged ""' if scope else "ragit index"
    _print((render.freshness_json if as_json else render.freshness_text)(freshness, _look({}), mend=mend))
    return 0 if freshness.fresh else 1


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def gc(ctx: click.Context, as_json: bool) -> None:
    """Drop what no ref, worktree, staged tree or recent reflog entry reaches.

    \b
    Example:
      ragit gc
    """
    with _open(ctx) as index:
        _print((render.gc_json if as_json else render.gc_text)(index.gc(), _look({})))


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--help-texts", "full", is_flag=True, help="Say what each setting means.")
@click.pass_context
def config(ctx: click.Context, as_json: bool, full: bool) -> None:
    """Show every setting, its value and where it came from.

    Settings come from .ragit.toml, `git config ragit.*`, RAGIT_* variables and -c, each above the one before.

    \b
    Examples:
      ragit config
      git config ragit.retrieval.topK 20
    """
    with _open(ctx) as index:
        _print((render.config_json if as_json else render.config_text)(index.settings(), _look({"full": full})))


@cli.command()
@click.option("--revoke", is_flag=True, help="Take the permission back.")
@click.pass_context
def trust(ctx: click.Context, revoke: bool) -> None:
    """Allow the settings of this repository's .ragit.toml that send data or choose where to write.

    The permission is kept outside the repository and holds for the file as it is now.

    \b
    Example:
      ragit trust
    """
    with _open(ctx) as index:
        path = index.trust(allow=not revoke)
    click.echo(f"{'no longer trusted' if revoke else 'trusted as it is now'}: {render.visible(str(path))}")


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Example:
      eval "$(ragit completion bash)"
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is not None:
        click.echo(made(cli, {}, "ragit", "_RAGIT_COMPLETE").source())


def _open(ctx: click.Context) -> Any:
    index = ragit.open(ctx.obj["directory"], flags=ctx.obj["flags"])
    if index.loaded.warning:
        click.echo(f"note: {index.loaded.warning}", err=True)
    return index


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="-c")
    return name, value


def _query(text: str, options: dict[str, Any]) -> Query:
    return Query(
        text,
        ref=options["ref"],
        scope=options["scope"] or "worktree",
        paths=options["paths"],
        languages=options["languages"],
        mode=options["mode"],
        top_k=options["top_k"],
        min_score=options["min_score"],
        optimize=False if options["no_optimize"] else None,
        index=not options["no_index"],
    )


def _on_index(missing: int) -> None:
    if missing >= BLINK:
        click.echo(f"indexing {missing} files first", err=True)


def _look(options: dict[str, Any]) -> render.RenderOptions:
    terminal = sys.stdout.isatty()
    return render.RenderOptions(
        color=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        width=shutil.get_terminal_size().columns if terminal else 0,
        full=options.get("full", False),
        context=options.get("context", 0),
        explain=options.get("explain", False),
    )


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


class _Bar:
    """Progress on a terminal; silence elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self._bar: Any = None
        self._quiet = quiet or not sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        if self._quiet:
            return
        if self._bar is None:
            self._bar = click.progressbar(length=total, label="indexing", file=sys.stderr, show_pos=True)
        self._bar.update(done - self._bar.pos)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()
