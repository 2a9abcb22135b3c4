"""Asks language models by OpenAI's chat completions: text and pictures in, text out.

Differences between servers are learnt from their errors, once for all later requests: newer models
of OpenAI take `max_completion_tokens` for `max_tokens` and no `temperature`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragit.errors import RemoteFailed
from ragit.records import NamedTuple
from ragit.remote.client import INDEXING, Client, RetryPolicy, shortened_repr, token_count
from ragit.remote.error_meaning import printable
from ragit.remote.failures import ParameterRefused

_PATH = "chat/completions"

LARGEST = 4_000_000
"""Limit of an answer in bytes, including the model's thoughts."""

LONGEST = 50_000
"""Limit of a reply in characters; at most a page is requested."""

_THOUGHT = r"(?s)<(think|thinking|reasoning)>.*?(?:</\1>|\Z)"
"""A model's thoughts before its answer; to the end if the answer was cut within them."""

_TURN = r"<\|(?:im_start|im_end|eot_id|end|endoftext|start_header_id)\|>|<(?:start|end)_of_turn>"
"""Marks around a turn, for several families of models. A server with a missing or wrong template
lets the model add turns of its own.
"""

_OWN_TURN = rf"\A(?:(?:{_TURN})\s*(?:(?:assistant|model)\n)?\s*)+"
"""Such marks at the beginning of an answer."""


class Picture(NamedTuple):
    """An image in a message."""

    media_type: str
    """By content, not name; for example image/png."""
    data: bytes


class Message(NamedTuple):
    """A message with its role: system, user or assistant."""

    role: str
    parts: tuple[str | Picture, ...]


class Reply(NamedTuple):
    """The model's answer without its thoughts."""

    text: str
    prompt_tokens: int
    """As counted by the server; 0 if unknown."""
    completion_tokens: int
    cut: bool
    """True if the answer was cut at `max_tokens`."""


class Chat:
    """One model on one server. Threads may share it."""

    def __init__(self, client: Client, model: str, limit_setting: str = "") -> None:
        """Take a client, and the setting for the `max_tokens` of `ask`, if there is one."""
        self.client = client
        self.model = model
        self._limit_setting = limit_setting
        self._limit = "max_tokens"
        self._temperature: float | None = 0.0

    def ask(
        self, messages: Sequence[Message], *, max_tokens: int, policy: RetryPolicy = INDEXING
    ) -> Reply:
        """Return the model's answer.

        Raises `RemoteFailed`; an answer without text is a `WrongAnswer`.
        """
        while True:
            payload = self._payload(messages, max_tokens)
            try:
                return self._reply(self.client.post(_PATH, payload, policy=policy, largest=LARGEST))
            except ParameterRefused as refused:
                if not self._adapts_to(refused.parameter, payload):
                    raise

    def no_answer(self, repeated: str) -> RemoteFailed:
        """Return the failure of a reply without an answer.

        `repeated` is the text that it repeats of its instructions, or empty.
        """
        words = "with its own instructions" if repeated else "without words"
        return self.client.wrong(
            _PATH, f"model {self.model} answered {words}", "Is it a model for chats?"
        )

    def _payload(self, messages: Sequence[Message], max_tokens: int) -> dict[str, object]:
        payload: dict[str, object] = {
            "model": self.model,
            "messages": [_message_json(message) for message in messages],
        }
        payload[self._limit] = max_tokens
        if self._temperature is not None:
            payload["temperature"] = self._temperature
        return payload

    def _adapts_to(self, parameter: str, sent: Mapping[str, object]) -> bool:
        """Adapt to a parameter that the server refuses; return False if that is impossible."""
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
            content = _text(message.get("content"))
            refusal = str(message.get("refusal") or "")
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise self.client.wrong(
                _PATH, f"did not answer as a chat does, but with {shortened_repr(answer)}"
            ) from error
        text = re.sub(_THOUGHT, "", content).strip()
        # Some servers put the opening mark into the prompt: drop everything before a closing one,
        # too.
        text = text.rpartition("</think>")[2]
        text = re.split(_TURN, re.sub(_OWN_TURN, "", text.strip()), maxsplit=1)[0].strip()
        # JSON can contain lone surrogates, which cannot be stored or sent.
        text = text[:LONGEST].encode("utf-8", "replace").decode()
        cut = choice.get("finish_reason") == "length"
        if not text:
            raise self._empty_reply(refusal, cut)
        usage = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
        return Reply(
            text,
            token_count(usage.get("prompt_tokens")),
            token_count(usage.get("completion_tokens")),
            cut,
        )

    def _empty_reply(self, refusal: str, cut: bool) -> Exception:
        if refusal:
            return self.client.wrong(_PATH, f"model {self.model} declined: {printable(refusal)}")
        if cut:
            more = f"raise {self._limit_setting}, or " if self._limit_setting else ""
            hint = f"It spent all tokens on thinking: {more}name a model that does not think"
            return self.client.wrong(
                _PATH, f"model {self.model} reached its limit before it said anything", hint
            )
        return self.client.wrong(_PATH, f"model {self.model} answered with nothing")


def _message_json(message: Message) -> dict[str, object]:
    """Return a message in the protocol's form; without pictures as a plain string, for simple
    servers.
    """
    if all(isinstance(part, str) for part in message.parts):
        return {"role": message.role, "content": "\n\n".join(str(part) for part in message.parts)}
    return {"role": message.role, "content": [_part(part) for part in message.parts]}


def _part(part: str | Picture) -> dict[str, object]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}


def _text(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")
