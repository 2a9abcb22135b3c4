"""Tests that no code of a clone runs as a chunker unless the user trusts it, whatever its name or
place.

Each test looks for the file that the code would have written.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from chunking import CHUNKER, READ_BY_RAGIT, TEXT, allow, chunks, settings, skipped, use
from sandbox import GitSandbox
from terminal import Terminal

import ragit
from ragit.errors import ConfigError
from ragit.repository import trust

NOTE = "note: ignored until `ragit trust`: "


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[Path]:
    """Return the file that untrusted code writes when it runs."""
    yield tmp_path / "ran"
    (tmp_path / "ran").unlink(missing_ok=True)


def marking(marker: Path) -> str:
    """Return a working chunker that writes the marker."""
    return f"open({str(marker)!r}, 'a').close()\n{CHUNKER}"


@pytest.fixture
def clone(repo: GitSandbox, marker: Path) -> GitSandbox:
    """Return an untrusted repository with a chunker, and settings that name it."""
    repo.write("a.xyz", TEXT)
    repo.write("tools/a.py", marking(marker))
    settings(repo, {"tools/a.py": [".xyz", ".py"]})
    repo.commit()
    return repo


def test_untrusted_clone_runs_no_chunker_and_gives_one_note(
    clone: GitSandbox, marker: Path
) -> None:
    shell = Terminal(clone.path)
    for command in (
        ["index", "--all-branches"],
        ["search", "rule one"],
        ["search", "--ref", "HEAD", "rule"],
        ["status"],
        ["check", "--fix"],
        ["config"],
        ["doctor"],
        ["gc"],
        ["trust", "--dry-run"],
    ):
        result = shell.ragit(*command)
        assert result.code in {0, 1}, result
        notes = (
            [] if command == ["doctor"] else [f"{NOTE}chunkers (.ragit.toml)"]
        )  # doctor reports it as a finding
        assert [
            line for line in result.err.splitlines() if line.startswith("note: ignored")
        ] == notes
    assert not marker.exists()
    assert chunks(clone) == READ_BY_RAGIT
    with ragit.open(clone.path) as index:
        assert index.settings.warnings == ["ignored until `ragit trust`: chunkers (.ragit.toml)"]


def test_trust_shows_the_chunker_and_lapses_when_it_changes(
    clone: GitSandbox, marker: Path
) -> None:
    shell = Terminal(clone.path)
    shown = shell.ragit("trust", "--dry-run", code=0).out.splitlines()
    assert shown[:2] == [
        "tools/a.py chunks .py, .xyz",
        "  in place of ragit itself, which reads .py as python",
    ]
    digest = trust.sha256(marking(marker).encode())
    assert shown[2:] == [f"  its code runs as you, from this file as it is now: sha256 {digest}"]
    assert chunks(clone) == READ_BY_RAGIT
    assert not marker.exists()
    shell.ragit("trust", "--yes", code=0)
    assert ("rule", "one", 2, 3) in chunks(clone)
    assert marker.exists()

    marker.unlink()
    clone.write("tools/a.py", marking(marker) + "# pulled\n")
    notes = shell.ragit("search", "rule").err.splitlines()
    assert f"{NOTE}tools/a.py (chunker of .py .xyz)" in notes
    assert chunks(clone) == READ_BY_RAGIT
    assert not marker.exists()
    clone.write("tools/a.py", marking(marker))
    assert ("rule", "one", 2, 3) in chunks(clone), "the trusted content"

    settings(clone, {"tools/a.py": [".xyz"]})
    assert chunks(clone) == READ_BY_RAGIT, "the settings changed"
    settings(clone, {"tools/a.py": [".xyz", ".py"]})
    assert ("rule", "one", 2, 3) in chunks(clone)
    shell.ragit("trust", "--revoke", code=0)
    assert chunks(clone) == READ_BY_RAGIT


def test_declined_trust_runs_nothing(
    clone: GitSandbox, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Keyboard(io.StringIO):
        def isatty(self) -> bool:
            return True

    asked: list[str] = []

    def refuse(text: str, **_: object) -> bool:
        asked.append(text)
        return False

    monkeypatch.setattr("sys.stdin", Keyboard())
    monkeypatch.setattr(click, "confirm", refuse)
    Terminal(clone.path).ragit("trust", code=0)
    assert asked == ["Allow this?"]
    assert chunks(clone) == READ_BY_RAGIT
    assert not marker.exists()


def test_trust_applies_to_the_shown_content(clone: GitSandbox, marker: Path) -> None:
    with ragit.open(clone.path) as index:
        asked = index.settings.request()
        clone.write("tools/a.py", marking(marker) + "# changed while it was read\n")
        index.settings.trust(asked)
    assert chunks(clone) == READ_BY_RAGIT
    assert not marker.exists()


@pytest.mark.parametrize(
    "module",
    [
        "../a.py",
        "/tmp/a.py",
        "tools/../../a.py",
        "~/a.py",
        "tools/./a.py",
        "a\\b.py",
        "a\nb.py",
    ],
)
def test_chunker_path_outside_the_repository_is_refused(repo: GitSandbox, module: str) -> None:
    settings(repo, {module: [".xyz"]})
    with pytest.raises(ConfigError, match="chunkers takes a list of tables"):
        ragit.open(repo.path)


def files_outside(repo: GitSandbox, marker: Path) -> dict[str, Path]:
    """Return files outside of the working tree, by the name with which settings would reach
    them.
    """
    outside = repo.path.parent / "outside"
    outside.mkdir()
    (outside / "b.py").write_text(marking(marker))
    (repo.path / "linked.py").symlink_to(outside / "b.py")
    (repo.path / "folder").symlink_to(outside)
    repo.write(".git/evil.py", marking(marker))
    return {
        "linked.py": outside / "b.py",
        "folder/b.py": outside / "b.py",
        ".git/evil.py": repo.path / ".git" / "evil.py",
    }


def test_chunker_behind_a_link_or_in_the_git_folder_is_ignored(
    repo: GitSandbox, marker: Path
) -> None:
    repo.write("a.xyz", TEXT)
    for name, file in files_outside(repo, marker).items():
        settings(repo, {name: [".xyz"]})
        allow(repo)
        record = trust.record_path(os.environ)  # a permission from before, when it was a file
        trust.trust(record, repo.path / ".git", file.read_bytes(), name=name)
        with ragit.open(repo.path) as index:
            assert index.settings.warnings == [
                f"chunker {name} is ignored: it leads out of the repository"
            ]
        assert chunks(repo) == READ_BY_RAGIT
    assert not marker.exists()


def test_link_inside_the_repository_is_trusted_by_its_target(
    repo: GitSandbox, marker: Path
) -> None:
    repo.write("real.py", CHUNKER)
    repo.write("evil.py", marking(marker))
    (repo.path / "linked.py").symlink_to("real.py")
    use(repo, "", module="linked.py")
    assert ("rule", "one", 2, 3) in chunks(repo)
    repo.rm("linked.py")
    (repo.path / "linked.py").symlink_to("evil.py")
    assert chunks(repo) == READ_BY_RAGIT
    assert not marker.exists()


def test_named_pipe_as_a_chunker_is_ignored(repo: GitSandbox) -> None:
    os.mkfifo(repo.path / "pipe.py")
    use(repo, "", module="pipe.py")
    with ragit.open(repo.path) as index:
        assert index.settings.warnings == [
            "chunker pipe.py is ignored: there is no such file in the working tree"
        ]


def test_chunker_of_another_branch_does_not_run(repo: GitSandbox, marker: Path) -> None:
    use(repo, CHUNKER)
    repo.commit()
    repo.branch("evil")
    repo.write("tools/a.py", marking(marker))
    repo.write("a.xyz", TEXT + "\nmore\n")
    repo.commit()
    assert chunks(repo) == [("text", "", 1, 9)], "its chunker is not trusted"
    assert ("text", "", 1, 7) in chunks(repo, ref="main"), (
        "the trusted chunker is not in the working tree"
    )
    repo.git("switch", "-q", "main")
    found = chunks(repo, ref="evil")
    assert ("rule", "one", 2, 3) in found, "the trusted chunker of the working tree reads it"
    assert found[-1] == ("text", "", 7, 9)
    assert not marker.exists()


def test_settings_file_in_a_subfolder_is_ignored(repo: GitSandbox, marker: Path) -> None:
    repo.write("sub/a.xyz", TEXT)
    repo.write("sub/tools/a.py", marking(marker))
    repo.write("sub/.ragit.toml", 'chunkers = [{ module = "tools/a.py", extensions = [".xyz"] }]\n')
    repo.commit()
    result = Terminal(repo.path / "sub").ragit("trust")
    assert result.code == 2
    assert "there is no .ragit.toml" in result.err
    assert chunks(repo, "sub/a.xyz") == READ_BY_RAGIT
    assert not marker.exists()


DECOYS = (
    "sitecustomize",
    "usercustomize",
    "ragit",
    "json",
    "resource",
    "signal",
    "encodings",
    "apsw",
    "helper",
    "abc",
)


def write_decoys(repo: GitSandbox, marker: Path, folder: str = "") -> None:
    """Write modules that Python would import if it searched this folder."""
    for name in DECOYS:
        repo.write(f"{folder}{name}.py", f"open({str(marker)!r}, 'a').write({name!r})\n")
        repo.write(f"{folder}{name}_/__init__.py", f"open({str(marker)!r}, 'a').write({name!r})\n")


def test_trusted_chunker_cannot_import_from_the_clone(repo: GitSandbox, marker: Path) -> None:
    for folder in ("", "tools/", "ragit/"):
        write_decoys(repo, marker, folder)
    use(repo, f"import json, helper\n{CHUNKER}")
    repo.commit()
    for here in (repo.path, repo.path / "tools"):
        result = Terminal(here).process("index", "--rebuild", code=0)
        assert "tools/a.py:1 raised ModuleNotFoundError" in result.out + result.err
    assert not marker.exists(), marker.read_text()


def test_python_variables_do_not_add_the_clone_to_the_path(repo: GitSandbox, marker: Path) -> None:
    """Variables are the user's, but `PYTHONPATH=.` must not let a clone's modules into a chunker's
    process.
    """
    repo.write("lib/helper.py", f"open({str(marker)!r}, 'a').close()\n")
    repo.write("lib/theirs.py", marking(marker) + "class Rules:\n    chunk = staticmethod(chunk)\n")
    repo.write(
        "lib/theirs-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n"
    )
    repo.write(
        "lib/theirs-1.0.dist-info/entry_points.txt",
        "[ragit.chunkers]\nrules = theirs:Rules\n",
    )
    repo.write("b.pqr", TEXT)
    repo.write("c.uvw", TEXT)
    use(repo, f"import helper\n{CHUNKER}")
    settings(repo, {"tools/a.py": [".xyz"], "theirs:Rules": [".pqr"], "rules": [".uvw"]})
    allow(repo)
    repo.commit()
    for path, startup in (
        ("lib", ""),
        (str(repo.path / "lib"), ""),
        (f"{repo.path}/tools/../lib", "lib/helper.py"),
    ):
        result = Terminal(repo.path, PYTHONPATH=path, PYTHONSTARTUP=startup).process(
            "index", "--rebuild", code=0
        )
        assert (
            "chunker theirs:Rules is ignored: no module theirs is installed where ragit is"
            in result.err
        )
        assert "chunker rules is ignored: nothing that is installed" in result.err
        assert "tools/a.py:1 raised ModuleNotFoundError" in result.out + result.err
    assert not marker.exists()


def test_installed_module_takes_precedence_over_the_clone(
    repo: GitSandbox, marker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "class Rules:\n    def chunk(self, data):\n        return [(1, 1, 'rule', 'installed')]\n"
    )
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "ours.py").write_text(code)
    repo.write("ours.py", marking(marker))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.syspath_prepend(str(repo.path))
    use(repo, "", module="ours:Rules")
    assert ("rule", "installed", 1, 1) in chunks(repo)
    assert not marker.exists()


def test_current_folder_is_not_imported_from(
    repo: GitSandbox, marker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cover `ragit -C CLONE` run from an untrusted folder."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "theirs.py").write_text(marking(marker))
    use(repo, "", module="theirs:chunk")
    monkeypatch.chdir(here)
    monkeypatch.syspath_prepend(str(here))
    monkeypatch.syspath_prepend("")
    assert chunks(repo) == READ_BY_RAGIT
    assert not marker.exists()


def test_submodule_needs_its_own_trust(
    clone: GitSandbox, marker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = GitSandbox(tmp_path / "outer")
    outer.write("a.xyz", TEXT)
    outer.write("tools/a.py", marking(marker))
    settings(outer, {"tools/a.py": [".xyz", ".py"]})
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(clone.path), "inner"
    )
    outer.commit()
    allow(outer)
    with ragit.open(outer.path) as index:
        hits = index.search(
            "rule", recurse_submodules=True, mode="keyword", optimize=False, top_k=100
        ).hits
    kinds = {
        path: {hit.kind for hit in hits if hit.path == path} for path in ("a.xyz", "inner/a.xyz")
    }
    assert kinds == {"a.xyz": {"rule"}, "inner/a.xyz": {"text"}}
    inner = GitSandbox(outer.path / "inner")
    allow(inner)
    assert ("rule", "one", 2, 3) in chunks(inner)
    assert chunks(clone) == READ_BY_RAGIT, "another repository with the same content"


def test_trust_is_for_one_file_name(tmp_path: Path) -> None:
    """A file trusted as settings does not run as code, nor does a file of another name."""
    record = tmp_path / "settings" / "trusted.json"
    trust.trust(record, tmp_path, b"x = 1", name="tools/a.py")
    assert trust.is_trusted(record, tmp_path, b"x = 1", name="tools/a.py")
    assert not trust.is_trusted(record, tmp_path, b"x = 1", name="tools/b.py")
    assert not trust.is_trusted(record, tmp_path, b"x = 1")
    trust.trust(record, tmp_path, b"y = 1")
    assert not trust.is_trusted(record, tmp_path, b"y = 1", name="tools/a.py")


def test_trust_record_inside_the_clone_is_ignored(
    clone: GitSandbox, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(clone.path / "config"))
    record = trust.record_path(os.environ)
    trust.trust(record, clone.path / ".git", (clone.path / ".ragit.toml").read_bytes())
    trust.trust(record, clone.path / ".git", marking(marker).encode(), name="tools/a.py")
    clone.git("config", "ragit.chunkers.xyz", "tools/a.py")
    assert chunks(clone) == READ_BY_RAGIT
    assert not marker.exists()


def test_bare_repository_runs_no_chunker(clone: GitSandbox, marker: Path, tmp_path: Path) -> None:
    """A bare repository inside a clone has git settings written by the clone."""
    clone.git("clone", "-q", "--bare", str(clone.path), str(tmp_path / "bare"))
    bare = GitSandbox(tmp_path / "bare")
    bare.write("tools/a.py", marking(marker))
    bare.git("config", "ragit.chunkers.xyz", "tools/a.py")
    bare.git("config", "ragit.chunkers.py", "os:system")
    with ragit.open(bare.path) as index:
        assert index.settings.warnings == [
            "chunker os:system is ignored: Python's own library holds no chunkers",
            "chunker tools/a.py is ignored: a bare repository has no files",
        ]
        assert index.search("rule").hits
    assert Terminal(bare.path).ragit("trust", "--yes").code == 2
    assert not marker.exists()


def test_file_content_cannot_forge_a_request(repo: GitSandbox, marker: Path) -> None:
    """Requests to a chunker are JSON, so bytes of a file cannot pass for the next request."""
    use(
        repo,
        "import sys\ndef chunk(data):\n    return [(1, 1, 'rule', sys.stdin.readline() or 'nothing')]\n",
        write=False,
    )
    attack = '{"language": "text", "size": 0, "options": []}\n' * 9
    repo.write("a.xyz", attack)
    repo.write("b.xyz", "import os\n" + attack)
    assert {row[1] for name in ("a.xyz", "b.xyz") for row in chunks(repo, name)[:1]} == {"nothing"}
    assert skipped(repo) == {}
