"""Rules for secrets after a name: `apiKey = "..."`, `DB_PASSWORD=...`, `<password>...</password>`.

Pure. A word such as "password" alone proves nothing. It counts only if a name that ends in it is
given a literal, not a name, a call or a placeholder. A password may be a plain word (`password`
decides which); a token or a key must look random.
"""

from __future__ import annotations

import re

from ragit.remote.secrets.rule import (
    ARGUMENT,
    BODY,
    FIELD,
    FIRST,
    LINE,
    QUOTE,
    REST,
    SET,
    WORDS,
    Rule,
    either,
    ends_in_password_name,
    is_assigned_secret,
    is_login_argument,
    is_quoted_secret,
    is_secret_literal,
    is_setting_value,
    is_strong,
    mixes_capitals_and_digits,
    mixes_letters_and_digits,
    not_a_compiler_pass,
)
from ragit.remote.secrets.strength import is_scramble, looks_random, takes_turns

_CAPITALS = ("PASS", "PWD", "SECRET", "TOKEN", "CREDENTIAL", "KEY")
"""Parts of the names of environment variables."""


def _is_named_secret(value: str, before: str) -> bool:
    """Return whether a value after a name is a secret. After a comma, a plain word may be another
    name, and an argument of a call need not be the value.
    """
    call = _CALL.search(before)
    if (call and not _WRAPS.fullmatch(call[1])) or re.search(r"\{\s?\\?[\"'`]$", before):
        return is_strong(value)
    if re.search(r",\s*\\?\S?$", before):
        return (
            len(value) > 5
            and is_secret_literal(value, before)
            and (takes_turns(value) or not re.match(r"\w{1,30}=", value))
        )
    return is_assigned_secret(value, before)


def _is_passphrase(value: str, before: str) -> bool:
    """Return whether words are a passphrase, not a sentence."""
    sentence_word = re.search(
        r"\b(?:the|this|that|your|you|must|should|cannot|can|may|will|has|have|was|were|are|not"
        r"|with|without|for|and"
        r"|from|please|enter|use|used|when|than|least|\w*pass\w*|secret|token|key|value|wrong"
        r"|invalid|field|required"
        r"|user)\b",
        value,
    )
    return ends_in_password_name(before) and sentence_word is None


def _is_header_key(value: str, before: str) -> bool:
    return (
        mixes_capitals_and_digits(value)
        and len(re.findall(r"[A-Za-z][0-9]|[0-9][A-Za-z]", value)) > 1
    )


def _is_password_in_sentence(value: str, before: str) -> bool:
    """Return whether an assigned value is a secret, unless the sentence is about passing
    something.
    """
    return (
        "://" not in value
        and not re.match(r"pass\W", before, re.IGNORECASE)
        and is_assigned_secret(value, before)
    )


def _is_element_secret(value: str, before: str) -> bool:
    """Return whether an element's text is a secret.

    A plain word counts only if the element holds a password, not a link or a label.
    """
    return (
        len(value) > 5
        and is_secret_literal(value, before)
        or (re.match("<|name|key|.*</", before) is not None and is_assigned_secret(value, before))
    )


def _is_argument_secret(value: str, before: str) -> bool:
    """Return whether an argument is a secret. After a space, a plain word may belong to a
    sentence.
    """
    return (
        is_assigned_secret(value, before)
        if before.rstrip().endswith("=")
        else len(value) > 5 and is_secret_literal(value, before)
    )


def _is_unquoted_setting(value: str, before: str) -> bool:
    if is_scramble(value):
        return True
    if looks_random(value) or takes_turns(value):
        return re.search(r"\w{3}\(|[()].*\)", value) is None or len(set(value)) > 11
    return (
        re.fullmatch(r"[A-Za-z0-9+/=_!@#^&~-]+", value) is not None
        and is_secret_literal(value, before)
        and re.search(r"[0-9][^\d_]*[A-Za-z]", value) is not None
    )


