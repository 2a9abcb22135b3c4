"""Renders hits for people: path and line, names, and the matching lines.

Lines look as from grep and ripgrep: `12:` before a matching line, `12-` before context, `--` for a
gap. A hit in a document has its page or rows instead of line numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragit.render.screen import (
    Paint,
    RenderOptions,
    cells,
    counted,
    duration,
    from_here,
    in_tree,
    visible,
)
from ragit.render.snippet import (
    SHOWN,
    Line,
    asked_first,
    lines_of,
    marked,
    number_at,
    shown_line,
    snippet,
    wanted_terms,
)
from ragit.types import (
    Answer,
    Hit,
    LookedAt,
    RefSpan,
    ToIndex,
    absent_advice,
    index_command,
)

_LONGEST = 400
"""Columns of a line without a terminal's width; a longer line is data, not for reading."""

_TAB = "    "

_NAMES = 3
"""Limit of names shown of a chunk, such as constants or fields."""


def text(answer: Answer, options: RenderOptions) -> Iterator[str]:
    """Yield lines grouped by file, files in the order of their best hit."""
    paint = Paint(options.color)
    groups: dict[str, list[Hit]] = {}
    for hit in answer.hits:
        groups.setdefault(hit.path, []).append(hit)
    for number, hit in enumerate(hit for hits in groups.values() for hit in hits):
        if number:
            yield ""
        yield _place(answer.query, hit, options, paint)
        yield f"  {_title(answer.query, hit, options, paint)}"
        yield from _body(answer.query, hit, options, paint)
        yield from _notes(answer.query, hit, options, paint)
    if options.explain:
        from ragit.render.explain import below

        yield from below(answer, options, paint)


def qualified(query: str, hit: Hit, most: int = _NAMES) -> str:
    """Return the symbol with the names around it; of many symbols the first `most` and a count."""
    names = asked_first(query, hit)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    symbol = ", ".join(names[:most]) + more
    return within(hit.parent, symbol, hit.kind)


def within(parent: str, symbol: str, kind: str) -> str:
    """Join a name with the names around it; titles are joined by a sign that no name contains."""
    if parent and symbol:
        if kind in ("test", "describe"):
            return f"{parent} › {symbol}"
        return f"{parent}{' > ' if kind == 'section' or ' > ' in parent else '.'}{symbol}"
    return symbol or parent


def _place(query: str, hit: Hit, options: RenderOptions, paint: Paint) -> str:
    """Return path and line, or a document's page or rows."""
    path = paint.path(visible(from_here(hit.path, options)))
    if hit.place:
        return f"{path}  {paint.line(visible(hit.place))}"
    return f"{path}:{paint.line(str(shown_line(query, hit).number))}"


def _title(query: str, hit: Hit, options: RenderOptions, paint: Paint) -> str:
    """Return names, kind, lines and score; only one name if more are too wide."""
    title = _titled(query, hit, _NAMES, paint)
    if options.width and cells(_titled(query, hit, _NAMES, Paint(False))) + 2 > options.width:
        return _titled(query, hit, 1, paint)
    return title


def _titled(query: str, hit: Hit, most: int, paint: Paint) -> str:
    symbol = paint.name(visible(qualified(query, hit, most)))
    about = visible(hit.kind)
    if hit.place:
        about = "" if about == "text" else about
    elif hit.end_line > hit.start_line:
        about += f" {hit.start_line}-{hit.end_line}"
    parts = (symbol, about and paint.faint(about), paint.score(f"{hit.score:.3f}"))
    return "  ".join(part for part in parts if part)


def hit_lines(query: str, hit: Hit, options: RenderOptions) -> Iterator[str]:
    """Yield the matching lines of a hit, and other paths with the same content."""
    paint = Paint(options.color)
    yield from _body(query, hit, options, paint)
    yield from _notes(query, hit, options, paint)


