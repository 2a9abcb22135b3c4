"""Secrets that are told by what stands before them: a name, a command, a statement, the place in a URL or a file. Pure.

Words like "password" are not certain: they count only where a name that ends in one is given a literal that looks made
by a machine or chosen as a password, never where it is given a name, a call or a placeholder.
"""

from __future__ import annotations

import re

from ragit.remote.secrets.rule import EDGE, FIRST, REST, WORDS, Rule, cased, chosen, given, jumbled, literal, made

_CAPITALS = ("PASS", "PWD", "SECRET", "TOKEN", "CREDENTIAL", "KEY")
"""What names of variables hold that are written in capitals."""

_SET = r"(?:(?:export|ENV|ARG|set|-)[ \t]+)?"


def _of_a_user(value: str, before: str) -> bool:
    """Not the port after a host: http://localhost:8080@name is an address without a password."""
    if value.startswith("$"):
        return False
    user = before.rpartition("://")[2][:-1]
    return not (re.fullmatch(r"\d{1,5}", value) and re.fullmatch(r"localhost|.*\..*|\[.*", user))


def _of_a_command(value: str, before: str) -> bool:
    """Neither numbers of a user and a group, nor the rest of an option's name."""
    if value.isdigit() and re.search(r"\d:$", before):
        return False
    return given(value) and not re.match(r"ass|ort\b|rot|lug|ipe|rint|rett", value)


def _of_a_key(value: str, before: str) -> bool:
    """The number of a key, by its length: a symmetric one (`k`) may have 16 bytes."""
    if before.rstrip("\"': =").endswith("k"):
        return cased(value)
    return jumbled(value) and cased(value) and len(value) >= 40


def _random_value(value: str, before: str) -> bool:
    return jumbled(value) and given(value)


def _of_a_header(value: str, before: str) -> bool:
    """Anything made behind the name of a scheme; without one, it may be a name."""
    if re.search(r"(?i)authorization.*(?:bearer|basic|token|key)\s", before):
        return made(value)
    return len(value) > 19 and _long_and_made(value, before)


def _long_and_made(value: str, before: str) -> bool:
    return len(re.findall(r"[A-Za-z][0-9]|[0-9][A-Za-z]", value)) > 2 and cased(value)


def _of_a_setting(value: str, before: str) -> bool:
    return chosen(value, before) and bool(re.search(r"[0-9][^\d_]*[A-Za-z]", value))


