"""Values of independent loops over real collections: shares, who, units, weights, quantiles."""

import json

import numpy as np
import polars as pl
import pytest

import lexiframe as lf

pytestmark = [
    pytest.mark.slow,
    pytest.mark.conformance,
    pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"),  # of the data
]

RANKED, MEASURES = {"movielens_100k": 4}, ["AP", "nDCG@10", "RR", "ASL"]
SHARES = (0.1, 0.25, 0.5, 1)


@pytest.fixture(scope="module")
def folder(shared):
    return shared / "conformance/worst"


@pytest.fixture(scope="module")
def scores(shared):
    """The scores of three collections by their names."""
    found = {}
    for name in ("trec_dl_2019_passage", "clef_ehealth_2014", "movielens_100k"):
        data = shared / "data" / name
        p = lf.positions(data / "runs", data / "qrels.trec", rel=RANKED.get(name), pool=True)
        found[name] = lf.scores(p, MEASURES)
    return found


@pytest.fixture(scope="module")
def served(scores):
    return {name: lf.worst_served(s, SHARES) for name, s in scores.items()}


def compare(wanted, found, on, columns):
    """Hold columns of the tables of collections against references: 1e-9, relative above 1."""
    tables = [t.with_columns(collection=pl.lit(name)) for name, t in found.items()]
    ours = pl.concat(tables, how="diagonal_relaxed")
    both = wanted.join(ours, on=["collection", *on], how="full", suffix="_ours")
    assert both.height == wanted.height == ours.height
    for name in columns:
        left, right = (both[n].cast(pl.Float64).to_numpy() for n in (name, f"{name}_ours"))
        assert (np.isnan(left) == np.isnan(right)).all(), name
        error = np.abs(left - right) / np.fmax(1, np.abs(left))
        assert np.nanmax(error) < 1e-9, name


def test_values(folder, served):
    compare(
        pl.read_parquet(folder / "values.parquet"),
        {name: w.values for name, w in served.items()},
        ["measure", "share", "run"],
        "value ci_low ci_high n n_worst mean quantile quantile_low quantile_high".split(),
    )


def test_comparisons(folder, served):
    compare(
        pl.read_parquet(folder / "comparisons.parquet"),
        {name: w.tested for name, w in served.items()},
        ["measure", "share", "run_a", "run_b"],
        "n mean_difference ci_low ci_high statistic p_value p_adjusted reject".split(),
    )


def test_who(folder, scores):
    wanted = pl.read_parquet(folder / "who.parquet")
    found = {
        name: lf.worst_served(s.filter(pl.col("measure").is_in(["AP", "ASL"])), 0.1).requests
        for name, s in scores.items()
    }
    compare(wanted, found, ["measure", "share", "run", "query_id"], ["value", "counted"])


@pytest.mark.parametrize("file, how", [("units", "unit"), ("weighted", "weights")])
def test_units_and_weights(folder, scores, file, how):
    requests = pl.read_parquet(folder / "requests.parquet")
    found = {}
    for name, s in scores.items():
        log = requests.filter(collection=name).drop("collection")
        column = {"unit": "unit", "weights": "weight"}[how]
        found[name] = lf.worst_served(s, requests=log, **{how: column}).values
    columns = ["value", "ci_low", "ci_high", "n"]
    compare(
        pl.read_parquet(folder / f"{file}.parquet"), found, ["measure", "share", "run"], columns
    )


def test_leximin(folder, scores):
    requests = pl.read_parquet(folder / "requests.parquet")
    wanted, pairs = (
        pl.read_parquet(folder / f"{name}.parquet") for name in ("leximin", "leximin_pairs")
    )
    found = {name: lf.order_runs(s, "leximin") for name, s in scores.items()}
    of_requests = pl.col("unit") == "request"
    compare(wanted.filter(of_requests), found, ["measure", "run"], ["value", "rank"])
    columns = ["preference", "decided_at", "value_a", "value_b", "n"]
    for unit, how in (("request", {}), ("unit", {"unit": "unit"})):
        found = {}
        for name, s in scores.items():
            log = requests.filter(collection=name).drop("collection") if how else None
            found[name] = lf.leximin(s, requests=log, **how)
        compare(pairs.filter(unit=unit), found, ["measure", "run_a", "run_b"], columns)


