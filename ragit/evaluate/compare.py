"""Compare two configurations on a set of queries.

Reports the settings that differ, a paired test, the queries whose figures changed, and arms
(keywords or vectors) that contributed to no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from ragit.chunk import languages
from ragit.config import KNOBS, TomlFile, load, read_file, readable, value_of
from ragit.errors import ConfigError
from ragit.evaluate import paired
from ragit.evaluate.golden import GoldenSet
from ragit.evaluate.judge import ask_all, evaluate, make_ready, seen_arms
from ragit.judgements import Arm, Comparison, Evaluation, Judged, Moved
from ragit.rank import SIGNAL_NAMES
from ragit.records import NamedTuple
from ragit.repository import Ragit
from ragit.types import Progress

Settings = Mapping[str, object]

Opener = Callable[[Settings], Ragit]
"""Opens the repository with settings that override all others."""

_MODES = {"keywords": "keyword", "vectors": "vector"}

_HELPERS = {
    "retrieval.reranking.enabled": "reranker",
    "retrieval.queryRewriting.enabled": "rewriter",
}
"""Settings that enable a helper, with its name among the parts of a judged answer."""


class Configuration(NamedTuple):
    """The settings of a file."""

    name: str
    settings: Settings


def read_configuration(path: Path) -> Configuration:
    """Read a file in the form of .ragit.toml, as trusted. Raises ConfigError."""
    data = read_file(path)
    if data is None:
        raise ConfigError(
            f"there is no file {path}",
            "Name two files written like .ragit.toml; an empty one will do.",
        )
    loaded = load(
        TomlFile(data, path.name, trusted=True),
        signal_names=lambda: SIGNAL_NAMES,
        languages=languages,
    )
    given = (knob for name, knob in KNOBS.items() if loaded.origins[name] != "default")
    return Configuration(
        path.name, {knob.name: readable(knob, value_of(loaded.config, knob)) for knob in given}
    )


def compare(
    opener: Opener,
    golden: GoldenSet,
    before: Configuration,
    after: Configuration,
    ref: str | None = None,
    *,
    notes: Sequence[str] = (),
    progress: Progress | None = None,
) -> Comparison:
    """Judge a set under both configurations; report differences and their significance."""
    first, old = _evaluated(
        opener, replace(golden, thresholds={}, by_category={}), before, ref, notes, progress
    )
    second, new = _evaluated(opener, golden, after, ref, (), progress)
    pairs = list(zip(first.judged, second.judged, strict=True))
    verdict = paired.compare([a.figures.ndcg for a, _ in pairs], [b.figures.ndcg for _, b in pairs])
    moved = [
        Moved(a.question, a.figures.ndcg, b.figures.ndcg)
        for a, b in pairs
        if a.figures.ndcg != b.figures.ndcg
    ]
    moved.sort(key=lambda one: -abs(one.after - one.before))
    return Comparison(
        names=(before.name, after.name),
        settings=tuple((name, old[name], new[name]) for name in old if old[name] != new[name]),
        before=first,
        after=second,
        difference=second.overall.ndcg - first.overall.ndcg,
        p=verdict.p,
        test=verdict.test,
        moved=tuple(moved),
        failures=(
            *second.failures,
            *_dead(before.name, first, old),
            *_dead(after.name, second, new),
        ),
    )


def _dead(name: str, evaluation: Evaluation, settings: Settings) -> list[str]:
    """List enabled arms and helpers that contributed to no answer."""
    found = [
        f"{arm.name} are dead in {name}: {arm.why}"
        for arm in evaluation.arms
        if arm.state == "dead"
    ]
    for setting, part in _HELPERS.items():
        if settings[setting] and not any(part in one.parts for one in evaluation.judged):
            reasons = dict.fromkeys(one.degraded for one in evaluation.judged if one.degraded)
            found.append(
                f"the {part} is dead in {name}: "
                f"{'; '.join(reasons) or 'it had a part in no answer'}"
            )
    return found


def _evaluated(
    opener: Opener,
    golden: GoldenSet,
    configuration: Configuration,
    ref: str | None,
    notes: Sequence[str],
    progress: Progress | None,
) -> tuple[Evaluation, dict[str, object]]:
    settings = configuration.settings
    with closing(opener(settings)) as index:

        def arms(judged: Sequence[Judged]) -> tuple[Arm, ...]:
            return proven_arms(opener, settings, index, judged, ref)

        evaluation = evaluate(index, golden, ref, notes=notes, arms=arms, progress=progress)
        return evaluation, {row.name: row.value for row in index.settings.rows()}


def proven_arms(
    opener: Opener, settings: Settings, index: Ragit, judged: Sequence[Judged], ref: str | None
) -> tuple[Arm, ...]:
    """Test each arm alone, and the answers without it.

    An arm is dead if it adds to no hit, finds nothing alone, or if all answers are the same without
    it.
    """
    arms = seen_arms(index, judged)
    questions = [one.question for one in judged]
    alone = {
        arm.name: ask_all(index, questions, ref, mode=_MODES[arm.name])
        for arm in arms
        if arm.state != "off"
    }
    if len(alone) < len(arms):  # without the only arm there is no answer
        return tuple(_prove_arm(arm, judged, alone.get(arm.name), None) for arm in arms)
    with closing(opener({**settings, "embedding.provider": "none"})) as other:
        make_ready(other, questions, ref)
        words_and_signals = ask_all(other, questions, ref)
    without = {"keywords": alone["vectors"], "vectors": words_and_signals}
    return tuple(_prove_arm(arm, judged, alone[arm.name], without[arm.name]) for arm in arms)


def _prove_arm(
    arm: Arm,
    judged: Sequence[Judged],
    alone: Sequence[Judged] | None,
    without: Sequence[Judged] | None,
) -> Arm:
    if alone is None:
        return arm
    arm = arm._replace(alone=fmean(one.figures.ndcg for one in alone))
    if arm.state == "dead":
        return arm
    if not any(one.hits for one in alone):
        return arm._replace(state="dead", why="alone it finds nothing for any query")
    if without is not None and all(a.hits == b.hits for a, b in zip(judged, without, strict=True)):
        return arm._replace(state="dead", why="without it every answer is the same")
    return arm
