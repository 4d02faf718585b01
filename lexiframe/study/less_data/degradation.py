"""How measures hold up when data are missing: `degradation`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, progress, resampling, typed
from lexiframe.core.io import qrel_files
from lexiframe.core.metrics import Metric, needed
from lexiframe.core.orderings import Method, check_method, coefficients, order_runs
from lexiframe.core.pairwise import Measure, PairCube, Pairs, measured, parse_measures
from lexiframe.core.projection import ScoreType, Ties, Unjudged, alone, positions, tied_orders
from lexiframe.study.less_data.sampling import (
    How,
    Labels,
    check_fraction,
    sample_requests,
    share_of,
    truncate_runs,
)
from lexiframe.typing import MeasureLike, QrelsLike, RunsLike

What = Literal["labels", "requests", "depth"]
_FRACTIONS = tuple(n / 10 for n in range(1, 10))
_STATISTICS = ("tie_rate", "agreement", "system_agreement", "tau")
_OF_REFERENCE = ("reference_agreement", "reference_system_agreement")


@alone.each_collection
@typed
def degradation(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    what: What = "labels",
    how: How = "uniform",
    fractions: Iterable[float] = _FRACTIONS,
    counts: Iterable[int] | None = None,
    samples: int = 10,
    seed: int = 0,
    reference: MeasureLike | None = None,
    order: Method = "win_rate",
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: qrel_files.Duplicates = "error",
    unjudged: Unjudged = "keep",
) -> pl.DataFrame:
    """Compare the conclusions of measures from a part of the data with those from all of it.

    Runs are ranked once. Each sample then keeps a part of the judgments, of the requests, or of
    the retrieved items.

    Parameters
    ----------
    runs, qrels, rel, ties, score_type, duplicates, unjudged
        As for `positions`.
    measures
        Metrics and preferences that need relevant items alone, or their notation; or measures by
        subtopic, such as ``"ST-RPP"`` and ``"MAP-IA"``, which lose an item for all subtopics.
    what : {"labels", "requests", "depth"}
        What is taken away: relevant items of each request (see `sample_labels`), whole requests
        (`sample_requests`), or the end of each ranking (`truncate_runs`).
    how : {"uniform", "retrieved"}
        For labels, how those that are removed are drawn, see `sample_labels`.
    fractions
        The shares that are kept, each above 0 and at most 1. Of the depth: the share of the
        greatest number of items that a run retrieved.
    counts
        With ``what="requests"``, numbers of requests that are kept, in place of ``fractions``.
    samples
        How many samples are drawn for each fraction. A depth has one, because nothing is drawn.
    seed
        The same seed gives the same table. A smaller fraction keeps a part of what a greater one
        keeps.
    reference
        A measure on the complete data with which all measures are compared as well.
    order
        How preferences order the runs, see `order_runs`. Metrics order them by their mean.

    Returns
    -------
    polars.DataFrame
        Key ``what, how, fraction, measure``, sorted by it (``how`` is null unless labels are taken
        away); with ``counts`` also ``n_requests``, the number kept; ``samples``; and for each
        statistic its mean over the samples and, as ``..._sd``, its standard deviation (null for one
        sample). ``tie_rate``: the share of pairs of rankings of one request that tie.
        ``agreement``: of the pairs that do not tie by the measure on the complete data, the share
        that it prefers in the same direction on the sample; ``system_agreement``: the same of pairs
        of runs by their mean preference; ``reference_agreement``: of the pairs that do not tie by
        the reference, complete data, the share that the measure prefers in the same direction on
        the sample, and ``reference_system_agreement`` the same of pairs of runs by their means.
        ``tau``: Kendall's τ-b of the ordering of the runs with that on the complete data. A
        statistic without any pair to count is null.

    Raises
    ------
    LexiframeError
        As `positions` and `preferences`; and for fractions, counts, samples or a seed out of their
        range.

    Notes
    -----
    Requests that stay keep all of their judgments when requests are taken away, so that
    ``agreement`` is 1 then. Diaz & Ferraro, SIGIR 2022, sections 5.2 and 6.2, figures 6 and 7,
    doi:10.1145/3477495.3532033; Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373,
    arXiv:2302.11370, section 6.2.4, figures 12 and 13.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> table = lf.degradation(
    ...     folder / "runs", folder / "qrels.txt", ["LR", "RR"], fractions=[0.5, 1], samples=3)
    >>> table.select("fraction", "measure", pl.col("tie_rate").round(2), "agreement").tail(2).rows()
    [(1.0, 'LR', 0.07, 1.0), (1.0, 'RR', 0.4, 1.0)]
    """
    asked, kept = parse_measures(measures), sorted({*fractions})
    check_choice("degradation", what, get_args(What), "what")
    check_choice("degradation", how, get_args(How), "how")
    check_method("degradation", order, "order")
    resampling.check_draws("degradation", "samples", samples, seed)
    tied_orders.refuse_expected(ties, "degradation")
    if not kept:
        raise LexiframeError("degradation: expected fractions that are kept, found none")
    for fraction in kept:
        check_fraction("degradation", fraction)
    target = parse_measures(reference)[0] if reference is not None else None
    p = positions(
        runs, qrels, rel=rel, ties=ties, score_type=score_type, duplicates=duplicates,
        unjudged=unjudged, subtopics=_are_by_subtopic([*asked, *([target] if target else [])]),
    )  # fmt: skip
    needed.refuse_unfit(p, asked)
    n_requests = p["query_id"].n_unique()
    if counts is not None:
        kept = [count / n_requests for count in _checked_counts(counts, n_requests, what)]
    complete = Conclusions.compute(p, asked, order)
    guide = measured.measure_positions(p, [target]).whole[0] if target else None
    seeds = np.random.SeedSequence(seed).generate_state(samples if what != "depth" else 1)
    part = _part_of(p, what, how)
    cases = [(fraction, int(one)) for fraction in kept for one in seeds]
    rows = [
        row
        for fraction, one in progress(cases, len(cases), f"taking {what} away")
        for row in complete.compare(
            fraction, Conclusions.compute(part(fraction, one), asked, order), guide
        )
    ]
    table = _summary(rows, what, how if what == "labels" else None)
    if counts is None:
        return table
    number = (pl.col("fraction") * n_requests).round().cast(pl.Int64)
    return table.insert_column(3, table.select(n_requests=number).to_series())


def _checked_counts(counts: Iterable[Any], n_requests: int, what: What) -> list[int]:
    """Return different numbers of requests, ascending; raise unless each is from 1 to all."""
    asked = sorted({*counts})
    is_whole = all(isinstance(n, int | np.integer) and 1 <= n <= n_requests for n in asked)
    if what != "requests" or not asked or not is_whole:
        raise LexiframeError(
            "degradation: expected counts as whole numbers from 1 to the number of requests, "
            f"{n_requests}, with what='requests', found {asked} with what={what!r}; leave out what "
            "is beyond it, or give fractions"
        )
    return asked


def _are_by_subtopic(asked: Sequence[Measure]) -> bool:
    """Return whether all measures need subtopics; raise when only some do."""
    others = [str(measure) for measure in asked if measure.needs != needed.SUBTOPICS]
    if others and len(others) < len(asked):
        raise LexiframeError(
            f"degradation: expected measures by subtopic alone, or none of them, found others as "
            f"well ({', '.join(others)}); ask for them in another call"
        )
    return not others


def _part_of(p: pl.DataFrame, what: What, how: How) -> Callable[[float, int], pl.DataFrame]:
    """Return a function that makes positions of less data from a fraction and a seed."""
    if what == "labels":
        labels = Labels.find(p)
        return lambda fraction, seed: labels.sample(fraction, how, seed)
    if what == "requests":
        return lambda fraction, seed: sample_requests(p, fraction, seed=seed)
    deepest = int(p["n_retrieved"].max() or 1)  # type: ignore[arg-type]
    return lambda fraction, seed: truncate_runs(p, max(1, int(share_of(deepest, fraction))))


@dataclass(frozen=True)
class Conclusions:
    """The conclusions of measures from some positions: preferences, and the ranks of the runs.

    Attributes
    ----------
    cube
        Preferences, measures × requests × pairs.
    ranks
        For each measure the ranks of the runs, sorted by name.
    """

    cube: PairCube
    ranks: dict[str, np.ndarray]

    @classmethod
    def compute(cls, p: pl.DataFrame, asked: Sequence[Measure], order: Method) -> Conclusions:
        """Compute preferences and orderings from positions."""
        cube = measured.measure_positions(p, asked)
        ranks: dict[str, np.ndarray] = {}
        for measure in asked:
            method: Method = "mean" if isinstance(measure, Metric) else order
            o = order_runs(cube.select_measures([str(measure)]), method)
            ranks[str(measure)] = o.sort("run")["rank"].to_numpy()
        return cls(cube, ranks)

    def compare(
        self, fraction: float, part: Conclusions, guide: Pairs | None
    ) -> list[dict[str, Any]]:
        """Compare the conclusions from a part of the data with these, measure by measure."""
        there = self.cube.queries.is_in(part.cube.queries.implode()).to_numpy()
        rows = []
        for measure, all_pairs, pairs in zip(
            self.cube.measures, self.cube.whole, part.cube.whole, strict=True
        ):
            whole, less = all_pairs.values, pairs.values
            row = {
                "fraction": fraction,
                "measure": measure,
                "tie_rate": _counted_share(less == 0, ~np.isnan(less)),
                "agreement": _share_of_same_signs(whole[there], less),
                "system_agreement": _share_of_same_signs(
                    _pair_means(all_pairs), _pair_means(pairs)
                ),
                "tau": _tau(self.ranks[measure], part.ranks[measure]),
            }
            if guide is not None:
                row["reference_agreement"] = _share_of_same_signs(guide.values[there], less)
                row["reference_system_agreement"] = _share_of_same_signs(
                    _pair_means(guide), _pair_means(pairs)
                )
            rows.append(row)
        return rows


def _counted_share(counted: np.ndarray, among: np.ndarray) -> float | None:
    n = np.count_nonzero(among)
    return np.count_nonzero(counted & among) / n if n else None


def _share_of_same_signs(target: np.ndarray, found: np.ndarray) -> float | None:
    """Return the share of the pairs that the target tells apart with the same sign in both."""
    known = ~np.isnan(target) & ~np.isnan(found) & (target != 0)
    return _counted_share(np.sign(found) == np.sign(target), known)


def _pair_means(pairs: Pairs) -> np.ndarray:
    """Return the mean preference of each pair of runs; a mean that may be rounding is 0."""
    mean = np.nansum(pairs.values, axis=0) / np.maximum(pairs.n, 1)
    return np.where(np.abs(mean) <= pairs.mean_rounding, 0.0, mean)


def _tau(a: np.ndarray, b: np.ndarray) -> float | None:
    tau = float(coefficients.kendall(a[None], b[None])[0])
    return None if np.isnan(tau) else tau


def _summary(rows: list[dict[str, Any]], what: What, how: How | None) -> pl.DataFrame:
    """Return the means and standard deviations over the samples of each fraction."""
    names = [name for name in (*_STATISTICS, *_OF_REFERENCE) if name in rows[0]]
    table = pl.DataFrame(rows, schema_overrides=dict.fromkeys(names, pl.Float64()))
    both = [
        statistic.alias(name + end)
        for name in names
        for statistic, end in ((pl.col(name).mean(), ""), (pl.col(name).std(), "_sd"))
    ]
    return (
        table.group_by("fraction", "measure")
        .agg(pl.len().cast(pl.Int64).alias("samples"), *both)
        .sort("fraction", "measure")
        .select(pl.lit(what).alias("what"), pl.lit(how, pl.String).alias("how"), pl.all())
    )
