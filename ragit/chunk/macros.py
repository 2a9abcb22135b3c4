"""Hide macros that the C and C++ grammars cannot parse.

A grammar sees the source before the preprocessor does: it takes `class EXPORT Cart {` for a
variable, and `SYSCALL_DEFINE(read, int, fd) {` for a call. Such macros are replaced by spaces, or
by a function head that the grammar can parse. The text keeps its length and line ends, so that all
offsets stay valid; only the grammar reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_MACRO = rb"[A-Z_][A-Z0-9_]+"
_ARGUMENTS = rb"\((?:[^(){};\"]|\"[^\"\n]*\"|\([^(){};\"]*\)){0,400}\)"
_DECLARING = rb"(?:[A-Z]+_)*(?:DEFINE|DECLARE|FLAG)(?:_\w+)?|[A-Z]+_HEAD"
"""Macros that declare what they are given, as `DEFINE_MUTEX(name);` does."""
_CALL = rb"(?:%b(?:%b)?)" % (_MACRO, _ARGUMENTS)
_WORDS = rb"(?:[A-Za-z_]\w*[ \t*]+)*"
_TO_SPACES = bytes(10 if byte == 10 else 32 for byte in range(256))
"""For bytes.translate: all but line ends become spaces."""
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")

_KEYWORDS = frozenset(
    (
        b"auto bool char class const constexpr double else enum explicit extern float for friend"
        b" goto if inline int long mutable namespace new operator private protected public register"
        b" return short signed sizeof static struct switch template this throw typedef typename"
        b" union unsigned using virtual void volatile while case default do delete"
    ).split()
)
_TYPES = frozenset(b"auto bool char double float int long short signed unsigned void".split())

_EXPORTED_TYPE = re.compile(
    # A charset first, which is searched for fast, then the rest of the keyword.
    rb"[cesu](?<!\w.)(?:(?<=c)lass|(?<=s)truct|(?<=u)nion|(?<=e)num)[ \t]+"
    rb"((?:[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?\s+)+)"
    rb"(?=[A-Za-z_]\w*\s*(?:[:{<]|final\b))"
)
_BRACKET = re.compile(
    rb"\n[ \t]*((?=[A-Z_])[A-Z_]*(?:BEGIN|END|NAMESPACE|Q_OBJECT|Q_GADGET)[A-Z_]*(?:\(\w*\))?)"
    rb"[ \t]*(?=\n|\Z)"
)
_EXPORTED = re.compile(
    rb"\n[ \t]*((?:%b[ \t]+)+)(?=(?:class|struct|union|enum|template|namespace|typedef|static|"
    rb"inline|virtual|explicit|friend|constexpr|extern|const|unsigned|void|int|char|bool)\b)"
    % _CALL
)
_ALONE = re.compile(rb"\n[ \t]*(%b%b)[ \t]*(?=\n|\Z)(?!\s*[{(:])" % (_MACRO, _ARGUMENTS))
_WRAPPED_NAME = re.compile(
    rb"\n(%b)(%b\((?:[A-Za-z_]\w*,[ \t]*)?)([A-Za-z_]\w*)(\))(?=[ \t]*\()" % (_WORDS, _MACRO)
)
_NOTED = re.compile(
    rb"\n%b((?:__[a-z]\w*%b|\w+\([ \t]*\d[\d, \t]*\))[ \t]+)(?=%b[A-Za-z_]\w*[ \t]*\()"
    % (_WORDS, _ARGUMENTS, _WORDS)
)
"""Attributes of a function on its line: `static int __printf(2, 3) say(`."""
_NOTED_ABOVE = re.compile(
    rb"\n(?:[A-Za-z_]\w*[ \t*]+)+([A-Za-z_]\w*%b)"
    rb"(?=[ \t]*(?:\w+[ \t]*)?\n(?!%b[ \t]*\()[A-Za-z_]\w*[ \t]*%b\s*\{)"
    % (_ARGUMENTS, _MACRO, _ARGUMENTS)
)
"""Those on the line of its type, above its name: `void printflike(1, 2)`."""
_DECLARED = re.compile(rb"\n((?:static[ \t]+)?)(%b)(%b)[ \t]*;" % (_DECLARING, _ARGUMENTS))
_ATTRIBUTES = re.compile(rb"\}[ \t]*((?:__\w+(?:%b)?[ \t]*)+)(?=;)" % _ARGUMENTS)
_DEFINED = re.compile(rb"\n([ \t]*)(%b)(%b)(?=\s*\{)" % (_MACRO, _ARGUMENTS))
_HEAD = re.compile(rb"\n[A-Za-z_]\w*(?:[ \t\n*&]+[A-Za-z_]\w*){1,12}(?=[ \t\n]*\()")
_TITLE = re.compile(rb'"([^"\n]+)"')
"""Name of a test in Catch2 and doctest."""
_WORD = re.compile(rb"\w+")
_AFTER = re.compile(
    # Whole words only: trying each way to cut a name in two takes exponential time.
    rb"\)[ \t\n]*(?:(?:const|override|final|noexcept)[ \t\n]+)*"
    rb"((?:\b%b\b(?:%b)?[ \t\n]*)+)(?=[{;:])" % (_MACRO, _ARGUMENTS)
)
_SPECIALISED = re.compile(rb"\b(?:struct|class|union)\s+[A-Za-z_][\w:]*[ \t]*(?=<)")
_HEAD_ENDS = re.compile(rb"\s*(?:final\b\s*)?(?:\{|:(?!:))")
_DEFAULT = re.compile(rb"[*&]([ \t]*=[ \t]*[\w:]+(?:\{\}|\(\))?)(?=\s*[,)])")
"""Default of a parameter without a name: `enable_if_t<B>* = nullptr`."""
_NOTE = re.compile(
    rb"\n[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]+)[ \t]*(?=\n\s*(?:template|class|struct|enum|union"
    rb"|namespace|using|typedef|friend|virtual|explicit|static|inline|constexpr|extern)\b)"
)
_ARGUMENTS_AT_MOST = 1000
_STATEMENT = re.compile(rb"[ \t]*(?:if|for|while|switch|else|return|case|do|\}|#)")


def hidden(text: bytes, qualified: bool) -> bytes:
    """Return a text of equal length without such macros; `qualified`: names may contain
    `::` (C++).
    """
    text = b"\n" + text  # so that each line follows a line end, which is searched for fast
    for pattern, replace in (
        (_EXPORTED_TYPE, _blank),
        (_BRACKET, _blank),
        (_DECLARED, _declared),
        (_ATTRIBUTES, _blank),
        (_ALONE, _alone),
        (_WRAPPED_NAME, _wrapped_name),
        (_NOTED, _blank),
        (_NOTED_ABOVE, _blank),
        (_DEFINED, _defined_qualified if qualified else _defined),
        (_EXPORTED, _blank),
        (_HEAD, _head),
        (_AFTER, _after),
    ):
        text = pattern.sub(replace, text)
    if qualified:
        text = _DEFAULT.sub(_blank, _NOTE.sub(_alone, text))
        if b"template" in text:
            text = _without_arguments(text)
    return text[1:]


def _without_arguments(text: bytes) -> bytes:
    """Hide what a template is specialised for if the grammar cannot parse it: `A<B<T>> : C`."""
    shown = bytearray(text)
    for found in _SPECIALISED.finditer(text):
        end = _end_of_arguments(text, found.end())
        arguments = text[found.end() : end]
        if (b">>" in arguments or b"(" in arguments) and _HEAD_ENDS.match(text, end):
            shown[found.end() : end] = arguments.translate(_TO_SPACES)
    return bytes(shown)


def _end_of_arguments(text: bytes, start: int) -> int:
    """Return the offset after the `>` of the `<` at an offset; the offset if none is near."""
    depth = 0
    for at in range(start, min(len(text), start + _ARGUMENTS_AT_MOST)):
        byte = text[at]
        if byte in b";{}":
            break
        if byte in b"<(":
            depth += 1
        elif byte in b">)" and text[at - 1 : at] != b"-":
            depth -= 1
            if depth == 0:
                return at + 1
    return start


def _blank(found: re.Match[bytes]) -> bytes:
    """Return the match with its last group replaced by spaces."""
    return _without(found, found.span(found.lastindex or 0))


def _without(found: re.Match[bytes], *spans: tuple[int, int]) -> bytes:
    """Return the match with these spans of the text replaced by spaces; line ends stay."""
    whole = found.group()
    for start, end in spans:
        at, stop = start - found.start(), end - found.start()
        whole = whole[:at] + whole[at:stop].translate(_TO_SPACES) + whole[stop:]
    return whole


def _alone(found: re.Match[bytes]) -> bytes:
    """Hide a macro alone on its line, unless it is in the middle of an expression."""
    before = found.string[max(0, found.start() - 200) : found.start()].rstrip()
    return _blank(found) if not before or before[-1:] in b';{})/:>"' else found.group()


def _declared(found: re.Match[bytes]) -> bytes:
    """Make a variable of a macro that declares one: `static DEFINE_PER_CPU(int, count);`."""
    start, macro, arguments = found.group(1), found.group(2), found.group(3)
    words = [word.strip() for word in arguments[1:-1].split(b",")]
    typed = b"PER_CPU" in macro or words[0] in _TYPES or not _IDENTIFIER.fullmatch(words[0])
    name = words[1] if (typed or macro.endswith(b"FLAG")) and len(words) > 1 else words[0]
    if not _IDENTIFIER.fullmatch(name):
        return found.group()
    skipped = arguments.index(b",") if name != words[0] else 0
    at = found.start(3) - found.start() + arguments.index(name, skipped)
    whole = found.group().translate(_TO_SPACES)
    before = b"\n" + start + b"v"
    return before + whole[len(before) : at] + name + whole[at + len(name) : -1] + b";"


def _wrapped_name(found: re.Match[bytes]) -> bytes:
    """Remove the macro around a function's name: `BENCH(run)(state *s)`."""
    shown = _without(found, found.span(2), found.span(4))
    return shown if found.group(1) else b"\nv" + shown[2:]


