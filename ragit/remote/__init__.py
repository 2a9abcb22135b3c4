"""Talks HTTP to services on other machines, or to a server on this one.

`client` posts JSON and returns answers or typed failures, `transport` holds the connections within
limits, `error_meaning` interprets errors, `parallel` makes several calls at once, `chat` and
`rerank` talk to models, `presets` lists the providers, `secrets` redacts texts to send. Reads no
settings. Loaded only if a server is configured or a text is checked for secrets.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:  # imported on first use: checking for secrets needs no HTTP
    from ragit.remote import secrets
    from ragit.remote.chat import Chat, Message, Picture, Reply
    from ragit.remote.client import (
        INDEXING,
        QUERY,
        Client,
        RetryPolicy,
        shortened_repr,
        token_count,
    )
    from ragit.remote.failures import (
        KeyRefused,
        ParameterRefused,
        Refused,
        TimedOut,
        TooLong,
        TooMany,
        Unreachable,
    )
    from ragit.remote.parallel import NEVER_CANCELLED, map_as_completed
    from ragit.remote.presets import PRESETS, Embeddings, Preset, dialect_for, preset_at
    from ragit.remote.rerank import DIALECTS, CrossEncoder
    from ragit.remote.secrets import VERSION, Clean, decode_without_keys, redact
    from ragit.remote.server import Server, masked, on_this_machine, origin
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "chat": ["Chat", "Message", "Picture", "Reply"],
            "client": [
                "INDEXING",
                "QUERY",
                "Client",
                "RetryPolicy",
                "shortened_repr",
                "token_count",
            ],
            "failures": [
                "KeyRefused",
                "ParameterRefused",
                "Refused",
                "TimedOut",
                "TooLong",
                "TooMany",
                "Unreachable",
            ],
            "parallel": ["NEVER_CANCELLED", "map_as_completed"],
            "presets": ["PRESETS", "Embeddings", "Preset", "dialect_for", "preset_at"],
            "rerank": ["DIALECTS", "CrossEncoder"],
            "secrets": ["VERSION", "Clean", "decode_without_keys", "redact"],
            "server": ["Server", "masked", "on_this_machine", "origin"],
        },
    )
