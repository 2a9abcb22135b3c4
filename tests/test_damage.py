"""Tests of random damage to the store, to objects of uncommitted work and to git's own blobs.

Damage is repaired, or reported with the command that repairs it. It changes no answer unnoticed,
and never ends as a bug.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sandbox import GitSandbox
from storing import tampered

import ragit
from ragit.doctor import examine
from ragit.errors import GitFailed, RagitError, StoreUnreadable
from ragit.store import Store, checksums

QUERIES = ("refill_bucket", "where is the rate limit checked", "other_name_3")
Answers = list[list[tuple[str, int, str, float]]]


def source(number: int, changed: str = "") -> str:
    return (
        f"def refill_bucket_{number}(rate, burst):\n    level = rate * {number}\n"
        f"    return min(level, burst)\n\n\n"
        f"def other_name_{number}(limit):\n    # checks the rate limit {changed}\n"
        f"    return limit > {number}\n"
    )


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answers]:
    """Return a repository with an index of HEAD and of an edit, and its right answers."""
    repo = GitSandbox(tmp_path_factory.mktemp("template") / "repo")
    repo.git("config", "ragit.index.workers", "1")
    for number in range(8):
        repo.write(f"src/m{number}.py", source(number))
    repo.commit()
    with ragit.open(repo.path) as index:
        index.index()
    repo.write("src/m3.py", source(3, "again"))
    repo.write("src/new.py", source(99))
    return repo.path, answers(repo.path)


@pytest.fixture
def repo(template: tuple[Path, Answers], tmp_path: Path) -> GitSandbox:
    shutil.copytree(template[0], tmp_path / "repo", symlinks=True)
    return GitSandbox(tmp_path / "repo")


def answers(path: Path) -> Answers:
    """Return the hits of all queries. Fails if an answer is incomplete or has notes."""
    found = []
    with ragit.open(path) as index:
        for query in QUERIES:
            answer = index.search(query)
            assert answer.complete
            assert not answer.degraded
            assert not answer.completeness.absent
            found.append([(h.path, h.start_line, h.symbol, round(h.score, 6)) for h in answer.hits])
            assert all(hit.text for hit in answer.hits)
    return found


# Kinds of damage


def flip(store: Path, chance: random.Random) -> None:
    data = bytearray(store.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    store.write_bytes(data)


def zero_page(store: Path, chance: random.Random) -> None:
    data = bytearray(store.read_bytes())
    page = chance.randrange(len(data) // 4096) * 4096
    data[page : page + 4096] = bytes(4096)
    store.write_bytes(data)


def swap_pages(store: Path, chance: random.Random) -> None:
    """Swap two pages, as a misdirected write does."""
    data = bytearray(store.read_bytes())
    one, other = (chance.randrange(1, len(data) // 4096) * 4096 for _ in range(2))
    data[one : one + 4096] = data[other : other + 4096]
    store.write_bytes(data)


def truncate(store: Path, chance: random.Random) -> None:
    store.write_bytes(store.read_bytes()[: chance.randrange(store.stat().st_size)])


def append(store: Path, chance: random.Random) -> None:
    store.write_bytes(store.read_bytes() + chance.randbytes(chance.randrange(1, 9000)))


def garble(store: Path, chance: random.Random) -> None:
    data = bytearray(store.read_bytes())
    at = chance.randrange(len(data))
    data[at : at + 300] = chance.randbytes(300)
    store.write_bytes(data)


def foreign_log(store: Path, chance: random.Random) -> None:
    Path(f"{store}-wal").write_bytes(b"\x37\x7f\x06\x82" + chance.randbytes(20_000))


def empty_objects(store: Path, chance: random.Random) -> None:
    shutil.rmtree(store.parent / "objects")


def any_loose_object(store: Path, chance: random.Random) -> Path:
    return chance.choice(sorted(p for p in (store.parent / "objects").glob("??/*")))


def lose_object(store: Path, chance: random.Random) -> None:
    any_loose_object(store, chance).unlink()


def garble_object(store: Path, chance: random.Random) -> None:
    """Damage an object, also as a power cut does: git does not sync loose objects."""
    file = any_loose_object(store, chance)
    file.chmod(0o644)
    file.write_bytes(chance.choice([b"", b"garbage" * 20, file.read_bytes()[:-6]]))


DAMAGES = (
    *(flip,) * 6,
    *(zero_page,) * 3,
    *(truncate,) * 2,
    *(swap_pages,) * 2,
    append,
    garble,
    foreign_log,
    empty_objects,
    lose_object,
    garble_object,
)


def damage_and_check(
    repo: GitSandbox, right: Answers, damage: Callable[..., None], seed: int
) -> str:
    """Damage a repository once, and return the outcome."""
    damage(repo.store, random.Random(seed))
    hint = ""
    try:
        found = answers(repo.path)
    except StoreUnreadable as error:
        hint = error.hint
        assert "ragit index --rebuild" in hint, error.message
    else:
        assert found == right
    for inspect in (lambda: list(examine(repo.path)), lambda: status(repo.path)):
        try:
            inspect()
        except RagitError as error:
            assert error.hint
    if hint:
        assert any(one.state == "bad" for one in examine(repo.path) if one.topic == "store")
        with ragit.open(repo.path) as index:
            index.index(rebuild=True)
    assert answers(repo.path) == right
    return "reported" if hint else "repaired"


def status(path: Path) -> None:
    with ragit.open(path) as index:
        index.status()
        index.check()


@pytest.mark.parametrize("seed", range(20))
def test_damage_is_repaired_or_reported(
    repo: GitSandbox, template: tuple[Path, Answers], seed: int
) -> None:
    damage_and_check(repo, template[1], DAMAGES[seed % len(DAMAGES)], seed)


@pytest.mark.slow
def test_two_hundred_damages_are_repaired_or_reported(
    template: tuple[Path, Answers], tmp_path: Path
) -> None:
    outcomes: list[str] = []
    for seed in range(200):
        shutil.copytree(template[0], tmp_path / "repo", symlinks=True)
        damage = DAMAGES[seed % len(DAMAGES)]
        outcomes.append(
            damage_and_check(GitSandbox(tmp_path / "repo"), template[1], damage, seed + 1000)
        )
        shutil.rmtree(tmp_path / "repo")
    assert min(outcomes.count("reported"), outcomes.count("repaired")) > 20


# Damage that doctor has to find


def test_doctor_reads_every_page(repo: GitSandbox) -> None:
    if not checksums.has_checksums(repo.store):
        pytest.skip("this apsw has no page checksums")
    whole = repo.store.read_bytes()
    for page in range(1, len(whole) // 4096):
        data = bytearray(whole)
        data[page * 4096 + 2000] ^= 0x10
        repo.store.write_bytes(data)
        found = [one for one in examine(repo.path) if one.topic == "store"]
        assert [one.state for one in found] == ["bad"], page
        assert "ragit index --rebuild" in found[0].fix


# Git's own blobs


def garbage(file: Path) -> None:
    file.chmod(0o644)
    file.write_bytes(b"no object")


def truncated(file: Path) -> None:
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:10])


@pytest.mark.parametrize("damage", [garbage, truncated, Path.unlink])
@pytest.mark.parametrize("indexed", [True, False])
def test_unreadable_blob_leaves_other_files_searchable(
    repo: GitSandbox, damage: Callable[[Path], None], indexed: bool
) -> None:
    blob = repo.git("rev-parse", "HEAD:src/m5.py")
    if not indexed:
        repo.store.unlink()
    damage(repo.path / ".git" / "objects" / blob[:2] / blob[2:])
    with ragit.open(repo.path) as index:
        answer = index.search("refill_bucket", ref="HEAD", top_k=50)
        assert {"src/m4.py", "src/m6.py"} <= {hit.path for hit in answer.hits}
        assert answer.degraded or answer.completeness.absent
        assert index.status()


@pytest.mark.parametrize("damage", [garbage, truncated, Path.unlink])
def test_lost_blob_is_named_in_the_answer(repo: GitSandbox, damage: Callable[[Path], None]) -> None:
    with ragit.open(repo.path) as index:
        whole = index.search("refill_bucket", ref="HEAD", top_k=3)
    lost = whole.hits[-1]
    damage(repo.path / ".git" / "objects" / lost.blob[:2] / lost.blob[2:])
    with ragit.open(repo.path) as index:
        answer = index.search("refill_bucket", ref="HEAD", top_k=3)
    assert lost.path not in {hit.path for hit in answer.hits}
    assert lost.path in answer.degraded
    assert "git fsck" in answer.degraded


def test_damaged_git_tree_hints_at_git_fsck(repo: GitSandbox) -> None:
    tree = repo.git("rev-parse", "HEAD:src")
    garbage(repo.path / ".git" / "objects" / tree[:2] / tree[2:])
    repo.store.unlink()
    with ragit.open(repo.path) as index, pytest.raises(GitFailed) as caught:
        index.search("refill_bucket", ref="HEAD")
    assert "fsck" in caught.value.hint


# Links in a `.git` that came from elsewhere


@pytest.mark.parametrize("name", ["ragit", "ragit/objects"])
def test_nothing_is_written_or_deleted_through_a_link(
    repo: GitSandbox, tmp_path: Path, name: str
) -> None:
    precious = tmp_path / "precious"
    for file in ("objects/ab/" + "c" * 38, "ab/" + "d" * 38, "index-1/f", "status-1", "f"):
        (precious / file).parent.mkdir(parents=True, exist_ok=True)
        (precious / file).write_text("kept")
        os.utime(precious / file, (1, 1))
    os.utime(precious / "index-1", (1, 1))
    before = sorted(precious.rglob("*"))
    shutil.rmtree(repo.path / ".git" / name)
    (repo.path / ".git" / name).symlink_to(precious)
    with ragit.open(repo.path) as index:
        assert index.search("refill_bucket").complete
        index.gc()
    for number in range(4):
        repo.write("src/m4.py", source(4, f"edit {number}"))
        with ragit.open(repo.path) as index:
            assert index.search("refill_bucket").complete
    examine(repo.path)
    assert sorted(precious.rglob("*")) == before


# Rows that only deliberate manipulation makes: their checksums are right


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE snapshot",
        "DROP TABLE listing",
        "DELETE FROM listing",
        "UPDATE listing SET paths = x'00'",
        "UPDATE listing SET chunkings = substr(chunkings, 5)",
        "UPDATE listing SET absent = 'text'",
        "UPDATE snapshot SET listing = 'x'",
        "UPDATE snapshot SET changed = x'00'",
        "DROP TABLE term",
        "DROP TABLE vec_bit_1",
        "UPDATE snapshot SET paths = x'00'",
        "UPDATE snapshot SET chunkings = substr(chunkings, 5)",
        "UPDATE snapshot SET paths = 'text'",
        "UPDATE chunk SET start_line = 'x'",
        "UPDATE chunk SET symbol = x'ff'",
        "UPDATE chunk SET start = -5, end = 'y'",
        "UPDATE chunk SET end = 999999999",
        "UPDATE chunk SET definitions = 'x'",
        "UPDATE forward SET terms = x'0102'",
        "UPDATE forward SET terms = 7",
        "UPDATE chunking SET oid = x'01' WHERE id = 5",
        "UPDATE chunking SET oid = 'text' WHERE id = 5",
        "UPDATE chunking SET chunks = 'many'",
        "UPDATE chunking SET length = -1",
        "UPDATE chunking SET language = x'00ff', resolved = x'00ff'",
        "UPDATE vec_i8_1 SET v = x'01'",
        "UPDATE vec_bit_1 SET v = 'text'",
        "UPDATE embedder SET dimensions = 3",
        "DELETE FROM chunk",
        "DELETE FROM forward",
        "DELETE FROM vec_i8_1",
        "UPDATE state SET tree = 'text'",
    ],
)
def test_manipulated_rows_raise_no_unexpected_error(repo: GitSandbox, sql: str) -> None:
    with tampered(repo.store) as db:
        db.execute(sql)
    repo.write("src/m4.py", source(4, "edited"))
    for act in (
        lambda index: index.search("refill_bucket"),
        lambda index: index.search("rate limit", ref="HEAD"),
        lambda index: index.status(),
        lambda index: index.check(),
        lambda index: index.gc(),
    ):
        try:
            with ragit.open(repo.path) as index:
                act(index)
        except RagitError as error:
            assert error.hint
    examine(repo.path)
    with ragit.open(repo.path) as index:
        index.index(rebuild=True)
        assert index.search("refill_bucket").hits


def test_trigger_in_the_store_does_not_run(repo: GitSandbox) -> None:
    with tampered(repo.store) as db:
        db.execute(
            """
            CREATE TABLE loot(x);
            CREATE TRIGGER evil AFTER INSERT ON chunking BEGIN
                INSERT INTO loot VALUES(zeroblob(1000000));
            END;
            """
        )
    repo.write("src/m4.py", source(4, "edited"))
    with ragit.open(repo.path) as index:
        assert index.search("refill_bucket").hits
    with tampered(repo.store) as db:
        assert db.execute("SELECT count(*) FROM loot").get == 0


def test_view_in_place_of_a_table_is_refused(repo: GitSandbox) -> None:
    with tampered(repo.store) as db:
        db.execute("DROP TABLE snapshot; CREATE VIEW snapshot AS SELECT * FROM chunking")
    with ragit.open(repo.path) as index, pytest.raises(StoreUnreadable, match="damaged"):
        index.search("refill_bucket")


def test_first_error_of_a_read_is_raised(repo: GitSandbox) -> None:
    """SQLite ends a transaction itself after some errors; "cannot rollback" would hide the first
    one.
    """
    store = Store(repo.store, writable=False)
    with pytest.raises(ZeroDivisionError), store.reading():
        store._db.execute("ROLLBACK")
        raise ZeroDivisionError
    store.close()
