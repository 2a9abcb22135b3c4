"""Asks a model for many descriptions in parallel, and gives up a model that fails repeatedly."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from ragit.errors import RemoteFailed
from ragit.records import NamedTuple
from ragit.remote import (
    Chat,
    KeyRefused,
    Message,
    Reply,
    RetryPolicy,
    TooLong,
    Unreachable,
    map_as_completed,
)

POLICY = RetryPolicy(retries=3, repeats_timeouts=False)

LONGEST = 2000
"""Limit of a description in characters: a server may send anything."""

OWN_WORDS = 4
"""An answer with more consecutive words of the instructions is an echo of them."""

LOOP = 8
"""Limit of words in a detected repeated phrase."""

_STRIKES = 6
"""Failures in a row after which a model is given up for this run: each costs time, or sends code
for nothing. A timeout counts for three, a refused key for all.
"""

_FENCED = r"(?ms)^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)"
"""A block of code in an answer; to the end if the answer was cut within it."""


class DescriptionResult(NamedTuple):
    """The outcome of one request."""

    key: bytes
    text: str
    """The description, on one line; empty if there is none."""
    failure: str = ""
    """Why there is none, in a sentence."""
    tokens_in: int = 0
    """As counted by the server; 0 if unknown."""
    tokens_out: int = 0


class DescriptionRequest(NamedTuple):
    """Something to describe: the key it is stored under, and the messages for the model."""

    key: bytes
    messages: Sequence[Message]
    shorter: Callable[[], DescriptionRequest] | None = None
    """The same request with less text, for a model that takes no more."""


class Describer:
    """One model, given up for the life of this object when it fails repeatedly."""

    def __init__(self, chat: Chat, max_tokens: int) -> None:
        self._chat = chat
        self._max_tokens = max_tokens
        self._strikes = 0
        self.given_up = ""
        """Why the model is no longer asked; empty otherwise."""

    def clean(self, text: str) -> str:
        """Return a text without secrets. Clean before cutting: half a secret is not found."""
        return self._chat.client.clean(text)

    @property
    def secrets(self) -> int:
        """Number of secrets removed from requests."""
        return sum(self._chat.client.taken_out.values())

    def describe_all(self, subjects: Iterable[DescriptionRequest]) -> Iterator[DescriptionResult]:
        """Yield the result of each request when it is ready, in no order. Never raises
        RemoteFailed.

        Requests are drawn when needed, so building them may be costly.
        """
        yield from map_as_completed(
            self._describe, subjects, at_once=self._chat.client.server.concurrency
        )

    def _describe(self, subject: DescriptionRequest, over: threading.Event) -> DescriptionResult:
        if self.given_up:
            return DescriptionResult(subject.key, "", self.given_up)
        try:
            reply = self._ask(subject, POLICY._replace(over=over))
        except RemoteFailed as error:
            return DescriptionResult(subject.key, "", self._strike(error))
        text = one_line(reply.text, cut=reply.cut)
        if not text or _repeats(subject, text):
            return DescriptionResult(
                subject.key, "", self._strike(self._chat.no_answer(repeated=text))
            )
        self._strikes = 0
        return DescriptionResult(
            subject.key, text, "", reply.prompt_tokens, reply.completion_tokens
        )

    def _ask(self, subject: DescriptionRequest, policy: RetryPolicy) -> Reply:
        try:
            return self._chat.ask(subject.messages, max_tokens=self._max_tokens, policy=policy)
        except TooLong:
            if subject.shorter is None:
                raise
            return self._ask(subject.shorter(), policy)

    def _strike(self, error: RemoteFailed) -> str:
        """Count a failure, and return it in words."""
        words = f"{error.message}. {error.hint}"
        # Threads race here for a count that need not be exact.
        self._strikes += (
            _STRIKES
            if isinstance(error, KeyRefused)
            else 3
            if isinstance(error, Unreachable)
            else 1
        )
        if self._strikes >= _STRIKES:
            self.given_up = words
        return words


def one_line(answer: str, *, cut: bool = False) -> str:
    """Return an answer as one line: its sentences, each once, without code and emphasis.

    Control characters are dropped, and so is the unfinished sentence of an answer that was `cut`.
    Small models answer first, and then give an example or repeat themselves until they are stopped,
    which would outweigh the answer in a vector.
    """
    answer = answer[: 20 * LONGEST]  # more than enough for the kept part
    prose = re.sub(_FENCED, " ", answer)
    text = prose if re.search(r"\w", prose) else re.sub(r"(?m)^[ \t]*```.*$", " ", answer)
    text = " ".join(_unlooped("".join(c if c.isprintable() else " " for c in text).split()))
    text = text.strip("*_`\"' ") if text[:1] in "*_`\"'" else text
    sentences = re.split(r"(?<=[.!?]) ", text)
    if cut and len(sentences) > 1 and not text.endswith((".", "!", "?")):
        sentences.pop()
    known: dict[str, str] = {}
    for sentence in sentences:
        known.setdefault(sentence.casefold(), sentence)
    text = " ".join(known.values())
    if len(text) > LONGEST:
        text = text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]
    return text


def _repeats(subject: DescriptionRequest, text: str) -> bool:
    """Return whether an answer repeats the instructions or the question."""
    told = [part for message in subject.messages for part in message.parts if isinstance(part, str)]
    return text == told[-1] or (len(text.split()) > OWN_WORDS and text in told[0])


def _unlooped(words: Sequence[str]) -> list[str]:
    """Return the words without the third and further repetitions of a phrase."""
    kept: list[str] = []
    for word in words:
        kept.append(word)
        for size in range(1, LOOP + 1):
            if (
                len(kept) >= 3 * size
                and kept[-size:] == kept[-2 * size : -size] == kept[-3 * size : -2 * size]
            ):
                del kept[-size:]
                break
    return kept
