"""Tests of slides, OpenDocument texts, books, RTF and notebooks: texts, places and refusals."""

from __future__ import annotations

import json

import pytest
from packing import (
    archive,
    epub,
    notebook,
    odf,
    paragraph,
    parts_of,
    pptx,
    rtf,
    shape,
    slide,
    slide_table,
)
from reading import OPTIONS, blocks, lines, read_checked, skip_reason

pytestmark = pytest.mark.usefixtures("quiet")


def places(data: bytes, language: str) -> list[tuple[str, str]]:
    """Return each chunk's place, and its own heading or the headings around it."""
    return [
        (chunk.place, chunk.symbol or chunk.parent) for chunk in read_checked(data, language).chunks
    ]


# -- .pptx
# -----------------------------------------------------------------------------------------------------------


def test_slide_gives_title_shapes_and_notes() -> None:
    shapes = (
        shape(paragraph("Oil the gears"), paragraph("daily", 1), role="body"),
        shape(paragraph("Lubrication"), role="title"),
        f"<p:grpSp><p:grpSp>{shape(paragraph('grouped'))}</p:grpSp></p:grpSp>",
        shape(paragraph("12"), role="sldNum"),
        slide_table([["Part", "Grade"], ["bearing", "68"], ["seal", ""]]),
    )
    notes = f"<p:notes xmlns:p='urn:p' xmlns:a='urn:a'>{shape(paragraph('Say it twice'), role='body')}</p:notes>"
    data = pptx([slide(*shapes)], beside={1: {"notesSlide": notes}})
    assert lines(data, "pptx") == [
        "heading: Lubrication",
        "list: - Oil the gears\n  - daily",
        "text: grouped",
        "table: bearing | 68",
        "table: seal |",
        "note: Say it twice",
    ]
    found = blocks(data, "pptx")
    assert {block.headings for block in found} == {("Lubrication",)}
    assert {block.repeat for block in found if block.kind == "table"} == {"Part | Grade"}
    assert places(data, "pptx") == [("slide 1", "Lubrication")]


def test_slides_follow_the_presentation_order() -> None:
    data = pptx(
        [slide(shape(paragraph(word))) for word in ("third", "first", "second")], order=[2, 3, 1]
    )
    found = [(block.text, block.place.first) for block in blocks(data, "pptx")]
    assert found == [("first", 1), ("second", 2), ("third", 3)]


def test_hidden_slide_is_marked_in_its_place() -> None:
    data = pptx(
        [slide(shape(paragraph("shown"))), slide(shape(paragraph("not shown")), hidden=True)]
    )
    assert [place for place, _ in places(data, "pptx")] == ["slide 1", "hidden slide 2"]


def test_fallback_content_is_not_read() -> None:
    both = "<mc:Choice>{}</mc:Choice><mc:Fallback>{}</mc:Fallback>".format(
        shape(paragraph("new")), shape(paragraph("old"))
    )
    assert lines(pptx([slide(f"<mc:AlternateContent>{both}</mc:AlternateContent>")]), "pptx") == [
        "text: new"
    ]


def test_charts_and_comments_of_a_slide_are_read() -> None:
    chart = "<c:c xmlns:c='urn:c'><c:strCache><c:pt><c:v>East</c:v></c:pt></c:strCache><c:v>4.5</c:v></c:c>"
    comments = "<p:l xmlns:p='urn:p'><p:cm><p:text>check this</p:text></p:cm><p:cm><p:text>done</p:text></p:cm></p:l>"
    data = pptx(
        [slide(shape(paragraph("Sales"), role="ctrTitle"))],
        beside={1: {"chart": chart, "comments": comments}},
    )
    assert lines(data, "pptx") == ["heading: Sales", "text: East", "note: check this", "note: done"]


def test_slides_beyond_the_bound_are_left_out() -> None:
    data = pptx([slide(shape(paragraph(f"number {at}"))) for at in range(5)])
    found = blocks(data, "pptx", OPTIONS._replace(max_pages=2))
    assert [block.text for block in found] == [
        "number 0",
        "number 1",
        "[The slides go on: the rest is left out.]",
    ]


