"""Choose the worker for a mode: a real run's, or a dry run's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragit.index.run.result import WorkerConfig
from ragit.index.run.worker import IndexingWorker, Opened

if TYPE_CHECKING:
    from ragit.index.descriptions.requests import Keep


def open_worker(
    config: WorkerConfig, keep: Keep | None = None, opened: Opened | None = None
) -> IndexingWorker:
    """Return a worker for this process. Close it."""
    if config.mode.dry_run:
        from ragit.index.run.dry_run import DryRunWorker  # loads what counts secrets and tokens

        return DryRunWorker(config, keep, opened)
    return IndexingWorker(config, keep, opened)