_TYPED = (
    r"(?:\\?[\"'\]]{1,2}|\[\]|: ?&?(?:'static )?[A-Za-z][\w.?<>\[\]| ]{0,40}?(?= ?=)"
    r"| (?:[Aa]s )?[A-Za-z][\w.<>\[\]*]{0,30}(?= :?=)| ?\{[^{}\n]{0,60}\}(?= ?=)|)"
)
"""What may follow a name: quotes, a type before or after a colon, the accessors of a property."""

_OPENED = (
    r"(?:!!?\w{1,12} |&\w{1,20} )?(?:[\w.()! ]{1,40}\? ?(?:[\w.()! ]{1,40}: ?)?)?"
    r"(?:(?:new )?[A-Za-z_\[][\w.:\]]{0,40}\(\s{0,40}(?:\w{1,20}\s?=\s?)?|\(\s{0,40}|(?<==)\{\s?)?"
    r"[bBfFrRuUNL@$]{0,2}#{0,3}"
)
"""What may be before a literal: a tag, a condition, a bracket or a call, and the kind of string."""

_CALL = re.compile(r"([\w.:\[\]]+)\(\s*(?:\w+\s?=\s?)?\w{0,2}#*\\?[\"'`]+\s*$")
_WRAPS = re.compile(
    r"(?:String::from|Some|\[\]byte|Secret(?:Str|String::from|String)?|String|str|bytes|Buffer\.from"
    r"|hash|hash_?[pP]assword|bcrypt|md5|sha1|Hash::make|make_password|generate_password_hash"
    r"|password_hash|encrypt|(?:\w+\.)?[fF]ield)"
)
"""Calls around a literal, which is still the value of the name."""


_TAIL = (r"ord{}", r"ORD{}", r"ass{}", r"ASS{}", r"wd{}", r"WD{}", r"rase{}", r"pw{}", r"PW{}")


def _names(*ends: str) -> tuple[str, ...]:
    """Return anchors: ends of names for passwords, each with the text after it."""
    return tuple(tail.format(end) for tail in _TAIL for end in ends)


def _in_setter_call(text: str, start: int, end: int) -> bool:
    """Return whether name and value are arguments of a call like `put("db.password", "...")`."""
    before = text[max(start - 120, 0) : start]
    return bool(
        re.search(
            r"(?i)\b(?:\w{0,20}_)?(?:put\w{0,12}|set\w{0,20}|define|add\w{0,20}|env|getenv|get_env"
            r"|fetch|get\w{0,12}"
            r"|append|option|config|property)\(\s*[bu]?[\"'][\w.:${}-]{0,100}$",
            before,
        )
    )


