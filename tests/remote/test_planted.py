"""Tests of passwords in files of many formats: each is removed; its surroundings, and code about
passwords, are kept.
"""

from __future__ import annotations

import random
import re
import string
from collections import Counter

import pytest
from planted import ALL, filled, token, word

from ragit.remote.secrets import GONE, redact


@pytest.mark.parametrize("kind", ALL)
def test_password_is_removed_and_the_rest_is_kept(kind: str) -> None:
    for seed in range(3):
        found: Counter[str] = Counter()
        text = filled(ALL[kind], seed)
        assert redact(text, found) == filled(ALL[kind], seed, GONE)
        assert found.total() >= 1


@pytest.mark.parametrize("kind", ALL)
def test_password_is_removed_with_crlf_line_ends(kind: str) -> None:
    text = filled(ALL[kind], 1).replace("\r", "").replace("\n", "\r\n")
    assert redact(text).split() == filled(ALL[kind], 1, GONE).split()


@pytest.mark.parametrize(
    "kind", [kind for kind in ALL if "cut" not in kind and "chunk" not in kind]
)
def test_placeholder_is_kept(kind: str) -> None:
    """A placeholder is not a password: the text to embed must not change."""
    for placeholder in ("${PASSWORD}", "<password>", "changeme", "{{ password }}"):
        text = filled(ALL[kind], 1, placeholder)
        assert redact(text) == text, placeholder


@pytest.mark.parametrize(
    "text",
    [
        # names, calls, types and references
        "password = getPassword()",
        "password = hashed",
        "self.password = keyring",
        "this.password=sunshine;",
        "def login(user: str, password: str) -> None: ...",
        "class User:\n    name: str\n    password: digest\n",
        "interface Login {\n  user: string\n  password: string\n}",
        "create({\n  email: email,\n  password: hash\n})",
        "connect(\n    user=user,\n    password=conn_password,\n)",
        "connect(\n    password=content\n)",
        "if not ok:\n    raise Denied\npassword = content\nreturn user, password",
        "password: Annotated[str, Form()]",
        "userPassword: CharArray",
        "field :password, :string, redact: true",
        "password: :string,",
        '@Value("${app.password}") String password;',
        'password = os.environ["DB_PASSWORD"]',
        'password = config.get("smtp.password")',
        'password = request.form["password"]',
        "DB_PASSWORD=$(pass show db)",
        "spring.datasource.password=${DB_PASSWORD}",
        "password: {{ .Values.password }}",
        'password: "%env(DB_PASSWORD)%"',
        'Password = viper.GetString("smtp_password")',
        # placeholders
        'password = "changeme"',
        'password: "your-password"',
        'password = "mysecretpassword"',
        'password: "<password>"',
        'password = "xxxxxxxx"',
        'password = "********"',
        '"password": "string"',
        '"password": "required|min:8"',
        "'password' => 'hashed',",
        "'password' => 'confirmed',",
        "MYSQL_RANDOM_ROOT_PASSWORD: true",
        "ansible_password=@PASSWORD",
        # names of fields, settings and constants
        'PASSWORD_CONFIG = "sasl.jaas.password"',
        'public static final String PASSWORD = "user.password";',
        'String PASSWORD_FIELD = "password_field"',
        'password = "customPassword"',
        'password: "current-password"',
        'String SECRET_PASSWORD = "DO_NOT_LOG_THIS"',
        'fields = ["username", "password", "email"]',
        'form.register("username", "password", "remember")',
        "'auth' => ['guards', 'providers', 'passwords'],",
        'auth = ("basic", "digest", "ntlm")',
        "user, password",
        '    "user",\n    "password",\n    "email",\n',
        "passage\t93\t128\npassword\t85\t110\nsunshine\t80\t99\n",
        "password,noun\nsunshine,noun\n",
        "id,name,email\n1,password,sunshine\n",
        "INSERT INTO users (name, email) VALUES ('password', 'sunshine');",
        "type Login struct {\n\tuser string\n\tpassword string\n}",
        '"{\\"kind\\": \\"WITH_PASSWORD\\", \\"issuedAt1\\": 3}"',
        'resourcePassword = "passwords"',
        'encodedPassword = "encoded"',
        'case "${PASSWORD:+has-one}" in',
        '<a class="token" href="#s9b21">sunny(9b:2c:)</a>',
        # labels, and sentences
        '"password": "Passwort",',
        '"password": "Пароль",',
        '"smtp-password": "SMTP-wachtwoord",',
        '<label for="password">Sunshine</label>',
        '<a href="/reset-password">sunshine</a>',
        '<string name="password">Passwort</string>',
        "The user types the password twice, and the second password decides.",
        "Pass 'header' with the colon.",
        "use the --password option to be asked",
        "the tool takes --password value or asks",
        "one of 'password' or 'saltedpassword' is needed",
        'password: "must be at least eight characters"',
        # other meanings of pass
        'render_pass = "shadows"',
        'bypass = "always"',
        "minipass: 7.1.2",
        '"minipass": "^3.0.0",',
        "run: make test || pass",
        # commands
        "docker run --name mongo -p 27017:27017 mongo",
        "mkdir -p sunshine && zip -r out.zip dir",
        "curl -u $USER:$PASSWORD https://example.org/",
        "psql -U postgres -p 5432",
        "echo test | mkpasswd -s",
        "what puts each zip in the local repo: -Pfast is enough",
        "keytool -storepass changeit",
        "MYSQL_PASSWORD=changeme",
        'git url-parse -c password "https://user@example.com/path"',
        # cookies
        "Cookie: theme=dark; lang=en-GB-oxendict",
        "Set-Cookie: name=value; Path=/; HttpOnly",
        "Set-Cookie: session=abc123; Path=/",
        "Set-Cookie: session=${SESSION}; Expires=Wed, 21 Oct 2015 07:28:00 GMT",
        "import { Cookie } from 'cookies'",
        # other kinds than Secret
        "kind: ConfigMap\ndata:\n  thing: sunshine\n",
        "kind: ConfigMap\ndata:\n  thing: c3Vuc2hpbmVzdW4=\n",
        "kind: Secret\ndata:\n  thing: {{ .Values.thing | b64enc }}\n",
        "kind: ExternalSecret\ndata:\n  - secretKey: thing\n",
        "kind: Secret\n---\nkind: ConfigMap\ndata:\n  thing: sunshine\n",
        "secrets:\n  data:\n    thing: sunshine\n",
    ],
)
def test_text_about_passwords_is_kept(text: str) -> None:
    assert redact(text) == text


