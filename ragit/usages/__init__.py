"""Find where a name is used, and how certainly each use means which definition. No IO.

Edges between files are not stored: names are resolved for one tree, on demand.
"""

from __future__ import annotations

from ragit.usages.callers import callers
from ragit.usages.candidates import (
    TYPES,
    Candidate,
    Importer,
    StoredDefinition,
    TypeFact,
    candidates_of,
)
from ragit.usages.modules import Modules, family_of, stem_of
from ragit.usages.order import by_file, ordered, page_of, surest
from ragit.usages.reach import Reach, bindings, wildcard_imports
from ragit.usages.records import Defined, Usages, UsagesQuery, Use, checked
from ragit.usages.resolve import Line, Resolver, import_at, is_module_at
from ragit.usages.scan import Occurrence, occurrences, parted, terms_of
