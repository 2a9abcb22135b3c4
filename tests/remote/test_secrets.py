"""Tests of which secrets are removed from texts before they are sent, and what is kept."""

from __future__ import annotations

import random
import re
import string
import time
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ragit.remote.secrets import Clean, redact

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def random_token(length: int, letters: str = LETTERS, seed: int = 1) -> str:
    """Return a generated token with letters of each kind; generated here, so that no scanner finds
    it.
    """
    chosen = random.Random(seed).choices(letters, k=length - 3)
    return "".join([letters[0], letters[-1], letters[len(letters) // 2], *chosen])


TOKENS = {
    "AWS": "AKIA" + random_token(16, string.ascii_uppercase + "234567"),
    "GitHub": "ghp_" + random_token(36),
    "GitHub fine": "github_pat_" + random_token(22) + "_" + random_token(59),
    "GitLab": "glpat-" + random_token(20),
    "OpenAI": "sk-proj-" + random_token(48) + "T3BlbkFJ" + random_token(48),
    "Anthropic": "sk-ant-api03-" + random_token(93) + "AA",
    "Groq": "gsk_" + random_token(52),
    "NVIDIA": "nvapi-" + random_token(64),
    "Voyage": "pa-" + random_token(43),
    "Jina": "jina_" + random_token(58),
    "Hugging Face": "hf_" + random_token(34, string.ascii_letters),
    "Google": "AIza" + random_token(35),
    "Slack": "xoxb-" + random_token(12, string.digits) + "-" + random_token(24),
    "Stripe": "sk_live_" + random_token(24),
    "npm": "npm_" + random_token(36),
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + random_token(70),
    "SendGrid": "SG." + random_token(22) + "." + random_token(43),
    "Twilio": "SK" + random_token(32, HEX),
    "Telegram": random_token(9, "123456789") + ":AA" + random_token(33),
    "DigitalOcean": "dop_v1_" + random_token(64, HEX),
    "Databricks": "dapi" + random_token(32, HEX),
    "Vault": "hvs." + random_token(90),
    "Azure": "AccountKey=" + random_token(86) + "==",
    "Azure storage": random_token(76) + "+ASt" + random_token(6) + "==",
    "Azure event hub": random_token(33) + "+AEh" + random_token(6) + "=",
    "Azure search": random_token(42) + "AzSeA" + random_token(5),
    "Azure function": random_token(44) + "AzFu" + random_token(5) + "Q==",
    "Square": "EAAAE" + random_token(59),
    "Azure DevOps": random_token(76) + "AZDO" + random_token(4),
    "Azure's newer": random_token(52) + "JQQJ99" + random_token(26),
    "Bedrock": "ABSK" + random_token(128),
    "Google AI": "AQ.Ab" + random_token(48),
    "Google refresh": "1//0" + random_token(60),
    "Discord": f"{'MTIz' * 6}NA.{random_token(6)}.{random_token(38)}",
    "GitLab feature flags": "glffct-" + random_token(20),
    "GitLab runner": "GR1348941" + random_token(20),
    "Bitbucket": "ATBB" + random_token(32),
    "crates.io": "cio" + random_token(32),
    "Docker organisation": "dckr_oat_" + random_token(32),
    "CircleCI": "CCIPAT_" + random_token(22) + "_" + random_token(40, HEX),
    "Sonar": "squ_" + random_token(40, HEX),
    "Tailscale": "tskey-auth-" + random_token(40),
    "Pulumi": "pul-" + random_token(40, HEX),
    "1Password": "ops_eyJ" + random_token(250),
    "Heroku": "HRKU-" + random_token(58),
    "Brevo": "xkeysib-" + random_token(64, HEX) + "-" + random_token(16),
    "Resend": "re_" + random_token(8) + "_" + random_token(24),
    "Airtable": "pat" + random_token(14) + "." + random_token(64, HEX),
    "Figma": "figd_" + random_token(40),
    "Facebook": "EAA" + random_token(180),
    "Braintree": "access_token$production$" + random_token(16, HEX) + "$" + random_token(32, HEX),
    "Mapbox": "sk.eyJ" + random_token(80) + "." + random_token(22),
    "ElevenLabs": "sk_" + random_token(48, HEX),
    "bcrypt": "$2b$12$" + random_token(53),
    "crypt": "$6$rounds=5000$" + random_token(16) + "$" + random_token(86),
    "yescrypt": "$y$j9T$" + random_token(22) + "$" + random_token(43),
    "argon2": "$argon2id$v=19$m=65536,t=3,p=4$" + random_token(22) + "$" + random_token(43),
    "Django's": "pbkdf2_sha256$600000$" + random_token(22) + "$" + random_token(43) + "=",
    "PostgreSQL's": f"SCRAM-SHA-256$4096:{random_token(22)}==${random_token(43)}=:{random_token(43)}=",
    "phpass": "$P$" + random_token(31),
    "LDAP": "{SSHA}" + random_token(32),
    "JWT": f"eyJ{random_token(30)}.eyJ{random_token(60)}.{random_token(43)}",
}


FORMS = ['x = "{}"', "curl -H 'Authorization: Bearer {}'", "{}", "# see {}, he said", "a({})"]


@pytest.mark.parametrize("name", TOKENS)
def test_token_is_removed_in_any_position(name: str) -> None:
    for form in FORMS:
        found: Counter[str] = Counter()
        clean = redact(form.format(TOKENS[name]), found)
        assert random_token(9)[3:] not in clean and "***" in clean, form
        assert found.total() == 1, form


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
        (f"https://{random_token(40)}@github.com/a/b", "https://***@github.com/a/b"),
        (
            f"https://h/x?v=1&access_token={random_token(40)}&y=2",
            "https://h/x?v=1&access_token=***&y=2",
        ),
        (
            f"https://discord.com/api/webhooks/123456789/{random_token(68)}",
            "https://discord.com/api/webhooks/123456789/***",
        ),
        ('{"auths": {"h": {"auth": "dXNlcjpTM2NyZXRQdzk5"}}}', '{"auths": {"h": {"auth": "***"}}}'),
        ("      - POSTGRES_PASSWORD=S3cretPw99", "      - POSTGRES_PASSWORD=***"),
        ('DB_PASSWORD="four words and spaces"', 'DB_PASSWORD="***"'),
        (f"SECRET_KEY_BASE={random_token(64, HEX)}", "SECRET_KEY_BASE=***"),
        (f"STRIPE_KEY={random_token(40)}", "STRIPE_KEY=***"),
        (f'const apiKey: string = "{random_token(32)}"', 'const apiKey: string = "***"'),
        ("define('DB_PASSWORD', 'S3cretPw99');", "define('DB_PASSWORD', '***');"),
        ("password: S3cretPw99", "password: ***"),
        ("tool --password=S3cretPw99 --port 1", "tool --password=*** --port 1"),
        ("Server=h;User Id=sa;Password=S3cretPw99;", "Server=h;User Id=sa;Password=***;"),
        ("<password>S3cretPw99</password>", "<password>***</password>"),
        ('<add key="DbPassword" value="S3cretPw99"/>', '<add key="DbPassword" value="***"/>'),
        ("curl -u jane:correcthorse https://h/", "curl -u jane:*** https://h/"),
        ('curl -X POST --user "jane:correct-horse" h', 'curl -X POST --user "jane:***" h'),
        ("machine h.org login jane password correcthorse", "machine h.org login jane password ***"),
        (
            "machine h\n  login jane\n  password hunter2\n",
            "machine h\n  login jane\n  password ***\n",
        ),
        ('machine h login jane password "two words"', "machine h login jane password ***"),
        (f"curl -H 'X-Api-Key: {random_token(32)}' h", "curl -H 'X-Api-Key: ***' h"),
        (f"Authorization: {random_token(40)}", "Authorization: ***"),
        (f"authorization: ApiKey {random_token(40)}", "authorization: ApiKey ***"),
        (f"send('Bearer {random_token(40)}')", "send('Bearer ***')"),
        (
            "jdbc:mysql://h/db?user=u&password=S3cretPw99&x=y",
            "jdbc:mysql://h/db?user=u&password=***&x=y",
        ),
        (
            "kubectl create x --from-literal=password=S3cretPw9",
            "kubectl create x --from-literal=password=***",
        ),
        ("helm install --set db.password=S3cretPw99 x", "helm install --set db.password=*** x"),
        ("docker login -u me -p S3cretPw99 h", "docker login -u me -p *** h"),
        ("ldapsearch -D cn=admin -w S3cretPw99 -b x", "ldapsearch -D cn=admin -w *** -b x"),
        ("DB_PASS=S3cretPw99", "DB_PASS=***"),
        ("ansible_become_pass: S3cretPw99", "ansible_become_pass: ***"),
        ("'pass' => 'S3cretPw99',", "'pass' => '***',"),
        ("<entry key='password'>S3cretPw99</entry>", "<entry key='password'>***</entry>"),
        ('#define DB_PASSWORD "S3cretPw99"', '#define DB_PASSWORD "***"'),
        ('config.setPassword("S3cretPw99")', 'config.setPassword("***")'),
        ('let password: &str = "S3cretPw99";', 'let password: &str = "***";'),
        ('char password[] = "S3cretPw99";', 'char password[] = "***";'),
        ("password = b'S3cretPw99'", "password = b'***'"),
        (
            'f("machine h login jane password horse1\\n")',
            'f("machine h login jane password ***\\n")',
        ),
        ("default login anonymous password jane@h.org", "default login anonymous password ***"),
        ("db.h.org:5432:app:jane:correcthorse", "db.h.org:5432:app:jane:***"),
        ("*:*:*:jane:correct\\:horse", "*:*:*:jane:***"),
        ("mysql -h db -u root -pcorrecthorse app", "mysql -h db -u root -p*** app"),
        ("mysqldump -uroot -p'S3cret' app > x", "mysqldump -uroot -p'***' app > x"),
        ("sshpass -p correcthorse ssh h", "sshpass -p *** ssh h"),
        ("redis-cli -h db -a correcthorse ping", "redis-cli -h db -a *** ping"),
        (
            "CREATE USER jane IDENTIFIED BY 'correct horse';",
            "CREATE USER jane IDENTIFIED BY '***';",
        ),
        (
            "alter user 'jane'@'%' identified with mysql_native_password by 'x1'",
            "alter user 'jane'@'%' identified with mysql_native_password by '***'",
        ),
        (
            "CREATE ROLE jane LOGIN PASSWORD 'correct horse';",
            "CREATE ROLE jane LOGIN PASSWORD '***';",
        ),
        (
            "SET PASSWORD FOR 'jane' = PASSWORD('horse');",
            "SET PASSWORD FOR 'jane' = PASSWORD('***');",
        ),
        ("ENV DB_PASSWORD correcthorse", "ENV DB_PASSWORD ***"),
        ("  setenv API_TOKEN 'x7Yz'", "  setenv API_TOKEN '***'"),
        (
            "docker run -e POSTGRES_PASSWORD=S3cretPw postgres",
            "docker run -e POSTGRES_PASSWORD=*** postgres",
        ),
        ("ENV A=1 DB_PASSWORD=S3cretPw B=2", "ENV A=1 DB_PASSWORD=*** B=2"),
        ("PGPASSWORD=S3cretPw psql -h db", "PGPASSWORD=*** psql -h db"),
        ("- name: DB_PASSWORD\n  value: S3cretPw", "- name: DB_PASSWORD\n  value: ***"),
        (
            f"aws configure set aws_secret_access_key {random_token(40)}",
            "aws configure set aws_secret_access_key ***",
        ),
        (f"aws_session_token = {random_token(900)}", "aws_session_token = ***"),
        (
            f'{{"kty": "EC", "x": "{random_token(43)}", "d": "{random_token(43)}"}}',
            f'{{"kty": "EC", "x": "{random_token(43)}", "d": "***"}}',
        ),
        (f'  "dp":"{random_token(171)}",', '  "dp":"***",'),
        (f'{{"kty":"oct","k":"{random_token(22)}"}}', '{"kty":"oct","k":"***"}'),
        (f"{{ kty: 'OKP', d: '{random_token(43)}' }}", "{ kty: 'OKP', d: '***' }"),
        (f"<RSAKeyValue><D>{random_token(172)}</D>", "<RSAKeyValue><D>***</D>"),
        (
            f"https://hooks.slack.com/triggers/{random_token(40)}",
            "https://hooks.slack.com/triggers/***",
        ),
        # characters that references contain, too
        ('String DB_PASSWORD = "Kj8#mP2$vL9q";', 'String DB_PASSWORD = "***";'),
        ('password: "Xy7*kLm<9a"', 'password: "***"'),
        ("SMTP_PASSWORD=ab$cd9xY!", "SMTP_PASSWORD=***"),
        (
            f"SECRET_KEY = 'django-insecure-x$(8{random_token(40, LETTERS + '*^&%=(')}'",
            "SECRET_KEY = '***'",
        ),
        # recognised by form, or by the call
        (f"APP_KEY=base64:{random_token(43)}=", "APP_KEY=base64:***"),
        (
            f"'key' => env('APP_KEY', 'base64:{random_token(43)}=')",
            "'key' => env('APP_KEY', 'base64:***')",
        ),
        (f'config.secret_key_base = "{random_token(64, HEX)}"', 'config.secret_key_base = "***"'),
        (
            "define('AUTH_KEY',   'p)zN k8;cL|6j#5IXAAj]ls&HUq<`%JoUD');",
            "define('AUTH_KEY',   '***');",
        ),
        (f"PresharedKey = {random_token(43)}=", "PresharedKey = ***"),
        ("//r/:_password=bnBtUHcxMjM0NQ==", "//r/:_password=***"),
        (
            'proxy_set_header Authorization "Basic d2ViOlB3MTIzNDU2";',
            'proxy_set_header Authorization "Basic ***";',
        ),
        (
            'DriverManager.getConnection(URL, "sa", "P4ssw0rd!x")',
            'DriverManager.getConnection(URL, "sa", "***")',
        ),
        (
            "new PDO('mysql:host=h', 'root', 'r00tPDOpass9')",
            "new PDO('mysql:host=h', 'root', '***')",
        ),
        ('req.SetBasicAuth("jane", "Hq72mz!kLp")', 'req.SetBasicAuth("jane", "***")'),
        ('.basic_auth("jane", Some("rUst4ever"))', '.basic_auth("jane", Some("***"))'),
        ('let password = String::from("rUst4ever");', 'let password = String::from("***");'),
        (
            'ConvertTo-SecureString "horse" -AsPlainText',
            'ConvertTo-SecureString "***" -AsPlainText',
        ),
        # a password that contains a separator
        (
            '"jdbc:mysql://db/app?user=a&password=)gi(*xmj7(%l(+yc18y5%r25v)t-%a+&a=$*4$0l&ssl=no"',
            '"jdbc:mysql://db/app?user=a&password=***&ssl=no"',
        ),
        (
            '"Server=db;User Id=sa;Password=4d(rg3ne+m%-@6!&aowo2lv8sah=zm&@$7e8=$t1cqi;Encrypt=no"',
            '"Server=db;User Id=sa;Password=***;Encrypt=no"',
        ),
        (
            'connect("host=db user=app password=u8yac9&@0=m1a@=^_m96o&w8ms=q4&p2aiw4y dbname=app")',
            'connect("host=db user=app password=*** dbname=app")',
        ),
        (
            "postgres://app:n!ss7f(3*h%25t=at28my7$mr&5l-&2=q*$80_!d9wjc-3d=32e7@db:5432/app",
            "postgres://app:***@db:5432/app",
        ),
        (
            r"""["password = \"x}m(YZaA+s]aK\\\"s;Nf)1\"\n"]""",
            r"""["password = \"***\"\n"]""",
        ),
        ("sqlplus system/@4as8sa-d1lu5e2d4ccu^a=376b@cq%2^d@db", "sqlplus system/***@db"),
        ("'password' => '5<7/h0yD{7Rtvw]m{(.>',", "'password' => '***',"),
        ("echo pxAr%dfMcaz@ | sudo -S true", "echo *** | sudo -S true"),
    ],
)
def test_value_of_a_secret_name_is_removed(text: str, clean: str) -> None:
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
        'TOKEN = "abc1def"',
        "bypass = 'v1beta2x'",
        "assert pass1 == 'S3cretPw99'",
        "the bearer of bad news about tokens",
        "Authorization: Bearer",
        'withToken("utf8mb4")',
        "docker login -u me --password-stdin h",
        'clientSecret = "provider1-secret"',
        "'password' => '--password='.$connection['password'],",
        "final fun <set-password>(kotlin/String?) // io.ktor.http/URLBuilder.password.<set-password>",
        'write("machine h login user password pass\\n")',
        'token = "utf8mb4"',
        'apiKey = "v1alpha1"',
        "secret: 'secp256k1'",
        'accessKey = "sha256-rsa"',
        "http://localhost:8080@foo",
        "https://api.example.org:443@foo",
        "curl -u user:password https://h/",
        "curl -u $USER:$PASSWORD https://h/",
        "docker run -u 1000:1000 curlimages/curl",
        "mysql -P 3306 -password-file x",
        "mysql --protocol=tcp -p app",
        "the machine uses the login form and the password field",
        "one conflict identified by 'id', omitting the others",
        "IDENTIFIED BY '${PASSWORD}'",
        "CREATE ROLE x LOGIN PASSWORD '%s'",
        "the user sees the password 'field'",
        "src/main.c:5432:12:note:expanded",
        "ENV PASSWORD_FILE /run/secrets/db",
        "ENV DB_PASSWORD $PASSWORD",
        '{"d": "M10 20h30v40z", "k": "value"}',
        '<path d="M12-5h24v13H0V0h12c5-1"/>',
        "cost is $1$ and $6$ each, $2a$ is no hash",
        "TOKEN=abc run",
        f"data:image/png;base64,{random_token(90, LETTERS + '+/')}EAAA{random_token(90)}AzSeA{random_token(30)}+AEh{random_token(60)}ACDb{random_token(20)}==",
        "org.apache.kafka.common.security.oauthbearer.internals.secured.AccessTokenValidatorFactory",
        "MTIzNDU2Nzg5MDEyMzQ1Njc4.not.atoken",
        'password = "Prefix1${NAME}"',
        'password = "User1%sName"',
        "token = '[A-Z]{2}[a-z0-9]+*'",
        'token = "(?P<Word1>x)"',
        'secret: "{{ Vault1.path }}"',
        'password = "<Your1Password>"',
        "API_KEY=Abc1$(date)",
        'getConnection(url, "user", "password")',
        "SetBasicAuth(user, name1)",
        "the authorization 'basic schemes' are old",
        'password = Some("password")',
        "https://example.org/?password={password}&user={user}",
        'password = "^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]){8,}$"',
        "PASSWORD=User%s",
    ],
)
def test_code_is_kept(text: str) -> None:
    found: Counter[str] = Counter()
    assert redact(text, found) == text
    assert not found


