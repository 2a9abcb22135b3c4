"""Download the source packages of packages.toml, by name and version, with the registries' clients.

No code of a package is run: Python packages are wheels, since pip would run the build script of an
sdist; others come by `npm pack` without scripts and `apt-get source --tar-only`. Only source and
documentation files are unpacked, without vendored copies of other projects.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import tomllib

PERMISSIVE = {
    *(
        "0BSD",
        "Apache-2.0",
        "Artistic-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSL-1.0",
        "CC0-1.0",
        "FTL",
        "ISC",
        "Libpng",
    ),
    *(
        "MIT",
        "MIT-0",
        "OpenSSL",
        "PostgreSQL",
        "PSF-2.0",
        "Python-2.0",
        "Unlicense",
        "X11",
        "Zlib",
        "ZPL-2.1",
        "public-domain",
    ),
}

SUFFIXES = {
    *(
        ".bash",
        ".c",
        ".cc",
        ".cpp",
        ".cs",
        ".cxx",
        ".erl",
        ".ex",
        ".exs",
        ".go",
        ".h",
        ".hh",
        ".hpp",
        ".hs",
        ".hxx",
        ".java",
    ),
    *(
        ".js",
        ".jsx",
        ".kt",
        ".kts",
        ".lua",
        ".md",
        ".mjs",
        ".php",
        ".py",
        ".rb",
        ".rs",
        ".rst",
        ".scala",
        ".sh",
        ".swift",
    ),
    *(".ts", ".tsx", ".zig", ".m", ".mm"),
}

LARGEST = 400_000
"""Largest file in bytes. Larger files are generated, bundled or data."""

AT_ONCE = 25
"""Packages that one call of a registry's client downloads."""

_DATA_ARCHIVE = re.compile(r"\.orig-[^.]*(models?|tests?)\.")
"""Additional archives of a Debian package without source code."""

_NOT_THEIRS = re.compile(
    r"(^|/)(vendor|vendored|_vendor|third[-_]?party|3rdparty|external|extern|deps|node_modules"
    r"|bundled|Pods|debian|dist|\.git"
    r"|snapkit|axios|bash-it|circe|cobra|flask|fmt|fmtlib|gson|guzzle\w*|http4s|httpx|jackson"
    r"|kotlinx-coroutines\w*|libuv|uv|messagepack\w*|mini\.nvim|monolog|newtonsoft[.\w]*"
    r"|nlohmann\w*|nvm|pandoc|phoenix|pydantic\w*|rails|redis|redux|serde\w*|starlette"
    r"|telescope\w*|vapor|vitest|zls|abseil\w*|absl|aeson|aiohttp|alamofire|axum|bats|bats-core"
    r"|cats|chi|curl|dapper|ecto|exposed|express|fastapi|gin|commons-lang\w*|lang3|kafka|ktor"
    r"|laravel|illuminate|lazy\.nvim|model2vec|plug|rack"
    r"|requests|sinatra|tokio\w*|trpc|xmonad|zig-clap|zod|click|django|matplotlib|sklearn|rocksdb|hiredis"
    r"|sympy|sphinx|_?pytest|astropy|pylint|xarray|seaborn"
    r"|viper|bubbletea|bat|koa|hono|tmux|leveldb\w*|scrapy|hlint|composer|junit\w*|sidekiq"
    r"|automapper|kingfisher|os-lib|koin|plenary\.nvim|poetry\w*|mux|retrofit\w*|jekyll|slim|jq"
    r"|polly|swift-argument-parser|absinthe|ripgrep|quart|zap|immer|moshi)(/|$)",
    re.IGNORECASE,
)
"""Directories of vendored copies, and of projects that quality is measured with, at any depth."""


class Package(NamedTuple):
    """One line of packages.toml."""

    registry: str
    name: str
    version: str
    licence: str


def packages(listing: Path) -> list[Package]:
    """Return all packages of the list. Exits for a licence that is not permissive."""
    found = [
        Package(registry, row["name"], row["version"], row["licence"])
        for registry, rows in tomllib.loads(listing.read_text()).items()
        for row in rows
    ]
    for package in found:
        if not set(re.split(r" and | or ", package.licence)) <= PERMISSIVE:
            raise SystemExit(f"{package.name}: {package.licence} is not a permissive licence")
    return found


def fetch(listing: Path, work: Path) -> Path:
    """Download and unpack what is missing, and return the folder of sources."""
    sources = work / "sources"
    missing = [package for package in packages(listing) if not _folder(sources, package).exists()]
    for registry, download in DOWNLOADS.items():
        wanted = [package for package in missing if package.registry == registry]
        archives = work / "archives" / registry
        archives.mkdir(parents=True, exist_ok=True)
        for package, files in download(wanted, archives):
            unpack(files, _folder(sources, package))
            print(f"fetched {registry} {package.name} {package.version}", flush=True)
    return sources


