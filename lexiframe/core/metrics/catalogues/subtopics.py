"""The subtopic metrics, each with its formula: t is a subtopic, T their number, k the cut-off."""

from __future__ import annotations

from lexiframe.core.metrics.catalogues.papers import CHAPELLE, NDEVAL
from lexiframe.core.metrics.kinds import exposures, weights
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.metric_parameters import Number, Word
from lexiframe.core.metrics.kinds.subtopic_metrics import (
    SubtopicMetric,
    novelty,
    persistence,
    persistence_of_one,
)

ALPHA_NDCG = f"Clarke et al., SIGIR 2008, doi:10.1145/1390334.1390446; {NDEVAL}"
NOVELTY_BIASED = (
    f"Clarke, Kolla & Vechtomova, ICTIR 2009, doi:10.1007/978-3-642-04417-5_17; {NDEVAL}"
)
INTENT_AWARE = f"Agrawal et al., WSDM 2009, doi:10.1145/1498759.1498766; {NDEVAL}"
RECIPROCAL = f"{CHAPELLE}; {NDEVAL}"
SUBTOPIC_RECALL = f"Zhai, Cohen & Lafferty, SIGIR 2003, doi:10.1145/860435.860440; {NDEVAL}"
GREEDY = "0 to 1, or more where the greedy ideal is beaten"

_A = Number(0.5, least=0, most=1)
_IDEAL = Word(("greedy", "exact"))

# An entry has five lines at most; the formatter would give each of its arguments a line.
# fmt: off

strec = SubtopicMetric(
    "strec", exposures.constant, weight=weights.first, divisor="subtopics",
    formula="1/T Σ_t [p_t1 ≤ k]", source=SUBTOPIC_RECALL, bounds="0 to 1")
"""Subtopic recall: the share of subtopics with a relevant document among the first k."""

MAP_IA = SubtopicMetric(
    "MAP-IA", exposures.reciprocal, weight=weights.share_of_levels, divisor="subtopics",
    formula="1/T Σ_t Σ_i i / (m_t p_ti)", source=INTENT_AWARE, bounds="0 to 1")
"""Intent-aware average precision: the mean of AP over subtopics."""

P_IA = SubtopicMetric(
    "P-IA", exposures.constant, weight=weights.per_rank, divisor="subtopics",
    formula="1/T Σ_t Σ_i [p_ti ≤ k] / k", source=INTENT_AWARE, bounds="0 to 1")
"""Intent-aware precision: the mean of P@k over subtopics."""

ERR_IA = SubtopicMetric(
    "ERR-IA", exposures.reciprocal, weight=novelty, divisor="every_rank",
    parameters={"alpha": _A}, source=RECIPROCAL, bounds="0 to 1",
    formula="Σ_t Σ_{p_ti≤k} (1−α)^(i−1) / p_ti, over T Σ_{r≤k} (1−α)^(r−1) / r")
"""Intent-aware expected reciprocal rank with binary relevance, divided by the greatest value that
k documents can have, as in ndeval. ERR of a subtopic is α Σ_i (1 − α)^(i − 1) / p_i, where α is the
probability that a relevant document satisfies the user. The factor α cancels in the division."""

nERR_IA = SubtopicMetric(
    "nERR-IA", exposures.reciprocal, weight=novelty, divisor="ideal",
    parameters={"alpha": _A, "ideal": _IDEAL}, source=RECIPROCAL, bounds=GREEDY,
    formula="Σ_t Σ_{p_ti≤k} (1−α)^(i−1) / p_ti, over that of the ideal ranking")
"""ERR-IA divided by that of the ideal ranking: ``ideal='greedy'`` (ndeval's) or ``'exact'``."""

alpha_DCG = SubtopicMetric(
    "alpha-DCG", exposures.logarithmic, weight=novelty, divisor="every_rank",
    parameters={"alpha": _A}, source=ALPHA_NDCG, bounds="0 to 1",
    formula="Σ_t Σ_{p_ti≤k} (1−α)^(i−1) / log2(p_ti+1), over T Σ_{r≤k} (1−α)^(r−1) / log2(r+1)")
"""Novelty-aware discounted gain, divided by the greatest value that k documents can have, as in
ndeval; the paper does not divide. The gain of a document is Σ_t (1 − α)^(number of documents above
it that serve t)."""

alpha_nDCG = SubtopicMetric(
    "alpha-nDCG", exposures.logarithmic, weight=novelty, divisor="ideal",
    parameters={"alpha": _A, "ideal": _IDEAL}, source=ALPHA_NDCG, bounds=GREEDY,
    formula="Σ_t Σ_{p_ti≤k} (1−α)^(i−1) / log2(p_ti+1), over that of the ideal ranking")
"""alpha-DCG divided by that of the ideal ranking: ``ideal='greedy'`` (ndeval's) or ``'exact'``."""

NRBP = SubtopicMetric(
    "NRBP", persistence_of_one, weight=novelty, divisor="subtopics",
    parameters={"alpha": _A, "beta": _A}, source=NOVELTY_BIASED, bounds="0 to 1",
    formula="(1−(1−α)β)/T Σ_t Σ_i (1−α)^(i−1) β^(p_ti−1)")
"""Novelty- and rank-biased precision of the whole ranking, where β is the user's persistence."""

nNRBP = SubtopicMetric(
    "nNRBP", persistence, weight=novelty, divisor="ideal",
    parameters={"alpha": _A, "beta": _A, "ideal": _IDEAL}, source=NOVELTY_BIASED,
    bounds=GREEDY, formula="Σ_t Σ_i (1−α)^(i−1) β^(p_ti−1), over that of the ideal ranking")
"""NRBP divided by that of the ideal ranking: ``ideal='greedy'`` (ndeval's) or ``'exact'``."""

# fmt: on

SUBTOPIC_METRICS = {m.name: m for m in vars().values() if isinstance(m, Metric)}
