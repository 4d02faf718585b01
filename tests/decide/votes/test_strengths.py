"""Strengths from side-by-side judgments, against other tools, plain loops and simulations."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.optimize import minimize
from statsmodels.stats.multitest import multipletests

import lexiframe as lf
from lexiframe.core.base import resampling
from lexiframe.core.orderings.likeliest.existence import components, ties_are_bounded
from lexiframe.core.orderings.likeliest.fitting import Counts, fit
from lexiframe.decide.votes.strengths.judged import judged_of
from lexiframe.decide.votes.strengths.resampling import resampled
from tests.benchmarks.strengths import covered
from tests.conftest import SHARED

VOTES = SHARED / "data" / "llmfao" / "votes.csv"
EXPECTED = SHARED / "conformance" / "llmfao"


def votes(rows, **more):
    names = ["query_id", "run_a", "run_b", "winner"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(**more)


THREE = [("1", "x", "y", "a"), ("1", "x", "z", "tie"), ("2", "x", "y", "b"), ("2", "y", "z", "a")]


def loglik(beta, frame):
    total = 0.0
    for _, a, b, winner in frame.rows():
        p = 1 / (1 + np.exp(beta[b] - beta[a]))
        share = {"a": 1, "b": 0, "tie": 0.5}[winner]
        total += share * np.log(p) + (1 - share) * np.log(1 - p)
    return total


def test_strengths_maximise_the_likelihood():
    frame = votes(THREE)
    found = minimize(
        lambda x: -loglik(dict(zip("xyz", x, strict=True)), frame), np.zeros(3), tol=1e-12
    )
    b = lf.bradley_terry(frame)
    beta = dict(zip(b.strengths["run"], b.strengths["strength"], strict=True))
    assert sum(beta.values()) == pytest.approx(0, abs=1e-12)
    assert [beta[r] for r in "xyz"] == pytest.approx(list(found.x - found.x.mean()), abs=1e-5)
    assert b.loglik == pytest.approx(-found.fun, abs=1e-10)


@pytest.mark.conformance
def test_other_tools_find_the_same_strengths():
    b = lf.bradley_terry(lf.read_preferences(VOTES))
    assert b.loglik == pytest.approx(-5743.3817238829, abs=1e-9)
    own = b.strengths.sort("run")
    loop = pl.read_parquet(EXPECTED / "llmfao_bradley_terry.parquet").sort("run")
    assert own["run"].to_list() == loop["run"].to_list()
    assert own["strength"].to_list() == pytest.approx(loop["beta"].to_list(), abs=1e-9)
    assert own["se"].to_list() == pytest.approx(loop["se_request"].to_list(), abs=1e-9)
    evalica = pl.read_csv(EXPECTED / "evalica.csv").filter(algorithm="bradley_terry").sort("item")
    log = evalica["score"].log()
    assert own["strength"].to_list() == pytest.approx((log - log.mean()).to_list(), abs=1e-9)
    rank = pl.read_csv(EXPECTED / "arena_rank.csv").sort("competitors")
    theirs = (rank["ratings"] - rank["ratings"].mean()) * np.log(10) / 400
    assert own["strength"].to_list() == pytest.approx(theirs.to_list(), abs=1e-3)


@pytest.mark.conformance
def test_davidson_and_priors_are_those_of_plain_loops():
    v = lf.read_preferences(VOTES)
    loop = pl.read_parquet(EXPECTED / "llmfao_bradley_terry.parquet").sort("run")
    tied = lf.bradley_terry(v, ties="davidson")
    summary = json.loads((EXPECTED / "llmfao_summary.json").read_text())
    assert tied.nu == pytest.approx(summary["nu"], abs=1e-9)
    assert tied.loglik == pytest.approx(-8995.839704, abs=1e-6)
    # The loop stopped where the likelihood no longer changed, the strengths by less than 2e-8.
    theirs = loop["davidson"].to_list()
    assert tied.strengths.sort("run")["strength"].to_list() == pytest.approx(theirs, abs=5e-8)
    prior = lf.bradley_terry(v, prior=1)
    assert prior.loglik == pytest.approx(-5743.389261382998, abs=1e-9)
    theirs = loop["prior1"].to_list()
    assert prior.strengths.sort("run")["strength"].to_list() == pytest.approx(theirs, abs=1e-9)


@pytest.mark.conformance
def test_intervals_take_judgments_of_a_request_together():
    """Single judgments have a median of .1156, and requests of .178: the default is the latter."""
    v = lf.read_preferences(VOTES)
    assert lf.bradley_terry(v).strengths["se"].median() == pytest.approx(0.17827, abs=1e-5)
    single = lf.bradley_terry(v, by="judgment").strengths
    assert single["se"].median() == pytest.approx(0.11563, abs=1e-5)
    rank = pl.read_csv(EXPECTED / "arena_rank.csv")
    assert np.sqrt(rank["variances"]).median() * np.log(10) / 400 == pytest.approx(
        single["se"].median(), abs=1e-3
    )
    loop = pl.read_parquet(EXPECTED / "llmfao_bradley_terry.parquet").sort("run")
    judge = lf.bradley_terry(v, by="judge").strengths.sort("run")["se"]
    assert judge.to_list() == pytest.approx(loop["se_judge"].to_list(), abs=1e-9)
    both = lf.bradley_terry(v, by="both").strengths.sort("run")["se"]
    squares = loop["se_request"] ** 2 + loop["se_judge"] ** 2 - loop["se_single"] ** 2
    least = np.maximum(np.sqrt(squares.to_numpy()), loop["se_single"].to_numpy())
    assert both.to_list() == pytest.approx(least.tolist(), abs=1e-9)


@pytest.mark.conformance
def test_rows_of_preferences_count_their_judgments():
    v = lf.read_preferences(VOTES)
    rows = lf.bradley_terry(v.preferences).strengths.sort("run")
    single = lf.bradley_terry(v).strengths.sort("run")
    assert rows["strength"].to_list() == pytest.approx(single["strength"].to_list(), abs=1e-9)


@pytest.mark.conformance
def test_the_existence_of_a_maximum_is_that_of_the_cases():
    for name, case in json.loads((EXPECTED / "ford_cases.json").read_text()).items():
        n = 1 + max(i for row in [*case["wins"], *case["ties"]] for i in row[:2])
        wins, ties = np.zeros((n, n)), np.zeros((n, n))
        for a, b, k in case["wins"]:
            wins[a, b] += k
        for a, b, k in case["ties"]:
            ties[a, b] += k
        found = components(wins + (ties + ties.T) / 2)
        assert found.exists == case["exists"], name
        assert found.parts == case["parts"], name
        assert (found.never_lost, found.never_won) == (case["never_lost"], case["never_won"]), name
        a, b = np.nonzero(wins)
        ta, tb = np.nonzero(ties)
        zero = np.zeros(len(a))
        counts = Counts(
            n, np.r_[a, ta], np.r_[b, tb], np.r_[wins[a, b], 0 * ta], np.r_[zero, 0 * ta],
            np.r_[zero, ties[ta, tb]],
        )  # fmt: skip
        assert fit(counts, prior=1).beta == pytest.approx(case["beta_prior1"], abs=1e-9), name
        if case["exists"]:
            assert fit(counts).beta == pytest.approx(case["beta"], abs=1e-9), name


def test_sets_that_prevent_a_maximum_are_named():
    won = votes([("1", "x", "y", "a"), ("2", "y", "z", "a"), ("2", "y", "z", "b")])
    with pytest.raises(
        lf.LexiframeError, match=r"found that \{'x'\} won all .* runs; \{'y', 'z'\} lost all comp"
    ):
        lf.bradley_terry(won)
    parts = votes([(q, a, b, w) for q, a, b in [("1", "u", "v"), ("2", "x", "y")] for w in "ab"])
    with pytest.raises(lf.LexiframeError, match=r"2 parts never met: \{'u', 'v'\}, \{'x', 'y'\}"):
        lf.bradley_terry(parts)
    prior = lf.bradley_terry(won, prior=1)
    assert prior.strengths["run"][0] == "x"
    won_all = (
        "{'x'} won all comparisons with other runs; {'y', 'z'} lost all comparisons with other"
    )
    assert prior.prevented == f"{won_all} runs"
    said = " ".join(str(prior).split())
    assert f"rest on it: {won_all} runs." in said
    met = votes([("1", "x", "y", "a"), ("2", "x", "y", "b")])
    assert lf.bradley_terry(met, prior=1).prevented == ""


def test_davidson_without_a_maximum_is_refused():
    ties = votes([("1", "x", "y", "tie"), ("2", "x", "y", "tie")])
    with pytest.raises(lf.LexiframeError, match="found ties alone"):
        lf.bradley_terry(ties, ties="davidson")
    one = pl.concat([ties, votes([("3", "x", "y", "a")])])
    with pytest.raises(lf.LexiframeError, match="more wins than ties, found none"):
        lf.bradley_terry(one, ties="davidson")
    win, tie = np.array([[0, 1], [0, 0]]), np.array([[0, 1], [1, 0]])
    assert not ties_are_bounded(win, tie)
    without = lf.bradley_terry(
        votes([*THREE[2:], ("3", "x", "y", "a"), ("3", "z", "x", "a")]), ties="davidson"
    )
    assert without.nu == 0


def test_samples_without_a_maximum_are_counted():
    rows = [(str(q), "x", "y", "a" if q else "b") for q in range(6)]
    with pytest.warns(lf.LexiframeWarning, match="samples without strengths of greatest"):
        b = lf.bradley_terry(votes(rows), interval="bootstrap", samples=60)
    assert 0 < b.without_maximum < 60
    assert b.samples == 60


def test_a_copy_of_a_run_shares_its_rank():
    rows = [
        (q, a, b, w)
        for q, a, b, w in [("1", "x", "z", "a"), ("2", "x", "z", "b"), ("3", "x", "z", "a")]
    ]
    copy = [(q, "y", b, w) for q, _, b, w in rows]
    strengths = lf.bradley_terry(votes(rows + copy)).strengths
    assert dict(zip(strengths["run"], strengths["rank"], strict=True)) == {
        "x": 1.5,
        "y": 1.5,
        "z": 3.0,
    }


def test_expected_shares_and_probabilities_of_pairs():
    b = lf.bradley_terry(votes(THREE), elo=True)
    row = b.pairs.filter(run_a="x", run_b="y").row(0, named=True)
    beta = dict(zip(b.strengths["run"], b.strengths["strength"], strict=True))
    assert row["observed_share"] == 0.5
    assert row["p_a_wins"] == pytest.approx(1 / (1 + np.exp(beta["y"] - beta["x"])))
    assert row["difference"] == pytest.approx(beta["x"] - beta["y"])
    elo = dict(zip(b.strengths["run"], b.strengths["elo"], strict=True))
    assert elo["x"] == pytest.approx(1000 + 400 / np.log(10) * beta["x"])
    assert b.largest_residuals(1).height == 1
    assert str(b).startswith("y has the greatest strength of 3 runs")


def test_one_request_has_no_interval():
    one = lf.bradley_terry(votes([("1", "x", "y", "a"), ("1", "x", "y", "b")]))
    assert one.strengths["ci_low"].null_count() == 2
    assert "How sure that is cannot" in str(one)


@pytest.mark.slow
@pytest.mark.parametrize("prior", [0.1, 1.0, 2.7])
@pytest.mark.parametrize("interval", ["sandwich", "bootstrap", "percentile"])
def test_groups_that_are_all_alike_say_nothing_of_how_sure_strengths_are(prior, interval):
    for requests in (2, 3, 7):
        rows = [(str(q), *row) for q in range(requests) for row in (("x", "y", "a"), *TURNED)]
        b = lf.bradley_terry(votes(rows), prior=prior, interval=interval)
        assert (b.strengths["se"] == 0).all()
        assert b.strengths["ci_low"].null_count() == b.pairs["ci_high"].null_count() == 3
        assert b.pairs["p_value"].to_list() == [1, 1, 1]
        assert b.may_be_first() == b.strengths["run"].to_list()
        assert "cannot be said, as no two groups of judgments differ" in str(b).replace("\n", " ")


TURNED = [("y", "z", "a"), ("x", "z", "tie")]


BAD = {
    r"by='judge' needs to know who judged": {"by": "judge"},
    r"bradley_terry: expected prior to be a number of comparisons": {"prior": -1.0},
    r"interval='bootstrap' draws requests or judges": {"interval": "bootstrap", "by": "judgment"},
    r"expected ties to be one of": {"ties": "win"},
    r"'percentile' needs at least 2 samples, found 1": {"interval": "percentile", "samples": 1},
}


@pytest.mark.parametrize("message, options", BAD.items())
def test_options_that_do_not_fit_are_refused(message, options):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.bradley_terry(votes(THREE), **options)


def test_bad_judgments_are_refused():
    with pytest.raises(lf.LexiframeError, match="to be 'a', 'b' or 'tie', found 'left'"):
        lf.bradley_terry(votes([("1", "x", "y", "left")]))
    with pytest.raises(
        lf.LexiframeError, match="two runs in each judgment, found 'x' against itself"
    ):
        lf.bradley_terry(votes([("1", "x", "x", "a")]))
    with pytest.raises(lf.LexiframeError, match="at least one judgment, found none"):
        lf.bradley_terry(votes(THREE).clear())
    d = pl.DataFrame(
        {"query_id": "1", "run_a": "x", "run_b": "y", "measure": ["m", "n"], "preference": 0.5}
    )
    with pytest.raises(
        lf.LexiframeError,
        match="bradley_terry: expected the preferences of one measure, found 2; filter them",
    ):
        lf.bradley_terry(d)
    with pytest.raises(lf.LexiframeError, match="stated preferences from -1 to 1"):
        lf.bradley_terry(d.head(1).with_columns(preference=pl.lit(2.0)))
    with pytest.raises(lf.LexiframeError, match="needs single judgments, found means"):
        lf.bradley_terry(d.head(1), by="judgment", prior=1.0)


@pytest.mark.slow
def test_default_intervals_hold_what_they_promise_and_single_judgments_do_not():
    """150 sets × 6 runs; a share below .91 is four standard errors of the sets away from .95."""
    found = covered(13, 100, 0, ("request", "judgment"), 150, seed=7)
    assert found["request"][0] > 0.91
    assert found["judgment"][0] < 0.85


@pytest.mark.slow
def test_two_way_intervals_hold_what_they_promise_where_judges_have_tastes():
    """As above; 20 judges of 50 requests × 30 judgments."""
    found = covered(50, 30, 20, ("request", "judge", "both"), 150, seed=8)
    assert found["both"][0] > 0.91
    assert max(found["request"][0], found["judge"][0]) < found["both"][0] - 0.02


def test_residuals_are_standardised_differences_of_wins():
    frame = votes([*THREE, ("3", "x", "y", "a"), ("3", "z", "y", "a"), ("4", "x", "z", "b")])
    b = lf.bradley_terry(frame)
    beta = dict(b.strengths.select("run", "strength").iter_rows())
    for row in b.pairs.iter_rows(named=True):
        p = 1 / (1 + np.exp(beta[row["run_b"]] - beta[row["run_a"]]))
        n = row["n_judgments"]
        won = row["wins"] + row["ties"] / 2
        assert row["expected_share"] == pytest.approx(p)
        assert row["residual"] == pytest.approx((won - n * p) / np.sqrt(n * p * (1 - p)))
        assert row["p_a_wins"] + row["p_b_wins"] == pytest.approx(1)
    size = b.largest_residuals()["residual"].abs().to_list()
    assert size == sorted(size, reverse=True)
    # The residuals of a run add up to nothing: its wins are as many as expected.
    total = b.pairs.select(
        (pl.col("observed_share") - pl.col("expected_share")) * pl.col("n_judgments")
    )
    x = [total.item(0, 0) + total.item(1, 0), total.item(2, 0) - total.item(0, 0)]
    assert x == pytest.approx([0, 0], abs=1e-9)
    tied = lf.bradley_terry(frame, ties="davidson").pairs
    assert (tied["p_a_wins"] + tied["p_b_wins"] < 1).all()


def test_files_and_tables_of_other_words_are_read():
    path = lf.bundled("votes") / "votes.csv"
    b = lf.bradley_terry(lf.read_preferences(path))
    for votes in (path, str(path), pl.read_csv(path), lf.read_preferences(path).judgments):
        assert lf.bradley_terry(votes).strengths.equals(b.strengths)
    assert lf.next_pairs(path, 2).equals(lf.next_pairs(pl.read_csv(path), 2))
    bad = pl.DataFrame({"query_id": ["1", "2"], "left": "x", "right": "y"})
    bad = bad.with_columns(winner=pl.Series(["left", "tie (bothbad)"]))
    with pytest.warns(lf.LexiframeWarning, match="both are bad"):
        assert lf.bradley_terry(bad, prior=1).both_bad == 1


def test_order_runs_by_signs_of_requests_and_by_judgments():
    rows = [("1", "x", "y", 0.3), ("1", "x", "z", 0.0), ("2", "x", "y", -0.2), ("2", "y", "z", 0.9)]
    names = ["query_id", "run_a", "run_b", "preference"]
    d = pl.DataFrame(rows, schema=names, orient="row").with_columns(measure=pl.lit("RPP"))
    o = lf.order_runs(d, method="bradley_terry")
    strengths = lf.bradley_terry(votes(THREE)).strengths  # the same signs
    assert o["run"].to_list() == strengths["run"].to_list()
    assert o["value"].to_list() == pytest.approx(strengths["strength"].to_list(), abs=1e-9)
    v = lf.read_preferences(votes(THREE * 2))
    stated = lf.order_runs(v, method="bradley_terry")
    assert stated["value"].to_list() == pytest.approx(strengths["strength"].to_list(), abs=1e-9)
    assert stated["method"].unique().to_list() == ["bradley_terry"]


def test_order_runs_names_the_runs_that_prevent_strengths():
    d = pl.DataFrame(
        {"query_id": ["1"], "run_a": "x", "run_b": "y", "measure": "RPP", "preference": 1.0}
    )
    with pytest.raises(lf.LexiframeError, match=r"wins lead from each run to each other, found"):
        lf.order_runs(d, method="bradley_terry")


def won(n, beaten=0):
    """In each of n requests x beats y, and y beats x in ``beaten`` of them, too."""
    rows = [(str(q), "x", "y", "a") for q in range(n)]
    return votes([*rows, *((str(q), "x", "y", "b") for q in range(beaten))])


def test_p_values_are_those_of_the_intervals():
    b = lf.bradley_terry(votes(THREE * 3 + [("4", "x", "z", "b"), ("5", "y", "x", "a")]))
    row = b.pairs.row(0, named=True)
    df = b.n_requests - 1
    half = (row["ci_high"] - row["ci_low"]) / 2
    t = abs(row["difference"]) / half * stats.t.ppf(0.975, df)
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(t, df), abs=1e-12)
    adjusted = multipletests(b.pairs["p_value"], method="holm")[1]
    assert b.pairs["p_adjusted"].to_list() == pytest.approx(adjusted.tolist(), abs=1e-12)


def test_equal_requests_decide_nothing():
    rows = [(str(q), "x", "y", w) for q in range(9) for w in "aab"]
    b = lf.bradley_terry(votes(rows))
    assert b.pairs["p_value"].to_list() == [1.0]
    assert b.may_be_first() == ["x", "y"]


def test_the_words_name_ties_bad_answers_priors_and_pairs_that_do_not_fit():
    rows = [("1", "x", "y", "tie (bothbad)"), ("1", "x", "y", None), ("2", "x", "y", "a")]
    with pytest.warns(lf.LexiframeWarning):
        b = lf.bradley_terry(lf.read_preferences(votes(rows)), prior=1)
    said = str(b).replace("\n", " ")
    assert "1 is a tie, 1 of them of two bad answers; 1 row without a winner left out" in said
    assert "1 comparison with an imaginary run, half of them won (prior)" in said
    circle = [(str(q), a, b, "a") for q in range(30) for a, b in ("xy", "yz", "zx")]
    said = str(lf.bradley_terry(votes(circle))).replace("\n", " ")
    assert "The strengths describe x against y worst: they expect that x wins 0.50" in said


def test_strengths_are_written_as_parquet(tmp_path):
    b = lf.bradley_terry(votes(THREE))
    written = b.write(tmp_path)
    assert [path.stem for path in written] == ["strengths", "pairs", "covariates", "groups"]
    assert pl.read_parquet(written[1]).equals(b.pairs)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["request", "judge"])
def test_percentiles_are_named_for_what_they_are(by):
    """The bootstrap's intervals are as wide as its standard errors say, percentiles are its own."""
    v = lf.read_preferences(lf.bundled("votes") / "votes.csv")
    options = {"by": by, "samples": 200, "seed": 1}
    one = lf.bradley_terry(v, interval="bootstrap", **options)
    other = lf.bradley_terry(v, interval="percentile", **options)
    assert one.strengths["se"].equals(other.strengths["se"])
    assert other.samples == 200
    assert "percentiles of 200 samples; with few groups they hold the true strength in" in " ".join(
        other.verdict["sentence"]
    )
    assert "percentiles" not in " ".join(one.verdict["sentence"])
    judged = judged_of(v)
    group = judged.request if by == "request" else judged.judge
    k = int(group.max()) + 1
    weight = resampling.drawn_requests(k, 200, 1)[:, group]
    strengths = []
    for of_sample in weight[:20]:
        times = pl.Series(of_sample.astype(int))
        sample = v.judgments.with_columns(times=times).filter(pl.col("times") > 0)
        rows = sample.select(pl.all().repeat_by("times")).explode(pl.all())
        strengths.append(lf.bradley_terry(rows).strengths.sort("run")["strength"].to_numpy())
    whole = fit(judged.counts())
    drawn = {"prior": 0.0, "davidson": False, "samples": 200, "seed": 1}
    ours, _ = resampled(judged, group, whole, **drawn)
    assert ours[:20] == pytest.approx(np.stack(strengths), abs=1e-9)
    row = other.strengths.sort("run").row(0, named=True)
    ends = np.quantile(ours[:, 0], [0.025, 0.975])
    assert [row["ci_low"], row["ci_high"]] == pytest.approx(ends.tolist())
    pair = other.pairs.row(0, named=True)
    ends = np.quantile(ours[:, 0] - ours[:, 1], [0.025, 0.975])
    assert [pair["ci_low"], pair["ci_high"]] == pytest.approx(ends.tolist())
    wide = one.strengths.sort("run").row(0, named=True)
    half = stats.t.ppf(0.975, k - 1) * np.sqrt(k / (k - 1)) * wide["se"]
    assert wide["ci_high"] - wide["strength"] == pytest.approx(half)


