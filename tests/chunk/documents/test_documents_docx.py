"""Tests of Word 2007 and later: headings, lists, tables, notes, changes, dialects, hostile
files.
"""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable

import docx as python_docx
import pytest
from making import compound, docx, p, table
from packing import archive
from reading import blocks, lines, read_checked, skip_reason

from ragit.chunk.documents.block import Place
from ragit.chunk.options import DocumentOptions


def test_headings_form_a_path() -> None:
    body = (
        p("The Book", "T")
        + p("One", "H1")
        + p("a")
        + p("Two", "H2")
        + p("b")
        + p("Own", "Own")
        + p("c")
        + p("Three", "H1")
    )
    paths = [(block.text, block.headings) for block in blocks(docx(body), "docx")]
    assert paths == [
        ("The Book", ("The Book",)),
        ("One", ("The Book", "One")),
        ("a", ("The Book", "One")),
        ("Two", ("The Book", "One", "Two")),
        ("b", ("The Book", "One", "Two")),
        ("Own", ("The Book", "One", "Own")),
        ("c", ("The Book", "One", "Own")),
        ("Three", ("The Book", "Three")),
    ]


def test_outline_level_of_a_paragraph_overrides_its_style() -> None:
    body = p("Title", properties='<w:outlineLvl w:val="0"/>') + p(
        "No title", "H1", properties='<w:outlineLvl w:val="9"/>'
    )
    assert lines(docx(body), "docx") == ["heading: Title", "text: No title"]


NUMBERING = (
    '<w:abstractNum w:abstractNumId="1">'
    '<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>'
    '<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="\u00b7"/></w:lvl>'
    '</w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="6"><w:abstractNumId w:val="2"/></w:num>'
)


def item(text: str, number: int, depth: int = 0) -> str:
    return p(
        text, properties=f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>'
    )


def test_list_items_have_their_numbers() -> None:
    body = (
        item("three", 5)
        + item("a", 5, 1)
        + item("b", 5, 1)
        + item("four", 5)
        + item("a", 5, 1)
        + item("dot", 6)
    )
    assert lines(docx(body, {"numbering": NUMBERING}), "docx") == [
        "list: 3. three",
        "list:   3.a) a",
        "list:   3.b) b",
        "list: 4. four",
        "list:   4.a) a",
        "list: - dot",
    ]


def test_header_row_is_repeated_in_every_chunk() -> None:
    body = p("Before") + table(
        [["Name", "Age"], ["Ada", "36"], ["", ""], ["Alan", p("4") + p("1")]]
    )
    found = blocks(docx(body), "docx")
    assert [(block.kind, block.text, block.repeat) for block in found] == [
        ("text", "Before", ""),
        ("table", "Name | Age", "Name | Age"),
        ("table", "Ada | 36", "Name | Age"),
        ("table", "Alan | 4 1", "Name | Age"),
    ]
    long = read_checked(
        docx(
            table([["Name", "Age"], *([f"Person {number}", str(number)] for number in range(200))])
        ),
        "docx",
    )
    assert len(long.chunks) > 2
    assert all(chunk.text.startswith("Name | Age\n") for chunk in long.chunks)


def test_one_cell_table_is_a_frame_and_nested_table_is_cell_text() -> None:
    inner = table([["x", "y"], ["1", "2"]])
    assert lines(docx(table([[p("Title", "H1") + p("text")]])), "docx") == [
        "heading: Title",
        "text: text",
    ]
    assert lines(docx(table([["A", "B"], ["c", inner]])), "docx") == [
        "table: A | B",
        "table: c | x y 1 2",
    ]


