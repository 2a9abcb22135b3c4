"""Rules for secrets recognised by their call, file, header or service. Pure."""

from __future__ import annotations

import re

from ragit.remote.secrets.password import is_placeholder, is_plain_password
from ragit.remote.secrets.rule import (
    BODY,
    LINE,
    WORDS,
    Rule,
    alternates_letters_and_digits,
    ends_in_password_name,
    inside,
    is_assigned_secret,
    is_quoted_secret,
    is_secret_literal,
    is_setting_value,
    is_strong,
    mixes_letters_and_digits,
)
from ragit.remote.secrets.strength import has_random_case, is_reference, looks_random

_SERVICES = (
    "adafruit|adobe|airtable|algolia|alibaba|asana|atlassian|beamer|bitbucket|bittrex|meraki|cloudflare|codecov"
    "|cohere|coinbase|confluent|contentful|datadog|discord|droneci|dropbox|etsy|facebook|fastly|finicity|finnhub"
    "|flickr|freshbooks|gitter|gocardless|heroku|hubspot|intercom|jfrog|artifactory|kraken|kucoin|launchdarkly"
    "|linkedin|looker|mailchimp|mailgun|mapbox|mattermost|messagebird|netlify|new_?relic|nytimes|okta|plaid"
    "|rapidapi|sendbird|sentry|snyk|sonar|squarespace|sumo_?logic|telegram|travis|twilio|twitch|twitter|yandex"
    "|zendesk|stripe|sendgrid|salesforce|vercel|digitalocean|linode|vultr|pagerduty|opsgenie|auth0|onesignal"
)
"""Names of services whose keys have no fixed prefix."""

_OF_A_KEY = (
    r"(?i:\w{0,20}(?:aes|secret|private|encrypt\w{0,4}|cipher|crypto|hmac|master|sign\w{0,3}"
    r"|session|shared"
    r"|symmetric|xor)_?(?:key|iv)\w{0,12}|\bkey(?:_?(?:bytes|data|hex|material))?\b)"
)
_BYTE = r"(?:0[xX][0-9A-Fa-f]{1,2}|\d{1,3})"
_HEX = r"[0-9A-Fa-f]"
_QUOTE = r"(?P<quote>[\"'`])"


def _near_crypto(text: str, start: int, end: int) -> bool:
    """Return whether the surrounding text, or the name of the key, mentions a cipher."""
    around = text[max(start - 400, 0) : end + 400].lower()
    return (
        re.search(r"aes|cipher|crypt|hmac|hkdf|fernet|chacha|private_?key|secret", around)
        is not None
    )


_KEY_BEFORE = re.compile(
    rf"{_OF_A_KEY}[\"'\]]{{0,2}}[^\n=:;\"'`]{{0,40}}?(?::=|=>|="
    rf"|:)[ \t]{{0,4}}[\w.:!&*<>\[\](){{}} ]{{0,60}}\Z"
)
_SERVICE_BEFORE = re.compile(
    rf"(?i:(?:{_SERVICES})[\w.-]{{0,24}})[\"'\]]{{0,2}}\s{{0,4}}(?::=|=>|=|:|,)\s{{0,4}}\Z"
)


def _after_key_name(text: str, start: int, end: int) -> bool:
    """Return whether the value follows a name for keys, near words about ciphers."""
    line = text[max(start - 160, 0) : start].rpartition("\n")[2]
    return _KEY_BEFORE.search(line) is not None and _near_crypto(text, start, end)


def _after_service_name(text: str, start: int, end: int) -> bool:
    return _SERVICE_BEFORE.search(text[max(start - 80, 0) : start]) is not None


def _are_key_bytes(value: str, before: str) -> bool:
    """Return whether bytes look random: neither a sequence nor repetitions."""
    numbers = [int(number, 0) for number in re.findall(r"0[xX][0-9A-Fa-f]+|[1-9]\d*|0", value)]
    steps = {later - sooner for sooner, later in zip(numbers, numbers[1:], strict=False)}
    return len(steps) > 3 and max(numbers) < 256


def _under_chpasswd(text: str, start: int, end: int) -> bool:
    above = text[max(start - 1000, 0) : start]
    listed = above.rpartition("chpasswd:")[2] if "chpasswd:" in above else ""
    return re.search(r"list:|\|", listed) is not None and not re.search(r"(?m)^\S", listed)


def _is_community_string(value: str, before: str) -> bool:
    return value.lower() not in ("public", "private", "default", "ipv6", "-v") and is_setting_value(
        value
    )


def _is_service_key(value: str, before: str) -> bool:
    return not is_reference(value) and (
        alternates_letters_and_digits(value) or looks_random(value) or len(set(value)) > 14
    )


