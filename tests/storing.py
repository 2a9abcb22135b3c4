"""What tests of damaged and foreign stores share: changing a store behind ragit's back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from ragit.store import connect


@contextmanager
def tampered(path: Path) -> Iterator[apsw.Connection]:
    """Open a store's file for any SQL; its page checksums stay right, as an attacker's would."""
    with closing(connect._open(path, writable=True)) as db:
        yield db
