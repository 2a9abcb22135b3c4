"""Rules for passwords in commands, and in files with their own grammar: SQL, .netrc, .pgpass. Pure.

A value in these places is a password, whatever it looks like; only references and placeholders
stay.
"""

from __future__ import annotations

import re

from ragit.remote.secrets.password import is_unquoted_password
from ragit.remote.secrets.rule import (
    LINE,
    Rule,
    either,
    inside,
    is_assigned_secret,
    is_quoted_secret,
    is_secret_literal,
    is_setting_value,
)
from ragit.remote.secrets.strength import has_random_case, looks_random

_BARE = r"(?:[^\s\"'`|;&()$]|\$(?!\()|&(?=[^\s&])|[()](?=[^\s\"'`|;&()]))"
"""Characters of a password on a command line without quotes."""

_ARGUMENT = r"(?!-)" + either(_BARE)

_ON = r"[ \t](?:[^\n|;&]|\\\n){0,200}?(?<=[ \t])"
"""The rest of a command up to an option, over continued lines."""

_TOOLS = (
    r"sshpass[ \t]+-p",
    rf"redis-cli{_ON}-a",
    rf"(?:docker|podman|skopeo|buildah|oc|cf|az|helm registry) login{_ON}-p",
    r"(?:\bmongo(?:sh|dump|restore|export|import)?|cqlsh|rdesktop|user(?:add|mod)|\b7za?"
    rf"|\brar){_ON}-p",
    rf"ldap(?:search|add|modify|passwd){_ON}-w",
    rf"(?:plink|pscp|psftp)(?:\.exe)?{_ON}-pw",
    rf"(?:sqlcmd|bcp|osql|ipmitool){_ON}-P",
    rf"\b(?:un)?zip{_ON}-P[ \t]",
    rf"(?:smbclient|rpcclient|winexe|smbget){_ON}-U[ \t]*[\"']?[^\s%\"']{{1,80}}%",
    rf"openssl[ \t]+(?:enc|aes-?\w+){_ON}-k",
    rf"lftp{_ON}-u[ \t]*[\"']?[^\s,\"']{{1,80}},",
    r"\bhttps?[ \t](?:[^\n|;&:]{0,80}[ \t])?(?:-a|--auth)[ \t=][\"']?[^\s:\"']{1,80}:",
)
"""Commands, up to the password."""


_DIRECTIVES = (
    "requirepass",  # Redis
    "masterauth",
    r"(?:sentinel[ \t]+)?auth[-_]pass(?:[ \t]+[\w.-]{1,80})?",
    r"(?:root|bind|rootbind|nslcd_?bind)_?pw(?:[ \t]+--plaintext)?",  # slapd, Kickstart
    r"user[ \t]+\S{1,80}[ \t]+insecure-password",  # HAProxy
    r"enable[ \t]+(?:secret|password)(?:[ \t]+\d)?",  # routers
    r"username[ \t]+\S{1,80}(?:[ \t]+privilege[ \t]+\d{1,2})?[ \t]+(?:secret|password)[ \t]+\d",
    r"(?:password|secret)[ \t]+\d",
    r"d-i[ \t]+passwd/[\w-]{1,40}[ \t]+password",  # Debian's installer
)
"""Lines of settings whose last word is a password."""


def _is_command_password(value: str, before: str) -> bool:
    """Return False for a user number, a port, or the rest of an option's name."""
    if value.isdigit() and re.search(r"\d:$", before):
        return False
    if re.fullmatch(r"[\d.]{1,15}:[\d.:/tcpud-]+|[A-Z][A-Z_]+|\[\w+\]?", value):
        return False
    return is_setting_value(value) and not re.match(r"ass|ort\b|rot|lug|ipe|rint|rett", value)


def _is_unquoted_sql_password(value: str, before: str) -> bool:
    return is_setting_value(value) and (is_unquoted_password(value) or has_random_case(value))


def _is_random_sql_password(value: str, before: str) -> bool:
    return (
        looks_random(value)
        or is_secret_literal(value, before + "password")
        or has_random_case(re.sub(r"[^A-Za-z]", "", value))
    )


def _in_create_secret(text: str, start: int, end: int) -> bool:
    """Return whether the command creates a Kubernetes Secret."""
    return "create secret" in text[max(start - 600, 0) : start]


def _beside_options(text: str, start: int, end: int) -> bool:
    """Return whether the line has other options, unlike a sentence about one."""
    line = (
        text[max(start - 200, 0) : start].rpartition("\n")[2]
        + text[end : end + 200].partition("\n")[0]
    )
    return bool(re.search(r"(?:^|\s)--?[A-Za-z][\w-]*", line)) and not re.search(
        r"\b(?:the|option|options|flag)\b", line
    )


