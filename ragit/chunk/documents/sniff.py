"""Tell the format of a document by its content, whatever its name."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from zipfile import ZipFile

from ragit.chunk.documents import READERS
from ragit.chunk.documents.archive import open_archive
from ragit.chunk.documents.block import Unreadable
from ragit.chunk.languages import LANGUAGES

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of a compound file ([MS-CFB] 2.2), which contains other files."""

TYPES = "[Content_Types].xml"
"""Name of the list of content types in an Office package."""
_TYPE = re.compile(rb"""\bContentType\s*=\s*["']([^"'<>]{1,200})["']""")
_TYPES_READ = 1 << 20
"""Bytes searched of the list of content types."""

_MAIN = (
    (b"wordprocessingml", "docx"),
    (b"vnd.ms-word", "docx"),
    (b"spreadsheetml", "xlsx"),
    (b"vnd.ms-excel", "xlsx"),
    (b"presentationml", "pptx"),
    (b"vnd.ms-powerpoint", "pptx"),
)
"""Words of a main part's content type, which ends with `.main+xml`, with their format."""
MAIN_PARTS = {
    "docx": "word/document.xml",
    "xlsx": "xl/workbook.xml",
    "pptx": "ppt/presentation.xml",
}
"""Default name of the main part, for packages that do not name it."""

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
    with open_archive(data, language) as archive:
        names = {part.filename.replace("\\", "/").lower() for part in archive.infolist()}
        if "mimetype" in names:
            if archive.getinfo("mimetype").flag_bits & 1:
                raise Unreadable("password-protected")
            with archive.open("mimetype") as part:
                declared = part.read(100).strip()
            return next((kind for mime, kind in _MIMETYPES if declared.startswith(mime)), "zip")
        types = _types(archive)
    return format_of(types, names) or "zip"


def format_of(types: bytes, names: Iterable[str]) -> str:
    """Return docx, xlsx or pptx by the content type of the main part; empty for anything else.

    Parts may have any name. Only a package without a useful list of types is recognised by its
    folders.
    """
    for found in _TYPE.findall(types[:_TYPES_READ]):
        if found.endswith(b".main+xml"):
            return next((kind for word, kind in _MAIN if word in found), "")
    folders = {name.lower().partition("/")[0] for name in names if "/" in name}
    usual = ((main.partition("/")[0], kind) for kind, main in MAIN_PARTS.items())
    return next((kind for folder, kind in usual if folder in folders), "")


def _types(archive: ZipFile) -> bytes:
    """Return the beginning of an Office package's list of content types; empty if there is none."""
    name = next((name for name in archive.namelist() if name.lower() == TYPES.lower()), "")
    if not name or archive.getinfo(name).flag_bits & 1:
        return b""
    with archive.open(name) as part:
        return part.read(_TYPES_READ)


def _in_ole(data: bytes) -> str:
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as ole:
        return next((kind for stream, kind in _STREAMS if ole.exists(stream)), "ole")
