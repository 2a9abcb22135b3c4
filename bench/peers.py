"""Compare ragit with other tools on the files of one repository, in one run.

    python bench/peers.py PATH [--semble PATH/TO/semble] [--repeat 5] [--name NAME] [--out FILE]

PATH is any git repository. It is cloned to a temporary folder; PATH itself is not changed, and
nothing is sent anywhere. Every figure is for a whole process. Tools take turns, so that a slow
moment of the machine affects all of them. A tool that is not installed is left out: `rg` and
`ctags` are looked for on PATH, semble (https://pypi.org/project/semble/) at the path of `--semble`.

semble downloads its model when it is first used. Here it gets a local model2vec model instead, with
the words and vectors of ragit's own model, so that both multiply tables of the same size. This
compares time and memory only; bench/QUALITY.md compares answers.

The tools do different work: semble indexes the files on disk and knows no commits; greps rank
nothing; ctags lists definitions.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from processes import Run, load, machine, run

from bench import QUERIES, Place, Row, command, table, write
from ragit.embed.modelfile import open_model
from ragit.embed.static import DEFAULT_MODEL

MAKE_MODEL = """
import json, sys
import numpy
from model2vec import StaticModel
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
folder = sys.argv[1]
words = json.load(open(folder + "/words.json"))
vectors = numpy.fromfile(folder + "/vectors.i8", dtype=numpy.int8).reshape(len(words), -1)
scales = numpy.fromfile(folder + "/scales.f32", dtype=numpy.float32)
tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, words[0]))
tokenizer.normalizer = normalizers.Lowercase()
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
model = StaticModel(vectors * scales[:, None], tokenizer, normalize=True)
model.save_pretrained(folder + "/model")
"""
"""Program for semble's Python, which has the packages to write such a model."""


class Peer:
    """A tool: its name, how it indexes (None: no index), how it searches, and what it does."""

    def __init__(
        self,
        name: str,
        what: str,
        *,
        index: Callable[[], Run] | None = None,
        search: Callable[[str], Run] | None = None,
    ) -> None:
        self.name = name
        self.what = what
        self.index = index
        self.search = search


