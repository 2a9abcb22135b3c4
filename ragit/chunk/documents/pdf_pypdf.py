"""Read the parts of a PDF left to pypdf: outline, comments, forms, and lines where pdfium fails."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ragit.chunk.documents.block import Unreadable
from ragit.chunk.documents.outline import Entry, entries
from ragit.chunk.documents.pdf_layout import LACKS, Line, plain

_MOST_NOTES = 5000
_MOST_OBJECTS = 500
"""Limit of the pictures and forms examined on a page."""


def lack_of(error: Exception) -> str:
    """Return the key of LACKS for an error; broken bytes make pypdf raise errors of any kind."""
    from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError

    kinds: Sequence[tuple[type[Exception], str]] = (
        (LimitReachedError, "limit"),
        (DependencyError, "library"),
        (NotImplementedError, "packed"),
        (FileNotDecryptedError, "password"),
        (RecursionError, "deep"),
    )
    return next((lack for kind, lack in kinds if isinstance(error, kind)), "damaged")


class _Lines:
    """The lines of a page, built from runs of text."""

    def __init__(self) -> None:
        self.found: list[Line] = []
        self._text: list[str] = []
        self._at = (0.0, 0.0, 0.0)
        """Position and size of the first letter of the current line."""
        self._begun = False

    def visit(
        self, run: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float
    ) -> None:
        """Add a run of text, with the matrices of the page and of the text."""
        for number, part in enumerate(run.split("\n")):
            if number:
                self.end()
            if part and not self._begun:
                x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
                y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
                scale = (tm[3] or tm[1] or 1) * (cm[3] or cm[1] or 1)
                self._at = (x, y, abs(float(size or 0) * scale))
            self._text.append(part)
            self._begun = self._begun or bool(part.strip())

    def end(self) -> None:
        """End a line."""
        whole = plain("".join(self._text))
        if whole:
            self.found.append(Line(whole, *self._at))
        self._text.clear()
        self._begun = False


class PypdfDocument:
    """A PDF that pypdf opens on first use."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    @cached_property
    def _reader(self) -> Any:
        import pypdf

        reader = pypdf.PdfReader(io.BytesIO(self._data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable(LACKS["password"].whole)
        return reader

    @property
    def count(self) -> int:
        """Number of pages. Raises Unreadable for a password, and any error for broken bytes."""
        return len(self._reader.pages)

    def outline(self) -> list[Entry]:
        """Return the outline; empty if it cannot be used."""
        try:
            return entries(self._reader)
        except MemoryError:
            raise
        except Exception:  # broken bytes make pypdf raise anything
            return []

    def lines(self, number: int) -> list[Line]:
        """Return the lines of a page, numbered from 0, by pypdf's runs of text."""
        lines = _Lines()
        self._reader.pages[number].extract_text(visitor_text=lines.visit)
        lines.end()
        return lines.found

    def notes(self, number: int, most: int) -> list[str]:
        """Return comments and filled form fields on a page, at most `most` characters.

        A broken list of them costs only itself.
        """
        found: list[str] = []
        try:
            for each in list(self._reader.pages[number].get("/Annots", None) or ())[:_MOST_NOTES]:
                note = each.get_object()
                if note.get("/Subtype") == "/Widget":
                    holder = note if "/V" in note or "/Parent" not in note else note["/Parent"]
                    value = _string(holder, "/V", most)
                    text = f"{_string(note, '/T', most)}: {value}" if value else ""
                else:
                    text = _string(note, "/Contents", most)
                if text.strip(": \n"):
                    found.append(" ".join(text.split()))
                    most -= len(text)
                    if most <= 0:
                        break
        except MemoryError:
            raise
        except Exception:  # as with the page itself
            return found
        return found

    def has_image(self, number: int) -> bool:
        """Return whether a page shows a picture, directly or in nested forms."""
        waiting = [(self._reader.pages[number], 3)]
        looked_at = 0
        try:
            while waiting and looked_at < _MOST_OBJECTS:
                holder, depth = waiting.pop()
                objects = holder.get("/Resources", {}).get_object().get("/XObject", {}).get_object()
                for name in list(objects)[:_MOST_OBJECTS]:
                    looked_at += 1
                    one = objects[name].get_object()
                    if one.get("/Subtype") == "/Image":
                        return True
                    if one.get("/Subtype") == "/Form" and depth:
                        waiting.append((one, depth - 1))
        except (AttributeError, KeyError, TypeError, ValueError):
            pass  # broken objects show nothing
        return False


def _string(entries: Any, name: str, most: int) -> str:
    """Return the beginning of a text of an object; empty for a name or none."""
    value = entries[name] if name in entries else ""  # noqa: SIM401 - `get` follows no reference
    return value[:most] if isinstance(value, str) and not value.startswith("/") else ""
