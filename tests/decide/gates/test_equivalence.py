"""`equivalence`: against statsmodels and loops, its conclusions, margins, groups and errors."""

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

import lexiframe as lf
from lexiframe.core.base.resampling import drawn_requests
from tests import oracle
from tests.small_tables import preferences, scores

TESTS = ["t", "bootstrap"]
KINDS = "not_worse_a not_worse_b equivalent better better_by_margin_a better_by_margin_b".split()


def wide(path):
    """A matrix of scores, requests × runs, as a table of scores."""
    matrix = pl.read_csv(path).with_row_index("query_id")
    return matrix.unpivot(index="query_id", variable_name="run").select(
        "run", pl.col("query_id").cast(pl.String), measure=pl.lit("AP"), value=pl.col("value")
    )


def only(*args, **options):
    return lf.equivalence(*args, **options).row(0, named=True)


def of_columns(values):
    """Preferences of a run for each column of an array, requests × runs, over the run z."""
    frame = pl.DataFrame({f"r{k:04}": column for k, column in enumerate(values.T)})
    queries = pl.Series("query_id", [f"q{k}" for k in range(len(values))])
    long = frame.with_columns(queries).unpivot(index="query_id", variable_name="run_a")
    return long.select("query_id", "run_a", run_b=pl.lit("z"), measure=pl.lit("mine"),
                       preference="value")  # fmt: skip


@pytest.mark.parametrize("name, margin", [("adhoc7_ap", 0.02), ("web2010_ndcg20", 0.03)])
def test_all_pairs_of_real_runs_equal_statsmodels(shared, name, margin):
    path = shared / "data" / "trec_score_matrices" / f"{name}.csv"
    table, matrix = lf.equivalence(wide(path), margin, correction="none"), pl.read_csv(path)
    column = {run: k for k, run in enumerate(matrix.columns)}
    x1, x2 = (matrix.to_numpy()[:, table[run].replace_strict(column)] for run in ("run_a", "run_b"))
    varies = (x1 != x2).any(axis=0)
    p, (_, above, _), (_, below, _) = ttost_paired(x1[:, varies], x2[:, varies], -margin, margin)
    table = table.filter(pl.Series(varies))
    assert table.height > 1000
    for column, expected in {"equivalent": p, "not_worse_a": above, "not_worse_b": below}.items():
        assert table[f"p_{column}"].to_numpy() == pytest.approx(expected, rel=1e-9, abs=1e-12)
    # The interval of level 1 − 2α is inside of the margin exactly where both tests reject.
    inside = (table["ci_low"] > -margin) & (table["ci_high"] < margin)
    assert (inside == (table["p_equivalent"] < 0.05)).all()
    assert {"equivalent", "a better", "a not worse", "undecided"} <= {*table["conclusion"]}


@pytest.mark.parametrize("test", TESTS)
def test_better_is_the_two_sided_test_of_compare(test):
    d = of_columns(np.random.default_rng(1).normal(0.1, 0.3, (12, 20)))
    options = {"trials": 500, "seed": 7, "correction": "holm"}
    found, compared = lf.equivalence(d, 0.2, test, **options), lf.compare(d, test, **options)
    same = ["run_a", "run_b", "n", "mean_difference", "test", "correction"]
    assert found.select(same).equals(compared.select(same))
    for ours, theirs in {"p_better": "p_value", "p_better_adjusted": "p_adjusted"}.items():
        assert found[ours].to_list() == pytest.approx(compared[theirs].to_list(), rel=1e-12)


SMALL = st.lists(st.integers(-8, 8).map(lambda x: x / 8), min_size=2, max_size=7)


@settings(max_examples=10)
@given(values=SMALL, margin=st.sampled_from([1e-6, 0.125, 0.3, 2.0]), seed=st.integers(0, 9))
@pytest.mark.parametrize("test", TESTS)
def test_every_question_as_a_loop(test, values, margin, seed):
    """The test of no difference after a shift; intervals have the limits that are not rejected."""
    options = {"trials": 200, "seed": seed, "alpha": 0.2, "correction": "none"}
    row = only(preferences({"ab": values}), margin, test, **options)
    counts = drawn_requests(len(values), 200, seed)

    def p(limit, alternative):
        shifted = [x - limit for x in values]
        if len({*values}) == 1:  # nothing is known of how much others would vary
            return 1.0
        if test == "bootstrap":
            return oracle.bootstrap(shifted, counts, alternative)
        return stats.ttest_1samp(shifted, 0, alternative=alternative).pvalue

    expected = {
        "p_not_worse_a": p(-margin, "greater"),
        "p_not_worse_b": p(margin, "less"),
        "p_better": p(0.0, "two-sided"),
        "p_better_by_margin_a": p(margin, "greater"),
        "p_better_by_margin_b": p(-margin, "less"),
    }
    expected["p_equivalent"] = max(expected["p_not_worse_a"], expected["p_not_worse_b"])
    assert {k: row[k] for k in expected} == pytest.approx(expected, rel=1e-6, abs=1e-9)
    for end, side, alternative in (("ci_low", -1, "greater"), ("ci_high", 1, "less")):
        if row[end] is not None and np.isfinite(row[end]):
            assert p(row[end] + side * 1e-6, alternative) < 0.2
            assert p(row[end] - side * 1e-6, alternative) >= 0.2


