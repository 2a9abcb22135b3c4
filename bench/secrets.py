"""Measure how many random passwords are sent, and how many lines of repositories are redacted.

python bench/secrets.py                       400 passwords of each alphabet, in all forms
python bench/secrets.py --forms --count 100   the same for each form
python bench/secrets.py --repos DIR...        changed lines in each repository
"""

from __future__ import annotations

import argparse
import html
import random
import string
import subprocess
import sys
import urllib.parse
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "remote"))
import planted  # noqa: E402

from ragit.remote.secrets import redact  # noqa: E402

LETTERS = string.ascii_letters + string.digits
ALPHABETS = {
    "letters, digits": (LETTERS, 20),
    "!@#$%^&*": (LETTERS + "!@#$%^&*", 20),
    "managers": (LETTERS + "!#$%&()*+,-./:;<=>?@[]^_{|}~", 20),
    "all signs": (LETTERS + string.punctuation, 20),
    "Django": ("abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)", 50),
    "base64": (LETTERS + "+/", 44),
    "URL-safe": (LETTERS + "-_", 32),
    "hex": ("0123456789abcdef", 32),
    "lower, digits": (string.ascii_lowercase + string.digits, 20),
    "letters": (string.ascii_letters, 20),
    "base32": ("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32),
}
FORMS = {kind: text for kind, text in planted.ALL.items() if "§" in text}
CHUNK = 60
"""Lines of a piece of a file, about as long as a chunk."""


def written(kind: str, text: str, secret: str) -> str:
    """Return a password as a form needs it: escaped, or without characters that need quotes."""
    at = text.index("§")
    before = text[at - 1 : at]
    if "://" in text[max(0, at - 12) : at]:
        return urllib.parse.quote(secret, safe="!$&'()*+,;=-._~")
    if "xml" in kind or "plist" in kind or "jsx" in kind:
        return html.escape(secret)
    if text[at - 2 : at] == '\\"':
        return secret.replace("\\", "\\\\\\\\").replace('"', '\\\\\\"')
    if before in "\"'`":
        return secret.replace("\\", "\\\\").replace(before, "\\" + before)
    taken = "\"'`\\ #,;|" + (";|&<>()$*?[]{}!~" if kind.startswith("commands") else "")
    return "".join(letter for letter in secret if letter not in taken).lstrip("-")


def leaks(text: str, secret: str) -> bool:
    """Return whether 8 or more consecutive characters of the secret are left."""
    clean = redact(text.replace("§", secret))
    return any(secret[at : at + 8] in clean for at in range(len(secret) - 7))


def share(kind: str, name: str, count: int) -> tuple[int, int]:
    """Return how many passwords of an alphabet leak in a form, and their number."""
    alphabet, length = ALPHABETS[name]
    rng = random.Random(f"{kind} {name}")
    leaked = tried = 0
    for _ in range(count):
        secret = written(kind, FORMS[kind], "".join(rng.choices(alphabet, k=length)))
        if len(secret) >= 8:
            tried += 1
            leaked += leaks(FORMS[kind], secret)
    return leaked, tried


def changed(repo: Path) -> tuple[int, Counter[str]]:
    """Return the number of changed lines of a repository, and the kinds of findings."""
    found: Counter[str] = Counter()
    lines = 0
    listed = subprocess.run(["git", "-C", repo, "ls-files", "-z"], capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        file = repo / name
        if not name or not file.is_file() or file.is_symlink():
            continue
        data = file.read_bytes()
        if b"\0" in data[:8000] or len(data) > 1_000_000:
            continue
        text = data.decode("utf-8", "replace").split("\n")
        for start in range(0, len(text), CHUNK):
            piece = text[start : start + CHUNK]
            clean = redact("\n".join(piece), found).split("\n")
            lines += sum(one != other for one, other in zip(piece, clean, strict=False))
    return lines, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--forms", action="store_true")
    parser.add_argument("--repos", type=Path, nargs="+", default=[])
    options = parser.parse_args()
    for repo in options.repos:
        lines, found = changed(repo)
        print(f"{repo.name}: {lines} lines, {dict(found.most_common())}")
    if options.repos:
        return
    each = options.count if options.forms else max(1, options.count // len(FORMS) + 1)
    for name in ALPHABETS:
        counts = {kind: share(kind, name, each) for kind in FORMS}
        leaked, tried = map(sum, zip(*counts.values(), strict=True))
        print(f"{name:16} {100 * leaked / tried:5.2f} % of {tried:,}")
        if options.forms:
            for kind, (bad, all_of_it) in counts.items():
                if bad > all_of_it / 100:
                    print(f"    {kind}: {bad} of {all_of_it}")


if __name__ == "__main__":
    main()
