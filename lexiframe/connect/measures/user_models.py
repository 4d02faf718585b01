"""The C/W/L metrics of cwl_eval, compatibility and accuracy, each with its formula.

C(i) is the probability that a user at rank i goes on to the next, g the gain there, from 0 to 1,
and G the sum of the gains up to there. μ = Σ_i W(i) g(i), where W(i) ∝ C(1) ⋯ C(i − 1).
"""

from __future__ import annotations

from lexiframe.connect.measures import user_model_metrics as user
from lexiframe.connect.measures.ideal_overlap import accuracy, compatibility
from lexiframe.connect.measures.user_model_metrics import SCALE, CWLMetric
from lexiframe.core.metrics.catalogues import papers as of
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.metric_parameters import Flag, Number, Parameter
from lexiframe.core.metrics.kinds.ranking_metric import RankingMetric
from lexiframe.core.metrics.needed import FOUND

_T: dict[str, Parameter] = {"T": Number(1, above=0)}
_PERSISTENCE: dict[str, Parameter] = {"p": Number(0.9, above=0, below=1)}

# An entry has five lines at most; the formatter would give each of its arguments a line.
# fmt: off

SDCG = CWLMetric("SDCG", user.discounted, formula="Σ_{i≤k} g/log2(i + 1) / Σ_{i≤k} 1/log2(i + 1)",
    bounds="0 to 1", source=f"{of.CWL_OF}; {of.CWL}")
"""Scaled discounted cumulative gain: nDCG that divides by k documents of the greatest grade."""

BPM = CWLMetric("BPM", user.satiated, parameters=_T | SCALE,
    formula="C = 1 while G < T and i < k, else 0", bounds="0 to 1",
    source=f"{of.BEJEWELED}; {of.CWL}")
"""Bejeweled player model, static: the mean gain down to where the user has found T, or read k."""

INST = CWLMetric("INST", user.adapting, parameters=_T | SCALE,
    formula="C = ((i + T + T_i − 1)/(i + T + T_i))², T_i = T − G", bounds="0 to 1",
    source=f"{of.INST_OF}; {of.CWL}")
"""A user who wants T relevant documents, and goes on the less likely the more have been found."""

INSQ = CWLMetric("INSQ", user.expecting, parameters=_T | SCALE,
    formula="C = ((i + 2T − 1)/(i + 2T))²", bounds="0 to 1",
    source=f"{of.INSQ_OF}; {of.CWL}")
"""A user who wants T relevant documents, and whose patience does not depend on what is found."""

NERR8 = CWLMetric("NERR8", user.stopping, formula="C = 1 − g for i < k, else 0",
    bounds="0 to 1", source=f"{of.NEARLY_ERR}, eq. 8; {of.CWL}")
"""Nearly ERR: the user stops at rank i with the probability g, and at rank k."""

NERR9 = CWLMetric("NERR9", user.stopping_by_rank,
    formula="C = i/(i + 1) · (1 − g) for i < k, else 0", bounds="0 to 1",
    source=f"{of.NEARLY_ERR}, eq. 9; {of.CWL}")
"""Nearly ERR, where the discount 1/i of ERR is made of probabilities of stopping."""

NERR10 = CWLMetric("NERR10", user.stopping_or_tired, parameters=_PERSISTENCE | SCALE,
    formula="C = p (1 − g)", bounds="0 to 1", source=f"{of.NEARLY_ERR}, eq. 10; {of.CWL}")
"""Nearly ERR with the persistence p of RBP."""

NERR11 = CWLMetric("NERR11", user.stopping_or_expecting, parameters=_T | SCALE,
    formula="C = ((i + 2T − 1)/(i + 2T))² (1 − g)", bounds="0 to 1",
    source=f"{of.NEARLY_ERR}, eq. 11; {of.CWL}")
"""Nearly ERR with the patience of INSQ."""

Compat = RankingMetric("Compat", compatibility, kind="overlap", needs=FOUND,
    parameters={"p": Number(0.95, above=0, below=1), "normalize": Flag(default=True)},
    formula="Σ_{d≤D} p^(d−1) X_d/d, over that of the ideal with itself; D = max(ñ, m)",
    bounds="0 to 1", source=of.COMPATIBILITY)
"""Compatibility: rank-biased overlap with the ideal ranking that is most like the ranking; X_d
items are in the first d of both. The ideal has all relevant items in decreasing order of grade, and
those of one grade in the order of the ranking. ``Compat(normalize=False)`` divides by
Σ_{d≤D} p^(d−1) instead, so that few relevant items make small values."""

Accuracy = RankingMetric("Accuracy", accuracy, kind="set", needs=FOUND,
    formula="1 − Σ_i (p_i − i) / (r (k − r)), r = #{p_i ≤ k}, k ≤ ñ", bounds="0 to 1",
    source="ir_measures")
"""The probability that a relevant document of the first k stands above one that is not relevant, or
not judged. It is 0 when no relevant document was found, and 1 when no other was."""

# fmt: on

USER_MODELS = {m.name: m for m in vars().values() if isinstance(m, Metric)}
