"""What must not leave the machine: found by its form in a text, and taken out before the text is sent. Pure.

Every text that ragit sends passes `redact`; `Client.post` sees to it. What is taken out becomes `***`, lines stay
lines, the same text always gives the same result, and a second pass finds nothing more. `VERSION` is part of the name
that vectors and descriptions are stored under: raise it with every change of a rule.

The rules are our own, since no library would do (measured on the 62,584 chunks of apache/kafka, 72 MB):
detect-secrets 1.5 (last released in 2024) takes 53 s and 90 ms to import, looks at single lines, so that of a private
key it sees only the title, does not know today's tokens, and its rule for keywords flags `AUTH_KEY = "auth"`; the
bindings of betterleaks bring 54 MB of machine code from a release candidate. These rules take 3.5 s, and a query
nothing. The forms are the providers' own, as they publish them for scanners.

A form with a fixed beginning (`ghp_`, `AKIA`) is certain. Words like "password" are not: they count only where a name
that ends in one is given a literal that looks made by a machine or chosen as a password, never where it is given a
name, a call or a placeholder. What no rule knows is sent; the surest way is not to commit it, or `ragit=false`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

VERSION = 2
"""Names these rules: raise it when any of them changes."""

GONE = "***"


class Clean(str):
    """A text that passed `redact`. A piece of it is a plain `str` again, and passes once more before it is sent."""

    __slots__ = ()


class _Rule(NamedTuple):
    kind: str
    anchors: tuple[str, ...]
    """Without one of these in the text, the rule is not tried: looking for a fixed string costs next to nothing."""
    pattern: str
    """What is found; its group `secret`, or all of it, goes."""
    holds: Callable[[str], bool] | None = None
    """Whether what was found is one, where a pattern alone cannot tell."""


def _made(value: str) -> bool:
    """Letters and digits mixed, and more than a counter at the end: nobody's word."""
    return bool(re.search(r"[0-9]", value) and re.search(r"[A-Za-z]", value) and not re.fullmatch(r"\D*\d{1,2}", value))


def _cased(value: str) -> bool:
    return _made(value) and value.lower() != value


def _random(value: str) -> bool:
    """Letters and digits as they come, not a word or two with a number between or behind them."""
    return len(re.findall(r"[A-Za-z][0-9]|[0-9][A-Za-z]", value)) > 3


def _password(value: str) -> bool:
    """A literal that was chosen or made as a secret: not a dotted or dashed name, a path, or a placeholder."""
    if re.search(r"[$%<>{}*]|\.\.\.|^/|^[A-Z][A-Z0-9_]*$|^[a-z]+([._/-][a-z0-9]+)+$", value):
        return False
    return _made(value) or bool(len(value) > 7 and re.search(r"[!@#^&+=?~]", value))


def _given(value: str) -> bool:
    """The value of a line like NAME_PASSWORD=value: anything but a reference, a placeholder, a path or a switch."""
    return not re.search(
        r"[$<>{}*%`(]|\.\.\.|^/|^[a-z]+(\.[a-z0-9_-]+)+$|^your|^(true|false|yes|no|none|null|changeme)$",
        value,
        re.IGNORECASE,
    )


_EDGE = r"(?<![A-Za-z0-9_])"
_KEYS = ("api", "access", "auth", "private", "account", "encryption", "signing", "secret")
_WORDS = rf"(?:password|passwd|passphrase|pwd|secret|token|credentials?|(?:{'|'.join(_KEYS)})[_.-]?key)"
_CUES = ("passw", "passp", "pwd", "secret", "token", "credential")
_KEY_CUES = tuple(f"{word}{between}key" for word in _KEYS for between in ("", "_", "-", "."))
"""In lower case: every one of _WORDS holds one of these or of those."""

