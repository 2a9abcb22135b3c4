"""Check Office Open XML packages (ECMA-376 part 2) before a library parses them."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Mapping
from html import escape
from io import BytesIO
from xml.etree.ElementTree import Element

from ragit.chunk.documents.archive import Archive
from ragit.chunk.documents.block import Bounds, Unreadable
from ragit.chunk.documents.markup import attribute, events, local, sound
from ragit.chunk.documents.sniff import MAIN_PARTS, TYPES
from ragit.records import NamedTuple

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

_STRICT = re.compile(
    rb"""(\bxmlns(?::[^\s=]{1,40})?\s*=\s*["']http://)purl\.oclc\.org/ooxml/(\w+)/"""
)
"""A namespace of the strict dialect (part 1), up to the part shared with the transitional one (part
4).
"""
_ROOT = 4096
"""Bytes of a part in which its namespaces are declared."""


class Relation(NamedTuple):
    """A part referred to by another one."""

    kind: str
    """Last word of its type, for example `worksheet`; the same in both dialects."""
    part: str
    """Its name in the archive."""


class Package:
    """The parts of one document. Each error is an Unreadable that names the format."""

    def __init__(self, data: bytes, bounds: Bounds, kind: str) -> None:
        """Open a package; `kind` is docx, xlsx or pptx."""
        self._archive = Archive(data, bounds, kind)
        self._kind = kind
        self.main = next(iter(self.parts_of("officeDocument")), "") or self._declared()
        self.main = self.main or self._archive.find(MAIN_PARTS[kind])
        if not self.main:
            raise Unreadable(f"damaged {kind}")

    def _declared(self) -> str:
        """Return the main part by the list of content types; empty if it names none."""
        listed = self._archive.find(TYPES)
        for event, element in events(self._archive.read(listed), self._kind) if listed else ():
            if event == "end" and attribute(element, "ContentType").endswith(".main+xml"):
                return self._archive.find(attribute(element, "PartName").lstrip("/"))
        return ""

    def read(self, part: str) -> bytes:
        """Return the XML of a part as UTF-8 without document type, in the transitional dialect."""
        data = sound(self._archive.read(part), self._kind)
        return _STRICT.sub(rb"\1schemas.openxmlformats.org/\2/2006/", data[:_ROOT]) + data[_ROOT:]

    def relations(self, part: str = "") -> dict[str, Relation]:
        """Return by id the existing parts to which a part, or the package itself, refers."""
        folder, name = posixpath.split(part)
        listed = self._archive.find(posixpath.join(folder, "_rels", f"{name}.rels"))
        found = {}
        for event, element in events(self._archive.read(listed), self._kind) if listed else ():
            if event != "end" or local(element) != "Relationship":
                continue
            target = attribute(element, "Target").replace("\\", "/")
            path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            target = self._archive.find(path)
            if target and attribute(element, "TargetMode") != "External":
                kind = posixpath.basename(attribute(element, "Type"))
                found[attribute(element, "Id")] = Relation(kind, target)
        return found

    def parts_of(self, kind: str, part: str = "") -> list[str]:
        """Return the parts of one kind to which a part refers, sorted by name."""
        found = self.relations(part).values()
        return sorted({relation.part for relation in found if relation.kind == kind})


def written(
    main: tuple[str, bytes], types: Mapping[str, str], parts: Mapping[str, tuple[str, bytes]]
) -> BytesIO:
    """Return a small package for a library: a main part, and parts with the kind of their relation.

    `types` are content types by kind, `officeDocument` among them. Pictures, damaged relations and
    unneeded parts are left out.
    """
    every = {main[0]: ("officeDocument", main[1]), **parts}
    listed = "".join(
        f'<Override PartName="/{escape(name)}" ContentType="{types[kind]}"/>'
        for name, (kind, _) in every.items()
    )
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        space = "http://schemas.openxmlformats.org/package/2006"
        rels = "application/vnd.openxmlformats-package.relationships+xml"
        rels = f'<Default Extension="rels" ContentType="{rels}"/>'
        archive.writestr(TYPES, f'<Types xmlns="{space}/content-types">{rels}{listed}</Types>')
        archive.writestr("_rels/.rels", _relations({main[0]: "officeDocument"}))
        folder, name = posixpath.split(main[0])
        kinds = {name: kind for name, (kind, _) in parts.items()}
        archive.writestr(posixpath.join(folder, "_rels", f"{name}.rels"), _relations(kinds))
        for name, (_, data) in every.items():
            archive.writestr(name, data)
    packed.seek(0)
    return packed


def _relations(kinds: Mapping[str, str]) -> str:
    """Return the XML of relations to parts, by their names."""
    listed = "".join(
        f'<Relationship Id="r{number}" Type="{RELATIONS}/{kind}" Target="/{escape(name)}"/>'
        for number, (name, kind) in enumerate(kinds.items())
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{listed}</Relationships>'


def relation_id(element: Element) -> str:
    """Return the `r:id` of an element, not the `id` beside it; empty if it has none."""
    found = (value for key, value in element.attrib.items() if key.endswith("}id"))
    return next(found, "")
