"""The small repository whose sessions docs/reading.md shows."""

from __future__ import annotations

from sandbox import GitSandbox

CART = '''\
"""The cart of a customer."""

from shop.prices import PriceList


class CartFull(Exception):
    """More articles than a cart may hold."""


class Cart:
    """Articles that a customer wants to buy. Not stored anywhere."""

    limit = 50
    currency = "EUR"

    def __init__(self, prices: PriceList) -> None:
        self.prices = prices
        self.counts: dict[str, int] = {}

    def add(self, article: str, count: int = 1) -> None:
        """Put an article into the cart.

        Raises CartFull above the limit.
        """
        if sum(self.counts.values()) + count > self.limit:
            raise CartFull(article)
        self.counts[article] = self.counts.get(article, 0) + count

    def total(self) -> float:
        """Return what the customer has to pay, without postage."""
        return sum(self.prices.price(one) * count for one, count in self.counts.items())


def parse_order(text: str, prices: PriceList) -> Cart:
    # One article a line, as `3 apples`.
    cart = Cart(prices)
    for line in text.splitlines():
        count, article = line.split()
        cart.add(article, int(count))
    return cart
'''

PRICES = '''\
class PriceList:
    """Prices of articles, read from a file."""

    def __init__(self, path: str) -> None:
        with open(path) as file:
            self._prices = dict(line.split() for line in file)

    def price(self, article: str) -> float:
        """Return the price of one article. Raises KeyError."""
        return float(self._prices[article])

    def total(self) -> float:
        return sum(map(float, self._prices.values()))
'''

TEST = """\
from shop.cart import parse_order


def test_total(prices):
    assert parse_order("3 apples", prices).total() == 1.5
"""

GUIDE = """\
# The shop

## Carts

A cart holds at most fifty articles.

## Prices

### The price list

One article a line.
"""


def write_shop(repo: GitSandbox) -> None:
    """Write the shop into a repository and commit it."""
    repo.write("shop/cart.py", CART)
    repo.write("shop/prices.py", PRICES)
    repo.write("tests/test_cart.py", TEST)
    repo.write("docs/shop.md", GUIDE)
    repo.write("docs/logo.bin", b"\0\1\2")
    repo.commit("A shop")