@pytest.mark.parametrize("risk_alpha", [0, 1, 5])
def test_risk(folder, scores, risk_alpha):
    wanted = pl.read_parquet(folder / "risk.parquet").filter(risk_alpha=risk_alpha)
    facts = json.loads((folder / "facts.json").read_text())
    found = {
        name: lf.risk(
            s, facts[name]["baseline"], risk_alpha=risk_alpha,
            margin=dict.fromkeys(MEASURES, 0.1) | {"ASL": 100},
        )
        for name, s in scores.items()
    }  # fmt: skip
    columns = [name for name in wanted.columns if name in found["clef_ehealth_2014"].columns]
    columns = [name for name in columns if name not in ("measure", "run")]
    assert len(columns) == 18
    runs = {name: t.filter(pl.col("n").is_not_null()) for name, t in found.items()}
    compare(wanted, runs, ["measure", "run"], columns)
    published = np.sqrt(wanted["n"] / (wanted["n"] - 1)) * wanted["trisk"]
    assert (published - wanted["trisk_published"]).abs().max() < 1e-9
    of_all = pl.read_parquet(folder / "georisk.parquet").filter(risk_alpha=risk_alpha)
    geo = of_all.rename({"ci_low": "georisk_low", "ci_high": "georisk_high"}).drop("n")
    known = {name: t.filter(pl.col("measure") != "ASL") for name, t in found.items()}
    compare(geo, known, ["measure", "run"], ["georisk", "georisk_low", "georisk_high"])
    assert found["clef_ehealth_2014"].filter(measure="ASL")["georisk"].null_count() == 13


@pytest.mark.parametrize("rule", ["leximin", "mean"])
def test_how_often_a_run_is_first_in_samples(folder, scores, rule):
    wanted = pl.read_parquet(folder / "first.parquet").filter(rule=rule)
    n, off = wanted["samples"].max(), []
    for name, s in scores.items():
        for measure in wanted.filter(collection=name)["measure"].unique():
            found = lf.rank_distributions(s.filter(measure=measure), rule, samples=400)
            first = found.filter(rank=1.0).select("run", ours="probability")
            both = wanted.filter(collection=name, measure=measure).join(first, on="run", how="left")
            off += (both["share_first"] - both["ours"].fill_null(0)).abs().to_list()
    # ties at the first place have mid-ranks, and are rare
    assert max(off) < 4 * 2**0.5 * (0.25 / n) ** 0.5


def test_leximin_over_collections(folder, shared):
    wanted = pl.read_parquet(folder / "leaderboard_leximin.parquet")
    scores = pl.read_parquet(shared / "data/mteb_eng_v2/scores.parquet")
    board = lf.leaderboard(scores, "leximin", samples=10)
    found = board.ranking.select("run", "value", "rank")
    both = wanted.join(found, on="run", suffix="_ours", validate="1:1")
    assert both.height == found.height == wanted.height == 183
    assert (both["rank"] == both["rank_ours"]).all()
    assert (both["value"] == both["value_ours"]).all()
    said = "Leximin begins with a run's worst collection, which is SCIDOCS for 147 of 183 runs."
    assert said in board.verdict["sentence"]


def test_the_quantiles_of_pairs_have_limits_of_joint_resamples(folder, scores):
    wanted = pl.read_parquet(folder / "quantile_pairs.parquet")
    assert wanted.height == 80
    for (name,), part in wanted.partition_by("collection", as_dict=True).items():
        ap = scores[name].filter(measure="AP")
        shares = part["share"].unique().sort().to_list()
        ours = lf.worst_served(ap, shares).comparisons
        both = part.join(ours, on=["share", "run_a", "run_b"], suffix="_ours")
        assert both.height == part.height
        difference = both["quantile_difference"] - both["quantile_difference_ours"]
        assert difference.abs().max() < 1e-9
        low, high = both["quantile_ci_low_ours"], both["quantile_ci_high_ours"]
        assert low.is_between(both["low_min"] - 1e-9, both["low_max"] + 1e-9).all()
        assert high.is_between(both["high_min"] - 1e-9, both["high_max"] + 1e-9).all()
