"""Tests that a table gives the same text in all formats of spreadsheets, and that hostile files are
harmless.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import compound
from packing import (
    DATE,
    GENERAL,
    MOMENT,
    PADDED,
    PERCENT,
    archive,
    odf,
    ods_cell,
    ods_row,
    ods_table,
    parts_of,
    xls,
    xlsx,
)
from reading import OPTIONS, blocks, read_checked, skip_reason

from ragit.chunk.documents import excel, values
from ragit.chunk.documents.block import Block, Bounds, Unreadable
from ragit.chunk.documents.sheets import Notes, Row, sheet

pytestmark = pytest.mark.usefixtures("quiet")


def rows(data: bytes, language: str) -> list[tuple[str, int, str, str]]:
    """Return sheet, number, header and text of each row."""
    found = [block for block in blocks(data, language) if block.kind == "table"]
    return [(block.place.within, block.place.first, block.repeat, block.text) for block in found]


# -- the same table in three formats
# ---------------------------------------------------------------------------------


def as_xlsx() -> bytes:
    def change(book: Any) -> None:
        book["Costs"].sheet_state = "hidden"
        book["Budget"].merge_cells("B3:B4")

    return xlsx(
        {
            "Budget": {
                "A1": "Budget of 2024",
                "A2": "Day",
                "B2": "Region",
                "C2": "Item",
                "D2": "Cost",
                "E2": "Share",
                "F2": "Code",
                "G2": "Paid",
                "A3": (datetime(2024, 1, 3), "yyyy-mm-dd"),
                "B3": "North",
                "C3": "Chairs  and\ntables",
                "D3": 0.1 + 0.2,
                "E3": (0.125, "0.0%"),
                "F3": (7, "00000"),
                "G3": True,
                "A4": (datetime(2024, 1, 4, 14, 30), "yyyy-mm-dd hh:mm"),
                "C4": "Lamps",
                "D4": 3.0,
                "G4": "#DIV/0!",
            },
            "Costs": {"A1": "What", "B1": "How much", "A2": "Rent", "B2": 1200},
        },
        change,
    )


def as_xls() -> bytes:
    budget = [
        *((0, 0, GENERAL, "Budget of 2024"),),
        *(
            (1, at, GENERAL, name)
            for at, name in enumerate(("Day", "Region", "Item", "Cost", "Share", "Code", "Paid"))
        ),
        *(
            (2, 0, DATE, 45294),
            (2, 1, GENERAL, "North"),
            (2, 2, GENERAL, "Chairs  and\ntables"),
            (2, 3, GENERAL, 0.1 + 0.2),
        ),
        *((2, 4, PERCENT, 0.125), (2, 5, PADDED, 7), (2, 6, GENERAL, True)),
        *(
            (3, 0, MOMENT, 45295 + 14.5 / 24),
            (3, 2, GENERAL, "Lamps"),
            (3, 3, GENERAL, 3),
            (3, 6, GENERAL, b"\x07"),
        ),
    ]
    costs = [
        (0, 0, GENERAL, "What"),
        (0, 1, GENERAL, "How much"),
        (1, 0, GENERAL, "Rent"),
        (1, 1, GENERAL, 1200),
    ]
    return xls({"Budget": budget, "Costs": costs}, hidden=["Costs"], merged=[(2, 3, 1, 1)])


def as_ods() -> bytes:
    header = ("Day", "Region", "Item", "Cost", "Share", "Code", "Paid")
    empty = "<table:table-cell/>"
    budget = (
        ods_row(ods_cell("Budget of 2024"))
        + ods_row(
            *map(ods_cell, header), '<table:table-cell table:number-columns-repeated="16377"/>'
        )
        + ods_row(
            ods_cell("03.01.24", "date", "2024-01-03"),
            ods_cell("North", more='table:number-rows-spanned="2"'),
            ods_cell("Chairs  and\ntables"),
            ods_cell("0,30", "float", "0.30000000000000004"),
            ods_cell("12,5 %", "percentage", "0.125"),
            ods_cell("00007"),
            ods_cell("WAHR", "boolean", "true"),
        )
        + ods_row(
            ods_cell("04.01.24 14:30", "date", "2024-01-04T14:30:00"),
            "<table:covered-table-cell/>",
            ods_cell("Lamps"),
            ods_cell("3,00 €", "currency", "3"),
            empty,
            empty,
            ods_cell("#DIV/0!"),
        )
        + ods_row(empty, times=1048572)
    )
    costs = ods_row(ods_cell("What"), ods_cell("How much")) + ods_row(
        ods_cell("Rent"), ods_cell("1.200", "float", "1200")
    )
    properties = '<style:table-properties table:display="false"/>'
    hide = f'<style:style style:name="ta2" style:family="table">{properties}</style:style>'
    return odf(
        "spreadsheet", ods_table("Budget", budget, "ta1") + ods_table("Costs", costs, "ta2"), hide
    )


@pytest.mark.parametrize("language, build", [("xlsx", as_xlsx), ("xls", as_xls), ("ods", as_ods)])
def test_table_reads_the_same_in_every_format(language: str, build: Callable[[], bytes]) -> None:
    header = "Day | Region | Item | Cost | Share | Code | Paid"
    assert rows(build(), language) == [
        ("sheet Budget", 1, "", "Budget of 2024"),
        (
            "sheet Budget",
            3,
            header,
            "2024-01-03 | North | Chairs and tables | 0.3 | 12.5% | 00007 | TRUE",
        ),
        ("sheet Budget", 4, header, "2024-01-04 14:30 | North | Lamps | 3 | | | #DIV/0!"),
        ("sheet Costs (hidden)", 2, "What | How much", "Rent | 1200"),
    ]


@pytest.mark.parametrize("language, build", [("xlsx", as_xlsx), ("xls", as_xls), ("ods", as_ods)])
def test_chunk_names_its_sheet_and_rows(language: str, build: Callable[[], bytes]) -> None:
    chunks = read_checked(build(), language).chunks
    assert [(chunk.symbol, chunk.place) for chunk in chunks] == [
        ("Budget", "sheet Budget rows 1-4"),
        ("Costs", "sheet Costs (hidden) row 2"),
    ]


def test_header_is_repeated_in_every_chunk() -> None:
    cells: dict[str, Any] = {"A1": "Name", "B1": "Size"}
    for row in range(2, 400):
        cells |= {f"A{row}": f"a long name that fills the row, number {row}", f"B{row}": row * 1.5}
    chunks = read_checked(xlsx({"Parts": cells}), "xlsx").chunks
    assert len(chunks) > 5
    assert all("Name | Size" in chunk.text.splitlines()[:3] for chunk in chunks)
    assert all(chunk.symbol == "Parts" or chunk.parent == "Parts" for chunk in chunks)
    assert [chunk.place.startswith("sheet Parts rows ") for chunk in chunks] == [True] * len(chunks)


# -- headers
# -----------------------------------------------------------------------------------------------------------


def table_blocks(*table: Row) -> list[tuple[str, str]]:
    return [
        (block.repeat, block.text)
        for block in sheet("S", False, table, Notes())
        if block.kind == "table"
    ]


def test_second_table_has_its_own_header() -> None:
    found = table_blocks(
        Row(1, ["Name", "Size"]),
        Row(2, ["bolt", "3"], True),
        Row(4, ["More of them"]),
        Row(5, ["Part", "Weight"]),
        Row(6, ["nut", "2"], True),
        Row(8, ["washer", "1"], True),
    )
    assert found == [
        ("Name | Size", "bolt | 3"),
        ("", "More of them"),
        ("Part | Weight", "nut | 2"),
        ("Part | Weight", "washer | 1"),
    ]


def test_numbers_lone_rows_and_equal_cells_are_not_headers() -> None:
    assert table_blocks(Row(1, ["1", "2"], True), Row(2, ["3", "4"], True)) == [
        ("", "1 | 2"),
        ("", "3 | 4"),
    ]
    assert table_blocks(Row(1, ["Name", "Size"])) == [("", "Name | Size")]
    assert table_blocks(Row(1, ["yes", "yes"]), Row(2, ["no", "3"], True)) == [
        ("", "yes | yes"),
        ("", "no | 3"),
    ]


def test_mostly_empty_row_names_its_columns() -> None:
    header = Row(1, ["Id", "A", "B", "C", "D", "E", "F"])
    full = Row(2, ["1", "2", "3", "4", "5", "6", "7"], True)
    assert (
        table_blocks(header, full, Row(3, ["9", "", "", "", "", "", "4"], True))[1][1]
        == "Id: 9 | F: 4"
    )


def test_vertically_merged_value_is_repeated_in_its_rows() -> None:
    found = table_blocks(
        Row(1, ["Region", "Item"]),
        Row(2, ["North", "a"], merged={1: 3}),
        Row(3, ["", "b"], True),
        Row(4, ["", "c"], True),
    )
    assert [text for _, text in found] == ["North | a", "North | b", "| c"]


# -- values
# ------------------------------------------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_15_significant_digits(value: float) -> None:
    assert Decimal(values.number(value)) == Decimal(f"{value:.15g}")


@given(st.integers(-(10**15), 10**15))
def test_whole_numbers_have_no_decimal_point(value: int) -> None:
    assert values.number(float(value)) in (str(value), f"-{value}") and values.number(value) == str(
        value
    )


@pytest.mark.parametrize(
    "value, shown_as, text",
    [
        (0.1 + 0.2, "", "0.3"),
        (1234567.5, "#,##0.00", "1234567.5"),
        (0.07, "0%", "7%"),
        (5, '0" %"', "5"),
        (42, "00000", "00042"),
        (1e-7, "", "0.0000001"),
        (1e300, "", "1e+300"),
        (float("inf"), "", "inf"),
        (float("nan"), "0%", "nan%"),
    ],
)
def test_numbers_are_formatted_for_reading(value: float, shown_as: str, text: str) -> None:
    assert values.number(value, shown_as) == text


@pytest.mark.parametrize(
    "value, text",
    [
        (datetime(2024, 1, 3), "2024-01-03"),
        (datetime(2024, 1, 3, 14, 30), "2024-01-03 14:30"),
        (datetime(2024, 1, 3, 13, 59, 59, 999_999), "2024-01-03 14:00"),
        (datetime.max, "9999-12-31 23:59:59"),
        (date(2024, 2, 29), "2024-02-29"),
        (time(8, 5, 9), "08:05:09"),
        (timedelta(hours=30, minutes=5), "30:05:00"),
        (-timedelta(seconds=61), "-0:01:01"),
    ],
)
def test_dates_and_times_are_formatted(value: object, text: str) -> None:
    assert values.moment(value) == text


@pytest.mark.parametrize(
    "shown_as, is_date",
    [
        ("yyyy-mm-dd", True),
        ("[h]:mm", True),
        ("h:mm AM/PM", True),
        ("General", False),
        ('0.00" days"', False),
    ]
    + [
        ("[Red]0.0", False),
        ("#,##0\\ \\m", False),
        ("0.00E+00", False),
        ('0;"yes"', False),
        ("[$-409]d/m/yy;@", True),
        ("[=0]?;[hh]:mm", True),
        ("[=0]?;0%", False),
    ],
)
def test_date_formats_are_recognised(shown_as: str, is_date: bool) -> None:
    assert excel.number(45295.25, shown_as, False)[1] == is_date


@pytest.mark.parametrize(
    "days, since_1904, shown_as, text",
    [
        (45295.604166666664, False, "yyyy-mm-dd", "2024-01-04 14:30"),
        (0.75, False, "h:mm", "18:00"),
        (1.25, False, "[h]:mm", "30:00:00"),
        (59, False, "yyyy-mm-dd", "1900-02-28"),
        (61, False, "yyyy-mm-dd", "1900-03-01"),
        (0, True, "yyyy-mm-dd", "1904-01-01"),
        (-1, False, "yyyy-mm-dd", "-1"),
        (1e12, False, "yyyy-mm-dd", "1000000000000"),
        (float("nan"), False, "yyyy-mm-dd", "nan"),
        (float("inf"), False, "[h]", "inf"),
    ],
)
def test_serial_days_are_converted_to_dates(
    days: float, since_1904: bool, shown_as: str, text: str
) -> None:
    assert excel.number(days, shown_as, since_1904)[0] == text


@pytest.mark.parametrize(
    "iso, text",
    [
        ("2024-01-04", "2024-01-04"),
        ("2024-01-04T00:00:00", "2024-01-04"),
        ("2024-01-04T13:59:59.999999999", "2024-01-04 14:00"),
        ("14:30:05Z", "14:30:05"),
        ("2024-13-44", "2024-13-44"),
        ("0 a.m.", "0 a.m."),
        ("", ""),
    ],
)
def test_iso_dates_are_formatted(iso: str, text: str) -> None:
    assert values.written_moment(iso) == text


# -- formulas, comments, shapes, dialects
# ------------------------------------------------------------------------------


def test_formula_without_a_cached_value_is_read_as_text() -> None:
    data = xlsx({"S": {"A1": "Sum", "B1": "Of", "A2": "=SUM(B2:B9)", "B2": 4}})
    assert rows(data, "xlsx") == [("sheet S", 2, "Sum | Of", "=SUM(B2:B9) | 4")]
    parts = parts_of(data)
    cell = (
        parts["xl/worksheets/sheet1.xml"]
        .replace(b"<v></v>", b"<v>44</v>")
        .replace(b"<v />", b"<v>44</v>")
    )
    assert cell != parts["xl/worksheets/sheet1.xml"]
    assert rows(archive({**parts, "xl/worksheets/sheet1.xml": cell}), "xlsx")[0][3] == "44 | 4"


def test_comment_follows_its_row() -> None:
    def change(book: Any) -> None:
        from openpyxl.comments import Comment

        book["S"]["A2"].comment = Comment("not\nyet paid", "Ada")
        book["S"]["C9"].comment = Comment("of an empty cell", "Ada")

    found = blocks(
        xlsx(
            {"S": {"A1": "Who", "B1": "What", "A2": "Bob", "B2": 3, "A3": "Eve", "B3": 4}}, change
        ),
        "xlsx",
    )
    assert [block.text for block in found] == [
        "S",
        "Bob | 3",
        "comment on A2: not yet paid",
        "Eve | 4",
        "comment on C9: of an empty cell",
    ]


def test_wrong_sheet_dimension_is_ignored() -> None:
    parts = parts_of(xlsx({"S": {"A1": 1, "C7": "far"}}))
    name = "xl/worksheets/sheet1.xml"
    small = parts[name].replace(b'ref="A1:C7"', b'ref="A1"')
    assert small != parts[name]
    assert [row[1] for row in rows(archive({**parts, name: small}), "xlsx")] == [1, 7]


def test_comment_outside_data_rows_follows_the_next_row() -> None:
    note = "<office:annotation><text:p>said</text:p></office:annotation>"
    body = (
        ods_row(ods_cell("Name"), ods_cell("Size", inner=note))
        + ods_row(ods_cell("bolt"), ods_cell("3", "float", "3"))
        + ods_row(ods_cell(inner=note, more='table:number-columns-repeated="28"'), times=1)
        + ods_row(ods_cell("nut"), ods_cell("2", "float", "2"))
        + ods_row(
            ods_cell(),
            "<table:table-cell table:number-columns-repeated='26'/>",
            ods_cell(inner=note),
        )
    )
    assert [text for *_, text in rows(odf("spreadsheet", ods_table("S", body)), "ods")] == [
        "bolt | 3",
        "comment on B1: said",
        "nut | 2",
        "comment on A3: said",
    ]
    last = blocks(odf("spreadsheet", ods_table("S", body)), "ods")[-1]
    assert (last.kind, last.text) == ("note", "comment on AB5: said")


# -- bounds
# ------------------------------------------------------------------------------------------------------------


def test_distant_cells_give_only_their_own_rows() -> None:
    data = xlsx({"S": {"A1": "near", "XFD1048576": "far", "C500000": "between"}})
    assert [(row[1], row[3]) for row in rows(data, "xlsx")] == [
        (1, "near"),
        (500000, "between"),
        (1048576, "…"),
    ]
    corner = [(0, 0, GENERAL, "near"), (65535, 255, GENERAL, "far")]
    assert [(row[1], row[3]) for row in rows(xls({"S": corner}), "xls")] == [
        (1, "near"),
        (65536, "…"),
    ]


def test_columns_beyond_the_bound_are_marked() -> None:
    from ragit.chunk.documents import odf as opendocument
    from ragit.chunk.documents import xlsx as workbook

    narrow = Bounds(columns=3)
    data = xlsx({"S": {"A1": 1, "B1": 2, "C1": 3, "D1": 4}})
    assert [block.text for block in workbook.read(data, narrow)] == ["S", "1 | 2 | 3 | …"]
    many = odf(
        "spreadsheet",
        ods_table("S", ods_row(ods_cell("x", more='table:number-columns-repeated="1000000"'))),
    )
    assert [block.text for block in opendocument.read(many, narrow)] == ["S", "x | x | x | …"]


def test_repeated_row_ends_at_the_text_bound() -> None:
    data = odf(
        "spreadsheet", ods_table("S", ods_row(ods_cell("again and again"), times=99_999_999))
    )
    found = blocks(data, "ods", OPTIONS._replace(max_text=3000))
    assert len(found) < 210
    assert found[-1].text.endswith("[The text goes on: the rest is left out.]")


def test_shared_string_ends_at_the_text_bound() -> None:
    cells: dict[str, Any] = {f"A{row}": "long " * 5000 for row in range(1, 300)}
    assert (
        sum(
            len(block.text)
            for block in blocks(xlsx({"S": cells}), "xlsx", OPTIONS._replace(max_text=100_000))
        )
        < 100_100
    )


def test_sheets_beyond_the_bound_are_left_out() -> None:
    data = xlsx({f"S{number}": {"A1": number} for number in range(5)})
    found = blocks(data, "xlsx", OPTIONS._replace(max_pages=2))
    assert [block.text for block in found] == [
        "S0",
        "0",
        "S1",
        "1",
        "[The sheets go on: the rest is left out.]",
    ]


# -- other files under that name, and hostile ones
# ---------------------------------------------------


def test_zip_bomb_is_rejected_only_in_a_part_that_is_read() -> None:
    parts = parts_of(as_xlsx())
    parts["xl/media/picture.bin"] = bytes(40 << 20)
    options = OPTIONS._replace(max_unpacked=30 << 20)
    assert skip_reason(archive(parts), "xlsx", options) == "", "an unread part is not unpacked"
    parts["xl/worksheets/sheet1.xml"] += b" " * (40 << 20)
    assert skip_reason(archive(parts), "xlsx", options) == "too large unpacked"


def test_zip_bomb_with_a_false_size_is_rejected() -> None:
    parts = parts_of(as_xlsx())
    parts["xl/styles.xml"] = b" " * (40 << 20)
    data = archive(parts)
    with zipfile.ZipFile(BytesIO(data)) as packed:
        size = packed.getinfo("xl/styles.xml").file_size
    forged = data.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert forged != data
    assert skip_reason(forged, "xlsx") == "damaged xlsx"
    assert (
        skip_reason(forged, "xlsx", OPTIONS._replace(max_unpacked=30 << 20)) == "too large unpacked"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_document_type_definition_is_rejected(encoding: str) -> None:
    bomb = '<!DOCTYPE sst [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><styleSheet><t>&b;</t></styleSheet>'
    for part in ("xl/styles.xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml", "_rels/.rels"):
        assert (
            skip_reason(archive({**parts_of(as_xlsx()), part: bomb.encode(encoding)}), "xlsx")
            == "document type definition"
        )
    content = archive(
        {"content.xml": bomb.encode(encoding)},
        {"mimetype": "application/vnd.oasis.opendocument.text"},
    )
    assert skip_reason(content, "odt") == "document type definition"


def test_declared_encoding_does_not_hide_a_definition() -> None:
    bomb = (
        '<?xml version="1.0" encoding="{}"?><!DOCTYPE x [<!ENTITY a "ha">]><workbook>&a;</workbook>'
    )
    for name, reason in (
        ("utf-16-le", "damaged xlsx"),
        ("cp037", "damaged xlsx"),
        ("utf-7", "document type definition"),
    ):
        data = bomb.format(name).encode("ascii" if name == "utf-7" else name)
        assert (
            skip_reason(archive({**parts_of(as_xlsx()), "xl/workbook.xml": data}), "xlsx") == reason
        )


@pytest.mark.parametrize("language, build", [("xlsx", as_xlsx), ("xls", as_xls), ("ods", as_ods)])
def test_half_a_file_is_reported_as_damaged(language: str, build: Callable[[], bytes]) -> None:
    data = build()
    assert skip_reason(data[: len(data) // 2], language).startswith("damaged")


def test_cyclic_sector_chain_is_reported_as_damaged() -> None:
    data = bytearray(as_xls())
    table = 512 * (1 + int.from_bytes(data[76:80], "little"))
    data[table : table + 4] = (0).to_bytes(4, "little")
    assert skip_reason(bytes(data), "xls") == "damaged xls"


def test_encrypted_workbook_is_reported() -> None:
    assert (
        skip_reason(compound({"EncryptedPackage": b"x", "EncryptionInfo": b"y"}), "xlsx")
        == "password-protected"
    )
    filepass = (
        b"\x09\x08\x10\x00\x00\x06\x05\x00\xbb\x1d\xcc\x07\0\0\0\0\x06\0\0\0"
        + b"\x2f\x00\x06\x00\x00\x00\x01\x02\x03\x04"
    )
    assert (
        skip_reason(compound({"Workbook": filepass + b"\x0a\0\0\0"}), "xls") == "password-protected"
    )
    manifest = {"META-INF/manifest.xml": "<manifest><encryption-data/></manifest>"}
    assert skip_reason(odf("spreadsheet", "", more=manifest), "ods") == "password-protected"


def test_format_is_detected_despite_the_extension() -> None:
    assert read_checked(as_xls(), "xlsx").language == "xls"
    assert read_checked(as_xlsx(), "xls").language == "xlsx"
    assert read_checked(as_ods(), "xlsx").language == "ods"


def test_empty_sheet_gives_no_text() -> None:
    assert skip_reason(xlsx({"S": {}}), "xlsx") == "no text"
    assert (
        skip_reason(
            odf("spreadsheet", ods_table("S", ods_row("<table:table-cell/>", times=1000))), "ods"
        )
        == "no text"
    )


def test_deeply_nested_cell_is_rejected() -> None:
    deep = "<text:span>" * 500 + "x" + "</text:span>" * 500
    with pytest.raises(Unreadable, match="nested too deeply"):
        blocks(
            odf(
                "spreadsheet",
                ods_table(
                    "S", ods_row(f"<table:table-cell><text:p>{deep}</text:p></table:table-cell>")
                ),
            ),
            "ods",
        )


@pytest.mark.parametrize("language, build", [("xlsx", as_xlsx), ("xls", as_xls), ("ods", as_ods)])
def test_reading_is_deterministic(language: str, build: Callable[[], bytes]) -> None:
    data = build()
    first: list[Block] = blocks(data, language)
    assert first == blocks(data, language)
