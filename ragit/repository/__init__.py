"""One repository as a library object: its settings, trees and operations."""

from __future__ import annotations

TYPE_CHECKING = False


if TYPE_CHECKING:  # exported, and imported on first use
    from ragit.git import clean_env as clean_env
    from ragit.repository.completion import language_names, ref_names, setting_names
    from ragit.repository.early_status import EarlyStatus, start_early_status
    from ragit.repository.meanings import MEANINGS
    from ragit.repository.repository import Ragit, open_repository, pager_command
    from ragit.repository.settings_files import SettingsFiles
else:
    from ragit.lazy import exports

    __getattr__ = exports(
        __name__,
        {
            "completion": ["language_names", "ref_names", "setting_names"],
            "early_status": ["EarlyStatus", "start_early_status"],
            "meanings": ["MEANINGS"],
            "repository": ["Ragit", "open_repository", "pager_command"],
            "settings_files": ["SettingsFiles", "clean_env"],
        },
    )
