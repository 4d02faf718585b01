"""Where libraries that compute measures of the same name disagree: the table of `conventions`."""

from __future__ import annotations

import polars as pl

from lexiframe import features
from lexiframe.core.base.feature import Items
from lexiframe.core.metrics.catalogues.described import Listing

_LIBRARIES = "trec_eval ir_measures ranx LensKit RecTools RePlay RecBole".split()
_NONE = "–"
_UNKNOWN = "not looked up"
_AS_TREC_EVAL = "as trec_eval"
_GREEDY = "greedy (ndeval)"
# A row ends where none of the further libraries has such a measure.
_ROWS = [
    ("nDCG", "gain", "grade", "nDCG(dcg='exp-log2')", "grade", "grade; dcg='exp-log2'",
     "grade; ndcg_burges: 2^g − 1", "1; gain='rating': grade", "1", "1", "1"),
    ("nDCG@k", "ideal", "cut off at k",
     "nDCG(ideal='full')@k; of k relevant items: DCG@k / Σ_{r≤k} 1/log2(r + 1)", "cut off at k",
     _AS_TREC_EVAL, "cut off at k", "cut off at k",
     "k relevant items; divide_by_achievable: cut off at k", "cut off at k", "cut off at k"),
    ("nDCG", "discount", "1/log2(rank + 1)", "GradedMetric", "1/log2(rank + 1)", _AS_TREC_EVAL,
     "1/log2(rank + 1)", "1/max(log2(rank), 1)", "1/log2(rank + 1)", "1/log2(rank + 1)",
     "1/log2(rank + 1)"),
    ("nDCG, ERR", "grades below rel", "no gain, with a warning", "no rel for these measures",
     "their gain, whatever -l says", "their gain", "no gain (-l2)"),
    ("AP@k", "denominator", "m", "AP(denominator='min')@k; AP(denominator='k')@k", "m",
     _AS_TREC_EVAL, "m", "min(m, length of the list)", "m; divide_by_k: k",
     "min(m, k), in early versions k", "min(m, k)"),
    ("R@k", "denominator", "m", "R(denominator='min')@k", "m", _AS_TREC_EVAL, "m", "min(m, k)", "m",
     "m", "m"),
    ("P@k", "denominator", "k", "relative_P@k: min(m, k)", "k", _AS_TREC_EVAL, "k",
     "length of the list", "k; r_precision: min(m, k)", "k", "k"),
    ("Success@k", "name", "Success@k", "BEIR: Accuracy@k", "success_k", "Success@k", "hit_rate@k",
     "Hit", "HitRate", "HitRate@k", "hit@k"),
    ("RBP", "persistence", "0.8", "RBP(p=0.5)", "0.9 (rbp, from 10 on)", "0.8", "has to be given",
     "0.85"),
    ("RBP", "gain", "1", "gRBP(max=4): grade/max",
     "1; of grades above 1 shares that its version 10 leaves undefined", "1 with rel=", "grade",
     "1"),
    ("ERR@k", "greatest grade", "4", "ERR(max=2)@k", _NONE, "4 (gdeval)"),
    ("bpref", "denominator", "min(m, N)", "bpref(denominator='m')", "min(m, N)", _AS_TREC_EVAL,
     "min(m, N)"),
    ("Judged@k", "denominator", "min(k, ñ)", "Judged(denominator='k')@k", _NONE, "min(k, ñ)"),
    ("Judged@k", "negative grade", "unjudged", _NONE, _NONE, "judged"),
    ("bpref", "no judged non-relevant item", "1 for each found", _NONE, "1 for each found",
     _AS_TREC_EVAL, "NaN"),
    ("alpha-nDCG@k", "ideal", _GREEDY, "alpha-nDCG(ideal='exact')@k", _NONE, _GREEDY),
    ("IPrec, 11pt_avg", "level at a share R", "nearest to R m", "IPrec(rounding='up')@R",
     "nearest to R m; ⌊R m + 0.9⌋ up to 9.0.8", "⌊R m + 0.9⌋; its objects here too"),
    ("SetF", "weight of recall", "beta", "SetF(beta=4): F_2", "beta", "beta"),
    ("gm_map", "value of a request", "ln max(AP, 10⁻⁵)", "aggregates: exp of the mean",
     "none; exp of the mean over all"),
    ("num_ret, num_rel, num_rel_ret", "over requests", "mean", "aggregates: sum", "sum", "sum",
     "mean (hits)"),
    ("Accuracy", "no relevant document found", "0", _NONE, _NONE, "left out of the mean"),
    ("Accuracy", "only relevant documents found", "1", _NONE, _NONE, "ZeroDivisionError"),
    ("Compat", "order of one grade in the ideal", "as in the ranking", _NONE, _NONE,
     "by score; 0 if not retrieved"),
    ("SDCG, BPM, INST, INSQ, NERR", "ranks that users see", "1000", "INST(depth=100)", _NONE,
     "1000 (cwl_eval)"),
    ("SDCG, BPM, INST, INSQ, NERR", "grade above max_rel", "an error", _NONE, _NONE, "as max_rel"),
    ("RR>AP", "two measures together", "the second where the first ties", "lex(RR,AP)"),
    ("all", "order of equal scores", "document id, descending", "positions(ties=...)",
     "document id, descending", "by provider", "not defined", "the order of the list",
     "the given rank", "item id, descending; integers by value", "not defined"),
    ("all", "scores compared as", "float64", "positions(score_type='float32')",
     "float64; float32 up to 9.0.8", "float32 (pytrec_eval)", "float64", "the order of the list",
     "the given rank", "the type of the column", "float32"),
    ("all", "requests without relevant items", "left out", "positions(no_relevant='zero')", "0",
     "0", "0", "NaN, of most", "left out", "left out; in dictionaries 0", _UNKNOWN),
    ("all", "requests without an answer", "0", _NONE, "left out; -c: 0", "0 in the mean",
     "an error; make_comparable: 0", _UNKNOWN, "0", "0", _UNKNOWN),
]  # fmt: skip


def all_conventions() -> pl.DataFrame:
    """Return the table of `conventions`.

    Examples
    --------
    >>> all_conventions().filter(measure="R@k").select("lexiframe", "LensKit").rows()
    [('m', 'min(m, k)')]
    """
    names = ["measure", "choice", "lexiframe", "other", *_LIBRARIES, "elsewhere"]
    rows = [[*row, *[_NONE] * (len(names) - len(row))] for row in _ROWS]
    if (of_lists := features.found(Items)) is not None:
        rows += [[row.get(name, _NONE) for name in names] for row in of_lists.conventions]
    return Listing(rows, schema=names, orient="row")
