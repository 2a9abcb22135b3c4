"""Renders hits for programs: JSON (docs/json.md), vimgrep for editors, Markdown for agents."""

from __future__ import annotations

import json as jsonlib
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Any

from ragit.render.screen import INVISIBLE, UNSEEN, RenderOptions, counted, from_here, plain, visible
from ragit.render.snippet import Line, first_lines, marked, place_at, shown_line, wanted_terms
from ragit.render.text import history, left_out, members, notes, qualified
from ragit.types import Answer, Hit, Optimized, RefSpan, WithoutVectors

# JSON itself escapes only below U+0020. These are the others that `visible` escapes.
_RAW = re.compile(f"[\x7f-\x9f\ud800-\udfff]|{UNSEEN}")
_ODD = re.compile(f"[\x7f-\x9f\ud800-\udfff{INVISIBLE}\u200c\u200d\ufe0e\ufe0f]")
"""First characters of what `_RAW` matches: one class is found ten times as fast."""


def dumps(value: Any, options: RenderOptions) -> str:
    """Return a value as JSON that is safe to print, on one line, or indented for a terminal."""
    text = jsonlib.dumps(
        value,
        ensure_ascii=options.ascii,
        allow_nan=False,
        indent=2 if options.color else None,
        separators=None if options.color else (",", ":"),
    )
    return _ODD.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """Return a character as JSON escapes it, if what is before it makes it one to escape."""
    return jsonlib.dumps(found[0])[1:-1] if _RAW.match(found.string, found.start()) else found[0]


def json(answer: Answer, options: RenderOptions) -> Iterator[str]:
    """Yield one JSON object."""
    whole: dict[str, Any] = {
        "query": plain(answer.query),
        "ref": plain(answer.ref),
        "tree": answer.tree,
        **({"root": plain(options.root)} if options.root else {}),
        "complete": answer.complete,
        "missing": answer.completeness.missing,
        "degraded": answer.degraded or None,
        "took_ms": round(answer.took_ms, 3),
        "results": [_result(answer.query, hit, options) for hit in answer.hits],
    }
    whole.update(_facts(answer))
    if options.explain:
        from ragit.render import explain

        for result, hit in zip(whole["results"], answer.hits, strict=True):
            result["explain"] = explain.hit_json(answer.query, hit, options)
        whole["demoted"] = [explain.demoted_json(one, options) for one in answer.demoted]
    yield dumps(whole, options)


def _facts(answer: Answer) -> dict[str, Any]:
    """Return the non-empty fields of an answer besides its hits."""
    how = answer.completeness
    found = {
        "without": answer.without._asdict() if answer.without else None,
        "looked_at": answer.looked_at._asdict() if answer.looked_at else None,
        "notes": [plain(note) for note in answer.notes],
        "warnings": [plain(warning) for warning in answer.warnings],
        "absent": dict(sorted(how.absent.items())),
        "unsearched": dict(sorted(how.unsearched.items())),
        "unmatched_names": [plain(name) for name in answer.unmatched_names],
        "without_vectors": vectorless(how.without_vectors) if how.without_vectors else None,
        "undescribed": how.undescribed,
        "deferred": how.deferred,
        "left_out": answer.left_out,
        "rewritten": _rewritten(answer),
        "reranked_by": _reranked_by(answer),
    }
    return {name: value for name, value in found.items() if value}


def _rewritten(answer: Answer) -> dict[str, Any]:
    if not answer.rewritten:
        return {}
    words = {
        plain(word): [plain(one) for one in others]
        for word, others in answer.rewritten.words.items()
    }
    return {"variants": [plain(text) for text in answer.rewritten.variants], "words": words}


def _reranked_by(answer: Answer) -> dict[str, Any]:
    if not answer.reranked_by:
        return {}
    model, candidates, took_ms = answer.reranked_by
    return {"model": plain(model), "candidates": candidates, "took_ms": round(took_ms, 3)}


def vectorless(found: WithoutVectors) -> dict[str, int]:
    """Return the number of chunks without vectors, and of all chunks."""
    return {"chunks": found.chunks, "of": found.of}


def _result(query: str, hit: Hit, options: RenderOptions) -> dict[str, Any]:
    lines = first_lines(query, hit, options.max_lines)
    text = "\n".join(line.text for line in lines) if lines else hit.text
    result: dict[str, Any] = {
        "path": plain(hit.path),
        "line": shown_line(query, hit).number,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "score": round(hit.score, 4),
        "language": hit.language,
        "kind": hit.kind,
        "symbol": plain(hit.symbol),
    }
    optional: dict[str, Any] = {
        "parent": plain(hit.parent),
        "definitions": _as_json(hit.definitions),
        "members": _as_json(hit.members),
        "location": plain(hit.place),
        "best_location": plain(place_at(hit, shown_line(query, hit).number)) if hit.numbers else "",
        "same_content": [plain(path) for path in hit.also],
        "path_bytes": raw_path(hit.path),
        "last_stood": _last_stood(hit),
        "ref": plain(hit.ref),
        "in_refs": [_span(one) for one in hit.in_refs or ()],
        "optimized": _optimized(hit.optimized),
        "text_start_line": lines[0].number if lines else 0,
    }
    result.update((name, value) for name, value in optional.items() if value)
    if hit.reranked:
        result["reranked"] = {"before": hit.reranked.place, "relevance": hit.reranked.relevance}
    return {**result, "text": plain(text)}


