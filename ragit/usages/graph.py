"""Build the graph of files of a tree that use each other, by imports and by names that one file
defines. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set

from ragit.references import Import, References
from ragit.usages.modules import Modules, family_of

_WHOLE = 3
"""Files that an import of a whole module may mean; of a folder of more, only names count."""


def file_graph(
    references: Mapping[str, References],
    languages: Mapping[str, str],
    definitions: Mapping[str, Set[str]],
) -> dict[str, dict[str, int]]:
    """Return how often each file refers to each other one, by path.

    `references` are those of files that have any, `languages` those of all files, and `definitions`
    the files that define each name. A name counts if a file imports it from one that defines it, or
    if only one file of a language's family defines it; a module that is imported whole counts once.
    """
    modules = Modules(languages)
    families = {path: family_of(language) for path, language in languages.items()}
    graph = {}
    for path, found in references.items():
        edges: Counter[str] = Counter()
        imported: set[str] = set()
        for one in found.imports:
            files = modules.files(one.module, path, families[path])
            edges.update(_by_import(one, set(files), definitions, imported))
        for name in found.names - imported:
            edges.update(_unique(name, path, definitions, families))
        edges.pop(path, None)
        graph[path] = dict(sorted(edges.items()))
    return graph


def _by_import(
    one: Import, files: Set[str], definitions: Mapping[str, Set[str]], imported: set[str]
) -> Iterator[str]:
    """Yield the files that an import means, and note the names that it settles."""
    for bound in one.names:
        defining = definitions.get(bound.name, frozenset()) & files
        if defining:
            imported.add(bound.alias)
            yield from defining
        elif len(files) <= _WHOLE:
            yield from files
    if not one.names and len(files) <= _WHOLE:
        yield from files


def _unique(
    name: str, path: str, definitions: Mapping[str, Set[str]], families: Mapping[str, str]
) -> Iterator[str]:
    """Yield the only file that defines a name, unless the asking file does."""
    defining = definitions.get(name, frozenset())
    if path in defining:
        return
    related = [one for one in defining if families[one] == families[path]]
    if len(related) == 1:
        yield related[0]
