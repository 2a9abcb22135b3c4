"""Tests of searches: filters before the ranking, the effect of each option, notes on
missing files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sandbox import GitSandbox

import ragit
from ragit.errors import ConfigError, NotIndexed, UnknownLanguage
from ragit.query import Query
from ragit.types import Answer, Hit, ToIndex


def function(name: str, *lines: str, filler: int = 0) -> str:
    body = "".join(
        f"    {line}\n"
        for line in [*lines, *(f"step_{name}_{i}()" for i in range(filler))] or ["pass"]
    )
    return f"def {name}():\n{body}"


@pytest.fixture
def shop(repo: GitSandbox) -> GitSandbox:
    """Return a small project in which several files match."""
    repo.write("src/offsets.py", function("commit_offset", "return broker.commit(offset)"))
    repo.write("src/broker.py", function("send", "return offset, commit, offset, commit, offset"))
    repo.write("tests/test_offsets.py", function("test_commit_offset", "assert commit_offset()"))
    repo.write("lib/offset.c", "int commit_offset(void) {\n\treturn 0;\n}\n")
    repo.write("lib/offset.h", "int commit_offset(void);\n")
    repo.write("docs/guide.md", "# Offsets\n\nHow a commit of an offset works.\n")
    repo.write("other.txt", "nothing of interest\n")
    repo.commit()
    return repo


def search(
    repo: GitSandbox,
    query: str = "commit_offset",
    flags: dict[str, str] | None = None,
    **options: object,
) -> Answer:
    with ragit.open(repo.path, flags=flags or {}) as index:
        return index.search(query, **options)  # type: ignore[arg-type]


def paths(answer: Answer) -> list[str]:
    return [hit.path for hit in answer.hits]


# Options


def test_top_k_limits_the_hits(shop: GitSandbox) -> None:
    assert len(search(shop, top_k=2).hits) == 2
    assert paths(search(shop, flags={"retrieval.topK": "3"})) == paths(search(shop, top_k=3))
    assert paths(search(shop, top_k=6))[:2] == paths(search(shop, top_k=2))


def test_min_score_drops_lower_scores(shop: GitSandbox) -> None:
    every = search(shop)
    least = every.hits[2].score
    assert [h.score for h in search(shop, min_score=least).hits] == [
        h.score for h in every.hits if h.score >= least
    ]
    assert paths(search(shop, flags={"retrieval.minScore": str(least)})) == paths(
        search(shop, min_score=least)
    )
    assert search(shop, min_score=99).hits == ()


def test_keyword_weight_mixes_the_arms(shop: GitSandbox) -> None:
    plain = {f"retrieval.signals.{name}": "0" for name in signal_names()}
    only_words = search(shop, flags=plain, keyword_weight=1)
    assert max(h.score for h in only_words.hits) == pytest.approx(1)
    assert all(set(h.signals) == {"keyword"} for h in only_words.hits)
    only_meaning = search(shop, flags=plain, keyword_weight=0)
    assert all(set(h.signals) == {"vector"} for h in only_meaning.hits)
    half = search(shop, flags=plain, keyword_weight=0.5, optimize=False, top_k=50)
    parts = {(h.path, h.start_line): h.signals for h in half.hits}
    for hit in search(shop, flags=plain, keyword_weight=1, optimize=False, top_k=50).hits:
        assert parts[hit.path, hit.start_line]["keyword"] == pytest.approx(0.5 * hit.score)
    default = search(
        shop,
        flags={**plain, "retrieval.hybridSearch.keywordWeight": "0.5"},
        optimize=False,
        top_k=50,
    )
    assert [h.score for h in default.hits] == pytest.approx([h.score for h in half.hits])


def signal_names() -> list[str]:
    from ragit.rank.signals import SIGNAL_NAMES

    return list(SIGNAL_NAMES)


def test_scores_are_the_sum_of_their_signals(shop: GitSandbox) -> None:
    for hit in search(shop, optimize=False).hits:
        whole = sum(hit.signals.values())
        assert hit.score == pytest.approx(whole) if whole > 0.001 else 0 < hit.score <= 0.001


def test_signal_weight_is_a_setting(shop: GitSandbox) -> None:
    usual = search(shop, optimize=False).hits[0]
    heavy = search(shop, flags={"retrieval.signals.defines": "50"}, optimize=False).hits[0]
    assert heavy.signals["defines"] / heavy.score > 2 * usual.signals["defines"] / usual.score > 0


def test_keyword_scoring_is_bm25_or_tfidf(shop: GitSandbox) -> None:
    """bm25 saturates, tf x idf does not, so the file that repeats the words gains."""
    repeated = function("noise", *["offset = commit"] * 60)
    shop.write("src/noise.py", repeated)
    shop.commit()

    def share(scoring: str) -> float:
        flags = {"retrieval.hybridSearch.keywordScoring": scoring}
        hits = search(
            shop, "commit offset", flags=flags, mode="keyword", optimize=False, top_k=50
        ).hits
        by_path = {hit.path: hit.score for hit in hits}
        return by_path["src/noise.py"] / by_path["docs/guide.md"]

    assert share("tfidf") > 2 * share("bm25")


def test_hybrid_search_can_be_disabled(shop: GitSandbox) -> None:
    off = search(shop, flags={"retrieval.hybridSearch.enabled": "false"})
    assert paths(off) == paths(search(shop, mode="vector"))
    assert off.hits and all(set(h.signals) == {"vector"} for h in off.hits)


def test_modes_use_keywords_or_vectors_alone(shop: GitSandbox) -> None:
    words = search(shop, mode="keyword")
    assert "other.txt" not in paths(words)
    assert words.hits and all("vector" not in h.signals for h in words.hits)
    meaning = search(shop, mode="vector")
    assert meaning.hits and all("keyword" not in h.signals for h in meaning.hits)


def test_query_prefix_affects_vectors_only(shop: GitSandbox) -> None:
    plain = search(shop, "offset", mode="vector")
    assert [
        h.score for h in search(shop, "offset", mode="vector", query_prefix="broker send: ").hits
    ] != [h.score for h in plain.hits]
    same = search(shop, "offset", mode="keyword")
    prefixed = search(shop, "offset", mode="keyword", query_prefix="broker send: ")
    assert [h.score for h in prefixed.hits] == [h.score for h in same.hits]
    by_knob = {"retrieval.queryPrefix": "broker send: "}
    also = {"embedding.queryPrefix": "broker send: "}
    wanted = [
        h.score for h in search(shop, "offset", mode="vector", query_prefix="broker send: ").hits
    ]
    for flags in (by_knob, also):
        assert [h.score for h in search(shop, "offset", mode="vector", flags=flags).hits] == wanted
    override = search(shop, "offset", mode="vector", flags=by_knob, query_prefix="")
    assert [h.score for h in override.hits] == [h.score for h in plain.hits]


# Filters


def test_path_filter_is_applied_before_the_limit(shop: GitSandbox) -> None:
    for number in range(60):
        shop.write(f"many/m{number}.py", function(f"commit_offset_{number}"))
    shop.write("rare/only.txt", "an offset far away\n")
    shop.commit()
    assert "rare/only.txt" not in paths(search(shop))
    assert paths(search(shop, paths=["rare/"])) == ["rare/only.txt"]
    assert set(paths(search(shop, paths=["*.c", "docs"]))) == {"lib/offset.c", "docs/guide.md"}
    assert search(shop, paths=["nowhere/"]).hits == ()


def test_path_filter_may_exclude(shop: GitSandbox) -> None:
    def found(*filters: str) -> set[str]:
        return set(paths(search(shop, "commit offset", paths=filters, top_k=50)))

    every = found()
    assert {"src/offsets.py", "src/broker.py", "lib/offset.c", "lib/offset.h"} < every
    assert found("src", "lib", "!*.h", "!/src/broker.py") == {"src/offsets.py", "lib/offset.c"}
    assert found("!lib/") == {path for path in every if not path.startswith("lib/")}
    with ragit.open(shop.path / "lib") as below:
        assert paths(below.search("commit_offset", paths=["./", "!./*.h"])) == ["lib/offset.c"]
    with pytest.raises(ConfigError, match="empty path"):
        search(shop, paths=["!"])


def test_language_filter_accepts_names_and_aliases(shop: GitSandbox) -> None:
    assert set(paths(search(shop, languages=["c"]))) == {"lib/offset.c", "lib/offset.h"}
    assert set(paths(search(shop, languages=["C", "markdown"]))) >= {
        "lib/offset.c",
        "docs/guide.md",
    }
    assert (
        set(paths(search(shop, languages=["md"])))
        == set(paths(search(shop, languages=["markdown"])))
        != set()
    )
    assert search(shop, languages=["haskell"]).hits == ()
    with pytest.raises(UnknownLanguage, match="pythn"):
        search(shop, languages=["pythn"])


def test_demoted_files_are_still_found(shop: GitSandbox) -> None:
    """Tests, prose and examples rank lower; if nothing else matches, they come first."""
    for path in ("tests/examples/test_vendored.md", "examples/vendor/dist/guide.md"):
        shop.write(path, "a word: commit\n" + "filler words of many other kinds\n" * 40)
    shop.commit()
    for path in ("tests/examples/test_vendored.md", "examples/vendor/dist/guide.md"):
        answer = search(
            shop, "how is an offset sent to the broker and what does commit do", paths=[path]
        )
        assert paths(answer) == [path]
        assert 0 < answer.hits[0].score < 0.5


@pytest.mark.parametrize(
    ("header", "source", "lowered"),
    [
        ("net/tie.h", "net/tie.c", True),
        ("tie.pyi", "tie.py", True),
        ("tie.d.ts", "tie.js", True),
        ("tie.h", "tie.cc", False),  # C++ has much of its code in headers
        ("net/tie.h", "tie.c", True),  # a header of include/ is far from its bodies
        ("net/tie.h", "net/tied.c", False),
        ("tie.h", "tiedye.c", False),
    ],
)
def test_declarations_rank_below_definitions(
    repo: GitSandbox, header: str, source: str, lowered: bool
) -> None:
    repo.write(header, "int tie_knots(int loose);\n")
    repo.write(source, "int tie_knots(int loose) { return loose - 1; }\n")
    repo.commit()
    hits = {hit.path: hit for hit in search(repo, "tie_knots").hits}
    assert ("declares" in hits[header].signals) == lowered
    assert "declares" not in hits[source].signals


def test_prose_is_demoted_only_if_code_has_the_word(shop: GitSandbox) -> None:
    """Prose comes first only while no code has the word."""
    shop.write("handbook.md", "# Care\n\nReplace the ceramic seal.\n")
    shop.commit()
    hit = search(shop, "ceramic").hits[0]
    assert (hit.path, "prose" in hit.signals) == ("handbook.md", False)
    shop.write("src/seal.py", function("replace_ceramic_seal"))
    shop.commit()
    hits = {hit.path: hit for hit in search(shop, "ceramic").hits}
    assert hits["src/seal.py"].score > hits["handbook.md"].score
    assert "prose" in hits["handbook.md"].signals


def test_path_filter_keeps_keyword_scores(shop: GitSandbox) -> None:
    """Rarity is counted in the whole tree, so a filter does not change a hit's keyword score."""
    every = {h.path: h for h in search(shop, mode="keyword", top_k=50, optimize=False).hits}
    shares = {p: h.score for p, h in every.items()}
    for hit in search(shop, mode="keyword", paths=["lib/"], top_k=50, optimize=False).hits:
        top = max(shares[p] for p in shares if p.startswith("lib/"))
        assert hit.score == pytest.approx(shares[hit.path] / top)


