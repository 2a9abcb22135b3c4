"""Change a store behind ragit's back, for tests of damaged and foreign stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from ragit.store import connect


@contextmanager
def tampered(path: Path) -> Iterator[apsw.Connection]:
    """Open a store's file for any SQL; page checksums stay right, as after an attack."""
    with closing(connect._open(path, writable=True)) as db:
        yield db
