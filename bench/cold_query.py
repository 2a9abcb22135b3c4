"""Measure a cold search with and without an embedding server: python bench/cold_query.py

The server runs on this machine and answers at once, so the difference is ragit's own cost:
importing a client, opening a connection, one request. Prints medians of wall and processor time.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

RUNS = 15


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def do_POST(self) -> None:
        asked: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vectors = [[float(len(text) % 7 + 1), 1.0, 2.0, 3.0] for text in asked["input"]]
        rows = [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]
        body = json.dumps({"data": rows, "embeddings": vectors}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def run(repo: Path, *args: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ragit", *args], cwd=repo, capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        sys.exit(f"ragit {' '.join(args)}: {done.stderr}")


def measured(repo: Path) -> tuple[float, float]:
    """Return the medians of wall and processor milliseconds of a search."""
    walls, processor = [], []
    for number in range(RUNS + 1):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        run(repo, "search", f"where is number {number} added")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if number:  # the first warms the file system
            walls.append(time.perf_counter() - started)
            processor.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * statistics.median(walls), 1000 * statistics.median(processor)


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        repo = Path(folder) / "repo"
        repo.mkdir()
        for number in range(200):
            text = f"def add_{number}(a, b):\n    return a + b + {number}\n"
            (repo / f"m{number}.py").write_text(text)
        git = ["git", "-C", str(repo), "-c", "user.name=a", "-c", "user.email=a@example.org"]
        for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
            subprocess.run([*git, *args], check=True)
        for provider, base_url in (
            ("static", ""),
            ("ollama", address),
            ("openai", f"{address}/v1"),
        ):
            for name, value in (
                ("provider", provider),
                ("baseUrl", base_url),
                ("model", "" if provider == "static" else "m"),
            ):
                subprocess.run([*git, "config", f"ragit.embedding.{name}", value], check=True)
            run(repo, "index", "-q")
            wall, processor = measured(repo)
            print(f"{provider:8} {wall:5.0f} ms wall, {processor:5.0f} ms processor time")


if __name__ == "__main__":
    main()
