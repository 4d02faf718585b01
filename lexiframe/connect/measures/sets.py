"""Metrics of sets, of the recall curve, and trec_eval's variants of nDCG, each with its formula.

r of the m relevant items are among the ñ documents retrieved; p_i is the rank of the i-th of them.
"""

from __future__ import annotations

from lexiframe.connect.measures import cumulated_gain, recall_curve
from lexiframe.connect.measures.ideal_overlap import binary_gain
from lexiframe.core.metrics.catalogues import papers as of
from lexiframe.core.metrics.kinds import counts, exposures, weights
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.metric_parameters import Flag, Gains, Number, Parameter, Word
from lexiframe.core.metrics.kinds.ranking_metric import RankingMetric, ShareMetric
from lexiframe.core.metrics.kinds.recall_level import RecallLevelMetric
from lexiframe.core.metrics.needed import FOUND

_ROUNDING = Word(("nearest", "up"))
_WORTH: dict[str, Parameter] = {"a": Number(1), "b": Number(-1), "c": Number(0), "d": Number(0)}
_CORPUS = Number(least=1, whole=True)
_GAINS = {"gains": Gains()}

# An entry has five lines at most; the formatter would give each of its arguments a line.
# fmt: off

SetP = RankingMetric("SetP", counts.precision, kind="set", needs=FOUND,
    parameters={"relative": Flag(default=False)},
    formula="r/ñ; SetP(relative=True): r/min(ñ, m)", bounds="0 to 1",
    source=of.TREC_EVAL)
"""Precision of all that was retrieved: trec_eval's set_P. With ``relative=True`` it is
set_relative_P, which divides by the greatest precision that ñ documents can have."""

SetR = RankingMetric("SetR", counts.recall, kind="set", needs=FOUND,
    formula="r/m", bounds="0 to 1", source=of.TREC_EVAL)
"""Recall of all that was retrieved: trec_eval's set_recall."""

SetF = RankingMetric("SetF", counts.weighted_mean, kind="set", needs=FOUND,
    parameters={"beta": Number(1, least=0)}, bounds="0 to 1",
    formula="(β + 1) P R / (β P + R), P = r/ñ, R = r/m",
    source=f"{of.TREC_EVAL}; {of.RIJSBERGEN}")
"""The weighted harmonic mean of precision and recall of all that was retrieved: trec_eval's set_F.
As there and in ir_measures, β is the weight itself. Van Rijsbergen's F_β squares it, so that his
F_2 is ``SetF(beta=4)``."""

SetAP = RankingMetric("SetAP", counts.average_precision, kind="set", needs=FOUND,
    formula="r²/(ñ m)", bounds="0 to 1", source=of.TREC_EVAL)
"""Precision times recall of all that was retrieved: trec_eval's set_map."""

utility = RankingMetric("utility", counts.utility, kind="set", needs=FOUND,
    parameters=_WORTH | {"n": _CORPUS}, of_no_relevant=None, bounds="−ñ to m",
    formula="a r + b (ñ − r) + c (m − r) + d (n − ñ − m + r)",
    source=of.TREC_EVAL)
"""What the documents retrieved are worth: a for each relevant one, b for each other one, c for each
relevant one that was missed, and d for each of the rest of a corpus of n documents."""

F1 = RecallLevelMetric("F1", exposures.constant, weight=weights.harmonic,
    formula="F1@k: 2 P@k R@k / (P@k + R@k) = 2 #{p_i ≤ k} / (k + m)", bounds="0 to 1",
    source=of.RIJSBERGEN)
"""The harmonic mean of precision and recall of the first k documents. As for P@k, the divisor of
precision is k even when the ranking is shorter."""

relative_P = RecallLevelMetric("relative_P", exposures.constant,
    weight=weights.per_rank_that_can_be_relevant,
    formula="relative_P@k: #{p_i ≤ k} / min(k, m)", bounds="0 to 1", source=of.TREC_EVAL)
"""Precision of the first k ranks, divided by the greatest that is possible. It is the same as
``R(denominator='min')@k``."""

Rprec_mult = ShareMetric("Rprec_mult", recall_curve.precision_at_multiple, kind="recall curve",
    parameters={"multiple": Number(least=0)}, share="multiple", bounds="0 to 1",
    formula="Rprec_mult@x: P@k, k = ⌊x m + 0.9⌋", source=of.TREC_EVAL)
"""Precision at a multiple of the number of relevant items: ``Rprec_mult@1`` is Rprec."""

