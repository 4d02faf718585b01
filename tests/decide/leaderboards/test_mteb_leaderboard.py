"""`leaderboard` of a real leaderboard, held against independent loops and MTEB's own ranks."""

import json

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.orderings.in_samples import ordered_cells
from lexiframe.core.orderings.rules import RULES
from lexiframe.core.pairwise.arrays import Cells
from lexiframe.decide.leaderboards.least_squares import adjusted
from lexiframe.decide.leaderboards.ranked import places_of

pytestmark = [pytest.mark.slow, pytest.mark.conformance]


@pytest.fixture(scope="module")
def folder(shared):
    return shared


@pytest.fixture(scope="module")
def scores(folder):
    return pl.read_parquet(folder / "data/mteb_eng_v2/scores.parquet")


def expected(folder, name):
    return pl.read_parquet(folder / f"conformance/mteb_eng_v2/mteb_eng_v2_{name}.parquet")


@pytest.mark.parametrize("models, missing", [("all", "votes"), ("complete", "complete")])
def test_borda_is_mtebs_own_rank_for_every_model(folder, scores, models, missing):
    theirs = pl.read_parquet(folder / "conformance/mteb_eng_v2/borda.parquet")
    theirs = theirs.filter(models=models).select(run="model", theirs="rank")
    ours = lf.leaderboard(scores, "borda", missing).ranking.select("run", "rank")
    both = ours.join(theirs, on="run", validate="1:1")
    assert both.height == theirs.height == ours.height == {"all": 324, "complete": 183}[models]
    assert (both["rank"] == both["theirs"]).all()


def test_all_rules_policies_and_weights_are_those_of_the_loops(folder, scores):
    for (missing, weights, rule), part in expected(folder, "orders").group_by(
        "policy", "weights", "rule"
    ):
        how = {"group": "type"} if weights == "groups" else {}
        ours = lf.leaderboard(scores, rule, missing, **how).ranking
        both = ours.join(part.select("run", theirs="value", place="rank"), on="run")
        assert both.height == part.height
        if rule == "mc4":
            # The loops solve for stationary probabilities as a linear system, in which those
            # below 1e-10 are noise; ours are exact, so that they tell these runs apart.
            both = both.filter(pl.col("theirs") > 1e-10)
        elif rule == "mean_z":
            # The loops divide by the sd with S, SPEC and we by that with S - 1.
            factor = np.sqrt((part.height - 1) / part.height)
            assert np.abs(both["value"] - both["theirs"] * factor).max() < 1e-9
        else:
            sign = -1 if rule == "mean_rank" else 1  # the loops have places with a minus sign
            assert np.abs(sign * both["value"] - both["theirs"]).max() < 1e-9
        assert (both["rank"] == both["place"]).all(), (missing, weights, rule)


def test_ranks_by_holm_and_intervals_of_means(folder, scores):
    found = lf.leaderboard(scores).ranking
    loops = expected(folder, "rank_intervals_holm_equal").drop("rank")
    both = found.join(loops, on="run", validate="1:1")
    names = {"rank_low": "all_lo", "rank_high": "all_hi", "rank_low_each": "own_lo"}
    for ours, theirs in {**names, "rank_high_each": "own_hi"}.items():
        assert (both[ours] == both[theirs]).all()
    assert (found["rank_low"] == 1).sum() == 24
    means = expected(folder, "mean_intervals").filter(weights="equal").drop("weights")
    both = found.join(means, on="run", validate="1:1")
    for ours, theirs in (("value", "mean"), ("ci_low", "lo"), ("ci_high", "hi")):
        assert np.abs(both[ours] - both[theirs]).max() < 1e-9


def test_all_pairs(folder, scores):
    found = lf.leaderboard(scores).comparisons
    both = found.join(expected(folder, "pairs_equal"), on=["run_a", "run_b"], validate="1:1")
    assert both.height == found.height == 16653
    for ours, theirs in (("mean_difference", "diff"), ("ci_low", "lo"), ("p_value", "p"),
                         ("p_adjusted", "p_holm_all")):  # fmt: skip
        assert np.abs(both[ours] - both[f"{theirs}_right" if theirs in found.columns else theirs]
                      ).max() < 1e-9  # fmt: skip
    assert both["reject"].mean() == pytest.approx(0.572, abs=0.0005)


def test_standard_errors_of_groups(folder, scores):
    from scipy.special import stdtrit

    loops = expected(folder, "group_weight_ses")
    for over, column, df in (
        ("collections", "se_pooled_within_types_df34", 34),
        ("groups", "se_types_df6", 6),
    ):
        found = lf.leaderboard(scores, group="type", over=over).ranking
        both = found.join(loops, on="run", validate="1:1")
        se = (both["ci_high"] - both["value"]) / stdtrit(df, 0.975)
        assert np.abs(se - both[column]).max() < 1e-9


@pytest.mark.parametrize("weights", ["equal", "groups"])
def test_weights_of_collections_and_leaving_one_out(folder, scores, weights):
    found = lf.leaderboard(scores, weights=weights, group="type")
    loops = expected(folder, f"weight_in_mean_{weights}").rename({"share": "theirs"})
    both = found.collection_weights.join(loops, on="collection", validate="1:1")
    assert np.abs(both["share"] - both["theirs"]).max() < 1e-9
    loops = expected(folder, f"leave_one_out_{weights}").rename(
        {"tau": "theirs", "rank_without": "place", "first_changes": "changes"}
    )
    both = found.leave_one_out.join(loops, left_on="collection", right_on="left_out")
    moved = (both["rank"] - both["rank_without"]).abs()
    theirs = (both["rank_whole"] - both["place"]).abs()
    assert both.height == 41
    assert np.abs(both["tau"] - both["theirs"]).max() < 1e-9
    assert (moved == theirs).all()
    assert (both["first_changes"] == both["changes"]).all()