SETTINGS_AROUND = [
    ("user: app\n", "\nport: 5432"),
    ("[db]\nhost = db\n", "\nport = 5432"),
    ("# who\n\nhost: db\n", ""),
    ("- host: a\n  user: b\n", "\n- host: c"),
]
CODE_AROUND = [
    ("def f(self):\n", "\n    return 1"),
    ("call(\n", "\n)"),
    ("{\n  a: b,\n", "\n}"),
    ("user = None\n", "\nsalt = None"),
    ("x = f(1)\n", ""),
    ("struct Login {\n", "\n}"),
]


@pytest.mark.parametrize(
    "line", ["password: {}", "db_password: {}", "smtp_pass: {}", "password={}"]
)
@pytest.mark.parametrize("around", [*SETTINGS_AROUND, *CODE_AROUND])
def test_surrounding_lines_distinguish_settings_from_code(
    line: str, around: tuple[str, str]
) -> None:
    """A bare word is a password in a file of settings, and a variable in code."""
    above, below = around
    text = above + line.format(word(3)) + below
    if around in SETTINGS_AROUND:
        assert redact(text) == above + line.format(GONE) + below
    else:
        assert redact(text) == text


def test_bare_word_in_a_shell_script_is_removed() -> None:
    text = "#!/bin/sh\nif true; then\n  db_password={}\nfi"
    assert redact(text.format(word(1))) == text.format(GONE)


def test_bare_word_after_a_spaced_sign_needs_context() -> None:
    """`password = content` may be the only line of code in a chunk; a section or an address beside
    it means settings.
    """
    assert redact(f"password = {word(1)}") == f"password = {word(1)}"
    assert redact(f"[client]\npassword = {word(1)}") == f"[client]\npassword = {GONE}"
    assert (
        redact(f"host = db.example.org\npassword = {word(1)}")
        == f"host = db.example.org\npassword = {GONE}"
    )


