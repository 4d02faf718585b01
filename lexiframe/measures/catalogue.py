"""The metrics, each as its formula: exposure e(p) times weight z(i, m)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lexiframe.errors import LexiframeError, unknown_name
from lexiframe.measures import counts, exposures, graded, judged, notation, search_length, weights
from lexiframe.measures import sources as of
from lexiframe.measures.cascade import CascadeMetric, satisfied
from lexiframe.measures.graded import GradedMetric
from lexiframe.measures.lexicographic import leximin_metric, rank_metric
from lexiframe.measures.metric import Metric
from lexiframe.measures.parameters import CorpusSize, Number, Word
from lexiframe.measures.recall_level import RecallLevelMetric
from lexiframe.measures.search_length import SearchLength
from lexiframe.measures.subtopic_catalogue import SUBTOPIC_METRICS
from lexiframe.measures.worst_case import WorstCase

_P = Number(0.8, above=0, below=1)
_OF_M = {"denominator": Word(("m", "min"))}
_MAX = Number(4, above=0)
_N = {"n": CorpusSize()}

# fmt: off
# --- Recall-level metrics: μ = Σ_i e(p_i) · z(i, m), equation 1 of Diaz et al. 2025 --------------

AP = RecallLevelMetric("AP", exposures.reciprocal, weight=weights.share_of_levels,
    parameters=_OF_M, formula="Σ_i 1/p_i · i/m", bounds="0 to 1",
    source=f"{of.LEXIRECALL}, eq. 1")
"""Average precision. AP@k divides by m, as trec_eval's map_cut does; ``AP(denominator='min')@k`` by
min(m, k)."""

RR = RecallLevelMetric("RR", exposures.reciprocal, weight=weights.only,
    parameters={"level": Number(1, least=1, whole=True)}, bounds="0 to 1",
    formula="1/p_1; RR(level=j): 1/p_j", source=f"{of.LEXIRECALL}, eq. 1")
"""Reciprocal rank; ``RR(level=j)`` is that of the j-th relevant item."""

nDCG = GradedMetric("nDCG", exposures.logarithmic, gain=graded.gain_of_dcg,
    parameters={"dcg": Word(("log2", "exp-log2")), "ideal": Word(("cut", "full"))},
    formula="Σ g(y)/log2(p + 1) over the ideal", bounds="0 to 1",
    source=of.JARVELIN)
"""Normalised discounted cumulative gain, with the grade as gain, as trec_eval has it;
``nDCG(dcg='exp-log2')`` has 2^grade − 1. The ideal is cut off as the ranking is, unless
``ideal='full'``. With one grade it is the recall-level metric of weight 1 / Σ_{k≤m} 1/log2(k+1)."""

RBP = RecallLevelMetric("RBP", exposures.geometric, weight=weights.one,
    parameters={"p": _P}, formula="Σ_i (1 − γ) γ^(p_i − 1), γ = p", bounds="0 to 1",
    source=f"{of.MOFFAT}; {of.LEXIRECALL}, eq. 1")
"""Rank-biased precision, binary; the persistence γ is called p, as in ir_measures' notation."""

gRBP = GradedMetric("gRBP", exposures.geometric, gain=graded.share_of_greatest, normalised=False,
    parameters={"p": _P, "max": _MAX}, formula="Σ y/max · (1 − γ) γ^(p − 1)", bounds="0 to 1",
    source=of.MOFFAT)
"""Rank-biased precision with grades as shares of the greatest that there can be, ``max``."""

RBP_residual = judged.Residual("RBP_residual", exposures.geometric,
    parameters={"p": _P}, formula="1 − Σ over judged items of (1 − γ) γ^(p − 1)", bounds="0 to 1",
    source=of.MOFFAT)
"""What RBP could still gain if every item that is not judged were relevant."""

