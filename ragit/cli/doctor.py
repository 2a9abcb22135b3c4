"""The command `ragit doctor`."""

from __future__ import annotations

import click

from ragit import render
from ragit.cli.shared import print_lines, render_options


@click.command(short_help="Check all that ragit needs, and say how to repair it.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> int:
    """Check everything that ragit needs, and say how to repair what is not well.

    Changes nothing. Exit status: 0 healthy, 1 something to repair.

    \b
    Example:
      ragit doctor
    """
    from ragit.doctor import examine

    findings = examine(ctx.obj.directory, flags=ctx.obj.flags)
    print_lines(
        (render.doctor_json if as_json else render.doctor_text)(findings, render_options({}))
    )
    return 1 if any(finding.state == "bad" for finding in findings) else 0
