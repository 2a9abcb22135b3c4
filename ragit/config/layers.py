"""The layers of settings, laid over each other: defaults < .ragit.toml < git config < environment < flags.

Each layer turns what it holds into `_Setting` rows with the words that say where they stood; one fold makes a Config of
them. A .ragit.toml that came with a clone is a stranger's: until it is trusted, its sensitive settings are set aside
here, and nowhere else does anyone have to think of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from ragit.config import toml
from ragit.config.knobs import Knob, value_of, with_value
from ragit.config.sections import KNOBS, SECTIONS, SHORT, Config
from ragit.config.values import Unfit, entry, expected, from_text, from_typed
from ragit.errors import ConfigError

_LIST = "`ragit config` lists every setting."

_FALLBACK = "text"
"""What `chunking.parsers` may name beside languages: cut by lines, no syntax."""


class TomlFile(NamedTuple):
    """A .ragit.toml as read, and whether the user allowed its sensitive settings."""

    data: bytes
    name: str = toml.FILE_NAME
    """What messages call it."""
    trusted: bool = False


class Loaded(NamedTuple):
    """The settings, where each came from, and what was set aside."""

    config: Config
    origins: Mapping[str, str]
    """By setting: default, .ragit.toml:LINE, git config, the variable's name, or command line."""
    ignored: Mapping[str, str]
    """Settings that an untrusted .ragit.toml may not make, each with where it stands."""

    @property
    def warning(self) -> str:
        """One sentence for a person whose clone asks for what it may not have; empty if there is nothing to say."""
        if not self.ignored:
            return ""
        return f"ignored until `ragit trust`: {', '.join(self.ignored)} ({toml.FILE_NAME})"


class SettingRow(NamedTuple):
    """One line of `ragit config`."""

    name: str
    value: object
    origin: str
    help: str


class _Setting(NamedTuple):
    knob: Knob
    value: Any
    origin: str
    trusted: bool = True


class _Names(NamedTuple):
    """Entry names that exist, per table setting; None where the caller does not know them."""

    signals: Collection[str] | None
    languages: Collection[str] | None

    def of(self, knob: Knob) -> Collection[str] | None:
        """What an entry of this table may be called."""
        return {"Weights": self.signals, "NodeTypes": self.languages}.get(knob.kind)


def load(
    toml_file: TomlFile | None = None,
    git: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
    *,
    signal_names: Collection[str] | None = None,
    languages: Collection[str] | None = None,
) -> Loaded:
    """Resolve all layers. ConfigError names the place of the first setting that is unknown, mistyped or out of range.

    `git` holds `git config` (keys as git prints them; those outside ragit.* are passed over), `flags` holds settings
    by their dotted name, typed or as text; a flag that is None was not given. Where `signal_names` or `languages` are
    given, entries of tables that go by them are checked.
    """
    settings = [
        *(_from_toml(toml_file) if toml_file else ()),
        *_from_git(git or {}),
        *_from_environment(environ or {}),
        *_from_flags(flags or {}),
    ]
    names = _Names(signal_names, languages)
    config, origins, ignored = Config(), dict.fromkeys(KNOBS, "default"), dict[str, str]()
    for knob, value, origin, trusted in settings:
        if not trusted and not knob.may_be_set_untrusted(value):
            ignored[knob.name] = origin
            continue
        if knob.table:
            value = _merged(value_of(config, knob), _named(knob, value, names, origin))
            origin = (
                origin
                if origins[knob.name] in {"default", origin}
                else f"{origins[knob.name]}, {origin}"
            )
        config, origins[knob.name] = with_value(config, knob.attributes, value), origin
    return Loaded(config, origins, ignored)


def describe(loaded: Loaded) -> list[SettingRow]:
    """Every setting with its value and origin, in the order of the documentation; passwords in URLs are masked."""
    rows = []
    for name, knob in KNOBS.items():
        origin = loaded.origins[name]
        if name in loaded.ignored:
            origin += f"; {loaded.ignored[name]} ignored until `ragit trust`"
        rows.append(
            SettingRow(name, _shown_value(knob, value_of(loaded.config, knob)), origin, knob.help)
        )
    return rows


def select(rows: list[SettingRow], name: str) -> list[SettingRow]:
    """The row of a setting, or those of a section or a table; all for an empty name. Case is folded, as git's.

    Raises ConfigError, with the nearest name.
    """
    wanted = name.casefold().removeprefix("ragit.")
    found = [
        row for row in rows if not wanted or f"{row.name.casefold()}.".startswith(f"{wanted}.")
    ]
    if not found:
        _unknown(name, {row.name: row for row in rows}, "ragit config")
    return found


