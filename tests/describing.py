"""A language model for tests: a server that speaks chat completions and describes by a rule."""

from __future__ import annotations

import base64
import re
from typing import Any

from sandbox import GitSandbox
from serving import Answer, AnsweringServer, Payload, chat_answer, error

import ragit
from ragit.describe.image import sniff
from ragit.repository.repository import Ragit


class Model(AnsweringServer):
    """Describe code as `About` and its words backwards, and an image by its size, unless a test
    overrides it.
    """

    def __init__(self) -> None:
        super().__init__(self._say)
        self.faults: dict[str, object] = {}
        """Answers to give instead, by a substring of the request; "" matches everything."""

    def _say(self, payload: Payload) -> object:
        shown = code_of(payload)
        for piece, fault in self.faults.items():
            if piece in shown:
                return fault(payload) if callable(fault) else fault
        return chat_answer(description(payload))

    @property
    def settings(self) -> dict[str, object]:
        """Return the settings under which this model describes code."""
        return {
            "description.enabled": True,
            "description.baseUrl": f"{self.url}/v1",
            "description.model": "teller",
        }

    @property
    def image_settings(self) -> dict[str, object]:
        """Return the settings under which it describes images."""
        return {f"imageD{name[1:]}": value for name, value in self.settings.items()}

    def shown(self) -> list[str]:
        """Return the code of each request."""
        return [code_of(payload) for payload in self.asked]


def failing(status: int = 500) -> Answer:
    """Return an error that is not retried at once."""
    return error(status, "no")


def code_of(payload: Payload) -> str:
    """Return the code in a request; empty for an image."""
    content = payload["messages"][-1]["content"]
    return content if isinstance(content, str) else ""


def image_of(payload: Payload) -> tuple[str, bytes]:
    """Return the media type and the bytes of the image in a request."""
    (part,) = (part for part in payload["messages"][-1]["content"] if part["type"] == "image_url")
    head, _, data = part["image_url"]["url"].partition(";base64,")
    return head.removeprefix("data:"), base64.b64decode(data)


def description(payload: Payload) -> str:
    """Return the description by the model's rule."""
    if not code_of(payload):
        facts = sniff(image_of(payload)[1])
        assert facts
        return f"A screenshot of a login form, {facts.width} by {facts.height}."
    return rule_description(re.search(r"```\n(.*)\n```", code_of(payload), re.DOTALL)[1])  # type: ignore[index]


def rule_description(code: str) -> str:
    """Return the description of a piece of code."""
    return "About " + " ".join(word[::-1] for word in re.findall(r"[a-z]{3,}", code)) + "."


def body(name: str, lines: int = 30) -> str:
    """Return a definition that is a chunk of its own."""
    return f"def {name}():\n" + "".join(
        f"    {name}_step_{i}(config, offset)\n" for i in range(lines)
    )


def opened(repo: GitSandbox, model: Model, **more: object) -> Ragit:
    """Open a repository with this model for descriptions; `a__b` is the setting a.b."""
    return ragit.open(
        repo.path,
        flags={**model.settings, **{name.replace("__", "."): v for name, v in more.items()}},
    )


def indexed(repo: GitSandbox, model: Model, *revisions: str, **more: object) -> Any:
    """Return the report of indexing with this model."""
    with opened(repo, model, **more) as index:
        return index.index(*revisions)
