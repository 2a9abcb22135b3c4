"""Chooses the size of a request by the server's time for the ones before.

A server without a graphics card needs half a second for a text, a provider a hundredth: no fixed
size suits both. The first request is small. The next ones are sized to take `SECONDS`, so that
progress shows, little is lost, and a cancelled server is idle soon.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

FIRST = 2_000
"""Weight of the first request; one text, if it is longer."""

_EACH = 100
"""Weight of a text besides its characters, since short ones take time, too."""

SECONDS = 7.0
"""Intended time of a request, well below the default timeout of 30 s."""

_GROWTH = 4
"""Largest growth from one request to the next."""

_FAST = 10.0
"""Texts per second of a server with a graphics card, or of a provider."""

_WORSE = 0.7
"""A larger request below this share of the best throughput was no gain."""


class Pace:
    """The size of the next request. Threads may share it."""

    def __init__(self, most_texts: int, most_characters: int, timeout: float = 4 * SECONDS) -> None:
        self._target = min(SECONDS, timeout / 4)
        self._lock = threading.Lock()
        self._most_characters = most_characters
        self._weight = min(FIRST, most_characters + _EACH * most_texts)
        self._best = (0.0, 0)
        """Weight per second, and the weight of the requests that reached it."""
        self._texts = 0.0
        self._seconds = 0.0
        self.requests = 0
        """Requests answered so far."""
        self.most_texts = most_texts
        """Limit of texts in a request, by the settings or the server."""
        self.learnt = 0
        """Limit of texts learnt from the server's refusal; 0 if there was none."""

    @property
    def known(self) -> bool:
        """True once the server answered a request."""
        return self.requests > 0

    @property
    def is_fast(self) -> bool:
        """True if parallel requests may be a gain; a slow server would only answer each of them
        later.
        """
        return self.texts_per_second >= _FAST

    @property
    def _most_weight(self) -> int:
        return self._most_characters + _EACH * self.most_texts

    @property
    def texts_per_second(self) -> float:
        """Throughput of a single request, over the last ones; 0 before the first."""
        return self._texts / self._seconds if self._seconds else 0.0

    def take(self, lengths: Sequence[int], start: int) -> int:
        """Return the end of the request that begins at text `start`; it has at least one text."""
        end, characters = start, 0
        while end < len(lengths) and end - start < self.most_texts:
            characters += lengths[end]
            weight = characters + _EACH * (end + 1 - start)
            if end > start and (weight > self._weight or characters > self._most_characters):
                break
            end += 1
        return end

    def answered(self, texts: int, characters: int, seconds: float) -> None:
        """Adapt the size to the time of a request."""
        weight = characters + _EACH * texts
        most = self._most_weight
        rate = weight / max(seconds, 1e-3)
        with self._lock:
            self.requests += 1
            self._texts, self._seconds = self._texts * 0.8 + texts, self._seconds * 0.8 + seconds
            best, best_weight = self._best
            wanted = rate * self._target
            if rate >= best:
                self._best = (rate, weight)
            else:
                self._best = (0.95 * best, best_weight)
                if rate < _WORSE * best and weight > best_weight and wanted < most:
                    wanted = min(wanted, best_weight)
            wanted = min(max(wanted, self._weight / 2), _GROWTH * self._weight)
            self._weight = int(min(max(wanted, FIRST), most))

    def timed_out(self, texts: int, characters: int) -> None:
        """Halve the size after a timeout."""
        with self._lock:
            self._weight = max(1, min(self._weight, characters + _EACH * texts) // 2)

    def too_many(self, texts: int, message: str) -> int:
        """Learn and return the server's limit of texts, from its refusal of `texts` texts."""
        numbers = [int(number) for number in re.findall(r"(?<![\w.])\d{1,5}(?![\w.]*\d)", message)]
        fewer = [number for number in numbers if 0 < number < texts]
        with self._lock:
            self.most_texts = min(self.most_texts, max(fewer, default=max(1, texts // 2)))
            self.learnt = self.most_texts
            return self.most_texts

    def too_long(self, characters: int) -> None:
        """Learn that the server's limit is below `characters`, though it takes each text."""
        with self._lock:
            self._most_characters = max(1, min(self._most_characters, characters // 2))