def _is_secret_in_comment(value: str, before: str) -> bool:
    """Return whether a value is random, or a password with a digit or a sign."""
    if is_placeholder(value) or is_reference(value) or "://" in value:
        return False
    if looks_random(value) or (
        alternates_letters_and_digits(value) and is_secret_literal(value, before)
    ):
        return True
    return (
        ends_in_password_name(before)
        and is_plain_password(value)
        and (_MIXED.search(value) is not None or has_random_case(re.sub(r"\d", "", value)))
    )


_MIXED = re.compile(r"[a-z]\d|[!@#^&]|(?:[A-Za-z]\d|\d[A-Za-z]).*(?:[A-Za-z]\d|\d[A-Za-z])")
"""Signs of a password in a word: `SHA256` is none."""


def _is_recovery_phrase(value: str, before: str) -> bool:
    return len(set(value.split())) > 6


_ACCESS = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+[;,)]*")
"""A field of an object: `this.authToken;`."""

RULES: tuple[Rule, ...] = (
    # Twilio: Client(sid, "..."), twilio(sid, '...'), require("twilio")(sid, "...")
    Rule(
        "API key",
        ("Client(", "Client.new(", "wilio", "WILIO"),
        r"(?:\bClient(?:\.new)?|[tT]wilio\w{0,20}[\"']?\)?|\.init)\(\s{0,8}[^,()\n]{1,80}(?:\(\))?,\s{0,8}"
        rf"{_QUOTE}(?P<secret>[0-9a-f]{{32}})(?P=quote)",
    ),
    Rule(
        "Google key",
        ("private_key_id",),
        r"private_key_id[\\\"']{0,3}\s{0,4}[:=]\s{0,4}[\\\"']{0,3}(?P<secret>[0-9a-f]{40})"
        r"(?![0-9a-f])",
    ),
    # X-Auth-Key: ..., headers["X-Api-Token"] = "..."
    Rule(
        "authorization",
        ("x-", "X-", "X_"),
        r"(?i:\bx[-_][a-z_-]{0,30}(?:key|token|secret|auth"
        r"|signature))[\"'\]]{0,2}(?:\s{0,4}(?:[:=,]|=>)\s{0,4}|\s)"
        r"[\"'`]{0,1}(?P<secret>[^\s\"'`\\]{12,512})",
        lambda value, before: is_strong(value) and not _ACCESS.fullmatch(value),
    ),
    Rule(
        "API key",
        ("AccountKey=", "AccessKey="),
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/=]{16,512})",
        is_quoted_secret,
    ),
    Rule(
        "API key",
        ("lgolia", "LGOLIA", "SearchClient"),
        r"(?i:algolia\w{0,20}|searchClient)(?:(?:\.|::)\w{1,20})?\(\s{0,8}[\"'`]?\w{1,40}[\"'`]?,\s{0,8}"
        rf"{_QUOTE}(?P<secret>[0-9a-f]{{32}})(?P=quote)",
    ),
    # <machineKey validationKey="..." decryptionKey="..."/>
    Rule(
        "encryption key",
        ("idationKey", "ryptionKey"),
        rf"(?:validation|decryption)Key=[\"'](?P<secret>{_HEX}{{32,256}})",
    ),
    Rule(
        "encryption key",
        ("Fernet(",),
        r"Fernet\(\s{0,8}b?(?P<quote>[\"'])(?P<secret>[A-Za-z0-9_-]{43}=)(?P=quote)",
    ),
    # AES.new(b"..."), new SecretKeySpec("...".getBytes()), createCipheriv("aes-256-cbc", "...", iv)
    Rule(
        "encryption key",
        ("AES", "SecretKeySpec(", "NewCipher(", "ipheriv(", "CryptoJS"),
        r"(?:AES(?:\.new|GCM|CCM|128|256)?|SecretKeySpec|NewCipher|create(?:De)?[cC]ipheriv"
        r"|CryptoJS\.\w{2,9}\.\w{2,9})"
        r"\(\s{0,8}(?:[^,()\n\"']{1,60},\s{0,8}|[\"'`]aes[\w-]{1,20}[\"'`],\s{0,8})?"
        rf"(?:\[\]byte\(|[\w.]{{1,30}}\(|b)?{_QUOTE}{BODY}",
        lambda value, before: (
            not is_placeholder(value)
            and (
                len(value) in (16, 24, 32, 48, 64)
                or mixes_letters_and_digits(value)
                or is_strong(value)
            )
        ),
    ),
    Rule(
        "encryption key",
        ('"', "'", "`"),
        r"[\"'`](?P<secret>(?:0x)?(?:[0-9A-Fa-f]{64}|[0-9A-Fa-f]{48}|[0-9A-Fa-f]{32})"
        r"|(?:\\x[0-9A-Fa-f]{2}){16,64})[\"'`]",
        lambda value, before: len(set(value)) > 6,
        _after_key_name,
    ),
    Rule(
        "encryption key",
        ("{", "[", "("),
        rf"[\[{{(]\s{{0,12}}(?P<secret>{_BYTE}(?:\s{{0,12}},\s{{0,12}}{_BYTE}){{15,127}})",
        _are_key_bytes,
        _after_key_name,
    ),
    # new ethers.Wallet("0x..."), accounts: ["0x..."], PRIVATE_KEY=..., cast --private-key ...
    Rule(
        "private key",
        ("rivate", "RIVATE", "allet", "ccount", "PRIV", "priv"),
        r"(?i:priv(?:ate)?[_-]?keys?|wallet|from_?key|privateKeyToAccount"
        r"|accounts?)\w{0,20}[\"'\])]{0,2}"
        r"(?:\s{0,4}(?:[:=(,\[]|=>)\s{0,4}|[ \t]+){1,3}[\"'`]?(?P<secret>(?:0x)?[0-9a-fA-F]{64})"
        r"(?![0-9a-zA-Z])",
    ),
    # mnemonic: "abandon ability ..."
    Rule(
        "recovery phrase",
        ("nemonic", "NEMONIC", "hrase", "HRASE", "SEED", "seed", "HDWallet"),
        r"(?i:mnemonic|hdwallet|seed|(?:seed|recovery|backup|wallet)[ _-]?phrase)"
        r"\w{0,20}[\"'\])]{0,2}"
        r"\s{0,4}(?:[:=(,]|=>)"
        r"\s{0,4}[\"'`]?(?P<secret>[a-z]{3,8}(?: [a-z]{3,8}){11,23})(?![a-z])",
        _is_recovery_phrase,
    ),
    # config/master.key, config/credentials/production.key: a file with nothing else
    Rule(
        "encryption key",
        (),
        r"\A\s{0,9}(?P<secret>[A-Za-z0-9+/_-]{16,128}={0,2})\s{0,9}\Z",
        lambda value, before: (
            mixes_letters_and_digits(value) and (value != value.lower() or len(value) == 32)
        ),
    ),
    # define('AUTH_KEY', '...'), AUTH_SALT='...'
    Rule(
        "quoted secret",
        ("_KEY", "_SALT"),
        r"\b(?:SECURE_AUTH|AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)[\"']?\s{0,20}(?:,|=)\s{0,20}"
        r"(?P<quote>[\"'])(?P<secret>(?:(?!(?P=quote))[^\r\n]){32,128})(?P=quote)",
        lambda value, before: mixes_letters_and_digits(value) and not value.startswith("put your"),
    ),
    # cloud-init: chpasswd, list: |, root:...; plain_text_passwd: ...
    Rule(
        "setting",
        ("chpasswd:",),
        r"(?m)^[ \t]+(?:- +)?[\"']?[a-z_][\w.-]{0,31}:(?P<secret>[^\s:\"'$][^\s\"']{2,200})[\"']?"
        r"[ \t\r]*$",
        lambda value, before: is_setting_value(value) and value not in ("RANDOM", "R"),
        _under_chpasswd,
    ),
    Rule(
        "setting", ("plain_text_passwd",), r"(?m)plain_text_passwd:[ \t]*" + LINE, is_setting_value
    ),
    # SNMP
    Rule(
        "setting",
        ("community", "com2sec"),
        r"(?m)^[ \t]*(?:r[ow]community6?[ \t]+|trapcommunity[ \t]+|snmp-server[ \t]+community[ \t]+"
        r"|com2sec6?[ \t]+(?:-Cn[ \t]+\S+[ \t]+)?\S{1,60}[ \t]+\S{1,60}[ \t]+)"
        r"(?P<quote>[\"'])?" + inside(r"[^\s\"']", 4, 128),
        _is_community_string,
    ),
    Rule(
        "setting",
        ("createUser", "usmUser"),
        r"createUser[ \t]+(?:-e[ \t]+\S+[ \t]+)?\S{1,60}[ \t]+(?:MD5|SHA\S{0,4})[ \t]+"
        r"(?P<quote>[\"'])?" + inside(r"[^\s\"']", 4, 128),
        is_setting_value,
    ),
    # ipsec.secrets
    Rule(
        "setting",
        ("PSK", "XAUTH", "EAP", "NTLM"),
        r"(?m)^[^\n#]{0,160}:[ \t]*(?:PSK|XAUTH|EAP|NTLM)[ \t]+(?:\S{1,60}[ \t]+)?(?P<quote>[\"'])?"
        + inside(r"[^\s\"']", 4, 256),
        is_setting_value,
    ),
    # jdbc:mysql://db/app?user=root&password=...&useSSL=false
    Rule(
        "password in a URL",
        ("jdbc:",),
        r"jdbc:[^\s\"'`]{1,200}?[?&;](?:password|pwd)=(?P<secret>[^\s\"`]{4,128}?)"
        r"(?=(?:[&;][A-Za-z]\w{0,40}=[\w.%/+-]{0,80}){0,12}(?:[\"`]|'(?![\w%])))",
        is_quoted_secret,
    ),
    Rule(
        "password in a URL",
        ("jdbc:oracle",),
        r"jdbc:oracle:\w{2,8}:[^\s/@\"']{1,60}/(?P<secret>[^\s\"'`]{2,128})@(?=[/\w(\[])",
        is_setting_value,
    ),
    # otpauth://totp/...?secret=..., TOTP("..."), totp_secret = "..."
    Rule(
        "TOTP seed",
        ("otpauth://",),
        r"otpauth://[^\s\"'`]{0,200}?[?&]secret=(?P<secret>[A-Za-z2-7]{16,128})",
    ),
    Rule(
        "TOTP seed",
        ("otp", "OTP", "Otp", "2fa", "2FA", "mfa", "MFA", "uthenticator"),
        r"(?i:t?otp|2fa|mfa|google_?auth|authenticator)[\w.]{0,30}[\"'\]]{0,2}\s{0,4}(?:[(:=,]|=>)\s{0,4}[\"'`]?"
        r"(?P<secret>[A-Z2-7]{16,128}={0,6})(?![\w=])",
    ),
    # datadog_api = "...", the key of a service without a recognisable form
    Rule(
        "API key",
        ('"', "'", "`"),
        rf"{_QUOTE}(?P<secret>[A-Za-z0-9_=+/.-]{{16,128}})(?P=quote)",
        _is_service_key,
        _after_service_name,
    ),
)
"""Rules for all texts."""