def test_random_trials_and_blocks_of_pairs(monkeypatch):
    """Pairs in one block or in many."""
    values = np.random.default_rng(3).normal(0.05, 0.2, (20, 9))
    in_order = values[np.argsort([f"q{k}" for k in range(20)])]  # as the drawn requests are
    how = {"test": "bootstrap", "trials": 300, "seed": 5, "correction": "none"}
    found = lf.equivalence(of_columns(values), 0.1, **how)
    drawn = drawn_requests(20, 300, 5)
    for row, x in zip(found.rows(named=True), in_order.T, strict=True):
        for kind, limit in (("not_worse_a", -0.1), ("better_by_margin_a", 0.1)):
            p = oracle.bootstrap((x - limit).tolist(), drawn, "greater")
            assert row[f"p_{kind}"] == pytest.approx(p)
    monkeypatch.setattr("lexiframe.core.significance.bootstrapped_t._CELLS", 1)
    again = lf.equivalence(of_columns(values), 0.1, **how)
    assert again["conclusion"].equals(found["conclusion"])
    assert again["ci_low"].to_list() == pytest.approx(found["ci_low"].to_list())


DRAWN = {
    "normal": lambda rng, shape: rng.normal(0, 1, shape),
    # The difference of skewed scores of two runs, one of which is twice as good.
    "skewed scores": lambda rng, shape: rng.beta(0.8, 1.2, shape) - rng.beta(0.4, 1.6, shape) - 0.2,
    "discrete": lambda rng, shape: rng.choice([-1.0, 0.0, 1.0], shape, p=[0.25, 0.5, 0.25]),
}


OF_MANY = {"trials": 1000, "baseline": "z"}


def at_most(alpha, n):
    """The share of n samples above which the true rate is not alpha, but once in a thousand."""
    return stats.binom.isf(0.001, n, alpha) / n


@pytest.mark.slow
@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("test", TESTS)
def test_on_the_margin_at_most_alpha_is_said_to_be_good_enough(test, drawn):
    """With the true difference −δ run a is worse, with +δ run b; neither pair is equivalent."""
    rng, samples, n = np.random.default_rng(11), 2000, 50
    values = DRAWN[drawn](rng, (n, samples))
    margin = 4 * DRAWN[drawn](rng, 10**5).std() / np.sqrt(n)
    for shift, run in ((-margin, "a"), (margin, "b")):
        table = lf.equivalence(of_columns(values + shift), margin, test, "none", **OF_MANY)
        for kind in ("equivalent", f"not_worse_{run}"):
            assert (table[f"p_{kind}"] < 0.05).mean() <= at_most(0.05, samples), (kind, shift)
        right = "a" if run == "b" else "b"
        assert (table[f"p_not_worse_{right}"] < 0.05).mean() > 0.95


@pytest.mark.slow
def test_the_bootstrap_keeps_alpha_where_differences_are_skewed():
    """Exponential differences, with 100 requests; t does not, see the docstring's figures."""
    values = np.random.default_rng(12).exponential(1, (100, 2000)) - 1
    table = lf.equivalence(of_columns(values + 0.4), 0.4, ["bootstrap", "t"], "none", **OF_MANY)
    share = dict(table.group_by("test").agg((pl.col("p_equivalent") < 0.05).mean()).rows())
    assert share["bootstrap"] <= at_most(0.05, 2000) < share["t"] < 0.1


