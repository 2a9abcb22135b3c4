"""Merge the layers of settings: defaults < .ragit.toml < git config < environment < flags.

Each layer yields rows with their origin in words; `load` merges them into a Config. Settings that
an untrusted .ragit.toml may not make are dropped only here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any, NoReturn

from ragit.config import toml
from ragit.config.knobs import Knob, value_of, with_value
from ragit.config.sections import KNOBS, SECTIONS, SHORT, Config
from ragit.config.values import Unfit, entry, expected, from_text, from_typed
from ragit.errors import ConfigError
from ragit.records import NamedTuple

_LIST = "`ragit config` lists every setting."

_FALLBACK = "text"
"""Allowed in `chunking.parsers` besides languages: cut files by lines."""

_COMMAND_LINE = "command line"


class TomlFile(NamedTuple):
    """The content of a .ragit.toml."""

    data: bytes
    name: str = toml.FILE_NAME
    """Name in messages."""
    trusted: bool = False
    """True if the user allowed all of its settings."""


class Loaded(NamedTuple):
    """The settings, and the origin of each."""

    config: Config
    origins: Mapping[str, str]
    """By setting: default, .ragit.toml:LINE, git config, the variable's name, or command line."""
    ignored: Mapping[str, str]
    """Settings that an untrusted .ragit.toml may not make, each with its file and line."""

    @property
    def warning(self) -> str:
        """A sentence about the ignored settings; empty if none."""
        if not self.ignored:
            return ""
        return f"ignored until `ragit trust`: {', '.join(self.ignored)} ({toml.FILE_NAME})"


class SettingRow(NamedTuple):
    """One line of `ragit config`."""

    name: str
    value: object
    origin: str
    help: str


class _Given(NamedTuple):
    """A setting's value in one layer."""

    knob: Knob
    value: Any
    origin: str
    trusted: bool = True


class _Names(NamedTuple):
    """Names of existing entries; None if the caller does not know them."""

    signals: Callable[[], Collection[str]] | None
    languages: Callable[[], Collection[str]] | None

    def of(self, knob: Knob) -> Collection[str] | None:
        """Return the names that entries of this table may have; None for any."""
        names = {"Weights": self.signals, "NodeTypes": self.languages}.get(knob.kind)
        return names() if names else None


def load(
    toml_file: TomlFile | None = None,
    git: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
    *,
    signal_names: Callable[[], Collection[str]] | None = None,
    languages: Callable[[], Collection[str]] | None = None,
) -> Loaded:
    """Merge all layers.

    `git` is `git config` with keys as git prints them; keys outside ragit.* are skipped. `flags`
    are settings by dotted name, typed or as text; None means not given. `signal_names` and
    `languages`, if given, are called to check names of table entries.

    Raises ConfigError for the first setting that is unknown, of a wrong type or out of range.
    """
    given = [
        *(_from_toml(toml_file) if toml_file else ()),
        *_from_git(git or {}),
        *_from_environment(environ or {}),
        *_from_flags(flags or {}),
    ]
    names = _Names(signal_names, languages)
    config, origins, ignored = Config(), dict.fromkeys(KNOBS, "default"), dict[str, str]()
    for knob, value, origin, trusted in given:
        if not trusted and not knob.may_be_set_untrusted(value):
            ignored[knob.name] = origin
            continue
        if knob.table:
            entries = _with_known_names(knob, value, names, origin)
            value = tuple(sorted({**dict(value_of(config, knob)), **dict(entries)}.items()))
            before = origins[knob.name]
            origin = origin if before in {"default", origin} else f"{before}, {origin}"
        config, origins[knob.name] = with_value(config, knob.attributes, value), origin
    return Loaded(config, origins, ignored)


def describe(loaded: Loaded) -> list[SettingRow]:
    """Return every setting in the order of the documentation, without secrets."""
    rows = []
    for name, knob in KNOBS.items():
        origin = loaded.origins[name]
        if name in loaded.ignored:
            origin += f"; {loaded.ignored[name]} ignored until `ragit trust`"
        value = _without_secrets(knob, value_of(loaded.config, knob))
        rows.append(SettingRow(name, value, origin, knob.help))
    return rows


