"""Loads the settings of one repository, and its requests for permission. Changes no index."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragit.chunk import check_node_types, languages
from ragit.config import (
    FILE_NAME,
    Config,
    Loaded,
    SettingRow,
    TomlFile,
    describe,
    load,
    read_file,
    select,
)
from ragit.errors import ConfigError
from ragit.git import Repo
from ragit.repository import trust

if TYPE_CHECKING:
    from ragit.chunk import Custom
    from ragit.reports import PermissionRequest
    from ragit.repository.custom_chunkers import Named, Origin
    from ragit.repository.settings_files import SettingsFiles


def _signal_names() -> Collection[str]:
    from ragit.rank import SIGNAL_NAMES  # imports all of ranking, for the few who set weights

    return SIGNAL_NAMES


class Settings:
    """All layers of settings, as of construction. Raises ConfigError."""

    def __init__(self, repo: Repo, environ: Mapping[str, str], flags: Mapping[str, object]) -> None:
        self._repo = repo
        self._environ = environ
        self._flags = flags
        self.loaded: Loaded = self._load()

    @property
    def config(self) -> Config:
        """Return the settings in force."""
        return self.loaded.config

    def rows(self, name: str = "") -> list[SettingRow]:
        """Return settings with values and origins; only those of `name`, a setting or a section, if
        given.

        Raises ConfigError for an unknown name.
        """
        rows = select(describe(self.loaded), name)
        if not self.config.chunkers:
            return rows
        from ragit.repository import custom_chunkers

        notes = [*custom_chunkers.warnings(self.chunkers), *custom_chunkers.instead(self.chunkers)]
        return [
            row._replace(origin="; ".join((row.origin, *notes))) if row.name == "chunkers" else row
            for row in rows
        ]

    @property
    def warnings(self) -> list[str]:
        """Return a sentence for each ignored setting."""
        ignored_settings = [self.loaded.warning] if self.loaded.warning else []
        if self.config.chunkers:
            from ragit.repository import custom_chunkers

            ignored_settings += custom_chunkers.warnings(self.chunkers)
        return ignored_settings

    @cached_property
    def chunkers(self) -> list[Named]:
        """Return the user's named chunkers, and whether each is in force."""
        if not self.config.chunkers:
            return []
        from ragit.repository import custom_chunkers

        return custom_chunkers.named(self.config.chunkers, self._chunker_origin())

    def chunkers_in_force(self) -> Mapping[str, Custom] | None:
        """Return chunkers by file extension; None if no chunker is named."""
        if not self.config.chunkers:
            return None
        from ragit.repository import custom_chunkers

        return custom_chunkers.in_force(self.chunkers)

    def files(self) -> SettingsFiles:
        """Return the files that the settings come from, as they are now."""
        from ragit.repository.settings_files import SettingsFiles

        top = self._repo.top
        chunkers = [top / named.name for named in self.chunkers if top and named.content]
        return SettingsFiles(self._repo, self._environ, chunkers)

    def request(self) -> PermissionRequest:
        """Return the permissions that the repository requests now: for settings of .ragit.toml, and
        chunkers.

        Raises ConfigError if there are none.
        """
        from ragit.repository import permission

        content = self._toml()
        loaded = self._resolved(TomlFile(content, trusted=True) if content is not None else None)
        return permission.requested(content, loaded.config, self._chunker_origin())

    def trust(self, request: PermissionRequest | None = None) -> Path:
        """Allow the repository's requests, and return the path of its .ragit.toml.

        Takes effect when the repository is opened again.
        """
        from ragit.repository import permission

        file = self._file()
        permission.allow(request or self.request(), self._chunker_origin())
        return file

    def distrust(self) -> Path:
        """Withdraw all permissions, and return the path of the .ragit.toml.

        Takes effect when the repository is opened again.
        """
        file = self._file()
        trust.distrust(trust.record_path(self._environ), self._repo.common_dir)
        return file

    def _file(self) -> Path:
        if self._repo.top is None:
            raise ConfigError(
                "a bare repository has no .ragit.toml", "Use git config ragit.* instead"
            )
        return self._repo.top / FILE_NAME

    def _load(self) -> Loaded:
        content = self._toml()
        if content is None:
            return self._resolved(None)
        record, common_dir, top = (
            trust.record_path(self._environ),
            self._repo.common_dir,
            self._repo.top,
        )
        return self._resolved(
            TomlFile(content, trusted=trust.is_trusted(record, common_dir, content, worktree=top))
        )

    def _resolved(self, file: TomlFile | None) -> Loaded:
        git = self._repo.config(r"^ragit\.")
        loaded = load(
            file, git, self._environ, self._flags, signal_names=_signal_names, languages=languages
        )
        check_node_types(dict(loaded.config.chunking.node_types))
        return loaded

    def _toml(self) -> bytes | None:
        if self._repo.top is None:
            return None
        return read_file(self._repo.top / FILE_NAME, follow_links=False)

    def _chunker_origin(self) -> Origin:
        from ragit.repository.custom_chunkers import Origin

        return Origin(self._repo.top, self._repo.common_dir, trust.record_path(self._environ))
