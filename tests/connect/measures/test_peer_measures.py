"""The measures of trec_eval, ir_measures and cwl_eval are those of the oracle; what they refuse."""

import math
import warnings

import polars as pl
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import assert_close, judgments, measured, rankings
from tests.strategies import collections

FEWER = settings(max_examples=max(1, settings().max_examples // 3))
RELS = st.sampled_from([None, 1.5, 2])
RUNS = {"a": {"q": {"x": 5.0, "u": 4.0, "y": 3.0, "v": 2.0}}}
QRELS = {"q": {"x": 1, "y": 2, "z": 3, "v": 0}}
P = lf.positions(RUNS, QRELS, judged=True)


def positions(collection, rel, **options):
    with warnings.catch_warnings(action="ignore"):
        return lf.positions(*collection, rel=rel, judged=True, **options)


def orders(collection, rel):
    """{(query_id, run): (ordered documents, grades)}, of requests with a relevant item."""
    return {
        (query_id, run): (oracle.order(answers.get(query_id, [])), grades)
        for run, answers in rankings(collection.runs).items()
        for query_id, grades in judgments(collection.qrels).items()
        if oracle.relevant_items(grades, rel)
    }


def agree(collection, rel, formulas):
    """Each measure has the value of its formula of (ordered, grades), for every ranking."""
    s = lf.scores(positions(collection, rel), list(formulas))
    for name, formula in formulas.items():
        expected = {key: formula(*of) for key, of in orders(collection, rel).items()}
        assert_close(measured(s, str(lf.parse_measure(name))), expected)


def vector(ordered, grades, rel):
    return oracle.positions_of(oracle.project(ordered, grades, rel))


@given(collections(), RELS, st.integers(1, 12), st.sampled_from([0.5, 1, 2, 4]))
def test_measures_of_sets(collection, rel, k, beta):
    agree(
        collection,
        rel,
        {
            "SetP": lambda o, g: oracle.SetP(o, g, rel),
            "SetP(relative=True)": lambda o, g: oracle.SetP(o, g, rel, relative=True),
            "SetR": lambda o, g: oracle.R(vector(o, g, rel)),
            f"SetF(beta={beta})": lambda o, g: oracle.SetF(o, g, rel, beta),
            "SetAP": lambda o, g: oracle.SetAP(o, g, rel),
            "utility": lambda o, g: oracle.utility(o, g, rel),
            "utility(a=3, b=-0.5, c=-2, d=0.25, n=1000)": lambda o, g: oracle.utility(
                o, g, rel, (3, -0.5, -2, 0.25), 1000
            ),
            f"F1@{k}": lambda o, g: oracle.F1(vector(o, g, rel), k),
            f"relative_P@{k}": lambda o, g: (
                oracle.P(vector(o, g, rel), k) / (min(k, len(vector(o, g, rel))) / k)
            ),
            "Accuracy": lambda o, g: oracle.Accuracy(o, g, rel),
            f"Accuracy(rel={rel or 1})@{k}": lambda o, g: oracle.Accuracy(o, g, rel, k),
            "num_nonrel_judged_ret": lambda o, g: oracle.nonrelevant_retrieved(o, g, rel),
            "num_q": lambda o, g: 1,
        },
    )


@given(collections(), RELS, st.sampled_from([0, 0.1, 0.25, 0.5, 0.7, 1]))
def test_the_recall_curve(collection, rel, share):
    agree(
        collection,
        rel,
        {
            f"IPrec@{share}": lambda o, g: oracle.IPrec(o, g, share, rel),
            f"IPrec(rounding='up')@{share}": lambda o, g: oracle.IPrec(o, g, share, rel, "up"),
            "11pt_avg": lambda o, g: oracle.eleven_point_average(o, g, rel),
            "11pt_avg(rounding='up')": lambda o, g: oracle.eleven_point_average(o, g, rel, "up"),
            f"Rprec_mult@{share * 2}": lambda o, g: oracle.Rprec_mult(vector(o, g, rel), share * 2),
            "gm_map": lambda o, g: math.log(max(oracle.AP(vector(o, g, rel)), 1e-5)),
            "gm_bpref": lambda o, g: math.log(max(oracle.bpref(o, g, rel), 1e-5)),
            "yaap": lambda o, g: oracle.yaap(vector(o, g, rel)),
        },
    )


GAINS = [None, {1: 10, 2: 1}, {1: 0, 1.5: 0, 2: 0.5}, {1: 0, 1.5: 0, 2: 0, 3: 0}, {3: 3.25}]


@pytest.mark.filterwarnings("ignore:.*positive grades.* have no gain")
@given(collections(), RELS, st.sampled_from(GAINS), st.integers(1, 12))
def test_variants_of_ndcg(collection, rel, gains, k):
    said = f"(gains={gains})" if gains else ""

    def at(o, g, k):
        got, ideal = oracle.gains_of(o, g, rel, gains)
        return oracle.DCG(got[:k]) / oracle.DCG(ideal[:k]) if ideal else 0.0

    agree(
        collection,
        rel,
        {
            f"nDCG{said}": lambda o, g: at(o, g, None),
            f"nDCG{said}@{k}": lambda o, g: at(o, g, k),
            f"DCG{said}": lambda o, g: oracle.DCG(oracle.gains_of(o, g, rel, gains)[0]),
            f"DCG{said}@{k}": lambda o, g: oracle.DCG(oracle.gains_of(o, g, rel, gains)[0][:k]),
            f"ndcg_rel{said}": lambda o, g: oracle.ndcg_rel(o, g, rel, gains),
            f"Rndcg{said}": lambda o, g: oracle.Rndcg(o, g, rel, gains),
            f"G{said}": lambda o, g: oracle.G(o, g, rel, gains),
            "binG": lambda o, g: oracle.binG(vector(o, g, rel)),
        },
    )


def values(answer, grades, names):
    p = lf.positions({"a": {"q": {d: -float(n) for n, d in enumerate(answer)}}}, {"q": grades})
    return dict(lf.scores(p, names).select("measure", "value").rows())


def test_the_end_of_the_ranking_counts_for_rndcg_from_two_ranks_beyond_the_ideal():
    """As in trec_eval: one rank beyond it does not count."""
    assert values("ux", {"x": 1}, "Rndcg") == {"Rndcg": 0}
    at_the_end = 1 / math.log2(3)
    assert values("uxv", {"x": 1}, "Rndcg") == {"Rndcg": pytest.approx((0 + at_the_end) / 2)}


def test_the_ideal_ranking_is_in_order_of_gain():
    """Also where a lower grade has more gain."""
    names = [f"{name}(gains={{1:10,2:1}})" for name in ("nDCG", "ndcg_rel", "Rndcg", "G")]
    found = values("xy", {"x": 1, "y": 2}, names)
    assert found == dict.fromkeys(names, pytest.approx(1))
    assert max(values("yx", {"x": 1, "y": 2}, names).values()) < 0.95


@FEWER
@given(
    collections(), RELS, st.integers(1, 12), st.sampled_from([0.5, 1, 2]), st.sampled_from([0, 1])
)
def test_user_models(collection, rel, k, T, least):
    scale = f"min_rel={least}, max_rel=4"
    formulas = {}
    for name, continuation in oracle.CONTINUATIONS.items():
        own = {"k": k} if name in ("SDCG", "BPM", "NERR8", "NERR9") else {}
        own |= {"T": T} if name in ("BPM", "INST", "INSQ", "NERR11") else {}
        own |= {"p": 0.7} if name == "NERR10" else {}
        said = ", ".join([*(f"{n}={v}" for n, v in own.items() if n != "k"), scale])
        notation = f"{name}({said}, depth=60)" + (f"@{k}" if "k" in own else "")
        formulas[notation] = lambda o, g, c=continuation, own=own: oracle.user_model(
            o, g, lambda i, gain, G: c(i, gain, G, **own), greatest=4, least=least, rel=rel,
            depth=60,
        )  # fmt: skip
    agree(collection, rel, formulas)


@FEWER
@given(collections(), RELS, st.sampled_from([0.5, 0.95]))
def test_compatibility_is_the_greatest_overlap_with_an_ideal_ranking(collection, rel, p):
    agree(
        collection,
        rel,
        {
            f"Compat(p={p})": lambda o, g: oracle.Compat(o, g, rel, p),
            f"Compat(p={p}, normalize=False)": lambda o, g: oracle.Compat(o, g, rel, p, False),
        },
    )


@FEWER
@given(collections(), st.sampled_from(GAINS[1:]))
def test_the_worst_case_with_gains_that_do_not_rise_with_the_grade(collection, gains):
    def worst(ordered, grades):
        relevant = oracle.relevant_items(grades)
        needs = oracle.subsets([*relevant.items()])
        found = (oracle.gains_of(ordered, dict(u), gains=gains) for u in needs)
        return min(oracle.DCG(got) / oracle.DCG(best) if best else 0.0 for got, best in found)

    agree(collection, None, {f"WC(nDCG(gains={gains}))": worst})


def test_ten_gains_of_a_tenth_are_enough_for_one():
    """In floating point their sum is a little less than 1."""
    runs = {"a": {"q": {f"d{n:02}": -float(n) for n in range(20)}}}
    p = lf.positions(runs, {"q": {f"d{n:02}": 1 for n in range(20)}})
    assert lf.scores(p, "BPM(max_rel=10, depth=20)@20")["value"].item() == pytest.approx(0.1)
    ten = {"q": {f"d{n:02}": 1 for n in range(10)}}
    assert lf.scores(lf.positions(runs, ten), "BPM(max_rel=10)@20")["value"].item() == (
        pytest.approx(0.1)  # after 20 ranks it would be half of that
    )


# --- Requests without relevant items, empty rankings, runs of several blocks --------------------


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_what_a_ranking_that_found_nothing_is_worth():
    runs = {"a": {"q": {"u": 1.0}}, "b": {"q": {"x": 1.0}}}
    p = lf.positions(runs, {"q": {"x": 1}, "r": {"x": 0}}, no_relevant="zero", judged=True)
    names = ["SetP", "SetF", "SetAP", "IPrec@0", "11pt_avg", "G", "Rndcg", "ndcg_rel", "Compat"]
    names += ["Accuracy", "INST(max_rel=1)", "F1@3"]
    s = lf.scores(p, names, no_relevant="zero").filter(pl.col("query_id") == "q", run="a")
    assert s["value"].to_list() == [0.0] * len(names)
    of_nothing = lf.scores(p, ["gm_map", "yaap", "num_q", "utility"], no_relevant="zero")
    of_nothing = of_nothing.filter(query_id="r", run="a").select("measure", "value").rows()
    assert dict(of_nothing) == {"gm_map": math.log(1e-5), "num_q": 1, "utility": 0, "yaap": 0}


# --- Notation -----------------------------------------------------------------------------------


def test_parameters_as_trec_eval_takes_them_behind_m():
    """Compared with what pytrec_eval, which has trec_eval's own parser, makes of them."""
    judged = {"q": {"d": 1, "e": 2, "f": 0, "g": 1}}
    run = {"q": {"f": 4.0, "d": 3.0, "z": 2.0, "g": 1.0}}
    p = lf.positions({"a": run}, judged, judged=True)
    names = "P.5,10 ndcg_cut.10 ndcg_cut_10 map_cut.5,3 success.1,5 relative_P.5,10 set_F.0.5"
    for name in names.split():
        theirs = pytrec_eval.RelevanceEvaluator(judged, {name}).evaluate(run)["q"]
        values = dict(lf.scores(p, name).select("measure", "value").rows())
        known = {key if key != "set_F" else name: value for key, value in theirs.items()}
        expected = {str(lf.parse_measure(key)): value for key, value in known.items()}
        assert values == pytest.approx(expected, abs=1e-12), name
    at = [str(m) for m in lf.scores(p, "iprec_at_recall.0.50,0.10")["measure"]]
    assert sorted(at) == ["IPrec@0.1", "IPrec@0.5"]


# --- Errors -------------------------------------------------------------------------------------

REFUSED = {
    "utility(d=1)": r"utility\(d=1\): counts what is neither .* write utility\(d=..., n=...\)",
    "INST": r"INST needs its max_rel: write INST\(max_rel=...\)",
    "BPM(max_rel=3)": r"BPM needs its cutoff: write BPM\(max_rel=3\)@10",
    "SDCG@5": r"SDCG needs its max_rel: write SDCG\(max_rel=...\)@5",
    "P(rel=2)": r"P needs its cutoff: write P\(rel=2\)@10",
    "SDCG": r"SDCG needs its max_rel and its cutoff: write SDCG\(max_rel=...\)@10",
    "NERR8(min_rel=1)": r"NERR8 needs its max_rel and its cutoff: write NERR8\(min_rel=1, "
    r"max_rel=...\)@10",
    "auc": "'auc' is not offered: it needs a ranking of all items; the nearest is Accuracy",
    "ROC_AUC": "'ROC_AUC' is not offered: it needs a ranking of all items",
    "11pt_avg.0.2,0.4": "is not offered: its points are 0, 0.1 … 1; take the mean of IPrec@R over",
    "F1": "F1 needs its cutoff: write F1@10",
    "INSQ(max_rel=2)": r"expected grades up to 2, found 3; .*: INSQ\(max_rel=3\)",
    "INSQ(min_rel=3, max_rel=3)": "expected a max_rel above min_rel = 3, found 3",
    "INST(max_rel=3)@5": "INST.* has no cut-off, found .*@5",
    "IPrec": "IPrec needs its recall: write IPrec@0.5",
    "IPrec@1.5": r"IPrec\(recall=1.5\): expected a number from 0 to 1",
    "P@0.5": "P@k: expected a whole number from 1, found 0.5",
    "Compat(normalize=2)": r"Compat\(normalize=2\): expected True or False",
    "nDCG(gains={1: -1})": r"nDCG\(gains={1: -1}\): expected a dictionary from grades to gains",
    "nDCG(gains={0: 1})": "the gain of grades that are not positive is 0",
    "nDCG(gains=2)": r"nDCG\(gains=2\): expected a dictionary from grades to gains of 0 or more",
    "P(judged_only=True)@5": "leave judged_only out, and say unjudged='remove'",
    "AP(cutoff=10)": "no parameter 'cutoff'.* a cut-off stands behind @, as in AP@10",
    "prefs_simp": "'prefs_simp' is not offered: it counts pairs of documents; the nearest is bpref",
    "prefs_avgjg_Rnonrel_ret": "not offered: it counts pairs of documents",
    "map_avgjg": "not offered: it averages over several judges .* nearest is AP of each judge's",
    "relstring": "not offered: it is no number; positions has the rank and the grade",
    "official": "not offered: it is a name for several measures; ask for each of them",
    "unj_10": r"not offered: it is 1 − Judged\(denominator='k'\)@k",
    "iprec_at_recall": "needs its number: write iprec_at_recall_0.5 or IPrec@0.5",
    "ndcg_cut": "needs its number: write ndcg_cut_10 or nDCG@10",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    with pytest.raises(lf.LexiframeError, match=REFUSED[name]):
        lf.scores(P, name)


@pytest.mark.parametrize("name", ["prefs_simp", "iprec_at_recall"])
def test_what_is_not_offered_is_said_by_parse_measure_too(name):
    with pytest.raises(lf.UnknownNameError, match=REFUSED[name]):
        lf.parse_measure(name)


# --- One number for a run -----------------------------------------------------------------------


def test_aggregates_of_groups_and_of_scores_from_elsewhere():
    s = pl.DataFrame(
        {
            "run": "a",
            "query_id": ["q1", "q2", "q3", "q2"],
            "measure": ["my own", "my own", "num_rel", "num_rel"],
            "value": [1.0, 2.0, 7.0, 3.0],
        }
    )
    found = lf.aggregates(s)
    assert found.rows() == [("a", "my own", 1.5, "mean", 2), ("a", "num_rel", 10.0, "sum", 2)]
    lengths = pl.DataFrame({"query_id": ["q1", "q2", "q3"], "long": ["yes", "no", "no"]})
    by_length = lf.aggregates(s, requests=lengths, by="long")
    assert by_length["value"].to_list() == [2.0, 10.0, 1.0]
    assert lf.aggregates(s.head(0)).rows() == []


def test_the_differences_of_two_means_of_logarithms_is_that_of_the_geometric_means():
    folder = lf.bundled("example")
    s = lf.scores(lf.positions(folder / "runs", folder / "qrels.txt"), "gm_map")
    a, b = sorted(s["run"].unique())[:2]
    gm = dict(lf.aggregates(s).select("run", "value").rows())
    c = lf.compare(s).filter(run_a=a, run_b=b)
    assert c["mean_difference"].item() == pytest.approx(math.log(gm[a] / gm[b]))
