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
from reading import blocks, lines, made, why

from ragit.chunk.documents.block import Place
from ragit.chunk.options import DocumentOptions


def test_titles_are_a_path() -> None:
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


def test_a_level_may_be_the_paragraphs_own() -> None:
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


def test_items_of_lists_have_their_numbers() -> None:
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


def test_rows_stand_under_their_header() -> None:
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
    long = made(
        docx(
            table(
                [["Name", "Age"], *([f"Somebody {number}", str(number)] for number in range(200))]
            )
        ),
        "docx",
    )
    assert len(long.chunks) > 2
    assert all(chunk.text.startswith("Name | Age\n") for chunk in long.chunks)


def test_a_table_of_one_cell_is_a_frame_and_a_table_within_is_text_of_its_cell() -> None:
    inner = table([["x", "y"], ["1", "2"]])
    assert lines(docx(table([[p("Title", "H1") + p("text")]])), "docx") == [
        "heading: Title",
        "text: text",
    ]
    assert lines(docx(table([["A", "B"], ["c", inner]])), "docx") == [
        "table: A | B",
        "table: c | x y 1 2",
    ]


def test_notes_stand_behind_the_paragraph_that_refers_to_them() -> None:
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


def test_headers_and_footers_stand_once() -> None:
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


def test_what_was_deleted_is_gone_and_what_was_inserted_is_there() -> None:
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


def test_breaks_tabs_and_pictures() -> None:
    inner = "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>"
    assert lines(docx(p("", inner=inner)), "docx") == ["text: a b\nc-d"]
    picture = '<w:r><w:drawing><wp:docPr id="1" name="Picture 1" descr="A cat on a roof"/></w:drawing></w:r>'
    assert lines(docx(p("See", inner=picture)), "docx") == ["text: See [image: A cat on a roof]"]


def test_pages_where_word_says_where_they_end() -> None:
    end = "<w:r><w:lastRenderedPageBreak/><w:t> goes on</w:t></w:r>"
    found = blocks(docx(p("One") + p("Two", inner=end) + p("Three")), "docx")
    assert [(block.place.first, block.place.last) for block in found] == [(1, 1), (1, 2), (2, 2)]
    assert blocks(docx(p("One")), "docx")[0].place == Place()
    cut = blocks(docx(p("Two", inner=end) * 9), "docx", DocumentOptions(max_pages=3))
    assert cut[-1].text == "[The document goes on: the rest is left out.]" and len(cut) == 4


def test_the_strict_dialect_and_a_main_part_of_another_name() -> None:
    assert lines(docx(p("One", "H1"), strict=True), "docx") == ["heading: One"]
    assert lines(docx(p("One", "H1"), main="document2"), "docx") == ["heading: One"]


def test_made_by_another_hand() -> None:
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


def test_a_zip_bomb() -> None:
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
    assert why(bomb, "docx") == "too large unpacked"


def test_parts_by_the_hundred_thousand() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(30_000):
            archive.writestr(f"word/{number}", b"")
    assert why(out.getvalue(), "docx") == "too many parts"


ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d SYSTEM "file:///etc/passwd">]>'
)


def test_entities() -> None:
    body = b"<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>&c;&d;</w:t></w:r></w:p></w:body></w:document>"
    assert (
        why(archive({"word/document.xml": ENTITIES + body}), "docx") == "document type definition"
    )
    in_16_bits = (ENTITIES.decode() + body.decode()).encode("utf-16")
    assert why(archive({"word/document.xml": in_16_bits}), "docx") == "document type definition"


def test_nested_without_end() -> None:
    deep = b"<w:document xmlns:w='w'><w:body>" + b"<w:tbl><w:tr><w:tc>" * 50_000
    assert why(archive({"word/document.xml": deep}), "docx") == "nested too deeply"
    less = "<w:tbl><w:tr><w:tc>" * 60 + p("x") + "</w:tc></w:tr></w:tbl>" * 60
    assert made(docx(less), "docx").text == b"x\n"


def test_styles_that_are_based_on_each_other() -> None:
    circle = "".join(
        f'<w:style w:styleId="{one}"><w:name w:val="{one}"/><w:basedOn w:val="{other}"/></w:style>'
        for one, other in (("A", "B"), ("B", "A"))
    )
    assert lines(docx(p("x", "A"), {"styles": circle}), "docx") == ["text: x"]


@pytest.mark.parametrize("cut", [10, 200, 700, -30])
def test_truncated(cut: int) -> None:
    assert why(docx(p("Some words"))[:cut], "docx") in (
        "damaged docx",
        "no docx inside",
        "no docx file",
    )


def test_under_the_name_of_another() -> None:
    assert why(archive({"other/file": b""}), "docx") == "no docx inside"
    assert why(b"%PDF-1.4", "docx") == "pdf under another name"
    assert why(compound({"EncryptedPackage": b"x"}), "docx") == "password-protected"
    assert why(archive({"xl/workbook.xml": b""}), "docx") == "xlsx under another name"


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
def test_paragraphs_by_the_million_are_read_as_far_as_a_bound(
    body: Callable[[int], str], count: int
) -> None:
    data = docx(p("First") + body(count))
    assert len(data) < 200_000
    started = time.process_time()
    found = made(data, "docx")
    assert time.process_time() - started < 5
    assert found.text.startswith(b"First\n")
    assert found.text.endswith(b"[The document goes on: the rest is left out.]\n")
