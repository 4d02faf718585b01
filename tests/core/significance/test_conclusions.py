"""Agreement of conclusions: each category by hand, all by brute force, orders by SciPy."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

import lexiframe as lf
from tests import oracle
from tests.small_tables import scores

CATEGORIES = "AA AD MA MD PA PD TIE".split()


def comparisons(pairs, measure="AP", test="t", correction="holm"):
    """A comparisons table from {"ab": (mean difference, corrected p-value)}."""
    rows = [
        (measure, test, correction, a, b, 9, d, p, p < 0.05) for (a, b), (d, p) in pairs.items()
    ]
    names = "measure test correction run_a run_b n mean_difference p_adjusted reject".split()
    empty = dict.fromkeys(["ci_low", "ci_high", "effect_size", "statistic", "p_value"], pl.lit(0.0))
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(**empty)


SURE, UNSURE = 0.01, 0.5
BY_HAND = {
    "AA": ((0.1, SURE), (0.2, SURE)),
    "AD": ((0.1, SURE), (-0.2, SURE)),
    "MA": ((-0.1, SURE), (-0.2, UNSURE)),
    "MD": ((0.1, UNSURE), (-0.2, SURE)),
    "PA": ((0.1, UNSURE), (0.2, UNSURE)),
    "PD": ((-0.1, UNSURE), (0.2, UNSURE)),
    "TIE": ((0.0, UNSURE), (0.2, SURE)),
}


@pytest.mark.slow
@pytest.mark.parametrize("category", CATEGORIES)
def test_each_category(category):
    one, other = BY_HAND[category]
    for a, b in ((one, other), (other, one)):
        c1, c2 = comparisons({"ab": a}), comparisons({"ab": b})
        row = lf.conclusions(c1, c2).row(0, named=True)
        assert {name: row[name] for name in CATEGORIES} == {
            name: int(name == category) for name in CATEGORIES
        }
        pair = lf.conclusion_pairs(c1, c2).row(0, named=True)
        assert (pair["category"], pair["changes_side"]) == (category, category[1] == "D")
        assert (pair["mean_difference_a"], pair["p_adjusted_b"]) == (a[0], b[1])


def test_rounding_is_a_tie_and_alpha_may_be_another():
    c1, c2 = comparisons({"ab": (1e-17, UNSURE)}), comparisons({"ab": (0.1, 0.04)})
    assert lf.conclusions(c1, c2)["TIE"][0] == 1
    c1 = comparisons({"ab": (0.1, 0.04)})
    assert lf.conclusions(c1, c2)["AA"][0] == 1
    assert lf.conclusions(c1, c2, alpha=0.01)["PA"][0] == 1
    no_p = c1.with_columns(p_adjusted=None, reject=None)  # of a test of one's own
    assert lf.conclusions(no_p, c2)["MA"][0] == 1


DIFFERENCES = st.sampled_from([0.0, 0.1, -0.1, 0.25, -0.5])
SIDE = st.tuples(DIFFERENCES, st.sampled_from([SURE, UNSURE]))
PAIRS = ["ab", "ac", "ad", "bc", "bd", "cd"]


@given(*[st.dictionaries(st.sampled_from(PAIRS), SIDE, min_size=1)] * 2)
def test_all_pairs_by_brute_force(one, other):
    c1, c2 = comparisons(one), comparisons(other)
    shared = [pair for pair in PAIRS if pair in one and pair in other]
    if not shared:
        with pytest.raises(lf.LexiframeError, match="pairs of runs that a and b both compare, fou"):
            lf.conclusions(c1, c2)
        return
    expected = {
        pair: oracle.category(one[pair][0], other[pair][0], one[pair][1] == SURE,
                              other[pair][1] == SURE)
        for pair in shared
    }  # fmt: skip
    row = lf.conclusions(c1, c2).row(0, named=True)
    assert {name: row[name] for name in CATEGORIES} == {
        name: [*expected.values()].count(name) for name in CATEGORIES
    }
    assert (row["n_pairs"], row["only_a"], row["only_b"]) == (
        len(shared),
        len(one) - len(shared),
        len(other) - len(shared),
    )
    pairs = lf.conclusion_pairs(c1, c2)
    assert {a + b: c for a, b, c in pairs.select("run_a", "run_b", "category").rows()} == expected


@given(*[st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.7]), min_size=5, max_size=5)] * 2)
def test_tau_is_that_of_the_means(x, y):
    runs = "abcde"
    c1, c2 = (
        comparisons({a + b: (m[i] - m[j], UNSURE) for i, a in enumerate(runs)
                     for j, b in enumerate(runs) if i < j})
        for m in (x, y)
    )  # fmt: skip
    tau = lf.conclusions(c1, c2)["tau"][0]
    expected = None if len({*x}) < 2 or len({*y}) < 2 else kendalltau(x, y).statistic
    assert tau == (expected if expected is None else pytest.approx(expected))


def test_tau_needs_all_pairs():
    c = comparisons({"ab": (0.1, SURE), "ac": (0.2, SURE), "bc": (0.1, SURE)})
    assert lf.conclusions(c, c)["tau"][0] == 1.0
    assert lf.conclusions(c, c.head(2))["tau"][0] is None


def test_a_pair_against_a_baseline_is_turned():
    c1 = comparisons({"ba": (0.1, SURE), "ac": (0.1, SURE)})  # run_b is a baseline
    c2 = comparisons({"ab": (-0.2, SURE), "ac": (0.1, SURE)})
    pairs = lf.conclusion_pairs(c1, c2)
    assert pairs.select("run_a", "run_b", "mean_difference_a", "category").rows() == [
        ("a", "b", -0.1, "AA"),
        ("a", "c", 0.1, "AA"),
    ]


S = scores({"a": [0.5, 0.7, 0.9, 0.4], "b": [0.4, 0.5, 0.9, 0.1], "c": [0.1, 0.2, 0.0, 0.3]}, "AP")
R = S.with_columns(measure=pl.lit("RR"), value=1 - pl.col("value"))


def test_measures_tests_and_corrections_are_matched_by_name_or_as_the_only_ones():
    both, ap = lf.compare(pl.concat([S, R]), "t"), lf.compare(S, ["t", "sign"])
    with (
        pytest.warns(lf.LexiframeWarning, match=r"measures of a alone, left out: 1 \('RR'\)"),
        pytest.warns(lf.LexiframeWarning, match=r"tests of b alone, left out: 1 \('sign'\)"),
    ):
        table = lf.conclusions(both, ap)
    assert table.select("measure", "test", "n_pairs").rows() == [("AP", "t", 3)]
    assert lf.conclusions(lf.compare(S), lf.compare(R))["measure"].to_list() == ["AP vs RR"]
    assert lf.conclusions(lf.compare(S), lf.compare(R)).select("AA", "MA", "PA").row(0) == (0, 0, 0)
    of_tests = lf.conclusions(lf.compare(S, "t"), lf.compare(S, ["sign", "wilcoxon"], "none"))
    assert of_tests.select("test", "correction").rows() == [
        ("t vs sign", "holm vs none"),
        ("t vs wilcoxon", "holm vs none"),
    ]
    hsd = lf.conclusions(lf.compare(S, "t"), lf.tukey_hsd(S, "parametric"))
    assert hsd.select("test", "correction").row(0) == ("t vs hsd_parametric", "holm vs tukey")
    with pytest.raises(
        lf.LexiframeError, match="expected a test that a and b have in common, or a"
    ):
        lf.conclusions(lf.compare(S, ["t", "bootstrap"]), lf.compare(S, ["sign", "wilcoxon"]))


def test_several_tables_by_name_and_groups():
    kinds = pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "kind": [*"xxyy"]})
    named = {name: lf.compare(table, requests=kinds, by="kind")
             for name, table in {"z": S, "m": S, "a": S}.items()}  # fmt: skip
    table = lf.conclusions(named, by="kind")
    assert table.columns[:3] == ["kind", "name_a", "name_b"]
    assert table.select("kind", "name_a", "name_b").rows() == [
        (kind, a, b) for kind in "xy" for a, b in (("m", "a"), ("z", "a"), ("z", "m"))
    ]
    assert (table["tau"] == 1.0).all()
    assert lf.conclusion_pairs(named, by="kind").height == 18
    with pytest.raises(lf.SchemaError, match="by groups of requests name the attributes: by="):
        lf.conclusions(named)
    with pytest.raises(lf.UnknownNameError, match="unknown attribute 'size'"):
        lf.conclusions(named, by="size")


def test_it_is_said_in_words():
    one = {"ab": (0.1, SURE), "ac": (0.0, UNSURE), "bc": (-0.1, UNSURE), "cd": (0.1, UNSURE)}
    other = {"ab": (-0.1, SURE), "ac": (0.1, UNSURE), "bc": (-0.2, SURE)}
    table = lf.conclusions({"x": comparisons(one), "y": comparisons(other)})
    assert lf.verdict(table)["sentence"][0] == (
        "By AP (t, holm), x and y agree on which run is better in 1 of 3 pairs: 0 are significant "
        "on both sides, 1 on one side, 0 on neither. 1 pair changes sides (1 significant on both "
        "sides). In 1 pair the runs are equal on a side. Kendall's τ between the orders of the "
        "runs is 0.82. 1 pair is compared by x alone."
    )
    unsure = lf.conclusions(comparisons({"ab": (0.1, UNSURE)}), comparisons({"ab": (-1, UNSURE)}))
    assert (
        "1 pair changes sides (none of them significant on any side)."
        in (lf.verdict(unsure)["sentence"][0])
    )


def test_what_is_refused():
    c = lf.compare(S)
    for tables in ((c,), ({"a": c, "b": c}, c)):
        with pytest.raises(
            lf.LexiframeError, match="two comparisons tables, or one mapping of thei"
        ):
            lf.conclusions(*tables)
    with pytest.raises(
        lf.LexiframeError, match=r"at least two comparisons tables, found 1 \('a'\)"
    ):
        lf.conclusions({"a": c})
    with pytest.raises(lf.LexiframeError, match="conclusions: expected alpha between 0 and 1"):
        lf.conclusions(c, c, alpha=5)
    with pytest.raises(lf.SchemaError, match="comparisons 'b': expected the columns measure"):
        lf.conclusion_pairs(c, S)


def test_names_that_are_the_same_as_text_are_refused():
    c = comparisons({"ab": (0.1, SURE)})
    with pytest.raises(lf.LexiframeError, match="expected different names for the tables"):
        lf.conclusions({1: c, "1": c, "2": c})


def test_a_difference_that_is_not_a_number_is_no_agreement():
    c = comparisons({"ab": (0.1, SURE)})
    assert lf.conclusions(c, comparisons({"ab": (float("nan"), SURE)}))["TIE"].to_list() == [1]


def test_the_verdict_names_the_pairs_that_change_sides():
    c1 = comparisons({"ab": (0.1, SURE), "ac": (0.1, SURE)})
    c2 = comparisons({"ab": (-0.1, SURE), "ac": (0.2, SURE)})
    said = lf.verdict(lf.conclusion_pairs(c1, c2))["sentence"].to_list()
    assert said == ["By AP (t, holm), 1 of 2 pairs changes sides between a and b: a and b (AD)."]
