"""List the languages, one row each (formats.py: settings, markup and documents).

A language is one row here, one query in queries/ if it has a grammar, and one sample under
tests/chunk/samples/. Nothing in this file loads a grammar: a search reads only names and
fingerprints. `files` are suffixes (".py"), whole names ("Makefile") and patterns ("Dockerfile.*"),
compared without case. row.py describes the other fields.
"""

from __future__ import annotations

from collections.abc import Mapping

from ragit.chunk.formats import FORMATS
from ragit.chunk.row import Language

_JS = r"#?[^\W\d][\w$]*|[$][\w$]*|\[[\w.]+\]"
_LISP = r"[^\s()\[\]{}\"';`,@]+"

_ROWS = (
    Language(
        "typescript",
        ".ts .mts .cts",
        "typescript",
        shebangs="ts-node tsx deno bun",
        qualifiers=".",
        minifies=True,
        identifier=_JS,
    ),
    Language(
        "tsx",
        ".tsx",
        "tsx",
        qualifiers=".",
        minifies=True,
        identifier=_JS,
        dialect_of="typescript",
    ),
    Language(
        "javascript",
        ".js .jsx .mjs .cjs .es6",
        "javascript",
        shebangs="node nodejs",
        qualifiers=".",
        minifies=True,
        identifier=_JS,
    ),
    Language(
        "python",
        ".py .pyi .pyw .bzl .bazel BUILD WORKSPACE SConstruct SConscript wscript",
        "python",
        shebangs="python python2 python3 pypy pypy3",
    ),
    Language(
        "java",
        ".java",
        "java",
        identifier=r"(?:[^\W\d]|\$)[\w$]*",
    ),
    Language(
        "go",
        ".go",
        "go",
    ),
    Language(
        "c",
        ".c .pc .pgc .idc",
        "c",
        identifier=r"(?:[^\W\d]|\$)[\w$]*",
    ),
    Language(
        "cpp",
        ".cpp .cc .cxx .c++ .hpp .hh .hxx .h++ .inl .ipp .tpp .cppm .ixx .cu .cuh .ino",
        "cpp",
        qualifiers="::",
        identifier=r"~?(?:[^\W\d]|\$)[\w$]*|operator\b.*",
    ),
    Language(
        "csharp",
        ".cs .csx",
        "csharp",
        shebangs="dotnet-script csx",
        identifier=r"[@~]?[^\W\d]\w*|operator .*",
    ),
    Language(
        "rust",
        ".rs",
        "rust",
        shebangs="rust-script run-cargo-script",
        identifier=r"(?:r#)?[^\W\d]\w*",
    ),
    Language(
        "ruby",
        ".rb .rbw .rake .gemspec .ru .podspec .rbi .builder .jbuilder .thor Gemfile Rakefile "
        "Guardfile Capfile Vagrantfile Podfile Fastfile Brewfile Dangerfile Berksfile Thorfile",
        "ruby",
        sigils=":",
        qualifiers="::",
        shebangs="ruby jruby rake",
        identifier=r"[^\W\d]\w*[?!=]?|\[\]=?|[-+~!]@?|[*/%<>&|^`]|\*\*|<=>|===?|!=|=~|!~"
        r"|<<|>>|<=|>=",
    ),
    Language(
        "kotlin",
        ".kt .kts",
        "kotlin",
    ),
    Language(
        "swift",
        ".swift",
        "swift",
        identifier=r"[^\W\d]\w*|[^\w\s]+",
    ),
    Language(
        "bash",
        ".sh .bash .zsh .ksh .ash .bats .ebuild .eclass .bashrc .bash_profile .bash_aliases "
        ".bash_logout .profile .zshrc .zshenv .zprofile .kshrc PKGBUILD APKBUILD",
        "bash",
        shebangs="sh bash dash zsh ksh ash bats",
        identifier=r"[^\s()<>|&;$`\"'=]+",
    ),
    Language(
        "php",
        ".php .phtml .php3 .php4 .php5 .phps",
        "php",
        sigils="$",
        shebangs="php",
        identifier=r"[^\W\d]\w*(?:\\\w+)*",
    ),
    Language(
        "powershell",
        ".ps1 .psm1 .psd1",
        "powershell",
        sigils="$",
        qualifiers=":",
        shebangs="pwsh powershell",
        identifier=r"[\w-]+",
    ),
    Language(
        "scala",
        ".scala .sc .sbt .mill",
        "scala",
        shebangs="scala scala-cli",
        identifier=r"(?:[^\W\d]|\$)[\w$]*|[^\w\s]+|[^\W\d]\w*_[^\w\s]+",
    ),
    Language(
        "lua",
        ".lua .rockspec .luacheckrc",
        "lua",
        qualifiers=". :",
        shebangs="lua luajit",
    ),
    Language(
        "elixir",
        ".ex .exs .eex .heex mix.lock",
        "elixir",
        clauses=True,
        shebangs="elixir",
        identifier=r"[^\W\d]\w*[?!]?|[^\w\s]+|[\w.]+",
    ),
    Language(
        "erlang",
        ".erl .hrl .escript rebar.config",
        "erlang",
        clauses=True,
        shebangs="escript",
        identifier=r"[^\W\d][\w@]*|[^']+",
    ),
    Language(
        "haskell",
        ".hs .hsc .hs-boot",
        "haskell",
        clauses=True,
        shebangs="runhaskell runghc stack",
        identifier=r"[^\W\d][\w']*|[^\w\s]+|[\w.]+",
    ),
    Language(
        "ocaml",
        ".ml .mll .mly",
        "ocaml",
        shebangs="ocaml",
        identifier=r"[^\W\d][\w']*|\([^)]+\)|(?:let|and)?[^\w\s]+",
    ),
    Language(
        "ocaml_interface",
        ".mli",
        "ocaml_interface",
        identifier=r"[^\W\d][\w']*|\([^)]+\)",
        dialect_of="ocaml",
    ),
    Language(
        "zig",
        ".zig .zon",
        "zig",
    ),
    Language(
        "dart",
        ".dart",
        "dart",
        shebangs="dart",
        identifier=r"(?:[^\W\d]|\$)[\w$]*|operator .+",
    ),
    Language(
        "r",
        ".r .rprofile",
        "r",
        shebangs="rscript",
        identifier=r"[^\W\d][\w.]*|\.[\w.]*|[^\s]+",
    ),
    Language(
        "julia",
        ".jl",
        "julia",
        qualifiers=".",
        sigils=":",
        shebangs="julia",
        identifier=r"[^\W\d][\w!]*|[^\w\s]+",
    ),
    Language(
        "perl",
        ".pl .pm .t .plx .psgi .al cpanfile",
        "perl",
        sigils="$@%",
        shebangs="perl",
        identifier=r"[^\W\d]\w*(?:(?:::|')\w+)*",
    ),
    Language(
        "clojure",
        ".clj .cljs .cljc .edn .bb",
        "clojure",
        shebangs="bb clojure clj",
        identifier=_LISP,
    ),
    Language(
        "solidity",
        ".sol",
        "solidity",
    ),
    # The content decides between several languages (content.py).
    Language("h", ".h", reader="header", also="c cpp"),
    Language(
        "auto",
        also="python bash javascript typescript ruby perl php lua r julia elixir erlang haskell "
        "ocaml scala dart clojure powershell rust csharp make xml",
    ),
)

LANGUAGES: Mapping[str, Language] = {row.name: row for row in (*_ROWS, *FORMATS)}
