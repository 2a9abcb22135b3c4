"""Tests of secrets recognised by a call, a file or a service: only secrets are removed."""

from __future__ import annotations

import random
import string

import pytest

from ragit.remote.secrets import redact

LETTERS = string.ascii_letters + string.digits


def random_text(alphabet: str, length: int, seed: int) -> str:
    return "".join(random.Random(f"{alphabet}{length}{seed}").choices(alphabet, k=length))


def secret_values(seed: int) -> dict[str, str]:
    """Return values by the letter that stands for them in the forms below."""
    signs = "!#$%&*+,-.:;=?@^_|~ ()<>"
    words = [
        "".join(random.Random(seed * 99 + n).choices("abcdeilmnorstu", k=4 + n % 4))
        for n in range(12)
    ]
    numbers = random.Random(seed).choices(range(256), k=16)
    return {
        "§hex32§": random_text("0123456789abcdef", 32, seed),
        "§hex37§": random_text("0123456789abcdef", 37, seed),
        "§hex40§": random_text("0123456789abcdef", 40, seed),
        "§hex48§": random_text("0123456789ABCDEF", 48, seed),
        "§hex64§": random_text("0123456789abcdef", 64, seed),
        "§fernet§": random_text(LETTERS + "-_", 43, seed) + "=",
        "§an16§": random_text(LETTERS, 16, seed),
        "§an24§": random_text(LETTERS, 24, seed),
        "§an36§": random_text(LETTERS, 36, seed),
        "§an140§": random_text(LETTERS + "-_", 140, seed),
        "§b32§": random_text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32, seed),
        "§salt§": random_text(LETTERS + signs, 64, seed).strip().ljust(64, "x"),
        "§pw§": random_text(LETTERS + "!@#%^*_+", 18, seed),
        "§words§": " ".join(words),
        "§bytes§": ", ".join(f"0x{n:02x}" for n in numbers),
        "§numbers§": ", ".join(map(str, numbers)),
        "§escaped§": "".join(f"\\x{n:02x}" for n in numbers),
    }


