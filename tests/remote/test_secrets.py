"""What is taken out of texts before they are sent, and what is left alone."""

from __future__ import annotations

import random
import re
import string
import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragit.remote.secrets import Clean, redact

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def made(length: int, letters: str = LETTERS, seed: int = 1) -> str:
    """A token as a machine makes them: with every kind of letter there is. Made here, so that no scanner finds it."""
    chosen = random.Random(seed).choices(letters, k=length - 3)
    return "".join([letters[0], letters[-1], letters[len(letters) // 2], *chosen])


TOKENS = {
    "AWS": "AKIA" + made(16, string.ascii_uppercase + "234567"),
    "GitHub": "ghp_" + made(36),
    "GitHub fine": "github_pat_" + made(22) + "_" + made(59),
    "GitLab": "glpat-" + made(20),
    "OpenAI": "sk-proj-" + made(48) + "T3BlbkFJ" + made(48),
    "Anthropic": "sk-ant-api03-" + made(93) + "AA",
    "Groq": "gsk_" + made(52),
    "NVIDIA": "nvapi-" + made(64),
    "Voyage": "pa-" + made(43),
    "Jina": "jina_" + made(58),
    "Hugging Face": "hf_" + made(34, string.ascii_letters),
    "Google": "AIza" + made(35),
    "Slack": "xoxb-" + made(12, string.digits) + "-" + made(24),
    "Stripe": "sk_live_" + made(24),
    "npm": "npm_" + made(36),
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + made(70),
    "SendGrid": "SG." + made(22) + "." + made(43),
    "Twilio": "SK" + made(32, HEX),
    "Telegram": made(9, "123456789") + ":AA" + made(33),
    "DigitalOcean": "dop_v1_" + made(64, HEX),
    "Databricks": "dapi" + made(32, HEX),
    "Vault": "hvs." + made(90),
    "Azure": "AccountKey=" + made(86) + "==",
    "JWT": f"eyJ{made(30)}.eyJ{made(60)}.{made(43)}",
}


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("form", ['x = "{}"', "curl -H 'Authorization: Bearer {}'", "{}", "# see {}, he said", "a({})"])
def test_tokens_go_wherever_they_stand(name: str, form: str) -> None:
    found: Counter[str] = Counter()
    clean = redact(form.format(TOKENS[name]), found)
    assert made(9)[3:] not in clean and "***" in clean
    assert found.total() == 1


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('password = "hunter2x9"', 'password = "***"'),
        ('db_password: "Corr3ct#horse"', 'db_password: "***"'),
        ('{"apiKey": "a8f5f167f44f4964"}', '{"apiKey": "***"}'),
        ("config['client-secret'] = 'S3cr3tV4lue'", "config['client-secret'] = '***'"),
        ("token => 'abc123def456'", "token => '***'"),
        ("DB_PASSWORD=correcthorse", "DB_PASSWORD=***"),
        ("export API_KEY='x7Yz'", "export API_KEY='***'"),
        ("spring.datasource.password=Tr0ub4dor&3x", "spring.datasource.password=***"),
        ("  client_secret: 8f14e45fceea167a5a36", "  client_secret: ***"),
        ("postgres://app:pa55w0rd@db:5432/x", "postgres://app:***@db:5432/x"),
        ("https://:t0ken@host/", "https://:***@host/"),
        ('"Authorization": "Basic dXNlcjpwYXNzd29yZA=="', '"Authorization": "Basic ***"'),
        ("postgres://app:p@ss$w0rd@db:5432/x", "postgres://app:***@db:5432/x"),
        (f"https://{made(40)}@github.com/a/b", "https://***@github.com/a/b"),
        (f"https://h/x?v=1&access_token={made(40)}&y=2", "https://h/x?v=1&access_token=***&y=2"),
        (f"https://discord.com/api/webhooks/123456789/{made(68)}", "https://discord.com/api/webhooks/123456789/***"),
        ('{"auths": {"h": {"auth": "dXNlcjpTM2NyZXRQdzk5"}}}', '{"auths": {"h": {"auth": "***"}}}'),
        ("      - POSTGRES_PASSWORD=S3cretPw99", "      - POSTGRES_PASSWORD=***"),
        ('DB_PASSWORD="four words and spaces"', 'DB_PASSWORD="***"'),
        (f"SECRET_KEY_BASE={made(64, HEX)}", "SECRET_KEY_BASE=***"),
        (f"STRIPE_KEY={made(40)}", "STRIPE_KEY=***"),
        (f'const apiKey: string = "{made(32)}"', 'const apiKey: string = "***"'),
        ("define('DB_PASSWORD', 'S3cretPw99');", "define('DB_PASSWORD', '***');"),
        ("password: S3cretPw99", "password: ***"),
        ("tool --password=S3cretPw99 --port 1", "tool --password=*** --port 1"),
        ("Server=h;User Id=sa;Password=S3cretPw99;", "Server=h;User Id=sa;Password=***;"),
        ("<password>S3cretPw99</password>", "<password>***</password>"),
    ],
)
def test_what_is_given_to_a_name_for_secrets_goes(text: str, clean: str) -> None:
    assert redact(text) == clean
    assert redact(f"a\r\n{text}\r\nb").split() == f"a\r\n{clean}\r\nb".split()


@pytest.mark.parametrize(
    "text",
    [
        'AUTH_KEY = "auth"',
        'PASSWORD_CONFIG = "ssl.keystore.password"',
        'password = "ssl.key.password"',
        "password = getPassword(user1)",
        "self.token = token2",
        'token = os.environ["TOKEN_1"]',
        "DB_PASSWORD=$PASSWORD_1",
        "DB_PASSWORD=${{ secrets.DB1 }}",
        "API_KEY=<your-key-1>",
        "TOKEN=$(cat /run/token1)",
        'if (token == "=>") { return 1; }',
        'secret_path = "/run/secrets/db1"',
        'token_type: "bearer1"',
        "https://example.org:8080/a@b",
        "http://example.org:8080?mail=name@example.org",
        "git@github.com:owner/name.git",
        ".sk-cube-grid-animation-delay-with-a-long-name { }",
        "sha = 356a192b7913b04c54574d18c28d46e6395428ab",
        "uuid = 123e4567-e89b-12d3-a456-426614174000",
        "import com.example.security.oauthbearer.internals.secured.AccessTokenRetrieverFactory",
        "-----BEGIN CERTIFICATE-----",
        "public static final String SASL_TOKEN = PREFIX1 + SUFFIX;",
        "hf_transfer_is_a_name_with_many_words_in_it",
        "passwords: list[str]",
        "mysql://root:$PASSWORD@h/db",
        "PARTITION_KEY=region_and_customer_name",
        "https://example.org/?key=some-words-with-dashes",
        'request.form.get("token", "bearer")',
        "tool --password-file /run/secrets/db1",
        "token: null, secret: &secret1",
    ],
)
def test_code_is_left_alone(text: str) -> None:
    found: Counter[str] = Counter()
    assert redact(text, found) == text
    assert not found


def body(lines: int) -> list[str]:
    return [made(64, LETTERS + "+/", seed) for seed in range(lines)] + [made(20) + "=="]


@pytest.mark.parametrize("kind", ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""])
@pytest.mark.parametrize("form", ["{}", ' + "{}\\n"', "    {}", " * {}", "{}\r"])
def test_a_private_key_goes_and_its_lines_stay(kind: str, form: str) -> None:
    marks = (f"-----BEGIN {kind}PRIVATE KEY-----", f"-----END {kind}PRIVATE KEY-----")
    lines = ["before", *map(form.format, (marks[0], *body(9), marks[1])), "after"]
    clean = redact("\n".join(lines)).split("\n")
    assert len(clean) == len(lines)
    assert clean[:2] == lines[:2] and clean[-2:] == lines[-2:]
    assert set(clean[2:-2]) == {"***"}