linear = RecallLevelMetric("linear", exposures.linear, weight=weights.uniform,
    parameters={"n": Number(above=0)}, formula="1/m Σ_i (1 − p_i/n)", bounds="0 to 1",
    source=f"{of.LEXIRECALL}, eq. 1")
"""Linear exposure, with n the size of the corpus: ``linear(n=1000)``."""

R = RecallLevelMetric("R", exposures.constant, weight=weights.uniform,
    parameters=_OF_M, formula="R@k: #{p_i ≤ k} / m", bounds="0 to 1",
    source=f"{of.LEXIRECALL}, section 3.2")
"""Recall; ``R@k`` of the first k ranks, ``R`` of all that was retrieved; ``R(denominator='min')@k``
divides by min(m, k)."""

P = RecallLevelMetric("P", exposures.constant, weight=weights.per_rank,
    formula="P@k: #{p_i ≤ k} / k", bounds="0 to 1", source=of.TREC_EVAL)
"""Precision of the first k ranks. A ranking shorter than k is not forgiven."""

Rprec = RecallLevelMetric("Rprec", exposures.up_to_m, weight=weights.uniform,
    formula="#{p_i ≤ m} / m", bounds="0 to 1", source=f"{of.LEXIRECALL}, section 3.2")
"""Precision of the first m ranks."""

Success = RecallLevelMetric("Success", exposures.constant, weight=weights.first,
    formula="Success@k: 1 if p_1 ≤ k", bounds="0 to 1", source=of.TREC_EVAL)
"""Whether a relevant item is among the first k."""

ERR = CascadeMetric("ERR", exposures.reciprocal, stop=satisfied,
    parameters={"max": _MAX}, formula="Σ_i 1/p_i · R_i Π_{j<i} (1 − R_j), R = (2^y − 1)/2^max",
    bounds="0 to 1", source=of.CHAPELLE)
"""Expected reciprocal rank; ``max`` is the greatest grade of the scale, 4 as in gdeval."""

# --- Judged items that are not relevant, and counts, as trec_eval has them -----------------------

bpref = judged.JudgedMetric("bpref", judged.preferred_to_nonrelevant,
    parameters={"denominator": Word(("min", "m"))},
    formula="1/m Σ_i 1 − min(b_i, m)/min(m, N)", bounds="0 to 1",
    source=f"{of.TREC_EVAL}; {of.BUCKLEY}")
"""Binary preference: b_i of the N judged non-relevant items stand above the i-th relevant one.
``bpref(denominator='m')`` divides by m, as the paper does."""

infAP = judged.JudgedMetric("infAP", judged.inferred_precision,
    formula="1/m Σ_i 1/p + (r + b + u)/p · (r + ε)/(r + b + 2ε), r = i − 1", bounds="0 to 1",
    source=f"{of.TREC_EVAL}; {of.YILMAZ}")
"""Inferred average precision, of pools that were judged in part: u items above it are pooled, but
unjudged (their grade is negative)."""

Judged = judged.JudgedShare("Judged", parameters={"denominator": Word(("min", "k"))},
    formula="#{judged of the first k} / min(k, ñ)", bounds="0 to 1",
    source="ir_measures")
"""The share of the first k documents that are judged; ``Judged(denominator='k')@k`` divides by k
also when the ranking is shorter."""

num_ret = counts.Count("num_ret", counts.retrieved, formula="ñ", bounds="0 to n",
    source=of.TREC_EVAL)
"""The number of documents retrieved."""

num_rel = counts.Count("num_rel", counts.relevant, formula="m", bounds="0 to n",
    source=of.TREC_EVAL)
"""The number of relevant items."""

num_rel_ret = counts.Count("num_rel_ret", counts.relevant_retrieved, formula="#{p_i}",
    bounds="0 to m", source=of.TREC_EVAL)
"""The number of relevant items retrieved."""

# --- Search lengths: small is good ----------------------------------------------------------------

ISL = SearchLength("ISL", search_length.rank, weight=weights.first, parameters=_N,
    formula="p_1", bounds="1 to n", source=of.COOPER)
