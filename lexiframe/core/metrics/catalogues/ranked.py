"""The built-in metrics, each with its formula, its range and its source."""

from __future__ import annotations

from functools import partial
from typing import Any

from lexiframe.core.metrics import notation
from lexiframe.core.metrics.catalogues import papers as of
from lexiframe.core.metrics.catalogues.subtopics import SUBTOPIC_METRICS
from lexiframe.core.metrics.kinds import counts, exposures, graded, judged, search_length, weights
from lexiframe.core.metrics.kinds.cascade import CascadeMetric, satisfied
from lexiframe.core.metrics.kinds.graded import GradedMetric
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.metric_parameters import Gains, Number, Parameter, Word
from lexiframe.core.metrics.kinds.order_metrics import leximin_metric, rank_metric
from lexiframe.core.metrics.kinds.ranking_metric import RankingMetric, log_odds, logarithm
from lexiframe.core.metrics.kinds.recall_level import RecallLevelMetric
from lexiframe.core.metrics.kinds.search_length import SearchLength
from lexiframe.core.metrics.needed import FOUND, JUDGED

_P = Number(0.8, above=0, below=1)
_OF_M = {"denominator": Word(("m", "min", "k"))}
_MAX = Number(4, above=0)
_MAX_OF_POWER = Number(4, above=0, below=1024)  # no float holds 2^1024
_COUNT: dict[str, Any] = {"kind": "count", "of_no_relevant": None, "aggregate": "sum"}
_DCG: dict[str, Parameter] = {"dcg": Word(("log2", "exp-log2")), "gains": Gains()}

# An entry has five lines at most; the formatter would give each of its arguments a line.
# fmt: off
# --- Recall-level metrics: μ = Σ_i e(p_i) · z(i, m), arXiv:2302.11370, equation 1 --------------

AP = RecallLevelMetric("AP", exposures.reciprocal, weight=weights.share_of_levels,
    parameters=_OF_M, formula="Σ_i 1/p_i · i/m", bounds="0 to 1",
    source=f"{of.LEXIRECALL}, eq. 1")
"""Average precision: the mean over the relevant items of the precision at their ranks, 0 for those
that were not retrieved. ``AP@k`` divides by m, as trec_eval's map_cut does, and
``AP(denominator='min')@k`` divides by min(m, k), ``AP(denominator='k')@k`` by k."""

RR = RecallLevelMetric("RR", exposures.reciprocal, weight=weights.only,
    parameters={"level": Number(1, least=1, whole=True)}, bounds="0 to 1",
    formula="1/p_1; RR(level=j): 1/p_j", source=f"{of.LEXIRECALL}, eq. 1")
"""Reciprocal rank: 1 divided by the rank of the first relevant item, or with ``RR(level=j)`` of
the j-th one."""

nDCG = GradedMetric("nDCG", exposures.logarithmic, gain=graded.gain_of_dcg,
    parameters=_DCG | {"ideal": Word(("cut", "full"))},
    formula="Σ g(y)/log2(p + 1) over the ideal", bounds="0 to 1",
    source=of.JARVELIN)
"""Normalised discounted cumulative gain: the sum of the gains of the documents retrieved, each
divided by the logarithm of its rank, as a share of the sum that the best ranking has. The gain is
the grade, as in trec_eval, or 2^grade − 1 with ``nDCG(dcg='exp-log2')``. The ideal ranking is cut
off where the ranking is, unless ``ideal='full'``. ``nDCG(gains={1: 1, 2: 10})`` gives grades other
gains: a grade that is not named keeps itself as gain, and the ideal ranking is in order of gain.
When all grades are equal, this is the recall-level metric with the weight 1 / Σ_{k≤m}
1/log2(k+1)."""

DCG = GradedMetric("DCG", exposures.logarithmic, gain=graded.gain_of_dcg, normalised=False,
    parameters=_DCG, formula="Σ g(y)/log2(p + 1)", bounds="0 to Σ_i g(y_i)",
    source=of.JARVELIN)
"""Discounted cumulative gain: the sum of the gains of the documents retrieved, each divided by the
logarithm of its rank, which nDCG divides by that of the ideal ranking."""

RBP = RecallLevelMetric("RBP", exposures.geometric, weight=weights.one,
    parameters={"p": _P}, formula="Σ_i (1 − γ) γ^(p_i − 1), γ = p", bounds="0 to 1",
    source=f"{of.MOFFAT}; {of.LEXIRECALL}, eq. 1")
"""Rank-biased precision with binary relevance: the share that is relevant of what a user sees, who
goes on from each rank to the next with the probability p. The persistence γ is called p, as in
ir_measures."""

gRBP = GradedMetric("gRBP", exposures.geometric, gain=graded.share_of_greatest, normalised=False,
    parameters={"p": _P, "max": _MAX}, formula="Σ y/max · (1 − γ) γ^(p − 1)", bounds="0 to 1",
    source=of.MOFFAT)
"""Rank-biased precision with graded gains: each grade is divided by ``max``, the greatest one."""

