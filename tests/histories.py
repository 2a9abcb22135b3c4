"""Random but real git histories, as steps that hypothesis can draw and shrink."""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st
from sandbox import GitSandbox

WORDS = [
    "commit",
    "offset",
    "parse",
    "config",
    "server",
    "reader",
    "lock",
    "queue",
    "Partition",
    "café",
    "提交偏移",
]

_word = st.sampled_from(WORDS)
_name = st.lists(_word.filter(str.isascii), min_size=1, max_size=3).map("_".join)
_sentence = st.lists(_word, min_size=1, max_size=8).map(" ".join)


def _function(name: str, body: list[str]) -> str:
    return f"def {name}():\n" + "".join(f"    {line}\n" for line in (body or ["pass"])) + "\n"


_statement = st.one_of(
    st.builds("{} = {}()".format, _name, _name),
    st.builds("# {}".format, _sentence),
    st.builds("return {!r}".format, _sentence),
    st.just(""),
)
_code = st.lists(
    st.builds(_function, _name, st.lists(_statement, max_size=6)), min_size=1, max_size=5
).map("".join)
_class = st.builds(
    lambda name, code: f"class {name}:\n" + "".join(f"    {x}\n" for x in code.splitlines()),
    _name,
    _code,
)
_prose = st.lists(
    st.one_of(
        st.builds("# {}\n".format, _sentence), st.builds("{}\n".format, _sentence), st.just("\n")
    ),
    min_size=1,
    max_size=12,
).map("".join)
_c = st.lists(
    st.builds("int {}(void) {{\n\treturn {}();\n}}\n".format, _name, _name), min_size=1, max_size=4
).map("".join)

_odd = st.one_of(
    st.just(b""),
    st.just(b"\n\n  \n"),
    st.binary(min_size=1, max_size=60),
    _prose.map(lambda text: text.rstrip("\n").encode()),  # no final line end
    _prose.map(lambda text: text.replace("\n", "\r").encode()),
    _prose.map(lambda text: text.replace("\n", "\r\n").encode()),
    _prose.map(lambda text: text.encode("utf-16")),
    _prose.map(lambda text: b"\xef\xbb\xbf" + text.encode()),
    _sentence.map(lambda text: text.encode("latin-1", "replace") + b" \xe9\xff\n"),
    _sentence.map(lambda text: (text + " ").encode() * 60),  # one long line
    _sentence.map(lambda text: b"\0" + text.encode()),
    st.just(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"),
)

PATHS = [
    *(
        b"a.py",
        b"src/reader.py",
        b"src/deep/queue.py",
        b"lib/server.c",
        b"lib/server.h",
        b"README.md",
        b"docs/offset.md",
    ),
    *(
        b"notes.txt",
        b"with space.py",
        "caf\u00e9.py".encode(),
        b"byte\xff.txt",
        b"new\nline.md",
        b"Makefile",
        b"data.json",
    ),
]
_path = st.sampled_from(PATHS)
_content = st.one_of(
    _code.map(str.encode), _class.map(str.encode), _prose.map(str.encode), _c.map(str.encode), _odd
)
_attributes = st.sampled_from(
    [
        "*.md linguist-generated\n",
        "lib/* linguist-vendored\n",
        "*.txt ragit=false\n",
        "*.h linguist-language=C++\n",
        "",
    ]
)
_ignore_path = st.sampled_from([b".ragitignore", b"src/.ragitignore", b"lib/.ragitignore"])
_patterns = st.lists(
    st.sampled_from(
        [
            "*.md",
            "!README.md",
            "src/",
            "!src/",
            "/lib",
            "deep",
            "*.py",
            "!reader.py",
            "*",
            "# no",
            "b?te*",
        ]
    ),
    max_size=4,
).map(lambda lines: "\n".join(lines).encode())
BRANCHES = ["main", "one", "two"]


@dataclass(frozen=True)
class Step:
    """One action of a user, followed by a commit unless it makes one itself."""

    what: str
    path: bytes = b""
    other: bytes = b""
    content: bytes = b""
    branch: str = ""
    number: int = 0


def _steps() -> st.SearchStrategy[Step]:
    return st.one_of(
        st.builds(Step, st.just("write"), path=_path, content=_content),
        st.builds(Step, st.just("write"), path=_path, content=_content),
        st.builds(
            Step,
            st.just("edit"),
            path=_path,
            content=_sentence.map(str.encode),
            number=st.integers(0, 9),
        ),
        st.builds(Step, st.just("copy"), path=_path, other=_path),
        st.builds(Step, st.just("rename"), path=_path, other=_path),
        st.builds(Step, st.just("mode"), path=_path),
        st.builds(Step, st.just("remove"), path=_path),
        st.builds(Step, st.just("link"), path=_path),
        st.builds(Step, st.just("attributes"), content=_attributes.map(str.encode)),
        st.builds(Step, st.just("write"), path=_ignore_path, content=_patterns),
        st.builds(Step, st.just("remove"), path=_ignore_path),
        st.builds(Step, st.just("switch"), branch=st.sampled_from(BRANCHES)),
        st.builds(Step, st.just("merge"), branch=st.sampled_from(BRANCHES)),
        st.builds(Step, st.just("revert"), number=st.integers(0, 3)),
    )


def steps(least: int, most: int) -> st.SearchStrategy[list[Step]]:
    """Return a strategy for histories."""
    return st.lists(_steps(), min_size=least, max_size=most)


def apply(repo: GitSandbox, step: Step) -> None:
    """Apply a step to the working tree or the branches; skip what is impossible now."""
    file = repo.path / os.fsdecode(step.path)
    with contextlib.suppress(OSError):  # no such file, a folder, a link to itself
        if step.what == "write":
            _clear(file)
            repo.write(step.path, step.content)
        elif step.what == "edit":
            lines = file.read_bytes().split(b"\n")
            lines.insert(step.number % (len(lines) + 1), step.content)
            file.write_bytes(b"\n".join(lines))
        elif step.what == "copy":
            repo.write(step.other, file.read_bytes())
        elif step.what == "rename":
            content = file.read_bytes()
            file.unlink()
            repo.write(step.other, content)
        elif step.what == "mode":
            file.chmod(file.stat().st_mode ^ 0o111)
        elif step.what == "remove":
            file.unlink()
        elif step.what == "link":
            _clear(file)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.symlink_to("a.py")
        elif step.what == "attributes":
            repo.write(".gitattributes", step.content)


def _clear(file: Path) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        file.unlink()


def play(repo: GitSandbox, history: list[Step]) -> list[str]:
    """Commit after every step, and return all commits in order."""
    commits = [repo.commit("first")]
    for step in history:
        if step.what in {"switch", "merge", "revert"}:
            _move(repo, step)
        else:
            apply(repo, step)
            repo.commit(step.what)
        commits.append(repo.git("rev-parse", "HEAD"))
    return list(dict.fromkeys(commits))


def _move(repo: GitSandbox, step: Step) -> None:
    repo.clock += 1
    try:
        if step.what == "switch":
            known = repo.git("branch", "--list", step.branch)
            repo.git("checkout", "-q", *([] if known else ["-b"]), step.branch)
        elif step.what == "merge":
            repo.git("merge", "-q", "-X", "ours", "-m", "merge", step.branch)
        else:
            repo.git("revert", "--no-edit", "-X", "ours", f"HEAD~{step.number}")
    except subprocess.CalledProcessError:
        repo.git(
            "reset", "-q", "--hard"
        )  # an unknown branch, a conflict, a merge's revert: as if it had not been tried