IN_TEXT: tuple[Rule, ...] = (
    Rule(
        "password in a URL",
        ("://",),
        r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>{}$*]*:(?P<secret>[^\s/?#\"'<>{}*]{2,})@(?=[A-Za-z0-9\[])",
        _of_a_user,
    ),
    Rule("token in a URL", ("://",), r"://(?P<secret>[A-Za-z0-9_-]{20,255})@(?=[A-Za-z0-9\[])", jumbled),
    Rule(
        "token in a URL",
        ("://",),
        r"[?&](?i:access_token|token|api[_-]?key|key|sig|signature|x-amz-signature|secret|client_secret|password)="
        r"(?P<secret>[A-Za-z0-9%+/_.~=-]{16,512})",
        jumbled,
    ),
    Rule(
        "webhook",
        ("/webhook", "hooks.slack.com", "hooks.zapier.com"),
        r"(?:/api/webhooks/\d+/|hooks\.slack\.com/(?:services|workflows|triggers)/|hooks\.zapier\.com/hooks/catch/"
        r"|/webhookb2/|office\.com/webhook/)(?P<secret>[A-Za-z0-9/_@-]{14,400})",
        made,
    ),
    Rule(
        "registry login",
        ("auth",),
        r"(?:_auth\s*=|\"auth\"\s*:)\s*[\"']?(?P<secret>[A-Za-z0-9+/]{16,}={0,2})",
        cased,
    ),
    Rule("registry login", (":_password",), r":_password\s*=\s*[\"']?(?P<secret>[A-Za-z0-9+/]{8,}={0,2})", cased),
    Rule("quoted secret", ("django-insecure-",), r"django-insecure-[^\s\"'`\\]{30,80}", made),
    Rule(
        "environment value",
        ("_KEY=",),
        rf"(?m)^[ \t]*{_SET}[A-Z0-9_]{{1,80}}_KEY="
        r"(?P<quote>[\"']?)(?P<secret>[A-Za-z0-9+/_.=-]{20,512})(?P=quote)[ \t\r]*$",
        _random_value,
    ),
    Rule(
        "authorization",
        ("uthorization", "UTHORIZATION", "earer "),
        r"(?i:authorization[\"']?\s{0,4}[:=,]\s{0,4}[\"']?(?:[a-z-]{3,20}\s{1,4})?|\bbearer\s"
        r"|authorization\s{1,4}[\"'](?:basic|bearer|token)\s{1,4})"
        r"(?P<secret>[A-Za-z0-9._~+/=-]{16,4096})",
        _of_a_header,
    ),
    # The last of two arguments, or of three.
    Rule(
        "quoted secret",
        ("asic_auth(", "asicAuth(", "WiFi.begin(", "NetworkCredential(", "UserPasswordCredential("),
        r"(?:[bB]asic_?[aA]uth|WiFi\.begin|NetworkCredential|UserPasswordCredential)\([^,()\n]{1,160},\s{0,4}(?:Some\()?"
        r"(?P<quote>[\"'])(?P<secret>[^\s\"']{6,512})(?P=quote)",
        chosen,
    ),
    Rule(
        "quoted secret",
        ("getConnection(", "new PDO(", "mysqli", "DBI->connect("),
        r"(?:getConnection|new PDO|mysqli(?:_connect)?|DBI->connect)\((?:[^,()\n]{1,240},){2}\s{0,4}"
        r"(?P<quote>[\"'])(?P<secret>[^\s\"']{6,512})(?P=quote)",
        chosen,
    ),
    Rule(
        "quoted secret",
        ("-SecureString",),
        r"ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?(?P<quote>[\"'])(?P<secret>[^\s\"']{4,512})(?P=quote)",
        literal,
    ),
    # WordPress
    Rule(
        "quoted secret",
        ("_KEY'", "_SALT'"),
        r"'(?:AUTH|SECURE_AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)',\s{0,8}'(?P<secret>[^'\r\n]{32,128})'",
        made,
    ),
    Rule(
        "password of a command",
        ("curl",),
        r"-(?<![\w-]-)(?:[uU]|-user|-proxy-user)[ =]?(?P<quote>[\"']?)[^\s:\"'$<>{}`|;]{1,80}:"
        r"(?P<secret>[^\s\"'$<>{}*`|;]{2,200})(?P=quote)(?!\w)",
        _of_a_command,
    ),
    Rule(
        "password of a command",
        (" -p",),
        r"(?:mysql|mariadb|mycli)[a-z-]{0,12}(?:\.exe)?[ \t](?:[^\n|;&]|\\\n){0,300}?(?<=[ \t])-p"
        r"(?P<quote>[\"']?)(?P<secret>[^\s\"'$<>{}()`|;&,-][^\s\"'$<>{}()`|;&,]{2,200})(?P=quote)",
        _of_a_command,
    ),
    Rule(
        "password of a command",
        (" -p", " -a", " -w"),
        r"(?:sshpass[ \t]+-p|(?:redis-cli[ \t][^\n|;&]{0,200}?-a|(?:docker|podman) login[ \t][^\n|;&]{0,200}?[ \t]-p"
        r"|ldap(?:search|add|modify)[ \t][^\n|;&]{0,200}?[ \t]-w))[ \t]*(?P<quote>[\"']?)"
        r"(?P<secret>[^\s\"'$<>{}()`|;&-][^\s\"'$<>{}()`|;&]{2,200})(?P=quote)",
        _of_a_command,
    ),
    Rule(
        "password of .pgpass",
        (":543", ":6432:", ":*:"),
        r"(?m)^[\w.*-]{1,255}:(?:5432|5433|6432|\*):[^:\s]{1,63}:[^:\s]{1,63}:"
        r"(?P<secret>(?:[^\s:\\]|\\.){2,255})[ \t\r]*$",
        given,
    ),
    Rule(
        "password in SQL",
        ("IDENTIFIED", "identified"),
        r"(?:IDENTIFIED|(?i:\b(?:(?:create|alter)\s+user|grant)\b)[^;]{0,200}?identified)\s+(?:(?i:with)\s+[\w'\"`]{1,60}\s+)?(?i:by|as)\s+(?:(?i:password)\s+)?"
        r"(?P<quote>['\"])(?P<secret>[^'\"\r\n]{2,256})(?P=quote)",
        literal,
    ),
    # JSON Web Keys (RFC 7517) and .NET's keys in XML: the numbers that are private.
    Rule(
        "private key",
        ('"d', '"p"', '"q', '"k"'),
        r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"(?P<secret>[A-Za-z0-9_-]{22,4096})={0,2}\"",
        _of_a_key,
    ),
    Rule(
        "private key",
        ("kty",),
        EDGE + r"'?(?:d|p|q|dp|dq|qi|k)'?\s{0,4}[:=]\s{0,4}['\"](?P<secret>[A-Za-z0-9_-]{22,4096})={0,2}['\"]",
        _of_a_key,
    ),
    Rule(
        "private key",
        ("Q>", "</D>"),
        r"<(?P<part>D|P|Q|DP|DQ|InverseQ)>(?P<secret>[A-Za-z0-9+/=]{40,2048})</(?P=part)>",
        cased,
    ),
)
"""Looked for where an anchor stands, whatever else the text says."""

HASHES: tuple[Rule, ...] = (
    Rule("password hash", ("$2a$", "$2b$", "$2x$", "$2y$"), r"\$2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}"),
    Rule(
        "password hash",
        ("$1$", "$5$", "$6$", "$apr1$"),
        r"\$(?:1|5|6|apr1)\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}",
    ),
    Rule("password hash", ("$y$", "$gy$"), r"\$g?y\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}"),
    Rule(
        "password hash",
        ("$argon2",),
        r"\$argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?[a-z]=[\w=,]{1,60}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,128}",
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
"""What is kept of passwords to compare them with: tried on many machines at once, most of them are found."""

CUED: tuple[Rule, ...] = (
    # password = "...", "apiKey": "...", token => '...', apiKey: string = "...", define("PASSWORD", "..."),
    # <add key="Password" value="..."/>
    Rule(
        "quoted secret",
        (),
        rf"(?:{WORDS})(?:[\"'\]]{{1,2}}|\[\]|: ?&?[A-Za-z]\w{{0,30}}(?= ?=)|)"
        r"(?:\s{0,4}(?::=|=>|->|=|:|(?<=[\"']),)|(?<=[\"'])\s{1,4}value=)\s{0,4}[bBfFrRuU@]{0,2}"
        r"(?:(?:String::from|Some|\[\]byte|SecretStr|SecretString::from)\()?"
        r"(?P<quote>[\"'`])(?P<secret>[^\s\"'`]{6,512})(?P=quote)",
        chosen,
    ),
    # setPassword("..."), withToken('...')
    Rule(
        "quoted secret",
        ("assword(", "ecret(", "oken(", "Key(", "_key(", "ass("),
        rf"{FIRST}(?:(?<=et.)|(?<=ith.)|(?<=et_.)|(?<=ith_.)){REST}\(\s?(?P<quote>[\"'])(?P<secret>[^\s\"']{{6,512}})(?P=quote)",
        chosen,
    ),
    Rule(
        "quoted secret",
        ("#define",),
        rf"#define[ \t]+\w{{0,60}}(?:{WORDS})[ \t]+(?P<quote>[\"'])(?P<secret>[^\s\"']{{6,512}})(?P=quote)",
        chosen,
    ),
    # X-Api-Key: ... within the quotes of a header.
    Rule(
        "authorization",
        tuple(f"{word}:" for word in ("Key", "key", "KEY", "Token", "TOKEN", "-token", "Secret", "-secret")),
        rf"(?:{WORDS}):[ \t]?(?P<secret>[A-Za-z0-9._~+/=-]{{16,512}})(?=[\"'`])",
        _long_and_made,
    ),
    # DB_PASSWORD=... of .env files, shells and compose files: upper case, nothing around the sign.
    Rule(
        "environment value",
        _CAPITALS,
        rf"(?m)^[ \t]*{_SET}[A-Z0-9_]*(?:{WORDS})(?<=[A-Z])(?:_BASE|_B64|_BASE64)?="
        r"(?P<quote>[\"']?)(?P<secret>(?<=[\"'])[^\"'\r\n]{4,512}|[^\s\"']{4,512})(?P=quote)[ \t\r]*$",
        given,
    ),
    # The same before a command, after docker's -e, or among others on one line.
    Rule(
        "environment value",
        _CAPITALS,
        rf"(?<![\w.$-])[A-Z0-9_]{{0,60}}(?:{WORDS})(?<=[A-Z])="
        r"(?P<quote>[\"']?)(?P<secret>[^\s\"'$<>{}()`;,&|\\]{6,512})(?P=quote)(?=[\s;&|\"'`)\\]|$)",
        chosen,
    ),
    # Dockerfile's older form, fish, csh and Windows.
    Rule(
        "environment value",
        ("ENV", "set", "SET"),
        rf"(?m)^[ \t]*(?:RUN[ \t]+)?(?:ENV|setenv|set -g?x|setx|SETX)[ \t]+\w{{0,60}}(?:{WORDS})[ \t]+"
        r"(?P<quote>[\"']?)(?P<secret>(?<=[\"'])[^\"'\r\n]{4,512}|[^\s\"'=]{4,512})(?P=quote)[ \t\r]*$",
        given,
    ),
    # client.secret=..., password: ... of settings files: the rest of the line, without the marks of code.
    Rule(
        "setting",
        (),
        rf"(?m)^[ \t]*(?:- +)?[\w.-]{{0,80}}(?:{WORDS})[ \t]*[:=][ \t]*"
        r"(?P<secret>[A-Za-z0-9+/=_!@#^&~-]{9,4096})[ \t\r]*$",
        _of_a_setting,
    ),
    # Kubernetes: a variable's name on one line, its value on the next.
    Rule(
        "setting",
        ("value:",),
        rf"(?m)name:[ \t]*[\"']?[\w.-]{{0,60}}(?:{WORDS})[\"']?[ \t\r]*\n[ \t]*value:[ \t]*"
        r"(?P<quote>[\"']?)(?P<secret>[^\s\"'{}$]{6,512})(?P=quote)[ \t\r]*$",
        chosen,
    ),
    Rule(
        "setting",
        ("</",),
        rf"(?:<[\w.:-]{{0,40}}(?:{WORDS})|(?:{WORDS})[\"'])>\s{{0,4}}(?P<secret>[^\s<>\"'`\\]{{6,512}})\s{{0,4}}</",
        chosen,
    ),
    # --password=..., Password=...; of connection strings
    Rule(
        "argument",
        (),
        rf"(?:--(?:[a-z-]{{1,20}}[= ][\w.-]{{0,60}}(?:{WORDS})=|[a-z-]{{0,40}}(?:{WORDS})[= ])"
        r"|[;?&\"'](?i:password|pwd)=)"
        r"(?P<secret>[^\s;&<>\"'`\\),]{6,512})",
        chosen,
    ),
    # CREATE ROLE app LOGIN PASSWORD '...', SET PASSWORD = PASSWORD('...')
    Rule(
        "password in SQL",
        tuple(f"{word}{between}'" for word in ("PASSWORD", "password") for between in (" ", " = ", "=", "(")),
        r"(?i:\b(?:(?:create|alter)\s+(?:user|role|login)\b[^;\n]{0,160}?|encrypted\s+|set\s+)password\b)"
        r"(?:\s+(?i:for)\s+[^=;\n]{1,80})?\s{0,4}=?\s{0,4}(?:(?i:password)\s?)?\(?'(?P<secret>[^'\r\n]{2,256})'",
        literal,
    ),
    # machine HOST login NAME password ..., on one line or three.
    Rule(
        "password of .netrc",
        ("machine", "login"),
        r"(?m)(?:machine\s+\S{1,255}\s+(?:login\s+\S{1,255}\s+)?|^[ \t]*(?:default[ \t]+)?login[ \t]+\S{1,255}\s+)"
        r"(?:account\s+\S{1,255}\s+)?password[ \t]+"
        r"(?P<secret>\"(?:[^\"\\\r\n]|\\.){1,255}\"|[^\s\"'\\]{2,255})(?=[\s\"'\\]|$)",
        given,
    ),
    # aws configure set aws_secret_access_key ...
    Rule(
        "AWS key",
        ("ccess_key", "ccessKey", "CCESS_KEY", "ccesskey"),
        r"(?i:aws_?secret_?access_?key)\W{1,6}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        cased,
    ),
)
"""Looked for where a text holds a word for secrets."""
