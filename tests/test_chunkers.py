"""Tests of the user's own chunkers, from settings to hits: names, answers, failures, and
rechunking.

test_chunkers_refused.py has the tests of untrusted clones.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from chunking import CHUNKER, READ_BY_RAGIT, TEXT, allow, chunks, found, settings, skipped, use
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from terminal import Terminal

import ragit
from ragit.chunk.custom import Block, Place, Span, Unreadable, preview
from ragit.chunk.options import ChunkOptions, DocumentOptions

DOCS = Path(__file__).parents[1] / "docs" / "chunkers.md"

# The example of the documentation
# ----------------------------------------------------------------------------------


def code_blocks_of_docs() -> list[tuple[str, str]]:
    return re.findall(r"^```(\w+)\n(.*?)^```$", DOCS.read_text(), re.MULTILINE | re.DOTALL)


def documented_session() -> list[tuple[str, list[str]]]:
    """Return each command of the documented session, with its output."""
    (console,) = (text for kind, text in code_blocks_of_docs() if kind == "console")
    typed = [part.splitlines() for part in console.split("$ ")[1:]]
    return [(lines[0], lines[1:]) for lines in typed]


def write_documented_files(repo: GitSandbox) -> None:
    for kind, text in code_blocks_of_docs():
        if kind != "console":
            repo.write(text.partition("\n")[0].removeprefix("# "), text)


def bundle(**members: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as made:
        for name, text in members.items():
            info = tarfile.TarInfo(f"notes/{name}.txt")
            info.size = len(text)
            made.addfile(info, io.BytesIO(text.encode()))
    return stream.getvalue()


def test_documented_example_works_verbatim(repo: GitSandbox) -> None:
    write_documented_files(repo)
    repo.commit()
    shell = Terminal(repo.path)
    for command, expected in documented_session():
        result = shell.ragit(*shlex.split(command)[1:], code=0)
        wanted = ".*".join(map(re.escape, "\n".join(expected).split("…")))
        assert re.fullmatch(wanted, result.out.rstrip("\n")), (command, result)
    tests = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tools/test_rule_chunker.py",
    ]
    done = subprocess.run(tests, cwd=repo.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_documented_chunker_reads_a_binary_format(repo: GitSandbox) -> None:
    write_documented_files(repo)
    repo.write(
        "release.bundle", bundle(first="why offsets are committed", second="what a broker\nforgets")
    )
    settings(repo, {"tools/bundle_chunker.py:Bundle": [".bundle"]})
    allow(repo)
    hits = found(repo, "broker", documents_min=0)
    assert [(hit.path, hit.place, hit.parent) for hit in hits] == [
        ("release.bundle", "file notes/second.txt", "notes/second.txt")
    ]
    assert hits[0].text == "what a broker\nforgets"


# Names of chunkers
# ----------------------------------------------------------------------------------

_METHOD = "    def chunk(self, data):\n        yield 1, 2, 'rule', 'one'\n"

FORMS = {
    "tools/a.py": "def chunk(data):\n    return [(1, 2, 'rule', 'one')]\n",
    "tools/a.py:read_rules": "def read_rules(data):\n    return [(1, 2, 'rule', 'one')]\n",
    "tools/a.py:Rules": f"class Rules:\n{_METHOD}",
    "tools/a.py:rules": f"class Rules:\n{_METHOD}rules = Rules()\n",
    "tools/a.py:Out.Rules": f"class Rules:\n{_METHOD}class Out:\n    Rules = Rules\n",
}


@pytest.mark.parametrize("module", FORMS)
def test_chunker_is_a_function_class_or_object_of_a_file(repo: GitSandbox, module: str) -> None:
    use(repo, FORMS[module], module=module)
    assert ("rule", "one", 1, 2) in chunks(repo)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that this Python imports from."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def install(
    site: Path, code: str, point: str = "rules_of_ours = chunks_of_ours.inner:Rules"
) -> None:
    """Install a distribution with a package and an entry point, as pip does."""
    for path, text in {
        "chunks_of_ours/__init__.py": "",
        "chunks_of_ours/inner.py": code,
        "chunks_of_ours-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: chunks-of-ours\nVersion: 1.0\n",
        "chunks_of_ours-1.0.dist-info/entry_points.txt": f"[ragit.chunkers]\n{point}\n",
    }.items():
        file = site / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


@pytest.mark.parametrize("module", ["rules_of_ours", "chunks_of_ours.inner:Rules"])
def test_installed_chunker_is_named_by_entry_point_or_module(
    repo: GitSandbox, site: Path, module: str
) -> None:
    install(site, FORMS["tools/a.py:Rules"])
    use(repo, "", module=module)
    assert ("rule", "one", 1, 2) in chunks(repo)
    install(site, FORMS["tools/a.py:Rules"].replace("one", "three"))
    assert ("rule", "three", 1, 2) in chunks(repo), "an upgrade rechunks"


@pytest.mark.parametrize(
    ("module", "why"),
    [
        (
            "rules_of_theirs",
            "nothing that is installed where ragit is calls itself so (entry points of ragit.chunkers)",
        ),
        ("chunks_of_theirs:Rules", "no module chunks_of_theirs is installed where ragit is"),
        (
            "chunks_of_ours.outer:Rules",
            "no module chunks_of_ours.outer is installed where ragit is",
        ),
        ("os:system", "Python's own library holds no chunkers"),
        ("tools/gone.py", "there is no such file in the working tree"),
        ("tools/empty.py", "it is empty"),
        ("tools/large.py", "it is larger than 1048576 bytes"),
        (
            "tools",
            "nothing that is installed where ragit is calls itself so (entry points of ragit.chunkers)",
        ),
    ],
)
def test_missing_chunker_is_reported_and_ignored(
    repo: GitSandbox, site: Path, module: str, why: str
) -> None:
    install(site, "")
    repo.write("tools/empty.py")
    repo.write("tools/large.py", "#" * (1 << 20) + "#")
    use(repo, "", module=module)
    with ragit.open(repo.path) as index:
        assert index.settings.warnings == [f"chunker {module} is ignored: {why}"]
    assert chunks(repo) == READ_BY_RAGIT
    assert (
        f"bad   chunkers    {module} for .xyz is ignored: {why}"
        in Terminal(repo.path).ragit("doctor").out
    )


def test_installed_function_named_otherwise_is_not_called(
    repo: GitSandbox, site: Path, tmp_path: Path
) -> None:
    install(site, f"def run(data):\n    open({str(tmp_path / 'ran')!r}, 'w')\n    return []\n")
    use(repo, "", module="chunks_of_ours.inner:run")
    assert skipped(repo) == {"chunks_of_ours.inner:run is no chunker": 1}
    assert not (tmp_path / "ran").exists()


def test_chunker_of_one_extension_is_a_setting(
    repo: GitSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("tools/a.py", CHUNKER)
    repo.write("A.XYZ", TEXT)
    repo.write("b.test.xyz", TEXT)
    repo.commit()
    repo.git("config", "ragit.chunkers.xyz", "tools/a.py")
    assert chunks(repo, "A.XYZ") == READ_BY_RAGIT, "a file named by git config must be trusted too"
    allow(repo)
    assert ("rule", "one", 2, 3) in chunks(repo, "A.XYZ")
    assert ("rule", "one", 2, 3) in chunks(repo, "b.test.xyz")
    monkeypatch.setenv("RAGIT_CHUNKERS_XYZ", "")
    assert chunks(repo, "A.XYZ") == READ_BY_RAGIT


def test_chunker_replaces_the_built_in_parser(repo: GitSandbox) -> None:
    repo.write("a.py", "def f():\n    return 1\n")
    use(repo, "def chunk(data):\n    return [(1, 1, 'line', 'mine')]\n", extensions=[".py"])
    assert chunks(repo, "a.py") == [("line", "mine", 1, 1), ("text", "", 2, 2)]
    (row,) = (
        row
        for row in Terminal(repo.path).ragit("config").out.splitlines()
        if row.startswith("chunkers")
    )
    assert row.endswith(".py by tools/a.py in place of ragit's python")
    assert (
        "in place of ragit itself, which reads .py as python"
        in Terminal(repo.path).ragit("trust", "-n").out
    )


def test_chunker_reads_documents_binary_files_and_images(repo: GitSandbox) -> None:
    for name in ("a.pdf", "b.bin", "c.png"):
        repo.write(name, b"\0\1\2" + name.encode())
    repo.write(".gitattributes", "*.bin binary\n")
    use(
        repo,
        "def chunk(data):\n    yield 'text of ' + data[3:].decode()\n",
        extensions=[".pdf", "bin", "PNG"],
    )
    assert {hit.path: hit.text for hit in found(repo, "text") if hit.kind == "text"} == {
        name: f"text of {name}" for name in ("a.pdf", "b.bin", "c.png")
    }


# Answers
# --------------------------------------------------------------------------------------------


def test_lines_outside_spans_become_text_chunks(repo: GitSandbox) -> None:
    use(repo, CHUNKER)
    assert chunks(repo) == [
        ("text", "", 1, 1),
        ("rule", "one", 2, 3),
        ("rule", "two", 4, 5),
        ("text", "", 7, 7),
    ]
    (hit,) = (hit for hit in found(repo, "tail") if hit.path == "a.xyz")
    assert (hit.text, hit.start_line) == ("tail", 7)


def test_long_spans_are_split(repo: GitSandbox) -> None:
    repo.write("a.xyz", "".join(f"line {number}\n" for number in range(1, 51)))
    repo.git("config", "ragit.index.maxChunkLines", "20")
    use(repo, "def chunk(data):\n    return [(1, 50, 'rule', 'one')]\n", write=False)
    made = chunks(repo)
    assert {kind for kind, *_ in made} == {"rule"}
    assert made[0][1] == "one"
    assert [number for *_, first, last in made for number in range(first, last + 1)] == list(
        range(1, 51)
    )
    assert all(last - first < 20 for *_, first, last in made)


def spans(data: bytes, *items: object) -> list[tuple[int, int, str, str]]:
    made = preview(lambda _: list(items), data)  # type: ignore[arg-type]
    return [(one.start_line, one.end_line, one.kind, one.symbol) for one in made.chunks]


def test_bounds_of_spans_are_clipped() -> None:
    assert spans(b"a\n\nb\n", (1, 4)) == [(1, 3, "text", "")], "one line past the end is accepted"
    assert spans(b"a\n\nb\n", (2, 2)) == [(1, 3, "text", "")], "blank lines are no chunk"
    assert spans(b"a\nb", (1, 2, "x" * 99, "n\nm")) == [(1, 2, "x" * 20, "n m")]
    assert spans(b"a\nb\nc", (1, 3, "out"), (2, 2, "in")) == [(1, 3, "out", ""), (2, 2, "in", "")]
    assert spans(b"a\rb\rc", Span(2, 2, "x")) == [
        (1, 1, "text", ""),
        (2, 2, "x", ""),
        (3, 3, "text", ""),
    ]
    assert spans("a\nb".encode("utf-16"), (2, 2, "x")) == [(1, 1, "text", ""), (2, 2, "x", "")]
    assert spans(b"a\n") == [(1, 1, "text", "")]


def test_names_given_by_a_span_are_searched(repo: GitSandbox) -> None:
    use(
        repo,
        "def chunk(data):\n    return [(2, 3, 'rule', 'one', 'Outer', 'rule one()', 'about whales')]\n",
    )
    (hit,) = (hit for hit in found(repo, "whales") if hit.path == "a.xyz")
    assert (hit.symbol, hit.parent, hit.kind, hit.start_line) == ("one", "Outer", "rule", 2)


def test_blocks_have_places_and_are_grouped() -> None:
    given = [
        Block("Costs", Place("sheet A", "row", 3, 3), ("A",), "table", "name"),
        ("more", "there"),
        "plain",
    ]
    small = ChunkOptions(documents=DocumentOptions(min_bytes=0))
    made = preview(lambda _: given, b"\0", small)  # type: ignore[arg-type, return-value]
    assert [one.place for one in made.chunks] == ["sheet A row 3", "there", ""]
    assert made.chunks[0].text == "name\nCosts"
    assert made.derived.decode().split("\n")[made.chunks[1].start_line - 1] == "more"
    grouped = preview(lambda _: ["one", "two"], b"\0")
    assert [one.text for one in grouped.chunks] == ["one\n\ntwo"]


WRONG = [
    [(0, 1)],
    [(2, 1)],
    [(1, 9)],
    [(-1, 1)],
    [(1,)],
    [()],
    [(1, 2, 3)],
    [(True, 1)],
    [(1.0, 2)],
    [(1, 2, "a", "b", "c", "d", "e", "f")],
    [None],
    [[1, 2]],
    [{}],
    [b"text"],
    ["text", (1, 2)],
    [("text", 1)],
    [("text", ("a", "b", "c"))],
    [("text", "", 7)],
    [("text", "", (7,))],
    [("text", "", (), 1)],
    [("text", "", (), "", "", "")],
    [(1, 3)] * 5000,
    None,
    7,
    "text",
    b"\1\2",
]


@pytest.mark.parametrize("answer", WRONG, ids=repr)
def test_invalid_answer_is_refused(answer: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        preview(lambda _: answer, b"a\nb\nc" + b" " * 100)


_atoms = st.one_of(
    st.integers(-2, 9), st.text(max_size=5), st.none(), st.booleans(), st.binary(max_size=3)
)


@given(
    st.one_of(
        st.lists(st.tuples(st.integers(-1, 8), st.integers(-1, 8))),
        st.lists(st.one_of(_atoms, st.lists(_atoms, max_size=7).map(tuple)), max_size=6),
    ),
    st.one_of(st.binary(max_size=40), st.text("a \n\r", max_size=12).map(str.encode)),
)
def test_any_answer_covers_the_text_or_is_refused(answer: Any, data: bytes) -> None:
    """Every line that is not blank is in a chunk, and a chunk's text is that of its lines."""
    try:
        made = preview(lambda _: answer, data)
    except ValueError:
        return
    if made.skipped:
        assert not made.chunks
        return
    text = made.derived if made.derived else ragit.chunk.text_of(data) or b""
    end = b"\r" if b"\n" not in text and b"\r" in text else b"\n"
    lines = text.split(end)
    held = {number for one in made.chunks for number in range(one.start_line, one.end_line + 1)}
    assert made.derived or held >= {number for number, line in enumerate(lines, 1) if line.strip()}
    for one in made.chunks:
        assert one.text.encode() == end.join(lines[one.start_line - 1 : one.end_line])


