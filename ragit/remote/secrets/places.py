"""Rules for secrets recognised by their place (URLs, headers, logins), and password hashes.
Pure.
"""

from __future__ import annotations

import re

from ragit.remote.secrets.password import is_placeholder, is_plain_password
from ragit.remote.secrets.rule import (
    BODY,
    EDGE,
    SET,
    Rule,
    alternates_letters_and_digits,
    alternates_with_capitals,
    is_login_argument,
    is_quoted_secret,
    is_secret_literal,
    is_setting_value,
    is_strong,
    mixes_capitals_and_digits,
    mixes_letters_and_digits,
)
from ragit.remote.secrets.strength import is_reference, is_scramble, looks_random

_PARAMETERS = re.compile(r"\d{1,5}(?:/\w*)?;\w+=")
"""What follows the host in an address of JDBC, whose password may contain an @."""


def _is_url_password(value: str, before: str) -> bool:
    """Return False for the port of a host: http://localhost:8080@name has no password."""
    if _PARAMETERS.match(value) or (
        is_placeholder(value)
        or (value.startswith("$") and not looks_random(value))
        or is_reference(value)
    ):
        return False
    user = before.rpartition("://")[2][:-1]
    return not (re.fullmatch(r"\d{1,5}", value) and re.fullmatch(r"localhost|.*\..*|\[.*", user))


def _is_random_url_password(value: str, before: str) -> bool:
    """Return whether a value is random, and no port with a path and a query."""
    if _PARAMETERS.match(value):
        return False
    return looks_random(value) and re.search(r"://|\?[\w.-]+=|^\d{1,5}/", value) is None


def _is_private_number(value: str, before: str) -> bool:
    """Return whether a number belongs to a private key. A symmetric one (`k`) may have 16 bytes."""
    if before.rstrip("\"': =").endswith("k"):
        return mixes_capitals_and_digits(value)
    return (
        alternates_letters_and_digits(value)
        and mixes_capitals_and_digits(value)
        and len(value) >= 40
    )


def _is_random_setting(value: str, before: str) -> bool:
    return alternates_letters_and_digits(value) and is_setting_value(value)


def _is_header_secret(value: str, before: str) -> bool:
    """Return whether a header's value is a secret; without a scheme, it may be a name."""
    if re.search(r"(?i)authorization.*(?:bearer|basic|token|key)\s", before):
        return mixes_letters_and_digits(value) or is_scramble(value)
    return len(value) > 19 and alternates_with_capitals(value, before)


def _is_signing_key(value: str, before: str) -> bool:
    return is_secret_literal(value, before) or len(value) > 15 and is_plain_password(value)


_USER = r"(?:[^\s/:@\"'<>{}$*]|\$(?=[\w{])|\{[\w.]{1,40}\})*"
_HOST = r"(?=[A-Za-z0-9\[{$%])"
"""User and first letter of the host of a URL, also as references."""

IN_URLS: tuple[Rule, ...] = (
    Rule(
        "password in a URL",
        ("://",),
        r"[A-Za-z][A-Za-z0-9+.-]{1,20}://" + _USER + r":(?P<secret>[^\s/?#\"'<>{}*]{2,})@" + _HOST,
        _is_url_password,
    ),
    # The same with signs that a URL should not contain.
    Rule(
        "password in a URL",
        ("://",),
        r"[A-Za-z][A-Za-z0-9+.-]{1,20}://" + _USER + r":(?P<secret>[^\s\"`]{8,256})@" + _HOST,
        _is_random_url_password,
    ),
    Rule(
        "token in a URL",
        ("://",),
        r"://(?P<secret>[A-Za-z0-9_%.~+-]{16,255})@(?=[A-Za-z0-9\[])",
        is_strong,
    ),
    Rule(
        "token in a URL",
        ("://",),
        r"[?&](?i:access_token|token|api[_-]?key|key|sig|signature|x-amz-signature|secret"
        r"|client_secret)="
        r"(?P<secret>[A-Za-z0-9%+/_.~=-]{16,512})",
        is_strong,
    ),
    Rule(
        "webhook",
        ("/webhook", "hooks.slack.com", "hooks.zapier.com"),
        r"(?:/api/webhooks/\d+/|hooks\.slack\.com/(?:services|workflows|triggers)/"
        r"|hooks\.zapier\.com/hooks/catch/"
        r"|/webhookb2/|office\.com/webhook/)(?P<secret>[A-Za-z0-9/_@-]{14,400})",
        mixes_letters_and_digits,
    ),
)
"""Rules for texts with an address."""

