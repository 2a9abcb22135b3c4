"""Replaces the secrets of a text: applies all rules until none finds more. Pure."""

from __future__ import annotations

import re
from collections import Counter

from ragit.remote.secrets import (
    commands,
    contexts,
    cookies,
    manifests,
    named,
    places,
    settings,
    tables,
    tokens,
)
from ragit.remote.secrets.keys import GONE, may_hold_private_key, private_key_spans, without_spans
from ragit.remote.secrets.rule import Rule, mentions_passwords, mentions_tokens

VERSION = 10
"""Version of these rules: raise it when any of them changes. With those of `keys`, raise
`index.embedded.VERSION`, too.
"""


class Clean(str):
    """A text that passed `redact`. A slice of it is a plain `str` and must pass again."""

    __slots__ = ()


def redact(text: str, found: Counter[str] | None = None) -> Clean:
    """Return the text without likely secrets. Adds the number of each kind to `found`."""
    if isinstance(text, Clean):
        return text
    clean = _once(text, found)
    while clean != text:  # a removed secret may have hidden the edge of another
        text, clean = clean, _once(clean, found)
    return Clean(clean)


_Anchored = tuple[tuple[str, Rule], ...]


def _anchored(*rules: Rule) -> _Anchored:
    """Pair each anchor with its rule: one loop over pairs takes half the time of two loops."""
    return tuple((anchor, rule) for rule in rules for anchor in rule.anchors or ("",))


_ALWAYS: tuple[tuple[tuple[str, ...], _Anchored], ...] = (
    (("://",), _anchored(*places.IN_URLS)),
    (("",), _anchored(*places.IN_TEXT, *commands.IN_TEXT, *cookies.IN_TEXT, *contexts.RULES)),
    (("uth", "earer "), _anchored(*places.BESIDE_AUTH)),
    (("onnect", "ysqli"), _anchored(*places.IN_CONNECTS)),
    ((" -", "\n-"), _anchored(*commands.WITH_OPTIONS)),
    (("ookie", "COOKIE"), _anchored(*cookies.IN_HEADERS)),
    (("$", "SHA"), _anchored(*places.HASHES)),
)
"""Rules, each group with strings of which the text must contain one for any rule to match."""

_TOKENS = _anchored(*tokens.RULES)
_IN_RUNS = _anchored(*places.IN_RUNS)
_OF_PASSWORDS = _anchored(*commands.PASSWORDS, *named.PASSWORDS)
_NAMED = _anchored(*commands.CUED, *named.CUED, *contexts.CUED)
_SETTINGS = _anchored(settings.RULE)


def _once(text: str, found: Counter[str] | None) -> str:
    runs = tokens.runs(text)
    clean = _without_private_keys(text, found) if may_hold_private_key(text) else text
    for needed, rules in _ALWAYS:
        for part in needed:
            if part in clean:
                clean = _without_all(rules, clean, clean, found)
                break
    if runs:
        clean = _without_all(_TOKENS, runs, clean, found)
        clean = _without_all(_IN_RUNS, clean, clean, found)
    return _without_named(clean, found)


def _without_named(text: str, found: Counter[str] | None) -> str:
    """Return the text without values after names such as `password`."""
    folded = text.lower()
    passwords = mentions_passwords(folded)
    if passwords or mentions_tokens(folded):
        if passwords:
            text = _without_all(_OF_PASSWORDS, text, text, found)
        text = _without_all(_NAMED, text, text, found)
        if passwords:
            text = _without_all(_SETTINGS, text, text, found)
        text = tables.without(text, found)
    elif "stringData" not in text:
        return text
    return manifests.without(text, found)


def _without_all(rules: _Anchored, looked_at: str, text: str, found: Counter[str] | None) -> str:
    """Apply each rule without an anchor, or with one in `looked_at`."""
    done = None
    for anchor, rule in rules:
        if anchor in looked_at and rule is not done:
            text = _without_secrets_of(rule, text, found)
            done = rule
    return text


def _without_secrets_of(rule: Rule, text: str, found: Counter[str] | None) -> str:
    in_group = "(?P<secret>" in rule.pattern

    def gone(match: re.Match[str]) -> str:
        secret = match["secret"] if in_group else match[0]
        start, end = match.span("secret") if in_group else match.span()
        before = match.string[match.start() : start]
        if (
            GONE in secret
            or not secret.strip()
            or (rule.value_test and not rule.value_test(secret, before))
        ):
            return match[0]
        if rule.place_test and not rule.place_test(match.string, *match.span()):
            return match[0]
        if found is not None:
            found[rule.kind] += 1
        return before + _replacement(secret) + match.string[end : match.end()]

    return re.sub(rule.pattern, gone, text)


def _without_private_keys(text: str, found: Counter[str] | None) -> str:
    clean, keys = without_spans(text, private_key_spans(text))
    if found is not None and keys:
        found["private key"] += keys
    return clean


def _replacement(secret: str) -> str:
    """Return a replacement with as many line ends as the secret."""
    first = "\n" if secret.startswith("\n") else ""
    rest = secret.count("\n") - len(first)
    return first + GONE + "\n" * rest