def _defined(found: re.Match[bytes]) -> bytes:
    """Turn a macro that defines a function into a function head: `SYSCALL_DEFINE(read, int,
    fd)`.
    """
    return _function(found, lambda owner, name: name)


def _defined_qualified(found: re.Match[bytes]) -> bytes:
    """Make a function head whose name may have an owner: `TEST_F(Suite, name)`: `Suite::name`."""
    return _function(found, lambda owner, name: owner + b"::" + name if owner else name)


def _function(found: re.Match[bytes], named: Callable[[bytes, bytes], bytes]) -> bytes:
    indent, macro, arguments = found.groups()
    test = b"TEST" in macro or macro == b"SCENARIO"
    if indent and not test:
        return found.group()  # a loop inside of a function
    title = _TITLE.search(arguments) if test else None
    if title is not None:
        return _titled(found, title)
    words = [word.strip() for word in arguments[1:-1].split(b",")]
    owned = test and len(words) > 1 and not macro.startswith(b"BOOST_")
    owner, name = (words[0], words[1]) if owned else (b"", words[0])
    if not all(_IDENTIFIER.fullmatch(word) for word in (name, owner or name)):
        return found.group()
    head = b"\n" + indent + b"v " + named(owner, name) + b"("
    whole = found.group()
    if len(head) >= len(whole) or b"\n" in whole[1 : len(head)] or whole[-1:] == b"\n":
        return whole
    return head + whole[len(head) : -1].translate(_TO_SPACES) + b")"


