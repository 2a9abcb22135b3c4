"""Tell which kinds of files a query asks for: tests, prose, examples or tooling. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragit import words
from ragit.records import NamedTuple


class Intent(NamedTuple):
    """Kinds of files that a query asks for; these are not demoted."""

    tests: bool = False
    prose: bool = False
    examples: bool = False
    tooling: bool = False


_TESTS = (
    r"^\W*(?:unit |integration |e2e |regression |which |the |all |my |our )*(?:tests?|specs?)\b"
    r"|\b(?:unit|integration|e2e|regression|end-to-end|acceptance|smoke)[ -]tests?\b"
    r"|\b(?:tests?|specs?|test cases?|test suites?) (?:for|of|that|which|covering|checking|about)\b"
    r"|\btested\b|\btest (?:cases?|files?|suites?|fixtures?|helpers?|utilities|doubles?|data|coverage)\b"  # noqa: E501
    r"|\b(?:fixtures?|mocks?)\b|\bfor testing\b|(?:tests?|specs?)\W*$"
)
_RUNNING = (
    r"\b(?:an?|each|every|single|one)(?: \w+)? tests?\W*$|\b(?:flaky|failed|failing|skipped|slow) tests?\W*$"  # noqa: E501
    r"|^(?!.*\b(?:unit|integration|e2e|regression|end-to-end|acceptance|smoke)\b)"
    r"\W*(?:how (?:to|do i|are|is) )?(?:re-?run|run|retry|skip|repeat|schedule|discover|collect"
    r"|shuffle|execute|isolate)\b[^,;]*\btests?\W*$"
)
"""What a test runner does with tests: its own code is asked for. Few queries need it compiled."""
_TASKS = "build|compile|install|set ?up|configure|contribute|deploy|release|upgrade|migrate|get started|run|report|publish"  # noqa: E501
_PROSE = (
    rf"\bhow (?:to|do i|can i|do we|should i) (?:\w+ )?(?:{_TASKS})\b"
    rf"|^\W*(?:{_TASKS}|building|installing|running|compiling)(?: the| all)?(?: \w+){{0,3}} (?:from source|tests?|locally)\b"  # noqa: E501
    r"|^\W*(?:run|running|start|starting) (?:the |all |unit |integration |single )*tests?\b"
    r"|\b(?:readme|changelog|licen[cs]e|documentation|manual|handbook|tutorial|code of conduct|contributing"  # noqa: E501
    r"|contribution guidelines?|release notes?|getting started|installation instructions|prerequisites"  # noqa: E501
    r"|security policy|faq|roadmap)\b"
)
_EXAMPLES = r"\b(?:examples?|samples?|demos?|benchmarks?|tutorials?|documentation|docs)\b"
_TOOLING = (
    r"\b(?:ci|continuous integration|workflows?|github actions?|pipelines?|pre-?commit|issue templates?|lint(?:er|ing)?"  # noqa: E501
    r"|translations?|translated|locales?|i18n|l10n|gettext|change ?logs?|release notes?|what'?s new|makefile|docker)\b"  # noqa: E501
)


_OF_TESTS = "test spec fixture mock".split()
_OF_PROSE = (
    *"build compil install setup configur contribut deploy releas upgrad migrat start run".split(),
    *"report publish readme changelog licen document manual handbook tutorial conduct".split(),
    *("set up", "prerequisite", "policy", "faq", "roadmap"),
)
_OF_EXAMPLES = "example sample demo benchmark tutorial doc".split()
_OF_TOOLING = (
    *"ci continuous workflow action pipeline pre-commit precommit template lint translat".split(),
    *"locale i18n l10n gettext changelog what's whats makefile docker".split(),
    *("change log", "release note"),
)
"""Parts of words, one of which any match has. Without them no pattern is compiled, 0.5 ms each."""


def intent_of(text: str) -> Intent:
    """Return the intent of a short text. A pasted one has none: an issue says "test" because it is
    about what a test shows.
    """
    return Intent(
        tests=_says(_TESTS, _OF_TESTS, text) and not _says(_RUNNING, _OF_TESTS, text),
        prose=_says(_PROSE, _OF_PROSE, text),
        examples=_says(_EXAMPLES, _OF_EXAMPLES, text),
        tooling=_says(_TOOLING, _OF_TOOLING, text),
    )


def _says(pattern: str, parts: Sequence[str], text: str) -> bool:
    lower = text.lower()
    may = not text.isascii() or any(part in lower for part in parts)
    return may and re.search(pattern, text, re.IGNORECASE) is not None


def tasks_of(text: str) -> frozenset[str]:
    """Return the stems of the words by which a text asks for prose: what is to be done, or which
    document is meant.
    """
    asked = " ".join(match[0] for match in re.finditer(_PROSE, text, re.IGNORECASE))
    told = (word for word in words.identifiers(asked.lower()) if word not in words.STOP_WORDS)
    return frozenset(map(words.stem, told))