"""Initial search length: the rank of the first relevant item."""

TSL = SearchLength("TSL", search_length.rank, weight=weights.last, parameters=_N,
    formula="p_m", bounds="m to n", source=f"{of.LEXIRECALL}, section 3.2")
"""Total search length: the rank of the last relevant item."""

ASL = SearchLength("ASL", search_length.rank, weight=weights.uniform, parameters=_N,
    formula="1/m Σ_i p_i", bounds="(m + 1)/2 to n", source=of.COOPER)
"""Average search length: the mean rank of the relevant items."""

SL1 = SearchLength("SL1", search_length.before, weight=weights.first, parameters=_N,
    formula="p_1 − 1", bounds="0 to n − 1", source=of.COOPER)
"""Cooper's search length of type 1: the items read in vain before the first relevant one."""

SL3 = SearchLength("SL3", search_length.beyond_m, weight=weights.last, parameters=_N,
    formula="p_m − m", bounds="0 to n − m",
    source=f"{of.COOPER}; {of.LEXIRECALL}, section 3.2")
"""Cooper's search length of type 3: the items read in vain until all relevant ones are found."""

RE = SearchLength("RE", search_length.beyond_mean, weight=weights.uniform, parameters=_N,
    formula="1/m Σ_i p_i − (m + 1)/2", bounds="0 to n",
    source=f"{of.LEXIRECALL}, section 3.2")
"""Recall error: the mean rank of the relevant items, minus that of the ideal ranking."""
# fmt: on


