"""Rankings that are drawn anew for each user, by the scores of real runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, progress, resampling, typed
from lexiframe.core.io import read_qrels, read_runs
from lexiframe.core.metrics import GradedMetric, RecallLevelMetric
from lexiframe.core.pairwise import parse_measures
from lexiframe.core.projection import alone, positions
from lexiframe.study.theory.enumerated import exposure_of, values_of
from lexiframe.typing import MeasureLike, QrelsLike, RunsLike

_CELLS = 1 << 22
_KEY = ["run", "query_id"]


@alone.each_collection
@typed
def stochastic_worst_case(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: MeasureLike = "AP",
    temperature: float = 0.1,
    *,
    samples: int = 200,
    seed: int = 0,
    rel: float | None = None,
) -> pl.DataFrame:
    """Estimate the worst case of rankings that are drawn from scores, beside that of the scores.

    A fixed ranking serves the user who needs its last relevant item worst, each time. Here the
    items of a run are ranked anew for each user, with probabilities by their scores, and the worst
    case is the least *expected* value over the users who each need one of the relevant items that
    the run retrieved.

    Parameters
    ----------
    runs, qrels, rel
        As for `positions`.
    measure
        A metric with an exposure: the value for a user who needs one item.
    temperature
        How random the rankings are, above 0, in standard deviations of the scores of a request:
        near 0 they are those of the run, and at large values all orders are equally likely.
    samples
        How many rankings of each request are drawn, at least 4.
    seed
        The same seed gives the same rankings.

    Returns
    -------
    polars.DataFrame
        Key ``run, query_id``, sorted by it, of requests of which the run retrieved a relevant item:
        their number, ``n_items``; the worst case of the ranking itself, ``deterministic``, and that
        of the drawn ones, ``stochastic``, with its ``std_error``. One half of the samples says
        which item is served worst, and the other half how well, so that the least of many estimates
        is not taken for the least expectation.

    Raises
    ------
    LexiframeError
        As `positions`; for other measures, temperatures and numbers of samples.

    Notes
    -----
    Plackett–Luce: the next item is i with probability ∝ exp(s_i / (T σ)), which the order of s_i /
    (T σ) plus independent Gumbel variables draws. The deterministic case is e(p_m) of the items
    retrieved, min_i e(p_i), the stochastic one min_i E[e(p_i)]: Diaz, Ekstrand & Mitra, ACM TORS
    2025, doi:10.1145/3728373, arXiv:2302.11370, section 7.2.4, show the theory for optimal
    rankings; see `optimal_worst_case`.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = {"a": {"q": {"x": 3, "y": 2, "u": 1}}}
    >>> lf.theory.stochastic_worst_case(runs, {"q": {"x": 1, "y": 1}}, "RR", 100.0).select(
    ...     "deterministic", pl.col("stochastic", "std_error").round(2)).rows()
    [(0.5, 0.58, 0.03)]
    """
    metric = parse_measures(measure)[0]
    if not isinstance(metric, RecallLevelMetric | GradedMetric):
        raise LexiframeError(
            f"stochastic_worst_case: expected a metric with an exposure, such as AP, found {metric}"
        )
    if not temperature > 0:
        raise LexiframeError(
            f"stochastic_worst_case: expected a temperature above 0, found {temperature}"
        )
    resampling.check_draws("stochastic_worst_case", "samples", samples, seed)
    if samples < 4:
        raise LexiframeError(f"stochastic_worst_case: expected 4 samples or more, found {samples}")
    answers, judged = read_runs(runs), read_qrels(qrels)
    p = positions(answers, judged, rel=rel).filter(pl.col("position").is_not_null())
    lists = _lists(pl.DataFrame(answers), p)
    deepest = int(lists["score"].list.len().max() or 1)  # type: ignore[arg-type]
    exposure = values_of(exposure_of(metric), np.arange(1, deepest + 1)[:, None], deepest)
    rng = np.random.default_rng(seed)
    rows = []
    for run, query, score, item, position in progress(
        lists.iter_rows(), lists.height, "drawing rankings"
    ):
        logits = _logits(np.array(score), temperature)
        drawn = [exposure[ranks] for ranks in _drawn_ranks(rng, logits, np.array(item), samples)]
        found = _least_expectation(np.concatenate(drawn))
        rows.append((run, query, len(item), float(exposure[np.array(position) - 1].min()), *found))
    schema = {"run": pl.String, "query_id": pl.String, "n_items": pl.Int64}
    schema |= dict.fromkeys(("deterministic", "stochastic", "std_error"), pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _lists(answers: pl.DataFrame, p: pl.DataFrame) -> pl.DataFrame:
    """Return for each ranking its scores, and the places in them and the ranks of its items."""
    places = answers.select(*_KEY, "doc_id", "score").with_columns(
        item=pl.int_range(pl.len()).over(_KEY)
    )
    found = p.join(places, on=[*_KEY, "doc_id"]).group_by(_KEY).agg("item", "position")
    scores = places.group_by(_KEY, maintain_order=True).agg("score")
    return scores.join(found, on=_KEY).sort(_KEY)


def _logits(scores: np.ndarray, temperature: float) -> np.ndarray:
    """Return scores in standard deviations, divided by the temperature; infinite ones stay."""
    finite = scores[np.isfinite(scores)]
    spread = float(finite.std()) if len(finite) else 0.0
    centre = float(finite.mean()) if len(finite) else 0.0
    return (scores - centre) / ((spread or 1.0) * temperature)


def _drawn_ranks(
    rng: np.random.Generator, logits: np.ndarray, items: np.ndarray, samples: int
) -> Iterator[np.ndarray]:
    """Yield the ranks, from 0, of some items in drawn rankings: samples × items."""
    step = max(1, _CELLS // len(logits))
    for start in range(0, samples, step):
        size = (min(step, samples - start), len(logits))
        order = np.argsort(-(logits + rng.gumbel(size=size)), axis=1)
        rank = np.empty(size, np.int64)
        np.put_along_axis(rank, order, np.arange(len(logits))[None], axis=1)
        yield rank[:, items]


def _least_expectation(values: np.ndarray) -> tuple[float, float]:
    """Return the least expectation over the items, and its standard error: samples × items."""
    half = len(values) // 2
    worst = values[half:, values[:half].mean(axis=0).argmin()]
    return float(worst.mean()), float(worst.std(ddof=1) / np.sqrt(len(worst)))