@pytest.mark.parametrize("test", TESTS)
def test_power_rises_to_1_with_the_requests(test):
    """Of equal runs all are found equivalent in the end, and of runs beyond the margin none."""
    rng, shares = np.random.default_rng(4), []
    for n in (10, 40, 160):
        d = of_columns(rng.normal(0, 1, (n, 100)))
        table = lf.equivalence(d, 0.4, test, "none", trials=400, baseline="z")
        shares.append((table["conclusion"] == "equivalent").mean())
    assert shares[0] < 0.3 < shares[1] < shares[2]
    assert shares[2] > 0.98
    apart = lf.equivalence(
        of_columns(rng.normal(0.8, 1, (160, 100))), 0.4, test, "none", trials=400
    )
    assert (apart["conclusion"] == "a better").mean() > 0.98
    assert (apart["p_better_by_margin_a"] < 0.05).mean() > 0.98


OTHER = {"a better": "b better", "b better": "a better", "a not worse": "b not worse"}
OTHER |= {"b not worse": "a not worse"}


@pytest.mark.filterwarnings("ignore:equivalence. no p-value")  # of too few requests
@settings(max_examples=10)
@given(
    values=st.lists(
        st.tuples(*[st.integers(-8, 8).map(lambda x: x / 8)] * 3), min_size=1, max_size=9
    ),
    margin=st.floats(0.01, 1.5),
)
@example(values=[(0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.75, 0.0)], margin=1.0)  # one is ahead
@pytest.mark.parametrize("test", TESTS)
def test_swapped_names_swap_the_answers(test, values, margin):
    s = scores(dict(zip("xyz", map(list, zip(*values, strict=True)), strict=True)))
    turned = s.with_columns(run=pl.col("run").replace_strict({"x": "c", "y": "b", "z": "a"}))
    options = {"trials": 600, "alpha": 0.1}
    there, back = (lf.equivalence(t, margin, test, **options) for t in (s, turned))
    names = {"c": "x", "b": "y", "a": "z"}
    back = back.with_columns(
        run_a=pl.col("run_b").replace_strict(names), run_b=pl.col("run_a").replace_strict(names)
    ).sort("run_a", "run_b")
    assert back["mean_difference"].to_list() == [-x for x in there["mean_difference"]]
    for kind in KINDS:
        other = kind[:-1] + {"a": "b", "b": "a"}[kind[-1]] if kind[-2] == "_" else kind
        for column in (f"p_{kind}", f"p_{kind}_adjusted"):
            mirror = column.replace(kind, other)
            assert there[column].to_list() == pytest.approx(back[mirror].to_list(), rel=1e-9)
    for row, mirrored in zip(there.rows(named=True), back.rows(named=True), strict=True):
        assert row["trivial"] == mirrored["trivial"]
        sides = [row[f"p_not_worse_{side}_adjusted"] < options["alpha"] for side in "ab"]
        if all(sides) and row["mean_difference"] == 0 and row["conclusion"] in OTHER:
            # Neither is ahead, nor are they equivalent after the correction: the first is named.
            assert row["conclusion"] == mirrored["conclusion"] == "a not worse"
            continue
        assert OTHER.get(row["conclusion"], row["conclusion"]) == mirrored["conclusion"]


@pytest.mark.filterwarnings("ignore:equivalence. no p-value")  # of too few requests
@given(data=st.data())
@settings(max_examples=10)
def test_any_table(data):
    """p in 0..1, corrected ones no smaller, and conclusions in the order that they are asked in."""
    numbers = st.lists(
        st.none() | st.integers(-9, 9).map(lambda x: x / 10), min_size=1, max_size=12
    )
    d = preferences({pair: data.draw(numbers) for pair in ("ab", "ac", "bc")})
    if not d.height:
        return
    table = lf.equivalence(d, data.draw(st.floats(1e-3, 1)), TESTS, trials=400, alpha=0.2)
    for row in table.rows(named=True):
        for kind in KINDS:
            assert 0 <= row[f"p_{kind}"] <= row[f"p_{kind}_adjusted"] <= 1
        yes = {kind: row[f"p_{kind}_adjusted"] < 0.2 for kind in KINDS}
        ahead = "a" if row["mean_difference"] > 0 else "b"
        not_worse = [run for run in "ab" if yes[f"not_worse_{run}"]]
        if yes["equivalent"]:
            assert (row["conclusion"], not_worse) == ("equivalent", ["a", "b"])
        elif yes["better"]:
            assert row["conclusion"] == f"{ahead} better"
        elif not_worse:
            assert row["conclusion"] in {f"{run} not worse" for run in not_worse}
        else:
            assert row["conclusion"] == "undecided"
        assert row["trivial"] == (yes["equivalent"] and yes["better"])
        assert row["ci_low"] is None or row["n"] > 1