def test_tree_under_new_settings_is_cached(shop: GitSandbox) -> None:
    """If a setting changes no chunk, the next search must not walk the tree again."""
    search(shop)
    settings = {"index.exclude": "nothing-is-called-so"}

    def resolved(**options: Any) -> bool:
        with ragit.open(shop.path, flags=settings) as opened:
            opened.search("commit", scope="committed", **options)
            indexer = opened._indexer
            tree = indexer.repo.head().tree
            with indexer.reading() as store:
                assert store is not None
                return store.snapshots.of(tree, indexer.trees.selection) is not None

    assert not resolved(index=False)
    assert resolved()


# Context optimisation


@pytest.fixture
def long(repo: GitSandbox) -> GitSandbox:
    """Return files with many matching chunks."""
    repo.write(
        "a.py", "".join(function(f"offset_{i}", "commit()", filler=25) + "\n" for i in range(8))
    )
    apart = [
        function(f"offset_b{i}", "commit()", filler=25)
        + "\n\n"
        + function(f"zzz_{i}", filler=40)
        + "\n\n"
        for i in range(6)
    ]
    repo.write("b.py", "".join(apart))
    repo.write("c.py", function("offset_c", "commit()", filler=25))
    repo.commit()
    return repo


CO = "retrieval.contextOptimization."