IPrec = ShareMetric("IPrec", recall_curve.interpolated_precision, kind="recall curve",
    parameters={"recall": Number(least=0, most=1), "rounding": _ROUNDING}, bounds="0 to 1",
    formula="IPrec@R: max of i/p_i over i ≥ R m, rounded",
    source=f"{of.TREC_EVAL}; {of.MANNING}, section 8.4")
"""Interpolated precision at a share of recall: the greatest precision at that level or a later one.
The level is the whole number nearest to R m, as in trec_eval 10; earlier versions, pytrec_eval and
ir_measures take ⌊R m + 0.9⌋, which is ``IPrec(rounding='up')@R``, and what the object
``ir_measures.IPrec @ R`` means here. trec_eval calls it iprec_at_recall."""

eleven_point_avg = RankingMetric("11pt_avg", recall_curve.eleven_point_average,
    kind="recall curve", parameters={"rounding": _ROUNDING},
    formula="mean of IPrec@R over R = 0, 0.1 … 1", bounds="0 to 1",
    source=f"{of.TREC_EVAL}; {of.MANNING}, section 8.4")
"""Interpolated precision, averaged over eleven levels of recall; see IPrec for ``rounding``."""

ndcg_rel = RankingMetric("ndcg_rel", cumulated_gain.mean_at_relevant, kind="graded",
    parameters=_GAINS, formula="1/m Σ_i DCG/IDCG at p_i; at the end for items not retrieved",
    bounds="0 to 1", source=of.TREC_EVAL)
"""nDCG at the rank of each relevant item, averaged over them; ``gains`` as for nDCG."""

Rndcg = RankingMetric("Rndcg", cumulated_gain.mean_at_levels, kind="graded", needs=FOUND,
    parameters=_GAINS | {"level": Number(above=0)}, bounds="0 to 1", source=of.TREC_EVAL,
    formula="mean of DCG/IDCG where the ideal gain falls, and at ñ")
"""nDCG, averaged over the ranks at which the ideal ranking has the last item of some gain, and the
end of the ranking (if ñ > m + 1, as in trec_eval); ``gains`` as for nDCG. With ``Rndcg(level=3)``,
trec_eval's -l 3, a request without an item of grade 3 has 0, and all grades keep their gain."""

G = RankingMetric("G", cumulated_gain.normalised_gain, kind="graded",
    parameters=_GAINS, formula="Σ_i g_i/log2(2 + cost(p_i) − Σ_{j≤i} g_j) / Σ_i g_i",
    bounds="0 to 1", source=of.TREC_EVAL)
"""Normalised gain: the discount depends on how far the ranking is behind the ideal one. cost(p) is
the sum of the ideal gains of the first p ranks, each at least 1; ``gains`` as for nDCG."""

binG = RankingMetric("binG", binary_gain, kind="recall level",
    formula="1/m Σ_i 1/log2(2 + p_i − i)", bounds="0 to 1", source=of.TREC_EVAL)
"""The mean over the relevant items of a discount by the documents above that are not relevant."""

Q = RankingMetric("Q", cumulated_gain.blended_ratio, kind="graded",
    parameters={"beta": Number(1, least=0), **_GAINS},
    formula="1/m Σ_i (i + β G_i)/(p_i + β I_{p_i})", bounds="0 to 1", source=of.SAKAI)
"""Q-measure, average precision for graded relevance: at the rank of each relevant item, the number
of relevant items so far and their gains, as a share of the rank and the gains of the ideal ranking
so far. The gain is the grade unless ``gains`` names others, ``beta`` is the weight of the gains,
and ``Q(beta=0)`` is AP. ``Q@k`` divides by min(m, k), as NTCIREVAL does."""

WSS = ShareMetric("WSS", recall_curve.work_saved, kind="recall curve", share="percent",
    parameters={"percent": Number(above=0, most=100)}, bounds="−1 to 1",
    formula="WSS@R: R/100 − p/ñ", source=of.COHEN)
"""Work saved over sampling: who reads a ranking of all candidates from the top and stops at a
recall of R percent leaves a share of it unread, and would leave 1 − R/100 of it without any order;
WSS is the difference. A ranking that never reaches that recall is read to its end. The ranking has
to hold all candidates: of its first 1000 alone, the share is of these."""

# fmt: on

SET_METRICS = {m.name: m for m in vars().values() if isinstance(m, Metric)}
