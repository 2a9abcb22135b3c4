"""Builders of the smallest possible spreadsheets, slides, books and notebooks, without a
library.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from making import compound


def archive(parts: Mapping[str, str | bytes], first: Mapping[str, str] = {}) -> bytes:
    """Return a zip archive. The parts in `first` come first, uncompressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in first.items():
            packed.writestr(name, text, zipfile.ZIP_STORED)
        for name, part in parts.items():
            packed.writestr(name, part)
    return out.getvalue()


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


# -- .xlsx
# -----------------------------------------------------------------------------------------------------------


def xlsx(sheets: Mapping[str, Mapping[str, Any]], change: Any = None) -> bytes:
    """Return a workbook. Cells are given by name, as a value or (value, format); `change` receives
    the workbook.
    """
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, cells in sheets.items():
        sheet = book.create_sheet(name)
        for place, value in cells.items():
            cell = sheet[place]
            cell.value, shown = value if isinstance(value, tuple) else (value, "")
            if shown:
                cell.number_format = shown
    if change:
        change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


# -- .xls
# ------------------------------------------------------------------------------------------------------------

GENERAL, PERCENT, DATE, MOMENT, PADDED = range(5)
"""Formats of cells for `xls`."""
_FORMATS = (0, 10, 14, 22, 164)

Cell = tuple[int, int, int, Any]
"""Row and column from 0, format, and value: a string, number, boolean, or bytes for an
error code.
"""


def xls(
    sheets: Mapping[str, Sequence[Cell]],
    hidden: Iterable[str] = (),
    merged: Sequence[tuple[int, ...]] = (),
) -> bytes:
    """Return an Excel 97 workbook (MS-XLS, BIFF8). `merged`: (first row, last row, first column,
    last column).
    """
    bodies = [_sheet(cells, merged) for cells in sheets.values()]
    listed = [b"" for _ in bodies]
    for _ in range(2):  # offsets are known once the list's length is
        start = len(_globals(listed))
        listed = []
        for name, body in zip(sheets, bodies, strict=True):
            kind = struct.pack("<IBB", start, 1 if name in hidden else 0, 0)
            listed.append(
                _record(0x85, kind + struct.pack("<BB", len(name), 1) + name.encode("utf-16-le"))
            )
            start += len(body)
    return compound({"Workbook": _globals(listed) + b"".join(bodies)})


def _record(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def _bof(kind: int) -> bytes:
    return _record(0x809, struct.pack("<HHHHII", 0x600, kind, 0x1DBB, 1996, 0, 6))


def _globals(listed: Sequence[bytes]) -> bytes:
    font = _record(
        0x31, struct.pack("<HHHHHBBBB", 200, 0, 0x7FFF, 400, 0, 0, 0, 0, 0) + b"\x05\x00Arial"
    )
    shown = _record(0x41E, struct.pack("<HHB", 164, 5, 0) + b"00000")
    cells = b"".join(_record(0xE0, struct.pack("<HHH14x", 0, number, 1)) for number in _FORMATS)
    return (
        _bof(5)
        + _record(0x42, b"\xb0\x04")
        + _record(0x22, b"\0\0")
        + font
        + shown
        + cells
        + b"".join(listed)
        + _record(0x0A)
    )


def _sheet(cells: Sequence[Cell], merged: Sequence[tuple[int, ...]]) -> bytes:
    body = b"".join(_cell(*cell) for cell in cells)
    if merged:
        body += _record(
            0xE5,
            struct.pack("<H", len(merged)) + b"".join(struct.pack("<4H", *each) for each in merged),
        )
    return _bof(0x10) + body + _record(0x0A)


def _cell(row: int, column: int, shown: int, value: Any) -> bytes:
    head = struct.pack("<HHH", row, column, shown)
    if isinstance(value, str):
        return _record(0x204, head + struct.pack("<HB", len(value), 1) + value.encode("utf-16-le"))
    if isinstance(value, bool):
        return _record(0x205, head + struct.pack("<BB", value, 0))
    if isinstance(value, bytes):
        return _record(0x205, head + value + b"\1")
    return _record(0x203, head + struct.pack("<d", value))


# -- OpenDocument
# ----------------------------------------------------------------------------------------------------

_SPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "style": "style",
        "draw": "drawing",
        "presentation": "presentation",
        "manifest": "manifest",
    }.items()
)
_XML = '<?xml version="1.0" encoding="UTF-8"?>'
_MIME = "application/vnd.oasis.opendocument."


def odf(
    kind: str, body: str, styles: str = "", edges: str = "", more: Mapping[str, str] = {}
) -> bytes:
    """Return an OpenDocument text, spreadsheet or presentation. `styles` are automatic styles;
    `edges` are in the master page.
    """
    automatic = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    whole = f"{automatic}<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    master = f"<office:master-styles><style:master-page>{edges}</style:master-page></office:master-styles>"
    parts = {
        "content.xml": f"{_XML}<office:document-content {_SPACES}>{whole}</office:document-content>",
        "styles.xml": f"<office:document-styles {_SPACES}>{master}</office:document-styles>",
        **more,
    }
    return archive(parts, {"mimetype": _MIME + kind})


def ods_table(name: str, rows: str, style: str = "") -> str:
    styled = f' table:style-name="{style}"' if style else ""
    return f"<table:table table:name={quoteattr(name)}{styled}>{rows}</table:table>"


