"""Tests of the training list: permissive licences, and no benchmark project."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

TRAINING = Path(__file__).parents[2] / "training"
ROW = re.compile(r'\{ name = "([^"]+)", version = "([^"]+)", licence = "([^"]+)" \}')

MEASURED = """
abseil absl aeson aiohttp alamofire axum bats cats chi commons-lang curl dapper ecto exposed express fastapi gin ktor
laravel lazy.nvim model2vec plug rack requests sinatra tokio trpc xmonad zig-clap zod kafka
snapkit axios bash-it circe click cobra flask fmt fmtlib gson guzzle http4s httpx jackson-databind kotlinx-coroutines
libuv messagepack-csharp mini.nvim monolog newtonsoft nlohmann nvm pandoc phoenix pydantic rails redis redux serde
starlette telescope.nvim vapor vitest zig zls
sympy pytest sphinx astropy pylint xarray seaborn django matplotlib scikit-learn
""".split()
"""Projects of the benchmark, those kept back from it, and those of the issues."""

RELATIVES = """
rocksdb level classic-level leveldown plyvel hiredis redis-plus-plus redis-py nunit junit4 junit5
poetry-core poetry-plugin-export channels daphne asgiref actionpack actionview activerecord
activesupport railties thor mustermann rack-test rack-protection tower tower-http mio tracing bytes
tokio-util axum-core globset ignore grep-searcher grep-printer serde-json serde-derive pydantic-core
pydantic-settings werkzeug-flask sphinxcontrib astroid mpmath skorch ktor-client kotlinx-serialization
jackson-core jackson-annotations phoenix-html phoenix-live-view phoenix-pubsub ecto-sql plug-cowboy
redux-toolkit react-redux luv zigc ziglang pandoc-types text-pandoc cats-effect illuminate lumen
clikt libcurl pycurl
""".split()
"""Forks, ports, bindings and parts of those projects."""

SETS = Path(__file__).parents[2] / "bench" / "quality_repositories.json"


@pytest.fixture(scope="module")
def listed() -> list[tuple[str, str, str]]:
    rows: list[tuple[str, str, str]] = ROW.findall((TRAINING / "packages.toml").read_text())
    assert len(rows) > 300
    return rows


def test_no_training_package_is_a_benchmark_project(
    listed: list[tuple[str, str, str]],
) -> None:
    decoration = r"(@|ruby-|python-|php-|lua-|golang-\S+-|haskell-|elixir-|rust-|node-|lib)?"
    sources = [one["name"].lower().partition("/")[2] for one in json.loads(SETS.read_text())]
    assert len(sources) > 25
    measured = [*MEASURED, *RELATIVES, *sources]
    named = re.compile(
        rf"{decoration}({'|'.join(map(re.escape, measured))})(-(java|php|core|parser))?(/.*)?",
        re.IGNORECASE,
    )
    assert [name for name, _, _ in listed if named.fullmatch(name)] == []


def test_licences_are_permissive_and_versions_fixed(listed: list[tuple[str, str, str]]) -> None:
    for name, version, licence in listed:
        assert not re.search(r"GPL|MPL|EPL|CDDL|CC-BY", licence), name
        assert re.match(r"[0-9]", version), name


def test_model_card_names_the_shipped_model() -> None:
    from ragit.embed.modelfile import ModelFile
    from ragit.embed.static import DEFAULT_MODEL

    assert ModelFile(DEFAULT_MODEL).digest.hex() in (TRAINING / "MODEL_CARD.md").read_text()
