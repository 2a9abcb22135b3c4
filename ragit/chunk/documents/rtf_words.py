"""The words of RTF that matter for its text (RTF 1.9.1), as tables."""

from __future__ import annotations

import codecs
from functools import cache

CODE_PAGES = dict(
    pair.split(":")
    for pair in (
        "0:cp1252 2:cp1252 77:mac_roman 78:cp932 79:cp949 80:cp936 81:cp950 128:cp932 129:cp949 130:johab 134:cp936 "
        "136:cp950 161:cp1253 162:cp1254 163:cp1258 177:cp1255 178:cp1256 186:cp1257 204:cp1251 222:cp874 238:cp1250 "
        "254:cp437 255:cp850"
    ).split()
)
"""A font's set of letters by its number in Windows, as it is written."""

SKIPPED = frozenset(
    "colortbl info pict objdata objclass objname fldinst nonshppict shprslt sp upr tc tcn xe rxe bkmkstart bkmkend "
    "listtable listoverridetable revtbl rsidtbl generator xmlnstbl themedata colorschememapping datastore latentstyles "
    "filetbl pn pnseclvl private template comment docvar nonesttables atnid atnauthor atntime atndate atnref atnicn "
    "annotationref passwordhash userprops mmathPr htmltag ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn "
    "background".split()
)
"""Groups whose text is nobody's to read, or stands elsewhere in another form."""

KEPT = frozenset("ud shpinst shptxt annotation footnote flymaincnt flyhorz shppict".split())
"""Groups that an older program may leave out, and whose text is read."""

ASIDE = {
    **dict.fromkeys(("footnote", "annotation"), "note"),
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "footer"),
    **dict.fromkeys(("shptxt", "dptxbxtext"), "text"),
}
"""Groups that are no part of the sentence they stand in, and the kind of block that they become."""

LETTERS = {
    "tab": "\t",
    "line": "\n",
    "emdash": "\u2014",
    "endash": "\u2013",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
}

SYMBOLS = {"~": " ", "_": "-", "{": "{", "}": "}", "\\": "\\", "\t": "\t"}

PARAGRAPH_ENDS = frozenset("par sect page column cell row nestcell nestrow".split())


_NAMED = {
    10000: "mac_roman",
    65001: "utf-8",
    10007: "mac_cyrillic",
    10006: "mac_greek",
    1361: "johab",
}


@cache
def codec_of(page: int) -> str:
    """Python's name for a code page; empty if it knows none."""
    if not 0 <= page < 1 << 16:
        return ""
    try:
        return codecs.lookup(_NAMED.get(page, f"cp{page}")).name
    except LookupError:
        return ""
