"""Lets a method with a query argument also take the text and options of one, typed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from ragit.query import Query
from ragit.records import replaced
from ragit.types import Answer

_Options = ParamSpec("_Options")
_Self = TypeVar("_Self")


def taking_options_of(
    query: Callable[Concatenate[str, _Options], Query],
) -> Callable[
    [Callable[[_Self, Query], Answer]], Callable[Concatenate[_Self, str | Query, _Options], Answer]
]:
    """Let a method that takes a query also take its text and fields, typed."""

    def decorate(
        method: Callable[[_Self, Query], Answer],
    ) -> Callable[Concatenate[_Self, str | Query, _Options], Answer]:
        @wraps(method)
        def search(
            self: _Self, text: str | Query, /, *args: _Options.args, **options: _Options.kwargs
        ) -> Answer:
            if isinstance(text, Query):
                return method(self, replaced(text, **options) if options else text)
            return method(self, query(text, *args, **options))

        return search

    return decorate