# Failures
# -------------------------------------------------------------------------------------------

FAULTS = {
    "raise ValueError('x')": "tools/a.py:4 raised ValueError",
    "return [1, 2]": "tools/a.py gave something that is neither lines nor text",
    "return None": "tools/a.py gave NoneType in place of chunks",
    "return [(1, 99)]": "tools/a.py gave lines that the file does not have",
    "return ['a', (1, 1)]": "tools/a.py gave both lines and blocks of text",
    "return [(1, 1)] * 100000": "tools/a.py gave too many chunks",
    "raise SystemExit": "tools/a.py:4 raised SystemExit",
    "raise KeyboardInterrupt": "tools/a.py:4 raised KeyboardInterrupt",
    "return chunk(data)": "tools/a.py:4 raised RecursionError",
    "os._exit(0)": "tools/a.py ended its process",
    "os.kill(os.getpid(), 11)": "tools/a.py ended its process",
    "os.close(4); os.closerange(3, 99); raise ValueError": "tools/a.py ended its process",
    "while True: pass": "tools/a.py took too long",
    "while True: yield 1, 1": "tools/a.py gave too many chunks",
    "while True: yield 'x' * 10000000": "tools/a.py needs too much memory",
    "data = bytearray(300 << 20)": "tools/a.py needs too much memory",
    "if os.fork(): os._exit(0)\n    time.sleep(60)": "tools/a.py ended its process",
    "if os.fork(): os._exit(0)\n    os.setsid(); time.sleep(8)": "tools/a.py ended its process",
    "from ragit.chunk.custom import Unreadable; raise Unreadable('too\\nold')": "too old",
    "import gone": "tools/a.py:4 raised ModuleNotFoundError",
    "    bad indent": "tools/a.py:4 raised IndentationError",
}
HEAD = "import os, time\ndef chunk(data):\n    if b'bad' not in data: return [(1, 1, 'rule', 'good')]\n    "


