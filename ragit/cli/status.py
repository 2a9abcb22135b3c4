"""The commands `ragit status` and `ragit check`."""

from __future__ import annotations

import os
from pathlib import Path

from ragit import render
from ragit.cli.call import Call
from ragit.cli.declare import argument, command, flag
from ragit.cli.scope import take_scope
from ragit.cli.shared import open_index, print_lines, render_options
from ragit.errors import ConfigError, StoreTooNew, UnknownRevision
from ragit.records import replaced


@command()
@flag("--skipped", help="Name each file that is not searched, with the reason.")
@flag("--json", "as_json", help="Print it as JSON.")
def status(call: Call, skipped: bool, as_json: bool) -> None:
    """Show what is indexed, for which refs, and what is not.

    Skipped are the files of HEAD with the uncommitted changes that a search does not see.

    \b
    Examples:
      ragit status
      ragit status --skipped
    """
    from ragit.hooks import failure

    with open_index(call) as index:
        report = replaced(index.status(), worker=failure.state(index.folder))
        style = render_options({"full": skipped}, index)
    print_lines((render.status_json if as_json else render.status_text)(report, style))


@command()
@argument("revision")
@argument("files", takes_rest=True, metavar="[FILE]...")
@flag("--staged", help="The tree that a commit would record now.")
@flag("--worktree", help="HEAD with all uncommitted changes.")
@flag("--pre-commit", "framework", help="What pre-commit checks: staged, or pushed.")
@flag("--fix", help="Complete the index, or make it, instead of failing.")
@flag("--require-index", help="Fail where there is no index at all.")
@flag("--json", "as_json", help="Print it as JSON.")
def check(
    call: Call,
    /,
    revision: str | None,
    files: tuple[str, ...],
    framework: bool,
    fix: bool,
    require_index: bool,
    as_json: bool,
    **trees: bool,
) -> int:
    """Say whether a tree (default: HEAD's) is completely indexed.

    Where there is no index it passes with a note. Exit status: 0 fresh, 1 stale, 2 error.

    Names of files, as lint-staged adds them, are ignored: the whole tree is checked.

    \b
    Examples:
      ragit check
      ragit check --staged --fix
    """
    scope = take_scope(trees)
    revision = _revision(call.directory, [*filter(None, [revision]), *files], scope)
    if framework:
        revision, scope = _pushed() or revision, "staged"
    with open_index(call) as index:
        try:
            try:
                freshness = index.check(revision, scope=scope or "committed", fix=fix)
            except UnknownRevision:
                if revision is None or not _is_file(call.directory, revision, scope):
                    raise
                revision = None  # a single file of lint-staged's
                freshness = index.check(scope=scope or "committed", fix=fix)
        except StoreTooNew as error:
            if not framework:
                raise
            # pre-commit has its own installation of ragit: a newer one of the user's must not stop
            # a commit.
            print_lines([f"not checked: {render.visible(error.message)}"])
            return 0
    command = " ".join(filter(None, ("ragit index", revision or _scope_option(scope))))
    print_lines(
        (render.freshness_json if as_json else render.freshness_text)(
            freshness, render_options({}, index), fix=command
        )
    )
    return 0 if freshness.fresh or not (freshness.indexed or require_index) else 1


def _revision(directory: str, names: list[str], scope: str | None) -> str | None:
    """Return the revision among the arguments, ignoring names of files.

    A single argument without a scope is a revision, unless only a file has that name, as for git.
    Raises ConfigError if there are several revisions.
    """
    if len(names) == 1 and scope is None and not os.path.isabs(names[0]):  # noqa: PTH117
        return names[0]
    others = [name for name in names if not _is_file(directory, name, scope)]
    if len(others) > 1:
        raise ConfigError("name one revision", "ragit check --help says what there is")
    return others[0] if others else None


def _is_file(directory: str, name: str, scope: str | None) -> bool:
    """Return true for a file that is there; beside a scope, which allows no revision, also for the
    name of one that is gone.
    """
    return (Path(directory) / name).exists() or (scope is not None and bool(set("./ ") & {*name}))


def _pushed() -> str:
    """Return the pushed revision, by pre-commit's variables; empty in another hook."""
    return os.environ.get("PRE_COMMIT_TO_REF") or os.environ.get("PRE_COMMIT_LOCAL_BRANCH", "")


def _scope_option(scope: str | None) -> str:
    """Return the option of `ragit index` for the checked tree, valid after the hook has ended."""
    index = os.environ.get("GIT_INDEX_FILE", "")
    if scope == "staged" and index.endswith(
        ".lock"
    ):  # of `git commit PATH` or -a: removed with that command
        scope = "worktree"
    return f"--{scope}" if scope else ""