def _body(query: str, hit: Hit, options: RenderOptions, paint: Paint) -> Iterator[str]:
    most = options.max_lines or SHOWN
    lines = snippet(query, hit, full=options.full, context=options.context, most=most)
    wanted = wanted_terms(query, hit)
    indent = _common_indent(lines)
    numbers = _numbers(hit, lines)
    digits = len(str(max(numbers.values()))) if any(numbers.values()) else 0
    styles = _styles(hit) if options.syntax and paint.color else []
    before = lines[0].number - 1
    for line in lines:
        if line.number > before + 1:
            yield paint.faint("  --")
        before = line.number
        gutter = "  "
        if digits:
            gutter += _gutter(numbers[line.number], digits, line.matches, paint)
        room = (options.width or _LONGEST) - (digits + 4 if digits else 2)
        pieces = _pieces(line.text.expandtabs(len(_TAB)), wanted)
        if styles:
            pieces = _restyled(pieces, styles[line.number - hit.start_line])
        yield f"{gutter}{_styled_line(_without_indent(pieces, indent), room, paint)}".rstrip()


def _numbers(hit: Hit, lines: list[Line]) -> dict[int, int]:
    """Return the number to show for each line; in a document its row or page, or 0."""
    if not hit.place:
        return {line.number: line.number for line in lines}
    return {line.number: number_at(hit, line.number) for line in lines}


def _gutter(number: int, digits: int, matches: bool, paint: Paint) -> str:
    """Return a line's number with its mark, or spaces for the repeated header of a table."""
    if not number:
        return " " * (digits + 2)
    shown = f"{number:>{digits}}"
    return (paint.line(shown) + ":" if matches else paint.faint(shown + "-")) + " "


def _common_indent(lines: list[Line]) -> int:
    texts = [line.text.expandtabs(len(_TAB)) for line in lines if line.text.strip()]
    return min((len(text) - len(text.lstrip(" ")) for text in texts), default=0)


def _styles(hit: Hit) -> list[list[tuple[int, str]]]:
    """Return where syntax styles begin in each line of a hit, in columns."""
    from ragit.render.syntax import styles_of  # Pygments

    return styles_of(hit.path, [line.expandtabs(len(_TAB)) for line in lines_of(hit)])


Piece = tuple[str, str]
"""Text with its style: `match`, one of `Paint`'s for syntax, or empty."""


def _pieces(line: str, wanted: frozenset[str]) -> list[Piece]:
    return [(piece, "match" if match else "") for piece, match in marked(line, wanted)]


def _restyled(pieces: list[Piece], styles: list[tuple[int, str]]) -> list[Piece]:
    """Give the pieces between matches their syntax styles, by column."""
    found: list[Piece] = []
    start = 0
    for text, style in pieces:
        if style == "match":
            found.append((text, style))
        else:
            found += _split(text, start, styles)
        start += len(text)
    return found


def _split(text: str, start: int, styles: list[tuple[int, str]]) -> Iterator[Piece]:
    """Yield a piece that begins at a column, cut where styles begin."""
    for number, (column, style) in enumerate(styles):
        after = styles[number + 1][0] if number + 1 < len(styles) else start + len(text)
        part = text[max(column - start, 0) : max(after - start, 0)]
        if part:
            yield part, style


def _without_indent(pieces: list[Piece], indent: int) -> list[Piece]:
    """Return the pieces of a line without its first `indent` columns."""
    found: list[Piece] = []
    for text, style in pieces:
        if text[indent:]:
            found.append((text[indent:], style))
        indent = max(0, indent - len(text))
    return found


def _styled_line(pieces: list[Piece], room: int, paint: Paint) -> str:
    """Return a line with its styles, cut to the width around the first match."""
    room = max(room, 20)
    pieces = [(visible(text), style) for text, style in pieces]
    if cells("".join(text for text, _ in pieces)) > room:
        pieces = _cut(pieces, room)
    return "".join(paint.styled(style, text) for text, style in pieces)


