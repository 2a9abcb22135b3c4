"""Say where a name is used, and how surely each place means which definition. No IO.

Nothing is stored about edges between files: names are resolved for one tree, when asked.
"""

from __future__ import annotations

from ragit.usages.order import CERTAINTIES, by_file, ordered, page_of
from ragit.usages.records import PAGE, RELATIONS, Defined, Usages, UsagesQuery, Use, checked
from ragit.usages.scan import Occurrence, cleaned, occurrences, pattern, terms_of

__all__ = [
    "CERTAINTIES",
    "Defined",
    "Occurrence",
    "PAGE",
    "RELATIONS",
    "Usages",
    "UsagesQuery",
    "Use",
    "by_file",
    "checked",
    "cleaned",
    "occurrences",
    "ordered",
    "page_of",
    "pattern",
    "terms_of",
]
