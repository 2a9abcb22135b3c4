"""Tells random values from references, paths, patterns and code. Pure.

A password may contain every sign of a reference, so a value is a reference only as a whole: `${X}`,
`{{x}}`, `%(x)s`, `<placeholder>`. Other values are judged by how often lower case, capitals, digits
and signs alternate: at every second character of a random value, seldom in names, paths and code.
"""

from __future__ import annotations

import re

_NAME = r"[A-Za-z_][\w.:/ -]{0,80}"
_REFERENCES = re.compile(
    rf"\$\{{[^{{}}]{{1,120}}\}}|\$\([^()]{{1,120}}\)|\{{\{{[^{{}}]{{1,120}}\}}\}}"
    rf"|[#%@]\{{[^{{}}]{{1,120}}\}}"
    rf"|%\([\w.]{{1,60}}\)[sdr]|<{_NAME}>|<%.{{1,120}}?%>|\{{{_NAME}\}}|\[{_NAME}\]"
)
_NAMED = re.compile(
    r"(?:\$\$?[A-Za-z_][\w.]*[:/@.,-]?)+|%[A-Za-z_]\w*%|@[A-Za-z_][\w.]*@|__\w+__|`[^`]+`"
    r"|[\w./-]*\*{3,}"
)
_FORMAT = re.compile(r"%[-+#0]?[\d.]*[sdrvifxq@]|\{\d*\}")

_PATTERN = re.compile(r"\(\?|\\[dwsbDWSBAZ]|\[\^?[\w-]*\w-\w|[\])*.][*+?]|\{\d+,\d*\}|\.\*|\|\|")
"""Parts of a regular expression. A random value seldom has two."""

_CALLS = re.compile(
    r"[A-Za-z_]{3,}\w*\(|\w{3,}\.\w{3,}\(|[a-z_]{3,}\[[\"'\w]|=>|->|::|\);?$|://|&&"
)
"""Parts of code and addresses. A random value seldom has one."""

_PLAIN = re.compile(r"/?[a-z0-9]*(?:[._/:-]+[a-z0-9]+)+/?|[A-Z0-9]+(?:[_-][A-Z0-9]+)+")
"""Dotted, dashed and path-like names."""

_UNSPEAKABLE = re.compile(r"(?!(?i:https|xhtml))(?i:[b-df-hj-np-tv-xz])[b-df-hj-np-tv-xz]{4}")
"""Five consonants in a row, four of them lower case, which words of names do not have."""

_TYPE = re.compile(r"[\w:.]+<.*>[,;]?|[A-Za-z_]+(?:(?:\.|::|->)[A-Za-z_]+)+[?!]?")
"""Types with parameters, and names with an owner."""

LEAST = 8
"""Characters of the shortest value recognisable as random."""


def is_reference(value: str) -> bool:
    """Return whether the whole value refers to another one, or is a placeholder in brackets."""
    if _is_variable(value):
        return True
    rest = _REFERENCES.sub("", value)
    if rest != value:
        return len(re.sub(r"\W", "", rest)) < LEAST
    return value != _FORMAT.sub("", value) and len(re.findall(r"\w", _FORMAT.sub("", value))) < 6


def looks_random(value: str) -> bool:
    """Return whether a value looks random, whatever signs it contains."""
    rest = _REFERENCES.sub(_if_random, value) if len(value) < 40 else value
    if not _can_be_random(value, rest):
        return False
    kinds = [_kind(letter) for letter in rest]
    distinct = len(set(kinds))
    if distinct < 3:
        return False
    changes = sum(one != other for one, other in zip(kinds, kinds[1:], strict=False))
    rate = changes / (len(rest) - 1)
    if (
        rate < (0.3 if distinct == 4 and len(rest) > 15 else 0.35)
        or _PLAIN.fullmatch(rest)
        or _TYPE.fullmatch(rest)
    ):
        return False
    calls = [call for call in _CALLS.findall(rest) if not _is_scrambled(call)]
    doubts = len(_PATTERN.findall(rest)) + len(calls)
    return doubts == 0 or (doubts <= _tolerated(value, rate) and rate > 0.4)


