"""`compare_groups`: whether the difference of two runs differs between groups of requests."""

import itertools
import math
import warnings
from functools import partial

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.core.pairwise.arrays.parts_of_groups import splits
from lexiframe.core.significance import between_groups
from tests.small_tables import preferences, scores

RNG = np.random.default_rng(11)
KIND = "xyyxzzxyxz"
RUNS = {run: RNG.random(10).round(3).tolist() for run in "abc"}
KINDS = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 11)], "kind": [*KIND]})
BY = {"requests": KINDS, "by": "kind"}


def differences(runs, a, b, kind, kinds=KIND):
    both = zip(runs[a], runs[b], kinds, strict=True)
    return np.array([x - y for x, y, k in both if k == kind and None not in (x, y)])


def t_of(x, y, axis=-1):
    return np.abs(stats.ttest_ind(x, y, equal_var=False, axis=axis).statistic)


def exact_p(x, y):
    """By a loop over all ways to deal out the requests."""
    both, observed = np.concatenate([x, y]), t_of(x, y)
    found = [
        t_of(both[[*chosen]], np.delete(both, chosen))
        for chosen in itertools.combinations(range(len(both)), len(x))
    ]
    return np.mean(np.array(found) >= observed * (1 - 1e-9))


# --- Against SciPy ------------------------------------------------------------------------------


def test_welch_is_scipys():
    c = lf.compare_groups(scores(RUNS), "welch", "none", alpha=0.1, **BY)
    assert c.select("run_a", "run_b", "group_a", "group_b").rows() == [
        (a, b, *groups)
        for a, b in itertools.combinations("abc", 2)
        for groups in itertools.combinations("xyz", 2)
    ]
    for row in c.iter_rows(named=True):
        x, y = (
            differences(RUNS, row["run_a"], row["run_b"], row[g]) for g in ("group_a", "group_b")
        )
        theirs = stats.ttest_ind(x, y, equal_var=False)
        low, high = theirs.confidence_interval(0.9)
        assert (row["n_a"], row["n_b"]) == (len(x), len(y))
        assert row["mean_difference_a"] == pytest.approx(x.mean())
        assert row["mean_difference_b"] == pytest.approx(y.mean())
        assert row["interaction"] == pytest.approx(x.mean() - y.mean())
        assert (row["statistic"], row["p_value"]) == pytest.approx(tuple(map(float, theirs)))
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((float(low), float(high)))
        assert row["p_adjusted"] == row["p_value"]
        assert row["reject"] == (row["p_value"] < 0.1)
        assert row["reverses"] == (x.mean() * y.mean() < 0)


@pytest.mark.slow
def test_all_splits_of_few_requests():
    """Exact: by a loop, and by SciPy's permutation test of |t|."""
    c = lf.compare_groups(scores(RUNS), "permutation", "none", **BY)
    for row in c.iter_rows(named=True):
        x, y = (
            differences(RUNS, row["run_a"], row["run_b"], row[g]) for g in ("group_a", "group_b")
        )
        assert row["p_value"] == pytest.approx(exact_p(x, y), abs=1e-12)
        theirs = stats.permutation_test(
            (x, y), t_of, alternative="greater", vectorized=True, n_resamples=math.inf
        )
        assert row["p_value"] == pytest.approx(theirs.pvalue, abs=1e-12)
        assert row["statistic"] == pytest.approx(stats.ttest_ind(x, y, equal_var=False).statistic)


def test_all_splits_with_a_group_of_two_requests():
    """Two have a variance, so that their splits count as those of more."""
    x, y = [0.5, 0.25], [0.125, -0.25, 0.0625]
    d = preferences({"ab": [*x, *y]})
    kinds = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 6)], "kind": [*"xxyyy"]})
    row = lf.compare_groups(d, "permutation", "none", requests=kinds, by="kind").row(0, named=True)
    assert row["p_value"] == pytest.approx(exact_p(x, y), abs=1e-12)


def test_random_splits_of_many_requests():
    runs = {"a": RNG.random(60).tolist(), "b": (RNG.random(60) * 0.5).tolist()}
    kinds = [*"xxy" * 20]
    requests = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 61)], "kind": kinds})
    x, y = (differences(runs, "a", "b", kind, kinds) for kind in "xy")
    theirs = stats.permutation_test(
        (x, y), t_of, alternative="greater", vectorized=True, n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).pvalue  # fmt: skip
    found = lf.compare_groups(scores(runs), "permutation", requests=requests, by="kind", seed=3)
    spread = math.sqrt(theirs * (1 - theirs) * (1 / 20_000 + 1 / 10_000))
    assert found["p_value"][0] == pytest.approx(theirs, abs=4 * spread)
    again = lf.compare_groups(scores(runs), "permutation", requests=requests, by="kind", seed=3)
    other = lf.compare_groups(scores(runs), "permutation", requests=requests, by="kind", seed=4)
    assert again.equals(found)
    assert not other.equals(found)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["welch", "permutation"])
