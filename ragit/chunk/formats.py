"""List the languages of settings, queries, markup and documents."""

from __future__ import annotations

from ragit.chunk.row import Language

FORMATS = (
    Language("text"),
    Language(
        "sql",
        ".sql .ddl .dml .psql .pgsql",
        "sql",
        data=True,
    ),
    Language(
        "json",
        ".json .jsonc .json5 .geojson .webmanifest .avsc .map composer.lock .babelrc .eslintrc "
        ".prettierrc",
        "json",
        data=True,
        minifies=True,
    ),
    Language(
        "html",
        ".html .htm .xhtml",
        "html",
        also="javascript json",
        data=True,
        minifies=True,
    ),
    Language(
        "css",
        ".css",
        "css",
        data=True,
        minifies=True,
    ),
    Language(
        "xml",
        ".xml .csproj .vbproj .fsproj .vcxproj .props .targets .nuspec .resx .svg .xsd .xsl "
        ".xslt .wsdl .pom .plist .xaml .axaml .rss .atom .xlf .ui .storyboard .xib .config .iml",
        "xml",
        data=True,
        minifies=True,
    ),
    Language(
        "yaml",
        ".yaml .yml .clang-format .clang-tidy CITATION.cff",
        "yaml",
        data=True,
        splits="key item",
    ),
    Language(
        "toml",
        ".toml Cargo.lock poetry.lock Pipfile uv.lock",
        "toml",
        data=True,
    ),
    Language(
        "ini",
        ".ini .cfg .conf .editorconfig .gitconfig .gitmodules .npmrc .pylintrc .flake8 .desktop "
        ".service",
        "ini",
        data=True,
    ),
    Language(
        "dockerfile",
        "Dockerfile Containerfile Dockerfile.* Containerfile.* .dockerfile .containerfile",
        "dockerfile",
        data=True,
    ),
    Language(
        "markdown",
        ".md .mdx .markdown .mdown .mkd .qmd .rmd",
        "markdown",
        data=True,
        join=" > ",
        splits="section",
    ),
    Language(
        "protobuf",
        ".proto",
        "proto",
    ),
    Language(
        "graphql",
        ".graphql .gql .graphqls",
        "graphql",
    ),
    Language(
        "hcl",
        ".hcl .tf .tfvars .nomad .workflow .terraform.lock.hcl",
        "hcl",
        data=True,
    ),
    Language(
        "make",
        ".mk .mak .make Makefile GNUmakefile BSDmakefile Kbuild Makefile.*",
        "make",
        data=True,
        shebangs="make",
    ),
    Language(
        "cmake",
        ".cmake CMakeLists.txt .cmake.in",
        "cmake",
        data=True,
    ),
    Language(
        "nix",
        ".nix flake.lock",
        "nix",
        data=True,
    ),
    Language(
        "scss",
        ".scss",
        "scss",
        sigils="$",
        data=True,
    ),
    Language(
        "vue",
        ".vue",
        "vue",
        also="typescript",
        data=True,
    ),
    Language(
        "svelte",
        ".svelte",
        "svelte",
        also="typescript",
        data=True,
    ),
    Language("latex", ".tex .ltx .sty .cls", reader="latex", join=" > "),
    Language("restructuredtext", ".rst .rest", reader="rst", join=" > ", data=True),
    Language(
        "asciidoc", ".adoc .asciidoc .asc", reader="asciidoc", join=" > ", data=True, also="text"
    ),
    Language("csv", ".csv .tsv .tab", reader="delimited", data=True),
    Language("razor", ".razor .cshtml", reader="razor", also="csharp"),
    Language("sln", ".sln", reader="sln", data=True),
    Language("image", ".png .jpg .jpeg .gif .webp .bmp .tif .tiff .ico .heic .avif", reader="none"),
    Language("pdf", ".pdf", reader="document", join=" > "),
    Language("docx", ".docx .docm .dotx .dotm", reader="document", join=" > ", also="doc rtf"),
    Language("doc", ".doc", reader="document", join=" > ", also="docx html rtf"),
    Language("xlsx", ".xlsx .xlsm .xltx .xltm", reader="document", join=" > ", also="xls ods"),
    Language("xls", ".xls .xlt", reader="document", join=" > ", also="xlsx ods"),
    Language(
        "pptx", ".pptx .pptm .ppsx .ppsm .potx .potm", reader="document", join=" > ", also="odp"
    ),
    Language("odt", ".odt .ott", reader="document", join=" > ", also="docx"),
    Language("ods", ".ods .ots", reader="document", join=" > ", also="xlsx xls"),
    Language("odp", ".odp .otp", reader="document", join=" > ", also="pptx"),
    Language("epub", ".epub", reader="document", join=" > "),
    Language("rtf", ".rtf", reader="document", join=" > ", also="doc docx odt"),
    Language("notebook", ".ipynb", reader="document", join=" > "),
)
