"""What the parts of an Office Open XML package refer to (ECMA-376 part 2, 6.5): sheets, slides, comments, drawings."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from ragit.chunk.documents.archive import Archive
from ragit.chunk.documents.markup import attribute, events, local


class Relation(NamedTuple):
    """One part that another one refers to."""

    kind: str
    """The last word of its type: `worksheet`, `comments`. Strict and transitional files differ only before it."""
    part: str
    """Its name in the archive."""


def related(archive: Archive, part: str, kind: str) -> dict[str, Relation]:
    """By its number, each part in the archive that a part (or, if empty, the package itself) refers to.

    `kind` names the format in reasons. Raises Unreadable.
    """
    folder, name = posixpath.split(part)
    relations = archive.called(posixpath.join(folder, "_rels", f"{name}.rels"))
    found = {}
    for event, element in events(archive.read(relations), kind) if relations else ():
        if event == "end" and local(element) == "Relationship":
            target = attribute(element, "Target").replace("\\", "/")
            target = archive.called(
                posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            )
            if target and attribute(element, "TargetMode") != "External":
                said = posixpath.basename(attribute(element, "Type"))
                found[attribute(element, "Id")] = Relation(said, target)
    return found


def related_of(archive: Archive, part: str, kind: str, wanted: str) -> list[str]:
    """The parts of one kind that a part refers to, in the order of their names."""
    return sorted(
        {
            relation.part
            for relation in related(archive, part, kind).values()
            if relation.kind == wanted
        }
    )


def reference(element: object) -> str:
    """The number of the relation that an element stands for: its `r:id`, not the `id` beside it."""
    attributes = getattr(element, "attrib", {})
    return next((value for key, value in attributes.items() if key.endswith("}id")), "")