def by_file(answer: Answer, path: str) -> list[Hit]:
    return [hit for hit in answer.hits if hit.path == path]


def test_disabled_optimization_returns_every_chunk(long: GitSandbox) -> None:
    plain = search(long, "commit offset", optimize=False, top_k=30)
    assert len(by_file(plain, "a.py")) == 8
    assert all(hit.optimized is None for hit in plain.hits)
    assert paths(search(long, "commit offset", flags={CO + "enabled": "false"}, top_k=30)) == paths(
        plain
    )


def test_adjacent_hits_are_merged_with_their_text(long: GitSandbox) -> None:
    lines = (long.path / "a.py").read_text().split("\n")
    merged = [
        hit
        for hit in search(long, "commit offset").hits
        if hit.optimized and hit.optimized.merged_from
    ]
    assert merged
    for hit in by_file(search(long, "commit offset"), "a.py"):
        assert hit.text == "\n".join(lines[hit.start_line - 1 : hit.end_line])
    assert len(merged[0].optimized.merged_from) >= 2  # type: ignore[union-attr]
    apart = search(long, "commit offset", flags={CO + "mergeAdjacent": "false"})
    assert all(not (hit.optimized and hit.optimized.merged_from) for hit in apart.hits)


def test_gap_threshold_decides_on_merging(long: GitSandbox) -> None:
    wide = search(long, "commit offset", flags={CO + "adjacentGapThreshold": "80"}, top_k=3)
    assert any(hit.optimized and hit.optimized.merged_from for hit in by_file(wide, "b.py"))


