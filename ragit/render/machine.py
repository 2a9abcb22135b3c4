"""Hits for programs: JSON for scripts, vimgrep for editors, Markdown for agents. docs/json.md describes the JSON."""

from __future__ import annotations

import json as jsonlib
import re
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from ragit.render.screen import UNSEEN, RenderOptions, counted, plain, visible
from ragit.render.snippet import best_line, marked, place_at, wanted_terms
from ragit.render.text import notes, qualified
from ragit.types import Answer, Hit, Optimized, WithoutVectors

# JSON itself escapes only below U+0020. These are the others that `visible` escapes.
_RAW = re.compile(f"[\x7f-\x9f\ud800-\udfff]|{UNSEEN}")


def dumps(value: Any, options: RenderOptions) -> str:
    """Return a value as JSON that is safe to print: on one line, or indented for a terminal."""
    text = jsonlib.dumps(
        value, ensure_ascii=options.ascii, allow_nan=False, indent=2 if options.color else None
    )
    return _RAW.sub(lambda match: jsonlib.dumps(match[0])[1:-1], text)


def json(answer: Answer, options: RenderOptions) -> Iterator[str]:
    """One JSON object."""
    whole: dict[str, Any] = {
        "query": plain(answer.query),
        "ref": plain(answer.ref),
        "tree": answer.tree,
        "complete": answer.complete,
        "missing": answer.missing,
        "degraded": answer.degraded or None,
        "took_ms": round(answer.took_ms, 3),
        "results": [_result(answer.query, hit) for hit in answer.hits],
    }
    whole.update(_lacking(answer))
    if answer.rewritten:
        words = {
            plain(word): [plain(one) for one in others]
            for word, others in answer.rewritten.words.items()
        }
        whole["rewritten"] = {
            "variants": [plain(text) for text in answer.rewritten.variants],
            "words": words,
        }
    if answer.reranked_by:
        model, candidates, took_ms = answer.reranked_by
        whole["reranked_by"] = {
            "model": plain(model),
            "candidates": candidates,
            "took_ms": round(took_ms, 3),
        }
    if options.explain:
        from ragit.render import explain

        for result, hit in zip(whole["results"], answer.hits, strict=True):
            result["explain"] = explain.hit_json(answer.query, hit, options)
        whole["demoted"] = [explain.demoted_json(one, options) for one in answer.demoted]
    yield dumps(whole, options)


def _lacking(answer: Answer) -> dict[str, Any]:
    """What there is to know of the searched tree besides its hits, as far as there is."""
    without = answer.without_vectors
    found = {
        "warnings": [plain(warning) for warning in answer.warnings],
        "absent": dict(sorted(answer.absent.items())),
        "unmatched_names": [plain(name) for name in answer.unmatched_names],
        "without_vectors": vectorless(without) if without else None,
        "undescribed": answer.undescribed,
        "deferred": answer.deferred,
    }
    return {name: value for name, value in found.items() if value}


def vectorless(found: WithoutVectors) -> dict[str, int]:
    """Chunks that lack their vectors, and of how many, as one object."""
    return {"chunks": found.chunks, "of": found.of}


def _result(query: str, hit: Hit) -> dict[str, Any]:
    result: dict[str, Any] = {
        "path": plain(hit.path),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "score": round(hit.score, 6),
        "language": hit.language,
        "kind": hit.kind,
        "symbol": plain(hit.symbol),
        "parent": plain(hit.parent),
        "place": plain(hit.place),
        "text": plain(hit.text),
        "blob": hit.blob,
        "signals": {name: round(value, 6) for name, value in hit.signals.items()},
        "terms": [plain(term) for term in hit.terms],
        "also": [plain(path) for path in hit.also],
    }
    if (raw := _raw_path(hit.path)) is not None:
        result["path_bytes"] = b64encode(raw).decode()
    if hit.numbers:
        result["best_place"] = plain(place_at(hit, best_line(query, hit).number))
    if hit.optimized:
        result["optimized"] = _optimized(hit.optimized)
    if hit.reranked:
        result["reranked"] = {"place": hit.reranked.place, "relevance": hit.reranked.relevance}
    return result


def _optimized(optimized: Optimized) -> dict[str, Any]:
    return {
        "mergedFrom": list(optimized.merged_from),
        "dedupedFrom": list(optimized.deduped_from),
        "fileCapped": optimized.file_capped,
    }


def _raw_path(path: str) -> bytes | None:
    """The bytes of a path that is not UTF-8; None if the path says it all."""
    if path.isascii() or plain(path) == path:
        return None
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte: not a path that git gave us
        return None


def vimgrep(answer: Answer, options: RenderOptions) -> Iterator[str]:
    """path:line:column:text per hit, at its best line; the column counts bytes from 1, as vim does."""
    del options  # an editor reads it: no colour, no cut
    for hit in answer.hits:
        line = best_line(answer.query, hit)
        start = 0
        for piece, match in marked(line.text, wanted_terms(answer.query, hit)):
            if match:
                break
            start += len(piece.encode("utf-8", "surrogatepass"))
        else:
            start = len(line.text) - len(line.text.lstrip())
        place = f"[{visible(place_at(hit, line.number))}] " if hit.place else ""
        yield f"{visible(hit.path)}:{line.number}:{start + 1}:{place}{visible(line.text)}"


def markdown(answer: Answer, options: RenderOptions) -> Iterator[str]:
    """A heading and a code block per hit, for an agent to read; what it must know of the answer comes first."""
    del options  # an agent wants the text itself, whole
    yield f"{counted(len(answer.hits), 'hit')} for {_code(answer.query)} in {_code(answer.ref)}"
    for note in notes(answer):
        yield ""
        yield f"> {note}"
    for hit in answer.hits:
        yield ""
        yield f"## {_code(f'{hit.path}:{hit.start_line}-{hit.end_line}')}"
        yield ""
        name = f"{_code(qualified(answer.query, hit))}, " if qualified(answer.query, hit) else ""
        place = f"{visible(hit.place)}, " if hit.place else ""
        yield f"{place}{name}{visible(hit.kind)}, score {hit.score:.3f}"
        yield ""
        yield from _block(hit)


def _block(hit: Hit) -> Iterator[str]:
    fence = "`" * max(3, _longest_run(hit.text) + 1)
    yield fence + re.sub(r"[^A-Za-z0-9+#_.-]", "", hit.language)
    for line in re.split(r"\r\n|\n|\r", hit.text):
        yield visible(line)
    yield fence


def _code(text: str) -> str:
    """A code span that the text cannot end: longer marks than any within, and spaces where it begins or ends so."""
    shown = visible(text)
    marks = "`" * (_longest_run(shown) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{marks}{pad}{shown}{pad}{marks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
