"""Tests of PDF: pages, paragraphs, headings, hyphenation, and encrypted, scanned or broken
files.
"""

from __future__ import annotations

import io
import time
from typing import Any

import pypdf
import pypdf.errors
import pytest
from making import content, encrypted, outlined, pdf, pdf_objects, stream, written
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, TextStringObject
from reading import blocks, lines, read_checked, skip_reason

from ragit.chunk.documents import pdf as pdf_reader
from ragit.chunk.documents.block import Place
from ragit.chunk.documents.pdf_layout import Line
from ragit.chunk.options import DocumentOptions


def test_paragraphs_are_split_by_distance_and_have_a_page() -> None:
    found = blocks(
        pdf([["First line", "second line", ("Next paragraph", 30)], ["On page two"]]), "pdf"
    )
    assert [(block.text, block.place) for block in found] == [
        ("First line\nsecond line", Place("", "page", 1, 1)),
        ("Next paragraph", Place("", "page", 1, 1)),
        ("On page two", Place("", "page", 2, 2)),
    ]


def test_outline_gives_headings() -> None:
    pages = [
        ["1 Introduction", ("Words of it.", 30)],
        ["Deep", ("More words.", 30)],
        ["1.2", "The second", "part", ("End.", 30)],
    ]
    titles = [("Introduction", 1, 0), ("Deep", 2, 1), ("The second part", 3, 1)]
    found = read_checked(outlined(pdf(pages), titles), "pdf", DocumentOptions(min_bytes=0))
    assert [(chunk.symbol, chunk.parent, chunk.place) for chunk in found.chunks] == [
        ("Introduction", "", "page 1"),
        ("Deep", "Introduction", "page 2"),
        ("The second part", "Introduction", "page 3"),
    ]
    assert found.chunks[2].text == "1.2\nThe second\npart\n\nEnd."


def test_outline_title_absent_from_its_page_still_heads_it() -> None:
    found = blocks(outlined(pdf([["Words"], ["More"]]), [("Annex", 2, 0)]), "pdf")
    assert [block.headings for block in found] == [(), ("Annex",)]
    assert not any(block.kind == "heading" for block in found)


def test_hyphenated_words_are_joined() -> None:
    broken = [
        "an exam-",
        "ple of a well-",
        "known word; a well-known",
        "one - and",
        "non-",
        "Roman",
    ]
    (text,) = lines(pdf([broken]), "pdf")
    assert text == "text: an example\nof a well-known\nword; a well-known\none - and\nnon-\nRoman"


def test_ligatures_are_expanded() -> None:
    raw = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [1 /fi /fl] >> >>"
    body = stream(b"BT /F1 10 Tf 72 700 Td (\\001nd the \\002ow) Tj ET")
    data = pdf_objects(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 595 842] >>",
            b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
            body,
            raw,
        ]
    )
    assert lines(data, "pdf") == ["text: find the flow"]


def test_dot_leaders_are_shortened() -> None:
    assert lines(pdf([["Scope" + "." * 80 + "7"]]), "pdf") == ["text: Scope ... 7"]


def test_running_title_and_page_numbers_are_kept_once() -> None:
    pages = [
        ["The Book of Everything", (f"Words of page {number}.", 40), (f"- {number} -", 500)]
        for number in range(1, 9)
    ]
    text = read_checked(pdf(pages), "pdf").text.decode()
    assert text.count("The Book of Everything") == 1
    assert text.count("- 1 -") == 1 and "- 5 -" not in text
    assert all(f"Words of page {number}." in text for number in range(1, 9))


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256"])
def test_encrypted_pdf_is_read_with_an_empty_password_only(algorithm: str) -> None:
    data = pdf([["Some words"]])
    assert lines(encrypted(data, "", algorithm), "pdf") == ["text: Some words"]
    assert skip_reason(encrypted(data, "secret", algorithm), "pdf") == "password-protected"


def test_comments_and_form_values_are_read() -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf([["Words"], []])))
    for number, note in enumerate(
        [
            {"/Subtype": "/Text", "/Contents": "Check  this"},
            {"/Subtype": "/Widget", "/T": "Name", "/V": "Ada"},
            {"/Subtype": "/Widget", "/T": "Box", "/V": NameObject("/Off")},
            {"/Subtype": "/Link"},
        ]
    ):
        named = {
            NameObject(key): value
            if isinstance(value, NameObject)
            else NameObject(value)
            if value[0] == "/"
            else TextStringObject(value)
            for key, value in note.items()
        }
        page = writer.pages[number % 2]
        page.setdefault(NameObject("/Annots"), ArrayObject()).append(
            writer._add_object(DictionaryObject(named))
        )  # type: ignore[attr-defined]
    found = blocks(written(writer), "pdf")
    assert [(block.kind, block.text, block.place.first) for block in found] == [
        ("text", "Words", 1),
        ("note", "Check this", 1),
        ("note", "Name: Ada", 2),
    ]