def test_p_values_are_uniform_when_groups_do_not_differ(test):
    """400 measures of noise: about one in ten has p below 0.1, also if one group varies more."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(400, 24)) * np.where(np.arange(24) < 8, 3.0, 1.0)
    d = pl.concat([preferences({"ab": row.tolist()}, f"m{n}") for n, row in enumerate(values)])
    kinds = ["x"] * 8 + ["y"] * 16
    requests = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 25)], "kind": kinds})
    c = lf.compare_groups(d, test, "none", trials=400, requests=requests, by="kind")
    share = (c["p_value"] < 0.1).mean()
    assert abs(share - 0.1) < 3 * math.sqrt(0.09 / 400)


@pytest.mark.slow
def test_few_requests_with_few_values_show_no_groups():
    """Ten equal runs, one relevant item at rank 1 or deep, 3 + 3 requests, all pairs by Holm."""
    rng, wrong = np.random.default_rng(4), {}
    requests = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 7)], "kind": [*"xxxyyy"]})
    values = np.where(rng.random((60, 10, 6)) < 0.5, 1, 1 / rng.integers(10, 1000, (60, 10, 6)))
    s = pl.concat(
        scores(dict(zip("abcdefghij", rows.tolist(), strict=True)), f"m{n}")
        for n, rows in enumerate(values)
    )
    for test in ("permutation", "welch"):
        with warnings.catch_warnings(action="ignore"):
            c = lf.compare_groups(s, test, requests=requests, by="kind")
        wrong[test] = c.filter("reject")["measure"].n_unique() / 60
    assert wrong["permutation"] == 0
    assert wrong["welch"] > 0.15
    default = lf.compare_groups(
        s.filter(measure="m0"), correction="none", requests=requests, by="kind"
    )
    assert default["test"].unique().item() == "permutation"


# --- Where there is no t ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "x, y, statistic, welch, permutation",
    [
        ([0.5, 0.5, 0.5], [0.5, 0.5, 0.5], None, 1.0, 1.0),
        ([0.0, 0.0], [0.0, 0.0, 0.0], None, 1.0, 1.0),
        ([0.5, 0.5, 0.5], [0.25, 0.25, 0.25], math.inf, 2 / 20, 2 / 20),
        ([0.1 + 0.2, 0.3, 0.3], [-0.3, -0.3, -0.3, -0.3], math.inf, 2 / 35, 1 / 35),
        ([0.1, 0.1, 0.1], [0.7, 0.7, 0.7, 0.7, 0.7], -math.inf, 2 / 56, 1 / 56),
        ([0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9], [0.3, 0.3, 0.3], math.inf, 2 / 120, 1 / 120),
        ([0.5], [0.25, 0.5, 0.75], None, 1.0, 1.0),
    ],
)
def test_differences_without_spread(x, y, statistic, welch, permutation):
    d = preferences({"ab": [*x, *y]})
    kinds = pl.DataFrame(
        {"query_id": [f"q{n}" for n in range(1, len(x) + len(y) + 1)],
         "kind": ["x"] * len(x) + ["y"] * len(y)}
    )  # fmt: skip
    by_permutation, by_welch = lf.compare_groups(
        d, ["welch", "permutation"], "none", requests=kinds, by="kind"
    ).iter_rows(named=True)
    assert by_welch["statistic"] == statistic
    assert by_welch["p_value"] == pytest.approx(welch)
    assert by_permutation["p_value"] == pytest.approx(permutation)
    assert by_welch["ci_low"] is by_welch["ci_high"] is None  # no sample is certain


def test_requests_that_some_pairs_lack():
    runs = {**RUNS, "b": [None, *RUNS["b"][1:]], "c": [None if k == "z" else 0.5 for k in KIND]}
    c = lf.compare_groups(scores(runs), ["welch", "permutation"], "none", **BY)
    of_c = c.filter(run_b="c")
    assert set(of_c.select("group_a", "group_b").rows()) == {("x", "y")}
    row = c.filter(test="welch", run_b="b", group_b="y").row(0, named=True)
    x, y = (differences(runs, "a", "b", kind) for kind in "xy")
    assert (row["n_a"], row["n_b"]) == (3, 3)
    assert row["p_value"] == pytest.approx(stats.ttest_ind(x, y, equal_var=False).pvalue)
    row = c.filter(test="permutation", run_b="b", group_b="y").row(0, named=True)
    assert row["p_value"] == pytest.approx(exact_p(x, y))


# --- Families, baselines, groups -----------------------------------------------------------------


def test_families_are_the_pairs_of_runs_and_groups():
    s = pl.concat([scores(RUNS, "AP"), scores({r: v[::-1] for r, v in RUNS.items()}, "RR")])
    for family, n in (("measure", 9), ("all", 18)):
        c = lf.compare_groups(s, "welch", ["bonferroni", "none"], family=family, **BY)
        raw, adjusted = (c.filter(correction=name) for name in ("none", "bonferroni"))
        expected = (raw["p_value"] * n).clip(0, 1).to_list()
        assert adjusted["p_adjusted"].to_list() == pytest.approx(expected)


def test_the_baseline_is_run_b():
    every = lf.compare_groups(scores(RUNS), correction="none", **BY)
    found = lf.compare_groups(scores(RUNS), correction="none", baseline="b", **BY)
    assert found.select("run_a", "run_b").unique().sort("run_a").rows() == [("a", "b"), ("c", "b")]
    assert found.filter(run_a="a").equals(every.filter(run_a="a", run_b="b"))
    bc, cb = every.filter(run_a="b").row(0, named=True), found.filter(run_a="c").row(0, named=True)
    for name in ("mean_difference_a", "mean_difference_b", "interaction", "statistic"):
        assert cb[name] == -bc[name]
    assert (cb["ci_low"], cb["ci_high"]) == (-bc["ci_high"], -bc["ci_low"])
    assert (cb["p_value"], cb["reverses"]) == (bc["p_value"], bc["reverses"])
    with pytest.raises(lf.UnknownNameError, match=r"unknown run 'd'\. Known: a, b, c"):
        lf.compare_groups(scores(RUNS), baseline="d", **BY)


def test_names_of_groups():
    kinds = KINDS.with_columns(
        words=pl.Series([10, 2] * 5), long=pl.Series([True, None, False, None, True] * 2)
    )
    c = lf.compare_groups(scores(RUNS), requests=kinds, by="words")
    assert set(c.select("group_a", "group_b").rows()) == {("10", "2")}
    with warnings.catch_warnings(action="ignore"):
        c = lf.compare_groups(scores(RUNS), requests=kinds, by=["words", "long"])
    assert {"words = 10, long = true", "words = 2, no long"} <= set(c["group_a"]) | set(
        c["group_b"]
    )
    taken = kinds.with_columns(long=pl.Series(["no long", None, "x", "x", "x"] * 2))
    with pytest.raises(lf.LexiframeError, match="two groups are called 'no long'; rename one"):
        lf.compare_groups(scores(RUNS), requests=taken, by="long")


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"test": "t"},
            "compare_groups: expected test to be one of 'welch', 'permutation', found 't'",
        ),
        ({"test": []}, "compare_groups: expected a test and a correction, found none"),
        ({"correction": "by"}, "compare_groups: expected correction to be one of"),
        ({"family": "each"}, "compare_groups: expected family to be one of 'measure', 'all'"),
        ({"alpha": 0}, "compare_groups: expected alpha between 0 and 1"),
        ({"trials": 0}, "compare_groups: expected trials to be a whole number from 1, found 0"),
        ({"by": None, "requests": None}, "compare_groups: which attribute makes the groups"),
        ({"by": "size"}, "unknown attribute 'size'"),
        (
            {"requests": KINDS.with_columns(kind=pl.lit("x"))},
            "at least two groups of requests, found 1",
        ),
    ],
)
def test_arguments_that_do_not_exist(options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare_groups(scores(RUNS), **{**BY, **options})


def test_a_request_in_two_groups():
    """An attribute of runs makes no groups of requests."""
    s = scores(RUNS).with_columns(model=pl.col("run").replace({"c": "b"}))
    with pytest.raises(
        lf.LexiframeError, match="the request 'q1' is in two groups; give attributes"
    ):
        lf.compare_groups(s.rename({"model": "team"}), by="team")


def test_nothing_to_compare():
    runs = {
        "a": RUNS["a"],
        "b": [v if k == "x" else None for v, k in zip(RUNS["b"], KIND, strict=True)],
    }
    with pytest.raises(
        lf.LexiframeError, match="scores of two runs for the same requests, in two g"
    ):
        lf.compare_groups(scores(runs), **BY)
    infinite = {**RUNS, "a": [math.inf, *RUNS["a"][1:]]}
    with pytest.raises(lf.LexiframeError, match="compare_groups: expected finite values"):
        lf.compare_groups(scores(infinite), **BY)


def test_there_are_as_many_trials_as_the_correction_needs(monkeypatch):
    """Ten pairs at .001 need 20,000 trials, by two measures together 40,000."""
    rng, kinds = np.random.default_rng(3), ["x"] * 20 + ["y"] * 20
    runs = {run: k * (np.arange(40) < 20) + rng.normal(size=40) for k, run in enumerate("abcde")}
    kinds = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 41)], "kind": kinds})
    s = scores({run: values.tolist() for run, values in runs.items()})
    s = pl.concat([s, s.with_columns(measure=pl.lit("other"))])
    found = partial(lf.compare_groups, s, alpha=1e-3, requests=kinds, by="kind")
    assert found()["p_value"].min() == pytest.approx(1 / 20_001)
    assert found(family="all")["p_value"].min() == pytest.approx(1 / 40_001)
    assert found(alpha=0.05)["p_value"].min() == pytest.approx(1 / 10_001)
    monkeypatch.setattr(between_groups, "_MOST", 10_000)
    with pytest.warns(lf.LexiframeWarning, match="take more trials, or, where groups have few re"):
        assert found(family="all")["p_value"].min() == pytest.approx(1 / 10_001)


# --- Splits ---------------------------------------------------------------------------------------


def test_all_splits_come_once():
    found = np.concatenate([*splits(3, 7, trials=1000, seed=0)])
    rows = {tuple(row) for row in found}
    assert len(found) == len(rows) == math.comb(7, 3) - 1
    assert (found.sum(axis=1) == 3).all()
    assert (1, 1, 1, 0, 0, 0, 0) not in rows


def test_random_splits_have_the_sizes():
    found = np.concatenate([*splits(30, 100, trials=1001, seed=0)])
    assert found.shape == (1001, 100)
    assert (found.sum(axis=1) == 30).all()
    assert abs(found.mean(axis=0) - 0.3).max() < 5 * math.sqrt(0.21 / 1001)


def evaluated(**groups):
    """An evaluation of a metric and a preference."""
    folder = lf.bundled("example")
    return lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RPP"], **groups)


EXAMPLE = pl.DataFrame({"query_id": "q0066 q0078 q0113 q0175 q0206".split(), "kind": [*"xyxyx"]})


exact = partial(lf.compare_groups, correction="none")


@pytest.mark.slow
def test_an_evaluation_has_its_groups():
    """They had to be given again, and its tables chosen."""
    by_kind = {"requests": EXAMPLE, "by": "kind"}
    grouped, plain = evaluated(**by_kind), evaluated()
    found = exact(grouped, baseline="random")
    parts = {
        "AP": exact(plain.scores, baseline="random", **by_kind),
        "RPP": exact(plain.preferences.filter(measure="RPP"), baseline="random", **by_kind),
    }
    for measure, part in parts.items():
        assert part.height == 2
        assert found.filter(measure=measure).equals(part)
    assert exact(plain, baseline="random", **by_kind).equals(found)
    assert exact(evaluated(baseline="random", **by_kind)).equals(found)
    assert grouped.attributes.sort("query_id").equals(EXAMPLE)
    s = lf.evaluate_scores(plain.scores, **by_kind)
    assert exact(s, baseline="random").equals(parts["AP"])


@pytest.mark.slow
def test_an_evaluation_by_several_attributes_and_by_one_of_them():
    two = EXAMPLE.with_columns(long=pl.Series(["yes", "yes", "yes", "no", "no"]))
    e = evaluated(requests=two, by=["kind", "long"])
    assert exact(e)["group_a"].unique().sort()[0] == "kind = x, long = no"
    by_kind = exact(evaluated(), requests=EXAMPLE, by="kind")
    assert exact(e, by="kind").equals(by_kind)


def test_evaluations_without_groups():
    with pytest.raises(
        lf.LexiframeError, match="compare_groups: the evaluation has no groups; giv"
    ):
        lf.compare_groups(evaluated())
    with pytest.raises(lf.UnknownNameError, match=r"unknown attribute 'size'.*query_id, kind"):
        lf.compare_groups(evaluated(requests=EXAMPLE, by="kind"), by="size")
    folder = lf.bundled("example")
    alone = lf.evaluate(folder / "runs" / "random.run", folder / "qrels.txt", "AP")
    with pytest.raises(lf.LexiframeError, match="an evaluation of two runs or more, found one run"):
        lf.compare_groups(alone, requests=EXAMPLE, by="kind")


def test_tables_without_rows():
    s, d = scores(RUNS).clear(), preferences({"ab": [0.5]}).clear()
    for table, how in ((s, BY), (d, BY), (s.with_columns(kind=pl.lit("x")), {"by": "kind"})):
        with pytest.raises(lf.LexiframeError, match=r"expected at least two groups .*, found 0"):
            lf.compare_groups(table, **how)
    with pytest.raises(lf.SchemaError, match="column query_id to join requests with, found none"):
        lf.compare_groups(pl.DataFrame(), **BY)
