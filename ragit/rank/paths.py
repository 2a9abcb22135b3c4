"""Classify a file by its path: a test, prose, an example, tooling, a copy. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from ragit import words

_TEST = re.compile(
    r"(^|/)(tests?|testing|testdata|test[-_]?(suite|utils?|support|fixtures)|__tests__|specs?|fixtures?|mocks?|__mocks__|e2e)/"
    r"|(^|/)(test_[^/]*|tests?|conftest|mock(ed|s)?[-_][^/]*)\.\w+$|[^/](_test|_spec|\.test|\.spec|-test)\.\w+$"
    r"|[a-z0-9](Test|Tests|TestCase|Spec|IT)\.\w+$"
    # Folders as in .NET, Swift, Kotlin's source sets and Gradle's modules. One that ends in `-test`
    # is often a library for other projects' tests.
    r"|(^|/)([^/]*[-_.])?([Uu]nit|[Ii]ntegration|[Ss]elf)?[Tt]ests/|[a-z0-9]Tests?/"
    r"|^t/|(^|/)x?t/(t\d|[^/]+\.t$)|\.(bats|phpt)$"  # Perl and git
)
_ASIDE = re.compile(
    r"(^|/)[_.]?(examples?|samples?|demos?|docs?(_src)?|documentation|benchmarks?|bench|perf|tutorials?|playground)/"
    r"|(^|/)(templates?|generators?)/([^/]+/)*[^/]+\.(tt|erb|j2|jinja2?|tmpl|tpl|mustache|hbs|ejs|liquid)$"
)
_VENDORED = re.compile(
    r"(^|/)(vendor|vendored|third[-_]?party|node_modules|dist|build|generated|gen)/|\.min\.|[._]pb2?\.|\.lock$"
)
_PROSE = re.compile(
    r"\.(md|mdx|rst|rest|adoc|asciidoc|asc|txt|tex|pdf|doc[xm]?|rtf|xls[xm]?|pptx|od[tsp]|epub)$"
    r"|(^|/)(CHANGELOG|HISTORY|NEWS|LICENSE|README)[^/]*$|(^|/)man\d?/([^/]+/)*[^/]+\.[1-9]\w{0,3}$",
    re.IGNORECASE,
)
_DOCUMENT = r"\.(pdf|doc[xm]?|rtf|xls[xm]?|pptx|od[tsp]|epub)$"
_TOOLING = re.compile(
    r"(^|/)\.(github|gitlab|agents|claude|cursor|circleci|azure[^/]*|buildkite|vscode|idea|husky|changeset|devcontainer)/"
    r"|\.(po|pot|xlf|xliff)$|(^|/)lc_messages/|(^|/)(locales?|lc_messages|i18n|l10n)/([^/]+/)*[^/]+\.(json|ya?ml|properties|strings|xml)$"
    r"|(^|/)(changes?|changelogs?|history|news|releases?|release[-_]?notes?|what'?s[-_]?new)"
    r"([-_.\d]*(\.(md|rst|txt|adoc|html|tex|old))?$|/([^/]+/)*[^/]+\.(md|rst|txt|adoc|ya?ml)$)"
    r"|(^|/)(\.travis\.yml|appveyor\.yml|azure-pipelines\.yml|jenkinsfile|tox\.ini|noxfile\.py|\.pre-commit-config\.yaml"
    r"|\.eslintrc[^/]*|\.prettierrc[^/]*|\.editorconfig|\.rubocop[^/]*|\.golangci[^/]*|codecov\.yml|renovate\.json)$",
    re.IGNORECASE,
)
_OLD = re.compile(
    r"(^|/)[_.]?((?i:legacy|compat|deprecated|deprecations?|obsolete)|old)/"
    r"|(^|/)(?:[^/]*[a-z0-9])?(Old|Deprecated|Legacy)(?=[A-Z_.])[^/]*$|[^/]_(old|deprecated|legacy)\.\w+$"
)
_PLATFORM = re.compile(
    r"(?<![a-z0-9])(aix|android|apple|bsd|cygwin|darwin|freebsd|haiku|illumos|ios|linux|macos|mingw|msvc|netbsd|openbsd"
    r"|osx|posix|solaris|sunos|unix|wasm|win32|win64|win|windows|arm|arm64|aarch64|amd64|x86|x86_64|riscv|ppc64)"
    r"(?![a-z0-9])",
    re.IGNORECASE,
)
_LOCALE = re.compile(
    r"(?<=/)[a-z]{2,3}([-_][A-Za-z]{2,4})?(?=/|\.(?:po|json|ya?ml|properties|md|rst)$)"
)
_OF_TEST = re.compile(r"^(?:tests?[-_.]|spec[-_.])|(?:[-_.]?(?:tests?|spec|testcase|it))$")


_cached = lru_cache(maxsize=4096)
"""One search asks about a candidate's path several times."""


@_cached
def is_test(path: str) -> bool:
    """Return whether it is a test, a fixture or a mock."""
    return _TEST.search(path) is not None


@_cached
def is_aside(path: str) -> bool:
    """Return whether it is an example, a benchmark, documentation or a generator's template."""
    return _ASIDE.search(path) is not None


@_cached
def is_vendored(path: str) -> bool:
    """Return whether it is copied from elsewhere, generated or built."""
    return _VENDORED.search(path) is not None


@_cached
def is_prose(path: str) -> bool:
    """Return whether it is text for people."""
    return _PROSE.search(path) is not None


def is_document(path: str) -> bool:
    """Return whether it is a file of an office program."""
    return re.search(_DOCUMENT, path, re.IGNORECASE) is not None


@_cached
def is_tooling(path: str) -> bool:
    """Return whether it is settings of CI or tools, translations or a changelog."""
    return _TOOLING.search(path) is not None


def is_usual(path: str) -> bool:
    """Return whether it is neither a test, an example, prose, tooling nor vendored."""
    kinds = (is_test, is_aside, is_prose, is_tooling, is_vendored)
    return not any(kind(path) for kind in kinds)


@_cached
def is_old(path: str) -> bool:
    """Return whether it is named deprecated or kept for compatibility."""
    return _OLD.search(path) is not None


@_cached
def subject_of(path: str) -> str:
    """Return the name of a file, or of its subject if it is a test, without case and separators:
    `handler` of `handler_test.go`.
    """
    base = path.rpartition("/")[2]
    stem = base[: base.find(".", 1)] if base.find(".", 1) > 0 else base
    dotted = base.rpartition(".")[0]
    if dotted.endswith((".test", ".spec")):
        stem = dotted[:-5]
    name = "_".join(words.parts(stem))
    return "".join(_OF_TEST.sub("", name).split("_"))


@_cached
def twin_of(path: str) -> str:
    """Return the path without names of platforms and languages: the same for variants of
    one file.
    """
    return _LOCALE.sub("*", _PLATFORM.sub("*", path))