def _cut(pieces: list[Piece], room: int) -> list[Piece]:
    """Return the pieces within `room` columns, from the start or shortly before the first match."""
    first = 0
    for text, style in pieces:
        if style == "match":
            break
        first += len(text)
    whole = "".join(text for text, _ in pieces)
    styles = [style for text, style in pieces for _ in text]
    start = (
        0 if first >= len(whole) or cells(whole[:first]) < room - room // 4 else first - room // 4
    )
    left = "..." if start else ""
    stop, used = start, len(left) + 3
    while stop < len(whole) and used + cells(whole[stop]) <= room:
        used += cells(whole[stop])
        stop += 1
    right = "..." if stop < len(whole) else ""
    return [(left, ""), *_runs(whole[start:stop], styles[start:stop]), (right, "")]


def _runs(text: str, styles: list[str]) -> Iterator[Piece]:
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or styles[at] != styles[start]:
            yield text[start:at], styles[start]
            start = at


MEMBERS = 6
"""Limit of a class's members shown."""


def members(hit: Hit) -> str:
    """Return the members of a class with their lines, in one line; empty if there are none."""
    shown = [f"{one.name} {one.start_line}-{one.end_line}" for one in hit.members[:MEMBERS]]
    more = len(hit.members) - len(shown)
    rest = f" and {more} more" if more else ""
    return f"members: {', '.join(shown)}{rest}" if shown else ""


def _notes(query: str, hit: Hit, options: RenderOptions, paint: Paint) -> Iterator[str]:
    if hit.members:
        line = visible(members(hit))
        room = options.width - 2 if options.width else _LONGEST
        yield paint.faint(f"  {line if cells(line) <= room else line[: room - 3] + '...'}")
    if hit.also:
        paths = ", ".join(visible(from_here(path, options)) for path in hit.also[:3])
        more = f" and {len(hit.also) - 3} more" if len(hit.also) > 3 else ""
        yield paint.faint(f"  same content: {paths}{more}")
    for line in history(hit):
        yield paint.faint(f"  {line}")
    if options.explain:
        from ragit.render.explain import reasons

        yield from reasons(query, hit, options, paint)


def history(hit: Hit) -> list[str]:
    """Return the refs of a hit and its last place, if they were requested."""
    found = []
    if hit.in_refs is not None:
        lines = f"; lines of {visible(hit.ref)}" if hit.ref else ""
        found.append(f"in {_shown_refs(hit.in_refs)}{lines}")
    if hit.last_stood:
        stood = hit.last_stood
        place = f"{visible(stood.path)}:{stood.line} in {stood.commit[:10]}"
        by = f"{stood.date} by {stood.removed_by[:10]} {visible(stood.subject)}"
        found.append(f"last {place}, removed {by}")
    return found


_SPANS = 8
"""Limit of runs of refs shown of one hit."""


def _shown_refs(spans: Sequence[RefSpan]) -> str:
    """Return refs in words: `3.5.0 to 3.8.0, main`."""
    if not spans:
        return "none of the refs"
    names = [
        visible(one.first if one.first == one.last else f"{one.first} to {one.last}")
        for one in spans
    ]
    more = len(names) - _SPANS
    return ", ".join(names[:_SPANS]) + (f" and {more} more" if more > 0 else "")


def left_out(answer: Answer) -> str:
    """Return whose code an answer excludes, to follow the name of its tree; empty if none's."""
    return f", without the code of {visible(answer.without.ref)}" if answer.without else ""


def summary(answer: Answer) -> str:
    """Return the last line of an answer on a terminal: hits, tree and time."""
    files = len({hit.path for hit in answer.hits})
    where = in_tree(answer.ref, answer.tree) if answer.tree else visible(answer.ref)
    if answer.union and answer.looked_at:
        where = f"{visible(answer.ref)} ({_counts(answer.looked_at)})"
    where += left_out(answer)
    found = f"{counted(len(answer.hits), 'hit')} in {counted(files, 'file')} of {where}"
    return f"{found}, {duration(answer.took_ms / 1000)}"


