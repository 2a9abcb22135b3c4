"""Tests of queries in other languages than English."""

from __future__ import annotations

import pytest
from sandbox import GitSandbox
from terminal import Terminal

import ragit
from ragit.embed.options import EmbedderOptions
from ragit.embed.static import StaticEmbedder
from ragit.types import Answer

CODE = """\
class SessionCookieStore:
    def save_cookies(self, session):
        self.backend.write(session.cookies)


def follow_redirect(response, session):
    return session.send(response.location)


def connect_proxy(host, timeout):
    return open_socket(host, timeout)
"""

DOCUMENTS = {
    "docs/zh.md": """# 会话管理

客户端在连接池中保留会话，并在超时后重新建立连接。

# 重定向

服务器返回重定向时，客户端自动跟随。
""",
    "docs/ja.md": """# セッション管理

クライアントはリダイレクトを自動的に処理します。

# 証明書

証明書の検証を無効にできます。
""",
    "docs/ko.md": """# 세션 관리

클라이언트는 리디렉션을 자동으로 처리합니다.
""",
    "docs/de.md": """# Zeitüberschreitung

Nach der Zeitüberschreitung baut der Client die Verbindung neu auf.

# Größe

Die Größe der Antwort ist begrenzt.
""",
    "docs/es.md": """# Redirección

El cliente sigue la redirección automáticamente.

# Autenticación

La contraseña se envía cifrada.
""",
    "docs/ru.md": """# Перенаправление

Клиент следует перенаправлению сам.
""",
}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    """Return English code with documents in six languages."""
    repo = GitSandbox(tmp_path_factory.mktemp("web") / "repo")
    repo.write("src/web.py", CODE)
    repo.write("src/letters.py", "def n(s):\n    e = s\n    return e\n")
    for path, text in DOCUMENTS.items():
        repo.write(path, text)
    repo.commit()
    return repo


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    """Return the code without the documents."""
    repo = GitSandbox(tmp_path_factory.mktemp("english") / "repo")
    repo.write("src/web.py", CODE)
    repo.write("src/letters.py", "def n(s):\n    e = s\n    return e\n")
    repo.commit()
    return repo


def ask(repo: GitSandbox, query: str, **options: object) -> Answer:
    with ragit.open(repo.path) as index:
        return index.search(query, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "path", "line"),
    [
        ("连接池", "docs/zh.md", "连接池"),
        ("服务器重定向", "docs/zh.md", "重定向时"),
        ("証明書の検証", "docs/ja.md", "証明書の検証"),
        ("リダイレクト", "docs/ja.md", "リダイレクト"),
        ("리디렉션 처리", "docs/ko.md", "리디렉션"),
        ("Zeitüberschreitung", "docs/de.md", "Zeitüberschreitung"),
        ("Größe der Antwort", "docs/de.md", "Größe der Antwort"),
        ("contraseña", "docs/es.md", "contraseña"),
        ("redirección automáticamente", "docs/es.md", "redirección"),
        ("перенаправление", "docs/ru.md", "Перенаправление"),
    ],
)
def test_documents_in_any_script_are_found(
    web: GitSandbox, query: str, path: str, line: str
) -> None:
    for mode in ("hybrid", "keyword"):
        first = ask(web, query, mode=mode).hits[0]
        assert first.path == path
        assert line in first.text


@pytest.mark.parametrize(
    ("query", "symbol"),
    [
        ("wie werden Cookies der Session gespeichert", "save_cookies"),
        ("会话 session cookies 持久化", "save_cookies"),
        ("Session のクッキー cookies を保存する", "save_cookies"),
        ("dónde se guardan las cookies de la session", "save_cookies"),
        ("Proxy mit Timeout verbinden", "connect_proxy"),
        ("conectar al proxy con timeout", "connect_proxy"),
        ("跟随 redirect", "follow_redirect"),
    ],
)
def test_code_with_shared_words_is_found(english: GitSandbox, query: str, symbol: str) -> None:
    answer = ask(english, query)
    assert symbol in answer.hits[0].symbol.split()
    assert answer.degraded == ""


