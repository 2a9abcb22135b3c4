"""Decides whether a plain word assigned to a password is one: `sunshine`. Pure.

The form of a word tells nothing, so these exceptions are excluded: references, placeholders
(`changeme`, `your-password`), types, states, labels, and names of fields (`customPassword`). Every
other word is a password, in tests as well.
"""

from __future__ import annotations

import re

SHORTEST = 5
"""Shortest word that is removed: `root` and `1234` protect nothing anyway."""

_WORD = r"[A-Za-z0-9_.!@#^&+=?~-]{5,64}"
"""Characters of a word, without spaces and signs of references, paths or calls. Only ASCII, since
in another script the value beside a name for passwords is a field's label.
"""

_SAYS = (
    "pass[_-]?words?|passwd|passphrase|passcode|passwort|pass|pwd|pw|secret|token|credentials?|cred|api[_-]?key|key"
    "|auth"
)
_BESIDE = (
    "my|your|our|the|this|that|some|any|new|old|current|users?|admin|root|db|database|app|super|very|strong|secure|safe"
    "|test|testing|fake|dummy|mock|example|sample|default|plain|text|hashed|encrypted|encoded|wrong|bad|invalid|incorrect"
    "|correct|valid|good|right|other|another|different|same|random|generated|service|server|client|store|here|login"
    "|account|enter|insert|put|set|change|replace|update|reset|forgot|confirm|repeat|show|hide|no|is|has|with|use|ssl|tls"
    "|ca|vault|hash"
)
# No word is two others joined: otherwise a long name could be split in many ways.
_SAID = re.compile(
    rf"(?:(?:{_BESIDE})[_.-]?)*(?:{_SAYS})(?:[_.-]?(?:{_SAYS}|{_BESIDE}|field|input|value|name"
    r"|id))*\d?",
    re.I,
)
"""Names of a password, not values: `mysecretpassword`, `test-password`, `current_password`."""

_STANDS_FOR_ONE = frozenset(
    (
        "again always array async autofill await barbaz basic bearer blank boolean bytearray bytes"
        " change changed changeit changeme changethis check clear cleartext confirm confirmation "
        "confirmed const correct create created current default defaults delete digest disabled "
        "double dummy email empty enabled encoded encrypted error errors example examples expired "
        "export false field filled final fixme float foobar foobaz forgot forgotten function "
        "generate generated hash hashed hidden hide incorrect input integer invalid kerberos label"
        " lambda login logout masked message missing never nonempty nothing nullable number oauth "
        "oauth2 object omitted on_change on_create optional other placeholder plain plaintext "
        "private prompt protected public random readonly redacted removed repeat replace replaceme"
        " required reset return sample self show static stderr stdin stdout string strong submit "
        "test tested tester testing tests text this title todo undefined unknown unset update "
        "userid username valid validate value values varchar verify warning weak wrong"
    ).split()
)
"""Placeholders, types, and states."""

_TRANSLATED = (
    "passwort|kennwort|heslo|haslo|geslo|lozinka|senha|contrasena|contrasenya|contrasinal|parola|parole|parool|salasana"
    "|passord|wachtwoord|losenord|adgangskode|jelszo|sifre|slaptazodis|pasahitza|fjalkalimi|cyfrinair"
)
"""Labels of the field in other languages, in ASCII."""

_NAMES_ONE = re.compile(r"(?i:pass|pwd|secret|token|credential)|(?:[a-z]Key|_key|-key)\b")
_IDENTIFIER = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9][_.-][A-Za-z]")
"""Boundary between the words of a name of a field, a setting or a file."""

_DOTTED = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)+")
_VERSION = re.compile(r"[v^~=]{0,2}\d+(?:\.\d+)+\S*")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|_*[a-z]+(?:_[a-z]+)+")
_LABEL = re.compile(rf"[A-Z][a-z]+(?:-[a-z]+)*[.!?]?|[\w-]*(?i:{_TRANSLATED})")
_SAME = re.compile(r"(.)\1*|(?:x|\*|\.|-|_)+", re.I)


def is_placeholder(value: str) -> bool:
    """Return whether a value is a placeholder: `changeme`, `your-password`, `xxxx`."""
    if value.lower() in _STANDS_FOR_ONE or _SAME.fullmatch(value):
        return True
    return len(value) < 100 and _SAID.fullmatch(value) is not None


def is_plain_password(value: str) -> bool:
    """Return whether a quoted literal assigned to a password is that password."""
    if (
        not re.fullmatch(_WORD, value)
        or re.match("-|.*=$|@[A-Z_]+$", value)
        or is_placeholder(value)
    ):
        return False
    if _DOTTED.fullmatch(value) or _VERSION.fullmatch(value) or _CONSTANT.fullmatch(value):
        return False
    if re.fullmatch(_TRANSLATED, value, re.IGNORECASE) or (
        _NAMES_ONE.search(value) and _IDENTIFIER.search(value)
    ):
        return False
    return re.search(r"[A-Za-z0-9]{3}", value) is not None


def is_unquoted_password(value: str) -> bool:
    """Return whether an unquoted value is a password. Mixed case there names a type or a
    variable.
    """
    return is_plain_password(value) and not re.fullmatch(
        r"[A-Z][A-Za-z]*[a-z][A-Za-z]*[!?=]?|[a-z]+[A-Z][A-Za-z]*", value
    )


def is_form_label(value: str) -> bool:
    """Return whether a word is capitalised, as labels of form fields are."""
    return _LABEL.fullmatch(value) is not None
