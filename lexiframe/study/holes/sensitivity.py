"""How far unjudged documents could move values, orderings and conclusions: `hole_sensitivity`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, resampling, typed, warn
from lexiframe.core.io import qrel_files
from lexiframe.core.metrics import Metric, catalogues, needed
from lexiframe.core.pairwise import By, Measure, grouping, parse_measures
from lexiframe.core.projection import Policies, ScoreType, Ties, alone, tied_orders
from lexiframe.study.holes.calibration import calibrated, factor_of
from lexiframe.study.holes.draws import Drawn, means_of_draws
from lexiframe.study.holes.items import Pool, pool_of
from lexiframe.study.holes.model import Evidence, drawn_grades, fit
from lexiframe.study.holes.results import HoleSensitivity
from lexiframe.study.holes.schemas import HOLE_CALIBRATION, HOLE_PAIRS, HOLE_VALUES
from lexiframe.study.holes.tables import Conditions, pairs_table, values_table
from lexiframe.typing import FrameKind, MeasureLike, QrelsLike, RequestsLike, RunsLike

_MOST = 0.5
"""When more of the unjudged documents are expected to be relevant, a warning says so."""


@alone.each_collection
@typed
def hole_sensitivity(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    depth: int = 10,
    samples: int = 200,
    seed: int = 0,
    alpha: float = 0.05,
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: qrel_files.Duplicates = "error",
    requests: RequestsLike = None,
    by: By = None,
    frames: FrameKind | None = None,
) -> HoleSensitivity:
    """Estimate how far unjudged documents could move values, orderings and conclusions.

    A hole is an unjudged document in the top ``depth`` of some run. Its grade is drawn from a model
    of the judged documents, ``samples`` times, and all measures are computed again for each draw.

    Parameters
    ----------
    runs, qrels, rel, ties, score_type, duplicates
        As for `positions`. A negative grade means pooled, but unjudged.
    measures
        Metrics and preferences, or their notation, but for those of subtopics and those that need
        the size of the pool or corpus.
    depth
        How far down each ranking holes are looked for.
    samples, seed
        The number of draws, and their seed; the same seed gives the same tables.
    alpha
        Intervals are the central 1 − alpha of the draws; pairs are tested at this level.
    requests, by
        A frame or file with ``query_id`` and attributes of requests, and the attributes that form
        groups. The model is one of all requests; the tables tell of each group.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    HoleSensitivity
        With three tables, sorted by their keys; attributes of groups come first.

        ``values``, key ``run, measure``: ``value``, with holes not relevant, as everywhere else (of
        a metric its mean over the requests, of a preference the mean over the other runs and the
        requests); ``mean`` of the draws, their central interval ``draws_low, draws_high``, and
        ``ci_low, ci_high``, that interval widened by ``factor``; ``naive_low, naive_high``, the
        values with no hole relevant and with all holes relevant, with the greatest grade, in order;
        ``rank``, from 1, and the central interval ``rank_low, rank_high`` of the ranks in the
        widened draws; and ``holes``, their number in the run's top.

        ``pairs``, key ``measure, run_a, run_b``: ``n`` requests; ``mean_preference`` without holes
        (of a metric the mean difference; positive: run_a is better), and ``mean``, ``draws_low,
        draws_high``, ``ci_low, ci_high`` and ``factor`` of it, as above; ``share``, the share of
        draws in which the mean preference has the sign that it has without holes, and
        ``share_widened``, the same of the widened draws; ``reject``, whether the pair differs
        significantly without holes (sign test where all differences are −c, 0 or c, else paired
        t-test; Holm's correction over the pairs of the measure), and ``share_reject``, the share of
        draws in which it does, in the direction that it has without holes.

        ``calibration``, key ``run, measure``, of metrics (of AP if only preferences are asked for):
        judgments of ``holes`` documents that no other run has in its top ``depth`` were hidden;
        ``value`` is the one with all judgments, ``value_without`` the one without these; ``mean``,
        ``draws_low, draws_high``, ``naive_low, naive_high`` as above, of the hidden documents;
        ``inside_before``, whether the value lies inside; ``needed``, the least factor that brings
        it inside; ``factor``, the one that the *other* runs need, with which ``ci_low, ci_high``
        and ``inside`` are found. A run that contributes nothing alone has no rows.

    Raises
    ------
    LexiframeError
        As `positions` and `preferences`; for a measure that cannot be used here; when no document
        in the top of any run is judged; and for a depth, samples, seed or alpha out of range.

    Notes
    -----
    The log-odds that a document in the top of some run is relevant is a sum of: an effect of the
    request; coefficients times the log of its best position, the log of the number of runs that
    have it in their top, the log of Σ 1 / (60 + rank) over all runs but the one that ranks it best,
    and the log-odds that judged documents of the runs that found it are relevant, in all requests
    and in this one (a document does not count for itself); and, of what one run alone found, an
    effect of that run. Effects are shrunk by variances that are estimated; that of runs starts from
    1, which is worth as much as four runs. Each draw takes
    coefficients and effects from the Gaussian approximation of their posterior distribution; a run
    of which nothing that it alone found is judged gets an effect from the distribution of such
    effects, and one of them for all its holes. A hole that is relevant has a grade from the
    relevant documents of its request, drawn towards those of all requests.

    The model takes holes for documents that judges would have graded as they graded others of this
    kind. Where only relevant documents are listed, as in logs of clicks, it takes most holes for
    relevant, and a warning says so.

    Whether the intervals reach their level is measured: the documents that one run alone
    contributes are hidden, for each run in turn, and the value with all judgments is looked up in
    the interval. Intervals are widened by the least factor, from 1, that brings 1 − alpha of these
    values, over all runs and metrics, inside; in ``calibration``, each run's by that of the other
    runs. A side is widened in units of its distance from the mean of the draws, or of their
    standard deviation where that is more, and not beyond what a measure can be: 0 to 1 for most
    metrics, 0 or more for counts, −1 to 1 for preferences and differences. P, RBP, gRBP, RR and
    Success, which no relevant document lowers, stay within naive_low to naive_high, unless a hole
    could be the only relevant document of a request. (More relevant documents can lower AP and
    nDCG, which may therefore lie outside.) Preferences, which are of pairs, are widened by the
    factor of the metrics.

    ``python tests/benchmarks/holes.py`` prints how often the values lie inside, for collections
    with real runs. Moffat, Webber & Zobel, SIGIR 2007, doi:10.1145/1277741.1277812, weigh holes by
    position.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> runs, qrels = lf.simulate_collection(requests=9, runs=3, pool_depth=9, pool_share=0.7)
    >>> found = lf.hole_sensitivity(runs, qrels, ["P@10", "RPP"], samples=50)
    >>> ends = found.values.filter(measure="P@10").select("draws_low", "value", "draws_high")
    >>> ends.select((pl.col("draws_low") >= pl.col("value")).all()).item()
    True
    >>> print(lf.verdict(found.pairs)["sentence"][0].partition(":")[0])
    By P@10, unjudged documents could change the order of 3 of the 3 pairs of runs
    """
    resampling.check_draws("hole_sensitivity", "depth", depth, seed)
    resampling.check_draws("hole_sensitivity", "samples", samples, seed)
    resampling.check_share("hole_sensitivity", "alpha", alpha)
    asked = _checked_measures(parse_measures(measures), rel)
    policies = Policies(rel, ties, score_type, "drop", duplicates)
    tied_orders.refuse_expected(ties, "hole_sensitivity")
    pool = pool_of(runs, qrels, policies, depth)
    groups = [*grouping.groups_of(pool.queries.alias("query_id").to_frame(), requests, by)]
    numbers = [np.flatnonzero(pool.queries.is_in(part["query_id"].implode())) for _, part in groups]
    evidence = Evidence.collect(pool, pool.is_judged)
    if not evidence.is_judged.any():
        raise LexiframeError(
            f"hole_sensitivity: expected judged documents in the top {depth} of some run, found "
            "none; there is nothing to learn from: judge some, or give a greater depth"
        )
    model = fit(evidence)
    metrics = [measure for measure in asked if isinstance(measure, Metric)] or [catalogues.AP]
    tables = calibrated(pool, model, metrics, numbers, samples, seed, alpha)
    rng = np.random.default_rng([seed, 0])
    holes = evidence.only(~evidence.is_judged)
    drawn = drawn_grades(pool, model.draw(holes, samples, rng), pool.holes, pool.is_judged, rng)
    _warn_of_few_not_relevant(evidence, drawn)
    grades = _add_extreme_draws(pool, drawn)
    of_all = Drawn(pool, pool.grade, pool.holes, grades, range(len(pool.runs)))
    several = len(pool.runs) > 1
    means = means_of_draws(of_all, asked, numbers, "holes", pairs=several)
    found = [
        Conditions(pool, asked, alpha, factor_of(calibration, alpha), queries, of_group)
        for calibration, queries, of_group in zip(tables, numbers, means, strict=True)
    ]
    attributes = [group for group, _ in groups]
    return HoleSensitivity(
        _together(attributes, [values_table(one) for one in found], HOLE_VALUES.columns),
        _together(attributes, [pairs_table(one) for one in found], HOLE_PAIRS.columns),
        _together(attributes, tables, HOLE_CALIBRATION.columns),
    )


def _checked_measures(asked: Sequence[Measure], rel: float | None) -> list[Measure]:
    """Return the measures, or raise for one that needs data which draws do not have."""
    needed.refuse_lower_rel(asked, rel)
    for measure in needed.parts_of(asked):
        if measure.needs in (needed.POOL, needed.SUBTOPICS):
            raise LexiframeError(
                f"hole_sensitivity: {measure} needs {measure.needs}, which drawn grades do not "
                "have; leave it out"
            )
    return [*asked]


def _warn_of_few_not_relevant(evidence: Evidence, drawn: np.ndarray) -> None:
    """Warn when the judged documents say little of documents that are not relevant."""
    n_judged = int(evidence.is_judged.sum())
    n_relevant = int(evidence.is_relevant.sum())
    share = (drawn > 0).mean() if drawn.size else 0.0
    if drawn.shape[1] and (share > _MOST or n_relevant == n_judged):
        warn(
            f"hole_sensitivity: {share:.0%} of {drawn.shape[1]:,} unjudged documents are expected "
            f"to be relevant, since {n_relevant:,} of the {n_judged:,} judged ones are; judgments "
            "that list few documents that are not relevant do not tell how many of the others are"
        )


def _add_extreme_draws(pool: Pool, drawn: np.ndarray) -> np.ndarray:
    """Put two rows in front of the draws: the holes' own grades, and the top grade for all."""
    everything = np.full(len(pool.holes), pool.grade.max())
    return np.vstack([pool.grade[pool.holes], everything, drawn])


def _together(
    groups: list[pl.DataFrame], tables: list[pl.DataFrame], columns: dict[str, pl.DataType]
) -> pl.DataFrame:
    """Put the attributes of each group in front of its table."""
    typed = [table.cast(columns).select(*columns) for table in tables]  # type: ignore[arg-type]
    return pl.concat(
        [
            group.join(table, how="cross") if group.width else table
            for group, table in zip(groups, typed, strict=True)
        ]
    )