CUED: tuple[Rule, ...] = (
    # password = "...", "apiKey": "...", token => '...', apiKey: string = "...",
    # define("PASSWORD", "..."),
    # <add key="Password" value="..."/>, "name": "DB_PASSWORD", "value": "...",
    # and within quotes: \"password\": \"...\"
    Rule(
        "quoted secret",
        (),
        rf"(?:{WORDS}){_TYPED}"
        r"(?:\s{0,20}(?::=|=>|->|<<?-|[?|+]{1,2}=|={2,3}(?= )|=|:|(?<=[\"']),)"
        r"|(?<=[\"']),?\s{1,40}[\"']?[vV]alue[\"']?\s{0,4}[:=])\s{0,4}"
        rf"{_OPENED}{QUOTE}" + BODY,
        _is_named_secret,
        not_a_compiler_pass,
    ),
    # setPassword("..."), withToken('...'), .password("...")
    Rule(
        "quoted secret",
        ("assword(", "ecret(", "oken(", "Key(", "_key(", "ass(", "pw(", "wd(", "hrase("),
        rf"{FIRST}(?:(?<=et.)|(?<=ith.)|(?<=et_.)|(?<=ith_.)|(?<=[.>][pP])){REST}"
        r"\(\s?(?P<quote>[\"'])" + BODY,
        is_assigned_secret,
    ),
    # check_password("..."), std::string password{"..."}, url.UserPassword("...", "...")
    Rule(
        "quoted secret",
        ('("', "('", '{"', "{'", '"', "'"),
        rf"(?:{WORDS})(?:Str(?:ing)?)?[({{](?:[\w.\"'@ -]{{1,60}},)?\s{{0,20}}(?P<quote>[\"'])"
        + BODY,
        lambda value, before: is_strong(value),
    ),
    # process.env.DB_PASSWORD || "...", ENV["DB_PASSWORD"] || "...", ${DB_PASSWORD:-...},
    # ${db.password:...}
    Rule(
        "default of a password",
        ("||", "??"),
        rf"(?:{WORDS})(?:[\"'][\])]{{1,2}})?\s{{0,2}}(?:\|\||\?\?|\bor\b|\?:)\s{{0,2}}"
        r"(?P<quote>[\"'])" + BODY,
        is_assigned_secret,
    ),
    Rule(
        "default of a password",
        ("${",),
        rf"\$\{{[\w.-]{{0,60}}(?:{WORDS})(?::-|:=|:|-)"
        r"(?P<secret>[^\s\"'`]{5,128})\}(?=[\s\"'`]|$)",
        lambda value, before: "${" not in value and looks_random(value),
    ),
    Rule(
        "default of a password",
        ("${",),
        rf"\$\{{[\w.-]{{0,60}}(?:{WORDS})(?::-|:=|:|-)(?![+?])(?P<secret>[^\s\"'{{}}$:]{{5,64}})\}}",
        is_assigned_secret,
    ),
    Rule(
        "quoted secret",
        ("#define",),
        rf"#define[ \t]+\w{{0,60}}(?:{WORDS})[ \t]+(?P<quote>[\"'])" + BODY,
        is_assigned_secret,
    ),
    # X-Api-Key: ... within the quotes of a header.
    Rule(
        "authorization",
        tuple(
            f"{word}:"
            for word in ("Key", "key", "KEY", "Token", "TOKEN", "-token", "Secret", "-secret")
        ),
        rf"(?:{WORDS}):[ \t]?(?P<secret>[A-Za-z0-9._~+/=-]{{16,512}})(?=[\"'`])",
        _is_header_key,
    ),
    # DB_PASSWORD=... of .env files, shells and compose files: upper case, nothing around the sign.
    Rule(
        "environment value",
        _CAPITALS,
        rf"(?m)^[ \t]*{SET}[A-Z0-9_]*(?:{WORDS})(?<=[A-Z])(?:_BASE|_B64|_BASE64)?"
        r"(?:=|[ \t]{0,20}(?::{1,3}|\?|\+)=[ \t]{0,20})" + LINE,
        is_setting_value,
    ),
    # "DB_PASSWORD=...", with the name inside of the quotes.
    Rule(
        "environment value",
        _CAPITALS,
        rf"(?P<quote>[\"'])[A-Z0-9_]{{0,60}}(?:{WORDS})(?<=[A-Z])="
        r"(?P<secret>(?:(?!(?P=quote))(?:\\\S|[^\s\\])){5,512})(?P=quote)",
        is_assigned_secret,
    ),
    # The same before a command, after docker's -e, or among others on one line.
    Rule(
        "environment value",
        _CAPITALS,
        rf"(?<![\w.$-])[A-Z0-9_]{{0,60}}(?:{WORDS})(?<=[A-Z])="
        + either(r"(?:[^\s\"'`;,&|()$\\]|\$(?!\()|[(),](?=[^\s\"'`;&|(),]))", 5, 512)
        + r"(?=[\s;&|\"'`)\\]|$)",
        is_assigned_secret,
    ),
    # Dockerfile's older form, fish, csh and Windows.
    Rule(
        "environment value",
        ("ENV", "set", "SET"),
        r"(?m)^[ \t]*(?:RUN[ \t]+)?(?:ENV|setenv|set -g?x|setx"
        rf"|SETX)[ \t]+\w{{0,60}}(?:{WORDS})[ \t]+"
        r"" + LINE,
        is_setting_value,
    ),
    # client.secret=..., password: ... of settings files: the rest of the line, unless it is code.
    Rule(
        "setting",
        (),
        rf"(?m)^[ \t]*(?:[-*] +)?(?:\*\*|:)?[\w.-]{{0,80}}(?:{WORDS})[ \t]*(?:\*\*)?[:=](?:\*\*)?"
        r"[ \t]*(?P<secret>(?![\"'])\S{9,4096})[ \t\r]*$",
        _is_unquoted_setting,
    ),
    # {"value": "...", "name": "DB_PASSWORD"}
    Rule(
        "setting",
        ('"value"',),
        r"\"value\"\s{0,4}:\s{0,4}\"(?P<secret>(?:[^\s\"\\]"
        r"|\\\S){5,512})\"\s{0,4},\s{1,40}\"name\"\s{0,4}:\s{0,4}"
        rf"\"[\w.-]{{0,60}}(?:{WORDS})\"",
        is_login_argument,
    ),
    # <property value="..." name="db.password"/>
    Rule(
        "setting",
        ('value="', "value='"),
        rf"\bvalue=(?P<quote>[\"']){BODY}\s{{1,40}}(?:name|key|id)=[\"'][\w.:-]{{0,80}}(?:{WORDS})[\"']",
        is_login_argument,
    ),
    # Kubernetes: a variable's name on one line, its value on the next.
    Rule(
        "setting",
        ("value:",),
        rf"(?m)name:[ \t]*[\"']?[\w.-]{{0,60}}(?:{WORDS})[\"']?[ \t\r]*\n[ \t]*value:[ \t]*" + LINE,
        is_assigned_secret,
    ),
    # <password>...</password>, <property name="password"><value>...</value>,
    # <name>password</name><value>...</value>
    Rule(
        "setting",
        ("</",),
        rf"(?:<[\w.:-]{{0,40}}(?:{WORDS})(?:\s[^<>]{{0,120}})?>|(?:name"
        rf"|key)=[\"'][\w.:-]{{0,80}}(?:{WORDS})[\"']"
        rf"(?:\s[^<>]{{0,120}})?>|(?:{WORDS})[\"']>|(?:{WORDS})</(?i:key"
        rf"|name)>)\s{{0,80}}(?:<(?i:value|string)>\s{{0,40}})?"
        r"(?P<secret>[^\s<>]{5,512})\s{0,40}</",
        _is_element_secret,
    ),
    Rule(
        "setting",
        ("<![CDATA[",),
        rf"(?:{WORDS})[\"']?(?:\s[^<>]{{0,120}})?>\s{{0,80}}(?:<(?i:value|string)>\s{{0,40}})?<!\[CDATA\["
        r"\s{0,40}(?P<secret>(?:(?!\]\]>)\S){5,512})\s{0,40}\]\]>",
        is_quoted_secret,
    ),
    # --password=..., Password=...; of connection strings
    Rule(
        "argument",
        (),
        rf"(?:--(?:[a-z-]{{1,20}}[= ][\w.-]{{0,60}}(?:{WORDS})=|[a-z-]{{0,40}}(?:{WORDS})[= ])"
        rf"|-D[\w.-]{{0,80}}(?:{WORDS})="
        r"|[?&\"'](?i:password|pwd)=)" + ARGUMENT,
        _is_argument_secret,
    ),
    Rule(
        "argument",
        (";",),
        r"; ?(?:[\w ]{1,20}[: ])?(?i:password|pwd)\s?=\s?" + FIELD,
        _is_argument_secret,
    ),
    # aws configure set aws_secret_access_key ...
    Rule(
        "AWS key",
        ("ccess_key", "ccessKey", "CCESS_KEY", "ccesskey"),
        r"(?i:aws_?secret_?access_?key)\W{1,6}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        mixes_capitals_and_digits,
    ),
    Rule(
        "quoted secret",
        ("django-insecure-",),
        r"django-insecure-[^\s\"'`\\]{30,80}",
        mixes_letters_and_digits,
    ),
    # new NetworkCredential("user", "...")
    Rule(
        "quoted secret",
        ("Credential",),
        r"Credentials?(?:::new|\.of)?\([^,()\n]{1,160}(?:\(\))?,\s{0,4}(?P<quote>[\"'])" + BODY,
        is_login_argument,
    ),
    # WordPress
    Rule(
        "quoted secret",
        ("_KEY'", "_SALT'"),
        r"'(?:AUTH|SECURE_AUTH|LOGGED_IN|NONCE)_(?:KEY"
        r"|SALT)',\s{0,8}'(?P<secret>[^'\r\n]{32,128})'",
        mixes_letters_and_digits,
    ),
    Rule(
        "quoted secret",
        ("TOTP(",),
        r"TOTP\((?P<quote>[\"'])(?P<secret>[A-Z2-7]{16,128})(?P=quote)",
    ),
)
"""Rules for texts with a word for secrets."""

