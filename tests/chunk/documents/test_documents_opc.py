"""Tests of Office Open XML packages with parts at unusual places, or names of parts that are
missing.
"""

from __future__ import annotations

import re

import pytest
from making import docx, p
from packing import archive, paragraph, parts_of, pptx, shape, slide, xlsx
from reading import blocks, read_checked, skip_reason

from ragit.chunk.documents.sniff import format_of

PACKAGES = {
    "docx": lambda: docx(p("Some words")),
    "xlsx": lambda: xlsx({"S": {"A1": "Some words"}}),
    "pptx": lambda: pptx([slide(shape(paragraph("Some words")))]),
}
MAIN_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
}


def typed(parts: dict[str, bytes], kind: str, name: str = "") -> bytes:
    """Return a package of these parts, with a list of content types that names the main part."""
    types = f'<Types><Override PartName="/{name}" ContentType="{kind}"/></Types>'
    return archive({**parts, "[Content_Types].xml": types})


def at_the_root(data: bytes) -> dict[str, bytes]:
    """Return the parts of a package, moved to its root."""
    parts = {}
    for name, part in parts_of(data).items():
        folder, _, last = name.rpartition("/")
        flat = f"_rels/{last}" if folder.endswith("_rels") else last
        parts[flat] = re.sub(rb'Target="[^"]*?([^/"]+)"', rb'Target="\1"', part)
    return parts


@pytest.mark.parametrize("kind", PACKAGES)
def test_parts_at_the_archive_root_are_read(kind: str) -> None:
    parts = at_the_root(PACKAGES[kind]())
    main = next(
        name for name in parts if name in ("document.xml", "workbook.xml", "presentation.xml")
    )
    data = typed(parts, MAIN_TYPES[kind], main)
    assert [block.text for block in blocks(data, kind)][-1:] == ["Some words"]
    assert read_checked(data, kind).chunks


@pytest.mark.parametrize("kind", PACKAGES)
def test_main_part_is_found_by_folder_without_content_types(kind: str) -> None:
    parts = {**parts_of(PACKAGES[kind]()), "[Content_Types].xml": b"<Types/>"}
    assert "Some words" in read_checked(archive(parts), kind).text.decode()


@pytest.mark.parametrize(
    "content_type",
    [
        "application/vnd.ms-word.document.macroEnabled.main+xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
        "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    ],
)
def test_macro_and_template_content_types_are_read(content_type: str) -> None:
    data = typed(parts_of(docx(p("Some words"))), content_type, "word/document.xml")
    assert read_checked(data, "docx").text == b"Some words\n"
    assert format_of(f'<x ContentType="{content_type}"/>'.encode(), ()) == "docx"


def test_relation_to_a_missing_part_is_ignored() -> None:
    parts = parts_of(docx(p("Some words")))
    name = "word/_rels/document.xml.rels"
    gone = b'<Relationship Id="x" Type="a/image" Target="media/gone.png"/></Relationships>'
    parts[name] = parts[name].replace(b"</Relationships>", gone)
    assert read_checked(archive(parts), "docx").text == b"Some words\n"


def test_embedded_workbook_type_does_not_decide_the_format() -> None:
    embedded = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    types = f'<Types><Default Extension="xlsx" ContentType="{embedded}"/></Types>'
    parts = {**parts_of(docx(p("Some words"))), "[Content_Types].xml": types}
    assert read_checked(archive(parts), "docx").text == b"Some words\n"
    assert (
        skip_reason(archive({"[Content_Types].xml": types, "a.xml": b""}), "xlsx")
        == "no xlsx inside"
    )
