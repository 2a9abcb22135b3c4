"""Compare the readers with other programs, word by word.

pdftotext, antiword and pandoc read the tests' documents, and the folder that `REAL_DOCUMENTS` names
(for example the test data of libraries for documents). LibreOffice writes documents of its own. A
test is skipped if its program is missing.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from fuzz import samples
from reading import OPTIONS, read_checked

from ragit.chunk.documents.block import Unreadable
from ragit.chunk.documents.frame import blocks_of
from ragit.chunk.documents.sniff import reader_for

OTHERS: dict[str, list[str]] = {
    "pdf": ["pdftotext", "FILE", "-"],
    "doc": ["antiword", "-m", "UTF-8.txt", "-w", "0", "FILE"],
    "docx": ["pandoc", "-t", "plain", "--wrap=none", "FILE"],
    "odt": ["pandoc", "-t", "plain", "--wrap=none", "FILE"],
    "epub": ["pandoc", "-t", "plain", "--wrap=none", "FILE"],
}
"""Command that extracts the text, by language."""

SHEETS = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
OFFICE = {"rtf": "txt:Text (encoded):UTF8", "xlsx": SHEETS, "xls": SHEETS, "ods": SHEETS}
"""Format to which LibreOffice converts, by language. pandoc cannot decode symbol fonts."""
MAX_FILES = 100
"""Number of documents to compare for each language; one takes seconds."""

_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]{3,}")  # no "am" and "pm" of times


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.replace("\u00ad", "").lower()))


def program(language: str) -> list[str]:
    command = OTHERS[language]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    return command


def text_by_program(command: list[str], file: Path) -> str | None:
    """Return the text that another program finds; None if it fails."""
    typed = [str(file) if part == "FILE" else part for part in command]
    try:
        done = subprocess.run(typed, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else done.stdout.decode("utf-8", "replace")


def share(wanted: Counter[str], found: Counter[str]) -> float:
    """Return the share of the wanted words that were found."""
    return (wanted & found).total() / wanted.total() if wanted else 1.0


@pytest.mark.parametrize(
    "language", ["docx", "pdf"]
)  # antiword wants more of a .doc file than a sample has
def test_sample_has_all_words_of_another_reader(language: str, tmp_path: Path) -> None:
    command = program(language)
    for number, data in enumerate(samples(language)):
        file = tmp_path / f"{number}.{language}"
        file.write_bytes(data)
        other_text = text_by_program(command, file)
        assert other_text
        assert share(words(other_text), words(read_checked(data, language).text.decode())) == 1.0


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("quiet")
def test_real_documents_have_the_words_of_another_reader(language: str) -> None:
    folder = os.environ.get("REAL_DOCUMENTS")
    if not folder:
        pytest.skip("REAL_DOCUMENTS names no folder of documents")
    command = program(language)
    shares = []
    for file in sorted(Path(folder).rglob(f"*.{language}")):
        other_text = text_by_program(command, file)
        found = read_checked(file.read_bytes(), language)
        if other_text is not None and found.chunks:
            shares.append(share(words(other_text.replace("[pic]", "")), words(found.text.decode())))
    if not shares:
        pytest.skip(f"no .{language} in {folder}")
    # The rest are characters placed one by one, other reading orders of scripts, and forms.
    assert median(shares) >= 0.99
    assert sum(part >= 0.9 for part in shares) >= 0.85 * len(shares)


def text_by_libreoffice(file: Path, to: str, folder: Path) -> str:
    """Return the text of all sheets that LibreOffice finds; empty if it fails."""
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice (soffice) is not installed")
    profile = f"-env:UserInstallation=file://{folder}/profile"
    out = folder / file.name
    typed = [office, profile, "--headless", "--convert-to", to, "--outdir", str(out), str(file)]
    # soffice starts another program, which outlives it.
    with subprocess.Popen(
        typed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as running:
        try:
            running.wait(40)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            return ""
    return "\n".join(each.read_text("utf-8", "replace") for each in sorted(out.glob("*")))


@pytest.mark.parametrize("language", OFFICE)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("quiet")
def test_real_documents_have_the_words_of_libreoffice(language: str, tmp_path: Path) -> None:
    folder = os.environ.get("REAL_DOCUMENTS")
    if not folder:
        pytest.skip("REAL_DOCUMENTS names no folder of documents")
    shares = []
    for file in sorted(Path(folder).rglob(f"*.{language}"))[:MAX_FILES]:
        found = read_checked(file.read_bytes(), language)
        # LibreOffice formats numbers and dates by the sheet's formats, and numbers errors itself.
        wanted = Counter(
            _LETTERS.findall(text_by_libreoffice(file, OFFICE[language], tmp_path).lower())
        )
        if wanted and found.chunks:
            shares.append(share(wanted, Counter(_LETTERS.findall(found.text.decode().lower()))))
    if not shares:
        pytest.skip(f"no .{language} in {folder}")
    # The rest is calculated anew by LibreOffice: formulas, pivot tables, dates in words.
    assert median(shares) == 1.0
    assert sum(part >= 0.9 for part in shares) >= 0.9 * len(shares)


PAGE = """<html><head><meta charset="utf-8"><title>t</title></head><body>
<h1>Lubrication</h1><p>Oil the <b>gearbox</b> every \u201csecond\u201d week;
\u043c\u0430\u0441\u043b\u043e, huile \u00e0 moteur.</p>
<h2>Intervals</h2><ul><li>daily check</li><li>weekly change</li></ul>
<table border="1"><tr><th>Part</th><th>Grade</th></tr><tr><td>bearing</td><td>ISO 68</td></tr>
<tr><td>seal</td><td>none</td></tr></table><h1>Disposal</h1><p>Collect it in drums.</p></body></html>"""


TABLE = """Part,Bought,Share,Cost,Kept
\u043c\u0430\u0441\u043b\u043e,2024-01-03,12.5%,1234.5,TRUE
seal,2023-12-31 14:30:00,7%,0.1,FALSE
"bearing, large",1999-02-28,100%,=0.1+0.2,
"""


@pytest.fixture(scope="module")
def convert(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bytes]:
    """Return a function that gives LibreOffice's document for a suffix."""
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice (soffice) is not installed")
    folder = tmp_path_factory.mktemp("office")
    (folder / "page.html").write_text(PAGE, encoding="utf-8")
    (folder / "page.csv").write_text(TABLE, encoding="utf-8")
    filters = {
        "docx": "MS Word 2007 XML",
        "doc": "MS Word 97",
        "pdf": "writer_pdf_Export",
        "rtf": "Rich Text Format",
    }
    filters |= {
        "odt": "writer8",
        "xlsx": "Calc MS Excel 2007 XML",
        "xls": "MS Excel 97",
        "ods": "calc8",
    }

    def converted(suffix: str) -> bytes:
        profile = f"-env:UserInstallation=file://{folder}/profile"
        is_table = suffix in ("xlsx", "xls", "ods")
        read_as = "CSV:44,34,76,1,,1033,false,true" if is_table else "HTML (StarWriter)"
        command = [office, profile, "--headless", f"--infilter={read_as}", "--convert-to"]
        source = str(folder / ("page.csv" if is_table else "page.html"))
        typed = [*command, f"{suffix}:{filters[suffix]}", "--outdir", str(folder), source]
        done = subprocess.run(typed, capture_output=True, timeout=120, check=False)
        file = folder / f"page.{suffix}"
        if not file.exists():
            pytest.skip(f"LibreOffice wrote no .{suffix}: {done.stderr.decode()[-200:]}")
        return file.read_bytes()

    return converted


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["docx", "doc", "odt", "pdf", "rtf"])
def test_document_written_by_libreoffice_is_read(
    suffix: str, convert: Callable[[str], bytes], tmp_path: Path
) -> None:
    data = convert(suffix)
    found = read_checked(data, suffix)
    if suffix in OTHERS and shutil.which(OTHERS[suffix][0]):
        file = tmp_path / f"page.{suffix}"
        file.write_bytes(data)
        other_text = text_by_program(OTHERS[suffix], file)
        assert other_text and share(words(other_text), words(found.text.decode())) == 1.0
    wanted = words(re.sub(r"<title>.*?</title>|<[^>]*>", " ", PAGE))
    assert share(wanted, words(found.text.decode())) == 1.0
    if suffix != "pdf":
        blocks = list(blocks_of(data, suffix, OPTIONS))
        paths = {block.text.strip(): block.headings for block in blocks}
        assert paths["Collect it in drums."] == ("Disposal",)
        assert [block.headings for block in blocks if "weekly" in block.text] == [
            ("Lubrication", "Intervals")
        ]
        rows = [block for block in blocks if block.kind == "table" and block.text != block.repeat]
        assert [(row.text, row.repeat) for row in rows] == [
            (line, "Part | Grade") for line in ("bearing | ISO 68", "seal | none")
        ]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["xlsx", "xls", "ods"])
def test_spreadsheet_written_by_libreoffice_is_read(
    suffix: str, convert: Callable[[str], bytes]
) -> None:
    rows = [block for block in blocks_of(convert(suffix), suffix, OPTIONS) if block.kind == "table"]
    assert {block.repeat for block in rows} == {"Part | Bought | Share | Cost | Kept"}
    assert [block.text for block in rows] == [
        "\u043c\u0430\u0441\u043b\u043e | 2024-01-03 | 12.5% | 1234.5 | TRUE",
        "seal | 2023-12-31 14:30 | 7% | 0.1 | FALSE",
        "bearing, large | 1999-02-28 | 100% | 0.3",
    ]


def test_reason_holds_no_text_of_the_document(tmp_path: Path) -> None:
    """Reasons are fixed phrases, without text of the document."""
    with pytest.raises(Unreadable, match=r"^xls under another name$"):
        from making import compound

        reader_for(compound({"Workbook": b"secret words"}), "doc")