_PREFIXED: tuple[_Rule, ...] = (
    _Rule("AWS key", ("AKIA", "ASIA", "ABIA", "ACCA"), _EDGE + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _Rule("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _Rule("GitHub token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,255}"),
    _Rule("GitLab token", ("gl",), _EDGE + r"gl(?:pat|dt|ft|soat|rt|rtr|cbt|ptt|imt|agent)-[A-Za-z0-9_.-]{20,}"),
    _Rule("API key", ("sk-",), _EDGE + r"sk-[A-Za-z0-9_-]{20,}", _cased),  # OpenAI, Anthropic, DeepSeek, OpenRouter
    _Rule("API key", ("gsk_",), _EDGE + r"gsk_[A-Za-z0-9]{40,}"),  # Groq
    _Rule("API key", ("nvapi-",), _EDGE + r"nvapi-[A-Za-z0-9_-]{40,}"),
    _Rule("API key", ("jina_",), _EDGE + r"jina_[A-Za-z0-9_-]{40,}"),
    _Rule("API key", ("pa-",), _EDGE + r"pa-[A-Za-z0-9_-]{40,}", _cased),  # Voyage
    _Rule("API key", ("xai-",), _EDGE + r"xai-[A-Za-z0-9]{60,}"),
    _Rule("API key", ("pplx-",), _EDGE + r"pplx-[A-Za-z0-9]{40,}"),
    _Rule("API key", ("tgp_v1_",), r"tgp_v1_[A-Za-z0-9_-]{40,}"),  # Together
    _Rule("API key", ("fw_",), _EDGE + r"fw_[A-Za-z0-9]{22,}", _cased),  # Fireworks
    _Rule("API key", ("r8_",), _EDGE + r"r8_[A-Za-z0-9]{37}(?![A-Za-z0-9])"),  # Replicate
    _Rule("Hugging Face token", ("hf_",), _EDGE + r"hf_[A-Za-z0-9]{34,}"),
    _Rule("Google key", ("AIza",), _EDGE + r"AIza[A-Za-z0-9_-]{35}"),
    _Rule("Google token", ("ya29.", "GOCSPX-"), r"(?:ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{28})"),
    _Rule("Slack token", ("xox", "xapp-"), _EDGE + r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}", _made),
    _Rule(
        "Slack webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/_-]{20,})",
    ),
    _Rule("Stripe key", ("_live_", "_test_"), _EDGE + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _Rule("Stripe key", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{24,}"),
    _Rule("npm token", ("npm_",), _EDGE + r"npm_[A-Za-z0-9]{36}"),
    _Rule("npm token", ("_authToken",), r"_authToken\s*=\s*[\"']?(?P<secret>[A-Za-z0-9_.=-]{16,})"),
    _Rule("PyPI token", ("pypi-AgE",), r"pypi-AgE[A-Za-z0-9_-]{40,}"),
    _Rule("RubyGems key", ("rubygems_",), r"rubygems_[a-f0-9]{48}"),
    _Rule("Docker token", ("dckr_pat_",), r"dckr_pat_[A-Za-z0-9_-]{20,}"),
    _Rule("SendGrid key", ("SG.",), _EDGE + r"SG\.[A-Za-z0-9_-]{16,24}\.[A-Za-z0-9_-]{40,50}"),
    _Rule("Twilio key", ("SK", "AC"), _EDGE + r"(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])"),
    _Rule("Mailchimp key", ("-us",), _EDGE + r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"),
    _Rule("Mailgun key", ("key-",), _EDGE + r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _Rule("Telegram token", (":AA",), _EDGE + r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9])"),
    _Rule("DigitalOcean token", ("_v1_",), _EDGE + r"do[opr]_v1_[a-f0-9]{64}"),
    _Rule("Shopify token", ("shp",), _EDGE + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _Rule("Square token", ("sq0",), _EDGE + r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,43}"),
    _Rule("Atlassian token", ("ATATT3", "ATCTT3"), r"AT[AC]TT3[A-Za-z0-9_=-]{60,}"),
    _Rule("Databricks token", ("dapi",), _EDGE + r"dapi[a-f0-9]{32}"),
    _Rule("Doppler token", ("dp.",), _EDGE + r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}"),
    _Rule("Linear key", ("lin_api_",), r"lin_api_[A-Za-z0-9]{40}"),
    _Rule("Notion token", ("ntn_",), _EDGE + r"ntn_[A-Za-z0-9]{40,}"),
    _Rule("Postman key", ("PMAK-",), r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _Rule("New Relic key", ("NRAK-", "NRII-"), r"NR(?:AK|II)-[A-Za-z0-9_-]{27,}"),
    _Rule("Grafana token", ("glsa_", "glc_"), _EDGE + r"(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,})"),
    _Rule("Vault token", ("hvs.", "hvb."), _EDGE + r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    _Rule("Terraform token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    _Rule("Sentry token", ("sntry",), _EDGE + r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    _Rule("PlanetScale token", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    _Rule("Supabase token", ("sbp_",), _EDGE + r"sbp_[a-f0-9]{40}"),
    _Rule(
        "Azure key",
        ("AccountKey=", "SharedAccessKey="),
        r"(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})",
    ),
    _Rule("Azure secret", ("8Q~",), r"[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{31,34}"),
    _Rule("Artifactory key", ("AKC",), _EDGE + r"AKC[A-Za-z0-9]{60,}"),
    _Rule("age key", ("AGE-SECRET-KEY-",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    _Rule("JWT", ("eyJ",), _EDGE + r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
)

_NAMED: tuple[_Rule, ...] = (
    _Rule(
        "password in a URL",
        ("://",),
        r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>{}$*]*:(?P<secret>[^\s/?#\"'<>{}*]{2,})@(?=[A-Za-z0-9\[])",
        lambda value: not value.startswith("$"),
    ),
    _Rule("token in a URL", ("://",), r"://(?P<secret>[A-Za-z0-9_-]{20,255})@(?=[A-Za-z0-9\[])", _random),
    _Rule(
        "token in a URL",
        ("://",),
        r"[?&](?i:access_token|token|api[_-]?key|key|sig|signature|x-amz-signature|secret|client_secret|password)="
        r"(?P<secret>[A-Za-z0-9%+/_.~=-]{16,512})",
        _random,
    ),
    _Rule("webhook", ("/api/webhooks/",), r"/api/webhooks/\d+/(?P<secret>[A-Za-z0-9_-]{40,})"),
    _Rule(
        "registry login", ("auth",), r"(?:_auth\s*=|\"auth\"\s*:)\s*[\"']?(?P<secret>[A-Za-z0-9+/]{16,}={0,2})", _cased
    ),
    _Rule(
        "environment value",
        ("_KEY=",),
        r"(?m)^[ \t]*(?:(?:export|ENV|set|-)[ \t]+)?[A-Z0-9_]{1,80}_KEY="
        r"(?P<quote>[\"']?)(?P<secret>[A-Za-z0-9+/_.=-]{20,512})(?P=quote)[ \t\r]*$",
        lambda value: _random(value) and _given(value),
    ),
    _Rule(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        r"(?i:authorization)[\"']?\s*[:=,]\s*[\"']?(?i:bearer|basic|token)\s+(?P<secret>[A-Za-z0-9._~+/=-]{16,})",
        _made,
    ),
)

_CUED: tuple[_Rule, ...] = (
    # password = "...", "apiKey": "...", token => '...', apiKey: string = "...", define("PASSWORD", "...")
    _Rule(
        "quoted secret",
        (),
        rf"(?i:{_WORDS})(?:[\"'\]]{{1,2}}|: ?[A-Za-z]\w{{0,30}}(?= ?=)|)\s{{0,4}}(?::=|=>|=|:|(?<=[\"']),)\s{{0,4}}"
        r"(?P<quote>[\"'`])(?P<secret>[^\s\"'`]{6,512})(?P=quote)",
        _password,
    ),
    # DB_PASSWORD=... of .env files, shells and compose files: upper case, nothing around the sign.
    _Rule(
        "environment value",
        (),
        rf"(?m)^[ \t]*(?:(?:export|ENV|set|-)[ \t]+)?[A-Z0-9_]*(?i:{_WORDS})(?<=[A-Z])(?:_BASE|_B64|_BASE64)?="
        r"(?P<quote>[\"']?)(?P<secret>(?<=[\"'])[^\"'\r\n]{4,512}|[^\s\"']{4,512})(?P=quote)[ \t\r]*$",
        _given,
    ),
    # client.secret=..., password: ... of settings files: the rest of the line, without the marks of code.
    _Rule(
        "setting",
        (),
        rf"(?m)^[ \t]*(?:- +)?[\w.-]{{0,80}}(?i:{_WORDS})[ \t]*[:=][ \t]*"
        r"(?P<secret>[A-Za-z0-9+/=_!@#^&~-]{9,512})[ \t\r]*$",
        lambda value: _password(value) and bool(re.search(r"[0-9][^\d_]*[A-Za-z]", value)),
    ),
    # --password=..., Password=...; of connection strings, <password>...</password>
    _Rule(
        "argument",
        (),
        rf"(?:--[a-z-]{{0,40}}(?:{_WORDS})[= ]|[;\"'](?i:password|pwd)=|<[\w.:-]{{0,40}}(?i:{_WORDS})>)"
        r"(?P<secret>[^\s;<>\"'`\\),]{6,512})",
        _password,
    ),
)

_RUN = r"[A-Za-z0-9_.~+/=:-]{20,}"
"""What a token with a prefix lies in. Every rule of _PREFIXED finds something that begins in such a run."""

_IN_TEXT = tuple((anchor, rule) for rule in _NAMED for anchor in rule.anchors)
_IN_RUNS = tuple((anchor, rule) for rule in _PREFIXED for anchor in rule.anchors)


def redact(text: str, found: Counter[str] | None = None) -> Clean:
    """The text without what looks like a secret; how often each kind of it was met is added to `found`."""
    if isinstance(text, Clean):
        return text
    clean = _once(text, found)
    while clean != text:  # what was taken out may have hidden the edge of what stood beside it
        text, clean = clean, _once(clean, found)
    return Clean(clean)


def _once(text: str, found: Counter[str] | None) -> str:
    # Prefixes are looked for in long runs alone: in the whole text, that would take three times as long as all else.
    runs = "\n".join(re.findall(_RUN, text))
    clean = _without_private_keys(text, found) if _KEY_MARK in text or _PUTTY in text else text
    for anchor, rule in _IN_TEXT:
        if anchor in clean:
            clean = _without(rule, clean, found)
    for anchor, rule in _IN_RUNS:
        if anchor in runs:
            clean = _without(rule, clean, found)
    folded = clean.lower()
    if any(cue in folded for cue in _CUES) or ("key" in folded and any(cue in folded for cue in _KEY_CUES)):
        for rule in _CUED:
            clean = _without(rule, clean, found)
    return clean


def _without(rule: _Rule, text: str, found: Counter[str] | None) -> str:
    named = "(?P<secret>" in rule.pattern

    def gone(match: re.Match[str]) -> str:
        secret = match["secret"] if named else match[0]
        if GONE in secret or not secret.strip() or (rule.holds and not rule.holds(secret)):
            return match[0]
        if found is not None:
            found[rule.kind] += 1
        start, end = match.span("secret") if named else match.span()
        return match.string[match.start() : start] + _blank(secret) + match.string[end : match.end()]

    return re.sub(rule.pattern, gone, text)


_KEY_MARK = "PRIVATE KEY"
_PUTTY = "Private-Lines:"


def _without_private_keys(text: str, found: Counter[str] | None) -> str:
    """The text without the lines of private keys: between two marks, after the first or before the last of them.

    By lines and not by one pattern: where a mark is missing, a pattern tries every way to cut the lines before it.
    """
    lines = text.split("\n")
    gone: set[int] = set()
    for number, line in enumerate(lines):
        begin = re.search(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: \d+", line)
        if begin:
            lines[number] = _key_begun(line, begin.end())
            gone.update(_key_lines(lines, number + 1, 1))
        elif re.search(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY", line) and number - 1 not in gone:
            gone.update(_key_lines(lines, number - 1, -1))
    if found is not None and (gone or lines != text.split("\n")):
        found["private key"] += 1
    for number in gone:
        lines[number] = GONE
    return "\n".join(lines)


def _key_begun(line: str, end: int) -> str:
    """The line on which a key begins, without what of the key stands on it: a string that holds all of it, say."""
    close = line.find("-----END", end)
    rest = line[end:close] if close >= 0 else line[end:]
    if not re.search(r"[A-Za-z0-9+/]{16}", rest):
        return line
    return line[:end] + GONE + (line[close:] if close >= 0 else "")


def _key_lines(lines: list[str], start: int, step: int) -> list[int]:
    """Numbers of the lines from `start` on that can be lines of a key; one that is no longer or a mark ends them."""
    found: list[int] = []
    number = start
    while 0 <= number < len(lines) and "-----" not in lines[number] and _of_a_key(lines[number]):
        found.append(number)
        number += step
    return found if any(len(_bare(lines[one])) >= 32 for one in found) else []


def _of_a_key(line: str) -> bool:
    """Base64, in quotes and with a sign to join it or without; headers such as DEK-Info; a blank line."""
    return bool(re.fullmatch(r"[A-Za-z0-9+/=]*|[A-Za-z-]{3,20}: .{1,80}", _bare(line)))


def _bare(line: str) -> str:
    return re.sub(r"\\[nr]", "", line).strip(" \t\r\"'`+,;\\*#/|()")


def _blank(secret: str) -> str:
    """As many lines as before, of which the first says that there was something."""
    first = "\n" if secret.startswith("\n") else ""
    rest = secret.count("\n") - len(first)
    return first + GONE + "\n" * rest
