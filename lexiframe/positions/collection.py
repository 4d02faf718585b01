"""All runs ranked, one at a time: what `positions` and `coverage` are made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lexiframe.errors import LexiframeError, first_three
from lexiframe.io.parts import RunPart
from lexiframe.io.runs import RunScan, scan_runs
from lexiframe.io.sources import refuse_twins
from lexiframe.positions.judged import Duplicates, JudgedItems, judged_items
from lexiframe.positions.likeness import likely_cause
from lexiframe.positions.ranks import RunRanks, ScoreType, Ties, Unjudged, rank_judged
from lexiframe.progress import in_threads


@dataclass(frozen=True)
class RankedRuns:
    """The judged items and, for each run in the order of their names, their ranks."""

    judged: JudgedItems
    runs: list[RunRanks]


def rank_runs(
    runs: Any,
    qrels: Any,
    *,
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: Duplicates = "error",
    unjudged: Unjudged = "keep",
    nonrelevant: bool = False,
    pool: bool = False,
) -> RankedRuns:
    """Rank the relevant items in every run, and with ``nonrelevant`` the others that are judged.

    The other parameters are those of `positions`.

    Raises
    ------
    LexiframeError
        When runs and qrels have no query in common, two runs have one name, or there is none.
    """
    _check_choice("ties", ties, ("doc_id_desc", "doc_id_asc", "input", "rank"))
    _check_choice("score_type", score_type, ("float64", "float32"))
    _check_choice("duplicates", duplicates, ("error", "best"))
    _check_choice("unjudged", unjudged, ("keep", "remove"))
    complete = nonrelevant or unjudged == "remove"
    judged = judged_items(qrels, rel, duplicates, nonrelevant=complete)

    def rank(part: RunPart) -> RunRanks:
        return rank_judged(part, judged, ties, score_type, duplicates, unjudged, pool=pool)

    loaders = _loaders(runs, rank=ties == "rank")
    done = in_threads(
        lambda load: [(rank(part), part.where) for part in load()], loaders, "reading runs"
    )
    ranked = [run for runs in done for run in runs]
    refuse_twins((run.name, where) for run, where in ranked)
    if not any(run.answered.any() for run, _ in ranked):
        _refuse_other_queries(sorted({name for run, _ in ranked for name in run.extra}), judged)
    return RankedRuns(judged, sorted((run for run, _ in ranked), key=lambda run: run.name))


def _refuse_other_queries(answered: list[str], judged: JudgedItems) -> None:
    cause = likely_cause(answered, judged.queries)
    raise LexiframeError(
        f"runs and qrels have no query in common: the runs answer {first_three(answered)}, "
        f"judged are {first_three(judged.queries)}; "
        + (f"likely cause: {cause}" if cause else "do both use the same query ids?")
    )


def _loaders(runs: Any, *, rank: bool) -> list[Callable[[], list[RunPart]]]:
    scan = runs if isinstance(runs, RunScan) else scan_runs(runs)
    if len(scan) == 1:  # a table of many runs: rank them in several threads
        parts = scan.load(0, rank=rank)
        return [lambda part=part: [part] for part in parts]  # type: ignore[misc]
    return [lambda i=i: scan.load(i, rank=rank) for i in range(len(scan))]  # type: ignore[misc]


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise LexiframeError(f"{name}: expected one of {', '.join(choices)}, found {value!r}")
