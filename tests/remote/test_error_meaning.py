"""Tests of what services mean by an error, by its sentence: text too long, too many texts, or
neither.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from serving import EmbeddingServer, embeddings_answer, error

from ragit.embed import EmbedderOptions
from ragit.embed.served import load
from ragit.errors import EmbedderUnavailable
from ragit.remote.error_meaning import Later, Response, meaning
from ragit.remote.failures import ParameterRefused, Refused, TooLong, TooMany

TOO_LONG = {
    "OpenAI, a chat": "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (4700 in "
    "the messages, 300 in the completion). Please reduce the length of the messages or completion.",
    "OpenAI, vectors": "This model's maximum context length is 8192 tokens, however you requested 10000 tokens (10000 "
    "in your prompt; 0 for the completion). Please reduce your prompt; or completion length.",
    "OpenAI, vectors, newer": "Invalid 'input[0]': maximum context length is 8192 tokens.",
    "OpenAI, newest": "Invalid 'input': maximum input length is 8192 tokens.",
    "OpenAI, all of a request": "Requested 311543 tokens, max 300000 tokens per request",
    "OpenAI, a string": "Invalid 'input': string too long. Expected a string with maximum length 1048576, but got a "
    "string with length 2000000 instead.",
    "OpenAI, responses": "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "Azure": "This model's maximum context length is 8191 tokens, however you requested 9133 tokens",
    "Anthropic's form": "prompt is too long: 210000 tokens > 200000 maximum",
    "Anthropic's form, both": "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease "
    "input length or `max_tokens` and try again",
    "Ollama": "the input length exceeds the context length",
    "Ollama, older": "input length exceeds maximum context length",
    "vLLM": "This model's maximum context length is 512 tokens. However, you requested 1024 tokens in the input for "
    "embedding generation. Please reduce the length of the input.",
    "vLLM, newer": "The decoder prompt (length 1024) is longer than the maximum model length of 512. Make sure that "
    "`max_model_len` is no smaller than the number of text tokens.",
    "vLLM, no room for an answer": "'max_tokens' or 'max_completion_tokens' is too large: 300. This model's maximum "
    "context length is 4096 tokens and your request has 4000 input tokens (300 > 4096 - 4000).",
    "llama.cpp, a batch": "input is too large to process. increase the physical batch size",
    "llama.cpp, with numbers": "input (992 tokens) is too large to process. increase the physical batch size (current "
    "batch size: 512)",
    "llama.cpp, a chat": "request (2588 tokens) exceeds the available context size (1024 tokens), try increasing it",
    "llama.cpp, older": "the request exceeds the available context size. try increasing the context size or enable "
    "context shift",
    "llama.cpp, skipped": "input (900 tokens) is larger than the max context size (512 tokens). skipping",
    "text-embeddings-inference": "Input validation error: `inputs` must have less than 512 tokens. Given: 1024",
    "text-generation-inference": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: "
    "5000 `inputs` tokens and 512 `max_new_tokens`",
    "Mistral, a batch": "Too many tokens in batch. Max is 16384 got 17555",
    "Mistral, all": "Too many tokens overall, split into more batches.",
    "Mistral, one": "Input id 0 has 9284 tokens, exceeding max 8192 tokens.",
    "Mistral, a chat": "Prompt contains 35862 tokens and 0 draft tokens, too large for model with 32768 maximum "
    "context length",
    "Voyage, one": "Request to model 'voyage-code-3' failed. The example at index 0 in your batch has too many tokens "
    "and does not fit into the model's context window of 32000 tokens. Please lower the number of tokens in the listed "
    "example(s) or use truncation.",
    "Voyage, all": "Request to model 'voyage-code-3' failed. The max allowed tokens per submitted batch is 120000. "
    "Your batch has 130000 tokens after truncation. Please lower the number of tokens in the batch.",
    "Jina": "Single text cannot exceed 8194 tokens. 19234 tokens given.",
    "Jina, newer": "Input text exceeds maximum length of 8192 tokens",
    "Cohere": "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs",
    "Bedrock": "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9279",
    "NVIDIA": "Input length 1024 exceeds maximum allowed token size 512",
    "LM Studio": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with "
    "context length of only 4096 tokens, which is not enough.",
    "Fireworks": "The prompt is too long: 5000, model maximum context length: 4095",
    "Groq": "Please reduce the length of the messages or completion.",
    "a gateway": "text-embedding-3-small: too long",
    "pydantic": "String should have at most 8192 characters",
}

TOO_MANY = {
    "OpenAI": "Invalid 'input': array too long. Expected an array with maximum length 2048, but got an array with "
    "length 3000 instead.",
    "text-embeddings-inference": "batch size 64 > maximum allowed batch size 32",
    "Mistral": "Too many inputs in request, split into more batches.",
    "Voyage": "The batch size limit is 1000. Your batch size is 1200.",
    "Cohere": "invalid request: total number of texts must be at most 96 - received 128",
    "Jina, pydantic": "List should have at most 512 items after validation, not 600",
    "a reranker": "too many documents: 1001",
    "others": "the batch holds too many items",
    "others, by number": "Cannot process more than 256 inputs",
}

NEITHER = {
    "OpenAI, an answer's length": "max_tokens is too large: 100000. This model supports at most 16384 completion "
    "tokens, whereas you provided 100000.",
    "Anthropic's form, the same": "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
    "vLLM, the same": "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length "
    "is 4096 tokens and your request has 100 input tokens (5000 > 4096 - 100).",
    "a parameter's name": "max_tokens must be at least 1, got 0",
    "a parameter's value": "temperature exceeds the maximum of 2",
    "a length of vectors": "dimensions: 4096 is too large, this model has 1024",
    "a length of vectors, otherwise": "output_dimension exceeds the maximum value of 2048",
    "a list of signs": "stop must have less than 4 sequences",
    "an image": "The image is too large: 30 MB exceeds the maximum size of 20 MB",
    "a body": "Request body too large",
    "a head": "Request Header Or Cookie Too Large",
    "a rate": "Too many requests, slow down",
    "a rate of tokens": "Rate limit exceeded: tokens per minute",
    "a user's name": "user is too long",
    "a model": "The model file is too large for this machine",
}
"""Errors with status 400 that a shorter text does not solve."""


def kind_of(status: int, message: str, payload: dict[str, Any] | None = None) -> type[Refused]:
    verdict = meaning(
        Response(status, {}, json.dumps({"error": {"message": message}}).encode()),
        payload or {"input": []},
    )
    assert not isinstance(verdict, Later)
    return verdict.kind


@pytest.mark.parametrize("message", TOO_LONG.values(), ids=TOO_LONG)
def test_too_long_text_is_recognised(message: str) -> None:
    for status in (400, 413, 422, 500):
        assert kind_of(status, message) is TooLong
        assert kind_of(status, message.upper()) is TooLong


@pytest.mark.parametrize("message", TOO_MANY.values(), ids=TOO_MANY)
def test_too_many_texts_are_recognised(message: str) -> None:
    for status in (400, 413, 422):
        assert kind_of(status, message) is TooMany


@pytest.mark.parametrize("message", NEITHER.values(), ids=NEITHER)
def test_other_error_is_recognised(message: str) -> None:
    for status in (400, 422):
        assert kind_of(status, message) is Refused


def test_rejected_parameter_is_not_a_too_long_text() -> None:
    message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
    assert kind_of(400, message, {"messages": [], "max_tokens": 300}) is ParameterRefused
    assert kind_of(400, message, {"input": []}) is Refused


def test_html_page_with_status_413_means_too_long() -> None:
    page = b"<html><head><title>413 Request Entity Too Large</title></head></html>"
    verdict = meaning(Response(413, {}, page, "Request Entity Too Large"), {"input": []})
    assert not isinstance(verdict, Later) and verdict.kind is TooLong


@given(st.text(max_size=300))
def test_any_message_has_one_of_three_meanings(message: str) -> None:
    assert kind_of(400, message) in (Refused, TooLong, TooMany)


def embedder(server: EmbeddingServer) -> Any:
    return load(EmbedderOptions(base_url=server.url, model="tiny", timeout=5.0, dimensions=4))


@pytest.mark.parametrize("status", [400, 413, 422])
@pytest.mark.parametrize("message", TOO_MANY.values(), ids=TOO_MANY)
def test_too_many_texts_are_split_and_not_shortened(
    server: EmbeddingServer, status: int, message: str
) -> None:
    server.reply = lambda payload: (
        error(status, message) if len(payload["input"]) > 3 else embeddings_answer(payload)
    )
    served = embedder(server)
    texts = [f"text {number} " * 99 for number in range(10)]
    assert len(served.embed(texts)) == 10
    assert not served.counts["shortened"] and not served.counts["refused"]
    assert sorted(
        text for payload in server.asked for text in payload["input"] if len(payload["input"]) <= 3
    ) == sorted(texts)


@pytest.mark.parametrize("message", NEITHER.values(), ids=NEITHER)
def test_other_error_does_not_shorten_a_text(server: EmbeddingServer, message: str) -> None:
    server.reply = lambda _: error(400, message)
    served = embedder(server)
    with pytest.raises(EmbedderUnavailable):
        served.embed(["a" * 5000])
    assert not served.counts["shortened"]
    assert [payload["input"] for payload in server.asked] == [["a" * 5000], ["def main():"]]


def test_status_413_without_a_message_splits_the_batch(server: EmbeddingServer) -> None:
    """A proxy that checks only the size of the body answers like this; no text is shortened."""
    server.reply = lambda payload: (
        (413, {}, b"") if sum(map(len, payload["input"])) > 900 else embeddings_answer(payload)
    )
    served = embedder(server)
    texts = [letter * 400 for letter in "abcdefgh"]
    assert all(map(any, served.embed(texts))) and not served.counts["shortened"]
