"""Which measure agrees with people: against a plain loop, statsmodels and simulations."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests

import lexiframe as lf
from lexiframe.core.base import resampling

MEASURES = ["AP", "RPP", "RR"]
PAIRS = [("x", "y"), ("x", "z"), ("y", "z")]


def tables(requests, rng, lacking=0.0):
    """Votes of five people, and three measures that follow what they want more or less closely."""
    votes, rows = [], []
    for q in range(requests):
        for a, b in PAIRS:
            want = rng.normal()
            for judge in range(5):
                seen = want + rng.normal()
                side = "tie" if abs(seen) < 0.3 else "left" if seen > 0 else "right"
                votes.append((f"q{q:03}", a, b, side, f"j{judge}"))
            for measure, noise in zip(MEASURES, (0.5, 1.0, 3.0), strict=True):
                value = np.round(want + noise * rng.normal())
                if rng.random() >= lacking:
                    rows.append((f"q{q:03}", a, b, measure, value))
    names = ["query_id", "left", "right", "winner", "judge"]
    v = lf.read_preferences(pl.DataFrame(votes, schema=names, orient="row"))
    names = ["query_id", "run_a", "run_b", "measure", "preference"]
    return pl.DataFrame(rows, schema=names, orient="row"), v


def by_loops(d, v):
    """The credit of each measure in each row that people decide: {(q, a, b): {measure: credit}}."""
    said = {row[:3]: row[4] for row in v.preferences.rows()}
    credit = {key: {} for key, preference in said.items() if preference}
    for q, a, b, measure, value in d.rows():
        if said.get((q, a, b)):
            same = np.sign(value) * np.sign(said[q, a, b])
            credit[q, a, b][measure] = {1: 1.0, 0: 0.5, -1: 0.0}[same]
    return credit


def clustered(values, groups, alpha=0.05):
    """The mean, its interval and p-value, by statsmodels' regression on a constant."""
    fit = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": np.unique(groups, return_inverse=True)[1]}
    )
    df = len(set(groups)) - 1
    half = stats.t.ppf(1 - alpha / 2, df) * fit.bse[0]
    p = 2 * stats.t.sf(abs(fit.params[0]) / fit.bse[0], df)
    return fit.params[0], fit.params[0] - half, fit.params[0] + half, p


@pytest.mark.slow
@pytest.mark.parametrize("lacking", [0.0, 0.2])
def test_shares_intervals_and_differences_are_those_of_loops_and_statsmodels(lacking):
    d, v = tables(12, np.random.default_rng(3), lacking)
    found, credit = lf.concordance(d, v), by_loops(d, v)
    for row in found.measures.iter_rows(named=True):
        known = {key: c[row["measure"]] for key, c in credit.items() if row["measure"] in c}
        values = list(known.values())
        assert (row["n"], row["missing"]) == (len(known), len(credit) - len(known))
        assert (row["agree"], row["ties"]) == (values.count(1.0), values.count(0.5))
        mean, low, high, _ = clustered(values, [q for q, _, _ in known])
        ends = [row["concordance"], row["ci_low"], row["ci_high"]]
        assert ends == pytest.approx([mean, max(low, 0), min(high, 1)], abs=1e-12)
    for row in found.pairs.iter_rows(named=True):
        a, b = row["measure_a"], row["measure_b"]
        both = {key: c[a] - c[b] for key, c in credit.items() if a in c and b in c}
        expected = clustered(list(both.values()), [q for q, _, _ in both])
        names = ("difference", "ci_low", "ci_high", "p_value")
        assert [row[name] for name in names] == pytest.approx(expected, abs=1e-12)
        assert row["n"] == len(both)
    adjusted = multipletests(found.pairs["p_value"], method="holm")[1]
    assert found.pairs["p_adjusted"].to_list() == pytest.approx(adjusted.tolist())
    assert found.pairs["reject"].to_list() == (adjusted < 0.05).tolist()
    assert found.n_undecided == v.preferences.height - len(credit)


