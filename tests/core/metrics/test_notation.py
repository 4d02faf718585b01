"""Measures by the names that other libraries have for them, and several in one string."""

import re

import ir_measures
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.metrics import notation

RUNS = {
    "a": {"q1": {"x": 3, "y": 2, "z": 1}, "q2": {"y": 2, "w": 1}},
    "b": {"q1": {"z": 3, "x": 2, "v": 1}, "q2": {"w": 2, "y": 1}},
}
QRELS = {"q1": {"x": 1, "y": 0, "z": 2, "u": 1}, "q2": {"w": 2}}

OTHER_NAMES = {
    "AP": "map MAP AP ap average_precision AveragePrecision",
    "AP@100": "map@100 MAP@100 map_cut_100 map_cut.100",
    "nDCG@10": "ndcg@10 NDCG@10 Ndcg@10 ndcg_cut_10 ndcg_cut@10 ndcg_at_10 ndcg10 nDCG10",
    "nDCG(dcg='exp-log2')@10": "ndcg_burges@10",
    "RR": "mrr MRR recip_rank RecipRank reciprocal_rank rr",
    "RR@10": "mrr@10 MRR@10 recip_rank@10 recip_rank_10 mrr_at_10",
    "R@10": "Recall_10 recall10 R_10 r@10 RECALL.10",
    "R@100": "recall@100 Recall@100 recall_100 R@100",
    "R(denominator='min')@5": "R_cap@5 r_cap@5",
    "R(rel=2)@5": "recall@5-l2 Recall(rel=2)@5",
    "P@5": "precision@5 Precision@5 P_5 precision_5 prec@5 p@5",
    "Rprec": "r-precision r_precision R-Precision RPrec Rprec",
    "Success": "HR hit_rate success Success",
    "Success@1": "top1 top-1 top_1_accuracy Top1",
    "Success@10": "hit_rate@10 HitRate@10 Hit@10 hit@10 success_10 HR@10 hit_rate_at_10 success@10",
    "LR": "lexirecall lr Lexirecall",
    "LP": "lexiprecision LexiPrecision",
    "Judged@10": "judged@10 judged_at_10",
    "ERR": "err",
    "ERR@20": "err@20 ERR_20",
    "infAP": "infap INFAP",
    "DCG(dcg='exp-log2')@10": "dcg_burges@10",
    "RBP(p=0.9)": "rbp.p=0.9 rbp_p=0.9 rbp(p=0.9)",
    "utility(a=2)": "utility_2,-1,0,0 utility.2,-1,0,0",
    "num_rel_ret(rel=1)": "NumRet(rel=1)",
    "RBP(p=0.95)": "rbp.95",
    "alpha-nDCG@10": "alpha_nDCG@10 α_nDCG@10",
    "ST-RPP": "ST_RPP st_rpp",
    "num_rel": "NumRel numrel",
    "gm_map": "GMAP gmap",
    "TSE(AP)": "TSE(AP) tse(ap)",
    "ST-dcgRPP": "ST_dcgRPP",
    "ST-invRPP(rel=2)": "ST_invRPP(rel=2)",
}


@pytest.mark.parametrize("ours", OTHER_NAMES)
def test_names_of_other_libraries(ours):
    for name in OTHER_NAMES[ours].split():
        assert lf.parse_measure(name) == lf.parse_measure(ours), name
        assert str(lf.parse_measure(name)) == ours


def test_accuracy_is_refused_wherever_it_is_asked_for_and_no_other_way_to_say_it():
    with pytest.raises(lf.UnknownNameError, match="'Accuracy@2' has several meanings"):
        lf.evaluate(RUNS, QRELS, "AP Accuracy@2")
    with pytest.raises(lf.UnknownNameError, match="'Accuracy@2' has several meanings"):
        lf.scores(P_2_JUDGED, ["Accuracy@2"])
    asked = [lf.Accuracy @ 2, ir_measures.Accuracy @ 2, "Accuracy"]
    e = lf.evaluate(RUNS, QRELS, asked)
    names = ["Accuracy@2", "Accuracy(rel=1)@2", "Accuracy"]
    assert e.means["measure"].unique(maintain_order=True).to_list() == names
    assert lf.parse_measure("Accuracy(rel=1)@2") == lf.Accuracy(rel=1) @ 2


@pytest.mark.parametrize("column", ["p", "r", "lr", "g"])
def test_a_short_column_of_scores_is_no_metric_by_its_case(column):
    scores = pl.DataFrame({"run": ["a"], "query_id": ["q"], "measure": [column], "value": [-1.5]})
    assert lf.read_scores(scores)["value"].to_list() == [-1.5]


def test_several_in_one_string():
    p = lf.positions(RUNS, QRELS)
    for text in ("AP nDCG@10", "AP,nDCG@10", " AP ,  nDCG @ 10 ", "map ndcg_cut.10"):
        assert lf.scores(p, text).equals(lf.scores(p, [lf.AP, lf.nDCG @ 10]))
    asked = lf.evaluate(RUNS, QRELS, "RPP LR, P(rel=1)@5").provenance["measures"]
    assert asked == ["RPP", "LR", "P(rel=1)@5"]
    both = lf.preferences(p, ["RPP LR", lf.AP])["measure"].unique().sort().to_list()
    assert both == ["AP", "LR", "RPP"]


