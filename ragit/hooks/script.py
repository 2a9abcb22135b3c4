"""The shell text of hooks: the lines in a hook, and the dispatcher that they call. No IO.

A hook has three lines that never change. They call one file, `<common dir>/ragit/hook`, so that a
newer ragit replaces only that file. POSIX sh, which Git for Windows has, too.
"""

from __future__ import annotations

import re
import shlex

EVENTS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
"""All hooks for moves of HEAD. Other moves (reset, fetch, am, stash, ...) are noticed by search."""

FOLDER, DISPATCHER = "ragit", "hook"
SHEBANG = b"#!/bin/sh\n"
_BEGIN, _END = "# >>> ragit >>>", "# <<< ragit <<<"
_BLOCK = re.compile(
    rb"^" + re.escape(_BEGIN.encode()) + rb"\n.*?^" + re.escape(_END.encode()) + rb"\n", re.M | re.S
)


def line(event: str) -> str:
    """Return the line for any shell hook, in any folder."""
    return f'r="$(git rev-parse --git-common-dir)/{FOLDER}/{DISPATCHER}"; {_call(event)}'


def _call(event: str) -> str:
    # Input is for the hook's other lines. `|| :` is for hooks that run under `sh -e`.
    return f'[ -x "$r" ] && "$r" {event} "$@" </dev/null || :'


def block(event: str, *, beside: bool) -> bytes:
    """Return the lines for a hook; `beside` the dispatcher's folder they save a call of git."""
    inner = f'r="${{0%/*}}/../{FOLDER}/{DISPATCHER}"; {_call(event)}' if beside else line(event)
    return f"{_BEGIN}\n{inner}\n{_END}\n".encode()


def with_block(content: bytes, new: bytes) -> bytes:
    """Return a hook with the lines below its shebang: further down they might never run."""
    content = without_block(content) or SHEBANG
    at = content.find(b"\n") + 1 if content.startswith(b"#!") else 0
    return content[:at] + new + content[at:]


def without_block(content: bytes) -> bytes:
    """Return a hook without ragit's lines."""
    return _BLOCK.sub(b"", content)


def has_block(content: bytes) -> bool:
    """Return whether a hook has ragit's lines."""
    return _BLOCK.search(content) is not None


def dispatcher(python: str) -> str:
    """Return the dispatcher, which starts the worker with this interpreter."""
    return _DISPATCHER.replace("@PYTHON@", shlex.quote(python))


# Guards, in the order of the lines: hooks are switched off; pre-commit's own checkout while it puts
# unstaged changes aside; `git checkout FILE`; the steps of a rebase (its end runs post-rewrite) and
# the second hook of an amend; the steps of a bisect. Where `.git` is a file, git sets GIT_DIR. Then
# links and FIFOs that came with an archive: to write to one could block git or change another file.
# The rest runs in the background with all three descriptors redirected, or a program that captures
# git's output would wait for it; without HUP, which a closing terminal sends (lefthook gives each
# command one of its own). Python starts in ragit's own folder, where no module of the repository
# shadows one of its own, and without PYTHON* variables.
_DISPATCHER = """\
#!/bin/sh
# Called by git's hooks: notes that HEAD moved and starts ragit's worker in the background.
# Never fails, prints nothing. RAGIT=0 switches it off; `ragit hooks uninstall` removes it.
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
for f in "$d/pending" "$d/worker.log"; do
    { [ ! -L "$f" ] && { [ ! -e "$f" ] || [ -f "$f" ]; }; } || rm -f "$f" 2>/dev/null || exit 0
done
{ pwd >>"$d/pending"; } 2>/dev/null || exit 0
trap '' HUP
{ (
    if [ -x "$python" ]; then
        CDPATH= cd -- "$d" && exec $(command -v nice) "$python" -E -m ragit.hooks.worker
    fi
    exec ragit hooks run
) </dev/null >>"$d/worker.log" 2>&1 & } 2>/dev/null
exit 0
"""