WITH_OPTIONS: tuple[Rule, ...] = (
    Rule(
        "password of a command",
        ("curl",),
        r"-(?<![\w-]-)(?:[uU]|-user|-proxy-user)[ =]?(?P<quote>[\"'])?[^\s:\"'$<>{}`|;]{1,80}:"
        + inside(_BARE, 2)
        + r"(?!\w)",
        _is_command_password,
    ),
    Rule(
        "password of a command",
        (" -p",),
        r"(?:mysql|mariadb|mycli)[a-z-]{0,12}(?:\.exe)?[ \t](?:[^\n|;&]"
        r"|\\\n){0,300}?(?<=[ \t\"'])-p"
        r"(?![-,])" + either(_BARE),
        _is_command_password,
    ),
    Rule(
        "password of a command",
        (" -p", " -a", " -w", " -P", "plink", " -U ", " -k ", "lftp", "--auth"),
        rf"(?:{'|'.join(_TOOLS)})[ \t]*{_ARGUMENT}",
        _is_command_password,
    ),
    Rule(
        "password of a command",
        ("sudo -S",),
        r"(?:echo|printf)[ \t]+(?=[^\n|]{1,200}\|[ \t]*sudo -S)"
        r"(?![*-])" + either(_BARE),
        _is_command_password,
    ),
)
"""Rules for texts with an option."""

IN_TEXT: tuple[Rule, ...] = (
    Rule(
        "password of a command",
        ("rabbitmqctl", "net user"),
        r"(?:rabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+"
        r"\S{1,80}[ \t]+|net user[ \t]+[^\s/]{1,80}[ \t]+)"
        r"(?![*-])" + either(_BARE),
        _is_command_password,
    ),
    Rule(
        "password of a command",
        ("sqlplus",),
        r"sqlplus[ \t]+(?:-\w+[ \t]+){0,3}[\"']?\w{1,40}/"
        r"(?P<secret>(?![*-]|@[\w.:/-]+(?:[\s\"']|$))[^\s\"'`|;]{3,200}?)(?=@[\w.:/-]+(?:[\s\"']|$)|[\s\"'|;`]|$)",
        _is_command_password,
    ),
    # user:...@tcp(db:3306)/app
    Rule(
        "password in a URL",
        ("@tcp(",),
        r"(?<![\w/.-])[\w.-]{1,64}:(?P<secret>[^\s:@\"'<>{}$*]{3,200})@tcp\(",
        is_setting_value,
    ),
    Rule(
        "setting",
        ("psk=",),
        r"(?m)^[ \t]*(?:wpa_)?psk=" + either(r"[^\s\"']", 8, 64) + r"[ \t\r]*$",
        is_setting_value,
    ),
    Rule(
        "password of .pgpass",
        (":543", ":6432:", ":*:"),
        r"(?m)^[\w.*-]{1,255}:(?:5432|5433|6432|\*):[^:\s]{1,63}:[^:\s]{1,63}:"
        r"(?P<secret>\S{2,255})[ \t\r]*$",
        is_setting_value,
    ),
    Rule(
        "password in SQL",
        ("IDENTIFIED", "identified"),
        r"(?:IDENTIFIED|(?i:\b(?:(?:create|alter)\s+user|grant)\b)[^;]{0,200}?identified)"
        r"\s+(?:(?i:with)\s+[\w'\"`]{1,60}\s+)?(?i:by|as)\s+(?:(?i:password)\s+)?"
        r"(?P<quote>['\"])(?P<secret>(?:(?!(?P=quote))(?:\\.|[^\r\n\\])|(?P=quote){2}){2,256})(?P=quote)",
        is_quoted_secret,
    ),
    Rule(
        "password in SQL",
        ("IDENTIFIED BY",),
        r"IDENTIFIED BY\s+\"?(?P<secret>[^\s\"';]{6,60})",
        _is_random_sql_password,
    ),
    Rule(
        "password in SQL",
        ("IDENTIFIED BY",),
        r"IDENTIFIED BY\s+(?P<secret>[A-Za-z][\w#$]{3,60})"
        r"(?=\s*(?:[;/,)]|$|(?<=\s)(?i:default|account|quota|temporary|profile)\b))",
        _is_unquoted_sql_password,
    ),
)
"""Rules for all texts."""