IN_TEXT: tuple[Rule, ...] = (
    Rule(
        "quoted secret",
        ("WiFi.begin(", ".login("),
        r"(?:WiFi\.begin|\.login)\([^,()\n]{1,160},\s{0,4}(?P<quote>[\"'])" + BODY,
        is_login_argument,
    ),
    Rule(
        "quoted secret",
        ("new PDO(",),
        r"new PDO\((?:[^,()\n]{1,240},){2}\s{0,4}(?P<quote>[\"'])" + BODY,
        is_login_argument,
    ),
    # HMAC256("..."), jwt.sign(payload, "..."), jwt.encode(payload, "...", ...), TOTP("...")
    Rule(
        "quoted secret",
        ("HMAC", "jwt.", "JWT"),
        r"(?:HMAC\d{3}\(|\b(?:jwt|JWT|Jwt)(?:\.|::)(?:sign|verify|encode"
        r"|decode)\([^,()\n]{1,120},\s{0,4})"
        r"(?P<quote>[\"'])" + BODY,
        _is_signing_key,
    ),
    Rule(
        "quoted secret",
        ("-SecureString",),
        r"ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?(?P<quote>[\"'])" + BODY,
        is_quoted_secret,
    ),
)
"""Rules for all texts."""

BESIDE_AUTH: tuple[Rule, ...] = (
    Rule(
        "registry login",
        ("auth",),
        r"(?:_auth\s*=|\"auth\"\s*:)\s*[\"']?(?P<secret>[A-Za-z0-9+/]{16,}={0,2})",
        mixes_capitals_and_digits,
    ),
    Rule(
        "authorization",
        ("uthorization", "UTHORIZATION", "earer "),
        r"(?i:authorization[\"']?\s{0,4}[:=,]\s{0,4}[\"']?(?:bearer|basic|token)|\bbearer)\s{1,4}"
        r"(?P<secret>[^\s\"'`\\]{12,512})",
        is_strong,
    ),
    Rule(
        "authorization",
        ("uthorization", "UTHORIZATION", "earer "),
        r"(?i:authorization[\"']?\s{0,4}[:=,]\s{0,4}[\"']?(?:[a-z-]{3,20}\s{1,4})?|\bbearer\s"
        r"|authorization\s{1,4}[\"'](?:basic|bearer|token)\s{1,4})"
        r"(?P<secret>[A-Za-z0-9._~+/=-]{16,4096})",
        _is_header_secret,
    ),
    # basic_auth("user", "..."): the last of two arguments.
    Rule(
        "quoted secret",
        ("asic_auth", "asicAuth", "PasswordAuth"),
        r"(?:asic_?[aA]uth|PasswordAuthentication)(?:\(| )[^,()\n]{1,160},\s{0,4}(?:Some\()?"
        r"(?P<quote>[\"'])" + BODY,
        is_login_argument,
    ),
    # auth=("user", "..."), auth: ["user", "..."], HTTPBasicAuth("user", "..."),
    # .auth("user", "...")
    Rule(
        "quoted secret",
        ("auth", "Auth("),
        r"uth(?:(?<=\bauth)[\"']?\s{0,3}(?:=>|=|:)\s{0,3}[\[(]"
        r"|(?:(?<=\.auth)|(?<=BasicAuth)|(?<=DigestAuth)"
        r"|(?<=NtlmAuth))\()\s{0,12}[\"'][^\"'\n]{1,120}[\"'],\s{0,12}"
        r"(?P<quote>[\"'])" + BODY + r"(?:,\s{0,4}[\"'](?:basic|digest|ntlm)[\"']|,?)\s{0,12}[\])]",
        is_login_argument,
    ),
)
"""Rules for texts with `uth`: authorization, basic_auth, HTTPBasicAuth."""