# --- What is hostile -----------------------------------------------------------------------------


@pytest.mark.parametrize("n, message", [
    ([-1, 2, 3], r"n_judgments to be numbers from 1, found 1 \(-1\)"),
    ([0, 0, 3], r"numbers from 1, found 2 \(0, 0\)"), ([None, 2, 3], r"from 1, found 1 \(None\)"),
    ([2**62] * 3, r"up to 2\^53 judgments in n_judgments together, found 1.38"),
])  # fmt: skip
def test_numbers_of_judgments_that_none_can_be_are_refused(n, message):
    stated = pl.DataFrame({
        "query_id": ["1", "2", "3"], "run_a": "x", "run_b": "y", "measure": "stated",
        "preference": [1.0, -1.0, 0.0], "n_judgments": pl.Series(n, dtype=pl.Int64),
    })  # fmt: skip
    with pytest.raises(lf.LexiframeError, match=message):
        lf.bradley_terry(stated)


def test_very_many_runs_are_refused_with_the_memory_that_they_need(monkeypatch):
    monkeypatch.setattr("lexiframe.core.base.memory_use.available", lambda: 10**6)
    rows = [(str(i), f"r{i}", f"r{i + 1}", "a") for i in range(99)]
    table = votes(rows)
    with pytest.raises(lf.LexiframeError, match="all pairs of 100 runs need about 0"):
        lf.bradley_terry(table, prior=1)
    v = lf.read_preferences(table)
    for function in (lf.win_rates, lf.compare, lf.order_runs):
        with pytest.raises(lf.LexiframeError, match=r"arrays of preferences: .* of 100 runs"):
            function(v.preferences)
    few = votes([(str(i), "x", "y", w) for i, w in enumerate("abab")])
    assert lf.bradley_terry(few).strengths.height == 2


def test_strengths_are_those_of_the_pairs_that_met():
    """Runs with large numbers that met few others: only these pairs are kept."""
    rows = [(str(i % 7), f"r{i % 60:03}", f"r{(i + 1) % 60:03}", "ab"[i % 2]) for i in range(120)]
    judged = judged_of(votes(rows))
    one, kind = judged.alike()
    assert len(one) == 60
    assert (judged.a[one][kind] == judged.a).all()