CUED: tuple[Rule, ...] = (
    # Postman: {"key": "api_token", "value": "..."}
    Rule(
        "setting",
        ('"value"',),
        rf"\"(?:key|name|id)\"\s{{0,4}}:\s{{0,4}}\"[\w .-]{{0,60}}(?:{WORDS})\"\s{{0,4}},\s{{0,40}}"
        rf"(?:\"\w{{1,20}}\"\s{{0,4}}:\s{{0,4}}[\w\"]{{1,40}},\s{{0,40}})?\"value\"\s{{0,4}}:"
        rf"\s{{0,4}}(?P<quote>\"){BODY}",
        is_assigned_secret,
    ),
    Rule(
        "setting",
        ('"value"',),
        r"\"value\"\s{0,4}:\s{0,4}\"(?P<secret>[^\s\"\\]{5,512})\"\s{0,4},\s{0,40}\"key\"\s{0,4}:"
        r"\s{0,4}"
        rf"\"[\w .-]{{0,60}}(?:{WORDS})\"",
        lambda value, before: is_secret_literal(value, "password") or looks_random(value),
    ),
    # Postman: {"key": "x", "value": "...", "type": "secret"}
    Rule(
        "setting",
        ('"secret"',),
        rf"\"value\"\s{{0,4}}:\s{{0,4}}(?P<quote>\"){BODY}\s{{0,4}},\s{{0,40}}"
        r"(?:\"\w{1,20}\"\s{0,4}:\s{0,4}[\w\"]{1,40},\s{0,40})?"
        r"\"type\"\s{0,4}:\s{0,4}\"secret\"",
        is_quoted_secret,
    ),
    # {name: root, password: ..., type: text}
    Rule(
        "setting",
        ("{",),
        rf"[{{,][ \t]*[\w.-]{{0,40}}(?:{WORDS}):[ \t]{{1,4}}"
        rf"(?P<secret>[^\s,}}{{\"'\[\]()]{{6,128}})(?=[ \t]*[,}}])",
        lambda value, before: (
            looks_random(value)
            or has_random_case(value)
            or (
                mixes_letters_and_digits(value)
                and (alternates_letters_and_digits(value) or ends_in_password_name(before))
            )
        ),
    ),
    # "# password: ..."
    Rule(
        "secret in a comment",
        ("#", "//", "--", "/*", " * ", "; ", "REM "),
        r"(?m)(?:(?<![\w:])(?:#|//|--|;|<!--|/\*)|^[ \t]*(?:\*|REM\b))[^\n\"'`{}()=]{0,60}?"
        rf"(?:{WORDS}|(?i:api|access|auth|private|secret) key)[\"'`]?"
        r"(?:[ \t](?:is|was))?[ \t]{0,3}(?:[:=]|(?<=is)|(?<=was))[ \t]{1,3}"
        r"(?P<secret>[^\s\"'`]{6,128}?)(?=[.,;)]?(?:[ \t]{0,4}(?:-->|\*/))?[ \t\r]*$|[.,;)]?[ \t])",
        _is_secret_in_comment,
    ),
)
"""Rules for texts with a word for secrets."""
