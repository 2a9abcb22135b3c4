"""Measure the effect and cost of a language model: descriptions, rewriting, reranking.

usage: python bench/models.py --repos DIR --specs FILE --annotations DIR [--only NAME ...]
                              --chat URL --model NAME [--rerank URL --provider NAME]
                              [--helpers NAME ...] [--max-tokens N] [--thought-tokens N]
                              [--candidates N] [--characters N] [--concurrency N]

URL is a server with OpenAI's chat completions (up to /v1), or for --rerank one with /rerank. The
files are those of bench/quality.py, the figures those of `ragit eval`; p is its test against the
same queries without help. "refused" counts answers without the model's help, since its output was
not understood or the request failed. Descriptions stay in each repository's index, so a second run
requests none; delete the index to measure their cost again. Thought tokens are the tokens that an
order or variants may take beyond their own length; a looping small model uses all of them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from quality import Task, tasks_of

import ragit
from ragit.evaluate import measures, paired
from ragit.judgements import Expected
from ragit.search import listwise, rewrite
from ragit.types import Answer

PATIENT = 600_000
"""Timeout in milliseconds, too long to matter: the ranking is measured, with the time."""

Flags = Mapping[str, object]


class Asked(NamedTuple):
    """One query under one configuration."""

    ndcg: float
    mrr: float
    ms: float
    helped: bool


class Cost(NamedTuple):
    """The cost of describing a repository; zero if it was described before."""

    chunks: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


def section(name: str, **settings: object) -> dict[str, object]:
    return {
        f"{name}.{key}": value
        for key, value in {"enabled": True, "timeoutMs": PATIENT, **settings}.items()
    }


def helpers(args: argparse.Namespace) -> dict[str, dict[str, object]]:
    """Return the settings of each kind of help, by its name in the report."""
    server = {"baseUrl": args.chat, "model": args.model}
    found = {
        "descriptions": section(
            "description", **server, concurrency=args.concurrency, maxTokens=args.max_tokens
        ),
        "rewriting": section("retrieval.queryRewriting", provider="chat", **server),
        "listwise": section(
            "retrieval.reranking", provider="chat", candidates=args.candidates, **server
        ),
    }
    found["listwise"] |= {"retrieval.reranking.maxDocChars": args.characters}
    if args.rerank:
        cross = section(
            "retrieval.reranking",
            provider=args.provider,
            baseUrl=args.rerank,
            candidates=args.candidates,
        )
        found["cross-encoder"] = cross | {"retrieval.reranking.maxDocChars": args.characters}
    return {name: found[name] for name in args.helpers or found}


def judged(task: Task, answer: Answer, helped: bool) -> Asked:
    hits = [Expected(hit.path, hit.start_line, hit.end_line) for hit in answer.hits]
    targets = [
        Expected(target) if isinstance(target, str) else Expected(**target)
        for target in task.targets
    ]
    figures = measures.figures(
        [measures.rank_of(target, hits) for target in targets], answer.took_ms
    )
    return Asked(figures.ndcg, figures.mrr, figures.p50_ms, helped)


def had_part(name: str, answer: Answer) -> bool:
    if name in ("listwise", "cross-encoder"):
        return answer.reranked_by is not None
    return answer.rewritten is not None if name == "rewriting" else True


def measured(repo: Path, tasks: list[Task], name: str, flags: Flags) -> tuple[list[Asked], Cost]:
    with ragit.open(repo, flags=flags) as index:
        report = index.index()
        asked = [index.search(task.query, scope="committed") for task in tasks]
    found = [
        judged(task, answer, had_part(name, answer))
        for task, answer in zip(tasks, asked, strict=True)
    ]
    said = report.described
    if said is None or not said.chunks + said.failed:
        return found, Cost()
    if said.failed:
        print(f"{repo.name}: {said.failed} not described: {said.why}")
    return found, Cost(said.chunks, said.failed, said.tokens_in, said.tokens_out, report.seconds)


def row(name: str, found: list[Asked], usual: list[Asked]) -> str:
    """Return one line of the table."""
    ndcg, before = [one.ndcg for one in found], [one.ndcg for one in usual]
    p = f"{paired.compare(before, ndcg).p:.3f}" if found is not usual else ""
    ms = median(one.ms for one in found)
    times = ms / median(one.ms for one in usual)
    refused = sum(not one.helped for one in found)
    change = f"{mean(ndcg) - mean(before):+.3f} | {p}" if p else " | "
    return (
        f"| {name} | {len(found)} | {mean(ndcg):.3f} | {change} "
        f"| {mean(one.mrr for one in found):.3f} | {ms:.0f} | {times:.1f}x | {refused} |"
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("--repos", "--specs", "--annotations"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--chat", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--rerank", default="")
    parser.add_argument("--provider", default="llama.cpp")
    parser.add_argument("--helpers", nargs="*", default=[])
    parser.add_argument("--candidates", type=int, default=20)
    parser.add_argument("--characters", type=int, default=1200)
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--max-tokens", type=int, default=300)
    parser.add_argument("--thought-tokens", type=int, default=listwise.THOUGHT_TOKENS)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    listwise.THOUGHT_TOKENS = rewrite.THOUGHT_TOKENS = args.thought_tokens
    arms: dict[str, dict[str, object]] = {"without": {}, **helpers(args)}
    rows: dict[str, list[Asked]] = {name: [] for name in arms}
    costs: list[Cost] = []
    for spec in json.loads(args.specs.read_text()):
        if args.only and spec["name"] not in args.only:
            continue
        tasks = tasks_of(spec, args.annotations)
        for name, flags in arms.items():
            found, cost = measured(args.repos / spec["name"], tasks, name, flags)
            rows[name] += found
            costs.append(cost)
    print(f"{args.model}\n")
    print("| help | queries | NDCG@10 | change | p | MRR | p50 ms | of without | refused |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, found in rows.items():
        print(row(name, found, rows["without"]))
    chunks, failed, read, written, seconds = (sum(column) for column in zip(*costs, strict=True))
    if chunks:
        print(
            f"\n{chunks} chunks described, {failed} not, in {seconds:.0f} s, "
            f"{chunks / seconds:.1f} a second; for each,"
        )
        print(f"{read / chunks:.0f} tokens were read and {written / chunks:.0f} written")


if __name__ == "__main__":
    main()
