"""Builders of PDF, .docx and .doc documents, written out byte by byte so that tests can
break them.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

import pypdf

# -- PDF
# -------------------------------------------------------------------------------------------------------------


def pdf_objects(objects: Sequence[bytes]) -> bytes:
    """Return a PDF of numbered objects, the first of which is its catalogue."""
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    out.write(
        b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    )
    return out.getvalue()


def stream(data: bytes, more: bytes = b"", spaces: int = 0) -> bytes:
    """Return a compressed stream that ends with `spaces` million spaces."""
    packer = zlib.compressobj()
    million = b" " * 1_000_000
    packed = b"".join([packer.compress(data), *(packer.compress(million) for _ in range(spaces))])
    packed += packer.flush()
    return b"<< /Length %d /Filter /FlateDecode %s >>\nstream\n%s\nendstream" % (
        len(packed),
        more,
        packed,
    )


Line = str | tuple[str, float]
"""A line, or a line with its distance in points to the line above."""


def content(lines: Iterable[Line], size: int = 10) -> bytes:
    """Return the instructions that draw lines from the top of a page."""
    drawn = [b"BT /F1 %d Tf 72 760 Td" % size]
    for number, line in enumerate(lines):
        text, below = (line, size * 1.2) if isinstance(line, str) else line
        raw = (
            text.encode("cp1252")
            .replace(b"\\", b"\\\\")
            .replace(b"(", b"\\(")
            .replace(b")", b"\\)")
        )
        drawn.append((b"0 %.1f Td " % -below if number else b"") + b"(%s) Tj" % raw)
    drawn.append(b"ET")
    return b"\n".join(drawn)


def pdf(pages: Sequence[Iterable[Line] | bytes], *, scanned: Iterable[int] = ()) -> bytes:
    """Return a PDF of pages of lines or of drawing instructions. Pages in `scanned` show only a
    picture.
    """
    pictures = set(scanned)
    count = len(pages)
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d /MediaBox [0 0 595 842] >>" % (kids, count),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    picture = 4 + 2 * count
    for number, lines in enumerate(pages, 1):
        shown = b"/XObject << /I %d 0 R >>" % picture if number in pictures else b""
        body = b"q 500 0 0 700 40 60 cm /I Do Q" if number in pictures else b""
        body = body or (lines if isinstance(lines, bytes) else content(lines))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> %s >> >>"
            % (len(objects) + 2, shown)
        )
        objects.append(stream(body))
    objects.append(
        stream(
            b"\0",
            b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8",
        )
    )
    return pdf_objects(objects)


def outlined(data: bytes, titles: Sequence[tuple[str, int, int]]) -> bytes:
    """Add an outline to a PDF: (title, page from 1, depth from 0)."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    above: list[Any] = []
    for title, page, depth in titles:
        parent = above[depth - 1] if depth else None
        above[depth:] = [writer.add_outline_item(title=title, page_number=page - 1, parent=parent)]
    return written(writer)


def encrypted(data: bytes, password: str, algorithm: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(password, "owner", algorithm=algorithm)
    return written(writer)


def written(writer: pypdf.PdfWriter) -> bytes:
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


# -- .docx
# -----------------------------------------------------------------------------------------------------------

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def p(text: str = "", style: str = "", inner: str = "", properties: str = "") -> str:
    """Return a paragraph of text, followed by the markup of further runs."""
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    run = f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{styled}{properties}</w:pPr>{run}{inner}</w:p>"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table. A cell is text, or paragraphs if it begins with a tag."""
    cells = [[cell if cell.startswith("<w:") else p(cell) for cell in row] for row in rows]
    inner = "".join(
        f"<w:tr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in row)}</w:tr>" for row in cells
    )
    return f"<w:tbl>{inner}</w:tbl>"


STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="H{level}"><w:name w:val="heading {level}"/></w:style>'
    for level in range(1, 4)
) + (
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="My own"/><w:basedOn w:val="H2"/></w:style>'
)


