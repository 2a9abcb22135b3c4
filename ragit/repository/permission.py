"""Collect the permissions that a repository requests, for `ragit trust`, and record them.

The bytes shown are the bytes allowed: a file that changes meanwhile needs a new permission.
"""

from __future__ import annotations

from ragit import chunk
from ragit.config import FILE_NAME, Config, TomlFile, describe, load
from ragit.errors import ConfigError
from ragit.reports import PermissionRequest, RequestedChunker
from ragit.repository import custom_chunkers, trust


def requested(
    content: bytes | None, config: Config, origin: custom_chunkers.Origin
) -> PermissionRequest:
    """Return the settings of a .ragit.toml and the chunkers that need permission.

    Raises ConfigError if none does.
    """
    if origin.top is None:
        raise ConfigError("a bare repository has no .ragit.toml", "Use git config ragit.* instead")
    named = custom_chunkers.named(config.chunkers, origin)
    files = {one.name.partition(":")[0]: one.content for one in named if one.content}
    if content is not None:
        files[""] = content
    if not files:
        raise ConfigError(
            f"there is no {FILE_NAME} at the top of this repository", "There is nothing to trust"
        )
    return PermissionRequest(
        path=str(origin.top / FILE_NAME),
        settings=tuple(_settings(content)) if content is not None else (),
        chunkers=tuple(map(_requested_chunker, named)),
        files=files,
    )


def allow(what: PermissionRequest, origin: custom_chunkers.Origin) -> None:
    """Record the user's permission. Raises ConfigError if it cannot be written."""
    for name, content in what.files.items():
        trust.trust(origin.record, origin.common_dir, content, worktree=origin.top, name=name)


def _settings(content: bytes) -> list[tuple[str, object, str]]:
    """Return name, value and place of each setting that needs permission."""
    wanted = load(TomlFile(content)).ignored
    rows = describe(load(TomlFile(content, trusted=True)))
    return [
        (row.name, row.value, row.origin)
        for row in rows
        if row.name in wanted and row.name != "chunkers"
    ]


def _requested_chunker(one: custom_chunkers.Named) -> RequestedChunker:
    sha256 = trust.sha256(one.content) if one.content else ""
    known = ((suffix, chunk.named(suffix)) for suffix in one.suffixes)
    instead = tuple((suffix, language) for suffix, language in known if language)
    return RequestedChunker(one.name, one.suffixes, sha256, one.problem, instead)
