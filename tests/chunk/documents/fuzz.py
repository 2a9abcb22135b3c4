"""Fuzz every document reader: only `Unreadable` may be raised, and nothing may take long.

`python tests/chunk/documents/fuzz.py LANGUAGE MINUTES [FILE ...]` mutates the tests' documents and
the given files, in a process with the limits of the one that reads documents. It reports errors
raised in ragit's own code, and slow or large cases. An error raised by a library on broken bytes is
not a finding.
"""

from __future__ import annotations

import io
import random
import resource
import signal
import sys
import time
import traceback
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from growing import GROWING
from making import IN_TABLE, ROW_END, docx, outlined, p, pdf, table, word97
from packing import (
    DATE,
    PERCENT,
    epub,
    notebook,
    odf,
    ods_cell,
    ods_row,
    ods_table,
    paragraph,
    pptx,
    rtf,
    shape,
    slide,
    slide_table,
    xls,
    xlsx,
)

from ragit.chunk.documents.block import Unreadable
from ragit.chunk.documents.frame import blocks_of
from ragit.chunk.documents.group import compose
from ragit.chunk.documents.sniff import reader_for
from ragit.chunk.options import DocumentOptions

OWN = str(Path(__file__).parents[3] / "ragit")
OPTIONS = DocumentOptions(max_text=1 << 20, max_unpacked=64 << 20, max_pages=200)
SLOW_S = 20
"""Processor time."""
MEMORY = 1 << 30


def samples(language: str) -> list[bytes]:
    """Return the tests' documents of a language."""
    sentences = [f"The {word} of the thing is checked" for word in ("gear", "shaft", "seal")]
    cells = [
        ("Name\x07", 0, IN_TABLE),
        ("\x07", 0, ROW_END),
        ("Ada\x07", 0, IN_TABLE),
        ("\x07", 0, ROW_END),
    ]
    built = {
        "pdf": [
            outlined(
                pdf([["Title", *sentences], sentences, []], scanned=[3]),
                [("Title", 1, 0), ("More", 2, 1)],
            )
        ],
        "docx": [
            docx(
                p("One", "H1") + "".join(map(p, sentences)) + table([["a", "b"], ["c", "d"]]),
                {
                    "footnotes": f'<w:footnote w:id="1">{p("note")}</w:footnote>',
                    "header": p("head"),
                },
            )
        ],
        "doc": [
            word97(
                [
                    ("One\r", 1, b""),
                    *(f"{line}\r" for line in sentences),
                    *cells,
                    "\x13 A \x14b\x15\r",
                ],
                pieces=3,
            )
        ],
    }
    return built.get(language) or _packed(language, sentences)