def test_agreement_of_collections(folder, scores):
    found = lf.leaderboard(scores).correlations.with_columns(
        key=pl.concat_list("collection_a", "collection_b").list.sort()
    )
    loops = expected(folder, "tau_collections").select(
        theirs="tau", key=pl.concat_list("collection_a", "collection_b").list.sort()
    )
    both = found.join(loops, on="key", validate="1:1")
    assert both.height == 820
    assert np.abs(both["tau"] - both["theirs"]).max() < 1e-9


@pytest.mark.parametrize("rule", ["mean", "borda"])
def test_neighbours_and_percentiles(folder, scores, rule):
    samples = 4000
    found = lf.leaderboard(scores, rule, samples=samples)
    loops = expected(folder, f"neighbours_{rule}").rename({"run_a": "a", "run_b": "b"})
    both = found.neighbours.join(loops, left_on=["run_a", "run_b"], right_on=["a", "b"])
    assert both.height >= 180  # equal neighbours may stand in another order
    assert np.abs(both["value_difference"] - both["value_diff"]).max() < 1e-9
    assert np.abs(both["ci_low"] - both["lo"]).max() < 1e-9
    share = both["keep_order_20000"] + both["tie_20000"] / 2
    error = 4 * np.sqrt(0.25 / samples + 0.25 / 20_000)
    off = (np.abs(both["share_in_order"] - both["keep_order_20000"]) > error) & (
        np.abs(both["share_in_order"] - share) > error
    )
    assert not off.any()
    loops = expected(folder, f"percentile_ranks_{rule}")
    both = found.rank_percentiles.join(loops, on="run", validate="1:1")
    assert np.abs(both["percentile_low"] - both["lo"]).max() <= 3
    assert np.abs(both["percentile_high"] - both["hi"]).max() <= 3


def test_requests_of_collections(folder):
    loops = expected(folder, "over_requests")
    runs = {*loops["run_a"], *loops["run_b"]}
    x = pl.read_parquet(folder / "data/mteb_eng_v2/experiments.parquet")
    x = x.filter(pl.col("model").is_in(runs)).rename({"experiment": "query_id"})
    found = lf.leaderboard(x, over="requests").comparisons
    both = found.join(loops, on=["run_a", "run_b"], validate="1:1")
    assert both.height == 66
    for ours, theirs in (("mean_difference", "diff"), ("df", "df_requests"), ("ci_low", "lo"),
                         ("p_value", "p_requests")):  # fmt: skip
        assert np.abs(both[ours] - both[theirs]).max() < 1e-9


def test_kemeny_of_the_first_seven(folder, scores):
    loops = json.loads((folder / "conformance/mteb_eng_v2/mteb_eng_v2_kemeny7.json").read_text())
    seven = scores.filter(pl.col("model").is_in(loops["runs"]))
    found = lf.leaderboard(seven, "kemeny").ranking
    assert [found["run"].to_list()] == loops["orders"]


def test_cases_for_a_sheet_of_paper(folder):
    cases = json.loads(
        (folder / "conformance/mteb_eng_v2/leaderboard_cases.json").read_text(encoding="utf-8")
    )
    checked = 0
    for case in cases.values():
        cells = np.array(case["X"], np.float64).T
        weights = np.array(case["w"])
        board = Cells(pl.Series([str(run) for run in range(cells.shape[1])]), cells, 0.0)
        for rule in RULES:
            for name in (rule, f"votes_{rule}"):
                if name not in case or (name == rule and np.isnan(cells).any()):
                    continue
                found = ordered_cells(board, weights[None] / weights.mean(), RULES[rule])
                value, ranks = found.values[0], places_of(-found.ranks[0]).tolist()
                checked += 1
                if rule == "mc4":
                    assert ranks == case[name]
                elif rule == "kemeny":
                    orders = case[name][1]
                    places = [np.mean([o.index(r) + 1 for o in orders]) for r in range(len(value))]
                    assert -value == pytest.approx(places)
                else:
                    assert ranks == case[name][1]
                    factor = np.sqrt((len(value) - 1) / len(value)) if rule == "mean_z" else 1
                    assert value == pytest.approx(np.array(case[name][0]) * factor)
        if "adjust" in case:
            checked += 1
            for ours, theirs in zip(adjusted(cells, weights), case["adjust"], strict=True):
                assert ours == pytest.approx(theirs)
    assert checked > 60


def test_common_leaves_no_collection(scores):
    with pytest.raises(lf.LexiframeError, match="no collection has all 324 runs"):
        lf.leaderboard(scores, missing="common")


def test_files_as_mteb_writes_them(folder, scores):
    results = folder / "data/mteb_eng_v2/files/results"
    found = lf.read_scores(results, languages="eng")
    both = found.join(scores, left_on=["run", "collection"], right_on=["model", "task"])
    assert both.height == found.height == 18
    # One task has a second English subset, which MTEB(eng, v2) does not count.
    both = both.filter(pl.col("collection") != "AmazonCounterfactualClassification")
    assert np.abs(both["value"] - both["score"]).max() < 1e-12


def test_strengths_are_those_of_plain_loops(folder, scores):
    theirs = pl.read_parquet(folder / "conformance/mteb_eng_v2/mteb_eng_v2_bradley_terry.parquet")
    ours = lf.leaderboard(scores, "bradley_terry").ranking
    both = ours.join(theirs, on="run")
    assert both.height == theirs.height == 183
    assert both["value"].to_list() == pytest.approx(both["beta"].to_list(), abs=1e-9)
    assert both["rank"].to_list() == both["rank_right"].to_list()
