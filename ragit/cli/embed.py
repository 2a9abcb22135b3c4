"""The command `ragit embed`."""

from __future__ import annotations

import click

from ragit import render
from ragit.cli.shared import open_index, print_lines, render_options


@click.command()
@click.option(
    "--test",
    is_flag=True,
    required=True,
    help="Ask it for two vectors, and say what it is and how it did.",
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def embed(ctx: click.Context, /, test: bool, as_json: bool) -> None:
    """Try the embedder that the settings name: docs/providers.md.

    Exit status: 0 it works, 2 it does not, with the reason.

    \b
    Examples:
      ragit embed --test
      ragit -c embedding.provider=ollama embed --test
    """
    with open_index(ctx.obj) as index:
        print_lines(
            (render.embedder_json if as_json else render.embedder_text)(
                index.test_embedder(), render_options({})
            )
        )