# -- OpenDocument
# ----------------------------------------------------------------------------------------------------

TEXT = (
    "<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion>"
    "</text:changed-region></text:tracked-changes>"
    "<text:table-of-content><text:index-body><text:p>Contents 1</text:p></text:index-body></text:table-of-content>"
    '<text:h text:outline-level="1">Gears</text:h>'
    '<text:p>A<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d<text:span>!</text:span>'
    "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a footnote</text:p></text:note-body>"
    "</text:note></text:p>"
    '<text:h text:outline-level="2">Oil</text:h>'
    "<text:list><text:list-item><text:p>one</text:p><text:p>goes on</text:p><text:list><text:list-item><text:p>within"
    "</text:p></text:list-item></text:list></text:list-item></text:list>"
    "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Part</text:p></table:table-cell>"
    "<table:table-cell><text:p>Grade</text:p></table:table-cell></table:table-row></table:table-header-rows>"
    "<table:table-row><table:table-cell><text:p>bear</text:p><text:p>ing</text:p></table:table-cell><table:table-cell><text:p>68</text:p>"
    "</table:table-cell></table:table-row></table:table>"
    "<text:p><draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p>"
    '<text:h text:outline-level="1">End</text:h><text:p>The end.</text:p>'
)


def test_opendocument_text_is_read_in_order() -> None:
    edges = "<style:header><text:p>Manual</text:p></style:header><style:footer><text:p>page</text:p></style:footer>"
    assert lines(odf("text", TEXT, edges=edges), "odt") == [
        "header: Manual",
        "heading: Gears",
        "text: A  b\tc\nd!",
        "note: a footnote",
        "heading: Oil",
        "list: - one",
        "list:   goes on",
        "list:   - within",
        "table: bear ing | 68",
        "text: boxed",
        "heading: End",
        "text: The end.",
        "footer: page",
    ]


def test_opendocument_headings_apply_to_following_blocks() -> None:
    found = {block.text: block.headings for block in blocks(odf("text", TEXT), "odt")}
    assert found["- one"] == ("Gears", "Oil")
    assert found["The end."] == ("End",)


def test_pages_are_counted_at_soft_page_breaks() -> None:
    body = "<text:p>first</text:p><text:p><text:soft-page-break/>second</text:p>"
    assert [block.place.first for block in blocks(odf("text", body), "odt")] == [1, 2]
    assert [block.place.unit for block in blocks(odf("text", "<text:p>first</text:p>"), "odt")] == [
        ""
    ]


def test_opendocument_presentation_is_read() -> None:
    page = (
        '<draw:page draw:name="p1"><draw:frame><draw:text-box><text:list><text:list-item><text:p>point</text:p>'
        "</text:list-item></text:list></draw:text-box></draw:frame>"
        '<draw:frame presentation:class="title"><draw:text-box><text:p>Gears</text:p></draw:text-box></draw:frame>'
        "<draw:g><draw:custom-shape><text:p>grouped</text:p></draw:custom-shape></draw:g>"
        "<presentation:notes><draw:frame><draw:text-box><text:p>say it</text:p></draw:text-box></draw:frame>"
        "</presentation:notes>"
        "</draw:page>"
    )
    data = odf("presentation", page * 2)
    assert lines(data, "odp")[:4] == [
        "heading: Gears",
        "list: - point",
        "text: grouped",
        "note: say it",
    ]
    assert [block.place.first for block in blocks(data, "odp")] == [1, 1, 1, 1, 2, 2, 2, 2]


def test_repeated_spaces_are_bounded() -> None:
    body = '<text:p>a<text:s text:c="99999999"/>b</text:p>'
    assert len(blocks(odf("text", body), "odt")[0].text) < 200


# -- .epub
# -----------------------------------------------------------------------------------------------------------

PAGE = """<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd">
<html><head><title>no</title><style>p {{}}</style></head><body><h1>{0}</h1><p>Some&nbsp;text<br/>of {0} &amp; more.
</p><ul><li>item<ul><li><p>inner</p></li></ul></li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><p>2</p></td></tr>
</table><pre>  code
    more</pre><script>alert()</script><h2>Under</h2>tail</body></html>"""