@pytest.mark.parametrize("fault", FAULTS)
def test_failing_chunker_skips_only_its_file(repo: GitSandbox, fault: str) -> None:
    code = HEAD + fault
    if "yield" in fault:  # a generator cannot return chunks
        code = code.replace("return [(1, 1, 'rule', 'good')]", "yield 1, 1, 'rule', 'good'; return")
    use(repo, code, write=False)
    repo.write("a.xyz", "word bad\n")
    for name in ("b.xyz", "z.xyz"):
        repo.write(name, f"word of {name}\n")
    repo.commit()
    limits = {"chunking.chunkerSeconds": 3, "documents.maxMemoryBytes": 200 << 20}
    with ragit.open(repo.path, flags=limits) as index:
        index.index()
        status = index.status()
        hits = index.search("word", paths=["*.xyz"]).hits
    everything = "Indentation" in FAULTS[fault]  # a chunker that does not compile fails on each
    assert status.skipped == {FAULTS[fault]: 3 if everything else 1}
    assert {hit.symbol for hit in hits} == (set() if everything else {"good"})
    assert not status.refs[0].completeness.missing


def test_failure_on_an_uncommitted_file_is_reported(repo: GitSandbox) -> None:
    use(repo, HEAD + "raise ValueError('x')", write=False)
    repo.commit()
    repo.write("a.xyz", "word bad\n")
    shell = Terminal(repo.path)
    assert "ok    chunkers    tools/a.py for .xyz" in shell.ragit("doctor").out
    shell.ragit("search", "word")
    assert (
        "\n  tools/a.py:4 raised ValueError  a.xyz\n"
        in shell.ragit("status", "--skipped", code=0).out
    )
    assert (
        "note  chunkers    1 file is left out: tools/a.py:4 raised ValueError"
        in shell.ragit("doctor").out
    )