def semble_model(semble: Path, folder: Path) -> Path:
    """Write ragit's words and vectors as a model2vec model, and return its folder."""
    file = open_model(DEFAULT_MODEL)
    scales, rows = file.sections()
    folder.mkdir()
    (folder / "words.json").write_text(json.dumps(file.words()), encoding="utf-8")
    (folder / "scales.f32").write_bytes(scales[: 4 * file.size])
    (folder / "vectors.i8").write_bytes(rows[: file.size * file.dimensions])
    subprocess.run(
        [str(semble.with_name("python")), "-c", MAKE_MODEL, str(folder)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder / "model"


def semble_peer(place: Place, semble: Path, folder: Path) -> Peer:
    """Return semble with a local model and a cache of its own. Its first search indexes."""
    cache = folder / "semble-cache"
    env = place.env | {
        "SEMBLE_MODEL_NAME": str(semble_model(semble, folder / "semble-model")),
        "XDG_CACHE_HOME": str(cache),
        "HF_HUB_OFFLINE": "1",
    }

    def search(query: str) -> Run:
        return run([str(semble), "search", query, "."], place.top, env)

    def index() -> Run:
        shutil.rmtree(cache, ignore_errors=True)
        return search(QUERIES[0])

    version = run([str(semble), "--version"], place.top, env).out.split()[-1]
    return Peer(f"semble {version}", "indexes code on disk, ranks", index=index, search=search)


def ragit_peer(place: Place) -> Peer:
    def index() -> Run:
        place.forget()
        return place.index()[0]

    what = "indexes commits, code and documents, ranks"
    return Peer("ragit", what, index=index, search=place.search)


def grep_peer(place: Place, name: str, words: list[str]) -> Peer:
    """Return a grep that counts the lines with a word of the query."""

    def search(query: str) -> Run:
        pattern = "|".join(re.findall(r"\w{4,}", query)) or query
        return run([*words, pattern, "."], place.top, place.env, ok=(0, 1))

    return Peer(name, "counts lines, ranks nothing", search=search)


def ctags_peer(place: Place, folder: Path) -> Peer:
    def index() -> Run:
        tags = str(folder / "tags")
        return run(["ctags", "-R", "--links=no", "-f", tags, "."], place.top, place.env)

    return Peer("ctags", "lists definitions", index=index)


def peers(place: Place, folder: Path, semble: Path | None) -> list[Peer]:
    """Return ragit and the tools that are installed."""
    found = [ragit_peer(place)]
    if semble:
        found.append(semble_peer(place, semble, folder))
    found.append(grep_peer(place, "git grep", ["git", "grep", "-c", "-i", "-E", "-e"]))
    if shutil.which("rg"):
        found.append(grep_peer(place, "ripgrep", ["rg", "-c", "-i", "-e"]))
    if shutil.which("ctags"):
        found.append(ctags_peer(place, folder))
    return found


def measure(place: Place, tools: list[Peer], repeat: int) -> dict[str, dict[str, list[Run]]]:
    """Return the runs of each step by tool: index from nothing, search, search after an edit."""
    indexing = [tool for tool in tools if tool.index]
    searching = [tool for tool in tools if tool.search]
    runs: dict[str, dict[str, list[Run]]] = {
        "index from nothing": {tool.name: [] for tool in indexing},
        "search": {tool.name: [] for tool in searching},
        "search after an edit": {tool.name: [] for tool in searching},
    }
    for _ in range(min(repeat, 3)):
        for tool in indexing:
            assert tool.index
            runs["index from nothing"][tool.name].append(tool.index())
    for tool in searching:
        assert tool.search
        tool.search(QUERIES[0])  # the first time reads files from disk
    for _ in range(repeat):
        for query in QUERIES:
            for tool in searching:
                assert tool.search
                runs["search"][tool.name].append(tool.search(query))
    for number, file in enumerate(place.sources(repeat)):
        with file.open("ab") as opened:
            opened.write(f"\n// changed {number}\n".encode())
        for tool in searching:
            assert tool.search
            runs["search after an edit"][tool.name].append(tool.search(QUERIES[0]))
    return runs


def rows(tools: list[Peer], runs: dict[str, dict[str, list[Run]]]) -> list[list[str]]:
    """Return a line for each step and tool, with the ratio of its processor time to ragit's."""
    lines = []
    for step, by_tool in runs.items():
        base = Row(step, by_tool["ragit"]).processor
        for tool in tools:
            if tool.name not in by_tool:
                continue
            row = Row(tool.name, by_tool[tool.name], tool.what)
            lines.append([step, *row.cells(), f"{row.processor / base:.2f}"])
            step = ""
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, metavar="PATH")
    parser.add_argument("--name", help="of the repository in the report; default: its folder's")
    parser.add_argument("--semble", type=Path, help="the command of an environment with semble")
    parser.add_argument("--repeat", type=int, default=5, help="rounds (at most 3: indexing)")
    parser.add_argument("--ragit", help="the command to measure; default: beside this Python")
    parser.add_argument("--out", type=Path, help="a Markdown file that gets this section")
    args = parser.parse_args()
    source = args.source.resolve()
    name = args.name or source.name.removesuffix(".git")
    ragit, before = command(args.ragit), load()
    with tempfile.TemporaryDirectory(prefix="ragit-peers-") as temporary:
        folder = Path(temporary)
        place = Place(source, folder, ragit)
        semble = args.semble and args.semble.absolute()
        tools = peers(place, folder, semble)
        measured = rows(tools, measure(place, tools, args.repeat))
        commit = place.git("log", "-1", "--format=%h of %cs")
    head = (
        "step",
        "tool",
        "median",
        "range",
        "processor",
        "peak memory",
        "does",
        "processor, ragit = 1",
    )
    lines = [
        f"## Other tools on {name}, {commit}",
        "",
        f"`python bench/peers.py`, {time.strftime('%Y-%m-%d')}. {machine(ragit)}. Load average: "
        f"{before} before, {load()} after.",
        "",
        *table(head, measured),
    ]
    print("\n".join(lines))
    if args.out:
        write(args.out, f"peers {name}", "\n".join(lines))


if __name__ == "__main__":
    main()
