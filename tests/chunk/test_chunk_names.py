"""Tests of the language of a file, by its name or its content."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragit.chunk import chunk, language_of, languages, named


@pytest.mark.parametrize(
    ("path", "language"),
    [
        (b"src/a.py", "python"),
        (b"A.PY", "python"),
        (b"a.tsx", "tsx"),
        (b"a.d.ts", "typescript"),
        (b"x/Dockerfile", "dockerfile"),
        (b"x/Dockerfile.dev", "dockerfile"),
        (b"build/web.dockerfile", "dockerfile"),
        (b"Containerfile", "dockerfile"),
        (b"GNUmakefile", "make"),
        (b"Makefile.am", "make"),
        (b"CMakeLists.txt", "cmake"),
        (b"notes.txt", "text"),
        (b"BUILD", "python"),
        (b"BUILD.bazel", "python"),
        (b"Gemfile", "ruby"),
        (b"Gemfile.lock", "text"),
        (b".bashrc", "bash"),
        (b"a.h", "h"),
        (b"app.csproj", "xml"),
        (b"logo.svg", "xml"),
        (b"Cargo.lock", "toml"),
        (b"main.tf", "hcl"),
        (b"doc/a.mdx", "markdown"),
        (b"bin/run", "auto"),
        (b"dir.py/run", "auto"),
        (b"a.unknown", "text"),
        (b"a.", "text"),
        (b"\xff\xfe.rs", "rust"),
        (b"a.png", "image"),
        (b"a.PDF", "pdf"),
        (b"a.docx", "docx"),
    ],
)
def test_language_by_file_name(path: bytes, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("Python", "python"),
        ("py", "python"),
        (".py", "python"),
        ("*.PY", "python"),
        ("js", "javascript"),
        ("ts", "typescript"),
        ("md", "markdown"),
        ("yml", "yaml"),
        ("C++", "cpp"),
        ("c#", "csharp"),
        ("Shell", "bash"),
        ("sh", "bash"),
        ("Makefile", "make"),
        ("docker", "dockerfile"),
        ("c", "c"),
        ("r", "r"),
        ("", None),
        (".", None),
        ("*", None),
        ("klingon", None),
    ],
)
def test_language_by_common_name(name: str, language: str | None) -> None:
    assert named(name) == language


def test_every_language_is_found_by_its_upper_case_name() -> None:
    assert [name for name in languages() if named(name.upper()) != name] == []


@given(st.binary())
def test_any_path_has_a_known_language(path: bytes) -> None:
    assert language_of(path) in languages()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (b"#!/bin/sh\necho\n", "bash"),
        (b"#!/usr/bin/env python3\nx = 1\n", "python"),
        (b"#!/usr/bin/env -S FOO=1 python3.12 -u\nx = 1\n", "python"),
        (b"#! /usr/bin/perl -w\nuse strict;\n", "perl"),
        (b"#!/usr/bin/env node\n1;\n", "javascript"),
        (b"#!/opt/unknown\n", "text"),
        (b"#!\n", "text"),
        (b"# vim: set ft=ruby :\nx = 1\n", "ruby"),
        (b"x\n\n# vim:ft=sh\n", "bash"),
        (b"# -*- mode: Python -*-\nx = 1\n", "python"),
        (b"# vim: ft=brainf\n", "text"),
        (b"<?xml version='1.0'?><a/>\n", "xml"),
        (b"Read me.\n", "text"),
    ],
)
def test_language_by_content(text: bytes, language: str) -> None:
    assert chunk(text, "auto").language == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (b"struct a { int b; };\nint f(struct a *a);\n", "c"),
        (
            b'#ifdef __cplusplus\nextern "C" {\n#endif\nint class;\n#ifdef __cplusplus\n}\n#endif\n',
            "c",
        ),
        (b"/* namespace a { } */\nint f(void);\n", "c"),
        (b"namespace a { int f(); }\n", "cpp"),
        (b"template <class T> T f(T);\n", "cpp"),
        (b"class A {\n public:\n  int f();\n};\n", "cpp"),
        (b"std::string f();\n", "cpp"),
    ],
)
def test_headers_are_c_or_cpp_by_content(text: bytes, language: str) -> None:
    assert chunk(text, "h").language == language
