"""Rules for session cookies, which are as good as passwords. Pure.

Most cookies hold a language or a colour. A value is removed if it is long and random, or if its
name is that of a session; short values of tests (`session=abc123`) stay.
"""

from __future__ import annotations

import re

from ragit.remote.secrets.rule import (
    EDGE,
    Rule,
    alternates_letters_and_digits,
    mixes_letters_and_digits,
)

_SESSION = re.compile(
    r"(?i)sess|\bsid|sid\b|auth|token|jwt|login|remember|csrf|xsrf|identity|ticket|access|refresh"
)
_ATTRIBUTE = re.compile(r"(?i)\s*(?:expires|max-age|domain|path|samesite|version|comment)\s*=")


def _holds_session(value: str, before: str) -> bool:
    """Return whether a header has a session; `before` ends in the first cookie's name."""
    names = re.findall(r"[\w.%-]+", before)
    name = names[-1] if names else ""
    for cookie in f"{name}={value}".split(";")[:50]:
        name, _, content = cookie.strip().partition("=")
        if not _ATTRIBUTE.match(cookie) and _is_session(name, content.strip("\"' ")):
            return True
    return False


def _is_session(name: str, value: str) -> bool:
    if re.search(r"[$<>{}*]|\.\.\.", value):
        return False
    if _SESSION.search(name):
        return len(value) > 9 and mixes_letters_and_digits(value) and len(set(value)) > 6
    return len(value) > 15 and alternates_letters_and_digits(value)


_NAME = r"[\w.%-]{1,80}"
_IS = r"(?:[\"'\]]{0,2}(?:\s{0,3}(?:[:=,]|=>)|,\s{0,8}\"value\"\s{0,3}:))"
"""Text between the header's name and its value, in code and in HAR."""

_VALUE = r"[^\s;\"'`<>\\,]{10,4096}"

IN_HEADERS: tuple[Rule, ...] = (
    # Set-Cookie: name=...; Path=/
    Rule(
        "cookie",
        ("et-Cookie", "et-cookie", "ET-COOKIE"),
        rf"(?i:set-cookie2?){_IS}\s{{0,4}}[\[\"'`]{{0,2}}{_NAME}=(?P<secret>{_VALUE})",
        _holds_session,
    ),
    # Cookie: a=...; b=..., headers["Cookie"] = "...", --cookie "...",
    # {"name": "Cookie", "value": "..."}
    Rule(
        "cookie",
        ("ookie", "COOKIE"),
        rf"(?<![sS]et-)(?:[cC]ookies?|COOKIE)(?:{_IS}|(?<=-cookie)[ =])"
        rf"\s{{0,4}}[\"'`]?{_NAME}=(?P<secret>[^\r\n\"'`\\]{{10,8192}})",
        _holds_session,
    ),
    # cookies = {"session": "..."}, new Cookie("SESSION", "..."), set_cookie("sid", "..."),
    # cookies["sid"] = "..."
    Rule(
        "cookie",
        ("ookie",),
        r"[cC]ookies?(?:\.\w{1,12})?[\"']?\s{0,3}(?:[:=]\s{0,3}\{(?:[^{}\n]{0,400}[,{])??\s{0,12}"
        r"|[(\[]\s{0,12})"
        rf"[\"']?(?P<name>{_NAME})[\"']?\s{{0,3}}(?:[:,]|\]\s{{0,3}}=)\s{{0,3}}"
        rf"[\"'](?!\*\*\*)(?P<secret>{_VALUE})[\"']",
        _holds_session,
    ),
    # {"name": "JSESSIONID", "value": "..."}
    Rule(
        "cookie",
        ('"value"',),
        r"\"name\"\s{0,3}:\s{0,3}\"(?P<name>[\w.-]{0,40}(?i:sess|sid|auth|token|jwt"
        r"|remember)[\w.-]{0,40})\""
        r"\s{0,3},\s{0,40}"
        rf"\"value\"\s{{0,3}}:\s{{0,3}}\"(?P<secret>{_VALUE})\"",
        _holds_session,
    ),
    # A line of a cookie jar
    Rule(
        "cookie",
        ("\t/\t",),
        r"(?m)^[^\s\t]{1,255}\t(?:TRUE|FALSE)\t[^\t\n]{1,255}\t(?:TRUE"
        r"|FALSE)\t\d{1,20}\t(?P<name>[^\t\n=]{1,80})\t"
        r"(?P<secret>[^\s]{10,4096})[ \r]*$",
        _holds_session,
    ),
)
"""Rules for texts with a word for cookies."""

IN_TEXT: tuple[Rule, ...] = (
    Rule(
        "cookie",
        ("SESS", "essionid="),
        EDGE + r"(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|sessionid|sessionId|connect\.sid"
        r"|_session_id)="
        r"(?P<secret>[^\s;\"'`<>\\,&]{10,4096})",
        _holds_session,
    ),
)
"""Rules for all texts."""