def test_book_is_read_in_spine_order() -> None:
    pages = {
        "b.xhtml": PAGE.format("Two"),
        "a 1.xhtml": PAGE.format("One"),
        "nav.xhtml": PAGE.format("Contents"),
    }
    data = epub(pages, ["nav.xhtml", "a 1.xhtml", "b.xhtml"], nav="nav.xhtml")
    found = blocks(data, "epub")
    assert [
        (block.text, block.place.first)
        for block in found
        if block.kind == "heading" and len(block.headings) == 1
    ] == [
        ("One", 1),
        ("Two", 2),
    ]
    assert lines(data, "epub")[: len(found) // 2] == [
        "heading: One",
        "text: Some text of One & more.",
        "list: - item",
        "list:   - inner",
        "table: 1 | 2",
        "code:   code\n    more",
        "heading: Under",
        "text: tail",
    ]
    assert [block.repeat for block in found if block.kind == "table"] == ["a | b", "a | b"]


def test_svg_text_and_object_fallback_are_read() -> None:
    drawing = "<svg><metadata>no</metadata><style>no</style><g><text>of a <tspan>drawing</tspan></text><path/></g></svg>"
    data = epub({"a.xhtml": f"<p>before</p>{drawing}<object data='x'><p>instead</p></object>after"})
    assert lines(data, "epub") == [
        "text: before",
        "text: of a drawing",
        "text: instead",
        "text: after",
    ]
    assert lines(archive_with_drawing(drawing), "epub") == ["text: of a drawing"]


def archive_with_drawing(drawing: str) -> bytes:
    """Return a book whose page is a drawing."""
    parts = parts_of(epub({"a.svg": drawing}))
    package = parts["OEBPS/book.opf"].replace(b"application/xhtml+xml", b"image/svg+xml")
    return archive({**parts, "OEBPS/book.opf": package})


def test_truncated_page_is_read() -> None:
    assert lines(epub({"a.xhtml": "<html><body><p>one<table><tr><td>two"}), "epub") == [
        "text: one",
        "table: two",
    ]


def test_only_encrypted_pages_make_a_book_protected() -> None:
    encryption = (
        '<encryption><EncryptedData><CipherReference URI="{}"/></EncryptedData></encryption>'
    )
    pages = {"a.xhtml": "<p>words</p>"}
    protected = epub(pages, more={"META-INF/encryption.xml": encryption.format("OEBPS/a.xhtml")})
    assert skip_reason(protected, "epub") == "password-protected"
    assert (
        skip_reason(
            epub(pages, more={"META-INF/encryption.xml": encryption.format("OEBPS/font.otf")}),
            "epub",
        )
        == ""
    )


# -- .rtf
# ------------------------------------------------------------------------------------------------------------


def test_rtf_gives_paragraphs_and_rows() -> None:
    body = r"\pard Oil the gears\par {\b caf\'e9} \u8211? done\par{\pict\pngblip 89504e470d}"
    body += r"\trowd Part\cell Grade\cell\row\trowd bearing\cell 68\cell\row \pard The end.\par"
    found = blocks(rtf(body), "rtf")
    assert [(block.kind, block.text, block.repeat) for block in found] == [
        ("text", "Oil the gears", ""),
        ("text", "caf\u00e9 \u2013 done", ""),
        ("table", "bearing | 68", "Part | Grade"),
        ("text", "The end.", ""),
    ]


# -- .ipynb
# ----------------------------------------------------------------------------------------------------------


