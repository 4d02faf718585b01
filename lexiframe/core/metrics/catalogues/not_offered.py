"""Measures of other programs that are not offered here, each with the nearest one."""

from __future__ import annotations

import re

from lexiframe.core.base import errors
from lexiframe.core.metrics import notation

_JUDGES = (
    "it averages over several judges of one request; the nearest is {} of each judge's own qrels"
)
_SEVERAL = "it is a name for several measures; ask for each of them"
_DOCUMENTS = (
    "it counts pairs of documents; the nearest is bpref, and RPP, LR and LP compare the rankings "
    "of two runs"
)
_COSTS = "its documents differ in cost; the nearest is {}, where each costs the same"
_ALL_ITEMS = (
    "it needs a ranking of all items; the nearest is Accuracy(rel=1)@1000, the area under the ROC "
    "curve of the first 1000"
)
_NEAREST = {
    "runid": "it is no number; the name of a run is in the column run",
    "relstring": "it is no number; positions has the rank and the grade of each relevant item",
    "map_avgjg": _JUDGES.format("AP"),
    "P_avgjg": _JUDGES.format("P@k"),
    "Rprec_mult_avgjg": _JUDGES.format("Rprec_mult"),
    "unj": "it is 1 − Judged(denominator='k')@k",
    "rbp_resid": "the nearest is RBP_residual(p=0.9), with binary relevance",
    "ideal_dcg": "the nearest is DCG, which nDCG divides by that of the ideal ranking",
    **dict.fromkeys(("official", "all_trec", "set", "prefs", "all_prefs", "qrels_jg"), _SEVERAL),
    **dict.fromkeys(("auc", "roc_auc", "gauc"), _ALL_ITEMS),
    "main_score": "it is the measure that MTEB names for a task; write that, such as nDCG@10",
    "nauc": "it measures how well a model knows when to give no answer; there is nothing near it",
    "p-mrr": "it compares rankings before and after a change of instructions; use lexiframe.p_mrr",
    "11pt_avg": "its points are 0, 0.1 … 1; take the mean of IPrec@R over others",
    "TBG": _COSTS.format("RBP"),
    "U": _COSTS.format("linear(n=...)"),
    "IFT": "the nearest is INST, whose users also want a number of relevant documents",
}


def refuse_not_offered(text: str) -> None:
    """Raise for a measure of trec_eval, ir_measures or cwl_eval that is not offered.

    Examples
    --------
    >>> refuse_not_offered("prefs_simp")
    Traceback (most recent call last):
    lexiframe.UnknownNameError: 'prefs_simp' is not offered: it counts pairs of ...
    >>> refuse_not_offered("iprec_at_recall")
    Traceback (most recent call last):
    lexiframe.UnknownNameError: 'iprec_at_recall' needs its number: write ... IPrec@0.5
    """
    stem = re.sub(r"[_.@(][0-9(].*|(?<=nauc)_.*", "", text.strip())
    ours = notation.TREC_EVAL.get(text.strip(), "")
    if "{}" in ours:
        number = "0.5" if stem in ("iprec_at_recall", "Rprec_mult") else "10"
        raise errors.UnknownNameError(
            f"{text!r} needs its number: write {stem}_{number} or {ours.format(number)}"
        )
    known = _NEAREST.get(stem, _NEAREST.get(stem.casefold()))
    why = _DOCUMENTS if stem.startswith("prefs_") else known
    if why is not None:
        raise errors.UnknownNameError(f"{text!r} is not offered: {why}")
