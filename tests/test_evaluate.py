"""Tests of evaluation: formulas, strict reading of sets, questions from history, unused arms."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox import GitSandbox
from serving import EmbeddingServer
from terminal import Terminal

from ragit.errors import ConfigError
from ragit.evaluate import golden, history, measures, paired
from ragit.git.history import Logged
from ragit.judgements import Expected, Question
from ragit.types import Oid

# Measures

RANKS = st.lists(st.none() | st.integers(1, 10), min_size=1, max_size=12)


def test_ndcg_of_known_ranks() -> None:
    assert measures.ndcg([1]) == 1
    assert measures.ndcg([3]) == pytest.approx(1 / 2)
    assert measures.ndcg([None, 2]) == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert measures.ndcg([2, 1]) == pytest.approx(1)
    assert measures.ndcg([11]) == 0


def test_hit_for_two_places_counts_once() -> None:
    assert measures.ndcg([1, 1]) == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_reciprocal_rank_and_recall_of_known_ranks() -> None:
    assert measures.reciprocal_rank([None, 4, 2]) == 1 / 2
    assert measures.reciprocal_rank([None]) == 0
    assert measures.recall([None, 4, 2, 1], 1) == 1 / 4
    assert measures.recall([None, 4, 2, 1], 5) == 3 / 4


@given(RANKS)
def test_measures_are_between_0_and_1(ranks: list[int | None]) -> None:
    row = measures.figures(ranks, 1.0)
    for value in (row.ndcg, row.mrr, row.recall_1, row.recall_5, row.recall_10):
        assert 0 <= value <= 1 + 1e-12
    assert row.recall_1 <= row.recall_5 <= row.recall_10
    assert (row.ndcg > 0) == (row.mrr > 0) == (row.recall_10 > 0)


@given(RANKS, st.data())
def test_better_rank_never_lowers_a_measure(ranks: list[int | None], data: st.DataObject) -> None:
    at = data.draw(st.sampled_from([i for i, rank in enumerate(ranks)]))
    free = sorted(set(range(1, (ranks[at] or 11))) - {rank for rank in ranks if rank})
    if free:
        better = [*ranks[:at], free[0], *ranks[at + 1 :]]
        if ranks.count(ranks[at]) == 1 or ranks[at] is None:
            assert measures.ndcg(better) > measures.ndcg(ranks)
        assert measures.reciprocal_rank(better) >= measures.reciprocal_rank(ranks)


def test_rank_of_a_place() -> None:
    hits = [Expected("src/a.py", 1, 9), Expected("src/b.py", 5, 9), Expected("src/a.py", 10, 20)]
    assert measures.rank_of(Expected("src/a.py"), hits) == 1
    assert measures.rank_of(Expected("a.py", 20, 30), hits) == 3
    assert measures.rank_of(Expected("lib/src/b.py", 1, 5), hits) == 2
    assert measures.rank_of(Expected("b.py", 1, 4), hits) is None
    assert measures.rank_of(Expected("ta.py"), [Expected("data.py", 1, 1)]) is None


# The paired test


def test_equal_results_have_p_1() -> None:
    assert paired.compare([0.5, 1.0], [0.5, 1.0]).p == 1


def test_p_of_known_differences() -> None:
    """Two of the 2^n assignments of signs to n equal differences are as extreme."""
    for n in (1, 4, 10):
        assert paired.compare([0.0] * n, [0.25] * n).p == pytest.approx(2 / 2**n)
    assert paired.compare([0, 0, 1], [1, 1, 0]).p == 1  # one net win of three may be chance


def test_sampled_p_agrees_with_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [0.1, 0.4, 0.5, 0.0, 1.0, 0.3, 0.2, 0.9, 0.6, 0.3]
    after = [0.3, 0.6, 0.4, 0.5, 1.0, 0.2, 0.6, 0.8, 0.9, 0.4]
    exact = paired.compare(before, after).p
    monkeypatch.setattr(paired, "ALL_SIGNS", 3)
    sampled = paired.compare(before, after)
    assert sampled.p == pytest.approx(exact, abs=0.02)
    assert sampled == paired.compare(before, after)
    assert "samples" in sampled.test


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=8))
def test_p_is_between_0_and_1_and_symmetric(pairs: list[tuple[float, float]]) -> None:
    before, after = [a for a, _ in pairs], [b for _, b in pairs]
    verdict = paired.compare(before, after)
    assert 0 < verdict.p <= 1
    assert verdict.p == paired.compare(after, before).p


# Sets


def read(folder: Path, text: str, name: str = "set.toml") -> golden.GoldenSet:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return golden.read(file)


def test_golden_set_in_toml(tmp_path: Path) -> None:
    text = """
