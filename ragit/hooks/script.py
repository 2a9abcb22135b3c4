"""The shell text of hooks: the lines that stand in a hook, and the dispatcher that they call. Pure.

A hook holds three lines that never change; what they do is in one file, `<common dir>/ragit/hook`, so that a newer
ragit replaces that file and touches no hook. POSIX sh, as Git for Windows brings it along too.
"""

from __future__ import annotations

import re
import shlex

EVENTS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
"""All that move HEAD and have a hook. The rest (reset, fetch, am, stash, ...) fire nothing: search notices them."""

FOLDER, DISPATCHER = "ragit", "hook"
SHEBANG = b"#!/bin/sh\n"
_BEGIN, _END = "# >>> ragit >>>", "# <<< ragit <<<"
_BLOCK = re.compile(
    rb"^" + re.escape(_BEGIN.encode()) + rb"\n.*?^" + re.escape(_END.encode()) + rb"\n", re.M | re.S
)


def line(event: str) -> str:
    """The line that works in any hook, wherever it lies: git says where the dispatcher is."""
    return f'r="$(git rev-parse --git-common-dir)/{FOLDER}/{DISPATCHER}"; {_call(event)}'


def _call(event: str) -> str:
    # No input: it is for the other lines of the hook. `|| :` for hooks that run under `sh -e`.
    return f'[ -x "$r" ] && "$r" {event} "$@" </dev/null || :'


def block(event: str, *, beside: bool) -> bytes:
    """The lines that stand in a hook; `beside` the dispatcher's folder they spare the 2 ms of asking git."""
    inner = f'r="${{0%/*}}/../{FOLDER}/{DISPATCHER}"; {_call(event)}' if beside else line(event)
    return f"{_BEGIN}\n{inner}\n{_END}\n".encode()


def with_block(content: bytes, new: bytes) -> bytes:
    """A hook with the lines in it, right below its shebang: further down they might never be reached."""
    content = without_block(content) or SHEBANG
    at = content.find(b"\n") + 1 if content.startswith(b"#!") else 0
    return content[:at] + new + content[at:]


def without_block(content: bytes) -> bytes:
    """A hook as it was before."""
    return _BLOCK.sub(b"", content)


def has_block(content: bytes) -> bool:
    """True if our lines are in it."""
    return _BLOCK.search(content) is not None


def dispatcher(python: str) -> str:
    """The dispatcher, with the interpreter that has ragit."""
    return _DISPATCHER.replace("@PYTHON@", shlex.quote(python))


# Guards, in the order of the lines: hooks switched off; pre-commit's own checkout while it puts unstaged changes aside;
# `git checkout FILE`; the steps of a rebase (its end fires post-rewrite) and the second hook of an amend; the steps of
# a bisect. Where `.git` is a file, git sets GIT_DIR. What follows is in the background with all three descriptors
# redirected: whoever captures git's output would wait for a worker that still holds it; and without HUP, which a
# terminal that closes sends (lefthook gives each command one of its own). Python starts in our own folder, where no
# module of the repository can take the place of one of its own, and without PYTHON* variables.
_DISPATCHER = """\
#!/bin/sh
# Called by git's hooks: notes that HEAD moved and wakes ragit's worker in the background. Never fails, says nothing.
# Written by `ragit hooks install`, removed by `ragit hooks uninstall`; RAGIT=0 switches it off.
python=@PYTHON@
[ "${RAGIT-}" = 0 ] && exit 0
[ -n "${_PRE_COMMIT_SKIP_POST_CHECKOUT-}" ] && exit 0
g="${GIT_DIR:-.git}"
case "$1" in
post-checkout) [ "${4-1}" = 1 ] || exit 0 ;;
post-commit) [ -d "$g/rebase-merge" ] && exit 0; [ -d "$g/rebase-apply" ] && exit 0 ;;
post-rewrite) [ "${2-}" = amend ] && exit 0 ;;
esac
[ -f "$g/BISECT_LOG" ] && ! git symbolic-ref -q HEAD >/dev/null 2>&1 && exit 0
d="${0%/*}"
{ pwd >>"$d/pending"; } 2>/dev/null || exit 0
trap '' HUP
{ (
    if [ -x "$python" ]; then CDPATH= cd -- "$d" && exec $(command -v nice) "$python" -E -m ragit.hooks.worker; fi
    exec ragit hooks run
) </dev/null >>"$d/worker.log" 2>&1 & } 2>/dev/null
exit 0
"""
