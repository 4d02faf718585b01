"""Every error that the package raises says what it should, and has a case here or below a test.

Errors about the content of files are in io/test_malformed.py and io/test_sources.py, those about
arguments of orderings and tests in orderings/ and significance/; what is left is here, and
`test_every_raise_has_a_case` sees that nothing is forgotten.
"""

import ast
import re
from collections import Counter
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe import features, write_parquet, write_trec
from lexiframe.core.base.errors import n_and_first, nearest, unknown_name
from lexiframe.core.metrics.judged_items import items_of_ranked
from lexiframe.core.projection.policies import Policies
from lexiframe.core.projection.ranked_runs import rank_runs


class Sculptures:
    """A kind of things that no feature offers."""


RUNS = pl.DataFrame({"run": "bm25", "query_id": "q1", "doc_id": ["a", "b"], "score": [2.0, 1.0]})
QRELS = pl.DataFrame({"query_id": "q1", "doc_id": ["b", "c"], "relevance": [1.0, 2.0]})
GRADED = QRELS.with_columns(pl.col("relevance") + 1)
TWO_RUNS = pl.concat([RUNS, RUNS.with_columns(run=pl.lit("bm26"))])
P = lf.positions(RUNS, QRELS)
NOT_RELEVANT = pl.DataFrame({"query_id": "q1", "doc_id": ["a"], "relevance": [0.0]})
JUDGED = lf.positions(RUNS, pl.concat([QRELS, NOT_RELEVANT]), judged=True)
BOTH = pl.concat([P, P.with_columns(run=pl.lit("bm26"))])
EMPTY_REQUEST = P[:1].with_columns(
    query_id=pl.lit("z"),
    position=pl.lit(None, pl.Int64),
    level=pl.lit(None, pl.Int64),
    n_relevant=pl.lit(0, pl.Int64),
)
MANY = lf.positions({"a": {"q": {"0": 1}}}, {"q": {str(n): 1 for n in range(16)}})
SUBTOPICS = QRELS.with_columns(iteration=pl.lit("s"))
BY_SUBTOPIC = lf.positions(TWO_RUNS, SUBTOPICS, subtopics=True)
THREE = pl.concat([P.with_columns(run=pl.lit(run)) for run in "abc"])


LONG = pl.concat(
    pl.DataFrame({"run": run, "query_id": "q", "doc_id": list("abcdefg"), "relevance": 1.0})
    .with_columns(position=pl.Series([first, *range(3, 9)]), level=pl.int_range(1, pl.len() + 1))
    .with_columns(n_relevant=pl.lit(7), n_retrieved=pl.lit(10))
    for run, first in {"early": 1, "late": 2}.items()
)


def matrix_of(p):
    return np.zeros((len(p), len(p)))


def own(function):
    return lf.MatrixPreference("own", function)


def scores(*measures):
    return lf.scores(P, list(measures))


def mine(**functions):
    return lf.RecallLevelMetric("mine", **{"exposure": lambda p: 1 / p, **functions})


def many_kinds_of_documents():
    """Each serves another three of ten subtopics."""
    rows = [(f"d{n}", t) for n, three in enumerate(combinations("abcdefghij", 3)) for t in three]
    qrels = pl.DataFrame(rows, schema=["doc_id", "subtopic"], orient="row")
    qrels = qrels.with_columns(query_id=pl.lit("q1"), relevance=1.0)
    return lf.positions(RUNS.with_columns(doc_id=pl.Series(["d1", "d2"])), qrels, subtopics=True)