def test_notes_follow_the_paragraph_that_refers_to_them() -> None:
    notes = (
        '<w:footnote w:id="0" w:type="separator"><w:p/></w:footnote>'
        f'<w:footnote w:id="1">{p("See below.")}</w:footnote>'
    )
    comments = f'<w:comment w:id="7">{p("Really?")}</w:comment>'
    reference = (
        '<w:r><w:footnoteReference w:id="1"/></w:r><w:r><w:commentReference w:id="7"/></w:r>'
    )
    body = p("Title", "H1") + p("Said", inner=reference) + p("After")
    found = blocks(docx(body, {"footnotes": notes, "comments": comments}), "docx")
    assert [(block.kind, block.text, block.headings) for block in found] == [
        ("heading", "Title", ("Title",)),
        ("text", "Said", ("Title",)),
        ("note", "footnote: See below.", ("Title",)),
        ("note", "comment: Really?", ("Title",)),
        ("text", "After", ("Title",)),
    ]


def test_repeated_headers_and_footers_are_read_once() -> None:
    parts = {
        "header1": p("Draft"),
        "header2": p("Draft") + p("Secret"),
        "footer1": p("2") + p("ACME Inc."),
    }
    found = blocks(docx(p("Body"), parts), "docx")
    assert [(block.kind, block.text, block.place.within) for block in found] == [
        ("header", "Draft", "header"),
        ("header", "Secret", "header"),
        ("text", "Body", ""),
        ("footer", "ACME Inc.", "footer"),
    ]


def test_text_boxes_are_read_once() -> None:
    inside = f"<w:txbxContent>{p('In a box')}</w:txbxContent>"
    box = (
        f"<w:r><mc:AlternateContent><mc:Choice><wps:txbx>{inside}</wps:txbx></mc:Choice>"
        f"<mc:Fallback><v:textbox>{inside}</v:textbox></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert lines(docx(p("Around", inner=box)), "docx") == ["text: Around", "text: In a box"]
    old = f"<w:r><w:pict><v:textbox>{inside}</v:textbox></w:pict></w:r>"
    assert lines(docx(p("Around", inner=old)), "docx") == ["text: Around", "text: In a box"]


def test_tracked_deletions_are_left_out_and_insertions_read() -> None:
    inner = (
        "<w:ins><w:r><w:t>new </w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGEREF _x \\h</w:instrText><w:t>12</w:t></w:r>'
        "<w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t> control</w:t></w:r></w:sdtContent></w:sdt>"
    )
    assert lines(docx(p("", inner=inner)), "docx") == ["text: new 12 control"]
    assert lines(docx(f"<w:sdt><w:sdtContent>{p('Within')}</w:sdtContent></w:sdt>"), "docx") == [
        "text: Within"
    ]


def test_breaks_tabs_and_image_descriptions_are_read() -> None:
    inner = "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>"
    assert lines(docx(p("", inner=inner)), "docx") == ["text: a b\nc-d"]
    picture = '<w:r><w:drawing><wp:docPr id="1" name="Picture 1" descr="A cat on a roof"/></w:drawing></w:r>'
    assert lines(docx(p("See", inner=picture)), "docx") == ["text: See [image: A cat on a roof]"]


def test_pages_are_counted_at_rendered_page_breaks() -> None:
    end = "<w:r><w:lastRenderedPageBreak/><w:t> goes on</w:t></w:r>"
    found = blocks(docx(p("One") + p("Two", inner=end) + p("Three")), "docx")
    assert [(block.place.first, block.place.last) for block in found] == [(1, 1), (1, 2), (2, 2)]
    assert blocks(docx(p("One")), "docx")[0].place == Place()
    cut = blocks(docx(p("Two", inner=end) * 9), "docx", DocumentOptions(max_pages=3))
    assert cut[-1].text == "[The document goes on: the rest is left out.]" and len(cut) == 4


def test_strict_dialect_and_renamed_main_part_are_read() -> None:
    assert lines(docx(p("One", "H1"), strict=True), "docx") == ["heading: One"]
    assert lines(docx(p("One", "H1"), main="document2"), "docx") == ["heading: One"]


def test_document_written_by_python_docx_is_read() -> None:
    document = python_docx.Document()
    document.add_heading("Report", 0)
    document.add_heading("Results", 1)
    document.add_paragraph("Some text.")
    document.add_paragraph("an item", style="List Bullet")
    grid = document.add_table(rows=2, cols=2)
    grid.cell(0, 0).text, grid.cell(0, 1).text, grid.cell(1, 0).text = "Name", "Value", "x"
    document.sections[0].header.paragraphs[0].text = "Confidential"
    out = io.BytesIO()
    document.save(out)
    assert lines(out.getvalue(), "docx") == [
        "header: Confidential",
        "heading: Report",
        "heading: Results",
        "text: Some text.",
        "list: - an item",
        "table: Name | Value",
        "table: x",
    ]


# Hostile files


def test_zip_bomb_is_skipped() -> None:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed,
        packed.open("word/document.xml", "w") as part,
    ):
        part.write(b"<w>")
        for _ in range(300):
            part.write(b" " * (1 << 20))
    bomb = out.getvalue()
    assert len(bomb) < 1 << 20
    assert skip_reason(bomb, "docx") == "too large unpacked"


