"""Find the stored descriptions of a file, or request one of an image."""

from __future__ import annotations

from ragit.errors import NotDescribed
from ragit.git import Repo
from ragit.index import Indexer, described, is_image
from ragit.reports import FileDescribed, ImageDescribed
from ragit.types import Oid, Target, path_text


def description_of(
    repo: Repo, indexer: Indexer, target: Target, path: bytes, *, now: bool
) -> ImageDescribed | FileDescribed:
    """Return the descriptions of a file of a tree.

    `now` requests the description of an image that has none. Raises NotDescribed, and RemoteFailed
    if the request failed.
    """
    blobs = [entry.oid for entry in repo.entries(target.tree) if entry.path == path]
    if not blobs:
        name = path_text(path)
        raise NotDescribed(
            f"there is no {name} in {target.name}", "Paths count from the folder you are in"
        )
    if not is_image(path):
        return described(indexer, target, path, blobs[0])
    task = indexer.selector.images
    if task is None:
        raise NotDescribed(
            "descriptions of images are turned off",
            "Type: git config ragit.imageDescription.enabled true",
        )
    image = blobs[0]
    text = indexer.describe(image) if now else _stored(indexer, target, path, image)
    return ImageDescribed(path_text(path), target.name, image, task.fingerprint, text)


def _stored(indexer: Indexer, target: Target, path: bytes, image: Oid) -> str:
    """Return the stored description of an image; empty if it has none yet."""
    with indexer.reading() as store:
        text = indexer.descriptions.of_image(store, image)
        if text:
            return text
        resolved = indexer.trees.resolve(store, target.tree, near=target.near)
    why = indexer.descriptions.never(resolved, path)
    if why:
        raise NotDescribed(
            f"it cannot be described: {why}", "`ragit config` shows what imageDescription takes"
        )
    return ""