def readable(knob: Knob, value: Any) -> object:
    """A setting's value as a TOML file would have it: tables and lists instead of tuples."""
    if knob.kind == "Chunkers":
        modules = dict.fromkeys(module for _, module in value)
        return [
            {"module": m, "extensions": [name for name, one in value if one == m]} for m in modules
        ]
    if knob.table:
        return {name: list(one) if isinstance(one, tuple) else one for name, one in value}
    return list(value) if isinstance(value, tuple) else value


def _shown_value(knob: Knob, value: Any) -> object:
    """As `readable`, without what may be secret: a password in a URL, the value of a header."""
    if knob.name.endswith((".baseUrl", ".proxy")):
        return _masked(value)
    if knob.kind == "Headers":
        return {name: one if one.startswith("$") else "***" for name, one in value}
    return readable(knob, value)


def _masked(url: str) -> str:
    """A URL without what may be secret in it: user and password, and the values of its query."""
    address, mark, query = url.partition("?")
    scheme, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    host = "***@" + host.rpartition("@")[2] if "@" in host else host
    pairs = "&".join(pair.partition("=")[0] + "=***" for pair in query.split("&"))
    return f"{scheme}{slashes}{host}{slash}{path}{mark}{pairs if query else ''}"


def _merged(
    old: tuple[tuple[str, Any], ...], new: tuple[tuple[str, Any], ...]
) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted({**dict(old), **dict(new)}.items()))


def _named(
    knob: Knob, value: tuple[tuple[str, Any], ...], names: _Names, origin: str
) -> tuple[tuple[str, Any], ...]:
    """The entries under the names they have in their own room: git folds case and knows no underscore, so we do too."""
    if knob.kind == "Parsers" and names.languages is not None:
        _check_languages(knob, {language for _, language in value}, names.languages, origin)
    known = names.of(knob)
    if known is None:
        return value
    by_fold = {_fold(name): name for name in known}
    for name, _ in value:
        if _fold(name) not in by_fold:
            _unknown(f"{knob.name}.{name}", [f"{knob.name}.{one}" for one in known], origin)
    return tuple((by_fold[_fold(name)], one) for name, one in value)


def _check_languages(knob: Knob, used: set[str], known: Collection[str], origin: str) -> None:
    for language in sorted(used.difference(known, {_FALLBACK})):
        near = _near(language, known)
        hint = f"Did you mean {near}?" if near else f"There are {', '.join(sorted(known))}."
        raise ConfigError(f"{origin}: {knob.name}: unknown language {_printable(language)}", hint)