def indexing(work: ToIndex) -> str:
    """Return the message before a search that has to index first."""
    by = f", with {visible(work.server)}" if work.server else ""
    return f"indexing {counted(work.files, 'file')} first{by}"


def notes(answer: Answer) -> list[str]:
    """Return the notes on an answer, a line each."""
    ref = visible(answer.ref)
    found = [f"note: {visible(note)}" for note in answer.notes]
    found += _index_notes(answer)
    found += [f"note: {visible(warning)}" for warning in answer.warnings]
    found += [_absent_note(answer, why, count) for why, count in answer.completeness.absent.items()]
    if answer.looked_at:
        found += _looked_at_notes(
            answer.looked_at, "are indexed" if answer.union else "could be read"
        )
    if answer.unmatched_names:
        words = f"word{'' if len(answer.unmatched_names) == 1 else 's'}"
        names = visible(", ".join(answer.unmatched_names))
        found.append(f"note: no indexed file of {ref} holds the {words} {names}")
    if answer.degraded:
        found.append(f"note: {visible(answer.degraded)}")
    if answer.completeness.unsearched:
        found.append(f"note: {none_indexed(answer.completeness.unsearched)}")
    found += _left_out_notes(answer)
    if not answer.hits and not answer.left_out:
        found.append(f"no hits in {ref}{left_out(answer)}")
    return found


def _left_out_notes(answer: Answer) -> Iterator[str]:
    """Yield the numbers of hits not shown, with the reason."""
    if answer.left_out:
        yield f"note: {counted(answer.left_out, 'more hit')} did not fit into --max-tokens"
    if answer.weaker:
        weaker = counted(answer.weaker, "weaker hit is", "weaker hits are")
        yield f"note: {weaker} left out (retrieval.leastShare)"


def _index_notes(answer: Answer) -> Iterator[str]:
    """Yield missing parts of the index, with the command that completes it."""
    trees = [answer.ref, *([answer.without.ref] if answer.without else ())]
    how, command = answer.completeness, visible(" && ".join(map(index_command, trees)))
    if answer.union:
        command = "repeat it with --complete"
    if not how.complete:
        yield f"incomplete: {how.lacking(visible(' and '.join(trees)))}; to complete: {command}"
    if how.undescribed:
        several = counted(how.undescribed, "chunk or image has", "chunks and images have")
        yield f"note: {several} no description yet; `ragit index` asks for it"
    if how.deferred:
        slow = f"{counted(how.deferred, 'file')} {'was' if how.deferred == 1 else 'were'}"
        yield f"note: {slow} slow to read and deferred; `{command}` reads the rest"


def _looked_at_notes(seen: LookedAt, verb: str) -> Iterator[str]:
    """Yield how much of the refs was searched, if not all."""
    if seen.trees > seen.complete_trees or seen.files > seen.complete_files:
        trees = f"{seen.complete_trees:,} of {counted(seen.trees, 'tree')}"
        files = f"{seen.complete_files:,} of {counted(seen.files, 'file')}"
        yield f"incomplete: of {counted(seen.refs, 'ref')}, {trees} and {files} {verb}"


def _counts(seen: LookedAt) -> str:
    return f"{counted(seen.refs, 'ref')}, {counted(seen.files, 'file')}"


def _absent_note(answer: Answer, why: str, count: int) -> str:
    trees = [answer.ref, *([answer.without.ref] if answer.without else ())]
    named = visible(" and ".join(trees))
    files = f"{counted(count, 'file')} of {named} {'is' if count == 1 else 'are'} {visible(why)}"
    advice = absent_advice("" if answer.union or answer.without else answer.ref, [why])
    return f"note: {files} and not searched; {visible(advice)}"


def none_indexed(reasons: Mapping[str, int]) -> str:
    """Say that no file of a tree is indexed, with the reasons."""
    each = ", ".join(f"{visible(why)} {count:,}" for why, count in sorted(reasons.items()))
    return f"none of {counted(sum(reasons.values()), 'file')} is indexed ({each})"
