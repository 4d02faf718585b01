"""A gate in a test: `assert_not_worse`."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, sums, typed
from lexiframe.core.io import data_sources, kept_json, output_files, scan_runs
from lexiframe.core.metrics import Metric
from lexiframe.core.pairwise import measured, pairs, parse_measures
from lexiframe.core.projection import Policies, alone, answers
from lexiframe.core.projection import judgments as judged_items
from lexiframe.core.significance import ShiftedTest
from lexiframe.decide import gates
from lexiframe.typing import BaselineLike, QrelsLike, RunsLike

_NAMES = ("baseline", "candidate")


@alone.each_collection
@typed
def assert_not_worse(
    baseline: BaselineLike,
    candidate: RunsLike,
    qrels: QrelsLike,
    margin: Mapping[str, float | str],
    *,
    require: gates.Require = "not-worse",
    test: ShiftedTest | None = None,
    alpha: float = 0.05,
    rel: float | None = None,
    depth: int | None = None,
    missing: gates.GateMissing = "refuse",
    same_ok: bool = False,
    seed: int = 0,
    snapshot: str | Path | None = None,
) -> pl.DataFrame:
    """Fail a test unless a run is shown to be not worse than another by more than a margin.

    Parameters
    ----------
    baseline
        The run that is in use, in any form that `read_runs` takes; None where its scores are in
        the ``snapshot``.
    candidate
        The run that may take its place.
    qrels
        The judgments, as for `evaluate`.
    margin : dict
        The measures, each with the difference that does not matter yet, as for `gate`:
        ``{"nDCG@10": 0.01, "AP": "2%"}``.
    require, test, alpha, missing, seed
        As for `gate`.
    rel, depth
        As for `positions`.
    same_ok : bool
        Whether the candidate may be the baseline itself: nothing was changed, so that it passes. It
        is refused otherwise, since one file may have been given twice; and so are the values of a
        snapshot. Another file with the same rankings passes in any case.
    snapshot : path, optional
        A JSON file of the baseline's scores, to be kept with the test. It is written from the
        baseline if it is not there, and read if it is; then the baseline itself is not needed. It
        has a checksum: a score that was edited or damaged is refused. Delete it to have it written
        anew. Only metrics can be compared so.

    Returns
    -------
    polars.DataFrame
        The table of `gate`, whose rows all pass.

    Raises
    ------
    AssertionError
        With the verdict and the table of the gate, when a row does not pass: the candidate is
        worse, or it is not shown that it is not.
    LexiframeError
        As `gate` where there is no evidence: judgments of other documents, missing rankings, the
        same run twice. When the snapshot is damaged or is of other judgments, measures or options,
        and for None as the baseline without a snapshot.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("digits")
    >>> runs, qrels = folder / "runs", folder / "qrels.parquet"
    >>> old, new = runs / "pixels_euclidean.parquet", runs / "pca16_cosine.parquet"
    >>> lf.testing.assert_not_worse(old, new, qrels, {"AP": 0.05})["outcome"].to_list()
    ['pass']
    >>> try:
    ...     lf.testing.assert_not_worse(old, runs / "random.parquet", qrels, {"AP": 0.05})
    ... except AssertionError as error:
    ...     print(str(error)[:70])
    FAIL: by AP, candidate is worse than baseline by more than the margin
    """
    __tracebackhide__ = True  # pytest shows the line of the test, and what follows from it
    sizes = dict(margin)
    measures = parse_measures([*sizes])
    policies = Policies(rel=rel, depth=depth)
    path = None if snapshot is None else output_files.output_path(snapshot)
    taken = None
    if path is None:
        found = _rank_two_runs(baseline, candidate, qrels, measures, policies)
    else:
        found, taken = _pairs_with_snapshot(baseline, candidate, qrels, measures, policies, path)
    given: Any = found  # as that of an evaluation
    how: dict[str, Any] = {"require": require, "test": test, "alpha": alpha, "seed": seed}
    how |= {"missing": missing, "same_ok": same_ok}
    table = gates.gate(given, sizes, baseline=_NAMES[0], candidate=_NAMES[1], **how)
    if path is not None and taken is not None:
        # Not before: runs that the gate refuses are not kept.
        write_snapshot(path, taken)
    if not (table["outcome"] == "pass").all():
        raise AssertionError(gates.gate_text(table, [str(measure) for measure in measures]))
    return table


def _rank_two_runs(
    baseline: Any, candidate: Any, qrels: Any, measures: list[Any], policies: Policies
) -> gates.RankedPairs:
    if baseline is None:
        raise LexiframeError(
            "assert_not_worse: expected a baseline, found None; give the run, or the snapshot "
            "that has its scores"
        )
    scan = scan_runs({**_one_run("baseline", baseline), **_one_run("candidate", candidate)})
    projected = measured.project_runs(scan, qrels, measures, policies)
    return gates.RankedPairs.of_projected(projected, measures, scan, policies)


def _one_run(name: str, run: Any) -> dict[str, Any]:
    """Return one run under a name; raise for several."""
    sources = data_sources.find_sources(run).sources
    if len(sources) != 1:
        raise LexiframeError(
            f"assert_not_worse: expected one run as {name}, found {len(sources)}; give one file or "
            "frame"
        )
    return {name: sources[0].origin}


def _pairs_with_snapshot(
    baseline: Any, candidate: Any, qrels: Any, measures: list[Any], policies: Policies, path: Path
) -> tuple[gates.RankedPairs, Snapshot | None]:
    """Return the scores of both runs, and the snapshot that is to be written if there is none."""
    if others := [str(one) for one in measures if not isinstance(one, Metric)]:
        raise LexiframeError(
            f"assert_not_worse: expected metrics with a snapshot, found {', '.join(others)}, which "
            "compare two rankings; give both runs without a snapshot"
        )
    is_there = output_files.found_at(output_files.output_file(path)) == "a file"
    if not is_there and baseline is None:
        raise LexiframeError(
            f"{path}: there is no snapshot yet, and no baseline to make it from; give the baseline "
            "once"
        )
    runs = _one_run("candidate", candidate)
    if not is_there:
        runs |= _one_run("baseline", baseline)
    projected = measured.project_runs(runs, qrels, measures, policies)
    s = pairs.scores_of(projected.scores(measures))
    now = Snapshot.take(projected.ranked.judged, asdict(policies), s.filter(run="baseline"))
    if is_there:
        kept = read_snapshot(path, now, measures)
        s = pl.concat([s.filter(run="candidate"), kept], how="diagonal")
    else:
        refuse_odd_scores(path, now.scores, measures)  # they could not be read again
    pairs_of_both = gates.RankedPairs(s, answers.counts_of(projected.ranked), None)
    return pairs_of_both, None if is_there else now


_AGAIN = "delete it and give the baseline, so that it is written anew"


@dataclass(frozen=True)
class Snapshot:
    """Scores of requests by measure, the options, and a checksum of the judgments."""

    judgments: str
    policies: dict[str, Any]
    scores: dict[str, dict[str, float]]

    @classmethod
    def take(
        cls, judged: judged_items.JudgedItems, policies: dict[str, Any], s: pl.DataFrame
    ) -> Snapshot:
        """Return the scores of one run."""
        text = judged.items.select("query_id", "doc_id", "relevance").write_csv()
        scores = {
            name: dict(s.filter(measure=name).sort("query_id").select("query_id", "value").rows())
            for name in s["measure"].unique().sort()
        }
        return cls(hashlib.sha256(text.encode()).hexdigest(), policies, scores)


_SNAPSHOT = kept_json.KeptJson(
    "a snapshot of scores", version=2, fields=("judgments", "policies", "scores"), again=_AGAIN
)


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write a snapshot as JSON with a line for each score, so that changes of it can be read."""
    output_files.output_folder(path.parent)
    _SNAPSHOT.write(path, asdict(snapshot))