def _as_json(each: Iterable[Any]) -> list[dict[str, Any]]:
    return [{**one._asdict(), "name": plain(one.name)} for one in each]


def _optimized(optimized: Optimized | None) -> dict[str, Any]:
    if optimized is None:
        return {}
    return {
        "mergedFrom": list(optimized.merged_from),
        "dedupedFrom": list(optimized.deduped_from),
        "fileCapped": optimized.file_capped,
    }


def _span(span: RefSpan) -> dict[str, Any]:
    return {**span._asdict(), "first": plain(span.first), "last": plain(span.last)}


def _last_stood(hit: Hit) -> dict[str, Any]:
    stood = hit.last_stood
    if stood is None:
        return {}
    return {**stood._asdict(), "path": plain(stood.path), "subject": plain(stood.subject)}


def raw_path(path: str) -> str:
    """Return the bytes of a path that is not UTF-8, in base64; empty for other paths."""
    if path.isascii() or plain(path) == path:
        return ""
    try:
        return b64encode(path.encode("utf-8", "surrogateescape")).decode()
    except UnicodeEncodeError:  # a surrogate that stands for no byte: git gives no such path
        return ""


def vimgrep(answer: Answer, options: RenderOptions) -> Iterator[str]:
    """Yield path:line:column:text for each hit's best line; columns count bytes from 1."""
    for hit in answer.hits:
        line = shown_line(answer.query, hit)
        start = 0
        for piece, match in marked(line.text, wanted_terms(answer.query, hit)):
            if match:
                break
            start += len(piece.encode("utf-8", "surrogatepass"))
        else:
            start = len(line.text) - len(line.text.lstrip())
        place = f"[{visible(place_at(hit, line.number))}] " if hit.place else ""
        place += "".join(f"[{fact}] " for fact in history(hit))
        path = visible(from_here(hit.path, options))
        yield f"{path}:{line.number}:{start + 1}:{place}{visible(line.text)}"


def compact(answer: Answer, options: RenderOptions) -> Iterator[str]:
    """Yield `path:start-end kind qualified.name score` for each hit, with a document's page or rows
    before the kind.
    """
    for hit in answer.hits:
        path = visible(from_here(hit.path, options))
        name = visible(qualified(answer.query, hit))
        facts = (f"[{fact}]" for fact in history(hit))
        parts = (visible(hit.place), visible(hit.kind), name, f"{hit.score:.3f}", *facts)
        yield " ".join([f"{path}:{hit.start_line}-{hit.end_line}", *filter(None, parts)])


def markdown(answer: Answer, options: RenderOptions) -> Iterator[str]:
    """Yield the notes on an answer, then a heading and a code block for each hit."""
    found = f"{counted(len(answer.hits), 'hit')} for {code(answer.query)} in {code(answer.ref)}"
    yield found + left_out(answer)
    for note in notes(answer):
        yield ""
        yield f"> {note}"
    for hit in answer.hits:
        path = from_here(hit.path, options)
        yield ""
        yield f"## {code(f'{path}:{hit.start_line}-{hit.end_line}')}"
        yield ""
        name = f"{code(qualified(answer.query, hit))}, " if qualified(answer.query, hit) else ""
        place = f"{visible(hit.place)}, " if hit.place else ""
        facts = "".join(f", {fact}" for fact in history(hit))
        yield f"{place}{name}{visible(hit.kind)}, score {hit.score:.3f}{facts}"
        if hit.members:
            yield ""
            yield visible(members(hit))
        yield ""
        yield from _block(hit, first_lines(answer.query, hit, options.max_lines))


def _block(hit: Hit, lines: list[Line]) -> Iterator[str]:
    fence = "`" * max(3, _longest_run(hit.text) + 1)
    yield fence + re.sub(r"[^A-Za-z0-9+#_.-]", "", hit.language)
    if lines and lines[0].number > hit.start_line:
        yield "..."
    for line in [line.text for line in lines] or re.split(r"\r\n|\n|\r", hit.text):
        yield visible(line)
    if lines and lines[-1].number < hit.end_line:
        yield "..."
    yield fence


def code(text: str) -> str:
    """Return a code span whose marks are longer than any in the text."""
    shown = visible(text)
    marks = "`" * (_longest_run(shown) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{marks}{pad}{shown}{pad}{marks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