@pytest.mark.parametrize(
    "query", ["cómo se maneja la señalización", "wie wird der Größenüberschreitung vorgebeugt"]
)
def test_stop_words_of_other_languages_match_nothing(repo: GitSandbox, query: str) -> None:
    """`la`, `se`, `der` and `wird` occur in no code, unless one of them stands alone."""
    repo.write("AUTHORS.txt", "la Rosa\nde la Cruz\nder Maler\nes wird\nse va\n")
    repo.write("src/des.py", "def des(key):\n    return key\n")
    repo.commit()
    assert all(hit.terms == () for hit in ask(repo, query).hits)
    assert ask(repo, query, mode="keyword").hits == ()
    assert ask(repo, "how does des get its key").hits[0].symbol == "des"
    assert ask(repo, "la").hits[0].terms == ("la",)


BY_LETTERS = (
    "no file holds a word of the query, and the model knows none: these are guesses by letters"
)
NOTHING = (
    "no file holds a word of the query, and none is near in meaning (--guess shows the nearest)"
)
BY_MEANING = "no file holds a word of the query: ranked by meaning alone"
BY_WORDS = "the model knows no word of the query: ranked by its words and letters alone"


@pytest.mark.parametrize(
    "query", ["Größenüberschreitungsprüfung", "señalización", "魑魅魍魉", "qzxqvjk"]
)
def test_query_without_known_words_is_noted(english: GitSandbox, query: str) -> None:
    """No single letter of its word matches a variable."""
    answer = ask(english, query)
    assert (answer.hits, answer.degraded, answer.notes) == ((), "", (NOTHING,))
    guess = ask(english, query, guess=True)
    assert guess.degraded == BY_LETTERS
    assert all(hit.terms == () for hit in guess.hits)
    assert ask(english, query, mode="keyword").hits == ()


def test_unmatched_word_is_ranked_by_meaning(english: GitSandbox) -> None:
    assert ask(english, "authentication login").degraded == BY_MEANING


def test_word_unknown_to_the_model_is_found_by_keyword(web: GitSandbox) -> None:
    answer = ask(web, "Zeitüberschreitung")
    assert answer.hits[0].path == "docs/de.md"
    assert answer.degraded == BY_WORDS


def test_invented_name_in_the_code_is_found(repo: GitSandbox) -> None:
    repo.write("src/a.py", "def qzxqvjk():\n    pass\n")
    repo.commit()
    answer = ask(repo, "qzxqvjk")
    assert (answer.hits[0].symbol, answer.degraded) == ("qzxqvjk", "")


def test_words_outside_the_filter_are_not_counted(web: GitSandbox) -> None:
    """The note does not claim that no file holds them."""
    assert ask(web, "连接池").degraded != BY_LETTERS
    of_those = ("no file", "no file that passes the filters")
    assert ask(web, "连接池", paths=["src/**"]).notes == (NOTHING.replace(*of_those),)
    assert ask(web, "timeout", paths=["docs/**"], guess=True).degraded == BY_MEANING.replace(
        *of_those
    )


def test_prose_in_another_script_is_demoted_unless_it_has_the_word(web: GitSandbox) -> None:
    for query, path, lowered in (
        ("连接池", "docs/zh.md", False),
        ("session 连接池 redirect", "docs/ja.md", True),
    ):
        signals = [hit.signals for hit in ask(web, query, top_k=50).hits if hit.path == path]
        assert signals
        assert all(("prose" in one) == lowered for one in signals)


def test_note_of_a_vector_search(english: GitSandbox) -> None:
    assert ask(english, "redirect", mode="vector").degraded == ""
    assert ask(english, "魑魅魍魉", mode="vector").degraded == BY_WORDS
    assert ask(english, "魑魅魍魉", mode="keyword").degraded == ""


def test_note_is_printed_on_stderr(english: GitSandbox) -> None:
    result = Terminal(english.path).ragit("search", "--guess", "魑魅魍魉", code=0)
    assert f"note: {BY_LETTERS}" in result.err
    assert "degraded" not in result.out


def test_static_model_knows_words() -> None:
    model = StaticEmbedder(EmbedderOptions())
    assert model.knows("commit offsets")
    assert model.knows("Zeitüberschreitung beim commit")
    assert not model.knows("魑魅魍魉")
    assert not model.knows("")