def test_forked_chunker_does_not_mix_up_files(repo: GitSandbox) -> None:
    """Both processes go on after a fork, and share one pipe to ragit."""
    use(
        repo,
        "import os\ndef chunk(data):\n    os.fork()\n    yield data.decode().strip()\n",
        write=False,
    )
    wanted = {f"{number}.xyz": f"word number {number}" for number in range(8)}
    for name, text in wanted.items():
        repo.write(name, text + "\n")
    assert {hit.path: hit.text for hit in found(repo, "word") if hit.path.endswith("xyz")} == wanted


def test_chunker_output_is_discarded_and_its_input_empty(
    repo: GitSandbox, capfd: pytest.CaptureFixture[str]
) -> None:
    noise = "import os, sys\ndef chunk(data):\n    print('{}' * 99); os.write(1, b'{}'); os.write(2, b'!')\n"
    use(repo, noise + "    return [(1, 1, 'rule', sys.stdin.read() + 'none')]\n")
    assert ("rule", "none", 1, 1) in chunks(repo)
    assert capfd.readouterr() == ("", "")


def test_chunker_state_is_not_shared_between_files(repo: GitSandbox) -> None:
    use(
        repo,
        "seen = []\ndef chunk(data):\n    seen.append(1)\n    return [(1, 1, 'rule', f'n{len(seen)}')]\n",
    )
    for name in ("b.xyz", "c.xyz"):
        repo.write(name, f"word {name}")
    assert all(("rule", "n1", 1, 1) in chunks(repo, name) for name in ("a.xyz", "b.xyz", "c.xyz"))


