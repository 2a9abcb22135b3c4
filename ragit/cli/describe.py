"""`ragit describe`: what a model said about an image."""

from __future__ import annotations

import click

from ragit import render
from ragit.cli.face import look, open_index, print_lines


@click.command()
@click.argument("image")
@click.option("--ref", metavar="REV", help="The image as it is in this branch, tag, commit or tree.")
@click.option("--now", is_flag=True, help="Have it described, and keep that, if it is not yet.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def describe(ctx: click.Context, image: str, ref: str | None, now: bool, as_json: bool) -> int:
    """Print the description of IMAGE, which is what a search finds of it.

    Images are described by `ragit index`, if imageDescription.enabled is true. Exit status: 0 there is a description, 1
    there is none yet, 2 error.

    \b
    Examples:
      ragit describe docs/login.png
      ragit describe --ref v1.0 --now docs/login.png
    """
    with open_index(ctx) as index:
        found = index.describe(image, ref=ref, now=now)
    print_lines((render.described_json if as_json else render.described_text)(found, look({})))
    return 0 if found.text else 1