def test_strengths_and_requests_are_parts_of_the_whole():
    d, v = tables(12, np.random.default_rng(4))
    found, credit = lf.concordance(d, v), by_loops(d, v)
    strength = {row[:3]: abs(row[4]) for row in v.preferences.rows()}
    for row in found.by_strength.iter_rows(named=True):
        low, high = row["strength_above"], row["strength_up_to"]
        values = [c[row["measure"]] for key, c in credit.items() if low < strength[key] <= high]
        assert (row["n"], row["concordance"]) == (len(values), pytest.approx(np.mean(values)))
    for row in found.requests.iter_rows(named=True):
        values = [c[row["measure"]] for key, c in credit.items() if key[0] == row["query_id"]]
        assert (row["n"], row["concordance"]) == (len(values), pytest.approx(np.mean(values)))
    worst = found.most_disputed("RR", 3)
    assert (
        worst["concordance"].to_list()
        == sorted(found.requests.filter(measure="RR")["concordance"])[:3]
    )


def test_of_equal_concordance_the_request_with_more_against_people_is_more_disputed():
    """A tie is half a credit, and against nobody."""
    counts = pl.DataFrame(
        {"query_id": ["q1", "q2", "q3", "q4"], "measure": "AP", "n": [2, 2, 4, 1],
         "agree": [0, 1, 2, 0], "ties": [2, 0, 0, 0], "concordance": [0.5, 0.5, 0.5, 0.0]}
    )  # fmt: skip
    found = replace(lf.concordance(*tables(2, np.random.default_rng(1))), requests=counts)
    assert found.most_disputed("AP")["query_id"].to_list() == ["q4", "q3", "q2", "q1"]
    assert found.most_disputed("AP", 1)["query_id"].to_list() == ["q4"]


def test_from_thirty_requests_intervals_are_those_of_the_bootstrap():
    d, v = tables(30, np.random.default_rng(5))
    found, credit = lf.concordance(d, v, samples=400, seed=2), by_loops(d, v)
    queries = sorted({q for q, _, _ in credit})
    of_request = {q: [c for key, c in credit.items() if key[0] == q] for q in queries}
    shares, differences = [], []
    for counts in resampling.drawn_requests(len(queries), 400, 2):
        drawn = [c for q, n in zip(queries, counts, strict=True) for c in of_request[q] * int(n)]
        shares.append(np.mean([c["AP"] for c in drawn]))
        differences.append(np.mean([c["AP"] - c["RR"] for c in drawn]))
    row = found.measures.row(0, named=True)
    expected = np.quantile(shares, [0.025, 0.975])
    assert [row["ci_low"], row["ci_high"]] == pytest.approx(expected.tolist(), abs=1e-9)
    pair = found.pairs.filter(measure_a="AP", measure_b="RR").row(0, named=True)
    centred = np.abs(np.array(differences) - pair["difference"])
    p = (1 + (centred >= abs(pair["difference"]) - 1e-12).sum()) / 401
    assert pair["p_value"] == pytest.approx(p, abs=1e-12)


@pytest.mark.slow
def test_differences_of_equal_measures_are_rejected_as_often_as_promised():
    """400 sets of 13 requests: .05 ± four Monte-Carlo standard errors is .094."""
    rng, rejected = np.random.default_rng(6), []
    for _ in range(400):
        effect = np.repeat(rng.normal(0, 0.8, (13, 3)), 8, axis=0)  # requests × people, a, b
        values = effect + rng.normal(size=effect.shape)
        key = {"query_id": [f"q{n // 8}" for n in range(104)], "run_a": "x",
               "run_b": [f"y{n % 8}" for n in range(104)]}  # fmt: skip
        people = pl.DataFrame(key).with_columns(
            measure=pl.lit("s"), preference=np.sign(values[:, 0])
        )
        d = pl.concat(
            pl.DataFrame(key).with_columns(measure=pl.lit(m), preference=values[:, n])
            for m, n in (("AP", 1), ("RR", 2))
        )
        rejected.append(lf.concordance(d, people).pairs["p_value"][0] < 0.05)
    assert np.mean(rejected) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 400)


