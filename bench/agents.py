"""Measure the cost of `ragit mcp` for an agent: its start, its list of tools, and its answers.

usage: python bench/agents.py [--repos DIR --specs FILE --annotations DIR] [--repo NAME ...]
                              [--warm DIR] [--encoding NAME]

Without options: processor time and peak memory until the tools are listed, and the tokens of the
list. DIR and the other files are those of bench/quality.py. `--warm DIR` sends the queries of the
annotations to a running server in that repository, and prints the processor time of a call, with
child processes.

The tokens of answers are measured as in semble's benchmark (MinishLab/semble,
benchmarks/token_efficiency.py): fifty hits are read in order; a target is found when a hit in its
file that overlaps its lines was read. Recall at N is the share of a query's targets found within N
tokens; expected tokens are those read until the first target is found, 32,000 if none is. Unlike
there, everything that the model receives is counted, with the last line of each page and notes. A
token is taken as four characters; `--encoding` counts by that encoding of tiktoken.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from quality import Task, holds, tasks_of

from ragit.mcp import listing, search
from ragit.mcp.tools import INSTRUCTIONS, TOOLS
from ragit.mcp.workspace import Asked, Workspace
from ragit.types import Answer

BUDGETS = (500, 1000, 2000, 4000)
CAP = 32_000
STARTS = 5

Count = Callable[[str], int]


def by_characters(text: str) -> int:
    return -(-len(text) // 4)


def by_encoding(name: str) -> Count:
    import tiktoken

    encoding = tiktoken.get_encoding(name)
    return lambda text: len(encoding.encode(text, disallowed_special=()))


# -- start


def message(number: int, method: str, **params: Any) -> bytes:
    said = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(said).encode() + b"\n"


class Started(NamedTuple):
    seconds: float
    """Processor time, with child processes."""
    kilobytes: int
    answered: bytes


def started(folder: Path) -> Started:
    """Start a server, list its tools, and measure it until then."""
    hello = message(
        1,
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo={"name": "bench", "version": "1"},
    )
    server = subprocess.Popen(
        [sys.executable, "-m", "ragit", "mcp"],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert server.stdin
    assert server.stdout
    server.stdin.write(hello + message(2, "tools/list"))
    server.stdin.flush()
    server.stdout.readline()
    answered = server.stdout.readline()
    process = Path(f"/proc/{server.pid}")
    fields = (process / "stat").read_text().rpartition(") ")[2].split()
    ticks = sum(map(int, fields[11:15]))
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines())
    server.stdin.close()
    server.wait()
    server.stdout.close()
    return Started(ticks / os.sysconf("SC_CLK_TCK"), int(status["VmHWM"].split()[0]), answered)


def report_start(count: Count) -> None:
    runs = [started(Path(__file__).parent) for _ in range(STARTS)]
    seconds = [run.seconds for run in runs]
    print(
        f"start to the list of tools: {median(seconds):.2f} s of processor time"
        f" ({min(seconds):.2f} to {max(seconds):.2f}),"
        f" {median(run.kilobytes for run in runs) / 1000:.0f} MB"
    )
    listed = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}
        for tool in TOOLS
    ]
    sizes = [count(json.dumps(tool)) for tool in listed]
    print(f"tools: {sum(sizes):,} tokens ({sizes}), instructions: {count(INSTRUCTIONS):,}")


# -- answers


def ask(workspace: Workspace, query: str) -> Answer:
    """Return the answer to a query once all of the tree is indexed."""
    with workspace.opened() as opened:
        return opened.ask(search.query_of({"query": query}))


def first_page(found: Answer) -> str:
    return next(pages(found))[0]


class Read(NamedTuple):
    """The tokens up to the end of a hit, and the targets found by then."""

    tokens: int
    found: int


def pages(found: Answer) -> Iterator[tuple[str, int]]:
    """Yield the pages of an answer, each with the number of the hit after its last."""
    whole = search.listing(Asked(found))
    cursor = listing.start(whole, TOOLS[0].name, {"query": found.query})
    while True:
        text = listing.page(whole, cursor, listing.size_of(None, TOOLS[0].tokens))
        more = text.rpartition("\n")[2].rpartition("cursor=")[2]
        if "next page" not in text.rpartition("\n")[2]:
            yield text, whole.length
            return
        cursor = listing.parsed(more)
        yield text, cursor.offset


def curve(found: Answer, task: Task, count: Count) -> list[Read]:
    """Return the tokens read and the targets found after each hit."""
    covered = [False] * len(task.targets)
    points = [Read(0, 0)]
    whole = search.listing(Asked(found))
    before = first = 0
    for text, end in pages(found):
        read = ""
        for at in range(first, end):
            hit = found.hits[at]
            read += "\n".join(whole.block(at, first)) + "\n"
            for number, target in enumerate(task.targets):
                covered[number] |= holds(target, hit.path, hit.start_line, hit.end_line)
            points.append(Read(before + count(read), sum(covered)))
        before, first = before + count(text), end
    return points


def recall(points: list[Read], task: Task, budget: int) -> float:
    return max(read.found for read in points if read.tokens <= budget) / len(task.targets)


def cost(points: list[Read]) -> int:
    return next((read.tokens for read in points if read.found), CAP)


def report_answers(args: argparse.Namespace, count: Count) -> None:
    curves: list[tuple[Task, list[Read]]] = []
    whole_pages: list[int] = []
    for spec in json.loads(args.specs.read_text()):
        if args.repo and spec["name"] not in args.repo:
            continue
        workspace = Workspace(args.repos / spec["name"], os.environ)
        mine = []
        for task in tasks_of(spec, args.annotations):
            if not task.targets:
                continue
            found = ask(workspace, task.query)
            mine.append((task, curve(found, task, count)))
            whole_pages.append(count(first_page(found)))
        workspace.close()
        curves += mine
        print(f"{spec['name']:<20} {summary(mine)}", flush=True)
    print(f"{'all':<20} {summary(curves)}")
    symbols = [one for one in curves if one[0].category == "symbol"]
    print(f"{'symbols':<20} {summary(symbols)}")
    misses = sum(not points[-1].found for _, points in curves)
    print(f"{misses} of {len(curves)} queries find nothing; first page: {mean(whole_pages):.0f}")


def summary(curves: list[tuple[Task, list[Read]]]) -> str:
    if not curves:
        return "no queries"
    at = "  ".join(
        f"{mean(recall(points, task, budget) for task, points in curves):.3f}" for budget in BUDGETS
    )
    costs = [cost(points) for _, points in curves]
    return f"recall {at}  expected {mean(costs):.0f}  median {median(costs):.0f}"


# -- a running server


def processor() -> float:
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def report_warm(args: argparse.Namespace) -> None:
    queries = [
        task.query
        for spec in json.loads(args.specs.read_text())
        for task in tasks_of(spec, args.annotations)
    ][:100]
    workspace = Workspace(args.warm, os.environ)
    ask(workspace, "warm up")
    took = []
    for query in queries:
        before = processor()
        first_page(ask(workspace, query))
        took.append((processor() - before) * 1000)
    workspace.close()
    took.sort()
    print(
        f"{len(took)} new queries in a running server: {median(took):.0f} ms of processor time,"
        f" 95 of 100 within {took[len(took) * 95 // 100]:.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--specs", type=Path)
    parser.add_argument("--annotations", type=Path)
    parser.add_argument("--repo", action="append", default=[])
    parser.add_argument("--warm", type=Path)
    parser.add_argument("--encoding", default="")
    args = parser.parse_args()
    count = by_encoding(args.encoding) if args.encoding else by_characters
    if args.repos:
        report_answers(args, count)
    elif args.warm:
        report_warm(args)
    else:
        report_start(count)


if __name__ == "__main__":
    main()
