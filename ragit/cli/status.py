"""`ragit status` and `ragit check`: what the store holds."""

from __future__ import annotations

import click

from ragit import render
from ragit.cli.face import look, open_index, print_lines


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Show what is indexed, for which refs, and what is not.

    \b
    Example:
      ragit status
    """
    with open_index(ctx) as index:
        print_lines((render.status_json if as_json else render.status_text)(index.status(), look({})))


@click.command()
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
    with open_index(ctx) as index:
        freshness = index.check(revision, scope=scope or "committed")
    mend = f"ragit index {revision}" if revision else 'ragit search --staged ""' if scope else "ragit index"
    print_lines((render.freshness_json if as_json else render.freshness_text)(freshness, look({}), mend=mend))
    return 0 if freshness.fresh else 1
