"""Read passwords from the user's credential helper by `git credential fill`, without prompts."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ragit.errors import GitFailed
from ragit.git.command import clean_env, with_absolute_path

SECONDS = 20.0
"""Timeout of a helper: enough to unlock a key ring, not for a prompt."""


def password_for(protocol: str, host: str) -> str:
    """Return git's password for a server; empty if there is none. Raises GitFailed on a timeout."""
    wanted = f"protocol={protocol}\nhost={host}\n\n".encode()
    quiet = {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "GCM_INTERACTIVE": "never",
    }
    try:
        done = subprocess.run(
            ["git", "credential", "fill"],
            input=wanted,
            capture_output=True,
            env=with_absolute_path({**clean_env(), **quiet}),
            cwd=Path.cwd(),
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        hint = "Type: git credential fill (then protocol=https, host=NAME and an empty line)"
        raise GitFailed(f"git's credential helper did not answer for {host}", hint) from error
    found = dict(
        line.partition("=")[::2] for line in done.stdout.decode("utf-8", "replace").splitlines()
    )
    return found.get("password", "") if done.returncode == 0 else ""
