"""Tests of chats with a real server: requests, answers, and dialects learnt from errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from serving import Answer, EmbeddingServer, error

from ragit.remote.chat import Chat, Message, Picture, Reply
from ragit.remote.client import Client
from ragit.remote.failures import ParameterRefused, WrongAnswer
from ragit.remote.server import Server

HELLO = [Message("system", ("Be brief.",)), Message("user", ("Hello,", "you."))]


def chat(server: EmbeddingServer, limit_setting: str = "") -> Chat:
    return Chat(Client(Server(server.url, timeout=5, section="description")), "tiny", limit_setting)


def chat_answer(content: Any, **more: Any) -> Answer:
    choice = {
        "message": {"content": content, **more.pop("message", {})},
        "finish_reason": "stop",
        **more,
    }
    return (
        200,
        {},
        json.dumps(
            {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}
        ).encode(),
    )


def test_question_is_sent_and_answer_returned(server: EmbeddingServer) -> None:
    server.replies = [lambda _: chat_answer(" Hi. ")]
    assert chat(server).ask(HELLO, max_tokens=50) == Reply("Hi.", 9, 4, cut=False)
    assert server.paths == ["/v1/chat/completions"]
    assert server.asked[0] == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello,\n\nyou."},
        ],
        "max_tokens": 50,
        "temperature": 0.0,
    }


def test_picture_is_sent_and_secrets_in_the_text_are_removed(server: EmbeddingServer) -> None:
    server.replies = [lambda _: chat_answer("A cat.")]
    token = "ghp_" + "a1B2" * 9
    data = b"\x89PNG" + bytes(range(256))
    chat(server).ask(
        [Message("user", (f"What is {token}?", Picture("image/png", data)))], max_tokens=9
    )
    text, picture = server.asked[0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "What is ***?"}
    assert picture["image_url"]["url"].startswith("data:image/png;base64,iVBORwABAgME")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<think>\nhm\n</think>\n\nHi.", "Hi."),
        ("so it is\n</think>Hi.", "Hi."),
        ("<reasoning>a</reasoning>Hi.<think>b</think>", "Hi."),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hi."}], "Hi."),
        ("It prints <thinking> about", "It prints"),
        ("Hi.<|im_end|>\n<|im_start|>user\nMore.<|im_end|>", "Hi."),
        ("<start_of_turn>model\nHi.<end_of_turn>\n<end_of_turn>", "Hi."),
        ("<|im_start|>assistant\nHi.", "Hi."),
        ("It is <s>old</s> new", "It is <s>old</s> new"),
    ],
)
def test_reasoning_and_markers_are_removed_from_the_answer(
    server: EmbeddingServer, content: Any, text: str
) -> None:
    server.replies = [lambda _: chat_answer(content)]
    assert chat(server).ask(HELLO, max_tokens=50).text == text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (chat_answer(""), "model tiny answered with nothing"),
        (chat_answer(None), "model tiny answered with nothing"),
        (chat_answer(None, message={"refusal": "I will not"}), "model tiny declined: I will not"),
        (
            chat_answer("<think>on and on", finish_reason="length"),
            "reached its limit before it said anything",
        ),
        ((200, {}, b'{"choices": []}'), "did not answer as a chat does"),
        ((200, {}, b'{"data": []}'), "did not answer as a chat does"),
        ((200, {}, b'"hello"'), "did not answer as a chat does"),
        ((200, {}, b'{"choices": [{"message": {"content": 5}}]}'), "did not answer as a chat does"),
        (
            (200, {}, b'{"choices": [{"message": {"content": [5]}}]}'),
            "did not answer as a chat does",
        ),
        (
            (200, {}, b'{"choices": [{"message": {"content": [{"type": "text"}]}}]}'),
            "did not answer as a chat does",
        ),
    ],
)
def test_answer_without_text_is_a_failure(
    server: EmbeddingServer, answer: Answer, words: str
) -> None:
    server.replies = [lambda _: answer]
    with pytest.raises(WrongAnswer, match=words) as caught:
        chat(server, "description.maxTokens").ask(HELLO, max_tokens=50)
    assert "description." in caught.value.hint


def test_answer_cut_at_the_limit_is_marked(server: EmbeddingServer) -> None:
    server.replies = [lambda _: chat_answer("It is a", finish_reason="length")]
    assert chat(server).ask(HELLO, max_tokens=3).cut


def test_malformed_usage_counts_as_zero(server: EmbeddingServer) -> None:
    server.replies = [
        lambda _: (200, {}, b'{"choices": [{"message": {"content": "Hi."}}], "usage": [1]}')
    ]
    assert chat(server).ask(HELLO, max_tokens=3) == Reply("Hi.", 0, 0, cut=False)


def test_newer_parameters_are_learnt_once(server: EmbeddingServer) -> None:
    def modern(payload: dict[str, Any]) -> Answer:
        for name in ("max_tokens", "temperature"):
            if name in payload:
                return error(
                    400, f"Unsupported parameter: '{name}' is not supported with this model."
                )
        return chat_answer("Hi.")

    server.replies = [modern] * 9
    session = chat(server)
    for _ in range(2):
        assert session.ask(HELLO, max_tokens=50).text == "Hi."
    assert len(server.asked) == 4
    assert server.asked[-1]["max_completion_tokens"] == 50


def test_rejected_limit_parameters_fail_after_two_requests(server: EmbeddingServer) -> None:
    def unlimited(payload: dict[str, Any]) -> Answer:
        (name,) = (name for name in payload if name.startswith("max_"))
        return error(400, f"Unsupported parameter: {name}")

    server.replies = [unlimited] * 9
    with pytest.raises(ParameterRefused):
        chat(server).ask(HELLO, max_tokens=50)
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("setting", "hint"),
    [("description.maxTokens", "raise description.maxTokens, or"), ("", "name a")],
)
def test_hint_after_too_long_reasoning_names_the_setting(
    server: EmbeddingServer, setting: str, hint: str
) -> None:
    server.replies = [lambda _: chat_answer("<think>on and on", finish_reason="length")]
    with pytest.raises(WrongAnswer) as caught:
        chat(server, setting).ask(HELLO, max_tokens=50)
    assert f"on thinking: {hint}" in caught.value.hint
