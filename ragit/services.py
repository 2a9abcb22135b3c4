"""Makes a `Server` from settings: its address, headers and key.

All servers share one set of settings (`config.Service`). A key is read when a server is needed,
kept in memory, and never written. Loaded only if a server is configured.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from ragit.config import Service
from ragit.errors import ConfigError
from ragit.git import password_for
from ragit.remote import Preset, Server, origin, preset_at


def server_of(
    settings: Service,
    section: str,
    *,
    preset: Preset | None = None,
    base_url: str = "",
    timeout_ms: int,
    concurrency: int = 1,
) -> Server:
    """Return the server of a section of the settings; hints name that section.

    The preset fills in missing settings; `base_url` overrides its address. Raises ConfigError for
    an invalid address, header or source of keys.
    """
    own = base_url or (preset.base_url if preset else "")
    address = (settings.base_url or own).rstrip("/")
    if not address:
        raise ConfigError(
            f"{section}.baseUrl is not set",
            f"{_title(preset)} has no address of its own; {_EXAMPLE}",
        )
    known = preset if preset and _is_its_own(preset, address) else preset_at(address)
    usual = known.key_env if known else ""
    key, hint = _key(settings, section, address, usual)
    return Server(
        address,
        key=key,
        key_header=known.key_header if known else "Authorization",
        key_hint=hint,
        headers=tuple((name, _header(section, name, value)) for name, value in settings.headers),
        timeout=timeout_ms / 1000,
        concurrency=concurrency,
        proxy=settings.proxy,
        ca_file=settings.ca_file,
        section=section,
    )


_EXAMPLE = "for example https://RESOURCE.openai.azure.com/openai/v1"


def _title(preset: Preset | None) -> str:
    return preset.title if preset else "this service"


def _is_its_own(preset: Preset, address: str) -> bool:
    """Return whether the provider's default key may be sent to an address.

    That is its own host, or any if each user has a host of their own.
    """
    return preset.local or not preset.base_url or origin(preset.base_url) == origin(address)


def _key(settings: Service, section: str, address: str, usual: str) -> tuple[str, str]:
    """Return the key and, in words, its source; both empty without a source."""
    scheme, host = origin(address)
    if settings.key_from == "git":
        return password_for(scheme, host), f"the key that git's credential helper keeps for {host}"
    if settings.key_from == "keyring":
        return _from_keyring(
            section, host
        ), f"the key that the key ring keeps for service ragit and user {host}"
    variable = settings.api_key_env or usual
    if not variable:
        return "", ""  # a provider's default key is sent only to its own address
    return os.environ.get(
        variable, ""
    ).strip(), f"the environment variable {variable} ({section}.apiKeyEnv)"


def _from_keyring(section: str, host: str) -> str:
    try:
        keyring: Any = import_module("keyring")
    except ImportError as error:
        hint = f"Type: pip install keyring, or keep the key elsewhere: {section}.keyFrom"
        raise ConfigError("the library keyring is not installed", hint) from error
    try:
        return keyring.get_password("ragit", host) or ""
    except Exception as error:  # its back ends raise any exception
        hint = f"Type: keyring get ragit {host}, and see what it says"
        raise ConfigError(f"the key ring cannot be read: {type(error).__name__}", hint) from error


def _header(section: str, name: str, value: str) -> str:
    if not value.startswith("$"):
        return value
    found = os.environ.get(value[1:])
    if found is None:
        raise ConfigError(
            f"{section}.headers: {name} takes its value from {value}, which is not set",
            f"Set {value[1:]}",
        )
    return found.strip()
