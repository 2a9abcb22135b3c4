"""Find the pager that git uses."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ragit.errors import GitFailed
from ragit.git.command import Git


def pager_command(environ: Mapping[str, str]) -> str:
    """Return the command line of git's pager by GIT_PAGER, core.pager and PAGER; empty if none.

    git runs outside of any repository, since a searched one's configuration must not name the
    pager.
    """
    kept = {name: value for name, value in environ.items() if name not in ("GIT_DIR", "GIT_CONFIG")}
    try:
        output = Git(os.path.abspath(os.sep), kept).run("var", "GIT_PAGER")  # noqa: PTH100
    except GitFailed:
        return ""
    return output.decode("utf-8", "surrogateescape").strip()