def test_the_conclusions():
    few = [0.1, -0.1, 0.12, -0.12]
    table = lf.equivalence(
        preferences(
            {
                "ab": [x / 100 for x in few],
                "ac": [x / 100 + 0.03 for x in few],
                "ad": [x + 1 for x in few],
                "ae": [x - 1 for x in few],
                "af": [x + 0.17 for x in few],
                "ag": [x - 0.17 for x in few],
                "ah": few,
            }
        ),
        0.05,
        correction="none",
    )
    said = ["equivalent", "equivalent", "a better", "b better", *["a not worse", "b not worse"]]
    assert table["conclusion"].to_list() == [*said, "undecided"]
    assert table["trivial"].to_list() == [False, True, *[False] * 5]


@pytest.mark.parametrize("test", TESTS)
def test_equal_differences_and_one_request_decide_nothing(test):
    """Whatever the margin: two requests with one difference would else pass any gate."""
    pairs = {"ab": [0.1] * 9, "ac": [0.3] * 9, "ad": [-0.3] * 9, "ae": [0.1 + 0.2, 0.3] * 4 + [0.3]}
    pairs |= {"af": [0.0] * 9, "ag": [0.0] + [None] * 8, "ah": [5.0] * 2 + [None] * 7}
    pairs |= {
        "ai": [0.02 + k * 1e-14 for k in range(9)],
        "aj": [1e6 * (1 + 1e-13), 1e6] * 4 + [1e6],
    }
    table = lf.equivalence(preferences(pairs), 0.3, test, "none", trials=1000)
    assert table["conclusion"].to_list() == ["undecided"] * 9
    assert (table.select(f"p_{kind}" for kind in KINDS).to_numpy() == 1).all()
    assert table["ci_low"].null_count() == table["ci_high"].null_count() == 9


def test_differences_that_vary_at_all_are_tested():
    d = preferences({"ab": [0.02 + k * 1e-10 for k in range(9)]})
    assert lf.equivalence(d, 0.3)["conclusion"].item() == "equivalent"


@pytest.mark.parametrize("called", [lf.equivalence, lf.gate])
def test_randomization_is_not_offered_with_a_margin(called):
    names = {"baseline": "b"} | ({"candidate": "a"} if called is lf.gate else {})
    with pytest.raises(lf.LexiframeError, match="found 'randomization'; with a margin it would te"):
        called(preferences({"ab": [0.1, 0.2]}), 0.1, test="randomization", **names)


@pytest.mark.slow
def test_every_question_is_corrected_over_its_family():
    d = of_columns(np.random.default_rng(1).normal(0.1, 0.3, (30, 6)))
    d = pl.concat([d, d.with_columns(measure=pl.lit("other"), preference=pl.col("preference") / 3)])
    groups = {"requests": pl.DataFrame({"query_id": [f"q{k}" for k in range(30)],
                                        "kind": ["x", "y"] * 15}), "by": "kind"}  # fmt: skip
    for family, same in (("measure", ["kind", "measure"]), ("all", [])):
        table = lf.equivalence(d, 0.2, "t", ["holm", "bh"], family=family, **groups)
        assert table.columns[0] == "kind"
        names = {"holm": "holm", "bh": "fdr_bh"}
        for (correction, *_), part in table.group_by("correction", *same):
            for kind in KINDS:
                expected = multipletests(part[f"p_{kind}"], method=names[correction])[1]
                assert part[f"p_{kind}_adjusted"].to_list() == pytest.approx(expected.tolist())
    one = lf.equivalence(d.filter(pl.col("query_id").str.slice(1).cast(int) % 2 == 0), 0.2)
    assert one.equals(table_of(lf.equivalence(d, 0.2, **groups), "x"))


def table_of(table, kind):
    return table.filter(kind=kind).drop("kind")


SCORES = scores({"a": [0.5, 0.3, 0.4], "b": [0.2, 0.1, 0.3], "c": [0.4, 0.1, 0.1]}, "AP")