def test_near_duplicates_are_dropped_and_named(repo: GitSandbox) -> None:
    body = ["commit(offset)", *(f"line_{i} = offset" for i in range(30))]
    between = function("between", filler=60)
    repo.write(
        "a.py", "\n\n".join([function("same", *body), between, function("same", *body, "return")])
    )
    repo.commit()
    apart = {CO + "mergeAdjacent": "false"}
    dropped = search(repo, "commit offset line", flags=apart, top_k=5)
    kept = [hit for hit in dropped.hits if hit.optimized and hit.optimized.deduped_from]
    assert len(kept) == 1
    assert kept[0].optimized.deduped_from[0].startswith("a.py:")  # type: ignore[union-attr]
    every = search(
        repo, "commit offset line", flags={**apart, CO + "similarityThreshold": "1"}, top_k=5
    )
    assert len(every.hits) == len(dropped.hits) + 1


def test_hits_per_file_are_capped(long: GitSandbox) -> None:
    flags = {CO + "mergeAdjacent": "false", CO + "similarityThreshold": "1"}
    capped = search(long, "commit offset", flags=flags, top_k=10)
    assert len(by_file(capped, "a.py")) == 3
    assert all(hit.optimized and hit.optimized.file_capped for hit in by_file(capped, "a.py"))
    assert not any(hit.optimized and hit.optimized.file_capped for hit in by_file(capped, "c.py"))
    one = search(long, "commit offset", flags={**flags, CO + "maxPerFile": "1"}, top_k=10)
    assert len(by_file(one, "a.py")) == len(by_file(one, "b.py")) == 1
    free = search(long, "commit offset", flags={**flags, CO + "maxPerFile": "0"}, top_k=30)
    assert len(by_file(free, "a.py")) == 8


