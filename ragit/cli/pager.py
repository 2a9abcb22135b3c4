"""Shows long output through git's pager."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence

from ragit.repository import pager_command

_NOT_RUN = (126, 127)
"""Exit codes of a shell that cannot run the command."""

_DEFAULTS = {"LESS": "FRX", "LV": "-c"}
"""Git's defaults for pagers: less ends at once if all fits on the screen, and passes colours on."""


def page_lines(lines: Sequence[str]) -> bool:
    """Show lines in the pager until the user closes it. Return False if there is none."""
    command = pager_command(os.environ)
    if command in ("", "cat") or os.environ.get("TERM", "dumb") == "dumb":
        return False
    text = "".join(f"{line}\n" for line in lines).encode(sys.stdout.encoding, "backslashreplace")
    sys.stdout.flush()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's
    try:
        done = subprocess.run(
            command, shell=True, input=text, env={**_DEFAULTS, **os.environ}, check=False
        )
    except OSError:
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return done.returncode not in _NOT_RUN