def ods_row(*cells: str, times: int = 1) -> str:
    repeated = f' table:number-rows-repeated="{times}"' if times > 1 else ""
    return f"<table:table-row{repeated}>{''.join(cells)}</table:table-row>"


def ods_cell(
    text: str = "", kind: str = "", value: str = "", more: str = "", inner: str = ""
) -> str:
    """Return a cell with its displayed text and its value; `more` are further attributes."""
    name = {"date": "date-value", "time": "time-value", "boolean": "boolean-value"}.get(
        kind, "value"
    )
    typed = (
        f' office:value-type="{kind}"' + (f' office:{name}="{value}"' if value else "")
        if kind
        else ""
    )
    shown = f"<text:p>{escape(text)}</text:p>" if text else ""
    return f"<table:table-cell{typed} {more}>{inner}{shown}</table:table-cell>"


# -- .pptx
# -----------------------------------------------------------------------------------------------------------

_DRAWING = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def paragraph(text: str, level: int = 0) -> str:
    return f'<a:p><a:pPr lvl="{level}"/><a:r><a:t>{escape(text)}</a:t></a:r></a:p>'


def shape(*paragraphs: str, role: str | None = None) -> str:
    """Return a shape; with a `role`, a placeholder."""
    holder = f'<p:ph type="{role}"/>' if role else ""
    head = f'<p:nvSpPr><p:cNvPr id="2" name="s"/><p:cNvSpPr/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>'
    return f"<p:sp>{head}<p:txBody>{''.join(paragraphs)}</p:txBody></p:sp>"


def slide_table(rows: Sequence[Sequence[str]]) -> str:
    cells = [
        [f"<a:tc><a:txBody>{paragraph(cell)}</a:txBody></a:tc>" for cell in row] for row in rows
    ]
    inner = "".join(f"<a:tr>{''.join(row)}</a:tr>" for row in cells)
    graphic = f"<a:graphic><a:graphicData><a:tbl>{inner}</a:tbl></a:graphicData></a:graphic>"
    return f"<p:graphicFrame><p:nvGraphicFramePr/>{graphic}</p:graphicFrame>"


def slide(*shapes: str, hidden: bool = False) -> str:
    show = ' show="0"' if hidden else ""
    return (
        f"<p:sld {_DRAWING}{show}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"
    )


def rels(targets: Mapping[str, tuple[str, str]]) -> str:
    rows = (
        f'<Relationship Id="{id}" Type="{_KINDS}{kind}" Target="{to}"/>'
        for id, (kind, to) in targets.items()
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{"".join(rows)}</Relationships>'


def pptx(
    slides: Sequence[str], order: Sequence[int] = (), beside: Mapping[int, Mapping[str, str]] = {}
) -> bytes:
    """Return a presentation. `order` are slide numbers from 1, `beside` further parts of a slide by
    kind.
    """
    numbers = order or range(1, len(slides) + 1)
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in numbers)
    parts = {
        "[Content_Types].xml": "<Types/>",
        "ppt/presentation.xml": f"<p:presentation {_DRAWING}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": rels(
            {f"rId{n}": ("slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1)}
        ),
    }
    for number, text in enumerate(slides, 1):
        parts[f"ppt/slides/slide{number}.xml"] = text
        more = beside.get(number, {})
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = rels(
            {f"rId{at}": (kind, f"../{kind}/{kind}{number}.xml") for at, kind in enumerate(more)}
        )
        parts |= {f"ppt/{kind}/{kind}{number}.xml": text for kind, text in more.items()}
    return archive(parts)


# -- .epub, .ipynb, .rtf
# ---------------------------------------------------------------------------------------------


def epub(
    pages: Mapping[str, str], spine: Sequence[str] = (), nav: str = "", more: Mapping[str, str] = {}
) -> bytes:
    """Return a book of pages by name, in the order of `spine`. `nav` is the page that is the table
    of contents.
    """
    items = "".join(
        f'<item id="i{at}" href="{name.replace(" ", "%20")}" media-type="application/xhtml+xml"'
        f"{' properties=' + quoteattr('nav') if name == nav else ''}/>"
        for at, name in enumerate(pages)
    )
    order = "".join(f'<itemref idref="i{list(pages).index(name)}"/>' for name in spine or pages)
    package = f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{order}</spine></package>'
    files = '<rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles>'
    container = (
        f'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">{files}</container>'
    )
    parts = {"META-INF/container.xml": container, "OEBPS/book.opf": package}
    parts |= {f"OEBPS/{name}": text for name, text in pages.items()}
    return archive({**parts, **more}, {"mimetype": "application/epub+zip"})


def notebook(*cells: tuple[str, str | list[str]], version: int = 4) -> bytes:
    """Return a notebook of (type, source) cells, with outputs."""
    converted: list[dict[str, Any]] = []
    for kind, source in cells:
        name = "input" if version == 3 and kind == "code" else "source"
        output = (
            {"outputs": [{"output_type": "stream", "text": ["printed"]}]} if kind == "code" else {}
        )
        level = {"level": int(kind.partition(" ")[2])} if kind.startswith("heading") else {}
        converted.append(
            {"cell_type": kind.partition(" ")[0], name: source, "metadata": {}, **output, **level}
        )
    body = {"cells": converted} if version == 4 else {"worksheets": [{"cells": converted}]}
    return json.dumps({"nbformat": version, "nbformat_minor": 0, "metadata": {}, **body}).encode()


def rtf(body: str) -> bytes:
    return (r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}}" + body + "}").encode("cp1252")