def select(rows: list[SettingRow], name: str) -> list[SettingRow]:
    """Return the row of a setting, or those of a section or table; all for an empty name.

    Case is ignored, as in git. Raises ConfigError, with the nearest name.
    """
    wanted = name.casefold().removeprefix("ragit.")
    found = [
        row for row in rows if not wanted or f"{row.name.casefold()}.".startswith(f"{wanted}.")
    ]
    if not found:
        _unknown(name, {row.name: row for row in rows}, "ragit config")
    return found


def readable(knob: Knob, value: Any) -> object:
    """Return a value as in TOML: tables and lists instead of tuples."""
    if knob.kind == "Chunkers":
        by_module: dict[str, list[str]] = {}
        for suffix, module in value:
            by_module.setdefault(module, []).append(suffix)
        return [{"module": module, "extensions": names} for module, names in by_module.items()]
    if knob.table:
        return {name: list(one) if isinstance(one, tuple) else one for name, one in value}
    return list(value) if isinstance(value, tuple) else value


def _without_secrets(knob: Knob, value: Any) -> object:
    """Return `readable` without passwords in URLs and values of headers."""
    if knob.name.endswith((".baseUrl", ".proxy")):
        return _masked(value)
    if knob.kind == "Headers":
        return {name: one if one.startswith("$") else "***" for name, one in value}
    return readable(knob, value)


def _masked(url: str) -> str:
    """Return a URL without user, password and query values."""
    address, mark, query = url.partition("?")
    scheme, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    host = "***@" + host.rpartition("@")[2] if "@" in host else host
    pairs = "&".join(pair.partition("=")[0] + "=***" for pair in query.split("&"))
    return f"{scheme}{slashes}{host}{slash}{path}{mark}{pairs if query else ''}"


def _with_known_names(
    knob: Knob, value: tuple[tuple[str, Any], ...], names: _Names, origin: str
) -> tuple[tuple[str, Any], ...]:
    """Return entries with their exact names: git ignores case and knows no underscore.

    Raises ConfigError for an unknown name.
    """
    if knob.kind == "Parsers" and names.languages is not None:
        _check_languages(knob, {language for _, language in value}, names.languages(), origin)
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


# The layers


def _from_toml(file: TomlFile) -> Iterator[_Given]:
    text = toml.decode(file.data, file.name)
    yield from _from_table(toml.parse(text, file.name), (), text, file)


def _from_table(
    table: Mapping[str, Any], above: tuple[str, ...], text: str, file: TomlFile
) -> Iterator[_Given]:
    for key, value in table.items():
        path = (*above, key)
        name = ".".join(path)
        name = name if isinstance(value, Mapping) else SHORT.get(name, name)
        where = f"{file.name}:{toml.line_of(text, path)}"
        if knob := KNOBS.get(name):
            line_of = partial(toml.line_of, text, path)
            found = _checked(knob, value, where, partial(from_typed, knob, value), line_of)
            yield _Given(knob, found, where, file.trusted)
        elif name not in SECTIONS:
            _unknown(name, [*KNOBS, *SECTIONS], where)
        elif isinstance(value, Mapping):
            yield from _from_table(value, path, text, file)
        else:
            raise ConfigError(f"{where}: {name} is a table", f"Write its settings under [{name}].")


def _from_git(git: Mapping[str, str]) -> Iterator[_Given]:
    """Read git's settings; git prints section and name in lower case, the subsection unchanged."""
    by_key = {knob.git_key.lower(): knob for knob in KNOBS.values()}
    by_key |= {f"ragit.{short}": KNOBS[name] for short, name in SHORT.items()}
    for key, text in git.items():
        if not key.lower().startswith("ragit."):
            continue
        found = _setting_of(key.lower(), by_key, ".")
        if found is None:
            _unknown(key, [knob.git_key for knob in KNOBS.values()], "git config")
        yield _from_words(*found, text, f"git config {key}", "git config")


def _from_environment(environ: Mapping[str, str]) -> Iterator[_Given]:
    by_variable = {knob.variable: knob for knob in KNOBS.values()}
    by_variable |= {f"RAGIT_{short.upper()}": KNOBS[name] for short, name in SHORT.items()}
    for variable, text in environ.items():
        if not variable.startswith("RAGIT_"):
            continue
        if found := _setting_of(variable, by_variable, "_"):
            knob, name = found
            yield _from_words(knob, name.lower(), text, variable, variable)
        elif _means_a_setting(variable, by_variable):
            _unknown(variable, by_variable, "environment")


