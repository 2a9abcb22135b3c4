"""Tests of workbooks with hand-written XML: both dialects, all kinds of cells, odd names."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest
from packing import archive, parts_of
from reading import blocks, skip_reason
from test_documents_sheets import rows

pytestmark = pytest.mark.usefixtures("quiet")


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def sheet_of(
    rows_xml: str, after: str = "", more: Mapping[str, str] = {}, strict: bool = False
) -> bytes:
    """Return a workbook of one sheet from its XML; the strict dialect has other namespaces."""
    main = "http://purl.oclc.org/ooxml/spreadsheetml/main" if strict else MAIN
    kinds = "http://purl.oclc.org/ooxml/officeDocument/relationships"
    root = f'<Relationship Id="r1" Type="{kinds}/officeDocument" Target="xl/book.xml"/>'
    listed = f'<Relationship Id="r1" Type="{kinds}/worksheet" Target="one.xml"/>'
    listed += "".join(
        f'<Relationship Id="x{kind}" Type="{kinds}/{kind}" Target="{kind}.xml"/>' for kind in more
    )
    return archive(
        {
            "_rels/.rels": f"<Relationships>{root}</Relationships>",
            "xl/book.xml": f'<workbook xmlns="{main}" xmlns:r="{kinds}">'
            f'<workbookPr date1904="{int("1904" in after)}"/>'
            '<sheets><sheet name="S" sheetId="9" r:id="r1"/></sheets></workbook>',
            "xl/_rels/book.xml.rels": f"<Relationships>{listed}</Relationships>",
            "xl/one.xml": f'<worksheet xmlns="{main}"><sheetData>{rows_xml}</sheetData>{after}</worksheet>',
            "xl/_rels/one.xml.rels": f"<Relationships>{listed}</Relationships>",
            **{f"xl/{kind}.xml": text for kind, text in more.items()},
        }
    )


CELLS = (
    '<row r="2"><c r="B2" t="s"><v>0</v></c><c t="inlineStr"><is><t>in</t></is></c><c t="s"><v>7</v></c></row>'
    '<row><c t="str"><f>A1&amp;"x"</f><v>line_x000D_end</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c>'
    '<c s="1"><v>45295.5</v></c><c t="d"><v>2024-01-04T14:30:00.000</v></c><c><f>SUM(A1)</f></c><c><v>x</v></c></row>'
)
SHARED = {
    "sharedStrings": "<sst><si><r><t>sha</t></r><r><t>red</t></r><rPh><t>no</t></rPh></si></sst>"
}
STYLES = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>'


@pytest.mark.parametrize("strict", [False, True])
def test_cells_of_every_kind_in_both_dialects(strict: bool) -> None:
    data = sheet_of(CELLS, more={**SHARED, "styles": STYLES}, strict=strict)
    assert [(row[1], row[3]) for row in rows(data, "xlsx")] == [
        (2, "shared | in"),
        (3, "line end | TRUE | #N/A | 2024-01-04 12:00 | 2024-01-04 14:30 | =SUM(A1) | x"),
    ]


def test_1904_date_system_is_read() -> None:
    data = sheet_of('<row><c s="1"><v>43833</v></c></row>', "<x>1904</x>", {"styles": STYLES})
    assert rows(data, "xlsx")[0][3] == "2024-01-04"


def test_part_names_with_backslashes_are_read() -> None:
    parts = parts_of(sheet_of(CELLS, more=SHARED))
    odd = archive(
        {name.replace("/", "\\").replace("one", "ONE"): part for name, part in parts.items()}
    )
    assert rows(odd, "xlsx") == rows(archive(parts), "xlsx") != []


def test_shapes_and_comments_are_read_without_cells() -> None:
    paragraphs = "<p><r><t>Oil</t></r><r><t> it</t></r></p><p/><p><r><t>weekly</t></r></p>"
    drawing = f"<wsDr><sp><txBody>{paragraphs}</txBody></sp></wsDr>"
    comment = '<comments><comment ref="B7"><text><t>why?</t></text></comment></comments>'
    found = blocks(sheet_of("", more={"drawing": drawing, "comments": comment}), "xlsx")
    assert [(block.kind, block.text, block.place.within) for block in found] == [
        ("heading", "S", "sheet S"),
        ("note", "comment on B7: why?", "sheet S"),
        ("note", "Oil it\nweekly", "sheet S"),
    ]


@pytest.mark.parametrize(
    "rows_xml, after",
    [
        ('<row r="99999999999"><c><v>1</v></c></row>', ""),
        ('<row r="-1"><c r="ZZZZ1"><v>1</v></c></row>', ""),
        (
            '<row><c s="99" t="s"><v>-1</v></c><c t="n"><v>1e999</v></c><c t="d"><v>never</v></c></row>',
            "",
        ),
        (
            '<row r="5"><c><v>1</v></c></row><row r="2"><c><v>2</v></c></row>',
            '<mergeCell ref="A1:A1048576"/>',
        ),
        (
            "<row/>" * 1000 + "<c/><v/><row><row><c><v>1</v></c></row></row>",
            '<mergeCell ref="ZZZ9:A1"/>',
        ),
        ("<c><v>1</v></c>", '<mergeCell ref="A1:A'),
    ],
)
def test_malformed_sheet_raises_no_error(rows_xml: str, after: str) -> None:
    assert skip_reason(sheet_of(rows_xml, after), "xlsx") in ("", "no text", "damaged xlsx")


def test_cell_in_the_last_column_is_marked() -> None:
    data = sheet_of(
        "".join(f'<row r="{row}"><c r="XFD{row}"><v>1</v></c></row>' for row in range(1, 300))
    )
    assert {row[3] for row in rows(data, "xlsx")} == {"\u2026"}


def test_cells_in_the_far_corners_are_read_within_a_second() -> None:
    corners = '<row r="1"><c r="A1"><v>1</v></c></row>'
    corners += '<row r="1048576"><c r="A1048576"><v>2</v></c><c r="XFD1048576"><v>3</v></c></row>'
    started = time.process_time()
    found = rows(sheet_of(corners, '<dimension ref="A1:XFD1048576"/>'), "xlsx")
    assert [(row[1], row[3][:3], row[3][-1]) for row in found] == [
        (1, "1", "1"),
        (1048576, "2 |", "\u2026"),
    ]
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "cell, text",
    [
        ('<c t="inlineStr"><v>in place</v></c>', "in place"),
        ('<c t="str"><f>A9</f><v> </v></c>', "=A9"),
        ('<c t="s"><f>A9</f></c>', "=A9"),
        ("<c><v>1e400</v></c>", "inf"),
        ('<c t="e"><v>#REF!</v></c>', "#REF!"),
    ],
)
def test_values_that_openpyxl_leaves_out_are_read(cell: str, text: str) -> None:
    assert [row[3] for row in rows(sheet_of(f"<row>{cell}</row>"), "xlsx")] == [text]
