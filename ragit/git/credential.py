"""Passwords that the user's credential helper keeps, by `git credential fill`. Nothing is asked for or stored."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ragit.errors import GitFailed
from ragit.git.command import clean_env

SECONDS = 20.0
"""A helper may unlock a key ring; one that waits for a person in a window is not waited for."""


def password_for(protocol: str, host: str) -> str:
    """The password that git's helper has for this server; empty if it has none. GitFailed if git does not answer."""
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
            env={**clean_env(), **quiet},
            cwd=Path.cwd(),
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        hint = "Type: git credential fill (then protocol=https and host=NAME, and an empty line), and see what it does"
        raise GitFailed(f"git's credential helper did not answer for {host}", hint) from error
    found = dict(
        line.partition("=")[::2] for line in done.stdout.decode("utf-8", "replace").splitlines()
    )
    return found.get("password", "") if done.returncode == 0 else ""