def body(lines: int) -> list[str]:
    return [random_token(64, LETTERS + "+/", seed) for seed in range(lines)] + [
        random_token(20) + "=="
    ]


@pytest.mark.parametrize("kind", ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""])
@pytest.mark.parametrize("form", ["{}", ' + "{}\\n"', "    {}", " * {}", "{}\r"])
def test_private_key_is_removed_and_its_lines_are_kept(kind: str, form: str) -> None:
    marks = (f"-----BEGIN {kind}PRIVATE KEY-----", f"-----END {kind}PRIVATE KEY-----")
    lines = ["before", *map(form.format, (marks[0], *body(9), marks[1])), "after"]
    clean = redact("\n".join(lines)).split("\n")
    assert len(clean) == len(lines)
    assert clean[:2] == lines[:2] and clean[-2:] == lines[-2:]
    assert set(clean[2:-2]) == {"***"}


def test_half_a_private_key_is_removed() -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    assert redact("\n".join(["a", begin, *body(9)])) == "\n".join(["a", begin, *["***"] * 10])
    assert redact("\n".join([*body(9), end, "def f(): pass"])) == "\n".join(
        [*["***"] * 10, end, "def f(): pass"]
    )
    assert redact(f'KEY = "{begin}\\n{random_token(200)}\\n{end}"') == f'KEY = "{begin}***{end}"'
    code = f"{begin}\n\nelse\n{end}\nreturn readAll(file);"
    assert redact(code) == code