def _packed(language: str, sentences: Sequence[str]) -> list[bytes]:
    """Return the documents of a format that packing.py builds."""
    shapes = (
        shape(paragraph("Title"), role="title"),
        shape(*map(paragraph, sentences), role="body"),
        slide_table([sentences, sentences]),
    )
    body = "".join(
        f"<text:p>{line}<text:note><text:p>aside</text:p></text:note></text:p>"
        for line in sentences
    )
    rows = ods_row(*map(ods_cell, sentences)) + ods_row(
        ods_cell("1,5", "float", "1.5", 'table:number-rows-spanned="2"'), times=2
    )
    cells = [(0, at, 0, line) for at, line in enumerate(sentences)] + [
        (1, 0, DATE, 45294.5),
        (1, 1, PERCENT, 0.5),
        (2, 2, 0, True),
    ]
    built = {
        "xlsx": lambda: xlsx(
            {"S": {"A1": "Name", "B1": "Size", "A2": sentences[0], "B2": (0.5, "0%"), "C2": "=A1"}}
        ),
        "xls": lambda: xls({"S": cells, "T": cells}, hidden=["T"], merged=[(1, 2, 0, 0)]),
        "ods": lambda: odf("spreadsheet", ods_table("S", rows)),
        "odt": lambda: odf(
            "text",
            f'<text:h text:outline-level="1">Title</text:h>{body}<text:list>{body}</text:list>',
        ),
        "odp": lambda: odf(
            "presentation", f"<draw:page><draw:frame>{body}</draw:frame></draw:page>" * 2
        ),
        "pptx": lambda: pptx([slide(*shapes), slide(*shapes, hidden=True)]),
        "epub": lambda: epub(
            {
                "a.xhtml": f"<h1>Title</h1><ul><li>{sentences[0]}</ul><table><tr><td>{sentences[1]}</table>"
            }
        ),
        "rtf": lambda: rtf(
            r"\pard "
            + r"\par ".join(sentences)
            + r"\trowd a\cell b\cell\row \u8211? \'e9{\pict 00ff}"
        ),
        "notebook": lambda: notebook(
            ("markdown", "# Title\n\n```\nx\n```"), ("code", [f"{line}\n" for line in sentences])
        ),
    }
    return [built[language]()]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Change, move, cut or repeat some bytes of a document; in an archive, mostly within
    its parts.
    """
    if data.startswith(b"PK") and chance.random() < 0.8:
        return _within_parts(data, chance)
    if data.startswith(b"%PDF") and chance.random() < 0.5:
        return _within_streams(data, chance)
    return _bent(data, chance)


def _bent(data: bytes, chance: random.Random) -> bytes:
    bent = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        if not bent:
            break
        at = chance.randrange(len(bent))
        size = chance.choice((1, 1, 2, 4, 8, 64, 1000))
        kind = chance.randrange(7)
        if kind == 0:
            bent[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            bent[at : at + size] = chance.randbytes(size)
        elif kind == 2:
            bent[at : at + size] = chance.choice((b"\xff", b"\0", b"\x7f", b"9")) * size
        elif kind == 3:
            del bent[at : at + size]
        elif kind == 4:
            bent[at:at] = bent[at : at + size] * chance.choice((1, 2, 50))
        elif kind == 5:
            other = chance.randrange(len(bent))
            bent[at : at + size] = bent[other : other + size]
        elif chance.random() < 0.2:
            del bent[at:]
    return bytes(bent)


def _within_parts(data: bytes, chance: random.Random) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = {
                info.filename: archive.read(info)
                for info in archive.infolist()
                if info.file_size < 5_000_000
            }
    except (
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
    ):
        return _bent(data, chance)
    text = [
        name for name in parts if name.endswith((".xml", ".rels", ".xhtml", ".html", ".opf"))
    ] or list(parts)
    for name in chance.sample(text, min(len(text), chance.choice((1, 1, 2, 3)))):
        parts[name] = _bent(parts[name], chance)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return out.getvalue()


def _within_streams(data: bytes, chance: random.Random) -> bytes:
    """Unpack, mutate and pack one stream of a PDF."""
    starts = []
    at = data.find(b"stream\n")
    while at >= 0 and len(starts) < 500:
        starts.append(at + 7)
        at = data.find(b"stream\n", at + 16)
    if not starts:
        return _bent(data, chance)
    start = chance.choice(starts)
    end = data.find(b"endstream", start)
    try:
        inner = zlib.decompressobj().decompress(data[start:end], 1 << 20)
    except zlib.error:
        return _bent(data, chance)
    return data[:start] + zlib.compress(_bent(inner, chance)) + b"\n" + data[end:]


def finding(data: bytes, language: str) -> str:
    """Return the line of ragit's code where reading a document raises an error; empty if
    none does.
    """
    try:
        compose(blocks_of(data, reader_for(data, language), OPTIONS), OPTIONS)
    except (Unreadable, RecursionError):
        return ""
    except MemoryError:
        return "memory"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        if last.filename.startswith(OWN):
            return f"{last.filename[len(OWN) + 1 :]}:{last.lineno} {type(error).__name__}: {error}"[
                :200
            ]
    return ""


class _Slow(BaseException):
    pass


def _run(
    language: str, minutes: float, originals: Sequence[bytes], say: Callable[[str], None]
) -> None:
    chance = random.Random(int(time.time()))
    until = time.monotonic() + minutes * 60
    found: Counter[str] = Counter()
    tried = 0

    def too_long(_: int, frame: FrameType | None) -> None:
        raise _Slow(frame)

    signal.signal(signal.SIGPROF, too_long)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    while time.monotonic() < until:
        data = mutated(chance.choice(originals), chance)
        tried += 1
        signal.setitimer(signal.ITIMER_PROF, SLOW_S)
        try:
            what = finding(data, language)
        except _Slow as slow:
            frame = slow.args[0]
            what = f"slow in {frame.f_code.co_filename}:{frame.f_lineno}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if what:
            found[what] += 1
            if found[what] == 1:
                kept = Path(f"/tmp/fuzz-{language}-{len(found)}")
                kept.write_bytes(data)
                say(f"{kept}: {what}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    count = sum(found.values())
    say(
        f"{language}: {tried} tried of {len(originals)}, {count} findings of {len(found)} kinds, {peak} MB"
    )


if __name__ == "__main__":
    import logging

    logging.disable()
    name, length, *files = sys.argv[1:]
    given = [Path(file).read_bytes() for file in files if Path(file).stat().st_size < 300_000]
    given += [
        *samples(name),
        *(make(50) for language, make, _ in GROWING.values() if language == name),
    ]

    def _say(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    _run(name, float(length), given, _say)