def unpack(archives: list[Path], target: Path) -> None:
    """Write the source files of archives under `target`, which appears only when complete."""
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for archive in archives:
        for name, content in _members(archive):
            place = partial.joinpath(*PurePosixPath(name).parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.is_dir():
                place.write_bytes(content)
    partial.rename(target)


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as zipped:
            for info in zipped.infolist():
                if _wanted(info.filename, info.file_size) or info.filename.endswith("/METADATA"):
                    yield info.filename.replace("METADATA", "README.md"), zipped.read(info)
        return
    with tarfile.open(archive) as packed:
        for member in packed:
            inner = member.name.partition("/")[2]
            if member.isfile() and _wanted(inner, member.size):
                content = packed.extractfile(member)
                if content is not None:
                    yield inner, content.read()


def _wanted(name: str, size: int) -> bool:
    path = PurePosixPath(name)
    if (
        path.is_absolute()
        or ".." in path.parts
        or len(name.encode()) > 220
        or path.name.endswith((".min.js", ".d.ts.map"))
    ):
        return False
    return (
        path.suffix in SUFFIXES and 0 < size <= LARGEST and not _NOT_THEIRS.search(str(path.parent))
    )


def _folder(sources: Path, package: Package) -> Path:
    return (
        sources
        / package.registry
        / f"{package.name.replace('/', '+')}@{package.version.replace(':', '+')}"
    )


def _pypi(wanted: list[Package], archives: Path) -> Iterator[tuple[Package, list[Path]]]:
    def file(package: Package) -> list[Path]:
        name = re.sub(r"[-_.]+", "[-_.]", package.name)
        return [
            one
            for one in archives.glob("*.whl")
            if re.match(rf"{name}-{re.escape(package.version)}-", one.name, re.IGNORECASE)
        ]

    command = ["python3", "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"]
    missing = [f"{one.name}=={one.version}" for one in wanted if not file(one)]
    for start in range(0, len(missing), AT_ONCE):
        specs = missing[start : start + AT_ONCE]
        subprocess.run([*command, "-d", str(archives), *specs], check=True)
    yield from ((package, file(package)) for package in wanted)


def _npm(wanted: list[Package], archives: Path) -> Iterator[tuple[Package, list[Path]]]:
    def file(package: Package) -> Path:
        return archives / f"{package.name.lstrip('@').replace('/', '-')}-{package.version}.tgz"

    command = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(archives)]
    missing = [package for package in wanted if not file(package).exists()]
    for start in range(0, len(missing), AT_ONCE):
        specs = [f"{one.name}@{one.version}" for one in missing[start : start + AT_ONCE]]
        subprocess.run([*command, *specs], check=True, stdout=subprocess.DEVNULL)
    yield from ((package, [file(package)]) for package in wanted)


def _debian(wanted: list[Package], archives: Path) -> Iterator[tuple[Package, list[Path]]]:
    def files(package: Package) -> list[Path]:
        upstream = re.sub(r"^\d+:|-[^-]+$", "", package.version)
        pattern = f"{package.name}_{upstream}.orig*.tar.*[!c]"  # not the detached signature, .asc
        found = sorted(archives.glob(pattern))
        return [one for one in found if not _DATA_ARCHIVE.search(one.name)]

    options = apt_options(archives.parent / "apt") if wanted else []
    command = ["apt-get", *options, "-q", "source", "--download-only", "--tar-only"]
    missing = [f"{package.name}={package.version}" for package in wanted if not files(package)]
    for start in range(0, len(missing), AT_ONCE):
        specs = missing[start : start + AT_ONCE]
        subprocess.run([*command, *specs], check=True, cwd=archives)
    yield from ((package, files(package)) for package in wanted)


def apt_options(state: Path) -> list[str]:
    """Return apt options that add the system's source packages without changing its settings."""
    parts, lists = state / "parts", state / "lists"
    options = [
        "Dir::Etc::sourcelist=/dev/null",
        f"Dir::Etc::sourceparts={parts}",
        f"Dir::State::lists={lists}",
    ]
    options += ["APT::Sandbox::User=root"]
    arguments = [part for option in options for part in ("-o", option)]
    if not lists.exists():
        parts.mkdir(parents=True)
        lists.mkdir()
        for file in Path("/etc/apt/sources.list.d").glob("*.sources"):
            (parts / file.name).write_text(
                re.sub(r"(?m)^Types:.*$", "Types: deb-src", file.read_text())
            )
        subprocess.run(
            ["apt-get", *arguments, "-q", "update"], check=True, env=os.environ | {"LC_ALL": "C"}
        )
    return arguments


Download = Callable[[list[Package], Path], Iterator[tuple[Package, list[Path]]]]
DOWNLOADS: dict[str, Download] = {"pypi": _pypi, "npm": _npm, "debian": _debian}