RBP_residual = judged.Residual("RBP_residual", exposures.geometric,
    parameters={"p": _P}, formula="1 − Σ over judged items of (1 − γ) γ^(p − 1)", bounds="0 to 1",
    source=of.MOFFAT)
"""How much greater RBP would be if every unjudged item were relevant."""

linear = RecallLevelMetric("linear", exposures.linear, weight=weights.uniform,
    parameters={"n": Number(above=0)}, formula="1/m Σ_i (1 − p_i/n)", bounds="0 to 1",
    source=f"{of.LEXIRECALL}, eq. 1")
"""The mean of 1 − p/n over the relevant items, where n is the number of items in the corpus:
``linear(n=1000)``. A rank beyond n is an error."""

R = RecallLevelMetric("R", exposures.constant, weight=weights.uniform,
    parameters=_OF_M, formula="R@k: #{p_i ≤ k} / m", bounds="0 to 1",
    source=f"{of.LEXIRECALL}, section 3.2")
"""Recall: the share of the relevant items that were retrieved. ``R@k`` counts the first k ranks,
``R`` all that was retrieved. ``R(denominator='min')@k`` divides by min(m, k),
``R(denominator='k')@k`` by k, as P@k does."""

P = RecallLevelMetric("P", exposures.constant, weight=weights.per_rank,
    formula="P@k: #{p_i ≤ k} / k", bounds="0 to 1", source=of.TREC_EVAL)
"""Precision: the share of the first k documents that is relevant. The divisor is k even when the
ranking is shorter."""

Rprec = RecallLevelMetric("Rprec", exposures.up_to_m, weight=weights.uniform,
    formula="#{p_i ≤ m} / m", bounds="0 to 1", source=f"{of.LEXIRECALL}, section 3.2")
"""The precision of the first m documents, of which all could be relevant."""

Success = RecallLevelMetric("Success", exposures.constant, weight=weights.first,
    formula="Success@k: 1 if p_1 ≤ k", bounds="0 or 1", source=of.TREC_EVAL)
"""Whether a relevant item is among the first k."""

ERR = CascadeMetric("ERR", exposures.reciprocal, stop=satisfied,
    parameters={"max": _MAX_OF_POWER}, bounds="0 to 1", source=of.CHAPELLE,
    formula="Σ_i 1/p_i · R_i Π_{j<i} (1 − R_j), R = (2^y − 1)/2^max")
"""Expected reciprocal rank: the mean of 1 divided by the rank at which a user stops, who is
satisfied by a document the likelier the higher its grade. ``max`` is the greatest grade of the
scale, 4 as in gdeval."""

PRES = RankingMetric("PRES", counts.patent_retrieval_score,
    formula="1 − (1/m Σ_i r_i − (m + 1)/2)/k, r_i = p_i if p_i ≤ k, else k + i",
    bounds="0 to 1", source=of.MAGDY)
"""The patent retrieval evaluation score: how far the mean rank of the relevant items is from that
of an ideal ranking, as a share of the k documents that a user looks at. Items that are not among
these have the ranks behind them: the i-th relevant item has rank k + i."""

# --- Metrics that use judged non-relevant items, and counts, as trec_eval defines them -----------

bpref = judged.JudgedMetric("bpref", judged.preferred_to_nonrelevant,
    parameters={"denominator": Word(("min", "m"))},
    formula="1/m Σ_i (1 − min(b_i, m)/min(m, N))", bounds="0 to 1",
    source=f"{of.TREC_EVAL}; {of.BUCKLEY}")
"""Binary preference: how few of the judged non-relevant items stand above the relevant ones; b_i
of the N judged non-relevant items stand above the i-th relevant one. ``bpref(denominator='m')``
divides by m, as the paper does."""

infAP = judged.JudgedMetric("infAP", judged.inferred_precision,
    formula="1/m Σ_i (1/p + (r + b + u)/p · (r + ε)/(r + b + 2ε)), r = i − 1", bounds="0 to 1",
    source=f"{of.TREC_EVAL}; {of.YILMAZ}")
"""Inferred average precision, for pools of which only a part was judged. Above the i-th relevant
item stand b items that are judged not relevant and u that are pooled, but have no judgment: their
grade is negative."""

Judged = RankingMetric("Judged", judged.judged_share, kind="judged", needs=JUDGED,
    parameters={"denominator": Word(("min", "k"))}, of_no_relevant=None, bounds="0 to 1",
    formula="#{judged of the first k} / min(k, ñ)", source="ir_measures")
"""The share of the first k documents that are judged; ``Judged(denominator='k')@k`` divides by k
also when the ranking is shorter. Requests without a relevant document have one, too."""

Hole = RankingMetric("Hole", judged.unjudged_share, kind="judged", needs=JUDGED,
    smaller_is_better=True, of_no_relevant=None, bounds="0 to 1",
    formula="#{not judged of the first k} / k", source=of.BEIR)
"""The share of the first k ranks with a document that nobody judged for the request, of all that
was retrieved without a cut-off. BEIR counts a document as judged when it was judged for any other
request, too, which says nothing of its relevance here."""