CASES = {
    # reading
    "third": (
        lambda: lf.read_runs(RUNS, third="grade"),
        "third: expected one of None, 'rank', 'score', found",
    ),
    "decimal": (
        lambda: lf.read_qrels(QRELS, decimal=";"),
        "decimal: expected one of '.', ',', found ';'",
    ),
    # measures: notation
    "no notation": (lambda: scores("AP@"), "a measure is written as NAME, NAME@CUTOFF or NAME"),
    "no notation at all": (lambda: scores(""), "found ''"),
    "no closing": (lambda: scores("TSE(AP"), "found 'TSE(AP'"),
    "underscore": (lambda: scores("AP(rel=1_0)"), "of 'AP(rel=1_0)', found 'rel=1_0'"),
    "hexadecimal": (lambda: scores("AP(rel=-0x1)"), "of 'AP(rel=-0x1)', found 'rel=-0x1'"),
    "digits of another script": (lambda: scores("P@١"), "a measure is written as NAME, NAME@CU"),
    "no number": (
        lambda: scores("AP(rel=x)"),
        "AP(rel='x'): expected a positive grade",
    ),
    "no value": (
        lambda: scores("AP(rel=[)"),
        "expected parameter=number or parameter='word' inside the parentheses of 'AP(rel=[)'",
    ),
    "a cut-off in parentheses": (
        lambda: scores("P(@5)"),
        "'P(@5)' is no measure; a cut-off stands behind @: write P@5",
    ),
    "unknown": (lambda: scores("nDGC"), "unknown metric 'nDGC'; did you mean nDCG"),
    "unknown with a cut-off": (lambda: scores("nDGC@10"), "'nDGC@10'; did you mean nDCG"),
    "unknown with a parameter": (lambda: scores("RPB(p=0.5)"), "did you mean RBP"),
    "unknown to trec_eval": (lambda: scores("ndgc_cut_10"), "did you mean"),
    "a preference is no metric": (
        lambda: scores("RPP"),
        "did you mean RBP? Preferences such as RPP and LR go to lexiframe.preferences",
    ),
    "unknown preference": (lambda: lf.preferences(BOTH, "RRP"), "did you mean"),
    "cut-off of a preference": (
        lambda: lf.parse_measure("RPP@0"),
        "RPP@k: expected a whole number",
    ),
    "parameter of a preference": (lambda: lf.parse_measure("LR(p=2)"), "Known: LR, LR(rel=2)"),
    "operand of a preference": (lambda: lf.parse_measure("LR(AP)"), "unknown measure 'LR(AP)'"),
    "operand of a metric": (lambda: lf.parse_measure("RR(AP)"), "unknown metric 'RR(AP)'"),
    # measures: parameters
    "cut-off 0": (lambda: lf.AP @ 0, "AP@k: expected a whole number from 1, found 0"),
    "cut-off 2.5": (lambda: lf.nDCG @ 2.5, "nDCG@k: expected a whole number from 1, found 2.5"),
    "parameter": (
        lambda: lf.RBP(gamma=0.5),
        "RBP has no parameter 'gamma'; its parameters are rel, p",
    ),
    "parameter left out": (lambda: scores(lf.linear), "linear needs its n: write linear(n=...)"),
    "cut-off left out": (lambda: scores("P"), "P needs its cutoff: write P@10"),
    "no grade": (lambda: lf.AP(rel=-1), "AP(rel=-1): expected a positive grade"),
    "no grade of a preference": (
        lambda: lf.parse_measure("LR(rel=0)"),
        "expected a positive grade",
    ),
    "text for a number": (lambda: scores("RBP(p='a')"), "RBP"),
    "text for a grade": (lambda: scores("AP(rel='a')"), "rel"),
    "text for a grade of a preference": (lambda: lf.parse_measure("LR(rel='a')"), "rel"),
    "gain": (
        lambda: scores(lf.nDCG(dcg="exp")),
        "nDCG(dcg='exp'): expected 'log2' or 'exp-log2'",
    ),
    "cut-off inside TSE": (
        lambda: lf.TSE(lf.AP @ 10),
        "TSE(AP@10): write the cut-off behind the parentheses, TSE(AP)@10",
    ),
    # measures: several, and of one's own
    "two of one name": (
        lambda: scores(mine(weight=lambda i, m: 1 / m), mine(weight=lambda i, m: i)),
        "two different measures are named mine; rename one",
    ),
    "none": (lambda: scores(), "measures: expected at least one, found none"),
    "no preferences": (lambda: lf.preferences(BOTH, []), "measures: expected at least one"),
    "infinite": (
        lambda: scores(mine(weight=lambda i, m: 1 / (i - 1))),
        "mine: expected finite numbers, found inf; check its exposure and weight",
    ),
    "direction": (
        lambda: lf.LexicographicPreference("mine", "both"),
        "mine: expected direction to be one of 'precision', 'recall', found 'both'",
    ),
    "negative weight": (
        lambda: lf.preferences(BOTH, lf.LevelPreference("mine", weight=lambda i, m: 1 - i)),
        "mine: expected finite weights of 0 or more, not all 0, found ",
    ),
    # positions and preferences
    "ties": (
        lambda: lf.positions(RUNS, QRELS, ties="random"),
        "ties: expected one of 'doc_id_desc', 'doc_id_asc', 'input', 'rank', 'expected', found",
    ),
    "score type": (
        lambda: lf.positions(RUNS, QRELS, score_type="float16"),
        "score_type: expected one of 'float64', 'float32', found 'float16'",
    ),
    "duplicates": (
        lambda: lf.coverage(RUNS, QRELS, duplicates="worst"),
        "duplicates: expected one of 'error', 'best', found 'worst'",
    ),
    "unjudged": (
        lambda: lf.positions(RUNS, QRELS, unjudged="drop"),
        "unjudged: expected one of 'keep', 'remove', found 'drop'",
    ),
    "no_relevant": (
        lambda: lf.positions(RUNS, QRELS, no_relevant="keep"),
        "no_relevant: expected one of 'drop', 'zero', found 'keep'",
    ),
    "no_relevant of scores": (
        lambda: lf.scores(P, "AP", no_relevant="keep"),
        "no_relevant: expected one of 'drop', 'zero', found 'keep'",
    ),
    "no_relevant of preferences": (
        lambda: lf.preferences(BOTH, "RPP", no_relevant="keep"),
        "no_relevant: expected one of 'drop', 'zero', found 'keep'",
    ),
    "rel": (lambda: lf.positions(RUNS, QRELS, rel=0), "rel: expected a positive grade, found 0"),
    "a cut-off where none is": (lambda: scores("bpref@10"), "bpref has no cut-off, found bpref@10"),
    "out of range": (lambda: scores("RBP(p=2)"), "RBP(p=2): expected a number above 0 and below 1"),
    "level 0": (lambda: scores("RR(level=0)"), "RR(level=0): expected a whole number from 1"),
    "corpus size": (lambda: scores("ASL(n=0)"), "expected a whole number from 1, or 'pool'"),
    "grades above the greatest": (
        lambda: scores(lf.ERR(max=1)),
        "expected grades up to 1, found 2; give the greatest possible grade: ERR(max=2)",
    ),
    "no exposure": (lambda: lf.TSE(lf.bpref), "TSE(bpref): expected a metric with an exposure"),
    "a length in TSE": (lambda: lf.TSE(lf.ISL), "TSE(ISL): expected a metric with an exposure"),
    "worst case of bpref": (lambda: lf.WC("bpref"), "WC(bpref): expected a recall-level or graded"),
    "too many subsets": (
        lambda: lf.scores(MANY, "WC(AP)"),
        "found 16 for query 'q'; the worst case of a top-heavy measure, such as AP, is TSE",
    ),
    "no judged items to explain": (
        lambda: lf.explain(BOTH, "q1", "bm25", "bm26", "bpref"),
        "bpref: needs the judged items that are not relevant, and the positions have none",
    ),
    "twice": (lambda: scores("RBP(p=0.5, p=0.6)"), "p is given twice in 'RBP(p=0.5, p=0.6)'"),
    "outside": (
        lambda: scores("TSE(RBP(p=0.5), p=0.9)"),
        "TSE(RBP(p=0.5)): write its parameters inside, with its measure: TSE(RBP(p=...",
    ),
    "an exposure without a name": (
        lambda: lf.TSE(lambda p: 1 / p),
        "TSE: expected a function with a name; give one: TSE(..., 'mine')",
    ),
    "subtopics in TSE": (lambda: lf.TSE("strec"), "TSE(strec): expected a metric with an exposure"),
    "subtopics in WC": (
        lambda: lf.WC("strec"),
        "WC(strec): expected a recall-level or graded metric",
    ),
    "a chance above 1": (
        lambda: scores(lf.CascadeMetric("sure", lambda p: 1 / p, stop=lambda y: y + 2)),
        "sure: expected stop to give probabilities from 0 to 1, found 3.0",
    ),
    "infinite grade": (lambda: lf.AP(rel=float("inf")), "AP(rel=inf): expected a positive grade"),
    "a cut-off of a whole": (
        lambda: scores("WC(AP)@3"),
        "WC(AP) has no cut-off, found WC(AP)@3; write it inside: WC(AP@3)",
    ),
    "too great": (lambda: scores(f"AP@1{40 * '0'}"), "AP@k: expected a whole number from 1, found"),
    "corpus too great": (
        lambda: scores("ASL(n=1e400)"),
        "expected a whole number from 1, or 'pool'",
    ),
    "too small a corpus": (
        lambda: lf.scores(P, "TSL(n=1)"),
        "impute: a corpus of 1 is too small",
    ),
    "judged items of some": (
        lambda: lf.scores(JUDGED.filter(pl.col("doc_id") != "a"), "bpref"),
        (
            "bpref: needs all judged items, expected 3 of query 'q1' for run 'bm25', found 2 "
            "(1 such rankings); runs and requests can be left out only as a whole"
        ),
    ),
    "judged items after imputation": (
        lambda: lf.scores(lf.impute(JUDGED, 10), "bpref"),
        "bpref: expected the ranks that runs gave, found imputed ones (corpus_size)",
    ),
    "what was found after imputation": (
        lambda: lf.scores(lf.impute(JUDGED, 10), "num_rel_ret"),
        "num_rel_ret: expected the ranks that runs gave, found imputed ones (corpus_size)",
    ),
    "a lower rel than that of the positions": (
        lambda: lf.scores(lf.positions(RUNS, GRADED, rel=2), "AP(rel=1)"),
        "AP(rel=1) counts grades from 1, but rel=2 removes lower grades; leave rel out, or raise",
    ),
    "a lower rel to compare by": (
        lambda: lf.preferences(lf.positions(TWO_RUNS, GRADED, rel=2), ["RPP", "LR(rel=1.5)"]),
        "LR(rel=1.5) counts grades from 1.5, but rel=2 removes lower grades",
    ),
    "a lower rel to explain": (
        lambda: lf.explain(
            lf.positions(TWO_RUNS, GRADED, rel=2), "q1", "bm25", "bm26", "RPP(rel=1)"
        ),
        "RPP(rel=1) counts grades from 1, but rel=2 removes lower grades",
    ),
    "positions of several rel": (
        lambda: lf.scores(
            pl.concat(
                lf.positions({run: RUNS.drop("run")}, GRADED, rel=rel)
                for run, rel in {"a": 1, "b": 2}.items()
            ),
            "AP",
        ),
        "positions: expected one rel in all rows, found several; compute the positions of all runs",
    ),
    "ranks of the relevant items alone": (
        lambda: items_of_ranked(rank_runs(RUNS, QRELS, Policies()), pl.Series(["q1"])),
        "expected the ranks of all judged items, found those of the relevant ones alone",
    ),
    "no judged items": (
        lambda: scores("bpref"),
        "bpref: needs the judged items that are not relevant, and the positions have none",
    ),
    "no ranks": (
        lambda: scores("ASL"),
        "ASL: needs the ranks of items that were not retrieved: make the positions with pool=True",
    ),
    "rel as text": (
        lambda: lf.positions(RUNS, QRELS, rel="2"),
        "rel to be a number or a dictionary {name: value} or None, found a str: '2'",
    ),
    "nothing relevant": (
        lambda: lf.positions(RUNS, QRELS.with_columns(pl.col("relevance") * -1)),
        "qrels: expected some documents with a positive grade, found -1 as the greatest grade",
    ),
    "nothing of that grade": (
        lambda: lf.positions(RUNS, QRELS, rel=3),
        "qrels: expected some documents with a grade of 3 or more, found 2 as the greatest grade",
    ),
    "no runs": (
        lambda: lf.positions(RUNS.clear(), QRELS),
        "runs: expected the rows of a ranking, found no rows",
    ),
    "magnitude": (
        lambda: lf.preferences(
            BOTH, lf.LexicographicPreference("mine", "precision", magnitude=lambda p: 1 / (p - p))
        ),
        "mine: expected finite numbers as magnitude, found inf",
    ),
    "a grade that no item has": (
        lambda: lf.preferences(BOTH, "RPP(rel=9)"),
        "RPP(rel=9): expected some items with a grade of 9 or more, found none",
    ),
    "gaps": (
        lambda: lf.order_runs(lf.preferences(THREE, "RPP").filter(pl.col("run_a") != "b")),
        "order_runs: RPP lacks preferences between 1 pair of runs ('b' and 'c' first)",
    ),
    "orderings twice": (
        lambda: lf.rank_correlations(pl.concat([lf.order_runs(lf.preferences(BOTH, "RPP"))] * 2)),
        "orderings: expected one row for each measure, method, run, found several",
    ),
    "comparisons twice": (
        lambda: lf.discriminative_power(pl.concat([lf.compare(lf.preferences(BOTH, "RPP"))] * 2)),
        "comparisons: expected one row for each measure, test, correction, run_a, run_b, found sev",
    ),
    "a feature that was taken away": (
        lambda: features.needed(Sculptures, "plot"),
        "plot: this copy of lexiframe lacks a feature, sculptures; install the whole package",
    ),
    "other judgments": (
        lambda: lf.preferences(BOTH.with_columns(relevance=pl.int_range(pl.len()) + 1.0), "RPP"),
        "positions: expected the same relevant items for every run, found others; compute the pos",
    ),
    "a request that a run lacks": (
        lambda: lf.preferences(pl.concat([BOTH, EMPTY_REQUEST]), "RPP"),
        "positions: expected rows of every run for every request, and some are missing",
    ),
    "no judgments": (
        lambda: lf.positions(RUNS, QRELS.clear()),
        "qrels: expected judgments, found no rows",
    ),
    "a corpus of another kind": (
        lambda: lf.impute(BOTH, 10.5),
        "impute: expected corpus_size to be a whole number or text, found a float: 10.5",
    ),
    "a run that names no file": (
        lambda: write_trec(RUNS.with_columns(run=pl.lit("../up")), TESTS / "x.trec"),
        "the run '../up' cannot name a file; rename it",
    ),
    "no rows": (
        lambda: lf.read_runs(RUNS.clear()),
        "runs: expected the rows of a ranking, found no rows",
    ),
    "a folder in the place of a file": (
        lambda: write_parquet(RUNS, TESTS),
        "cannot be written, because it is a folder; choose a file",
    ),
    "text with a space in it": (
        lambda: write_trec(RUNS.with_columns(doc_id=pl.lit("two words")), TESTS / "x.trec"),
        "TREC text cannot hold 'two words' as doc_id: ids must not be empty",
    ),
    "no score": (
        lambda: lf.positions(RUNS.with_columns(score=pl.Series([1.0, None])), QRELS),
        "found none in 1 (row 2 first, query 'q1', document 'b')",
    ),
    "one run": (
        lambda: lf.preferences(P, "RPP"),
        "preferences: expected at least two runs, found 1 (bm25)",
    ),
    "one run to interleave": (
        lambda: lf.interleaving(RUNS, QRELS),
        "interleaving: expected at least two runs, found 1 (bm25)",
    ),
    "user": (
        lambda: lf.interleaving("no.run", "no.qrels", user="DCG"),
        "interleaving: expected user to be one of 'uniform', 'dcg', 'rank', found 'DCG'",
    ),
    "interleaving is no preference of positions": (
        lambda: lf.parse_measure("OI"),
        "'OI' needs runs instead of positions: compute it with lexiframe.interleaving(runs,",
    ),
    "interleaving with a user": (
        lambda: lf.preferences(BOTH, ["RPP", "OI(user=dcg)"]),
        "'OI(user=dcg)' needs runs instead of positions",
    ),
    "a row too few": (
        lambda: lf.preferences(BOTH[:-1], "RPP"),
        "positions: expected 4 rows, one for every run, request and relevant item, found 3",
    ),
    "a row twice": (
        lambda: lf.preferences(BOTH[[0, 0, 2, 3]], "RPP"),
        "positions: expected 4 rows, one for every run, request and relevant item, found 4",
    ),
    # subtopics
    "metrics of positions by subtopic": (
        lambda: lf.scores(BY_SUBTOPIC, ["AP", "strec@5", "RR"]),
        "AP, RR: expected positions without the column subtopic, found it; make them with positio",
    ),
    "preferences of positions by subtopic": (
        lambda: lf.preferences(BY_SUBTOPIC, ["ST-RPP", "RPP", "LR"]),
        "column subtopic, found it; make them with positions(..., subtopics=False)",
    ),
    "subtopic metrics without subtopics": (
        lambda: lf.scores(BOTH, ["alpha_nDCG@10", "AP"]),
        "alpha-nDCG@10: expected positions by subtopic, found no column subtopic; make them with ",
    ),
    "subtopic preferences without subtopics": (
        lambda: lf.preferences(BOTH, lf.ST_RPP),
        "positions by subtopic, found no column subtopic; make them with positions(..., subtopics",
    ),
    "imputation by subtopic": (
        lambda: lf.impute(BY_SUBTOPIC, 100),
        "impute: positions by subtopic would give one document several ranks; impute those of",
    ),
    "a probability": (
        lambda: lf.alpha_nDCG(alpha=1.5),
        "alpha-nDCG(alpha=1.5): expected a number from 0 to 1",
    ),
    "an ideal": (
        lambda: scores("nNRBP(ideal='best')"),
        "nNRBP(ideal='best'): expected 'greedy' or 'exact'",
    ),
    "subtopic measure without a cut-off": (
        lambda: lf.scores(BY_SUBTOPIC, lf.ERR_IA),
        "ERR-IA needs its cutoff: write ERR-IA@20",
    ),
    "subtopic precision without a cut-off": (
        lambda: lf.scores(BY_SUBTOPIC, "P-IA"),
        "P-IA needs its cutoff: write P-IA@10",
    ),
    "a grade that no item of a subtopic has": (
        lambda: lf.scores(BY_SUBTOPIC, "MAP-IA(rel=9)"),
        "MAP-IA(rel=9): expected some items with a grade of 9 or more, found none",
    ),
    "too many kinds of documents": (
        lambda: lf.scores(many_kinds_of_documents(), "alpha-nDCG(ideal='exact')@20"),
        "query 'q1' serve its subtopics in 120 different ways, too many to try all orders; lower ",
    ),
    # imputation
    "how": (
        lambda: lf.impute(P, 10, how="random"),
        "impute: expected how to be one of 'pessimistic', 'optimistic', found 'random'",
    ),
    "pool": (
        lambda: lf.impute(P, "pool"),
        "impute: corpus_size='pool' needs the column pool_size; make it with positions(..., pool",
    ),
    "corpus": (
        lambda: lf.impute(P, 2),
        "impute: a corpus of 2 is too small: run 'bm25' retrieved 2 items for query 'q1'",
    ),
    # tables and what is bundled
    "no frame": (
        lambda: lf.scores({"run": ["a"]}, "AP"),
        "expected a frame that exports Arrow (Polars, PyArrow, pandas 2.2 or later), found dict",
    ),
    "column": (
        lambda: lf.scores(P.drop("level", "position"), "AP"),
        "level, n_relevant, n_retrieved; position, level are missing (found: run, query_id, doc_",
    ),
    "no strings": (
        lambda: lf.scores(P.with_columns(run=1.5), "AP"),
        "positions: expected strings in run, found Float64",
    ),
    "no numbers": (
        lambda: lf.scores(P.with_columns(level=pl.lit("x")), "AP"),
        "positions: expected Int64 in level, found 2 ('x', 'x')",
    ),
    "no key": (
        lambda: lf.scores(P.with_columns(query_id=pl.lit(None, pl.String)), "AP"),
        "positions: the column query_id is part of the key, but 2 rows have no value in it",
    ),
    "bundled": (
        lambda: lf.bundled("letters"),
        "there is no bundled collection 'letters'; expected digits, example, leaderboard or votes",
    ),
    # preferences of one's own
    "a lambda": (
        lambda: lf.preferences(BOTH, lambda p: p),
        "write lexiframe.MatrixPreference('name', function)",
    ),
    "a function without a name": (
        lambda: lf.preferences(BOTH, partial(matrix_of, "x")),
        "expected a function with a name of its own, found functools.partial(",
    ),
    "another shape": (
        lambda: lf.preferences(BOTH, own(lambda p: p[:1])),
        (
            "own: expected an antisymmetric array of 2 × 2 finite numbers, one row for each run, "
            "found the shape (1, 2)"
        ),
    ),
    "no array": (
        lambda: lf.preferences(BOTH, own(lambda p: "ab")),
        "own: expected an antisymmetric array of 2 × 2 finite numbers, found str",
    ),
    "rows of several lengths": (
        lambda: lf.preferences(BOTH, own(lambda p: [[0, 1], [2]])),
        "finite numbers, found list",
    ),
    "nothing": (lambda: lf.preferences(BOTH, own(lambda p: None)), "found the shape ()"),
    "not finite": (
        lambda: lf.preferences(BOTH, own(lambda p: np.full((2, 2), np.nan))),
        "found nan; the position of an item that was not retrieved is infinite",
    ),
    "not antisymmetric": (
        lambda: lf.preferences(BOTH, own(lambda p: np.array([[0, 2], [1, 0]]))),
        "found 2 for runs 0 and 1 (from 0), and 1 the other way round; subtract its transpose",
    ),
    "a run that is preferred to itself": (
        lambda: lf.preferences(BOTH, own(lambda p: np.eye(2))),
        "found 1 for runs 0 and 0 (from 0), and 1 the other way round",
    ),
    "grade of ones own": (lambda: own(matrix_of)(rel=0), "own(rel=0): expected a positive grade"),
    # explanations
    "unknown query": (
        lambda: lf.explain(BOTH, "Q1", "bm25", "bm26"),
        "unknown query 'Q1'; did you mean q1? Known: q1",
    ),
    "unknown run": (
        lambda: lf.explain(BOTH, "q1", "bm25", "bm2"),
        "unknown run 'bm2'; did you mean bm25 or bm26? Known: bm25, bm26",
    ),
    "unknown measure": (
        lambda: lf.explain(BOTH, "q1", "bm25", "bm26", "RRP"),
        "unknown measure 'RRP'; did you mean",
    ),
    "no sum": (
        lambda: lf.explain(BOTH, "q1", "bm25", "bm26", ["RPP", "LR.rank"]),
        "LR.rank is not a sum over recall levels or relevant items; ask for",
    ),
    "no sum of ones own": (
        lambda: lf.explain(BOTH, "q1", "bm25", "bm26", own(matrix_of)),
        "explain: own is a function of whole rankings, and has no terms",
    ),
    "a grade that the request has not": (
        lambda: lf.explain(BOTH, "q1", "bm25", "bm26", "LR(rel=3)"),
        "explain: LR(rel=3) counts grades from 3, and the greatest one of this request is 2",
    ),
    "a measure with the name of a column": (
        lambda: lf.explain(
            BOTH, "q1", "bm25", "bm26", lf.LevelPreference("sign", weight=lambda i, m: 1)
        ),
        "explain: sign would give a second column 'sign'; rename it",
    ),
    # metrics by lexicographic order
    "no size of the corpus": (
        lambda: scores("LR.metric"),
        "LR.metric needs its n: write LR.metric(n=1000)",
    ),
    "a corpus that is no whole number": (
        lambda: scores(lf.LR.metric(n=10.5)),
        "LR.metric(n=10.5): expected a whole number from 1",
    ),
    "a corpus that is too small": (
        lambda: scores(lf.LR.metric(n=2)),
        "impute: a corpus of 2 is too small",
    ),
    "what float64 merges": (
        lambda: lf.scores(LONG, lf.LR(rel=1).metric(n=1000)),
        (
            "LR.metric(n=1000, rel=1): expected different values for different rankings, but in "
            "float64 those of 'early' and 'late' for query 'q' tie: they differ by 1e-12 or less; "
            "use the ranks of the rankings, LR.rank"
        ),
    ),
    "TSE of a rank": (
        lambda: scores("TSE(LR.rank)"),
        "TSE(LR.rank): expected a metric with an exposure",
    ),
    "metric lexiprecision": (
        lambda: lf.LP.metric(n=1000),
        (
            "LP: only lexirecall, whose last level decides, has a metric; take the ranks of the "
            "rankings, LP.rank"
        ),
    ),
    "rank of sizes": (
        lambda: lf.rrLP.rank,
        "rrLP: a preference with a magnitude has no rank; take that of LR or LP, which have signs",
    ),
    "metric of sizes": (
        lambda: lf.rrLR.metric(n=1000),
        "rrLR: a preference with a magnitude has no metric; take that of LR or LP",
    ),
    # evaluation
    "lower rel": (
        lambda: lf.evaluate(RUNS, QRELS, ["RPP", "AP(rel=1)"], rel=2),
        "AP(rel=1) counts grades from 1, but rel=2 removes lower grades; leave rel out, or raise",
    ),
    "order": (lambda: lf.evaluate(TWO_RUNS, QRELS, "AP", order="best"), "order"),
    "test": (lambda: lf.evaluate(TWO_RUNS, QRELS, "AP", test="best"), "test"),
    "correction": (lambda: lf.evaluate(TWO_RUNS, QRELS, "AP", correction="best"), "correction"),
    "a measure without values": (lambda: lf.evaluate(RUNS, QRELS, "AP(rel=9)"), "AP(rel=9)"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_message(case):
    function, message = CASES[case]
    expected = TypeError if case == "no frame" else lf.LexiframeError
    with pytest.raises(expected, match=re.escape(message)):
        function()


def test_errors_are_value_errors_of_three_kinds():
    assert issubclass(lf.LexiframeError, ValueError)
    for kind in (lf.ReadError, lf.SchemaError, lf.UnknownNameError):
        assert issubclass(kind, lf.LexiframeError)
    assert not issubclass(lf.LexiframeWarning, lf.LexiframeError)


def test_near_matches_ignore_case_and_may_be_none():
    assert "did you mean nDCG?" in str(unknown_name("measure", "NDCG", ["AP", "nDCG"]))
    assert "did you mean AP or RAP?" in str(unknown_name("run", "ap", ["RAP", "AP"]))
    assert str(unknown_name("run", "zzz", ["a", "b"])) == "unknown run 'zzz'. Known: a, b"


def test_of_many_names_twelve_are_listed():
    names = [f"q{n:03}" for n in range(101)]
    message = str(unknown_name("query", "q7", names))
    assert message == "unknown query 'q7'; did you mean q007 or q017 or q027?"
    assert str(unknown_name("query", "q7", names[:9])).endswith("q006, q007, q008")
    message = str(unknown_name("query", "xyz", names))
    assert message.endswith(
        "Known: " + ", ".join(f"q{n:03}" for n in range(12)) + ", ... (101 in all)"
    )


def test_names_with_a_word_inside_come_behind_those_spelled_alike():
    assert "did you mean bm25_stemmed?" in str(unknown_name("run", "BM25", ["bm25_stemmed", "ql"]))
    runs = [f"run{n:02}" for n in range(30)]
    assert "did you mean run02 or run12 or run20?" in str(unknown_name("run", "run2", runs))
    assert "did you mean run-2 or run02?" in str(unknown_name("run", "run2", ["run02", "run-2"]))
    assert "did you mean Run 3 or" in str(unknown_name("run", "run03", ["run04", "run13", "Run 3"]))
    assert "mean bm25_2 or bm25_3" in str(unknown_name("run", "bn25_2", ["bm25_3", "bm25_2"]))
    assert nearest(["my_score", "Scores", "x"], ["score"]) == ["Scores", "my_score"]
    assert nearest(["q0", "aq"], ["q"], cutoff=0.7) == []
    assert nearest([], ["q"]) == nearest(["q"], []) == []


def test_the_first_three_of_many():
    assert n_and_first(["a"]) == "1 ('a')"
    assert n_and_first(iter("abc")) == "3 ('a', 'b', 'c')"
    assert n_and_first("abcd") == "4 ('a', 'b', 'c', ...)"


# --- Every raise has a case ---------------------------------------------------------------------

PACKAGE = Path(lf.__file__).parent
TESTS = Path(__file__).parents[2]
SOME_WORDS = 16  # characters of a message that a test has to ask for


def strings(node):
    return [
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def raises():
    """For each error, where it is made and every stretch of the constant parts of its message.

    Errors whose message is put together elsewhere have none here.
    """
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            function = getattr(node, "func", None)
            called = getattr(function, "id", "") or getattr(function, "attr", "")
            pieces = strings(node.args[0]) if called and node.args else []
            if called == "unknown_name" and pieces:
                pieces = [f"unknown {pieces[0]} '"]
            if pieces and (called.endswith("Error") or called == "unknown_name"):
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", stretches(pieces)


def stretches(pieces):
    length = min(SOME_WORDS, max(map(len, pieces)))
    return {p[n : n + length] for p in pieces for n in range(len(p) - length + 1)}


def test_every_raise_has_a_case():
    """Some words of its message, and of no other's, are in a string of the tests."""
    found = dict(raises())
    assert len(found) > 60
    shared = Counter(words for message in found.values() for words in message)
    asked = [text for file in TESTS.rglob("*.py") for text in strings(ast.parse(file.read_text()))]
    text = "\n".join(asked).replace("\\", "")
    forgotten = [
        where
        for where, message in found.items()
        if not any(w in text for w in message if shared[w] == min(map(shared.get, message)))
    ]
    assert not forgotten, forgotten


@pytest.mark.parametrize("function", [lf.scores, lf.preferences, lambda p, m: lf.evaluate(p, p, m)])
def test_measures_of_another_type(function):
    with pytest.raises(TypeError, match="or their notation, found int: 3"):
        function(BOTH, [3])


def test_a_preference_given_to_scores():
    with pytest.raises(TypeError, match="expected metrics or their notation, found LevelPref"):
        lf.scores(BOTH, lf.RPP)
    with pytest.raises(TypeError, match="expected measures or their notation, found int"):
        lf.preferences(BOTH, 3)


LONG_TEXTS = [
    f"nDCG@{'9' * 400}",
    f"nDCG@{'9' * 5000}",
    f"P(rel={'9' * 400})@5",
    f"RBP(p={'9' * 5000})",
    f"RBP(p={'-' * 5000}1)",
    f"RBP(p={'[' * 5000}{']' * 5000})",
    f"{'TSE(' * 5000}AP{')' * 5000}",
    f"{'WC(' * 100}AP{')' * 100}",
    f"map_{'1' * 5000}",
    "x" * 10**6,
]


@pytest.mark.parametrize("text", LONG_TEXTS, ids=lambda text: text[:9])
def test_notation_of_great_length(text):
    """Digits that Python does not read, brackets deeper than its stack: one short message."""
    for function in (lf.scores, lf.preferences):
        with pytest.raises(
            lf.UnknownNameError, match="written in at most 200 characters"
        ) as raised:
            function(BOTH, text)
        assert len(str(raised.value)) < 200


def test_blanks_in_notation():
    blanks = " " * 10**5
    assert scores(f"{blanks}P{blanks}(rel=1){blanks}@{blanks}5{blanks}").equals(
        scores("P(rel=1)@5")
    )
    with pytest.raises(lf.UnknownNameError, match="a measure is written as NAME"):
        scores(f"P{blanks}@{blanks}x")


@pytest.mark.parametrize("number", [10**400, 10**5000, [1], {}, 1j, "9" * 400], ids=lambda n: "")
def test_numbers_that_are_none_or_too_great(number):
    """Also those that Python cannot write."""
    for ask, message in {
        lambda: lf.nDCG @ number: "nDCG@k: expected a whole number from 1, found ",
        lambda: lf.P(rel=number): "expected a positive grade",
        lambda: lf.LR(rel=number): "expected a positive grade",
        lambda: lf.RBP(p=number): "expected a number above 0 and below 1",
        lambda: lf.ASL(n=number): "expected a whole number from 1, or 'pool'",
        lambda: lf.positions(RUNS, QRELS, rel=number): "expected (rel to be|one value for one)"
        if not isinstance(number, int)
        else "rel: expected a positive grade, found ",
    }.items():
        with pytest.raises(lf.LexiframeError, match=message) as raised:
            ask()
        assert len(str(raised.value)) < 200
    few, whole = r"compare: expected trials below 2\^62, found ", "trials to be a whole number"
    with pytest.raises(lf.LexiframeError, match=few if isinstance(number, int) else whole):
        lf.compare(lf.scores(BOTH, "AP"), "randomization", trials=number)


def test_a_metric_that_is_neither_one_nor_text():
    providers = pl.DataFrame({"doc_id": ["a"], "provider": ["x"]})
    with pytest.raises(TypeError, match="expected a metric or its notation, found float"):
        lf.provider_exposure(BOTH, providers, 0.5)


def test_numbers_of_which_memory_cannot_hold_what_they_ask_for():
    """Said before the work, and at once."""
    for ask, message in {
        lambda: lf.simulate_collection(requests=10**11): "100,000,000,000 requests × 1 runs",
        lambda: lf.simulate_collection(subtopics=10**12): "need about .* GB of memory",
        lambda: lf.theory.orientation("AP", n=10**15, m=10**14): "arrays of 100,000,000,000,000 n",
        lambda: lf.theory.simulate_agreement("AP", n=10**15, m=10**14): "arrays of .* numbers need",
        lambda: lf.theory.tie_probability("TSE", n=10**15, m=3): "tie_probability: arrays of",
        lambda: lf.theory.optimal_worst_case("AP", m=10**6): "optimal_worst_case: arrays of",
        lambda: lf.theory.axioms("AP", n=10**15, m=10**6): "or more",
        lambda: lf.theory.distinct_values("LR", 10**15, 10**14): "has too many digits",
        lambda: lf.theory.order("AP", n=10**30, m=3): r"expected n below 2\^62",
    }.items():
        with pytest.raises(lf.LexiframeError, match=message):
            ask()


def test_a_measure_that_is_no_notation():
    with pytest.raises(TypeError, match="expected a measure in its notation, found int"):
        lf.parse_measure(5)


def test_more_trials_than_can_be_counted():
    with pytest.raises(lf.LexiframeError, match="compare: expected fewer trials, found 2305843"):
        lf.compare(lf.scores(BOTH, "AP"), "randomization", trials=2**61)


def test_no_trials():
    with pytest.raises(lf.LexiframeError, match="expected trials to be a whole number from 1, fo"):
        lf.compare(lf.scores(BOTH, "AP"), "randomization", trials=0)


def test_no_number_of_relevant_items():
    with pytest.raises(lf.LexiframeError, match="at least one number of relevant items, found no"):
        lf.theory.orientation("AP", n=9, m=[])


def test_a_function_of_ones_own_that_fails_is_named():
    with pytest.raises(lf.LexiframeError, match="half: the function raised ZeroDivisionError: di"):
        lf.preferences(BOTH, lf.MatrixPreference("half", lambda ranks: 1 / 0))


def test_more_trials_than_memory_holds():
    with pytest.raises(lf.LexiframeError, match=r"^99,999,999,999,999 trials need about .* take f"):
        lf.compare(lf.scores(BOTH, "AP"), "randomization", trials=99_999_999_999_999)


def test_tse_of_what_is_no_function():
    with pytest.raises(TypeError, match="TSE: expected a metric or an exposure, found 3"):
        lf.TSE(3)
