"""Defines a rule, and decides whether a literal is a secret if its form alone does not
tell. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ragit.records import NamedTuple
from ragit.remote.secrets.password import is_form_label, is_placeholder, is_plain_password
from ragit.remote.secrets.strength import (
    has_all_kinds,
    has_random_case,
    is_reference,
    is_scramble,
    is_unspeakable,
    looks_random,
    takes_turns,
)

QUOTE = r"(?P<quote>\\?(?:\"{3}|'{3}|[\"'`]))(?:(?<=\"{3}|'{3})\s{1,40})?"
"""Pattern of the quote before a literal; after three, the literal may be on the next line."""

BODY = (
    r"(?P<secret>(?:\\\\\\[\"'`]|(?:(?P=quote)|'\\'|`)(?P=quote)(?=[^\s,;:)\]}>=|&.+])"
    r"|(?!(?P=quote))(?:\\\S|[^\s\\])|\\(?=(?P=quote))){5,512})"
    r"(?P=quote)"
)
"""Pattern of a literal without spaces after its `quote`. It may contain other quotes, and escaped
ones, with three backslashes if the literal itself is within a string, twice (SQL, YAML), after a
backtick (PowerShell) or as a string of its own (shells). A backslash that is no escape, as in XML,
may be last.
"""


def inside(bare: str, least: int = 3, most: int = 200) -> str:
    """Return the pattern of a value after an optional `quote`; without it, of `bare` characters."""
    return (
        r"(?P<secret>(?:(?(quote)(?!(?P=quote))(?:\\\S|[^\s\\])|"
        rf"{bare})){{{least},{most}}})(?(quote)(?P=quote))"
    )


def either(bare: str, least: int = 3, most: int = 200) -> str:
    """Return the pattern of a value in quotes, or of `bare` characters without."""
    return r"(?P<quote>[\"'])?" + inside(bare, least, most)


_NEXT_PARAMETER = r"[A-Za-z][\w.-]*=(?:[\w./%:,+~-]*(?=[&\s\"'`\\)>\]}]|$)|[\"'<{\[]|\$\{|%[({s])"
"""A parameter after `&`: a name with a plain value or a reference. A password may contain `&a=`."""


_NEXT_FIELD = r"\w+[=:](?:[\w./%+-]*(?=[,;&\s\"'`\\)>\]}]|$)|[\"'<{\[]|\$\{|%[({s]|:?//)"
"""A field after a comma: a name with a plain value or a reference."""

_NO_TAG = r"<(?!/?[A-Za-z][\w.:-]{0,60}\s{0,4}/?>|!--)"
"""A `<` that starts no element of XML or HTML."""


def _argument(ampersand: str) -> str:
    """Return the pattern of a value among parameters; `ampersand` matches a `&` within it."""
    more = rf"[^\s;,)\]}}&\"'`<>\\]|{ampersand}|{_NO_TAG}"
    return (
        rf"(?![\"'`])(?P<secret>(?:[^\s&;\"'`,)\]}}<>\\]|{_NO_TAG}|>|\\(?=\w)"
        rf"|,(?=\S)(?!{_NEXT_FIELD})|{ampersand}|;(?!\s?[\w .]+=|[\s\"'`]|$)"
        rf"|[)\"'`\]}}]{{1,3}}(?={more}|>(?:{more}))){{5,512}})"
    )


ARGUMENT = _argument(rf"&{{1,2}}(?!{_NEXT_PARAMETER}|[\s&])")
"""Value of one of several parameters: `;`, `&` and brackets belong to it unless they end it."""

FIELD = _argument(r"&(?!\s)")
"""Value of one of several parameters separated by `;` or a space."""

LINE = (
    r"(?P<quote>[\"']?)(?P<secret>(?<=[\"'])[^\r\n]{3,512}?|(?![\"'])\S{3,512})(?P=quote)"
    r"(?:[ \t]+#[^\n]{0,200})?[ \t\r]*$"
)
"""The rest of a line, in quotes or without spaces, but without a comment."""


class Rule(NamedTuple):
    """One form of a secret."""

    kind: str
    """Name in reports."""
    anchors: tuple[str, ...]
    """Strings of which the text must contain one. Searching a fixed string costs next to
    nothing.
    """
    pattern: str
    """Its group `secret`, or the whole match, is removed."""
    value_test: Callable[[str, str], bool] | None = None
    """Test of the secret, given also the part of the match before it."""
    place_test: Callable[[str, int, int], bool] | None = None
    """Test of the surrounding text, given the offsets of the match."""


SET = r"(?:(?:export|ENV|ARG|set|-)[ \t]+|Environment=)?"
"""Pattern of the words before the name of a variable."""

EDGE = r"(?<![A-Za-z0-9_])"
KEYS = (
    *(
        "api",
        "access",
        "auth",
        "private",
        "preshared",
        "account",
        "encryption",
        "signing",
        "secret",
    ),
    *("app", "shared", "aes", "cipher", "crypto", "hmac", "master", "license"),
)
_OWNERS = (
    *(
        "user",
        "usr",
        "db",
        "root",
        "admin",
        "smtp",
        "mail",
        "imap",
        "ftp",
        "ssh",
        "sql",
        "pg",
        "postgres",
        "mongo",
    ),
    *(
        "redis",
        "ldap",
        "bind",
        "become",
        "login",
        "proxy",
        "auth",
        "wifi",
        "store",
        "sudo",
        "my",
        "vpn",
        "require",
    ),
)
"""Words before `pass` that make it a password, also in one word: `dbpass`, but not `bypass`."""

_WAY = re.compile(
    r"(?i)(?:render|shader|shadow|depth|draw|color|main|first|second|third|single|two|multi|next"
    r"|prev|last|each|final|this"
    r"|optimi[sz]ation|compiler|analysis|function|module|graph|dry|pre|post|to|can|must|should|will"
    r"|not|all)[_.-]?$"
)
"""Words before `pass` that make it a step of a program, or a verb."""

_NAMES = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    r"pass(?:(?<![A-Za-z]pass)|(?-i:(?<=[a-z]Pass))|{})".format(
        "|".join(f"(?<={owner}pass)" for owner in _OWNERS)
    ),
    "pwd",
    r"pw(?:(?<![A-Za-z]pw)|{})(?!\w)".format("|".join(f"(?<={owner}pw)" for owner in _OWNERS)),
    "secret",
    "token",
    "credentials?",
    "secret_key_base",
)
FIRST = "[AaCcEePpSsTt]"
REST = r"(?i:{})".format(
    "|".join(
        f"(?<={name[0]}){name[1:]}" for name in (*_NAMES, *(f"{word}[_.-]?key" for word in KEYS))
    )
)
WORDS = FIRST + REST
"""Ends of names for secrets, in any case. `mentions_passwords` or `mentions_tokens` is true of a
text with one. The first letters come before the alternatives, which makes `re` twice as fast.
"""

_PASS = (
    *(
        "passw",
        "passp",
        "passc",
        "_pass",
        "pass=",
        "pass:",
        "pass'",
        'pass"',
        "pass =",
        "pass(",
        "pass\\",
        "pass ->",
        "pass>",
    ),
    *("-pass", "storepass", "keypass", "requirepass"),
)
_KEY = "key(?:{})".format("|".join(f"(?<={word}key)|(?<={word}[ _.-]key)" for word in KEYS))


def mentions_passwords(folded: str) -> bool:
    """Return whether a lower-case text may contain a name for passwords. Fast."""
    if "pass" in folded:
        for cue in _PASS:
            if cue in folded:
                return True
    return "pw" in folded and re.search(r"pw(?:d|[^a-z])", folded) is not None


def mentions_tokens(folded: str) -> bool:
    """Return whether a lower-case text contains a name for other secrets."""
    if "secret" in folded or "token" in folded or "credential" in folded:
        return True
    return "key" in folded and re.search(_KEY, folded) is not None


_TECHNICAL = frozenset(
    "v x k r rc alpha beta utf mb le be sha md base http https oauth tls ssl secp prime rsa ecdsa "
    "aes gcm cbc".split()
)
"""Words beside numbers in names of versions, encodings and algorithms: v1alpha1, utf8mb4,
secp256k1.
"""

_NO_LITERAL = re.compile(
    r"[$%<>{}*]|\.\.\.|^/"  # a reference, a placeholder, a path
    r"|^[A-Z][A-Z0-9_]*$|^[a-z]+\d{0,2}([._/-][a-z0-9]+)+$"  # a constant, a dotted name
    r"|^-{0,2}[A-Za-z_.-]+[=:]$"  # an option followed by a value
    r"|^@[A-Z_]+@?$"  # a mark in a template
)
_PLACEHOLDER = re.compile(
    r"(?:(?:user|your|my|the|some|new|old|test)[ _-]?)?"
    r"(?:pass|pw|pwd|password|passwd|passphrase|secret|token|key|api[_-]?key|true|false|yes|no|none"
    r"|null|changeme|x+)",
    re.IGNORECASE,
)
"""Names of a secret, not values."""


def mixes_letters_and_digits(value: str, before: str = "") -> bool:
    """Return whether letters and digits are mixed, except for one or two digits at the end."""
    return bool(
        re.search(r"[0-9]", value)
        and re.search(r"[A-Za-z]", value)
        and not re.fullmatch(r"\D*\d{1,2}", value)
    )


def mixes_capitals_and_digits(value: str, before: str = "") -> bool:
    """Return whether letters, a capital among them, and digits are mixed."""
    return mixes_letters_and_digits(value) and value.lower() != value


def alternates_letters_and_digits(value: str, before: str = "") -> bool:
    """Return whether letters and digits alternate more than three times."""
    return len(re.findall(r"[A-Za-z][0-9]|[0-9][A-Za-z]", value)) > 3


def alternates_with_capitals(value: str, before: str) -> bool:
    """Return whether letters and digits alternate more than twice, with a capital among them."""
    return len(re.findall(r"[A-Za-z][0-9]|[0-9][A-Za-z]", value)) > 2 and mixes_capitals_and_digits(
        value
    )


def is_secret_literal(value: str, before: str) -> bool:
    """Return whether a literal looks like a secret, not a name, a path or a placeholder.

    A password may be a word with a number. A short one assigned to a token or a key names a version
    or an encoding.
    """
    if looks_random(value) or has_all_kinds(value) or is_scramble(re.sub(r"\d", "", value)):
        return True
    if re.search(_NO_LITERAL, value) or re.search(r"[\"'`]", value) or is_reference(value):
        return _is_base32_seed(value)
    if len(value) > 7 and re.search(r"[!@#^&+=?~]", value):
        return True
    return mixes_letters_and_digits(value) and not _names_a_version(value, before)


def is_strong(value: str, before: str = "") -> bool:
    """Return whether a value is random by itself, whatever is around it."""
    letters = re.sub(r"[^A-Za-z]", "", value)
    return (
        looks_random(value)
        or has_all_kinds(value)
        or is_scramble(letters)
        or takes_turns(value)
        or (
            letters != value
            and has_random_case(letters)
            and re.fullmatch(r"[\w-]+", value) is not None
        )
    )


def ends_in_password_name(before: str) -> bool:
    """Return whether the text before a value names a password, not a token or a key."""
    return (
        re.search(r"(?i)(?:pass|passw(?:or)?d|passphrase|passcode|pwd|pw)(?![a-z])", before)
        is not None
    )


def not_a_compiler_pass(text: str, start: int, end: int) -> bool:
    """Return False if the name at `start` is a `pass` of a compiler or a renderer."""
    if text[start + 4 : start + 5].isalpha() or text[start : start + 4].lower() != "pass":
        return True
    return not _WAY.search(text[max(start - 20, 0) : start])


def is_assigned_secret(value: str, before: str) -> bool:
    """Return whether a value after a name is a secret literal or, for a password, a plain word.

    A capitalised word is the label of a form field, unless it is assigned to a variable.
    """
    if len(value) > 5 and is_secret_literal(value, before):
        return True
    if not ends_in_password_name(before):
        return False
    if not is_plain_password(value):
        return has_random_case(value) or _is_mixed(value)
    return not is_form_label(value) or bool(re.search(r"(?<!value)(?<![=!<>:])=[^=>]*$", before))


def _is_mixed(value: str) -> bool:
    """Return whether letters, digits and signs take turns, though not as often as at random."""
    return len(value) > 11 and alternates_letters_and_digits(value) and not is_reference(value)


def is_login_argument(value: str, before: str) -> bool:
    """Return whether the last argument of a login is a secret literal or a plain word."""
    return (
        len(value) > 5
        and is_secret_literal(value, before)
        or (is_plain_password(value) and not is_form_label(value))
    )


def is_setting_value(value: str, before: str = "") -> bool:
    """Return False for a reference, a placeholder, a path or a switch after NAME_PASSWORD=."""
    if _PLACEHOLDER.fullmatch(value) or is_placeholder(value):
        return False
    if looks_random(value):
        return True
    if is_reference(value) or re.match(r"[$<{%`]", value):
        return False
    if re.search(r"\.\.\.|^/|^[a-z]+(\.[a-z0-9_-]+)+$|^your", value, re.IGNORECASE):
        return False
    if has_random_case(re.sub(r"[^A-Za-z]", "", value)):
        return True
    return not re.search(r"[$<>{}*`(]|%[sdvq]\b", value) or mixes_capitals_and_digits(value)


def _is_base32_seed(value: str) -> bool:
    """Return whether a long value of capitals and digits is random, not a constant's name."""
    return (
        len(value) > 15
        and value.isalnum()
        and value.isupper()
        and (alternates_letters_and_digits(value) or (len(value) > 23 and is_unspeakable(value)))
    )


def is_quoted_secret(value: str, before: str = "") -> bool:
    """Return False if a value that must be a secret is a reference or a placeholder."""
    if _PLACEHOLDER.fullmatch(value) or is_reference(value):
        return False
    return looks_random(value) or not re.match(r"[$<{:?]|%\(?\w|\.\.\.|\*+$|@\w+$", value)


def _names_a_version(value: str, before: str) -> bool:
    if re.search(r"(?i)pass|pwd|credential", before):
        return False
    folded = value.lower()
    if len(value) < 9 and folded == value:
        return True
    return len(value) < 16 and _TECHNICAL.issuperset(re.findall(r"[a-z]+", folded))