PASSWORDS: tuple[Rule, ...] = (
    Rule(
        "quoted secret",
        _names('",', "',"),
        rf"(?:{WORDS})[\"'],\s{{0,4}}(?P<quote>[\"'])" + BODY,
        is_assigned_secret,
        _in_setter_call,
    ),
    Rule(
        "default of a password",
        (" or ", "?:"),
        rf"(?:{WORDS})(?:[\"'][\])]{{1,2}})?\s{{0,2}}(?:\|\||\?\?|\bor\b|\?:)\s{{0,2}}"
        r"(?P<quote>[\"'])" + BODY,
        is_assigned_secret,
    ),
    # add_argument("--password", default="..."), variable "db_password" { default = "..." }
    Rule(
        "default of a password",
        ("default",),
        rf"(?:{WORDS})[\"'](?:,[^\n]{{0,160}}?|\s{{0,4}}"
        rf"\{{[^{{}}]{{0,400}}?)\bdefault[\"']?\s{{0,12}}[=:]\s{{0,4}}"
        r"(?P<quote>[\"'])" + BODY,
        is_assigned_secret,
    ),
    # storePassword "...", and in a sentence: the password is `...`
    Rule(
        "quoted secret",
        _names(" is", " '", ' "', " `", ": `", "  "),
        rf"(?:{WORDS})(?: is| was)?:?[ \t]{{1,12}}(?P<quote>[\"'`])" + BODY + r"(?!\w)",
        _is_password_in_sentence,
    ),
    # "host=... user=... password=..."
    Rule(
        "argument",
        ("word=", "WORD=", "wd=", "WD=", "word =", "Word =", "wd ="),
        r"(?i:\b(?:host|hostaddr|dbname|user|username|user id|server|uid|database|data source"
        r"|name|login|port)\s?=\s?[^\s;=]{1,80}[;, ]"
        r"[^\n\"']{0,160}?\b(?:password|passwd|pwd)\s?=\s?)" + FIELD,
        is_assigned_secret,
    ),
    Rule(
        "registry login",
        (":_password",),
        r":_password\s*=\s*[\"']?(?P<secret>[A-Za-z0-9+/]{8,}={0,2})",
        mixes_capitals_and_digits,
    ),
    # password = "four plain words there"
    Rule(
        "quoted secret",
        (),
        rf"(?:{WORDS})[\"'\]]{{0,2}}\s{{0,20}}(?::=|=>|=|:)\s{{0,4}}"
        r"(?P<quote>[\"'])(?P<secret>[a-z]{3,12}(?: [a-z]{3,12}){2,8})(?P=quote)",
        _is_passphrase,
    ),
    # "cache.example.org:6380,password=...,ssl=True"
    Rule(
        "argument",
        (",password=", ", password="),
        r"[\w.-]{2,80}:\d{2,5}, ?password=(?P<secret>[^\s\"',]{5,512}?(?:,[^\s\"'=]{1,200}?)?)"
        r"(?=,\s?[A-Za-z]\w{1,40}=|[\"'\s]|$)",
        is_assigned_secret,
    ),
    # password: |
    #   ...
    Rule(
        "setting",
        ("|", ">", "<<"),
        rf"(?:{WORDS})[\"']?(?::[ \t]{{0,8}}[|>][-+]?[ \t\r]{{0,8}}\n[ \t]"
        r"|[ \t]{0,20}=[ \t]{0,20}<<[-~]?[\"']?\w{1,20}[\"']?[ \t\r]{0,8}\n)[ \t]{0,80}"
        r"(?P<secret>\S{5,512})[ \t]{0,8}(?=\r?$|\r?\n)",
        is_assigned_secret,
    ),
)
"""Rules for texts with a name for passwords."""
