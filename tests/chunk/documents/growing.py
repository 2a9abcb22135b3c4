"""Documents whose reading once cost more than in proportion to their length, one maker for each
case.

A maker takes a size, and returns a document of about that many times its smallest length.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence

from making import compound, docx, p, pdf, pdf_objects, stream, word97
from packing import (
    archive,
    epub,
    notebook,
    odf,
    ods_cell,
    ods_row,
    ods_table,
    paragraph,
    parts_of,
    pptx,
    rels,
    rtf,
    shape,
    slide,
    xls,
)

Make = Callable[[int], bytes]


def book(repeated: str, before: str = "", after: str = "") -> Make:
    return lambda size: epub({"a.xhtml": f"<p>words</p>{before}{repeated * size}{after}"})


def _workbook(sheet: str, **parts: str) -> bytes:
    """Return a workbook of one sheet, with further parts by kind."""
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    main = '<workbook xmlns:r="urn:r"><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>'
    return archive(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": rels({"rId1": ("officeDocument", "xl/workbook.xml")}),
            "xl/workbook.xml": main,
            "xl/_rels/workbook.xml.rels": rels({"rId1": ("worksheet", "worksheets/sheet1.xml")}),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{space}"><sheetData>{sheet}</sheetData></worksheet>',
            "xl/worksheets/_rels/sheet1.xml.rels": rels(
                {f"rId{at}": (kind, f"../{kind}.xml") for at, kind in enumerate(parts)}
            ),
            **{f"xl/{kind}.xml": text for kind, text in parts.items()},
        }
    )


def _slides_of_one_part(size: int) -> bytes:
    """Return a presentation whose slides are all the same part."""
    parts = parts_of(pptx([slide(shape(*[paragraph("a")] * size))]))
    name = "ppt/presentation.xml"
    (one,) = [piece for piece in parts[name].split(b"<p:sldIdLst>")[1].split(b"</p:sldIdLst>")][:1]
    return archive({**parts, name: parts[name].replace(one, one * size)})


def _pages_of_one_part(size: int) -> bytes:
    parts = parts_of(epub({"a.xhtml": "<p>a</p>" * size}))
    name = "OEBPS/book.opf"
    package = parts[name].decode()
    items = "".join(f'<item id="x{n}" href="a.xhtml" media-type="text/html"/>' for n in range(size))
    order = "".join(f'<itemref idref="x{n}"/>' for n in range(size))
    package = package.replace("</manifest>", f"{items}</manifest>").replace(
        "</spine>", f"{order}</spine>"
    )
    return archive({**parts, name: package})


def _sheets_of_one_part(size: int) -> bytes:
    parts = parts_of(_workbook("<row><c><v>1</v></c></row>" * size))
    name = "xl/workbook.xml"
    sheet = b'<sheet name="S" r:id="rId1"/>'
    return archive({**parts, name: parts[name].replace(sheet, sheet * size)})


def _sheets_of_one_stream(size: int) -> bytes:
    """Return an Excel 97 workbook whose sheets all begin at the same offset."""
    cells = [(row, 0, 0, 1.5) for row in range(size)]
    data = xls({"first": cells, **{f"s{number}": [] for number in range(size // 10)}})
    at = data.index(b"\x85\0")
    first = None
    out = bytearray(data)
    for _ in range(size // 10 + 1):
        length = struct.unpack_from("<H", out, at + 2)[0]
        first = first or bytes(out[at + 4 : at + 8])
        out[at + 4 : at + 8] = first
        at += 4 + length
    return bytes(out)


def _comments(size: int) -> bytes:
    """Return rows in alternating order, and a comment on a cell that does not exist."""
    rows = '<row r="1"><c><v>1</v></c></row><row r="100000"><c><v>1</v></c></row>' * (
        size // 50 + 1
    )
    return _workbook(
        rows,
        comments='<comments><comment ref="A1048576"><text><t>x</t></text></comment></comments>',
    )


def _runs_of_a_line(size: int) -> bytes:
    return pdf([b"BT /F1 9 Tf 10 10 Td" + b" (some) Tj" * size + b" ET"])


def _moved_runs(size: int) -> bytes:
    return pdf([b"BT /F1 9 Tf" + b" 1 0 0 1 9 9 Tm (some words) Tj" * size + b" ET"])


def _one_line(letters: str, unit: int = 1) -> Make:
    return lambda size: pdf(
        [b"BT /F1 9 Tf 10 10 Td (" + letters.encode() * size * unit + b") Tj ET"]
    )


def _one_page(
    content: bytes, page: bytes = b"", catalogue: bytes = b"", others: Sequence[bytes] = ()
) -> bytes:
    """Return a PDF of one page. Entries added to page and catalogue may refer to `others`, numbered
    from 6.
    """
    return pdf_objects(
        [
            b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalogue,
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            b"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R %s >>"
            % page,
            stream(content),
            *others,
        ]
    )


def _titles(size: int) -> bytes:
    """Return a PDF whose outline names one page of many lines for all titles, none of which is on
    it.
    """
    lines = (
        b"BT /F1 9 Tf 10 9000 Td"
        + b"".join(b" 0 -12 Td (line %d) Tj" % at for at in range(size))
        + b" ET"
    )
    items = [
        b"<< /Title (no such %d) /Parent 6 0 R /Dest [4 0 R /XYZ 0 0 0]%s >>"
        % (at, b" /Next %d 0 R" % (8 + at) if at + 1 < size else b"")
        for at in range(size)
    ]
    outline = b"<< /Type /Outlines /First 7 0 R /Last %d 0 R /Count %d >>" % (6 + size, size)
    return _one_page(lines, catalogue=b"/Outlines 6 0 R", others=[outline, *items])


def _notes_of_one_text(size: int) -> bytes:
    """Return a page with many comments that are all the same long text."""
    notes = b"/Annots [%s]" % (b" 7 0 R" * min(size, 4000))
    text = b"(" + b"some words " * size + b")"
    return _one_page(b"", page=notes, others=[text, b"<< /Subtype /Text /Contents 6 0 R >>"])


def _forms_in_forms(size: int) -> bytes:
    """Return a page without text, whose forms show each other."""
    forms = b"/XObject << %s >>" % b"".join(b"/X%d %d 0 R " % (at, 6 + at) for at in range(50))
    resources = b"/Resources << %s >> " % forms
    one = b"<< /Subtype /Form %s/Length 0 >>\nstream\n\nendstream" % resources
    count = size // 50 + 1
    kids = b" ".join([b"4 0 R"] * count)
    page = b"<< /Type /Page /Parent 2 0 R %s >>" % resources
    catalogue, pages = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
    )
    return pdf_objects([catalogue, pages, b"null", page, b"null", *[one] * 50])


def _word_fields(size: int) -> bytes:
    return word97(["words\r" + "\x13\x14" * size + "a\r"])


def _plc(places: list[int], size: int) -> bytes:
    return struct.pack(f"<{len(places)}i", *places) + bytes(size * (len(places) - 1))


def _word_notes(size: int) -> bytes:
    """Return a document each of whose notes is the whole text of all notes."""
    text = "note of many words " * size
    places = [0, len(text)] * size
    return word97(
        ["words\r"] * 3,
        {"footnote": text},
        lists={2: _plc(list(range(len(places))), 2), 3: _plc(places, 0)},
    )


def _word_headers(size: int) -> bytes:
    text = "head of many words\r" * size
    return word97(["words\r"] * 3, {"header": text}, lists={11: _plc([0, len(text)] * size, 0)})


def _word_deleted(size: int) -> bytes:
    """Return a text saved in many pieces, with some letters deleted."""
    return word97(["some words " * size + "\r"], pieces=size, deleted=(1, 3))


def _word_references(size: int) -> bytes:
    """Return a document with as many notes as characters."""
    text = "n\r" * size
    places = list(range(0, 2 * size + 1, 2))
    at = list(range(size + 1))
    return word97(["a\r"] * size, {"footnote": text}, lists={2: _plc(at, 2), 3: _plc(places, 0)})


_MAKERS: Mapping[str, tuple[str, Make]] = {
    # -- pages of books
    # ------------------------------------------------------------------------------------------------
    "comments that do not end": ("epub", book("<!--")),
    "comments that end oddly": ("epub", book("<!-- --!", after="-->")),
    "sections that do not end": ("epub", book("<![CDATA[")),
    "declarations that do not end": ("epub", book("<!a ")),
    "definitions that do not end": ("epub", book("<!DOCTYPE ")),
    "brackets in declarations": ("epub", book("<!DOCTYPE a [", after="]")),
    "instructions that do not end": ("epub", book("<?x ")),
    "tags that do not end": ("epub", book("<a ")),
    "tags with quotes that do not end": ("epub", book('<a b="')),
    "tags with attributes without values": ("epub", book("a ", "<p ", ">")),
    "tags with attributes that are equal": ("epub", book("= ", "<p ", ">")),
    "tags with attributes of both quotes": ("epub", book("""a="'" b='"' """, "<p ")),
    "tags of spaces": ("epub", book(" ", "<p", "x")),
    "tags of slashes": ("epub", book("/", "<p", "x")),
    "ends that do not end": ("epub", book("</a ")),
    "scripts that do not end": ("epub", book("</scrip", "<script>")),
    "less than": ("epub", book("<")),
    "ampersands": ("epub", book("&")),
    "references that do not end": ("epub", book("&#1")),
    "a number that does not end": ("epub", book("9", "&#", ";")),
    "names that do not end": ("epub", book("a", "&", ";")),
    "elements within each other": ("epub", book("<div>a")),
    "skipped within each other": ("epub", book("<math>")),
    "lists within each other": ("epub", book("<ul><li>a")),
    "tables within each other": ("epub", book("<table><tr><td>a")),
    "a row that does not end": ("epub", book("<td>a", "<table><tr>")),
    "pages of one part": ("epub", _pages_of_one_part),
    # -- XML
    # -----------------------------------------------------------------------------------------------------------
    "a comment in XML": ("docx", lambda size: docx(p("a") + f"<!--{'x' * size * 1000}-->")),
    "an attribute in XML": (
        "docx",
        lambda size: docx(p("a") + f'<w:p w:a="{"x" * size * 1000}"/>'),
    ),
    "a long name of a space": (
        "docx",
        lambda size: docx(p("a") + f'<x:p xmlns:x="{"x" * size * 20}">{"<x:r/>" * size}</x:p>'),
    ),
    "attributes": (
        "docx",
        lambda size: docx(p("a") + "<w:p " + " ".join(f'a{n}=""' for n in range(size)) + "/>"),
    ),
    # -- Word
    # ----------------------------------------------------------------------------------------------------------
    "frames in each other": (
        "docx",
        lambda size: docx(
            "<w:tbl><w:tr><w:tc>" * 90 + p("a") * size + "</w:tc></w:tr></w:tbl>" * 90
        ),
    ),
    "cells in each other": (
        "docx",
        lambda size: docx(
            "<w:tbl><w:tr><w:tc/><w:tc>" * 60 + p("a") * size + "</w:tc></w:tr></w:tbl>" * 60
        ),
    ),
    "runs in each other": (
        "docx",
        lambda size: docx(f"<w:p>{'<w:ins>' * 250}{'<w:t>a</w:t>' * size}{'</w:ins>' * 250}</w:p>"),
    ),
    "boxes in each other": (
        "docx",
        lambda size: docx(
            "<w:p><w:txbxContent>" * 120 + p("a") * size + "</w:txbxContent></w:p>" * 120
        ),
    ),
    "paragraphs in each other": (
        "docx",
        lambda size: docx("<w:p>" * 250 + "<w:t>a</w:t>" * size + "</w:p>" * 250),
    ),
    # -- PowerPoint
    # ----------------------------------------------------------------------------------------------------
    "titles of a slide": (
        "pptx",
        lambda size: pptx([slide(*[shape(paragraph("a"), role="title")] * size)]),
    ),
    "paragraphs of slides in each other": (
        "pptx",
        lambda size: pptx([slide(shape("<a:p>" * 200 + "<a:t>a</a:t>" * size + "</a:p>" * 200))]),
    ),
    "tables of slides in each other": (
        "pptx",
        lambda size: pptx(
            [
                slide(
                    f"<p:sp>{'<a:tbl><a:tr><a:tc>' * 90}{paragraph('a') * size}{'</a:tc></a:tr></a:tbl>' * 90}</p:sp>"
                )
            ]
        ),
    ),
    "slides of one part": ("pptx", _slides_of_one_part),
    # -- Excel
    # ---------------------------------------------------------------------------------------------------------
    "rows up and down": ("xlsx", _comments),
    "paragraphs of shapes in each other": (
        "xlsx",
        lambda size: _workbook(
            "<row><c><v>1</v></c></row>",
            drawing=f"<d><txBody>{'<p>' * 200}{'<t>a</t>' * size}{'</p>' * 200}</txBody></d>",
        ),
    ),
    "sheets of one part": ("xlsx", _sheets_of_one_part),
    "merged down": (
        "xlsx",
        lambda size: _workbook(
            f"<row>{'<c><v>1</v></c>' * 200}</row>"
            + '<row><c r="A2"/></row><row><c r="GA3"><v>1</v></c></row>' * size
            + "</sheetData>"
            + "".join(f'<mergeCell ref="{chr(65 + n)}1:{chr(65 + n)}1000000"/>' for n in range(26))
        ),
    ),
    "sheets of one stream": ("xls", _sheets_of_one_stream),
    # -- OpenDocument
    # --------------------------------------------------------------------------------------------------
    "titles of a page": (
        "odp",
        lambda size: odf(
            "presentation",
            "<draw:page>" + '<draw:frame presentation:class="title"/>' * size + "</draw:page>",
        ),
    ),
    "rows in each other": (
        "ods",
        lambda size: odf(
            "spreadsheet",
            ods_table(
                "S",
                "<table:table-rows>" * 200
                + ods_row(ods_cell("a")) * size
                + "</table:table-rows>" * 200,
            ),
        ),
    ),
    "spans in each other": (
        "odt",
        lambda size: odf(
            "text",
            f"<text:p>{'<text:span>' * 200}{'<text:s/>a' * size}{'</text:span>' * 200}</text:p>",
        ),
    ),
    "titles under titles": (
        "odt",
        lambda size: odf(
            "text",
            "".join(
                f'<text:h text:outline-level="{n}">{"a" * 1000}</text:h>' for n in range(1, 100)
            )
            + "<text:p>a</text:p>" * size,
        ),
    ),
    "repeated rows": (
        "ods",
        lambda size: odf("spreadsheet", ods_table("S", ods_row(ods_cell("a"), times=40) * size)),
    ),
    # -- notebooks
    # -----------------------------------------------------------------------------------------------------
    "spaces in a title": (
        "notebook",
        lambda size: notebook(("markdown", f"# a{' ' * size * 10}b")),
    ),
    "marks in a title": (
        "notebook",
        lambda size: notebook(("markdown", f"# a{' #' * size * 10} b")),
    ),
    "digits": (
        "notebook",
        lambda size: (
            b'{"cells": [{"cell_type": "code", "source": "a", "n": %s}]}' % (b"9" * size * 10)
        ),
    ),
    "lines of a paragraph": (
        "notebook",
        lambda size: notebook(("markdown", "some words\n" * size * 10)),
    ),
    # -- PDF
    # -----------------------------------------------------------------------------------------------------------
    "runs of one line": ("pdf", _runs_of_a_line),
    "runs that move": ("pdf", _moved_runs),
    "letters of one line": ("pdf", _one_line("a", 100)),
    "dots of one line": ("pdf", _one_line(". ", 20)),
    "hyphens of one line": ("pdf", _one_line("a-", 20)),
    "titles of an outline": ("pdf", _titles),
    "notes of one text": ("pdf", _notes_of_one_text),
    "forms in forms": ("pdf", _forms_in_forms),
    # -- RTF
    # -----------------------------------------------------------------------------------------------------------
    "notes in notes": (
        "rtf",
        lambda size: rtf(r"{\footnote a" * 4000 + r"a\par " * size + "}" * 4000),
    ),
    "code pages": (
        "rtf",
        lambda size: rtf("a" + "".join(rf"\ansicpg{n}" for n in range(20_000, 20_000 + size))),
    ),
    # -- Word 97
    # -------------------------------------------------------------------------------------------------------
    "fields without end": ("doc", _word_fields),
    "notes of all notes": ("doc", _word_notes),
    "headers of all headers": ("doc", _word_headers),
    "pieces": ("doc", _word_deleted),
    "references": ("doc", _word_references),
    "nothing": (
        "doc",
        lambda size: compound({"WordDocument": b"\xec\xa5" + bytes(size * 100), "1Table": b""}),
    ),
}
"""Language and maker by name of the case."""

_SIZES = {
    **dict.fromkeys(("epub", "notebook"), 24_000),
    **{case: 100_000 for case in _MAKERS if case.endswith("do not end")},
    **dict.fromkeys(
        ("a comment in XML", "an attribute in XML", "titles of a slide", "rows up and down"), 24_000
    ),
    **dict.fromkeys(("a long name of a space", "titles of a page", "fields without end"), 48_000),
    **dict.fromkeys(("pages of one part", "titles of an outline", "pieces", "references"), 2_000),
    "repeated rows": 500,
}
"""Size at which a case took seconds when it was found, by case or language; 8,000 for the
others.
"""

GROWING: Mapping[str, tuple[str, Make, int]] = {
    case: (language, make, _SIZES.get(case, _SIZES.get(language, 8_000)))
    for case, (language, make) in _MAKERS.items()
}
"""Language, maker and size by name of the case."""
