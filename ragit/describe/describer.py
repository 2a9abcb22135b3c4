"""Asks a model about many subjects side by side, and stops asking one that does not answer."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ragit.errors import RemoteFailed
from ragit.remote.chat import Chat, Message, Reply
from ragit.remote.client import RetryPolicy
from ragit.remote.failures import KeyRefused, TooLong, Unreachable
from ragit.remote.parallel import map_as_completed

POLICY = RetryPolicy(retries=3, repeats_timeouts=False)

LONGEST = 2000
"""Characters of a description. A model that goes on has lost its way, and a server may send anything."""

OWN_WORDS = 4
"""More words than these in a row, as the instructions have them, are an echo of those."""

LOOP = 8
"""Words of the longest phrase that is noticed when it is said over and over."""

_STRIKES = 6
"""Failures in a row after which a model is not asked again in this run: each costs waiting, or sends code for nothing.
A request without an answer counts for three, a refused key for all."""

_FENCED = r"(?ms)^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)"
"""A block of code in an answer; up to the end where it was cut in the middle of it."""


class DescriptionResult(NamedTuple):
    """What came of one subject."""

    key: bytes
    text: str
    """The description, on one line; empty if there is none."""
    failure: str = ""
    """Why there is none, in a sentence."""
    tokens_in: int = 0
    """As the server counted them; 0 where it does not say."""
    tokens_out: int = 0


class DescriptionRequest(NamedTuple):
    """Something to describe: the name it is kept under, and what is said to the model about it."""

    key: bytes
    messages: Sequence[Message]
    shorter: Callable[[], DescriptionRequest] | None = None
    """The same with less of it, for a model that does not take so much."""


class Describer:
    """One model. Stops asking it, for as long as this object lives, when it fails again and again."""

    def __init__(self, chat: Chat, max_tokens: int) -> None:
        self._chat = chat
        self._max_tokens = max_tokens
        self._strikes = 0
        self.given_up = ""
        """Why the model is not asked any more; empty while it is."""

    def clean(self, text: str) -> str:
        """A text without secrets. What is cut to fit has to be clean before: half a secret has no form to find."""
        return self._chat.client.clean(text)

    @property
    def secrets(self) -> int:
        """How many were taken out of what was sent."""
        return sum(self._chat.client.taken_out.values())

    def describe_all(self, subjects: Iterable[DescriptionRequest]) -> Iterator[DescriptionResult]:
        """What came of each subject, as soon as it came, in no order. Never raises RemoteFailed.

        Subjects are drawn as they are needed, so that making them may be costly.
        """
        yield from map_as_completed(
            self._one, subjects, at_once=self._chat.client.server.concurrency
        )

    def _one(self, subject: DescriptionRequest, over: threading.Event) -> DescriptionResult:
        if self.given_up:
            return DescriptionResult(subject.key, "", self.given_up)
        try:
            reply = self._ask(subject, POLICY._replace(over=over))
        except RemoteFailed as error:
            return DescriptionResult(subject.key, "", self._strike(error))
        text = one_line(reply.text, cut=reply.cut)
        if not text or _repeats(subject, text):
            return DescriptionResult(subject.key, "", self._strike(self._chat.no_answer(said=text)))
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
        """Count a failure; what it was, in words."""
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
    """An answer as one line of text: its sentences, each once, without code, marks of emphasis around it and control
    characters. Of an answer that was `cut`, the sentence that was not finished is left out.

    Small models say what is asked for first, and then an example, or the same again until they are stopped: what comes
    later would outweigh it in a vector.
    """
    answer = answer[: 20 * LONGEST]  # more than enough to find what is kept in it
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
    """Whether an answer is a piece of the instructions or the question: a model that was not made to answer goes on."""
    told = [part for message in subject.messages for part in message.parts if isinstance(part, str)]
    return text == told[-1] or (len(text.split()) > OWN_WORDS and text in told[0])


def _unlooped(words: Sequence[str]) -> list[str]:
    """Words without the third time and all further ones that some of them follow each other in the same order."""
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