def docx(
    body: str, parts: Mapping[str, str] = {}, *, strict: bool = False, main: str = "document"
) -> bytes:
    """Return a document; `parts` are further parts by kind, such as footnotes, header,
    numbering.
    """
    space = _STRICT if strict else _W
    relations = "http://purl.oclc.org/ooxml/officeDocument/relationships" if strict else _RELATIONS
    whole = {"styles": STYLES, **parts}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "_rels/.rels", _rels([(f"{relations}/officeDocument", f"word/{main}.xml")])
        )
        archive.writestr(f"word/{main}.xml", _part("document", f"<w:body>{body}</w:body>", space))
        archive.writestr(
            f"word/_rels/{main}.xml.rels",
            _rels([(f"{relations}/{kind.rstrip('0123456789')}", f"{kind}.xml") for kind in whole]),
        )
        for kind, inner in whole.items():
            archive.writestr(f"word/{kind}.xml", _part(kind.rstrip("0123456789"), inner, space))
    return out.getvalue()


def _part(root: str, inner: str, space: str) -> str:
    names = (
        f'xmlns:w="{space}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    )
    drawing = 'xmlns:wp="urn:wp" xmlns:wps="urn:wps" xmlns:v="urn:schemas-microsoft-com:vml"'
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{root} {names} {drawing}>{inner}</w:{root}>'


def _rels(targets: Iterable[tuple[str, str]]) -> str:
    rows = (
        f'<Relationship Id="r{at}" Type="{kind}" Target="{to}"/>'
        for at, (kind, to) in enumerate(targets)
    )
    return f'<Relationships xmlns="urn:r">{"".join(rows)}</Relationships>'


# -- .doc
# ------------------------------------------------------------------------------------------------------------

_SECTOR = 512
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def compound(streams: Mapping[str, bytes]) -> bytes:
    """Return a compound file (MS-CFB); streams are padded, so that none needs the mini stream."""
    sectors: list[bytes] = []
    chain: list[int] = []
    starts = []
    whole = [
        data.ljust(max(4096, -(-len(data) // _SECTOR) * _SECTOR), b"\0")
        for data in streams.values()
    ]
    for data in whole:
        starts.append(len(sectors))
        parts = [data[at : at + _SECTOR] for at in range(0, len(data), _SECTOR)]
        chain += [len(sectors) + at + 1 for at in range(len(parts) - 1)] + [_END]
        sectors += parts
    names = ["Root Entry", *streams]
    entries = [_entry(name, at, len(names), starts, whole) for at, name in enumerate(names)]
    entries += [bytes(128)] * (-len(entries) % 4)
    directory = len(sectors)
    for at in range(0, len(entries), 4):
        sectors.append(b"".join(entries[at : at + 4]))
        chain.append(len(sectors) if at + 4 < len(entries) else _END)
    tables = -(-(len(sectors) + 1) // 127)
    first_table = len(sectors)
    chain += [_FAT] * tables
    chain += [_FREE] * (tables * 128 - len(chain))
    table = struct.pack(f"<{len(chain)}I", *chain)
    listed = [first_table + at for at in range(tables)]
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(16)
        + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    )
    header += struct.pack("<IIIIIIIII", 0, tables, directory, 0, 4096, _END, 0, _END, 0)
    header += struct.pack("<109I", *(listed + [_FREE] * (109 - tables)))
    return header + b"".join(sectors) + table


def _entry(name: str, at: int, count: int, starts: Sequence[int], whole: Sequence[bytes]) -> bytes:
    raw = name.encode("utf-16-le")
    right = at + 1 if 0 < at < count - 1 else _FREE
    child = 1 if at == 0 and count > 1 else _FREE
    kind, start, size = (5, _END, 0) if at == 0 else (2, starts[at - 1], len(whole[at - 1]))
    head = raw.ljust(64, b"\0") + struct.pack("<HBBIII", len(raw) + 2, kind, 1, _FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)


def sprms(*modifiers: tuple[int, int]) -> bytes:
    return b"".join(struct.pack("<H", name) + bytes([value]) for name, value in modifiers)


IN_TABLE = sprms((0x2416, 1))
ROW_END = sprms((0x2416, 1), (0x2417, 1))

Paragraph = tuple[str, int, bytes]
"""Text with its end mark, number of its style, and modifiers."""


def word97(
    paragraphs: Sequence[Paragraph | str],
    others: Mapping[str, str] = {},
    *,
    flags: int = 0x0200,
    pieces: int = 1,
    lists: Mapping[int, bytes] = {},
    behind: Mapping[int, bytes] = {},
    deleted: tuple[int, int] | None = None,
) -> bytes:
    """Return a Word 97 document.

    `others` are further parts of its text by name. The text is saved in `pieces` pieces, every
    second with one byte a character, the last one first. `lists` are further structures by number,
    `behind` the bytes after them. `deleted` is the first and last letter of a tracked deletion.
    """
    whole = [(one, 0, b"") if isinstance(one, str) else one for one in paragraphs]
    body = "".join(text for text, _, _ in whole)
    names = ("footnote", "header", "macro", "comment", "endnote", "box", "header box")
    counts = [len(body), *(len(others.get(name, "")) for name in names)]
    text = body + "".join(others.get(name, "") for name in names)
    stored, table_of_pieces, offsets = _stored(text, pieces)
    main = bytearray(2048 + len(stored))
    main[2048:] = stored
    runs = []
    at = 0
    for one, style, modifiers in whole:
        last = offsets[at + len(one) - 1]
        back = at + len(one) - 1
        while back > at and 0 < offsets[back] - offsets[back - 1] <= 2:
            back -= 1
        first = offsets[back]  # where its last piece begins
        runs.append((first, last + 1, struct.pack("<H", style) + modifiers))
        at += len(one)
    main += bytes(-len(main) % 512)
    page_numbers = []
    for group in (sorted(runs)[at : at + 20] for at in range(0, len(runs), 20)):
        page_numbers.append(len(main) // 512)
        main += _page_of_paragraphs(group)
    bte = struct.pack(f"<{len(page_numbers) + 1}I", *range(0, 512 * (len(page_numbers) + 1), 512))
    bte += struct.pack(f"<{len(page_numbers)}I", *page_numbers)
    structures = {33: table_of_pieces, 13: bte, **lists}
    if deleted:
        structures[12] = struct.pack("<III", 0, 1 << 30, len(main) // 512)
        page = bytearray(512)
        struct.pack_into(
            "<IIIIBBB", page, 0, 0, offsets[deleted[0]], offsets[deleted[1]], 1 << 30, 0, 200, 0
        )
        page[400:404] = b"\x03\x00\x08\x01"
        page[511] = 3
        main += page
    table = b""
    struct.pack_into("<HH", main, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", main, 10, flags)
    struct.pack_into("<8i", main, 0x4C, *counts)
    for number, data in structures.items():
        struct.pack_into("<II", main, 0x9A + 8 * number, len(table), len(data))
        table += data + behind.get(number, b"")
    return compound({"WordDocument": bytes(main), "1Table": table})


def _stored(text: str, count: int) -> tuple[bytes, bytes, list[int]]:
    """Return the bytes of the text, its list of pieces, and the offset of each character in the
    file.
    """
    size = -(-len(text) // count)
    cuts = [text[at : at + size] for at in range(0, len(text), size)] if text else []
    raw = [
        part.encode("utf-16-le") if number % 2 == 0 else part.encode("cp1252")
        for number, part in enumerate(cuts)
    ]
    places = {}
    stored = b""
    for number in reversed(range(len(cuts))):
        stored += b"\0" * (len(stored) % 2)
        places[number] = 2048 + len(stored)
        stored += raw[number]
    first = [at * size for at in range(len(cuts))] + [len(text)]
    data = struct.pack(f"<{len(first)}I", *first)
    offsets: list[int] = []
    for number, part in enumerate(cuts):
        wide = number % 2 == 0
        data += struct.pack(
            "<HIH", 0, places[number] if wide else places[number] * 2 | 0x4000_0000, 0
        )
        offsets += [places[number] + at * (2 if wide else 1) for at in range(len(part))]
    return stored, b"\x02" + struct.pack("<I", len(data)) + data, offsets


def _page_of_paragraphs(runs: Sequence[tuple[int, int, bytes]]) -> bytes:
    page = bytearray(512)
    page[511] = len(runs)
    top = 510
    for number, (first, last, data) in enumerate(runs):
        data += b"\0" * (1 - len(data) % 2)
        packed = bytes([(len(data) + 1) // 2]) + data
        top = (top - len(packed)) // 2 * 2
        page[top : top + len(packed)] = packed
        struct.pack_into("<I", page, 4 * number, first)
        struct.pack_into("<I", page, 4 * number + 4, last)
        page[4 * (len(runs) + 1) + 13 * number] = top // 2
    return bytes(page)