FORMS = {
    "twilio, ruby": "@client = Twilio::REST::Client.new(account_sid, '§hex32§')\n",
    "algolia, php": "$client = SearchClient::create('YQ1ABCDEFG', '§hex32§');\n",
    "mnemonic, wallet": "const provider = new HDWalletProvider('§words§', url)\n",
    "a file of one word": "§an24§\n",
    "postman, secret": '{"key": "x", "value": "§an36§", "type": "secret"}\n',
    "sql, token": "INSERT INTO users (id, remember_token) VALUES (1, '§an36§'), (2, '§an24§');\n",
    "sql, copy": "COPY public.users (id, api_token) FROM stdin;\n1\t§an36§\n2\t§an24§\n\\.\n",
    "totp, node": "const code = authenticator.generate('§b32§')\n",
    "aes, hex in a call": 'cipher = AES.new(bytes.fromhex("§hex64§"), AES.MODE_GCM)\n',
    "comment, letters": "# password: §an16§\n",
    "comment, two words": "# api key: §an36§\n",
    "twilio": 'client = Client(account_sid, "§hex32§")\n',
    "twilio, node": "const client = require('twilio')(accountSid, '§hex32§');\n",
    "gcp": '{\n  "type": "service_account",\n  "private_key_id": "§hex40§",\n',
    "cloudflare": 'curl -H "X-Auth-Email: me@example.org" -H "X-Auth-Key: §hex37§"\n',
    "header": 'headers["X-Auth-Token"] = "§an36§"\n',
    "algolia": 'const client = algoliasearch("YQ1ABCDEFG", "§hex32§");\n',
    "new relic": "license_key: '§an36§NRAL'\n",
    "firebase": 'key = "AAAAabc-123:APA91b§an140§"\n',
    "machine key": '<machineKey validationKey="§hex64§" decryptionKey="§hex48§" validation="SHA1" />\n',
    "fernet": 'f = Fernet(b"§fernet§")\n',
    "ethereum": 'const wallet = new ethers.Wallet("0x§hex64§", provider);\n',
    "ethereum, accounts": 'goerli: { url: URL, accounts: ["0x§hex64§"] },\n',
    "ethereum, environment": "PRIVATE_KEY=§hex64§\n",
    "ethereum, command": "cast send --private-key 0x§hex64§ --rpc-url x\n",
    "mnemonic": 'mnemonic: "§words§",\n',
    "mnemonic, environment": "MNEMONIC=§words§\n",
    "master.key": "§hex32§",
    "master.key, line": "§hex32§\n",
    "wordpress": "define('SECURE_AUTH_SALT', '§salt§');\n",
    "wordpress, key": "define( 'NONCE_KEY',        '§salt§' );\n",
    "postman": '{"key": "api_token", "value": "§an36§", "enabled": true}\n',
    "postman, type": '{"key": "db_password", "type": "secret", "value": "§pw§"}\n',
    "sql": "INSERT INTO users (id, name, api_token) VALUES (1, 'ann', '§an36§');\n",
    "sql, key": "INSERT INTO apps (name, secret_key) VALUES ('a', '§an36§'), ('b', '§an24§');\n",
    "cloud-init": "chpasswd:\n  expire: false\n  list: |\n    root:§pw§\n    ann:§pw§\n",
    "cloud-init, users": "users:\n  - name: ann\n    plain_text_passwd: §pw§\n",
    "cloud-init, inline": "chpasswd:\n  users:\n    - {name: root, password: §an16§, type: text}\n",
    "snmp": "rocommunity §an16§ 10.0.0.0/8\n",
    "snmp, router": "snmp-server community §an16§ RO\n",
    "ipsec": '%any %any : PSK "§pw§"\n',
    "ipsec, bare": "10.0.0.1 10.0.0.2 : PSK §an24§\n",
    "oracle": 'url = "jdbc:oracle:thin:scott/§an16§@db.example.org:1521/orcl"\n',
    "totp": 'totp = pyotp.TOTP("§b32§")\n',
    "totp, name": "ADMIN_TOTP_SECRET=§b32§\n",
    "totp, address": "otpauth://totp/Example:ann?secret=§b32§&issuer=Example\n",
    "aes, call": 'cipher = AES.new(b"§an16§", AES.MODE_CBC, iv)\n',
    "aes, java": 'new SecretKeySpec("§an16§".getBytes(), "AES");\n',
    "aes, node": "crypto.createCipheriv('aes-256-cbc', '§hex32§', iv);\n",
    "aes, hex": 'aes_key = bytes.fromhex("§hex64§")\n',
    "aes, name": 'ENCRYPTION_KEY = "§hex64§"\n',
    "aes, bytes": "static const uint8_t aes_key[16] = { §bytes§ };\n",
    "aes, go": "var encryptionKey = []byte{§bytes§}\n",
    "aes, numbers": "byte[] secretKey = new byte[] { §numbers§ };\n",
    "aes, escaped": 'SECRET_KEY = b"§escaped§"\n',
    "service": 'datadog_api = "§hex32§"\n',
    "service, quoted": "'fastly': '§an36§',\n",
    "comment": "# password: §pw§\n",
    "comment, java": "// admin password: §pw§\n",
    "comment, block": " * API token: §an36§\n",
    "comment, sql": "-- db password is §pw§\n",
    "comment, html": "<!-- password: §pw§ -->\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_secret_recognised_by_its_context_is_removed(form: str) -> None:
    for seed in range(8):
        assert_removed(form, seed)


def assert_removed(form: str, seed: int) -> None:
    values = {name: value for name, value in secret_values(seed).items() if name in FORMS[form]}
    text = FORMS[form]
    for name, value in values.items():
        text = text.replace(name, value)
    clean = redact(text)
    for value in values.values():
        assert not [at for at in range(len(value) - 7) if value[at : at + 8] in clean], clean
    assert clean.count("\n") == text.count("\n") and redact(str(clean)) == clean


@pytest.mark.parametrize(
    "text",
    [
        "client = Client(host, port)\n",
        "# password: SHA256\n",
        "COPY public.users (id, name) FROM stdin;\n1\tsunshine77\n\\.\n",
        "COPY public.tokens (id, api_token) FROM stdin;\n1\t\\N\n\\.\n",
        '{"key": "x", "value": "{{token}}", "type": "secret"}\n',
        'jdbc:mysql://db/app?user=root&password=${PASSWORD}&useSSL=false"\n',
        'algoliasearch("YQ1ABCDEFG", apiKey);\n',
        "rocommunity public\n",
        "tx = '0x" + "ab12" * 16 + "'\n",
        "sbox = [" + ", ".join(map(str, range(99, 140))) + "]\n",
        "key = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]  # aes test\n",
        'cache_key = "d41d8cd98f00b204e9800998ecf8427e"\n',
        "# password: the user's password\n",
        "// token: Token\n",
        "# password: str\n",
        "# the password: a string of at least eight letters\n",
        "define('AUTH_KEY', 'put your unique phrase here');\n",
        ": PSK %{secret}\n",
        "where is the master key of rails read",
        "seed: int = 0\n",
        "jdbc:oracle:thin:${USER}/${PASS}@db\n",
        "commit 2b7e151628aed2a6abf7158809cf4f3c2b7e1516\n",
        "otpauth://totp/{label}?secret={secret}\n",
    ],
)
def test_lookalike_of_a_secret_is_kept(text: str) -> None:
    assert redact(text) == text