[thresholds]
min_ndcg = 0.8
[thresholds.symbol]
max_p50_ms = 100
[[queries]]
query = "commit offsets"
category = "symbol"
ref = "v1"
relevant = ["a.py:3-5", "b.py:7", "c.py"]
secondary = [{path = "d:1.py", start_line = 1, end_line = 2}]
"""
    found = read(tmp_path, text)
    expected = (
        Expected("a.py", 3, 5),
        Expected("b.py", 7, 7),
        Expected("c.py"),
        Expected("d:1.py", 1, 2),
    )
    assert found.questions == (Question("commit offsets", expected, "symbol", "v1"),)
    assert (found.thresholds, found.by_category) == (
        {"min_ndcg": 0.8},
        {"symbol": {"max_p50_ms": 100}},
    )


def test_golden_set_in_json_may_be_a_list(tmp_path: Path) -> None:
    rows = [{"query": "q", "relevant": ["a.py"], "secondary": []}]
    assert read(tmp_path, json.dumps(rows), "set.json").questions == (
        Question("q", (Expected("a.py"),)),
    )
    assert read(tmp_path, json.dumps({"queries": rows}), "set.json").questions[0].category == "all"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no queries"),
        ("[[queries]]\nrelevant = ['a']", "query 1 has no query text"),
        ("[[queries]]\nquery = 'q'", "names no place"),
        ("[[queries]]\nquery = 'q'\nrelevant = 'a'", "are lists"),
        ("[[queries]]\nquery = 'q'\nrelevant = [1]", "a place is a path"),
        ("[[queries]]\nquery = 'q'\nrelevant = ['a:5-2']", "lines 5-2"),
        ("[[queries]]\nquery = 'q'\nrelevent = ['a']", "unknown key 'relevent'"),
        (
            "[[queries]]\nquery = 'q'\nrelevant = ['a']\n[thresholds]\nndcg = 1",
            "unknown threshold 'ndcg'",
        ),
        ("[[queries]]\nquery = 'q'\nrelevant = ['a']\n[thresholds]\nmin_mrr = 'x'", "no number"),
        (
            "[[queries]]\nquery = 'q'\nrelevant = ['a']\n[thresholds.x]\nmin_mrr = 1",
            "a category without queries",
        ),
        ("[[queries]\n", "set.toml:1"),
    ],
)
def test_invalid_golden_set_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        read(tmp_path, text)


NAMES = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=9
)
PLACES = NAMES.map(Expected) | st.builds(
    lambda p, a, n: Expected(p, a, a + n), NAMES, st.integers(1, 9), st.integers(0, 9)
)
QUESTIONS = st.builds(
    Question,
    NAMES.filter(str.strip),
    st.lists(PLACES, min_size=1, max_size=3).map(tuple),
    NAMES,
    st.none() | NAMES,
)


@given(st.lists(QUESTIONS, min_size=1, max_size=4), st.sampled_from(["set.toml", "set.json"]))
def test_written_golden_set_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, questions: list[Question], name: str
) -> None:
    file = tmp_path_factory.mktemp("sets") / name
    golden.write(file, questions)
    assert golden.read(file).questions == tuple(questions)


# History


def logged(
    subject: str = "Commit the offsets twice", changes: str = "M a.py", **other: object
) -> Logged:
    pairs = tuple((one[0], one[2:]) for one in changes.split(", ") if one)
    facts = {"parents": (Oid("p" * 40),), "author": "Ann", "email": "ann@example.org", **other}
    return Logged(Oid("c" * 40), subject=subject, changes=pairs, **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("commit", "reason"),
    [
        (logged(), ""),
        (logged(parents=(Oid("p"), Oid("q"))), "merge"),
        (logged(parents=()), "no parent"),
        (logged(author="dependabot[bot]"), "bot"),
        (logged(email="build-bot@example.org"), "bot"),
        (logged(author="Bothwell"), ""),
        (logged(changes=", ".join(f"M {i}.py" for i in range(11))), "mass edit"),
        (logged('Revert "Commit the offsets twice"'), "revert or fixup"),
        (logged("fixup! Commit the offsets twice"), "revert or fixup"),
        (logged("Bump actions/checkout from 3 to 4"), "release or dependency"),
        (logged("Update requests to 2.31.0"), "release or dependency"),
        (logged("Prepare for the next release"), "release or dependency"),
        (logged("v1.2.3"), "release or dependency"),
        (logged("Release the lock before waiting"), "release or dependency"),
        (logged("Free the release notes parser"), "housekeeping"),
        (logged("Fix a typo in the comments"), "housekeeping"),
        (logged("Fix tests"), "short subject"),
        (logged("修复连接池泄漏"), ""),
    ],
)
def test_unfit_commits_have_a_reason(commit: Logged, reason: str) -> None:
    assert history.unfit(commit, history.cleaned(commit.subject)) == reason


@pytest.mark.parametrize(
    ("subject", "query"),
    [
        ("fix(io): Close pipes (#12)", "Close pipes"),
        ("KAFKA-123: Commit offsets", "Commit offsets"),
        ("MINOR; MINOR: Commit offsets", "Commit offsets"),
        ("http: Read UTF-8", "http: Read UTF-8"),
        ("UTF-8 is read", "UTF-8 is read"),
        ("[core][python] Add a pool", "Add a pool"),
        ("Fixes #12: keep the order", "keep the order"),
        ("Handle a 404 of the server", "Handle a 404 of the server"),
        ("Keep C#8 working", "Keep C#8 working"),
    ],
)
def test_query_is_the_subject_without_prefixes_and_numbers(subject: str, query: str) -> None:
    assert history.cleaned(subject) == query


def test_targets_exclude_new_and_generated_files() -> None:
    assert history.targets(
        logged(changes="A new.py, M a.py, D b.py, M CHANGELOG.md, M package-lock.json")
    ) == (
        "a.py",
        "b.py",
    )
    assert history.targets(logged(changes="M CHANGELOG.md")) == ("CHANGELOG.md",)


def test_repeated_subject_is_asked_once() -> None:
    left_out: Counter[str] = Counter()
    found = list(history.candidates([logged(), logged(), logged(changes="A b.py")], left_out))
    assert [one.query for one in found] == ["Commit the offsets twice"]
    assert left_out == {"same subject again": 1, "new files only": 1}


# Sessions


def function(name: str, *lines: str) -> str:
    return f"def {name}():\n" + "".join(f"    {line}\n" for line in lines or ["pass"])


@pytest.fixture
def shop(repo: GitSandbox) -> GitSandbox:
    repo.write("src/offsets.py", function("commit_offset", "return broker.commit(offset)"))
    repo.write("src/broker.py", function("send_message", "return connection.write(message)"))
    repo.write("src/basket.py", function("add_article", "basket.append(article)"))
    repo.write("README.md", "# Shop\n\nSells things.\n")
    repo.commit("Begin a shop for things")
    return repo


def edit(shop: GitSandbox, path: str, subject: str) -> str:
    shop.write(path, (shop.path / path).read_text() + f"\n\n{function('added_' + str(shop.clock))}")
    return shop.commit(subject)


GOLDEN = """
[[queries]]
query = "commit_offset"
category = "symbol"
relevant = ["src/offsets.py:1-2"]
[[queries]]
query = "how is a message sent to the broker?"
category = "question"
relevant = ["src/broker.py", "src/gone.py"]
"""


def terminal(shop: GitSandbox, tmp_path: Path) -> Terminal:
    (tmp_path / "set.toml").write_text(GOLDEN)
    return Terminal(shop.path)


def test_eval_measures_by_category(shop: GitSandbox, tmp_path: Path) -> None:
    result = terminal(shop, tmp_path).ragit(
        "eval", "--golden", str(tmp_path / "set.toml"), "--json", code=0
    )
    found = json.loads(result.out)
    half = 1 / (1 + 1 / math.log2(3))
    assert found["categories"]["symbol"]["ndcg"] == 1
    assert found["categories"]["question"]["ndcg"] == pytest.approx(half, abs=1e-6)
    assert found["overall"]["ndcg"] == pytest.approx(fmean([1, half]), abs=1e-6)
    assert found["overall"]["queries"] == 2
    assert [one["rank"] for one in found["queries"][1]["expected"]] == [1, None]
    assert {arm["state"] for arm in found["arms"].values()} == {"contributes"}
    assert any("src/gone.py" in note for note in found["notes"])
    assert any(
        re.match(r"1 tree was looked at, \d+ file versions were new", note)
        for note in found["notes"]
    )


def test_thresholds_come_from_options_and_the_file(shop: GitSandbox, tmp_path: Path) -> None:
    shell = terminal(shop, tmp_path)
    file = tmp_path / "set.toml"
    shell.ragit("eval", "--golden", str(file), "--min-ndcg", "0.8", "--min-recall-1", "0.7", code=0)
    result = shell.ragit("eval", "--golden", str(file), "--min-recall-10", "0.9", code=1)
    assert "failed: recall_10 is 0.7500, below 0.9" in result.out
    file.write_text(GOLDEN + "[thresholds.question]\nmin_ndcg = 0.9\n")
    assert (
        "failed: ndcg of question is 0.6131, below 0.9"
        in shell.ragit("eval", "--golden", str(file), code=1).out
    )
    file.write_text(GOLDEN + "[thresholds]\nmax_p50_ms = 0\n")
    assert "p50_ms is" in shell.ragit("eval", "--golden", str(file), code=1).out
    shell.ragit("eval", "--golden", str(file), "--max-p50-ms", "60000", code=0)


def test_thresholds_fail_without_vectors(
    shop: GitSandbox, tmp_path: Path, server: EmbeddingServer
) -> None:
    shell = terminal(shop, tmp_path)
    for name, value in (
        ("provider", "openai"),
        ("baseUrl", server.url),
        ("model", "tiny"),
        ("timeoutMs", "1000"),
    ):
        shop.git("config", f"ragit.embedding.{name}", value)
    golden = ("eval", "--golden", str(tmp_path / "set.toml"))
    shell.ragit(*golden, "--min-ndcg", "0", code=0)
    server.close()
    assert (
        "failed: vectors took part in no answer"
        in shell.ragit(*golden, "--min-ndcg", "0", code=1).out
    )
    shell.ragit(*golden, code=0)  # without a threshold, the missing vectors are only noted


def test_eval_rejects_missing_inputs_and_bad_options(shop: GitSandbox, tmp_path: Path) -> None:
    shell = terminal(shop, tmp_path)
    shell.refused("eval", "--golden", str(tmp_path / "none.toml"))
    shell.refused("eval", "--golden", str(tmp_path / "set.toml"), "--ref", "no-such-branch")
    shell.refused("eval", "--from-history", "3")  # one commit, without a parent
    shell.refused(
        "eval", "--golden", str(tmp_path / "set.toml"), "--compare", "none-a.toml", "none-b.toml"
    )
    assert shell.ragit("eval").code == 2
    assert shell.ragit("eval", "--golden", "a", "--from-history", "3").code == 2
    assert shell.ragit("eval", "--golden", "a", "--write", "b").code == 2


def test_eval_measures_the_given_tree(shop: GitSandbox, tmp_path: Path) -> None:
    shell = terminal(shop, tmp_path)
    shop.rm("src/offsets.py")
    args = ("eval", "--golden", str(tmp_path / "set.toml"), "--json")
    by_tree = {
        ref: json.loads(shell.ragit(*args, *(["--ref", ref] if ref else []), code=0).out)
        for ref in ("", "HEAD")
    }
    assert by_tree[""]["categories"]["symbol"]["recall_10"] == 0
    assert by_tree["HEAD"]["categories"]["symbol"]["recall_10"] == 1
    assert by_tree[""]["searched"] == "HEAD + uncommitted changes"


def test_eval_from_history_writes_a_repeatable_set(shop: GitSandbox, tmp_path: Path) -> None:
    first = shop.git("rev-parse", "HEAD")
    second = edit(shop, "src/offsets.py", "fix: Commit an offset only once (#3)")
    edit(shop, "src/basket.py", "Add articles to the basket twice")
    edit(shop, "README.md", "Bump version to 2.0")
    shell = Terminal(shop.path)
    file = tmp_path / "history.toml"
    found = json.loads(
        shell.ragit("eval", "--from-history", "5", "--write", str(file), "--json", code=0).out
    )
    asked = [
        (one["query"], one["ref"], [e["place"] for e in one["expected"]])
        for one in found["queries"]
    ]
    assert asked == [
        ("Add articles to the basket twice", second, ["src/basket.py"]),
        ("Commit an offset only once", first, ["src/offsets.py"]),
    ]
    assert [one["tree"] for one in found["queries"]] == [shop.tree(second), shop.tree(first)]
    assert found["overall"]["ndcg"] == 1
    assert any(
        "2 parents' trees were indexed: 7 file versions were new" in note for note in found["notes"]
    )
    assert any("release or dependency 1" in note for note in found["notes"])
    again = json.loads(shell.ragit("eval", "--golden", str(file), "--json", code=0).out)
    for one in (found, again):
        one["queries"] = [{**row, "took_ms": 0} for row in one["queries"]]
    assert again["queries"] == found["queries"]


def test_eval_from_history_skips_merges_and_bots(shop: GitSandbox) -> None:
    shop.branch("side")
    edit(shop, "src/broker.py", "Send messages to the broker in batches")
    shop.switch("main")
    edit(shop, "src/offsets.py", "Commit an offset only once")
    shop.git("merge", "-q", "--no-ff", "-m", "Merge the batches of messages", "side")
    shop.write("src/basket.py", "x = 1\n")
    shop.git(
        "-c",
        "user.name=ci[bot]",
        "commit",
        "-q",
        "-a",
        "-m",
        "Sort the basket by article",
        "--author",
        "ci[bot] <a@b>",
    )
    found = json.loads(
        Terminal(shop.path).ragit("eval", "--from-history", "9", "--json", code=0).out
    )
    assert {one["query"] for one in found["queries"]} == {
        "Commit an offset only once",
        "Send messages to the broker in batches",
    }
    assert any("commits left out: bot 1, merge 1, no parent 1" in note for note in found["notes"])
    assert any("9 queries were wanted, 2 were found" in note for note in found["notes"])


def test_log_parses_paths_that_look_like_its_format(shop: GitSandbox) -> None:
    odd = "commit x\n:100644 100644 a b M"
    shop.write(odd, "x = 1\n")
    shop.commit("Begin with an odd name")
    shop.write(odd, "x = 2\n")
    shop.write("src/broker.py", "y = 1\n")
    shop.commit("Change what has an odd name")
    import ragit

    with ragit.open(shop.path) as index:
        newest = index.log("HEAD", most=9)
    assert newest[0].subject == "Change what has an odd name"
    assert set(newest[0].changes) == {("M", odd), ("M", "src/broker.py")}
    assert len(newest) == 3
    assert newest[-1].parents == ()


# Comparing


@pytest.fixture
def large_shop(shop: GitSandbox) -> GitSandbox:
    """Return a shop so large that each arm orders it differently."""
    for name in (
        "customer",
        "invoice",
        "payment",
        "delivery",
        "message",
        "connection",
        "broker_offset",
        "stock",
    ):
        shop.write(
            f"src/more/{name}.py",
            function(f"open_{name}", f"return lookup({name}, message, offset)"),
        )
    shop.commit("Sell more things to everyone")
    return shop


def comparison(
    large_shop: GitSandbox, tmp_path: Path, before: str, after: str, code: int = 0
) -> dict[str, object]:
    for name, text in (("a.toml", before), ("b.toml", after)):
        (tmp_path / name).write_text(text)
    pair = (str(tmp_path / "a.toml"), str(tmp_path / "b.toml"))
    args = ("eval", "--golden", str(tmp_path / "set.toml"), "--json", "--compare", *pair)
    found: dict[str, object] = json.loads(
        terminal(large_shop, tmp_path).ragit(*args, code=code).out
    )
    return found


def arms(found: dict[str, object], side: str) -> dict[str, str]:
    return {name: arm["state"] for name, arm in found[side]["arms"].items()}  # type: ignore[index]


BOTH_CONTRIBUTE = {"keywords": "contributes", "vectors": "contributes"}


def test_comparison_lists_settings_and_moved_queries(
    large_shop: GitSandbox, tmp_path: Path
) -> None:
    exclude = 'index.exclude = ["src/broker.py"]\n'
    found = comparison(large_shop, tmp_path, "", exclude)
    assert found["settings"] == {"index.exclude": [[], ["src/broker.py"]]}
    assert [(one["query"], one["after"]) for one in found["moved"]] == [
        ("how is a message sent to the broker?", 0)
    ]  # type: ignore[attr-defined]
    assert found["difference"] == pytest.approx(-found["moved"][0]["before"] / 2, abs=1e-6)  # type: ignore[index]
    assert found["p"] == 1  # one moved query is no evidence
    assert arms(found, "before") == arms(found, "after") == BOTH_CONTRIBUTE


def test_disabled_arm_is_off_not_dead(large_shop: GitSandbox, tmp_path: Path) -> None:
    found = comparison(
        large_shop,
        tmp_path,
        'embedding.provider = "none"',
        "retrieval.hybridSearch.enabled = false",
    )
    assert arms(found, "before") == {"keywords": "contributes", "vectors": "off"}
    assert arms(found, "after") == {"keywords": "off", "vectors": "contributes"}


def test_dead_arm_fails_the_comparison(large_shop: GitSandbox, tmp_path: Path) -> None:
    silent = "[retrieval]\nhybridSearch.keywordWeight = 1.0\n[retrieval.signals]\nfileVector = 0\npathVector = 0\n"
    found = comparison(large_shop, tmp_path, "", silent, code=1)
    assert arms(found, "before") == BOTH_CONTRIBUTE
    assert arms(found, "after") == {"keywords": "contributes", "vectors": "dead"}
    assert found["failures"] == ["vectors are dead in b.toml: added to no hit of any answer"]


def test_arm_without_effect_is_dead(repo: GitSandbox, tmp_path: Path) -> None:
    repo.write("src/offsets.py", function("commit_offset"))
    repo.commit()
    (tmp_path / "set.toml").write_text(
        '[[queries]]\nquery = "commit_offset"\nrelevant = ["src/offsets.py"]\n'
    )
    for name in ("a.toml", "b.toml"):
        (tmp_path / name).write_text("")
    pair = (str(tmp_path / "a.toml"), str(tmp_path / "b.toml"))
    result = Terminal(repo.path).ragit(
        "eval", "--golden", str(tmp_path / "set.toml"), "--compare", *pair, code=1
    )
    assert "both configurations are the same" in result.out
    assert "failed: vectors are dead in a.toml: without it every answer is the same" in result.out


def test_invalid_compared_settings_are_refused(large_shop: GitSandbox, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("")
    (tmp_path / "b.toml").write_text("\n[retrieval]\ntopKK = 3\n")
    pair = (str(tmp_path / "a.toml"), str(tmp_path / "b.toml"))
    result = terminal(large_shop, tmp_path).refused(
        "eval", "--golden", str(tmp_path / "set.toml"), "--compare", *pair
    )
    assert "b.toml:3" in result.err
    assert "topK" in result.hint


# Output


def test_json_follows_its_schema(large_shop: GitSandbox, tmp_path: Path) -> None:
    from test_render import faults, schemas

    found = comparison(large_shop, tmp_path, "", "retrieval.topK = 5")
    assert not list(faults(found, schemas()["comparison"]))
    assert not list(faults(found["before"], schemas()["eval"]))


def test_text_output_is_a_table(shop: GitSandbox, tmp_path: Path) -> None:
    result = terminal(shop, tmp_path).ragit(
        "eval", "--golden", str(tmp_path / "set.toml"), "--full", code=0
    )
    lines = result.out.splitlines()
    assert lines[0] == "set.toml: 2 queries asked of HEAD"
    assert lines[2].split() == [
        "category",
        "queries",
        "NDCG@10",
        "MRR",
        "R@1",
        "R@5",
        "R@10",
        "p50",
        "ms",
    ]
    assert lines[3].split()[:7] == ["question", "1", "0.613", "1.000", "0.500", "0.500", "0.500"]
    assert "keywords  contributes" in lines
    assert any(line.split() == ["at", "1", "src/offsets.py:1-2"] for line in lines)
    assert any(line.split() == ["not", "found", "src/gone.py"] for line in lines)
