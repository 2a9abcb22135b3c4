"""Tests of rows that `ragit gc` drops and keeps."""

from __future__ import annotations

from sandbox import GitSandbox

import ragit


def test_gc_drops_chunks_of_former_settings(repo: GitSandbox) -> None:
    repo.write("a.py", "def commit_offset():\n    return 1\n")
    repo.commit()
    embedding = {"embedding.provider": "none"}
    with ragit.open(repo.path, flags=embedding) as index:
        index.index()
    with ragit.open(repo.path, flags={**embedding, "index.maxChunkLines": "7"}) as index:
        index.index()
        report = index.gc()
        assert (report.dropped, report.kept) == (1, 1)
        assert index.search("commit offset", mode="keyword").complete
        assert index.gc().dropped == 0