def test_scanned_pages_are_reported() -> None:
    assert skip_reason(pdf([[], []], scanned=[1, 2]), "pdf") == "no text (scanned)"
    assert skip_reason(pdf([[], []]), "pdf") == "no text"
    found = blocks(pdf([["Cover"], [], [], [], ["End"]], scanned=[2, 3]), "pdf")
    assert [(block.kind, block.text, block.place) for block in found] == [
        ("text", "Cover", Place("", "page", 1, 1)),
        ("note", "[Pages 2-3 are images without text.]", Place("", "page", 2, 3)),
        ("text", "End", Place("", "page", 5, 5)),
    ]


def test_pages_beyond_max_pages_are_left_out() -> None:
    found = blocks(
        pdf([[f"page {number}"] for number in range(9)]), "pdf", DocumentOptions(max_pages=4)
    )
    assert [block.text for block in found][3:] == ["page 3", "[Pages 5-9 are left out.]"]


def test_text_beyond_max_text_is_left_out() -> None:
    found = read_checked(
        pdf([["words " * 10] * 40 for _ in range(20)]), "pdf", DocumentOptions(max_text=5000)
    )
    assert 4000 < len(found.text) < 6000
    assert b"left out" in found.text[-100:]


def test_pdf_of_ten_thousand_pages_is_read_in_30_seconds() -> None:
    data = pdf([[f"Words of page {number}"] for number in range(10_000)])
    started = time.monotonic()
    found = read_checked(data, "pdf", DocumentOptions(max_pages=500))
    assert found.chunks[-1].text.endswith("[Pages 501-10000 are left out.]")
    assert time.monotonic() - started < 30


def test_broken_page_does_not_affect_the_others() -> None:
    data = pdf([["First"], b"BT /F1 9 Tf [(a) <zz>] TJ ET \xff\xfe ( BT [[[[", ["Last"]])
    text = read_checked(data, "pdf").text.decode()
    assert "First" in text and "Last" in text


def test_unknown_glyphs_give_no_text() -> None:
    body = stream(b"BT /F1 10 Tf 72 700 Td (" + b"\\001\\002\\003" * 40 + b") Tj ET")
    names = b" ".join(b"/g%d" % number for number in range(1, 40))
    data = pdf_objects(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 595 842] >>",
            b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
            body,
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Odd /Encoding << /Differences [1 %s] >> >>"
            % names,
        ]
    )
    assert skip_reason(data, "pdf") == "no text (unknown letters)"


@pytest.mark.parametrize("cut", [8, 100, 500, 1200])
def test_truncated_pdf_raises_no_error(cut: int) -> None:
    data = pdf([["Some words here"]])
    assert skip_reason(data[:cut], "pdf") in ("damaged pdf", "no text", "")


def test_cyclic_page_tree_is_skipped() -> None:
    data = pdf_objects(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>",
            b"<< /Type /Page /Parent 2 0 R >>",
        ]
    )
    assert skip_reason(data, "pdf") in ("damaged pdf", "no text", "nested too deeply")


def test_deeply_nested_objects_are_skipped() -> None:
    deep = b"[" * 50_000 + b"]" * 50_000
    data = pdf_objects(
        [b"<< /Type /Catalog /Pages 2 0 R /X %s >>" % deep, b"<< /Type /Pages /Kids [] /Count 0 >>"]
    )
    assert skip_reason(data, "pdf") in ("damaged pdf", "no text", "nested too deeply")


def test_stream_that_unpacks_to_200_mb_raises_no_error() -> None:
    bomb = stream(b"BT /F1 9 Tf (words) Tj ET ", spaces=200)
    assert len(bomb) < 1_000_000
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 595 842] >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>",
        bomb,
    ]
    assert skip_reason(pdf_objects(objects), "pdf") in ("", "damaged pdf", "no text")