def test_set_order_in_a_chunker_is_reproducible(repo: GitSandbox) -> None:
    """Two processes of one Python hash strings differently, unless configured not to."""
    names = "{'ash', 'birch', 'cedar', 'elm', 'fir', 'oak', 'pine', 'yew'}"
    use(repo, f"def chunk(data):\n    return [(1, 1, 'rule', ' '.join({names}))]\n")
    first = chunks(repo)
    with ragit.open(repo.path) as index:
        index.index(rebuild=True)
    assert chunks(repo) == first


def test_many_files_are_chunked_by_workers(repo: GitSandbox) -> None:
    use(repo, CHUNKER)
    for number in range(140):
        repo.write(f"{number}.xyz", f"rule r{number}\n  do\n")
    repo.git("config", "ragit.index.workers", "2")
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
        (hit,) = index.search("r77", top_k=1).hits
    assert (hit.path, hit.symbol, hit.kind) == ("77.xyz", "r77", "rule")


def test_chunker_is_not_given_large_empty_or_pointer_files(repo: GitSandbox) -> None:
    use(repo, "def chunk(data):\n    raise ValueError\n", write=False)
    repo.write("a.xyz", "x" * (1 << 20) + "x")
    repo.write("b.xyz", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    repo.write("c.xyz")
    repo.commit()
    assert skipped(repo) == {"too large": 1, "lfs pointer": 1, "empty": 1}


# Rechunking
# -----------------------------------------------------------------------------------------


def indexed(repo: GitSandbox) -> int:
    with ragit.open(repo.path) as index:
        return index.index().indexed


def test_only_a_changed_chunker_rechunks(repo: GitSandbox) -> None:
    use(repo, CHUNKER)
    repo.commit()
    first = indexed(repo)
    assert first > 1
    assert indexed(repo) == 0
    repo.write("tools/other.py", "x = 1\n")
    repo.write("tools/a.py", CHUNKER.replace("rule", "RULE") + "# changed\n")
    repo.commit()
    allow(repo)
    assert indexed(repo) == 3, "a.xyz by its new chunker, and the two files that changed"
    repo.write("tools/a.py", CHUNKER)
    repo.commit()
    assert indexed(repo) == 0, "its chunks are stored, and it is trusted"


def test_gc_keeps_chunks_of_the_current_chunker(repo: GitSandbox) -> None:
    use(repo, CHUNKER)
    repo.commit()
    indexed(repo)
    with ragit.open(repo.path) as index:
        assert index.gc().dropped == 0
        index.settings.distrust()
    with ragit.open(repo.path) as index:
        index.index()
        assert index.gc().dropped == 1


def test_worktrees_share_trust_but_not_the_chunker_file(repo: GitSandbox, tmp_path: Path) -> None:
    use(repo, CHUNKER)
    repo.commit()
    repo.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    other = GitSandbox(tmp_path / "other")
    assert ("rule", "one", 2, 3) in chunks(other)
    assert indexed(other) == 0
    other.write("tools/a.py", CHUNKER + "# mine\n")
    assert chunks(other) == READ_BY_RAGIT
    assert ("rule", "one", 2, 3) in chunks(repo)


def test_rebuild_gives_the_same_chunks(repo: GitSandbox) -> None:
    use(repo, CHUNKER)
    repo.commit()
    grown = chunks(repo)
    with ragit.open(repo.path) as index:
        index.index(rebuild=True)
    assert chunks(repo) == grown
    assert json.loads(Terminal(repo.path).ragit("check", "--json", code=0).out)["fresh"]


def test_preview_raises_unreadable() -> None:
    def chunk(data: bytes) -> list[str]:
        raise Unreadable("password-protected")

    with pytest.raises(Unreadable):
        preview(chunk, b"x")