def test_same_content_at_several_paths_is_one_hit(repo: GitSandbox) -> None:
    for path in ("a/x.py", "b/x.py", "c/x.py"):
        repo.write(path, function("commit_offset"))
    repo.commit()
    answer = search(repo)
    assert len(answer.hits) == 1
    assert sorted([answer.hits[0].path, *answer.hits[0].also]) == ["a/x.py", "b/x.py", "c/x.py"]
    assert paths(search(repo, paths=["b/"])) == ["b/x.py"]


# Names without a match


@pytest.mark.parametrize(
    ("query", "unmatched_names"),
    [
        ("commit_offset", ()),
        ("commitOffset", ()),  # the same words in another spelling
        ("OffsetStore", ("OffsetStore",)),
        ("how does OffsetStore call commit_offset and offset_log?", ("OffsetStore", "offset_log")),
        ("Ledger.commit_offset", ()),  # an owner of one word may be part of a sentence
        ("BrokerPool::commit_offset", ("BrokerPool",)),
        ("test_offsets", ()),  # a path
        ("how is an offset committed", ()),
        ("ledger", ()),
        ("オフセットの保存", ()),
    ],
)
def test_unmatched_compound_names_are_reported(
    shop: GitSandbox, query: str, unmatched_names: tuple[str, ...]
) -> None:
    for mode in ("hybrid", "keyword", "vector"):
        assert search(shop, query, mode=mode).unmatched_names == unmatched_names
    assert (
        search(shop, query, paths=["docs/"]).unmatched_names == unmatched_names
    )  # names are looked up in the whole tree


@pytest.mark.parametrize(
    "query",
    ['"return commit_offset"', "\u201ccommit_offset def\u201d", '"commit the offset twice"'],
)
def test_quoted_phrase_that_no_file_holds_has_no_hits(repo: GitSandbox, query: str) -> None:
    repo.write("a.py", function("commit_offset"))
    repo.commit()
    answer = search(repo, query)
    assert answer.hits == ()
    assert answer.notes[0].startswith("no file holds") and "--guess" in answer.notes[0]
    assert search(repo, query, guess=True).hits


@pytest.mark.parametrize(
    ("query", "unmatched"),
    [
        ('"def commit_offset"', []),
        ('where is "Offset Commit Def" and "def commit_offset"?', ["offset commit def"]),
        ("\u201cdef commit_offset\u201d", []),
        ("commit_offset def", []),
    ],
)
def test_unmatched_quoted_phrase_is_noted(
    repo: GitSandbox, query: str, unmatched: list[str]
) -> None:
    repo.write("a.py", function("commit_offset"))
    repo.write("b.py", function("offset_log"))
    repo.commit()
    answer = search(repo, query)
    assert answer.hits
    assert list(answer.notes) == [f'no file holds "{one}" word for word' for one in unmatched]


