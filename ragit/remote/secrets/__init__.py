"""Finds secrets in a text by their form and replaces them before the text is sent. Pure.

`Client.post` passes every text to send through `redact`. A secret becomes `***`, the number of
lines stays, the same text always gives the same result, and a second pass finds nothing more.
`VERSION` is part of the keys of vectors and descriptions: raise it with every change of a rule.

A private key is often longer than a chunk, and its middle has no recognisable form. So find
`private_key_spans` in the whole file and remove them from each chunk by `without_spans`;
`decode_without_keys` does both.

`keys` finds private keys, `tokens` keys of services by their prefix, `places` secrets in URLs,
headers and logins, `cookies` sessions, `commands` options of commands, `named` values after a name
such as `password`, `settings` such values without quotes, `tables` columns, `contexts` calls, files
and services, `manifests` Kubernetes. `rule`, `password` and `strength` decide whether a literal is
a secret.

The rules are our own, since no library fits (measured on the 62,584 chunks of apache/kafka, 72 MB):
detect-secrets 1.5 (last released in 2024) takes 53 s and 90 ms to import, checks single lines, so
that it sees only the title of a private key, does not know today's tokens, and its rule for
keywords flags `AUTH_KEY = "auth"`; the bindings of betterleaks bring 54 MB of machine code from a
release candidate. These rules take 5 s, and add nothing to a query.

A secret that no rule knows is sent. To keep a file back for certain, do not commit it, or set
`ragit=false`.
"""

from ragit.remote.secrets.keys import (
    GONE,
    Spans,
    decode_without_keys,
    may_hold_private_key,
    private_key_spans,
    without_spans,
)

TYPE_CHECKING = False

if TYPE_CHECKING:  # imported on first use: all rules take 25 ms to compile
    from ragit.remote.secrets.redaction import VERSION, Clean, redact
else:
    from ragit.lazy import exports

    __getattr__ = exports(__name__, {"redaction": ["VERSION", "Clean", "redact"]})