gm_map = RankingMetric("gm_map", partial(logarithm, AP), kind="logarithm",
    of_no_relevant=None, aggregate="geometric mean", formula="ln max(AP, 10⁻⁵)",
    bounds="ln 10⁻⁵ = −11.5 to 0", source=f"{of.TREC_EVAL}; {of.ROBERTSON}")
"""The logarithm of AP, for its geometric mean over requests (GMAP), which rewards runs that fail
on no request: exp of the mean of these values is what trec_eval prints, and what `aggregates`
gives. The difference of two means is the logarithm of the ratio of two GMAPs."""

gm_bpref = RankingMetric("gm_bpref", partial(logarithm, bpref), kind="logarithm", needs=JUDGED,
    of_no_relevant=None, aggregate="geometric mean", formula="ln max(bpref, 10⁻⁵)",
    bounds="ln 10⁻⁵ = −11.5 to 0", source=f"{of.TREC_EVAL}; {of.ROBERTSON}")
"""The logarithm of bpref, for its geometric mean over requests; see gm_map."""

yaap = RankingMetric("yaap", partial(log_odds, AP), kind="logarithm",
    formula="ln((1 + m AP) / (1 + m − m AP))", bounds="−ln(1 + m) to ln(1 + m)",
    source=f"{of.TREC_EVAL}; {of.SMOOTHING}")
"""Robertson's smoothed AP, on the scale of log odds: values near 0 and 1 are spread out."""

num_ret = RankingMetric("num_ret", counts.retrieved, **_COUNT,
    formula="ñ", bounds="0 to n", source=of.TREC_EVAL)
"""The number of documents retrieved. The counts add up: `aggregates` gives their sum over
requests, as trec_eval prints it."""

num_rel = RankingMetric("num_rel", counts.relevant, **_COUNT,
    formula="m", bounds="0 to n", source=of.TREC_EVAL)
"""The number of relevant items."""

num_rel_ret = RankingMetric("num_rel_ret", counts.relevant_retrieved, needs=FOUND, **_COUNT,
    formula="#{p_i}; num_rel_ret@k: #{p_i ≤ k}", bounds="0 to m", source=of.TREC_EVAL)
"""The number of relevant items retrieved; ``num_rel_ret@k``, ranx' hits@k, counts the first k."""

num_nonrel_judged_ret = RankingMetric("num_nonrel_judged_ret", counts.nonrelevant_retrieved,
    needs=JUDGED, **_COUNT, formula="#{judged not relevant, retrieved}", bounds="0 to ñ",
    source=of.TREC_EVAL)
"""The number of documents retrieved that are judged not relevant."""

num_q = RankingMetric("num_q", counts.one, **_COUNT, formula="1", bounds="1",
    source=of.TREC_EVAL)
"""1 for each request; the sum, which `aggregates` gives, is the number of requests."""

# --- Search lengths: smaller values are better ---------------------------------------------------

ISL = SearchLength("ISL", search_length.rank, weight=weights.first,
    formula="p_1", bounds="1 to n − m + 1", source=of.COOPER)
"""Initial search length: the rank of the first relevant item."""

TSL = SearchLength("TSL", search_length.rank, weight=weights.last,
    formula="p_m", bounds="m to n", source=f"{of.LEXIRECALL}, section 3.2")
"""Total search length: the rank of the last relevant item."""

ASL = SearchLength("ASL", search_length.rank, weight=weights.one, mean=True,
    formula="1/m Σ_i p_i", bounds="(m + 1)/2 to n − (m − 1)/2",
    source=f"{of.LEXIRECALL}, section 3.2")
"""Average search length: the mean rank of the relevant items."""

SL1 = SearchLength("SL1", search_length.before, weight=weights.first,
    formula="p_1 − 1", bounds="0 to n − m", source=of.COOPER)
"""Cooper's search length of type 1: the non-relevant items before the first relevant one."""

SL3 = SearchLength("SL3", search_length.beyond_m, weight=weights.last,
    formula="p_m − m", bounds="0 to n − m",
    source=f"{of.COOPER}; {of.LEXIRECALL}, section 3.2")
"""Cooper's search length of type 3: the non-relevant items before the last relevant one."""

RE = SearchLength("RE", search_length.beyond_mean, weight=weights.one, mean=True,
    formula="1/m Σ_i p_i − (m + 1)/2", bounds="0 to n − m",
    source=f"{of.LEXIRECALL}, section 3.2")
"""Recall error: the mean rank of the relevant items, minus that of the ideal ranking."""
# fmt: on

# The entries of this module in the order of the source, and then those of the others. Features add
# more: see `derived.every_metric`.
METRICS: dict[str, Metric] = {
    m.name: m
    for m in (
        *(entry for entry in vars().values() if isinstance(entry, Metric)),
        *(rank_metric(name, "recall") for name in ("LR", "sgnLR")),
        *(rank_metric(name, "precision") for name in ("LP", "sgnLP")),
        leximin_metric("LR"),
        *SUBTOPIC_METRICS.values(),
    )
}
notation.know(METRICS)