def _means_a_setting(variable: str, known: Collection[str]) -> bool:
    """Return whether a variable is a misspelt setting; hooks and scripts have RAGIT_ variables,
    too.
    """
    sections = {f"RAGIT_{name.upper()}_" for name in SECTIONS if "." not in name}
    return variable.startswith(tuple(sections)) or bool(_near(variable, known))


def _from_flags(flags: Mapping[str, object]) -> Iterator[_Given]:
    by_name = KNOBS | {short: KNOBS[name] for short, name in SHORT.items()}
    for name, value in flags.items():
        if value is None:
            continue
        found = _setting_of(name, by_name, ".")
        if found is None:
            _unknown(name, KNOBS, _COMMAND_LINE)
        knob, entry_name = found
        if isinstance(value, str) or entry_name:
            where = f"{_COMMAND_LINE}: {name}"
            yield _from_words(knob, entry_name, value, where, _COMMAND_LINE)
        else:
            typed = _checked(knob, value, _COMMAND_LINE, partial(from_typed, knob, value))
            yield _Given(knob, typed, _COMMAND_LINE)


def _setting_of(key: str, by_key: Mapping[str, Knob], dot: str) -> tuple[Knob, str] | None:
    """Return the setting of a key, and the name of its table entry, if any; None if unknown."""
    if knob := by_key.get(key):
        return knob, ""
    for start, table in by_key.items():
        if table.table and key.startswith(start + dot):
            return table, key[len(start) + 1 :]
    return None


def _from_words(knob: Knob, name: str, value: object, where: str, origin: str) -> _Given:
    """Return a setting given as text; `name` is that of a table entry."""
    if not knob.table:
        return _Given(
            knob, _checked(knob, value, where, partial(from_text, knob, str(value))), origin
        )
    if not name:
        hint = "Name one entry: KEY.ENTRY instead of KEY."
        raise ConfigError(f"{where}: {knob.name} takes {expected(knob)}", hint)
    found = _checked(knob, value, where, partial(entry, knob, name, value))
    return _Given(knob, (found,), origin)


def _checked(
    knob: Knob,
    value: object,
    where: str,
    read: Callable[[], Any],
    line_of: Callable[[int], int] | None = None,
) -> Any:
    """Return the value that `read` parses. Raises ConfigError with the values that the setting
    takes.

    `line_of` returns the line of one of several tables in a settings file.
    """
    try:
        return read()
    except Unfit as unfit:
        if unfit.table:
            file = where.rpartition(":")[0]
            where = f"{file}:{line_of(unfit.table)}" if line_of else where
            where += f": table {unfit.table} of the list"
        # It may be a key in the wrong place: do not repeat it on a screen or in a log.
        secret = not knob.untrusted.allowed and isinstance(value, str)
        given = "" if secret else f", not {_excerpt(value)}"
        hint = f"{knob.help} {_LIST}"
        raise ConfigError(f"{where}: {knob.name} takes {unfit}{given}", hint) from None


def _excerpt(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)  # escapes control characters
    return text if len(text) <= 60 else text[:57] + "..."


def _near(name: str, known: Collection[str]) -> str:
    """Return the known name most like this one, or like its last part; empty if none."""
    import difflib  # only for an error message

    folded = {one.lower(): one for one in known}
    last = name.lower().rpartition(".")[2]
    by_last = {one.lower().rpartition(".")[2]: one for one in reversed(list(known))}
    if last in by_last:
        return by_last[last]
    if found := difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.75):
        return folded[found[0]]
    found = difflib.get_close_matches(last, by_last, n=1, cutoff=0.8)
    return by_last[found[0]] if found else ""


def _unknown(name: str, known: Collection[str], where: str) -> NoReturn:
    near = _near(name, known)
    hint = f"Did you mean {near}? {_LIST}" if near else _LIST
    raise ConfigError(f"{where}: unknown setting {_printable(name)}", hint)


def _printable(name: str) -> str:
    return name if name.isprintable() and len(name) <= 80 else json.dumps(name[:80])
