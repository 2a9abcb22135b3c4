"""Language models behind OpenAI's chat completions: text and pictures in, text out. Says nothing of its own.

The dialects differ in little, and that little is learnt from the server's refusal, once for all further requests: newer
models of OpenAI want `max_completion_tokens` for `max_tokens` and take no `temperature`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ragit.errors import RemoteFailed
from ragit.remote.client import INDEXING, Client, RetryPolicy, shortened_repr, token_count
from ragit.remote.error_meaning import printable
from ragit.remote.failures import ParameterRefused

_PATH = "chat/completions"

LARGEST = 4_000_000
"""Bytes of an answer, thoughts included."""

LONGEST = 50_000
"""Characters of a reply; what is asked of a model here is a page at most."""

_THOUGHT = r"(?s)<(think|thinking|reasoning)>.*?(?:</\1>|\Z)"
"""What a model that thinks aloud says before its answer; up to the end where it was cut in the middle of it."""

_TURN = r"<\|(?:im_start|im_end|eot_id|end|endoftext|start_header_id)\|>|<(?:start|end)_of_turn>"
"""Where a turn begins or ends, in the forms of several families of models. A server that has no template for its model,
or a wrong one, lets the model go on with turns of its own, which answer nothing.
"""

_OWN_TURN = rf"\A(?:(?:{_TURN})\s*(?:(?:assistant|model)\n)?\s*)+"
"""Where its answer begins with such a mark."""


class Picture(NamedTuple):
    """An image in a message."""

    media_type: str
    """For example image/png, by its content rather than its name."""
    data: bytes


class Message(NamedTuple):
    """What is said, and by whom: system, user or assistant."""

    role: str
    parts: tuple[str | Picture, ...]


class Reply(NamedTuple):
    """What the model said, without what it thought."""

    text: str
    prompt_tokens: int
    """As the server counted them; 0 where it does not say."""
    completion_tokens: int
    cut: bool
    """True where it was stopped at `max_tokens`."""


class Chat:
    """One model on one server. Threads may share it."""

    def __init__(self, client: Client, model: str, limit_setting: str = "") -> None:
        """`limit_setting` is what a user sets to raise the `max_tokens` of `ask`; empty if nobody can."""
        self.client = client
        self.model = model
        self._limit_setting = limit_setting
        self._limit = "max_tokens"
        self._temperature: float | None = 0.0

    def ask(
        self, messages: Sequence[Message], *, max_tokens: int, policy: RetryPolicy = INDEXING
    ) -> Reply:
        """The model's answer. Raises `RemoteFailed`; an answer without text is a `WrongAnswer`."""
        while True:
            payload = self._payload(messages, max_tokens)
            try:
                return self._reply(self.client.post(_PATH, payload, policy=policy, largest=LARGEST))
            except ParameterRefused as refused:
                if not self._without(refused.parameter, payload):
                    raise

    def no_answer(self, said: str) -> RemoteFailed:
        """The failure to count where a reply has text, and none of it answers: `said` is what it repeats, or empty."""
        words = "with what it was told to do" if said else "without words"
        return self.client.wrong(
            _PATH, f"model {self.model} answered {words}", "Is it a model for chats?"
        )

    def _payload(self, messages: Sequence[Message], max_tokens: int) -> dict[str, object]:
        payload: dict[str, object] = {
            "model": self.model,
            "messages": [_spoken(message) for message in messages],
        }
        payload[self._limit] = max_tokens
        if self._temperature is not None:
            payload["temperature"] = self._temperature
        return payload

    def _without(self, parameter: str, sent: Mapping[str, object]) -> bool:
        """Adapt to what the server does not take; False if that was tried, or cannot be left out."""
        if parameter == "max_tokens" and "max_tokens" in sent:
            self._limit = "max_completion_tokens"
            return True
        if parameter == "temperature" and "temperature" in sent:
            self._temperature = None
            return True
        return False

    def _reply(self, answer: Any) -> Reply:
        try:
            choice = answer["choices"][0]
            message = choice["message"]
            said = _text(message.get("content"))
            refusal = str(message.get("refusal") or "")
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise self.client.wrong(
                _PATH, f"did not answer as a chat does, but with {shortened_repr(answer)}"
            ) from error
        text = re.sub(_THOUGHT, "", said).strip()
        # Some servers let the opening mark be part of the prompt: all before the closing one is thought, too.
        text = text.rpartition("</think>")[2]
        text = re.split(_TURN, re.sub(_OWN_TURN, "", text.strip()), maxsplit=1)[0].strip()
        # JSON can hold halves of letters, which nothing else can.
        text = text[:LONGEST].encode("utf-8", "replace").decode()
        cut = choice.get("finish_reason") == "length"
        if not text:
            raise self._nothing(refusal, cut)
        usage = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
        return Reply(
            text,
            token_count(usage.get("prompt_tokens")),
            token_count(usage.get("completion_tokens")),
            cut,
        )

    def _nothing(self, refusal: str, cut: bool) -> Exception:
        if refusal:
            return self.client.wrong(_PATH, f"model {self.model} declined: {printable(refusal)}")
        if cut:
            more = f"raise {self._limit_setting}, or " if self._limit_setting else ""
            hint = f"It spent all tokens on thinking: {more}name a model that does not think"
            return self.client.wrong(
                _PATH, f"model {self.model} reached its limit before it said anything", hint
            )
        return self.client.wrong(_PATH, f"model {self.model} answered with nothing")


def _spoken(message: Message) -> dict[str, object]:
    """A message as the protocol has it; text alone as a plain string, which servers without pictures want."""
    if all(isinstance(part, str) for part in message.parts):
        return {"role": message.role, "content": "\n\n".join(str(part) for part in message.parts)}
    return {"role": message.role, "content": [_part(part) for part in message.parts]}


def _part(part: str | Picture) -> dict[str, object]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}


def _text(content: Any) -> str:
    """The text of an answer: a string, or parts of which some may be thoughts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")
