"""Tell which kinds of files a query asks for: tests, prose, examples or tooling. Pure."""

from __future__ import annotations

import re

from ragit.records import NamedTuple


class Intent(NamedTuple):
    """Kinds of files that a query asks for; these are not demoted."""

    tests: bool = False
    prose: bool = False
    examples: bool = False
    tooling: bool = False


_TESTS = re.compile(
    r"^\W*(?:unit |integration |e2e |regression |which |the |all |my |our )*(?:tests?|specs?)\b"
    r"|\b(?:unit|integration|e2e|regression|end-to-end|acceptance|smoke)[ -]tests?\b"
    r"|\b(?:tests?|specs?|test cases?|test suites?) (?:for|of|that|which|covering|checking|about)\b"
    r"|\btested\b|\btest (?:cases?|files?|suites?|fixtures?|helpers?|utilities|doubles?|data|coverage)\b"  # noqa: E501
    r"|\b(?:fixtures?|mocks?)\b|\bfor testing\b|(?:tests?|specs?)\W*$",
    re.IGNORECASE,
)
_RUNNING = (
    r"\b(?:an?|each|every|single|one)(?: \w+)? tests?\W*$|\b(?:flaky|failed|failing|skipped|slow) tests?\W*$"  # noqa: E501
    r"|^(?!.*\b(?:unit|integration|e2e|regression|end-to-end|acceptance|smoke)\b)"
    r"\W*(?:how (?:to|do i|are|is) )?(?:re-?run|run|retry|skip|repeat|schedule|discover|collect"
    r"|shuffle|execute|isolate)\b[^,;]*\btests?\W*$"
)
"""What a test runner does with tests: its own code is asked for. Few queries need it compiled."""
_TASKS = "build|compile|install|set ?up|configure|contribute|deploy|release|upgrade|migrate|get started|run|report|publish"  # noqa: E501
_PROSE = re.compile(
    rf"\bhow (?:to|do i|can i|do we|should i) (?:\w+ )?(?:{_TASKS})\b"
    rf"|^\W*(?:{_TASKS}|building|installing|running|compiling)(?: the| all)?(?: \w+){{0,3}} (?:from source|tests?|locally)\b"  # noqa: E501
    r"|^\W*(?:run|running|start|starting) (?:the |all |unit |integration |single )*tests?\b"
    r"|\b(?:readme|changelog|licen[cs]e|documentation|manual|handbook|tutorial|code of conduct|contributing"  # noqa: E501
    r"|contribution guidelines?|release notes?|getting started|installation instructions|prerequisites"  # noqa: E501
    r"|security policy|faq|roadmap)\b",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(
    r"\b(?:examples?|samples?|demos?|benchmarks?|tutorials?|documentation|docs)\b", re.IGNORECASE
)
_TOOLING = re.compile(
    r"\b(?:ci|continuous integration|workflows?|github actions?|pipelines?|pre-?commit|issue templates?|lint(?:er|ing)?"  # noqa: E501
    r"|translations?|translated|locales?|i18n|l10n|gettext|change ?logs?|release notes?|what'?s new|makefile|docker)\b",  # noqa: E501
    re.IGNORECASE,
)


def intent_of(text: str) -> Intent:
    """Return the intent of a short text. A pasted one has none: an issue says "test" because it is
    about what a test shows.
    """
    return Intent(
        tests=bool(_TESTS.search(text)) and not re.search(_RUNNING, text, re.IGNORECASE),
        prose=bool(_PROSE.search(text)),
        examples=bool(_EXAMPLES.search(text)),
        tooling=bool(_TOOLING.search(text)),
    )