def test_password_column_is_removed_up_to_the_end_of_the_table() -> None:
    rows = "\n".join(f"{word(seed)}@h,{word(seed + 50)},{seed}" for seed in range(9))
    redacted_rows = "\n".join(f"{word(seed)}@h,{GONE},{seed}" for seed in range(9))
    assert (
        redact(f"mail,password,id\n{rows}\n\nend,of it,all")
        == f"mail,password,id\n{redacted_rows}\n\nend,of it,all"
    )
    inserted = ", ".join(f"({seed}, 'a''b', '{word(seed)}')" for seed in range(5))
    clean = redact(f"INSERT INTO users (id, name, `password`) VALUES\n{inserted};\nSELECT 'x';")
    assert clean.count(GONE) == 5 and clean.endswith(";\nSELECT 'x';") and word(2) not in clean


def test_malformed_sql_row_is_kept() -> None:
    for row in ("(1,,'{}')", "(1, f('{}'))", "(1, '{}", "(1, 'it''s {}'"):
        text = f"INSERT INTO users (id, password) VALUES {row.format(word(1))};"
        assert redact(text) == text


def test_all_values_of_a_kubernetes_secret_are_removed() -> None:
    text = (
        f"kind: Secret\nstringData:\n  a: {word(1)}\n  b: |\n    x = {word(2)}\n\n    {word(3)}\n"
    )
    text += f"  c: >-\n    {word(4)}\nz: 1\n"
    clean = redact(text)
    assert (
        clean.count("\n") == text.count("\n")
        and clean.endswith("\nz: 1\n")
        and "  b: |\n    ***\n\n    ***\n" in clean
    )
    assert not [seed for seed in range(1, 5) if word(seed) in clean]


def test_cookie_header_is_removed_from_its_first_value_on() -> None:
    text = f"Cookie: lang=en; sid={token(1)}; theme={token(2)}\nHost: h"
    assert redact(text) == f"Cookie: lang={GONE}\nHost: h"


def test_short_words_and_identifiers_are_kept() -> None:
    """Documented limits: below five characters, several words that make a sentence,
    `snake_case`.
    """
    for text in (
        'password = "root"',
        'password = "blue_horse"',
        'password = "take the blue horse"',
        'secret = "sunny"',
    ):
        assert redact(text) == text
    assert redact('password = "blue-horse-runs"') == f'password = "{GONE}"'
    assert redact('password = "blue horse runs fast"') == f'password = "{GONE}"'


SIGNS = string.ascii_letters + string.digits + "!#$%&()*+,-./:;<=>?@[]^_{|}~"
HARDEST = {
    "a connection's string": ("code: c#", SIGNS.replace(";", "")),
    "a connection's URL": ("code: java, jdbc", re.sub("[&;,<>]", "", SIGNS)),
    "a driver's string": ("settings: odbc", SIGNS.replace(";", "").replace("}", "")),
    "Spring's default": ("settings: properties, default", SIGNS.replace("}", "")),
    "a file of sections": ("settings: ini", SIGNS.replace("#", "").replace(";", "")),
    "an attribute of XML": (
        "settings: xml, attribute",
        SIGNS.replace("&", "").replace("<", "") + "\\" * 8,
    ),
    "a variable before a command": ("commands: psql", string.ascii_letters + string.digits + "%.:"),
    "Helm's option": ("commands: helm", string.ascii_letters + string.digits + "%.:/"),
    "Oracle's user": ("commands: sql, oracle", string.ascii_letters + string.digits + "_%.:^"),
    "YAML, letters alone": ("settings: yaml, alone", string.ascii_letters),
}


@pytest.mark.parametrize("place", HARDEST)
def test_at_most_one_percent_of_random_passwords_is_sent(place: str) -> None:
    form, alphabet = HARDEST[place]
    chance = random.Random(place)
    sent = 0
    for _ in range(300):
        secret = "".join(chance.choices(alphabet, k=20))
        clean = redact(ALL[form].replace("§", secret))
        sent += any(secret[at : at + 8] in clean for at in range(len(secret) - 7))
    assert sent <= 3


@pytest.mark.parametrize(
    "text",
    [
        "<value>jdbc:mysql://db/app?user=root&amp;password=${DB_PASSWORD}</value>\n",
        "password: XMLHttpRequest\n",
        "password: httpsPasswordReader\n",
        'log.info("%s:%d password=%s", host, port, hidden)\n',
        'message = "password=%s:%d"\n',
        "<li>user=a;password={password}</li>\n",
        "IDENTIFIED BY password\n",
    ],
)
def test_names_formats_and_elements_beside_a_password_are_kept(text: str) -> None:
    assert redact(text) == text