def test_notebook_gives_cells_without_outputs() -> None:
    data = notebook(
        (
            "markdown",
            "# Gears\n\nHow to *oil* them.\n![p](data:image/png;base64,iVBORw0KGgo=)\n\n- a\n- b",
        ),
        ("code", ["import gears\n", "gears.oil()"]),
        ("code", ""),
        (
            "markdown",
            "Intervals\n---------\n```\n# no heading\n\nmore\n```\ntext\n\n| a | b |\n|---|---|",
        ),
        ("raw", "as it is"),
    )
    found = [
        (block.kind, block.text, block.place.first, block.headings)
        for block in blocks(data, "notebook")
    ]
    assert found == [
        ("heading", "Gears", 1, ("Gears",)),
        ("text", "How to *oil* them.\n![p]", 1, ("Gears",)),
        ("code", "- a\n- b", 1, ("Gears",)),
        ("code", "import gears\ngears.oil()", 2, ("Gears",)),
        ("heading", "Intervals", 4, ("Gears", "Intervals")),
        ("code", "```\n# no heading\n\nmore\n```\ntext", 4, ("Gears", "Intervals")),
        ("code", "| a | b |\n|---|---|", 4, ("Gears", "Intervals")),
        ("text", "as it is", 5, ("Gears", "Intervals")),
    ]
    assert "printed" not in read_checked(data, "notebook").text.decode()
    assert read_checked(data, "notebook").chunks[0].place.startswith("cell")


def test_notebook_of_version_3_is_read() -> None:
    data = notebook(("heading 2", "Gears"), ("code", ["a = 1\n", "b = 2"]), version=3)
    assert lines(data, "notebook") == ["heading: Gears", "code: a = 1\nb = 2"]


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"{}", "damaged notebook"),
        (b"[1, 2]", "damaged notebook"),
        (b'{"cells": 5}', "damaged notebook"),
        (b'{"cells": [1]}', "damaged notebook"),
        (b'{"cells": []}', "no text"),
        (b"not json", "damaged notebook"),
        (b"[" * 200_000, "nested too deeply"),
        (b"\x00\x01\x02" * 9, "damaged notebook"),
        (json.dumps({"cells": [{"cell_type": 3, "source": {"a": 1}}]}).encode(), "no text"),
    ],
)
def test_invalid_notebook_is_skipped(data: bytes, reason: str) -> None:
    assert skip_reason(data, "notebook").replace("ipynb", "notebook") == reason


# -- hostile files
# -----------------------------------------------------------------------------------

WHOLE = {
    "pptx": pptx([slide(shape(paragraph("words")))]),
    "odt": odf("text", "<text:p>words</text:p>"),
    "odp": odf("presentation", "<draw:page><text:p>words</text:p></draw:page>"),
    "epub": epub({"a.xhtml": "<p>words</p>"}),
}
MAIN = {
    "pptx": "ppt/slides/slide1.xml",
    "odt": "content.xml",
    "odp": "content.xml",
    "epub": "OEBPS/book.opf",
}


@pytest.mark.parametrize("language", WHOLE)
def test_hostile_archives_are_skipped_with_a_reason(language: str) -> None:
    whole, main = WHOLE[language], MAIN[language]
    assert skip_reason(whole, language) == ""
    assert skip_reason(whole[: len(whole) // 2], language).startswith("damaged")
    parts = parts_of(whole)
    large = archive({**parts, main: parts[main] + b" " * (30 << 20)})
    assert (
        skip_reason(large, language, OPTIONS._replace(max_unpacked=20 << 20))
        == "too large unpacked"
    )
    defined = archive({**parts, main: b'<!DOCTYPE a [<!ENTITY b "c">]>' + parts[main]})
    assert skip_reason(defined, language) == "document type definition"
    deep = archive({**parts, main: b"<a>" * 5000 + b"</a>" * 5000})
    assert skip_reason(deep, language) == "nested too deeply"
    assert skip_reason(archive({**parts, main: parts[main][:-9]}), language).startswith("damaged")
    del parts[main]
    assert skip_reason(archive(parts), language).startswith(("damaged", "no "))


def test_deeply_nested_shapes_are_skipped() -> None:
    inner = "<p:grpSp>" * 2000 + shape(paragraph("deep")) + "</p:grpSp>" * 2000
    assert skip_reason(pptx([slide(inner)]), "pptx") == "nested too deeply"


@pytest.mark.parametrize(
    "language, data",
    [*WHOLE.items(), ("rtf", rtf("words")), ("notebook", notebook(("raw", "words")))],
)
def test_reading_is_deterministic(language: str, data: bytes) -> None:
    assert blocks(data, language) == blocks(data, language)
    assert [block.text for block in blocks(data, language)] == ["words"]
