#!/usr/bin/env python3
"""Carts and what they cost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shop import Shop

LIMIT = 10
NAMES: dict[str, int] = {
    "apple": 3,
    "pear": 4,
}

# Adds up the lines.
# One after another.
def total(lines, *, rate=0.19):
    """The sum of all lines, tax included."""

    def taxed(price):
        return price * (1 + rate)

    return sum(taxed(line.price) for line in lines)


@cache
@retry(times=3)
async def fetch(sku: str) -> bytes:
    '''Gets what is known of an article.'''
    async with session.get(sku) as answer:
        return await answer.read()


class Cart(Base, metaclass=Meta):
    """Holds lines."""

    limit: int = LIMIT
    slots = ("lines",)

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.lines: list[Line] = []

    @property
    def size(self) -> int:
        return len(self.lines)

    @classmethod
    def empty(cls) -> Cart: return cls(None)

    class Line:
        def price(self) -> int:
            return self.shop.price(self.sku) * self.count


@dataclass
class Point:
    x: int
    y: int


try:
    import fast
except ImportError:
    def fast(text):
        return text.lower()

if __name__ == "__main__":
    print(total([]))