# --- Measures made from another -------------------------------------------------------------------


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
        For a metric with a cut-off: put it behind, ``TSE(AP)@10``; and one without an exposure.

    Notes
    -----
    Diaz, Ekstrand & Mitra, ACM TORS 2025, equation 3, doi:10.1145/3728373.

    Examples
    --------
    >>> TSE(AP)
    TSE(AP)
    >>> TSE("RBP(p=0.5)")
    TSE(RBP(p=0.5))
    """
    return _with_exposure("TSE", metric, weights.last, "e(p_m)", f"{of.LEXIRECALL}, eq. 3", name)


def eta(metric: Metric | Callable[..., Any] | str, name: str | None = None) -> RecallLevelMetric:
    """Provider exposure of all relevant items: Σ_i e(p_i).

    Of one provider's items it is `provider_exposure`; ``WC(eta(AP))`` is its least value over all
    groups of relevant items that could be a provider's.

    Parameters
    ----------
    metric, name
        As for `TSE`.

    Returns
    -------
    RecallLevelMetric
        ``eta(metric)``: e as given, z = 1.

    Raises
    ------
    LexiframeError
        As `TSE`.

    Notes
    -----
    Diaz, Ekstrand & Mitra, ACM TORS 2025, equation 2, doi:10.1145/3728373.

    Examples
    --------
    >>> eta("nDCG")
    eta(nDCG)
    """
    return _with_exposure("eta", metric, weights.one, "Σ_i e(p_i)", f"{of.LEXIRECALL}, eq. 2", name)


def _with_exposure(
    called: str,
    metric: Metric | Callable[..., Any] | str,
    weight: Callable[..., Any],
    formula: str,
    source: str,
    name: str | None,
) -> RecallLevelMetric:
    taken = parse_metric(metric) if isinstance(metric, str) else metric
    said: dict[str, Any] = {"formula": formula, "source": source, "bounds": "0 to e(1)"}
    if not isinstance(taken, Metric):
        operand = name or getattr(taken, "__name__", "exposure")
        return RecallLevelMetric(called, taken, weight=weight, operand=operand, **said)
    if taken.cutoff is not None:
        raise LexiframeError(
            f"{called}({taken}): put the cut-off behind, {called}({taken.name})@{taken.cutoff}"
        )
    exposure = getattr(taken, "exposure", None)
    if exposure is None or taken.smaller_is_better:
        raise LexiframeError(
            f"{called}({taken}): expected a metric with an exposure, such as AP or nDCG"
        )
    operand = name or str(replace(taken, rel=None))
    return RecallLevelMetric(
        called,
        exposure,
        weight=weight,
        parameters=taken.values,
        operand=operand,
        rel=taken.rel,
        **said,
    )


def WC(metric: Metric | str) -> WorstCase:
    """Worst case over information needs: the least μ(π, u) over the subsets u of relevant items.

    All 2^m − 1 subsets are looked at, so requests may have at most 15 relevant items. For a
    top-heavy metric with z(1, 1) = 1 and an exposure that does not depend on m the theorem says
    that it is `TSE`; for others, Rprec say, it is not.

    Parameters
    ----------
    metric
        A recall-level metric, or its notation: ``WC(AP)``, ``"WC(AP)"``, ``WC(eta(AP))``.

    Returns
    -------
    WorstCase
        A metric, ``WC(AP)``.

    Raises
    ------
    LexiframeError
        For a measure that is no recall-level metric.

    Notes
    -----
    Diaz, Ekstrand & Mitra, ACM TORS 2025, equations 4 and 5, doi:10.1145/3728373.

    Examples
    --------
    Relevant items at ranks 1 and 4: a user who wants the second alone has 1/4.

    >>> import lexiframe as lf
    >>> p = lf.positions({"a": {"q": {"x": 4, "u": 3, "v": 2, "y": 1}}}, {"q": {"x": 1, "y": 1}})
    >>> lf.scores(p, ["AP", "WC(AP)", "TSE(AP)"])["value"].to_list()
    [0.75, 0.25, 0.25]
    """
    taken = parse_metric(metric) if isinstance(metric, str) else metric
    if not isinstance(taken, RecallLevelMetric) or taken.smaller_is_better:
        raise LexiframeError(f"WC({taken}): expected a recall-level metric, such as AP or eta(AP)")
    plain = replace(taken, rel=None)
    return WorstCase("WC", plain, operand=str(plain), rel=taken.rel,
        formula="min over u ⊆ R of μ(π, u)", source=f"{of.LEXIRECALL}, eq. 4 and 5",
        bounds="as of μ")  # fmt: skip


METRICS: dict[str, Metric] = {
    m.name: m
    for m in (
        *(AP, RR, nDCG, RBP, gRBP, RBP_residual, linear, R, P, Rprec, Success, ERR, bpref, infAP),
        *(Judged, num_ret, num_rel, num_rel_ret, ISL, TSL, ASL, SL1, SL3, RE),
        *(rank_metric("LR", "recall"), rank_metric("LP", "precision"), leximin_metric("LR")),
        *SUBTOPIC_METRICS.values(),
    )
}
MADE_FROM_ANOTHER: dict[str, Callable[[str], Metric]] = {"TSE": TSE, "eta": eta, "WC": WC}


def is_better_small(name: str) -> bool:
    """Tell a search length, of which less is better, by what ``measure`` says; others are not.

    Examples
    --------
    >>> is_better_small("ASL(n=1000)"), is_better_small("AP"), is_better_small("my own")
    (True, False, False)
    """
    try:
        return parse_metric(name).smaller_is_better
    except LexiframeError:
        return False


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
    if written.name in MADE_FROM_ANOTHER and written.operand is not None:
        metric = MADE_FROM_ANOTHER[written.name](written.operand)
    elif written.name in METRICS and written.operand is None:
        metric = METRICS[written.name]
    else:
        known = [*METRICS, "TSE(AP)", "WC(AP)", "eta(AP)"]
        near = [written.name, *notation.TREC_EVAL]
        raise unknown_name("metric", text, known, near=near, advice=_NOT_A_METRIC)
    if written.parameters:
        metric = metric(**written.parameters)
    return metric if written.cutoff is None else metric @ written.cutoff
