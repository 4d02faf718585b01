"""Strengths at equal lengths and positions, and in groups of requests."""

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize

import lexiframe as lf
from lexiframe.core.orderings.likeliest import fitting
from lexiframe.decide.votes.strengths import estimates

FOLDER = lf.bundled("votes")
REQUESTS = lf.bundled("digits") / "queries.parquet"
NAMES = ["log_length", "position"]


def answers():
    return pl.read_csv(FOLDER / "answers.csv").with_columns(log_length=pl.col("length").log())


def design(j):
    """One column a run, 1 for run_a and −1 for run_b, and the differences of the covariates."""
    runs = sorted({*j["run_a"], *j["run_b"]})
    length = {(q, run): x for q, run, x in answers().select("query_id", "run", "log_length").rows()}
    rows = np.zeros((j.height, len(runs) + 2))
    for row, (q, a, b, first) in enumerate(j.select("query_id", "run_a", "run_b", "first").rows()):
        rows[row, runs.index(a)], rows[row, runs.index(b)] = 1, -1
        rows[row, -2:] = length[q, a] - length[q, b], 1 if first == "a" else -1
    return runs, rows


def test_longer_pages_no_longer_make_a_run_the_strongest():
    """They were simulated: pca8_euclidean shows pages that are twice as long."""
    v = lf.read_preferences(FOLDER / "votes.csv")
    assert lf.bradley_terry(v).strengths["run"][0] == "pca8_euclidean"
    found = lf.bradley_terry(v, answers=answers(), covariates=NAMES)
    assert found.strengths["run"][0] == "isomap8_euclidean"
    low = dict(found.covariates.select("covariate", "ci_low").iter_rows())
    assert min(low.values()) > 0
    assert "Covariates" in str(found.summary("all"))
    assert found.verdict["sentence"][-1] == (
        "Strengths are those of answers that do not differ in log_length and position."
    )
    sd, per_sd, x = found.covariates.select("sd", "per_sd", "coefficient").row(0)
    _, rows = design(v.judgments)
    assert sd == pytest.approx(np.sqrt((rows[:, -2] ** 2).mean()))
    assert per_sd == pytest.approx(sd * x)
    assert (found.pairs["residual"] ** 2).mean() < 2


