"""The format of a document by its content, whatever its name says."""

from __future__ import annotations

import io
from zipfile import ZipFile

from ragit.chunk.documents import READERS
from ragit.chunk.documents.archive import opened
from ragit.chunk.documents.block import Unreadable
from ragit.chunk.documents.opc import TYPES, TYPES_READ, format_of
from ragit.chunk.languages import LANGUAGES

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of a compound file ([MS-CFB] 2.2), which holds other files."""

_MIMETYPES = (
    (b"application/vnd.oasis.opendocument.text", "odt"),
    (b"application/vnd.oasis.opendocument.spreadsheet", "ods"),
    (b"application/vnd.oasis.opendocument.presentation", "odp"),
    (b"application/epub+zip", "epub"),
)
_STREAMS = (
    ("EncryptedPackage", "encrypted"),
    ("WordDocument", "doc"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("PowerPoint Document", "ppt"),
)


def container(data: bytes) -> str:
    """Return pdf, zip, ole or rtf; empty for anything else, which may be text."""
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if data.startswith(OLE):
        return "ole"
    return "rtf" if data[:32].lstrip().startswith(b"{\\rtf") else ""


def reader_for(data: bytes, language: str) -> str:
    """Return the language of a document by its content.

    Raise Unreadable if its row of the table does not allow that language (`also`).
    """
    kind = container(data)
    if kind == "zip":
        kind = _in_zip(data, language)
    elif kind == "ole":
        kind = _in_ole(data)
    elif not kind:
        kind = language
    if kind == "encrypted":
        raise Unreadable("password-protected")
    if kind != language and kind not in LANGUAGES[language].also.split():
        raise Unreadable(
            f"no {language} inside" if kind in ("zip", "ole") else f"{kind} under another name"
        )
    if kind not in READERS:
        raise Unreadable(f"no reader for {kind}")
    return kind


def _in_zip(data: bytes, language: str) -> str:
    with opened(data, language) as archive:
        names = {part.filename.replace("\\", "/").lower() for part in archive.infolist()}
        if "mimetype" in names:
            if archive.getinfo("mimetype").flag_bits & 1:
                raise Unreadable("password-protected")
            with archive.open("mimetype") as part:
                said = part.read(100).strip()
            return next((kind for mime, kind in _MIMETYPES if said.startswith(mime)), "zip")
        types = _types(archive)
    return format_of(types, names) or "zip"


def _types(archive: ZipFile) -> bytes:
    """Return the beginning of an Office package's list of content types; empty if there is none."""
    name = next((name for name in archive.namelist() if name.lower() == TYPES.lower()), "")
    if not name or archive.getinfo(name).flag_bits & 1:
        return b""
    with archive.open(name) as part:
        return part.read(TYPES_READ)


def _in_ole(data: bytes) -> str:
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as ole:
        return next((kind for stream, kind in _STREAMS if ole.exists(stream)), "ole")