def test_commas_inside_braces():
    assert notation.read("nDCG(gains={0: 0, 1: 5}, rel=1)@3") == notation.Written(
        "nDCG", None, {"gains": {0: 0, 1: 5}, "rel": 1}, 3
    )


def test_objects_of_ir_measures_have_their_values():
    asked = [ir_measures.AP(rel=2), ir_measures.nDCG @ 2, ir_measures.P @ 2, ir_measures.RR]
    s = lf.scores(lf.positions(RUNS, QRELS, no_relevant="zero"), [*asked, lf.R @ 5])
    s = s.filter(pl.col("query_id") == "q1")
    for run, answers in RUNS.items():
        for theirs in ir_measures.iter_calc(asked, QRELS, answers):
            if theirs.query_id == "q1":
                measure = str(lf.parse_measure(theirs.measure))
                value = s.filter(run=run, measure=measure)["value"].item()
                assert value == pytest.approx(theirs.value, abs=1e-9)
    e = lf.evaluate(RUNS, QRELS, ir_measures.P @ 2)
    assert e.provenance["measures"] == ["P@2"]


def test_what_ir_measures_has_and_a_measure_here_has_not():
    p = lf.positions(RUNS, QRELS)
    with pytest.raises(lf.LexiframeError, match="leave judged_only out, and say unjudged='remove'"):
        lf.scores(p, ir_measures.AP(judged_only=True))
    with pytest.raises(lf.UnknownNameError, match="unknown metric 'XYZ'"):
        lf.scores(p, "AP XYZ")
    with pytest.raises(lf.UnknownNameError, match="expected one measure, found 2: AP, RR; parse e"):
        lf.parse_measure("AP RR")


# --- What libraries mean by the same name ------------------------------------------------------

DEFINITIONS = {  # of the libraries of recommenders: the notation here, as a sum over the hits
    "RePlay and RecBole MAP@k": ("AP(denominator='min')@2", (1 / 1 + 2 / 2) / min(3, 2)),
    "RecTools MAP@k": ("MAP@2", (1 / 1 + 2 / 2) / 3),
    "Recall@k": ("Recall@2", 2 / 3),
    "LensKit Recall@k": ("R(denominator='min')@2", 2 / 2),
    "BEIR R_cap@k": ("R_cap@2", 2 / 2),
    "HitRate@k": ("HitRate@2", 1.0),
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions_of_recommender_libraries(name):
    p = lf.positions({"a": {"u": {"x": 3, "y": 2, "w": 1}}}, {"u": dict.fromkeys("xyz", 1)})
    notation_here, value = DEFINITIONS[name]
    assert lf.scores(p, notation_here)["value"].item() == pytest.approx(value)


def test_conventions_has_a_row_for_each_other_meaning():
    c = lf.conventions()
    assert c.select("measure", "choice").is_duplicated().sum() == 0
    by_choice = {(row["measure"], row["choice"]): row for row in c.to_dicts()}
    assert by_choice["AP@k", "denominator"]["RePlay"] == "min(m, k), in early versions k"
    assert by_choice["AP@k", "denominator"]["RecTools"] == "m; divide_by_k: k"
    assert by_choice["nDCG", "gain"]["RePlay"] == by_choice["nDCG", "gain"]["RecTools"] == "1"
    assert by_choice["nDCG@k", "ideal"]["RecTools"].startswith("k relevant items")
    counts = by_choice["num_ret, num_rel, num_rel_ret", "over requests"]
    assert (counts["lexiframe"], counts["ir_measures"]) == ("mean", "sum")
    assert "-l" in by_choice["nDCG, ERR", "grades below rel"]["trec_eval"]


# --- rel= and the gains of graded metrics -------------------------------------------------------

LOST = "have no gain in nDCG@2. With -l, trec_eval keeps their gain"


@pytest.mark.parametrize(
    "ask, said",
    [
        (lambda: lf.evaluate(RUNS, QRELS, "AP nDCG@2", rel=2), "positive grades below rel "),
        (lambda: lf.evaluate(RUNS, QRELS, "AP nDCG(rel=2)@2"), "positive grades below rel "),
        (lambda: lf.scores(P_2, "AP nDCG@2"), "positions(rel=2): lower positive grades, if any, "),
        (lambda: lf.preferences(P_2, "nDCG@2"), "positions(rel=2): lower positive grades, if any"),
        (lambda: lf.scores(P_2_JUDGED, "nDCG@2"), "positive grades below rel "),
        (lambda: lf.scores(P_1, "nDCG(rel=2)@2 nDCG@2"), "positive grades below rel "),
    ],
)
def test_gains_that_rel_takes_out_are_warned_of_once(ask, said):
    with pytest.warns(lf.LexiframeWarning, match=re.escape(said)) as caught:
        ask()
    of_gains = [str(w.message) for w in caught if "have no gain" in str(w.message)]
    assert len(of_gains) == 1
    assert LOST in of_gains[0].replace("(rel=2)", "")


P_2 = lf.positions(RUNS, QRELS, rel=2)
P_2_JUDGED = lf.positions(RUNS, QRELS, rel=2, judged=True)
P_1 = lf.positions(RUNS, QRELS, rel=1)