def test_phrase_of_words_in_many_files_is_not_called_missing(repo: GitSandbox) -> None:
    for number in range(60):
        repo.write(f"f{number}.py", function("commit_offset") + f"# offset log {number}\n")
    repo.commit()
    answer = search(repo, '"log commit_offset"')
    assert answer.hits
    assert list(answer.notes)[0].startswith('no hit holds "log commit_offset" word for word')


# Freshness


def test_missing_files_are_indexed_first_and_announced(shop: GitSandbox) -> None:
    announced: list[ToIndex] = []
    with ragit.open(shop.path) as index:
        assert index.ask(Query("offset"), announced.append).complete
        assert announced == [ToIndex(files=7, documents=0, server="")]
        index.ask(Query("offset again"), announced.append)
        assert len(announced) == 1


def test_freshness_policies(shop: GitSandbox) -> None:
    warn = {"freshness.policy": "warn"}
    refuse = {"freshness.policy": "refuse"}
    with pytest.raises(NotIndexed):
        search(shop, flags=warn)
    search(shop)
    shop.write("new.py", function("commit_offset_new"))
    answer = search(shop, flags=warn)
    assert (answer.complete, answer.completeness.missing) == (False, 1)
    assert "new.py" not in paths(answer)
    with pytest.raises(NotIndexed, match=r"1 file of .* is not indexed") as refused:
        search(shop, flags=refuse)
    assert refused.value.hint == "Type: ragit index --worktree"
    answer = search(shop, flags=refuse, index=False)
    assert (answer.complete, answer.completeness.missing) == (False, 1)
    assert "new.py" in paths(search(shop))


def test_answer_names_the_searched_tree(shop: GitSandbox) -> None:
    assert search(shop).tree == shop.tree()
    assert search(shop).ref == "HEAD"
    shop.write("new.py", "x = 1\n")
    dirty = search(shop)
    assert dirty.ref == "HEAD + uncommitted changes"
    shop.git("add", "new.py")
    assert dirty.tree == shop.git("write-tree")
    assert search(shop, ref="HEAD").tree == shop.tree()


# Invalid options


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "fuzzy"},
        {"scope": "everything"},
        {"top_k": 0},
        {"min_score": float("nan")},
        {"min_score": -1},
        {"keyword_weight": 1.5},
        {"ref": "HEAD", "scope": "staged"},
    ],
    ids=str,
)
def test_invalid_options_are_refused(shop: GitSandbox, options: dict[str, object]) -> None:
    with pytest.raises(ConfigError) as caught:
        search(shop, **options)
    assert caught.value.hint


@pytest.fixture(autouse=True)
def steady_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    yield


@pytest.mark.parametrize(
    ("attribute", "text", "language"),
    [
        ("C++", "class Widget {\npublic:\n  int size() const { return 3; }\n};\n", "cpp"),
        ("Shell", "Widget() {\n  echo hello\n}\n", "bash"),
        ("python", "class Widget:\n    pass\n", "python"),
    ],
)
def test_linguist_language_attribute_is_followed(
    repo: GitSandbox, attribute: str, text: str, language: str
) -> None:
    repo.write(".gitattributes", f"*.inc linguist-language={attribute}\n")
    repo.write("widget.inc", text)
    repo.commit()
    with ragit.open(repo.path) as opened:
        (first, *_) = opened.search("Widget").hits
    assert (first.path, first.language) == ("widget.inc", language)


def test_filter_that_matches_no_file_is_noted(repo: GitSandbox) -> None:
    repo.write("a.py", "def widget():\n    return 1\n")
    repo.commit()
    with ragit.open(repo.path) as opened:
        for options, result in (
            ({"paths": ["nosuch"]}, "path nosuch"),
            ({"languages": ["rust"]}, "language rust"),
            (
                {"paths": ["*.py", "!a*"], "languages": ["rust"]},
                "path *.py, path !a*, language rust",
            ),
        ):
            answer = opened.search("widget", **options)
            assert (answer.hits, answer.notes) == ((), (f"no file passes the filters: {result}",))