def _fold(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def _from_toml(file: TomlFile) -> Iterator[_Setting]:
    text = toml.decode(file.data, file.name)
    yield from _from_table(toml.parse(text, file.name), (), text, file)


def _from_table(
    table: Mapping[str, Any], above: tuple[str, ...], text: str, file: TomlFile
) -> Iterator[_Setting]:
    for key, value in table.items():
        path = (*above, key)
        name = ".".join(path)
        name = name if isinstance(value, Mapping) else SHORT.get(name, name)
        place = f"{file.name}:{toml.line_of(text, path)}"
        if name in KNOBS:
            places = _Places(file.name, text, path)
            yield _Setting(
                KNOBS[name], _typed(KNOBS[name], value, place, places), place, file.trusted
            )
        elif name not in SECTIONS:
            _unknown(name, [*KNOBS, *SECTIONS], place)
        elif isinstance(value, Mapping):
            yield from _from_table(value, path, text, file)
        else:
            raise ConfigError(f"{place}: {name} is a table", f"Write its settings under [{name}].")


def _from_git(git: Mapping[str, str]) -> Iterator[_Setting]:
    """git lower-cases section and variable, and keeps the case of what stands between."""
    by_key = {knob.git_key.lower(): knob for knob in KNOBS.values()}
    by_key |= {f"ragit.{short}": KNOBS[name] for short, name in SHORT.items()}
    for key, text in git.items():
        if not key.lower().startswith("ragit."):
            continue
        if knob := by_key.get(key.lower()):
            yield _from_words(knob, "", text, f"git config {key}", "git config")
        elif found := _entry_of(key.lower(), "."):
            yield _from_words(*found, text, f"git config {key}", "git config")
        else:
            _unknown(key, [knob.git_key for knob in KNOBS.values()], "git config")


def _entry_of(key: str, dot: str) -> tuple[Knob, str] | None:
    """The table setting that this key is an entry of, and the entry's name."""
    for knob in KNOBS.values():
        start = (knob.git_key.lower() if dot == "." else knob.variable) + dot
        if knob.table and key.startswith(start):
            return knob, key[len(start) :].lower()
    return None


def _from_environment(environ: Mapping[str, str]) -> Iterator[_Setting]:
    by_variable = {knob.variable: knob for knob in KNOBS.values()}
    by_variable |= {f"RAGIT_{short.upper()}": KNOBS[name] for short, name in SHORT.items()}
    for variable, text in environ.items():
        if not variable.startswith("RAGIT_"):
            continue
        if knob := by_variable.get(variable):
            yield _from_words(knob, "", text, variable, variable)
        elif found := _entry_of(variable, "_"):
            yield _from_words(*found, text, variable, variable)
        elif _means_a_setting(variable, by_variable):
            _unknown(variable, by_variable, "environment")


def _means_a_setting(variable: str, known: Collection[str]) -> bool:
    """Whether a variable was meant for us: hooks and the user's own scripts have RAGIT_ names too."""
    sections = {f"RAGIT_{name.upper()}_" for name in SECTIONS if "." not in name}
    return variable.startswith(tuple(sections)) or bool(_near(variable, known))


def _from_flags(flags: Mapping[str, object]) -> Iterator[_Setting]:
    where = "command line"
    for name, value in flags.items():
        if value is None:
            continue
        knob, entry_name = KNOBS.get(SHORT.get(name, name)), ""
        if knob is None:
            tables = (
                one for one in KNOBS.values() if one.table and name.startswith(f"{one.name}.")
            )
            knob = next(tables, None)
            entry_name = name[len(knob.name) + 1 :] if knob else ""
        if knob is None or (entry_name and not knob.table):
            _unknown(name, KNOBS, where)
        if isinstance(value, str) or entry_name:
            yield _from_words(knob, entry_name, value, f"{where}: {name}", where)
        else:
            yield _Setting(knob, _typed(knob, value, where), where)


def _from_words(knob: Knob, name: str, value: object, place: str, origin: str) -> _Setting:
    """A setting given as text; `name` is the entry's, for one entry of a table (which a flag may give typed)."""
    if knob.table and not name:
        raise ConfigError(
            f"{place}: {knob.name} takes {expected(knob)}",
            "Name one entry: KEY.ENTRY instead of KEY.",
        )
    if knob.table:
        return _Setting(
            knob, _checked(knob, value, place, lambda: (entry(knob, name, value),)), origin
        )
    return _Setting(knob, _checked(knob, value, place, lambda: from_text(knob, str(value))), origin)


class _Places(NamedTuple):
    """Where the tables of a list stand in a settings file."""

    name: str
    text: str
    path: tuple[str, ...]

    def of(self, number: int) -> str:
        return f"{self.name}:{toml.line_of(self.text, self.path, number)}"


def _typed(knob: Knob, value: object, place: str, places: _Places | None = None) -> Any:
    return _checked(knob, value, place, lambda: from_typed(knob, value), places)


def _checked(
    knob: Knob, value: object, place: str, read: Callable[[], Any], places: _Places | None = None
) -> Any:
    try:
        return read()
    except Unfit as unfit:
        if unfit.table:
            place = (
                f"{places.of(unfit.table) if places else place}: table {unfit.table} of the list"
            )
        # It may be a key pasted into the wrong place: it is not repeated on a screen or in a log.
        given = (
            ""
            if not knob.untrusted.allowed and isinstance(value, str)
            else f", not {_shown(value)}"
        )
        raise ConfigError(
            f"{place}: {knob.name} takes {unfit}{given}", f"{knob.help} {_LIST}"
        ) from None


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)  # escapes what a terminal would obey
    return text if len(text) <= 60 else text[:57] + "..."


def _near(name: str, known: Collection[str]) -> str:
    """The known name most like this one; where only the last part is right, the one that ends in it."""
    import difflib  # only on the way to an error message

    folded = {one.lower(): one for one in known}
    if found := difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.75):
        return folded[found[0]]
    last = name.lower().rpartition(".")[2]
    by_last = {one.lower().rpartition(".")[2]: one for one in reversed(list(known))}
    found = difflib.get_close_matches(last, by_last, n=1, cutoff=0.8)
    return by_last[found[0]] if found else ""


def _unknown(name: str, known: Collection[str], place: str) -> NoReturn:
    near = _near(name, known)
    hint = f"Did you mean {near}? {_LIST}" if near else _LIST
    raise ConfigError(f"{place}: unknown setting {_printable(name)}", hint)


def _printable(name: str) -> str:
    return name if name.isprintable() and len(name) <= 80 else json.dumps(name[:80])