def test_half_a_private_key_goes_too() -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    assert redact("\n".join(["a", begin, *body(9)])) == "\n".join(["a", begin, *["***"] * 10])
    assert redact("\n".join([*body(9), end, "def f(): pass"])) == "\n".join([*["***"] * 10, end, "def f(): pass"])
    assert redact(f'KEY = "{begin}\\n{made(200)}\\n{end}"') == f'KEY = "{begin}***{end}"'
    code = f"{begin}\n\nelse\n{end}\nreturn readAll(file);"
    assert redact(code) == code


PIECES = st.sampled_from(
    [*TOKENS.values(), "password", "=", ":", '"', "'", " ", "\n", "secret", "-----BEGIN PRIVATE KEY-----", "://", "@"]
    + [
        "-----END PRIVATE KEY-----",
        "DB_PASSWORD=",
        "token",
        made(64),
        "x1",
        "***",
        "Authorization: Bearer ",
        "eyJ",
        "sk-",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=30).map("".join)


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_lines_stay_and_a_second_pass_finds_nothing(text: str) -> None:
    clean = redact(text)
    assert isinstance(clean, Clean) and not isinstance(clean[1:], Clean)
    assert clean.count("\n") == text.count("\n")
    found: Counter[str] = Counter()
    assert redact(str(clean), found) == clean == redact(text)
    assert not found


@given(TEXTS, st.sampled_from(sorted(TOKENS)))
@settings(max_examples=200, deadline=None)
def test_a_token_on_a_line_of_its_own_goes_whatever_stands_around_it(text: str, name: str) -> None:
    assert TOKENS[name] not in redact(f"{text}\n{TOKENS[name]}\n{text}").split("\n")


@pytest.mark.parametrize(
    "unit",
    [
        "-",
        "a",
        "A",
        "A1",
        "/",
        "://",
        "password",
        "PASSWORD",
        "password=",
        'token="',
        "a.b-",
        "eyJ",
        "eyJaaaaaaaa.",
        " \t",
    ]
    + [
        "-----BEGIN PRIVATE KEY-----\n",
        f"{'A' * 64}\n",
        "sk-",
        "Authorization: ",
        "_PASSWORD",
        "key-",
        "a:b@",
        "ab://a:b@",
        "?key=a1",
        "--password=",
        "<password>",
        "SECRET_KEY=",
        '\\n+"',
    ],
)
def test_no_text_takes_long(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    started = time.perf_counter()
    redact(text)
    redact(text + "\n-----END RSA PRIVATE KEY-----")
    redact(re.sub(r"(.{80})", r"\1\n", text) + '\npassword = "x')
    assert time.perf_counter() - started < 3
