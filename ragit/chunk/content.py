"""Find the language of a blob by its content if its name is not enough."""

from __future__ import annotations

import re

from ragit.chunk.languages import LANGUAGES
from ragit.chunk.row import Language

_CPP = re.compile(
    rb"^[ \t]*(?:class\s+\w+[^;]*[{:]|namespace\b[^;]*\{|template\s*<|using\s+\w"
    rb"|(?:public|private|protected):)"
    rb"|\bstd::|\bvirtual\s|\bnullptr\b"
    rb"|#include\s*<(?:string|vector|map|memory|functional|utility|algorithm)>",
    re.MULTILINE,
)
_EXTERN_C = re.compile(rb"#\s*ifdef\s+__cplusplus\b.*?#\s*endif", re.DOTALL)
_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_MODELINE = re.compile(rb"(?:vim?:.*?\b(?:ft|filetype|syntax)=|-\*-\s*(?:mode:\s*)?)([A-Za-z+#]+)")
_MODES = {
    "sh": "bash",
    "shell-script": "bash",
    "zsh": "bash",
    "c++": "cpp",
    "js": "javascript",
    "cs": "csharp",
    "make": "make",
    "makefile": "make",
    "perl": "perl",
}


def resolve(row: Language, text: bytes) -> Language:
    """Return the row whose rules apply: another one if `row` stands for several languages."""
    if row.name == "h":
        return LANGUAGES["cpp" if _is_cpp(text) else "c"]
    if row.name == "asciidoc" and text.startswith(b"-----BEGIN PGP "):
        return LANGUAGES["text"]  # a key or a signature: both have the suffix .asc
    if row.name == "auto":
        return LANGUAGES[_by_first_lines(text)]
    return row


def _is_cpp(text: bytes) -> bool:
    head = text[:100_000]
    return _CPP.search(_COMMENT.sub(b"", _EXTERN_C.sub(b"", head))) is not None


def _by_first_lines(text: bytes) -> str:
    allowed = [name for name in LANGUAGES["auto"].also.split() if name in LANGUAGES]
    first = text[:200].split(b"\n", 1)[0]
    if first.startswith(b"#!"):
        name = _interpreter(first.decode("latin-1"))
        return next((lang for lang in allowed if name in LANGUAGES[lang].shebangs.split()), "text")
    if first.startswith(b"<?xml"):
        return "xml"
    found = _MODELINE.search(text[:300]) or _MODELINE.search(text[-300:])
    if found:
        mode = found.group(1).decode("ascii").lower()
        mode = _MODES.get(mode, mode)
        if mode in allowed:
            return mode
    return "text"


def _interpreter(line: str) -> str:
    """Return the interpreter of a shebang line: python3 for `#!/usr/bin/env -S python3.11 -u`."""
    for word in line[2:].split():
        name = word.rpartition("/")[2]
        if name != "env" and not name.startswith("-") and "=" not in name:
            return re.sub(r"(?<=\d)\.[\d.]*$", "", name)
    return ""
