"""The metrics, each as its formula: exposure e(p) times weight z(i, m)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lexiframe.errors import LexiframeError, unknown_name
from lexiframe.measures import exposures, notation, weights
from lexiframe.measures.graded import GradedMetric, gain_of_dcg
from lexiframe.measures.recall_level import Metric, RecallLevelMetric
from lexiframe.measures.subtopic_catalogue import SUBTOPIC_METRICS

AP = RecallLevelMetric("AP", exposures.reciprocal, weight=weights.share_of_levels)
"""Average precision: e = 1/p, z = i/m. AP@k divides by m, as trec_eval's map_cut does."""

RR = RecallLevelMetric("RR", exposures.reciprocal, weight=weights.only, parameters={"level": 1})
"""Reciprocal rank: e = 1/p, z = 1 if i = 1; ``RR(level=j)`` is that of the j-th relevant item."""

nDCG = GradedMetric("nDCG", exposures.logarithmic, gain=gain_of_dcg, parameters={"dcg": "log2"})
"""Normalised discounted cumulative gain: e = 1/log2(p + 1), gain = grade, as trec_eval has it.

``nDCG(dcg='exp-log2')`` has the gain 2^grade − 1. The ideal is cut off as the ranking is. With one
grade it is the recall-level metric of weight 1 / Σ_{k≤m} 1/log2(k + 1)."""

RBP = RecallLevelMetric("RBP", exposures.geometric, weight=weights.one, parameters={"p": 0.8})
"""Rank-biased precision, binary: e = (1 − γ) γ^(p − 1), z = 1; γ = 0.8 unless told.

Moffat & Zobel, ACM TOIS 2008, doi:10.1145/1416950.1416952."""

linear = RecallLevelMetric(
    "linear", exposures.linear, weight=weights.uniform, parameters={"n": None}
)
"""Linear: e = 1 − p/n, z = 1/m, with n the size of the corpus: ``linear(n=1000)``."""

R = RecallLevelMetric("R", exposures.constant, weight=weights.uniform)
"""Recall: e = 1, z = 1/m; ``R@k`` of the first k ranks, ``R`` of all that was retrieved."""

P = RecallLevelMetric("P", exposures.constant, weight=weights.per_rank)
"""Precision of the first k ranks: e = 1, z = 1/k. A ranking shorter than k is not forgiven."""

Rprec = RecallLevelMetric("Rprec", exposures.up_to_m, weight=weights.uniform)
"""Precision of the first m ranks: e = 1 if p ≤ m, z = 1/m."""


def TSE(metric: Metric | Callable[..., Any] | str, name: str | None = None) -> RecallLevelMetric:
    """Total search efficiency of an exposure: e(p_m), that of the last relevant item.

    It is the worst case of a ranking over the information needs that its relevant items can serve.
    A run that misses a relevant item has 0, unless positions are imputed (see `impute`).

    Parameters
    ----------
    metric
        A metric whose exposure it takes, its notation, or an exposure function.
    name : str, optional
        What to call a function of one's own; its ``__name__`` unless given.

    Returns
    -------
    RecallLevelMetric
        ``TSE(metric)``: e as given, z = 1 if i = m.

    Raises
    ------
    LexiframeError
        For a metric with a cut-off: put it behind, ``TSE(AP)@10``.

    Notes
    -----
    Diaz, Ekstrand & Mitra, ACM TORS 2025, section 5, doi:10.1145/3728373.

    Examples
    --------
    >>> TSE(AP)
    TSE(AP)
    >>> TSE("RBP(p=0.5)")
    TSE(RBP(p=0.5))
    """
    of = parse_metric(metric) if isinstance(metric, str) else metric
    if not isinstance(of, Metric):
        called = name or getattr(of, "__name__", "exposure")
        return RecallLevelMetric("TSE", of, weight=weights.last, operand=called)
    if of.cutoff is not None:
        raise LexiframeError(f"TSE({of}): put the cut-off behind, TSE({of.name})@{of.cutoff}")
    return RecallLevelMetric(
        "TSE",
        of.exposure,
        weight=weights.last,
        parameters={**of.parameters, **of.given},
        operand=name or str(replace(of, rel=None)),
        rel=of.rel,
    )


METRICS: dict[str, Metric] = {m.name: m for m in (AP, RR, nDCG, RBP, linear, R, P, Rprec)}
METRICS |= SUBTOPIC_METRICS


_NOT_A_METRIC = "; preferences such as RPP and LR go to lexiframe.preferences"


def parse_metric(text: str) -> Metric:
    """Give the metric of a notation: ir_measures' (``nDCG@10``) or trec_eval's (``ndcg_cut_10``).

    Raises
    ------
    UnknownNameError
        With near matches, for a name that does not exist.

    Examples
    --------
    >>> parse_metric("recip_rank"), parse_metric("P(rel=2)@5"), parse_metric("TSE(AP)")
    (RR, P(rel=2)@5, TSE(AP))
    """
    written = notation.read(text)
    if written.name == "TSE" and written.operand is not None:
        metric: Metric = TSE(written.operand)
    elif written.name in METRICS and written.operand is None:
        metric = METRICS[written.name]
    else:
        known = [*METRICS, "TSE(AP)"]
        near = [written.name, *notation.TREC_EVAL]
        raise unknown_name("metric", text, known, near=near, advice=_NOT_A_METRIC)
    if written.parameters:
        metric = metric(**written.parameters)
    return metric if written.cutoff is None else metric @ written.cutoff
