"""Tests of whether the folders of a file system have reliable times."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragit.git import folder_times

ROOT = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/vda rw"


@pytest.mark.parametrize(
    ("others", "top", "known"),
    [
        ([], "/home/me/project", True),
        (["30 22 0:40 / /home rw - nfs4 server:/home rw"], "/home/me/project", False),
        (["30 22 0:40 / /home rw - nfs4 server:/home rw"], "/homely/project", True),
        (["30 22 0:40 / /home rw - xfs /dev/vdb rw"], "/home", True),
        (["30 22 0:40 / /home/me/project/data rw - fuse.sshfs far:/ rw"], "/home/me", False),
        (["30 22 0:40 / /a\\040b rw - 9p share rw"], "/a b/project", False),
        (["30 22 0:40 / / rw - zfs pool rw"], "/home", False),
        (["30 22 0:40 / / rw - 9p root rw", "31 22 0:41 / / rw - tmpfs root rw"], "/home", True),
    ],
)
def test_file_system_type_decides_on_folder_times(others: list[str], top: str, known: bool) -> None:
    mounts = [row.encode().split() for row in (ROOT, *others)]
    assert folder_times._have_times(top.encode(), mounts) is known


def test_folder_times_are_unknown_without_a_mount_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_times, "_MOUNTS", tmp_path / "none")
    assert not folder_times.have_times(tmp_path)