def _titled(found: re.Match[bytes], title: re.Match[bytes]) -> bytes:
    """Make a function head named at the place of the title: `TEST_CASE("adds", "[x]")`."""
    whole = found.group()
    at = found.start(3) - found.start()
    start, end = at + title.start(1), at + title.end(1)
    before, after = whole[:start].translate(_TO_SPACES), whole[end + 1 : -1].translate(_TO_SPACES)
    macro = len(found.group(1)) + 1
    return before[:macro] + b"v" + before[macro + 1 :] + b"x" * (end - start) + b"(" + after + b")"


def _head(found: re.Match[bytes]) -> bytes:
    """Hide macros among the words before a function's name: `int __init start(void)`."""
    words = list(_WORD.finditer(found.group()))
    if len(words) < 3:
        return found.group()
    spans = [word.span() for word in _before_type(words)]
    words = [word for word in words if word.span() not in spans]
    while len(words) > 2 and _is_macro(found.group(), words):
        spans.append(words.pop(-2).span())
    if len(words) > 2 and _MACRO_ONLY.fullmatch(words[0].group()):
        spans.append(words[0].span())
    start = found.start()
    return _without(found, *((start + one, start + other) for one, other in spans))


def _before_type(words: list[re.Match[bytes]]) -> list[re.Match[bytes]]:
    """Return the macros before a type of the language: `asmlinkage __visible long f(`."""
    types = [at for at, word in enumerate(words[:-1]) if word.group() in _TYPES]
    if not types or words[-1].group() in _KEYWORDS:
        return []
    return [word for word in words[: types[-1]] if word.group() not in _KEYWORDS]


_MACRO_ONLY = re.compile(_MACRO)


def _is_macro(text: bytes, words: list[re.Match[bytes]]) -> bool:
    """Return whether the word before the last is neither a type nor part of one."""
    type_, word, name = words[-3:]
    if word.group() in _KEYWORDS or name.group() in _KEYWORDS:
        return False
    if type_.group() in _KEYWORDS and type_.group() not in _TYPES:
        return False
    return not text[word.end() : name.start()].strip()


def _after(found: re.Match[bytes]) -> bytes:
    """Hide macros between a function's parameters and body, but nothing after an `if`."""
    line = found.string.rfind(b"\n", 0, found.start()) + 1
    return found.group() if _STATEMENT.match(found.string, line) else _blank(found)