def read_snapshot(path: Path, now: Snapshot, measures: Sequence[Metric]) -> pl.DataFrame:
    """Return the scores of a snapshot as scores of the run ``baseline``.

    Raise unless it is whole, has the judgments and options of ``now``, and the measures, with
    possible scores.
    """
    found = Snapshot(**_SNAPSHOT.read(path))
    if not isinstance(found.policies, dict):
        raise _SNAPSHOT.other(path, "other policies")
    refuse_odd_scores(path, found.scores, measures)
    others = [
        f"{name} {found.policies.get(name)!r}, not {value!r}"
        for name, value in now.policies.items()
        if found.policies.get(name) != value
    ]
    for what, then, today in (
        ("judgments", found.judgments, now.judgments),
        (f"options ({'; '.join(others)})", found.policies, now.policies),
    ):
        if then != today:
            raise LexiframeError(f"{path}: the snapshot is of other {what}; {_AGAIN}")
    names = [str(measure) for measure in measures]
    if lacking := [name for name in names if name not in found.scores]:
        raise LexiframeError(
            f"{path}: the snapshot lacks {', '.join(lacking)} (it has "
            f"{', '.join(found.scores)}); {_AGAIN}"
        )
    return pl.concat(
        pl.DataFrame({"query_id": [*of], "value": [*map(float, of.values())]}).select(
            pl.lit("baseline").alias("run"), "query_id", measure=pl.lit(name), value="value"
        )
        for name, of in ((name, found.scores[name]) for name in names)
    )


def refuse_odd_scores(path: Path, scores: Any, measures: Sequence[Metric]) -> None:
    """Raise for scores that are no numbers, or beyond the bounds of their measures."""
    if not isinstance(scores, dict):
        raise _SNAPSHOT.other(path, "another value of scores")
    limits = {str(measure): measure.limits for measure in measures}
    for name, of in scores.items():
        if not (isinstance(of, dict) and of):
            raise _SNAPSHOT.other(path, f"no scores of {name}")
        if odd := [one for one in of.items() if not kept_json.is_number(one[1])]:
            raise _SNAPSHOT.other(path, f"{n_and_first(odd)} of {name}", " that are numbers")
        if name not in limits:
            continue
        low = limits[name].low
        high = math.inf if limits[name].can_exceed else limits[name].high
        if odd := [one for one in of.items() if not low - sums.TIE <= one[1] <= high + sums.TIE]:
            expected = f" from {low:g} to {high:g}"
            raise _SNAPSHOT.other(path, f"{n_and_first(odd)} of {name}", expected)