def test_archive_of_30_000_parts_is_skipped() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(30_000):
            archive.writestr(f"word/{number}", b"")
    assert skip_reason(out.getvalue(), "docx") == "too many parts"


ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d SYSTEM "file:///etc/passwd">]>'
)


def test_document_type_definition_is_rejected() -> None:
    body = b"<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>&c;&d;</w:t></w:r></w:p></w:body></w:document>"
    assert (
        skip_reason(archive({"word/document.xml": ENTITIES + body}), "docx")
        == "document type definition"
    )
    in_16_bits = (ENTITIES.decode() + body.decode()).encode("utf-16")
    assert (
        skip_reason(archive({"word/document.xml": in_16_bits}), "docx")
        == "document type definition"
    )


def test_deeply_nested_tables_are_skipped() -> None:
    deep = b"<w:document xmlns:w='w'><w:body>" + b"<w:tbl><w:tr><w:tc>" * 50_000
    assert skip_reason(archive({"word/document.xml": deep}), "docx") == "nested too deeply"
    less = "<w:tbl><w:tr><w:tc>" * 60 + p("x") + "</w:tc></w:tr></w:tbl>" * 60
    assert read_checked(docx(less), "docx").text == b"x\n"


def test_cyclic_styles_are_tolerated() -> None:
    circle = "".join(
        f'<w:style w:styleId="{one}"><w:name w:val="{one}"/><w:basedOn w:val="{other}"/></w:style>'
        for one, other in (("A", "B"), ("B", "A"))
    )
    assert lines(docx(p("x", "A"), {"styles": circle}), "docx") == ["text: x"]


@pytest.mark.parametrize("cut", [10, 200, 700, -30])
def test_truncated_docx_is_skipped(cut: int) -> None:
    assert skip_reason(docx(p("Some words"))[:cut], "docx") in (
        "damaged docx",
        "no docx inside",
        "no docx file",
    )


def test_other_format_with_docx_extension_is_reported() -> None:
    assert skip_reason(archive({"other/file": b""}), "docx") == "no docx inside"
    assert skip_reason(b"%PDF-1.4", "docx") == "pdf under another name"
    assert skip_reason(compound({"EncryptedPackage": b"x"}), "docx") == "password-protected"
    assert skip_reason(archive({"xl/workbook.xml": b""}), "docx") == "xlsx under another name"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param(lambda count: "<w:p/>" * count, 400_000, id="paragraphs"),
        pytest.param(
            lambda count: p("", inner="<w:r><w:t>a</w:t></w:r>" * count), 600_000, id="runs"
        ),
        pytest.param(
            lambda count: f"<w:sdt>{'<w:p/>' * count}</w:sdt>",
            2_200_000,
            id="control",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda count: f"<w:tbl>{'<w:tr><w:tc/></w:tr>' * count}</w:tbl>",
            800_000,
            id="rows",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_huge_document_is_read_up_to_a_bound(body: Callable[[int], str], count: int) -> None:
    data = docx(p("First") + body(count))
    assert len(data) < 200_000
    started = time.process_time()
    found = read_checked(data, "docx")
    assert time.process_time() - started < 5
    assert found.text.startswith(b"First\n")
    assert found.text.endswith(b"[The document goes on: the rest is left out.]\n")