PASSWORDS: tuple[Rule, ...] = (
    # echo ... | docker login --password-stdin, echo user:... | chpasswd
    Rule(
        "password of a command",
        ("--password-stdin", "passwd"),
        r"(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?"
        r"(?=[^\n|]{1,200}\|[^\n]{0,200}(?:--password-stdin|(?<!\w)passwd\b|chpasswd))"
        r"(?:[\"']?[\w.-]{1,40}:|(?P<quote>[\"']?)(?![\w.-]{1,40}:))(?P<secret>\S{3,200}?"
        r"(?=[\"'][ \t]*\|)|[^\s\"'$<>{}()`|;&%]{3,200})(?:(?P=quote)|[\"']?)",
        _is_command_password,
    ),
    Rule(
        "password of a command",
        ("htpasswd",),
        r"htpasswd(?:[ \t]+-[A-Za-z]{1,6}){1,4}(?:[ \t]+[^\s|;&>-][^\s|;&>]{0,200}){1,2}[ \t]+"
        + either(_BARE)
        + r"[ \t]{0,20}(?=[|;&>)\"'`\r\n]|$)",
        lambda value, before: (
            re.search(r" -[A-Za-z]*b", before) is not None and _is_command_password(value, before)
        ),
    ),
    Rule(
        "password of a command",
        ("pass:",),
        r"(?:-pass(?:in|out)?[ \t=]|\bpass(?:in|out)[ \t=])[ \t]{0,4}(?P<quote>[\"'])?pass:"
        + inside(_BARE),
        _is_command_password,
    ),
    Rule(
        "password of a command",
        ("storepass", "keypass"),
        r"-(?:\w{0,12}storepass|\w{0,8}keypass)[ \t]{1,4}" + _ARGUMENT,
        _is_command_password,
    ),
    Rule(
        "password of a command",
        ("mysqladmin",),
        r"mysqladmin[ \t][^\n|;&]{0,120}?[ \t]password[ \t]+"
        + _ARGUMENT
        + r"(?=[ \t]*(?:$|\n|\r))",
        _is_command_password,
    ),
    Rule(
        "password of a command",
        ("/pass:",),
        r"(?<=\s)/pass:" + _ARGUMENT + r"(?=[ \t]*(?:$|\n|\r|/))",
        _is_command_password,
    ),
    # --password ... among other options
    Rule(
        "password of a command",
        ("--pass", "-password ", "-passwd ", "-passphrase "),
        r"(?<=[\s\"'])--?(?:[a-z-]{0,20}-)?(?:password|passwd|passphrase|pass)[ \t]{1,4}"
        + either(r"[A-Za-z0-9_.!@#^+=?~-]", 5, 64)
        + r"(?=[ \t]*(?:$|\n|\\\n|[ \t]-|[\"'`]|[ \t]https?:))",
        lambda value, before: (
            _is_command_password(value, before) and is_assigned_secret(value, before + "=")
        ),
        _beside_options,
    ),
    Rule(
        "password of a command",
        ("mount", "cifs"),
        r"(?:mount|cifs)[^\n]{0,200}?[ \t,\"']pass(?:word)?="
        r"(?P<secret>[^\s\"'$<>{}()`|;&,]{3,200})",
        _is_command_password,
    ),
    # requirepass ... of Redis and its like
    Rule(
        "setting",
        (
            "requirepass",
            "pw",
            "insecure-password",
            "auth-pass",
            "auth_pass",
            "enable ",
            "username ",
            "passwd/",
            "word 0",
        ),
        rf"(?m)^[ \t]*(?:{'|'.join(_DIRECTIVES)})[ \t]+"
        r"" + LINE,
        is_setting_value,
    ),
    # Two lines of msmtp's, fetchmail's and others' settings
    Rule(
        "setting",
        ("password", "passwd"),
        r"(?m)^[ \t]*(?:user|username|login)[ \t]+[^\s=:]{1,120}[ \t\r]*\n[ \t]*(?:password"
        r"|passwd)[ \t]+"
        r"" + LINE,
        _is_command_password,
    ),
    # ansible_become_pass=... among others of a host
    Rule(
        "argument",
        ("ansible_",),
        r"(?<![\w.-])ansible_\w{0,30}?pass(?:word)?=" + either(r"[^\s\"']", 5),
        is_assigned_secret,
    ),
    # CREATE ROLE app LOGIN PASSWORD '...', SET PASSWORD = PASSWORD('...')
    Rule(
        "password in SQL",
        tuple(
            f"{word}{between}'"
            for word in ("PASSWORD", "password")
            for between in (" ", " = ", "=", "(", " = N", "=N")
        ),
        r"(?i:\b(?:(?:create|alter)\s+(?:user|role|login)\b[^;\n]{0,160}?|encrypted\s+"
        r"|set\s+)password\b)"
        r"(?:\s+(?i:for)\s+[^=;\n]{1,80})?\s{0,4}=?\s{0,4}(?:(?i:password)\s?)?\(?N?'(?P<secret>"
        r"(?:[^'\\\r\n]|\\.|''){2,256})'",
        is_quoted_secret,
    ),
    # machine HOST login NAME password ..., on one line or three.
    Rule(
        "password of .netrc",
        ("machine", "login"),
        r"(?m)(?:machine\s+\S{1,255}\s+(?:login\s+\S{1,255}\s+)?"
        r"|^[ \t]*(?:default[ \t]+)?login[ \t]+\S{1,255}\s+)"
        r"(?:account\s+\S{1,255}\s+)?password[ \t]+"
        r"(?P<secret>\"(?:[^\"\\\r\n]|\\.){1,255}\"|[^\s\"'\\]{2,255}(?=\\[nr]|[\"'](?:[\s;),]|$)"
        r"|\s|$)"
        r"|\S{2,255}?(?=[\"'\\]?(?:\s|$)))(?=[\s\"'\\]|$)",
        is_setting_value,
    ),
)
"""Rules for texts with a name for passwords."""

CUED: tuple[Rule, ...] = (
    Rule(
        "Kubernetes secret",
        ("--from-literal",),
        r"--from-literal[= ][\"']?[\w.-]{1,80}=" + either(r"[^\s\"'$<>{}()\[\]`|;&\\]", 3, 512),
        is_setting_value,
        _in_create_secret,
    ),
)
"""Rules for texts with a word for secrets."""