IN_CONNECTS: tuple[Rule, ...] = (
    Rule(
        "quoted secret",
        ("getConnection(", "mysqli", "DBI->connect(", "MySQLdb.connect(", "pymysql.connect("),
        r"(?:getConnection|mysqli(?:_connect)?|DBI->connect|(?:MySQLdb"
        r"|pymysql)\.connect)\((?:[^,()\n]{1,240},){2}"
        r"\s{0,4}(?P<quote>[\"'])" + BODY,
        is_login_argument,
    ),
    Rule(
        "quoted secret",
        ("ldap_bind(", "ftp_login("),
        r"(?:ldap_bind|ftp_login)\((?:\s{0,4}(?:\"[^\"\n]{1,160}\"|'[^'\n]{1,160}'"
        r"|[^,()\"'\n]{1,160}),){2}"
        r"\s{0,4}(?P<quote>[\"'])" + BODY,
        is_login_argument,
    ),
)
"""Rules for texts with a call that connects."""

IN_RUNS: tuple[Rule, ...] = (
    Rule(
        "environment value",
        ("_KEY=",),
        rf"(?m)^[ \t]*{SET}[A-Z0-9_]{{1,80}}_KEY="
        r"(?P<quote>[\"']?)(?P<secret>[A-Za-z0-9+/_.=-]{20,512})(?P=quote)[ \t\r]*$",
        _is_random_setting,
    ),
    # JSON Web Keys (RFC 7517) and .NET's keys in XML: the numbers that are private.
    Rule(
        "private key",
        ('"d', '"p"', '"q', '"k"'),
        r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"(?P<secret>[A-Za-z0-9_-]{22,4096})={0,2}\"",
        _is_private_number,
    ),
    Rule(
        "private key",
        ("kty",),
        EDGE + r"'?(?:d|p|q|dp|dq|qi|k)'?\s{0,4}[:=]\s{0,4}['\"]"
        r"(?P<secret>[A-Za-z0-9_-]{22,4096})={0,2}['\"]",
        _is_private_number,
    ),
    Rule(
        "private key",
        ("Q>", "</D>"),
        r"<(?P<part>D|P|Q|DP|DQ|InverseQ)>(?P<secret>[A-Za-z0-9+/=]{40,2048})</(?P=part)>",
        mixes_capitals_and_digits,
    ),
)
"""Rules for texts with long runs without spaces."""

HASHES: tuple[Rule, ...] = (
    Rule(
        "password hash", ("$2a$", "$2b$", "$2x$", "$2y$"), r"\$2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}"
    ),
    Rule(
        "password hash",
        ("$1$", "$5$", "$6$", "$apr1$"),
        r"\$(?:1|5|6|apr1)\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}",
    ),
    Rule(
        "password hash",
        ("$y$", "$gy$"),
        r"\$g?y\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}",
    ),
    Rule(
        "password hash",
        ("$argon2",),
        r"\$argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?[a-z]=[\w=,]{1,60}\$[A-Za-z0-9+/]{8,90}\$"
        r"[A-Za-z0-9+/]{16,128}",
    ),
    Rule("password hash", ("$P$", "$H$"), r"\$[PH]\$[./A-Za-z0-9]{31}(?![./A-Za-z0-9])"),
    Rule(
        "password hash",
        ("pbkdf2",),
        r"pbkdf2[_:-]sha\d{1,3}[$:]\d{1,8}\$[^\s$\"']{1,64}\$[A-Za-z0-9+/=.]{27,128}",
    ),
    Rule(
        "password hash",
        ("scrypt:", "SCRAM-SHA-256$"),
        r"scrypt(?::\d{1,7}){3}\$[^\s$]{1,64}\$[0-9a-f]{64,128}"
        r"|SCRAM-SHA-256\$\d{1,7}:[A-Za-z0-9+/=]{8,64}\$[A-Za-z0-9+/=]{44}:[A-Za-z0-9+/=]{44}",
    ),
    Rule(
        "password hash",
        ("SHA}", "SHA256}", "SHA512}"),
        r"\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{27,160}={0,2}",
    ),
)
"""Rules for password hashes: most passwords can be found by trying them against a hash."""
