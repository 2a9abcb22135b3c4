"""Runs the command line. Expected errors become a message with a hint and an exit code; other
exceptions are written to a log.
"""

from __future__ import annotations

import os
import sys


def _look_elsewhere() -> None:
    """Remove the current folder, which is untrusted and which `python -m ragit` puts first on the
    import path.
    """
    # pathlib is not loaded yet
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    try:
        if sys.path[0] == os.getcwd() != own:  # noqa: PTH109
            del sys.path[0]
    except OSError:  # the folder is gone, and nothing can be imported from it
        return


_look_elsewhere()

import contextlib  # noqa: E402
import errno  # noqa: E402
import gc  # noqa: E402
import io  # noqa: E402

_NO_ROOM = {errno.ENOSPC, errno.EIO, errno.EFBIG}
"""Error numbers of a failed output: a full disk, a closed terminal, a size limit."""

EXIT_ERROR, EXIT_BUG, EXIT_INTERRUPT = 2, 3, 130


def main() -> None:
    """Run the command line. Exit codes: 0 found or done, 1 nothing found or stale, 2 error, 3 a
    bug, 130 interrupted.
    """
    _fill_closed_streams()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before the command line itself was loaded
        code = EXIT_INTERRUPT
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    # Everything is closed by now; shutting the interpreter down would take a tenth of a query's
    # time.
    os._exit(code)


def _fill_closed_streams() -> None:
    """Open streams that the caller closed (`ragit ... >&-`), as git does: otherwise the next opened
    file would receive our output.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while os.open(os.devnull, os.O_RDWR) <= 2:  # the lowest free number is taken first
        continue
    sys.stdin = sys.stdin or open(0)  # noqa: SIM115 - they live as long as the process
    sys.stdout = sys.stdout or open(1, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w")  # noqa: SIM115


def _escape_what_cannot_be_encoded() -> None:
    """Escape characters that the console's encoding lacks, as control characters are."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def run(args: list[str]) -> int:
    """Run the command line and return the exit code."""
    # Matrix products in this process are small: waiting for other threads would cost more than it
    # saves.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _escape_what_cannot_be_encoded()
    gc.disable()  # a command makes many objects, hardly a cycle, and ends
    from ragit.errors import RagitError

    try:
        return _run_command(args)
    except RagitError as error:
        from ragit.render import visible

        _say(f"error: {visible(error.message)}", f"hint: {visible(error.hint)}")
        return EXIT_ERROR
    except KeyboardInterrupt:
        _say("interrupted: what was done is kept")
        return EXIT_INTERRUPT
    except BrokenPipeError:
        # The reader left (ragit ... | head). Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _report_failure(error, args)


def _run_command(args: list[str]) -> int:
    """Run an ordinary command line as declared, and any other by click. Raises RagitError."""
    from ragit import cli

    call = cli.plain_call(args)
    return call() if call else cli.run_click(args)


def _report_failure(error: Exception, args: list[str]) -> int:
    """Report a failed output, or a bug with its log, and return the exit code."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM and error.filename is None:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _say(
            f"error: cannot write the answer: {error.strerror}",
            "hint: look at where the output is directed to",
        )
        return EXIT_ERROR
    from ragit.crash import report

    _say(
        f"bug: ragit failed unexpectedly; the details are in {report(args)}",
        "hint: please report it with that file",
    )
    return EXIT_BUG


def _say(*lines: str) -> None:
    for line in lines:
        sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