PIECES = st.sampled_from(
    [
        *TOKENS.values(),
        "password",
        "=",
        ":",
        '"',
        "'",
        " ",
        "\n",
        "secret",
        "-----BEGIN PRIVATE KEY-----",
        "://",
        "@",
    ]
    + [
        "-----END PRIVATE KEY-----",
        "DB_PASSWORD=",
        "token",
        random_token(64),
        "x1",
        "***",
        "Authorization: Bearer ",
        "eyJ",
        "sk-",
    ]
    + [
        *(
            "sunny",
            "Cookie: sid=",
            "kind: Secret\n",
            "data:\n  a: ",
            "stringData:\n  b: ",
            "|\n    ",
            "user,password\n",
            ",",
        )
    ]
    + [
        *(
            "| password |\n",
            "|",
            "INSERT INTO a (password) VALUES (",
            "auth=(",
            ")",
            " -p",
            "default=",
            "||",
            "${",
            "}",
            "{",
        )
    ]
    + [
        *(
            "password: ",
            "db_pass = ",
            "</",
            "<password>",
            "IDENTIFIED BY ",
            "echo ",
            " | chpasswd",
            "-u a:",
            "curl ",
            "[a]\n",
        )
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=30).map("".join)


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_redaction_keeps_the_line_count_and_is_idempotent(text: str) -> None:
    clean = redact(text)
    assert isinstance(clean, Clean) and not isinstance(clean[1:], Clean)
    assert clean.count("\n") == text.count("\n")
    found: Counter[str] = Counter()
    assert redact(str(clean), found) == clean == redact(text)
    assert not found


@given(TEXTS, st.sampled_from(sorted(TOKENS)))
@settings(max_examples=200, deadline=None)
def test_token_on_its_own_line_is_removed_in_any_context(text: str, name: str) -> None:
    assert TOKENS[name] not in redact(f"{text}\n{TOKENS[name]}\n{text}").split("\n")


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_redaction_keeps_the_other_text_in_order(text: str) -> None:
    assume("*" not in text)
    at = 0
    for part in redact(text).replace("***", "\n").split("\n"):
        at = text.index(part, at) + len(part)


@given(st.lists(st.text("abcdefgh .,;()[]{}\n_ABC", max_size=19), max_size=40))
@settings(max_examples=300, deadline=None)
def test_words_without_digit_or_cue_are_kept(words: list[str]) -> None:
    text = " ".join(words)
    assert redact(text) == text


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
        "curl -u a:",
        "curl -u ",
        "mysql -",
        "mysql a ",
        "machine a login b password ",
        "machine ",
        "login ",
        "IDENTIFIED BY ",
        "create user ",
        "user PASSWORD (",
        "ENV PASSWORD ",
        "name: password\nvalue:",
        '"d":"',
        "$6$",
        "$y$a$",
        "MTIz",
        "MTIz.",
        "LS0tLS1CRUdJTi",
        "<D>",
        "a:5432:b:c:",
        "+ASt",
        "A1+",
        "pbkdf2_sha256$1$",
        "--password=",
        "<password>",
        "SECRET_KEY=",
        '\\n+"',
        "getConnection(a,",
        "mysqli(a",
        "basic_auth(a",
        'password = "A1$',
        'password = "A1{',
        'password = "A1<',
        "'AUTH_KEY', '",
        ":_password=a",
        "authorization '",
    ]
    + [
        "Cookie: a=",
        "cookies = {'a', ",
        "cookies={",
        "Set-Cookie: a=b; ",
        "a\t/\t",
        "JSESSIONID=",
        '"name": "sid", "value": ',
    ]
    + [
        "a,password\n",
        "password,",
        "| password |\n",
        "a,password\nb\n",
        "insert into a (password) values (",
        "('a', ",
        "''",
    ]
    + [
        "data:\n",
        "kind: Secret\n",
        "stringData:\n  a: b\n",
        "  data:\n   data:\n",
        "  a: |\n    b\n",
        '"data": {"a": "',
    ]
    + [
        "password: a\n",
        "password: \n",
        "  password = ab\n",
        "[a]\npassword = b\n",
        "pass: ab\n# x\n",
        "password=\n",
    ]
    + [
        "auth=('a', ",
        "uth(",
        "Credentials(a,",
        ".login(a",
        "jwt.sign(a",
        "HMAC256(",
        "put('password', ",
        "set_a('password",
    ]
    + [
        "'password', default",
        'password" {',
        "${PASSWORD:-",
        "password or ",
        "PASSWORD || ",
        "host=a password ",
        "user=a,",
    ]
    + [
        "<password a",
        "password</key>",
        "<value>",
        'name="password',
        "password is ",
        "password  ",
        "pass = 'a b c d ",
    ]
    + [
        "password: &'static ",
        "password: a|",
        '\\"password\\": \\"',
        "rootpw ",
        "auth-pass a ",
        "username a password 0 ",
    ]
    + [
        "--password ",
        "echo a | ",
        "printf a|",
        "htpasswd -b a ",
        "-storepass ",
        "mount pass=",
        "user a\npassword ",
        "zip -",
    ]
    + [
        "IDENTIFIED BY ",
        "mongo -",
        "docker login ",
        "sqlcmd -U ",
        "smbclient -U a",
        "plink ",
        "openssl enc -",
        "https -a a",
    ]
    + [
        f'password = "{12 * word}!"\n'
        for word in ("password", "plaintext", "testpw", "userkey", "pass_")
    ]
    + [
        "sqlplus a",
        "sudo -S",
        "--from-literal=a=",
        "a:b@tcp",
        "psk=a",
        "ansible_pass=",
        "/pass:a ",
        "-Da.password",
    ],
)
@pytest.mark.parametrize(
    ("size", "max_seconds"), [(10_000, 0.625), pytest.param(20_000, 2.5, marks=pytest.mark.slow)]
)
def test_redaction_time_is_bounded(unit: str, size: int, max_seconds: float) -> None:
    """Limits are seconds of processor time. Quadratic work takes two for each pass over 20,000
    letters, and a quarter of that for half as many.
    """
    text = unit * (size // len(unit))
    started = time.process_time()
    redact(text)
    redact(text + "\n-----END RSA PRIVATE KEY-----")
    redact(re.sub(r"(.{80})", r"\1\n", text) + '\npassword = "x')
    redact(
        "insert into users (password) values ('" + text + "\n\nkind: Secret\ndata:\n  a: " + text
    )
    assert time.process_time() - started < max_seconds