def test_against_a_baseline():
    """The baseline is run_b, and a margin in % a share of its mean."""
    table = lf.equivalence(SCORES, "50%", baseline="b")
    assert table["run_a"].to_list() == ["a", "c"]
    assert table["run_b"].to_list() == ["b", "b"]
    assert table["margin"].to_list() == pytest.approx([0.1, 0.1])
    same = lf.equivalence(SCORES, 0.1, baseline="b")
    assert table["p_equivalent"].to_list() == pytest.approx(same["p_equivalent"].to_list())
    of_two = only(SCORES.filter(pl.col("run") != "a"), 0.1)
    assert (of_two["run_a"], of_two["p_not_worse_b"]) == ("b", same["p_not_worse_a"][1])
    assert of_two["p_better_by_margin_b"] == same["p_better_by_margin_a"][1]
    kinds = pl.DataFrame({"query_id": ["q1", "q2", "q3"], "kind": ["x", "y", "y"]})
    by_kind = lf.equivalence(SCORES, "50 %", baseline="b", requests=kinds, by="kind")
    assert by_kind["margin"].to_list() == pytest.approx([0.1, 0.1, 0.1, 0.1])
    smaller = SCORES.with_columns(value=1 - pl.col("value"), smaller_is_better=pl.lit(True))
    turned = lf.equivalence(smaller, 0.1, baseline="b")
    assert turned["conclusion"].equals(same["conclusion"])


def test_margins_by_measure():
    both = pl.concat([SCORES, SCORES.with_columns(measure=pl.lit("RR"))])
    table = lf.equivalence(both, {lf.AP: 0.1, "RR": "10%"}, baseline="a")
    assert dict(table.select("measure", "margin").rows()) == pytest.approx({"AP": 0.1, "RR": 0.04})


@pytest.mark.parametrize(
    "options, message",
    [
        ({"margin": 0}, "equivalence: expected margin to be a number above 0.*found 0"),
        ({"margin": -0.1}, "found -0.1"),
        ({"margin": True}, "found True"),
        ({"margin": float("nan")}, "found nan"),
        ({"margin": "2"}, "found '2'"),
        ({"margin": "x%", "baseline": "a"}, "found 'x%'"),
        ({"margin": "0%", "baseline": "a"}, "found '0%'"),
        ({"margin": {}}, "equivalence: expected a margin for each measure, found none"),
        ({"margin": {"RR": 0.1}}, "expected a margin for each measure, found none for AP; name it"),
        ({"margin": {"AP": 0.1, "AP@1": 0.1}}, "unknown measure 'AP@1'; did you mean AP"),
        ({"margin": "2%"}, "is a share of the baseline's mean, and no baseline is named"),
        (
            {"margin": "2%", "baseline": "zero"},
            "found 2 % of the baseline's mean of AP, which is 0",
        ),
        ({"baseline": "d"}, "unknown run 'd'"),
        ({"margin": "2%", "baseline": "d"}, "unknown run 'd'"),
        ({"test": "sign"}, "equivalence: expected test to be one of 't', 'bootstrap'"),
        ({"test": []}, "equivalence: expected a test and a correction, found none"),
        ({"correction": "tukey"}, "equivalence: expected correction to be one of"),
        ({"family": "each"}, "equivalence: expected family to be one of"),
        ({"alpha": 0}, "equivalence: expected alpha between 0 and 1, found 0"),
        ({"alpha": 0.5}, "equivalence: expected alpha below 0.5, found 0.5; two one-sided tests"),
        ({"trials": 0}, "equivalence: expected trials to be a whole number from 1"),
    ],
)
def test_wrong_arguments(options, message):
    zero = pl.concat([SCORES, SCORES.filter(run="a").with_columns(run=pl.lit("zero"), value=0.0)])
    with pytest.raises(lf.LexiframeError, match=message):
        lf.equivalence(zero, **{"margin": 0.1, **options})


def test_wrong_tables():
    d = preferences({"ab": [0.1, 0.2]}, "AP")
    with pytest.raises(lf.LexiframeError, match="expected the scores of AP, of whose mean the mar"):
        lf.equivalence(d, "2%", baseline="b")
    with pytest.raises(lf.LexiframeError, match="equivalence: expected preferences between runs"):
        lf.equivalence(d.clear(), 0.1)
    with pytest.raises(lf.LexiframeError, match="equivalence: expected finite values, found 1"):
        lf.equivalence(preferences({"ab": [0.1, float("inf")]}), 0.1)


@pytest.mark.parametrize("name", ["conclusion", "trivial", "p_better_adjusted", "correction"])
def test_attributes_with_the_name_of_a_column_are_refused(name):
    s = scores({"a": [0.5, 0.3, 0.4], "b": [0.2, 0.1, 0.3]})
    kinds = s.select("query_id").unique().with_columns(pl.lit("x").alias(name))
    with pytest.raises(lf.LexiframeError, match=f"by: {name} is a column of the table already"):
        lf.equivalence(s, 0.1, requests=kinds, by=name)