def test_broken_outline_keeps_the_text() -> None:
    data = outlined(pdf([["Words"]]), [("A", 1, 0), ("B", 1, 1)])
    for wrong in (b"/Title (A)", b"/First", b"/Next", b"/Dest", b"/D"):
        broken = data.replace(wrong, b"/" + b"Q" * (len(wrong) - 1))
        assert "Words" in read_checked(broken, "pdf").text.decode()


def test_drawing_without_text_gives_no_text() -> None:
    assert skip_reason(pdf([content([]) + b" 0 0 m 100 100 l S"]), "pdf") == "no text"


@pytest.mark.parametrize(
    ("error", "whole", "page"),
    [
        (
            pypdf.errors.LimitReachedError("x"),
            "over a limit of its reader",
            "[Page 2 is over a limit of its reader.]",
        ),
        (
            pypdf.errors.DependencyError("x"),
            "a library is missing",
            "[Page 2 is not to be read without another library.]",
        ),
        (
            NotImplementedError("x"),
            "packed in an unknown way",
            "[Page 2 is packed in an unknown way.]",
        ),
        (RecursionError("x"), "nested too deeply", "[Page 2 is nested too deeply.]"),
        (KeyError("x"), "damaged pdf", "[Page 2 is damaged.]"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_error_of_pypdf_is_reported_as_the_reason(
    monkeypatch: pytest.MonkeyPatch, error: Exception, whole: str, page: str
) -> None:
    monkeypatch.setattr(pdf_reader, "pypdfium2", None)
    real = pypdf.PageObject.extract_text

    def failing(self: pypdf.PageObject, *arguments: Any, **named: Any) -> str:
        if self.page_number not in wanted:
            raise error
        return real(self, *arguments, **named)

    monkeypatch.setattr(pypdf.PageObject, "extract_text", failing)
    wanted = [0, 2]
    data = pdf([["first"], ["second"], ["third"]])
    assert lines(data, "pdf") == ["text: first", f"note: {page}", "text: third"]
    wanted = []
    assert skip_reason(data, "pdf") == whole
    monkeypatch.setattr(pypdf, "PdfReader", lambda _: (_ for _ in ()).throw(error))
    assert skip_reason(data, "pdf") == whole


def test_stream_over_the_limit_of_pypdf_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pdf_reader, "pypdfium2", None)
    assert skip_reason(pdf([b" " * 75_000_001]), "pdf") == "over a limit of its reader"


def test_pypdf_and_pdfium_give_the_same_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [["First line", "second line", ("Next paragraph", 30)], ["an exam-", "ple of it"]]
    data = outlined(pdf([*pages, []], scanned=[3]), [("First line", 1, 0)])
    found = blocks(data, "pdf")
    monkeypatch.setattr(pdf_reader, "pypdfium2", None)
    assert blocks(data, "pdf") == found != []


def test_page_with_words_torn_by_pdfium_is_read_by_pypdf(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    torn = [Line("so m e w o r d s", 72, 700, 10)]
    monkeypatch.setattr(pdf_reader, "_lines", lambda _: torn)
    assert lines(pdf([["some words"]]), "pdf") == ["text: some words"]
    torn[:] = [Line("a word or two", 72, 700, 10)]
    assert lines(pdf([["some words"]]), "pdf") == ["text: a word or two"]


def _objects(*more: bytes) -> list[bytes]:
    page = b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
    return [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 595 842] >>",
        page,
        stream(content(["Some words"])),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *more,
    ]


def test_stream_length_that_refers_to_itself_is_tolerated() -> None:
    objects = _objects()
    body = content(["Some words"])
    objects[3] = b"<< /Length 4 0 R >>\nstream\n%s\nendstream" % body
    assert lines(pdf_objects(objects), "pdf") == ["text: Some words"]


def test_page_before_a_page_tree_cycle_is_read() -> None:
    objects = _objects(b"<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 1 >>")
    for count in (1, 2, 3):
        kids = b"/Kids [3 0 R 6 0 R] /Count %d" % count
        objects[1] = b"<< /Type /Pages %s /MediaBox [0 0 595 842] >>" % kids
        assert lines(pdf_objects(objects), "pdf")[0] == "text: Some words"


@pytest.mark.parametrize("count", [b"999999999", b"0", b"-1"])
def test_wrong_length_of_the_xref_table_is_tolerated(count: bytes) -> None:
    data = pdf_objects(_objects()).replace(b"xref\n0 6", b"xref\n0 " + count)
    assert lines(data, "pdf") == ["text: Some words"]