def test_the_verdict_says_which_measure_and_how_sure():
    d, v = tables(40, np.random.default_rng(9))
    found = lf.concordance(d, v)
    said = str(lf.verdict(found)).replace("\n", " ")
    assert found.best() == "AP"
    assert "It is shown to agree with people more than" in said
    assert "corrected over the 3 pairs of measures" in said
    assert "Where people's preference is weak (up to" in said
    assert str(found).startswith(str(lf.verdict(found)))
    alone = str(lf.concordance(d.filter(query_id="q000"), v, "AP")).replace("\n", " ")
    assert "how sure that is cannot be said" in alone
    assert "has no value for" in alone
    assert "for which it has a value (a tie is half)" in alone
    noise = lf.concordance(d.with_columns(preference=pl.lit(0.0)), v)
    assert noise.measures["concordance"].to_list() == [0.5] * 3


def test_a_difference_that_is_the_same_everywhere_decides_nothing():
    d, v = tables(8, np.random.default_rng(10))
    copy = pl.concat(
        [d.filter(measure="AP"), d.filter(measure="AP").with_columns(measure=pl.lit("RR"))]
    )
    pair = lf.concordance(copy, v).pairs.row(0, named=True)
    assert (pair["difference"], pair["p_value"], pair["ci_low"]) == (0.0, 1.0, None)


BAD = {
    r"other than ties, found 2 ties": ({"preference": [0.0, 0.0]}, {}),
    r"one stated preference for each request and pair": ({"query_id": ["1", "1"]}, {}),
    r"concordance: expected stated preferences of one measure, found 2": (
        {"measure": ["s", "t"]},
        {},
    ),
    r"found none; people judged requests such as '1' and runs such as 'u'": ({"run_a": "u"}, {}),
    r"unknown measure 'nope'": ({}, {"measures": "nope"}),
    r"expected a measure, found none": ({}, {"measures": []}),
    r"alpha between 0 and 1": ({}, {"alpha": 0.0}),
    r"correction to be one of": ({}, {"correction": "tukey"}),
    r"samples to be a whole number from 1": ({}, {"samples": 0}),
}


@pytest.mark.parametrize("message", BAD)
def test_what_cannot_be_compared_is_refused(message):
    changed, options = BAD[message]
    people = {"query_id": ["1", "2"], "run_a": "x", "run_b": "y", "measure": "s"}
    people = pl.DataFrame({**people, "preference": [1.0, -1.0], **changed})
    rows = {"query_id": ["1", "2"], "run_a": "x", "run_b": "y", "measure": "AP", "preference": 1.0}
    measures = options.pop("measures", None)
    with pytest.raises(lf.LexiframeError, match=message):
        lf.concordance(pl.DataFrame(rows), people, measures, **options)


def test_pairs_that_nobody_measured_and_other_things_than_tables_are_refused():
    people = {"query_id": ["1"], "run_a": "x", "run_b": "z", "measure": "s", "preference": 1.0}
    others = pl.concat(
        [pl.DataFrame(people), pl.DataFrame({**people, "run_a": "y", "query_id": "2"})]
    )
    d = pl.DataFrame({"query_id": ["1"], "run_a": "y", "run_b": "z", "measure": "AP",
                      "preference": 1.0})  # fmt: skip
    with pytest.raises(lf.LexiframeError, match="do both tables name them alike"):
        lf.concordance(d, others)
    with pytest.raises(TypeError, match="expected a frame that exports Arrow"):
        lf.concordance("AP", others)
    found = lf.concordance(d.with_columns(run_a=pl.lit("x")), pl.DataFrame(people))
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'RR'"):
        found.most_disputed("RR")


@pytest.mark.parametrize("runs", [["x"], ["x", "z"]])
def test_scores_of_one_judged_run_make_no_pair(runs):
    votes = {"query_id": ["1"], "left": ["x"], "right": ["y"], "winner": ["left"]}
    scores = pl.DataFrame({"run": runs, "query_id": "1", "measure": "AP", "value": 0.5})
    with pytest.raises(lf.LexiframeError, match="the requests and runs that people judged, found"):
        lf.concordance(scores, lf.read_preferences(pl.DataFrame(votes)))