def _if_random(reference: re.Match[str]) -> str:
    """Return the name of a reference that mixes letters and digits: the brackets are then random,
    too.
    """
    mixed = re.findall(r"[A-Za-z]\d|\d[A-Za-z]", reference[0])
    return reference[0] if len(mixed) > 1 else ""


def _is_scrambled(call: str) -> bool:
    """Return True for a name before a bracket whose characters take turns as no name's do."""
    kinds = [_kind(letter) for letter in call[:-1]]
    changes = sum(one != other for one, other in zip(kinds, kinds[1:], strict=False))
    return call[-1:] == "(" and len(kinds) > 3 and changes > 0.6 * (len(kinds) - 1)


def _tolerated(value: str, rate: float) -> int:
    """Return how many parts of code and patterns a random value of this length may contain.

    `rate` is the share of its characters of another kind than the one before.
    """
    if len(value) <= 13:
        return 0
    return 1 + len(value) // (12 if len(value) >= 40 else 25) + (rate > 0.6)


def has_all_kinds(value: str) -> bool:
    """Return whether a value has lower case, capitals, digits and three different signs unlike
    names.

    Less strict than `looks_random`, so only for literals after a name for secrets.
    """
    signs = set(re.findall(r"[!#$%&*+,;<=>?@\[\]^{|}~()\\]", value))
    if len(value) < 12 or len(signs) < 3 or len(_PATTERN.findall(value)) > 1:
        return False
    if is_reference(value) or re.search(r"\s|[$%#{]\{\w+\}|\w{4,}\(\w*\)", value):
        return False
    return all(re.search(kind, value) for kind in ("[a-z]", "[A-Z]", "[0-9]"))


def _can_be_random(value: str, rest: str) -> bool:
    """Return False if length, words or format exclude that a value is random.

    `rest` is the value without its references.
    """
    if len(rest) < LEAST or len(value) > 512 or rest.endswith("..."):
        return False
    if re.search(r"\s", value) or _is_variable(value):
        return False
    if re.fullmatch(r"\w+", rest):
        return False
    return len(value) >= 16 or _FORMAT.search(value) is None or len(value) > 11


def _is_variable(value: str) -> bool:
    """Return whether a value is a variable of a shell or a template, unless its name looks
    random.
    """
    if _NAMED.fullmatch(value) is None:
        return False
    name = re.sub(r"\W", "", value)
    return (
        not has_random_case(re.sub(r"\d", "", name))
        and len(re.findall(r"[a-z]\d|\d[a-z]", name)) < 4
    )


def has_random_case(value: str) -> bool:
    """Return whether letters have capitals in random places: `aBxQzLmKpR`."""
    if len(value) < 12 or not re.fullmatch(r"[A-Za-z]+", value):
        return False
    words = _WORD.findall(value)
    length = len(value) / len(words)
    return length < 4.1 or (length < 8 and any(map(_UNSPEAKABLE.search, words)))


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CONSONANTS = re.compile(r"(?i)(?=[b-df-hj-np-tv-xz]{3})")


def is_scramble(value: str) -> bool:
    """Return whether 16 or more letters are random: capitals anywhere, and consonants in a row.

    Stricter than `has_random_case`: words of a name may be as short, but can be spoken.
    """
    if len(value) < 16 or not has_random_case(value):
        return False
    return is_unspeakable(value) or 3 * len(_WORD.findall(value)) >= len(value)


def is_unspeakable(value: str) -> bool:
    """Return whether three consonants in a row are more frequent than in words: three times as
    often at random.
    """
    return len(_CONSONANTS.findall(value)) > 0.1 * len(value)


def takes_turns(value: str) -> bool:
    """Return whether letters and digits take turns at least four times in 16 characters."""
    turns = re.findall(r"(?=[A-Za-z]\d|\d[A-Za-z])", value)
    return len(value) > 15 and len(turns) > 3 and not is_reference(value)


def _kind(letter: str) -> str:
    if letter.isdigit():
        return "digit"
    if letter.isalpha():
        return "capital" if letter.isupper() else "letter"
    return "sign"