def few(winners="abab"):
    """Two requests, two runs, and answers whose lengths decide nothing alone."""
    rows = [("1", "x", "y", "a"), ("1", "x", "y", "b"), ("2", "x", "y", "a"), ("2", "x", "y", "a")]
    names = ["query_id", "run_a", "run_b", "winner"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(
        winner=pl.Series([*winners]), first=pl.Series([*"abaa"])
    )


LENGTHS = pl.DataFrame({"query_id": [*"1122"], "run": [*"xyxy"], "length": [3, 1, 2, 5]})


def test_ties_have_a_probability_of_their_own_beside_covariates():
    rows = [
        ("1", "x", "y", "a"),
        ("1", "x", "y", "tie"),
        ("2", "x", "y", "b"),
        ("2", "x", "y", "a"),
    ]
    names = ["query_id", "run_a", "run_b", "winner"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    difference = {"1": 2.0, "2": -3.0}

    def negative(theta):
        total = 0.0
        for q, _, _, winner in rows:
            d = 2 * theta[0] + theta[2] * difference[q]
            p = np.array([np.exp(d / 2), np.exp(-d / 2), np.exp(theta[1])])
            total -= np.log(p["a b tie".split().index(winner)] / p.sum())
        return total

    expected = minimize(negative, np.zeros(3), tol=1e-12).x
    found = lf.bradley_terry(frame, answers=LENGTHS, ties="davidson")
    ours = [found.strengths.sort("run")["strength"][0], np.log(found.nu)]
    assert [*ours, found.covariates["coefficient"][0]] == pytest.approx(list(expected), abs=1e-4)


REFUSED = {
    r"'length' needs a table of what was shown; give answers=": (None, "length"),
    r"'length' is named twice": (LENGTHS, ["length", "length"]),
    r"found no column run \(found: query_id, length\)": (LENGTHS.drop("run"), None),
    r"the column position would be taken for": (LENGTHS.rename({"length": "position"}), None),
    r"found 2 rows that share theirs \(first: '1', 'x'\)": (LENGTHS[[0, 1, 2, 3, 0]], None),
    r"expected numbers in length, found values of type String": (
        LENGTHS.cast({"length": pl.String}), None,
    ),
    r"found none for 2 answers \(first: x for 2\)": (LENGTHS[:2], None),
    r"unknown covariate 'lenght'; did you mean length": (LENGTHS, "lenght"),
    r"'length' is no more than a difference between runs, so": (
        LENGTHS.with_columns(length=pl.Series([1, 2, 1, 2])), None,
    ),
    r"'twice' is no more than a difference between runs and in length, so": (
        LENGTHS.with_columns(twice=2 * pl.col("length")), None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("message, given", REFUSED.items())
def test_covariates_that_cannot_be_used_are_refused(message, given):
    shown, names = given
    with pytest.raises(lf.LexiframeError, match=message):
        lf.bradley_terry(few("abaa"), answers=shown, covariates=names)


def test_covariates_that_say_all_judgments_beforehand_are_refused():
    """The longer answer always won, though either run won."""
    with pytest.raises(lf.LexiframeError, match="with length some judgments can be told before"):
        lf.bradley_terry(few("aabb"), answers=LENGTHS)
    found = lf.bradley_terry(few("abab"), answers=LENGTHS)  # the longer one also lost
    assert found.covariates["coefficient"][0] == pytest.approx(0, abs=1e-12)


def test_a_covariate_that_is_named_twice_is_refused():
    with pytest.raises(lf.LexiframeError, match="covariates: 'length' is named twice; name it"):
        lf.bradley_terry(few("abab"), answers=LENGTHS, covariates=["length", "length"])


def test_a_position_that_nobody_knows_is_refused():
    with pytest.raises(lf.LexiframeError, match="'position' needs to know which answer was shown"):
        lf.bradley_terry(few().drop("first"), covariates="position")
    with pytest.raises(lf.LexiframeError, match="interval='percentile' is without covariates"):
        lf.bradley_terry(few(), covariates="position", interval="percentile", samples=5)


def test_strengths_in_groups_are_those_of_their_requests_alone():
    v = lf.read_preferences(FOLDER / "votes.csv")
    found = lf.bradley_terry(v, requests=REQUESTS, groups="loop").groups
    loop = pl.read_parquet(REQUESTS).select("query_id", "loop")
    of_group = v.judgments.join(loop, on="query_id").partition_by("loop", as_dict=True)
    alone = {name: lf.bradley_terry(rows) for (name,), rows in of_group.items()}
    columns = ["run", "strength", "ci_low", "ci_high", "rank", "se", "n_judgments"]
    for name, expected in alone.items():
        ours = found.filter(group=name).select(columns)
        assert ours.equals(expected.strengths.sort("run").select(columns)), name
        assert found.filter(group=name)["n_requests"].unique().to_list() == [expected.n_requests]
    one, other = (alone[name].strengths.sort("run") for name in ("with a loop", "without"))
    row = found.filter(group="with a loop").row(0, named=True)
    assert row["difference"] == pytest.approx(one["strength"][0] - other["strength"][0])
    sizes = [found.filter(group=name)["n_requests"][0] for name in ("with a loop", "without")]
    parts = [s["se"][0] ** 2 * k / (k - 1) for s, k in zip((one, other), sizes, strict=True)]
    from scipy import stats

    half = stats.t.ppf(0.975, min(sizes) - 1) * np.sqrt(sum(parts))
    assert row["difference_high"] - row["difference"] == pytest.approx(half)
    t = abs(row["difference"]) / np.sqrt(sum(parts))
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(t, min(sizes) - 1))
    by_judge = lf.bradley_terry(v, requests=REQUESTS, groups="loop", by="judge").groups
    assert by_judge["difference"].null_count() == 0
    assert by_judge["p_value"].null_count() == by_judge.height  # judges are in both groups


def test_groups_that_have_no_strengths_are_named_and_null():
    kinds = pl.DataFrame({"query_id": ["1", "2"], "kind": ["g", "h"]})
    with pytest.warns(lf.LexiframeWarning, match=r"strengths are null, .*: h \(h: bradley_terry"):
        found = lf.bradley_terry(few("abaa"), requests=kinds, groups="kind").groups
    assert found.filter(group="h")["strength"].null_count() == 2
    assert found.filter(group="g")["strength"].null_count() == 0
    assert found["n_judgments"].to_list() == [2, 2, 2, 2]
    assert found["difference"].null_count() == 4
    for options in ({"requests": kinds}, {"groups": "kind"}):
        with pytest.raises(lf.LexiframeError, match="groups of requests need both, requests="):
            lf.bradley_terry(few("abaa"), **options)


def test_it_does_not_matter_which_run_is_called_a():
    """Neither for the differences of lengths, nor for who was shown first."""
    v = lf.read_preferences(FOLDER / "votes.csv").judgments.head(600)
    turned = v.with_columns(
        run_a="run_b", run_b="run_a", winner=pl.col("winner").replace({"a": "b", "b": "a"}),
        first=pl.col("first").replace({"a": "b", "b": "a"}),
    )  # fmt: skip
    some = pl.int_range(600) % 2 == 0
    mixed = pl.concat([v.filter(some), turned.filter(~some)])
    one, other = (
        lf.bradley_terry(votes, answers=answers(), covariates=NAMES) for votes in (v, mixed)
    )
    for name in ("strengths", "covariates"):
        for column in one.tables()[name].select(pl.selectors.float()).columns:
            ours, theirs = (found.tables()[name][column].to_list() for found in (one, other))
            assert ours == pytest.approx(theirs, abs=1e-9), (name, column)


def test_rows_of_preferences_have_the_coefficients_of_their_judgments():
    """The length of an answer is the same for all judgments of a request."""
    v = lf.read_preferences(FOLDER / "votes.csv")
    one = lf.bradley_terry(v, answers=answers(), covariates="log_length")
    rows = lf.bradley_terry(v.preferences, answers=answers(), covariates="log_length")
    for found in (one.covariates, one.strengths.sort("run")):
        other = rows.covariates if "covariate" in found.columns else rows.strengths.sort("run")
        for column in found.select(pl.selectors.float()).columns:
            assert found[column].to_list() == pytest.approx(other[column].to_list(), abs=1e-9)


def test_strengths_that_are_not_found_are_no_result(monkeypatch):
    monkeypatch.setattr(fitting, "MOST_STEPS", 2)
    monkeypatch.setattr(estimates, "MOST_STEPS", 2)
    with pytest.raises(lf.LexiframeError, match="the likeliest strengths were not found in 2 st"):
        lf.bradley_terry(FOLDER / "votes.csv")
