"""Let a package export names of its modules without importing them.

Every module costs time at each start. A package that exports names this way can be imported for one
of them without loading the others (PEP 562).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence


def exports(package: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """Return a `__getattr__` for `package` that imports a name's module on first use.

    `modules` maps each module, relative to the package, to the names that it defines.
    """
    module_of = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        value: object = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
