"""The command `ragit describe`."""

from __future__ import annotations

import click

from ragit import render
from ragit.cli import complete
from ragit.cli.shared import open_index, print_lines, render_options


@click.command(short_help="Print the description of an image or of code.")
@click.argument("file")
@click.option(
    "--ref",
    metavar="REV",
    shell_complete=complete.refs,
    help="The file as it is in this branch, tag, commit or tree.",
)
@click.option(
    "--now", is_flag=True, help="Ask for the description of an image that has none, and keep it."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def describe(ctx: click.Context, file: str, ref: str | None, now: bool, as_json: bool) -> int:
    """Print the descriptions of FILE: of an image, or of each chunk of code.

    `ragit index` asks for descriptions if imageDescription.enabled and description.enabled are
    set. Exit status: 0 all is described, 1 something is not yet, 2 error.

    \b
    Examples:
      ragit describe docs/login.png
      ragit describe src/session.py
      ragit describe --ref v1.0 --now docs/login.png
    """
    with open_index(ctx.obj) as index:
        found = index.describe(file, ref=ref, now=now)
    print_lines(
        (render.described_json if as_json else render.described_text)(
            found, render_options({}, index)
        )
    )
    return 0 if found.text else 1
