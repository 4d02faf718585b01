"""Simulated collections: what was asked for is there, and what is fitted comes out."""

import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

import lexiframe as lf
from lexiframe.core.io.files.provenance import provenance_of
from lexiframe.study.simulated.design import make_design
from lexiframe.study.simulated.fitting import fit_pool
from lexiframe.study.simulated.model import Model, draws, item_scores, relevant_ranks
from lexiframe.study.simulated.statistics import half_distances, statistics

pytestmark = pytest.mark.slow


@pytest.fixture
def quick_fit(monkeypatch):
    """Stop each fit after its first slopes, for tests that do not look at how near it comes."""
    monkeypatch.setattr("lexiframe.study.simulated.fitting._ROUNDS", 1)


def frames(**asked):
    return tuple(pl.DataFrame(table) for table in lf.simulate_collection(**asked))


def ranked(runs):
    """Rank as trec_eval does: by score, equal scores by document, the greatest first."""
    order = pl.struct("score", "doc_id").rank("ordinal", descending=True)
    return runs.with_columns(place=order.over("run", "query_id"))


def test_the_tables_are_those_of_the_readers():
    runs, qrels = lf.simulate_collection(requests=6, runs=3, depth=20, seed=1)
    assert lf.read_runs(runs).drop_columns("rank").equals(runs.drop_columns("rank"))
    assert lf.read_qrels(qrels).equals(qrels)
    table = pl.DataFrame(runs)
    assert table.group_by("run", "query_id").len()["len"].to_list() == [20] * 18
    assert ranked(table)["place"].cast(pl.Int64).equals(table["rank"].alias("place"))
    facts = provenance_of(runs.schema)["simulate_collection"]
    assert facts["arguments"]["seed"] == 1
    assert facts["model"]["similarity"] == 0.6


def test_the_same_seed_gives_the_same_tables():
    asked = {"requests": 5, "runs": 3, "tied_scores": 0.3, "subtopics": 2}
    one, same, other = (lf.simulate_collection(**asked, seed=seed) for seed in (4, 4, 5))
    assert one[0].equals(same[0])
    assert one[1].equals(same[1])
    assert not one[0].equals(other[0])
    assert not one[1].equals(other[1])


SCRATCH = {
    "requests": 5, "runs": np.int64(3), "depth": (4, 12), "relevant": (6, 2), "subtopics": 2,
    "grades": {np.int64(1): 3, 2.5: 1}, "tied_scores": 0.25, "pool_depth": 5, "pool_share": 0.5,
    "all_relevant": True, "seed": 8, "similarity": 0.4, "skill": 1.5,
}  # fmt: skip


def test_the_metadata_have_all_arguments_which_give_the_same_tables_again():
    tables = lf.simulate_collection(**SCRATCH)
    for table in tables:
        found = provenance_of(table.schema)
        assert found["sources"] == []
        arguments = found["simulate_collection"]["arguments"]
        again = lf.simulate_collection(**arguments)
        assert [one.equals(other) for one, other in zip(again, tables, strict=True)] == [True] * 2
        assert arguments.keys() == SCRATCH.keys() | {"rel"}
        assert arguments["relevant"] == [6, 2]
        assert arguments["grades"] == {"1": 3, "2.5": 1}


def test_the_metadata_name_the_files_of_the_collection_that_is_imitated(tmp_path, quick_fit):
    runs, qrels = lf.simulate_collection(requests=6, runs=2, depth=10, grades={1: 1, 2: 1})
    lf.write_trec(runs, tmp_path / "runs")
    lf.write_trec(qrels, tmp_path / "qrels.txt")
    given = tmp_path / "runs", tmp_path / "qrels.txt"
    e = lf.evaluate(*given, ["RR"], rel=2)
    for like, rel in [(given, 2), (e, None)]:
        tables = lf.simulate_collection(like=like, rel=rel, requests=3, seed=5)
        found = provenance_of(tables[0].schema)
        assert {fact["path"]: fact["sha256"] for fact in found["sources"]} == {
            fact["path"]: fact["sha256"]
            for which in ("runs", "qrels")
            for fact in e.provenance[which]
        }
        assert all(fact["imitated"] for fact in found["sources"])
        assert len(found["sources"]) == 3
        arguments = found["simulate_collection"]["arguments"]
        assert arguments["rel"] == 2
        again = lf.simulate_collection(like=given, **arguments)
        assert [one.equals(other) for one, other in zip(again, tables, strict=True)] == [True] * 2


def test_a_request_does_not_depend_on_those_after_it():
    few, many = (
        [*draws(replace(make_design(n, 2, 0), n_relevant=np.full(n, 5)), seed=3)] for n in (2, 4)
    )
    assert all((a.own == b.own).all() for a, b in zip(few, many, strict=False))


def test_the_pool_is_judged_and_nothing_else():
    runs, qrels = frames(requests=8, runs=4, depth=50, relevant=30, pool_depth=7, seed=2)
    pooled = ranked(runs).filter(pl.col("place") <= 7).select("query_id", "doc_id").unique()
    judged = qrels.select("query_id", "doc_id")
    assert judged.sort("query_id", "doc_id").equals(pooled.sort("query_id", "doc_id"))
    _, all_relevant = frames(
        requests=8, runs=4, depth=50, relevant=30, pool_depth=7, all_relevant=True, seed=2
    )
    assert qrels.join(all_relevant, on=[*qrels.columns], how="anti").is_empty()
    assert all_relevant.filter(relevance=1).height > qrels.filter(relevance=1).height
    assert all_relevant.filter(relevance=0).height == qrels.filter(relevance=0).height
    _, half = frames(requests=40, runs=4, pool_share=0.5, seed=2)
    _, whole = frames(requests=40, runs=4, seed=2)
    assert abs(half.height / whole.height - 0.5) < 4 * (0.25 / whole.height) ** 0.5


def test_without_a_pool_all_relevant_items_are_judged():
    _, qrels = frames(requests=200, runs=2, relevant=(30, 10), pool_depth=0)
    counts = qrels.group_by("query_id").len()["len"]
    assert qrels["relevance"].unique().to_list() == [1]
    assert abs(counts.mean() - 30) < 0.2
    assert abs(counts.std() - 10) < 0.3


def test_depths_grades_and_ties():
    runs, qrels = frames(
        requests=100, runs=5, depth=(10, 50), tied_scores=0.25, grades={1: 3, 2.5: 1}, pool_depth=0
    )
    depths = runs.group_by("run", "query_id").len().group_by("run").agg(pl.col("len").unique())
    assert sorted(depths["len"].to_list()) == [[10], [20], [30], [40], [50]]
    of_grade = qrels["relevance"].value_counts(normalize=True).sort("relevance")
    assert of_grade["relevance"].to_list() == [1, 2.5]
    assert abs(of_grade["proportion"][1] - 0.25) < 4 * (0.1875 / qrels.height) ** 0.5
    same = pl.col("score").diff().over("run", "query_id") == 0
    n, tied = runs.select(same.count(), tied=same.sum()).row(0)
    assert abs(tied / n - 0.25) < 4 * (0.1875 / n) ** 0.5


@pytest.mark.filterwarnings("ignore:requests without a relevant item")
def test_subtopics():
    runs, qrels = lf.simulate_collection(requests=60, runs=3, relevant=40, subtopics=4)
    relevant = pl.DataFrame(qrels).filter(pl.col("relevance") > 0)
    assert sorted(relevant["iteration"].unique()) == ["1", "2", "3", "4"]
    counts = relevant.group_by("iteration").len().sort("iteration")["len"].to_list()
    assert counts == sorted(counts, reverse=True)
    assert relevant.group_by("query_id", "doc_id").len()["len"].max() > 1
    assert (
        lf.preferences(lf.positions(runs, qrels, subtopics=True), "ST-RPP")["preference"]
        .is_finite()
        .all()
    )


def test_what_the_parameters_do():
    def spread(**signal):
        runs, qrels = frames(requests=60, runs=8, pool_depth=0, seed=3, **signal)
        wide = lf.scores(lf.positions(runs, qrels), "AP").pivot(
            on="run", index="query_id", values="value"
        )
        values = wide.drop("query_id").to_numpy()
        tied = lf.tie_rates(lf.preferences(lf.positions(runs, qrels), "RR"))["tie_rate"].item()
        return values.mean(), values.mean(1).std(), values.mean(0).std(), tied

    usual = spread()
    assert spread(skill=2.5)[0] > usual[0] + 0.05
    assert spread(difficulty=0.1)[1] < usual[1] - 0.05
    assert spread(skill_spread=0.0)[2] < usual[2] - 0.03
    assert spread(similarity=0.98)[3] > usual[3] + 0.05
    assert spread(near_misses=0.0)[0] > usual[0] + 0.05


def test_ranks_of_relevant_items_against_a_full_sort():
    design = replace(make_design(6, 3, 1), depth=np.array([5, 60, 100]))
    for number, draw in enumerate(draws(design, 2)):
        scores = item_scores(Model(), design, draw, number)
        found = relevant_ranks(Model(), design, draw, number)
        for run, depth in enumerate(design.depth):
            rank = 1 + (scores[run] > scores[run][:, None]).sum(axis=1)[: len(draw.grade)]
            assert found[run].tolist() == np.where(rank > depth, 0, rank).tolist()


def test_ties_shuffle_ranks_within_groups():
    design = replace(make_design(3, 4, 1), tied=np.array([0, 0.3, 0.9, 1.0]))
    for draw in draws(design, 2):
        assert (np.sort(draw.place, axis=1) == np.arange(100)).all()
        group = np.cumsum(~draw.is_tied, axis=1)
        assert (np.take_along_axis(group, draw.place, axis=1) == group).all()
        assert (draw.place[0] == np.arange(100)).all()
        assert (draw.place[3] != np.arange(100)).any()


def test_statistics_against_scipy():
    rng = np.random.default_rng(0)
    values = {name: rng.integers(0, 5, (9, 4)) / 4 for name in ("AP", "nDCG@10", "RR", "Judged@10")}
    found, ap = statistics(values), values["AP"]
    pairs = [(a, b) for a in range(4) for b in range(a)]
    taus = [kendalltau(ap[:, a], ap[:, b]).statistic for a, b in pairs]
    assert found["AP, τ between runs"] == pytest.approx(np.mean(taus), rel=1e-12)
    ties = [(values["RR"][:, a] == values["RR"][:, b]).mean() for a, b in pairs]
    assert found["RR, share of ties"] == pytest.approx(np.mean(ties), rel=1e-12)
    assert found["AP, sd over runs"] == pytest.approx(np.std(ap.mean(0), ddof=1), rel=1e-12)
    halved = half_distances(values, 3, 0)
    assert halved.keys() == found.keys()
    assert all(half >= 0 for half in halved.values())


def test_a_collection_has_no_distance_to_itself():
    collection = lf.simulate_collection(requests=12, runs=3, seed=1)
    found = lf.collection_distances(collection, collection, splits=3)
    assert found["distance"].to_list() == [0.0] * 10
    assert (found["half_distance"] > 0).sum() >= 9


def test_the_pool_that_is_found_is_the_one_that_was_made():
    design, model = make_design(40, 6, 0), Model()
    runs, qrels = lf.simulate_collection(requests=40, runs=6, pool_depth=4, all_relevant=True)
    p = lf.positions(runs, qrels, judged=True)
    judged = lf.scores(p, "Judged@10")["value"].mean()
    n = p.group_by("query_id").agg((pl.col("n_judged") - pl.col("n_relevant")).first())
    found = fit_pool(model, design, judged, n.to_series(1).mean(), 0)
    assert found.depth in (3, 4, 5)
    assert found.share > 0.8
    assert fit_pool(model, design, judged, 0.0, 0).depth == 0


def test_a_pool_whose_other_items_are_in_no_top_10_has_as_many_as_the_real_one():
    """Forty relevant items fill the top 10; of others, half a pool is judged, and then none."""
    n = 6
    design = replace(make_design(n, 3, 0), n_relevant=np.full(n, 40))
    model = Model(skill=60.0, difficulty=0.0, interaction=0.0, near_misses=0.0)
    for wanted in (30.0, 0.5):
        found = fit_pool(model, design, 1.0, wanted, 0)
        made = lf.simulate_collection(
            requests=n, runs=3, relevant=(40, 0), pool_depth=found.depth, pool_share=found.share,
            **vars(model),
        )[1]  # fmt: skip
        others = (pl.DataFrame(made)["relevance"] == 0).sum() / n
        assert abs(others - wanted) < 0.3 * wanted + 1


ODD = {
    "RR and AP are always 1": {"relevant": (1, 0), "depth": 5, "skill": 50, "difficulty": 0,
        "near_misses": 0, "pool_depth": 0},
    "one relevant item": {"relevant": (1, 0), "depth": 20, "pool_depth": 0},
    "RR is always 1": {"relevant": (30, 0), "skill": 50, "difficulty": 0, "near_misses": 0,
        "depth": 20, "pool_depth": 12},
    "identical runs": {"similarity": 1, "relevant_spread": 0, "skill_spread": 0, "interaction": 0},
    "two runs, four requests": {"requests": 4, "runs": 2},
    "no judged item that is not relevant": {"pool_depth": 0},
    "one grade, which is not 1": {"grades": {3: 1}},
    "one item each": {"depth": 1},
}  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("what", ODD)
def test_collections_that_lack_statistics(what):
    """They are null, not a warning, and are left out of the fit; everything else is there."""
    real = lf.simulate_collection(**{"requests": 6, "runs": 3, "depth": 20, "seed": 1} | ODD[what])
    found = lf.collection_distances(real, real, splits=5)
    lacking = set(found.filter(pl.col("real").is_null())["statistic"])
    constant = {"AP and RR, correlation"}
    if what == "RR and AP are always 1":
        constant |= {"AP, τ between runs"}
        assert found["distance"].drop_nulls().to_list() == [0.0] * 8
    assert lacking == (constant if "always 1" in what else set())
    assert found["distance"].null_count() == len(lacking)
    assert found.select(pl.col(pl.Float64).fill_null(0).is_finite().all()).row(0) == (True,) * 4
    runs, qrels = lf.simulate_collection(like=real, seed=2)
    model = provenance_of(runs.schema)["simulate_collection"]["model"]
    assert np.isfinite([*model.values()]).all()
    if what == "RR is always 1":
        assert model["skill"] > 2
    lf.positions(runs, qrels, judged=True)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_run_and_runs_that_retrieve_nothing_relevant(quick_fit):
    real = frames(requests=6, runs=3, depth=20, seed=1)
    for poor in (pl.col("run") == "run1", pl.col("run").is_not_null()):
        runs = real[0].with_columns(
            doc_id=pl.when(poor).then("x" + pl.col("doc_id")).otherwise("doc_id")
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lf.LexiframeWarning)
            found = lf.collection_distances((runs, real[1]), real, splits=2)
            simulated = lf.simulate_collection(like=(runs, real[1]))
        lacking = 2 if runs["doc_id"].str.starts_with("x").all() else 0
        nulls = found.select("real", "other", "distance").null_count().row(0)
        assert nulls == (lacking, 0, lacking)
        assert simulated[0].num_rows == runs.height


def test_a_run_without_scores_and_an_evaluation_are_imitated(quick_fit):
    runs, qrels = frames(requests=6, runs=3, depth=10, seed=1)
    ranked_only = runs.drop("score")
    assert lf.simulate_collection(like=(ranked_only, qrels), requests=2)[0].num_rows == 60
    e = lf.evaluate(runs, qrels, ["RR"])
    assert lf.collection_distances(e, (ranked_only, qrels), splits=2)["distance"].sum() == 0


def test_collections_that_are_no_collections():
    runs, qrels = lf.simulate_collection(requests=4, runs=2)
    for wrong, found in [
        ("runs", "str"),
        (runs, "Table"),
        ((runs,), "tuple of 1"),
        ([1] * 3, "list of 3"),
    ]:
        with pytest.raises(
            TypeError, match=rf"as like=\(runs, qrels\), or an Eval.*, found {found}$"
        ):
            lf.simulate_collection(like=wrong)
        with pytest.raises(
            TypeError, match=rf"as \(runs, qrels\), or an Evaluation, found {found}$"
        ):
            lf.collection_distances((runs, qrels), wrong)


def test_the_smallest_collection():
    runs, qrels = frames(requests=1, runs=1, depth=1, relevant=1, pool_depth=0)
    assert runs.select("run", "query_id", "rank").rows() == [("run1", "q1", 1)]
    assert qrels["relevance"].to_list() == [1]


@pytest.mark.parametrize("name", ["cranfield", "trec_robust_2003"])
def test_like_a_real_collection(shared, name):
    """Each statistic is as close as that of a second real half, but for chance (thrice that)."""
    folder = shared / "data" / name
    real = lf.read_runs(folder / "runs"), lf.read_qrels(folder / "qrels.trec")
    found = lf.collection_distances(real, lf.simulate_collection(like=real, seed=1))
    far = found.filter(pl.col("distance") > 3 * pl.col("half_distance"))
    assert far.is_empty(), far
    assert found.filter(pl.col("distance") <= pl.col("half_distance")).height >= 7, found


def test_like_another_collection_of_another_size(quick_fit):
    like = lf.simulate_collection(requests=10, runs=4, depth=(20, 50), grades={1: 1, 3: 1})
    runs, qrels = frames(like=like, requests=7, runs=6, seed=3)
    assert runs["run"].n_unique() == 6
    assert runs["query_id"].n_unique() == 7
    assert runs.group_by("run", "query_id").len()["len"].max() <= 50
    assert set(qrels["relevance"]) <= {0, 1, 3}
    again, _ = frames(like=like, requests=7, runs=6, seed=3)
    assert again.equals(runs)
    deeper, high = frames(like=like, rel=3, depth=60, seed=3)
    assert set(high["relevance"]) == {0, 3}
    assert deeper.group_by("run", "query_id").len()["len"].unique().to_list() == [60]


@pytest.mark.parametrize(
    "asked, message",
    [
        ({"requests": 0}, "expected a whole number from 1 as requests, found 0"),
        ({"runs": 2.5}, "expected a whole number from 1 as runs, found 2.5"),
        ({"subtopics": -1}, "expected a whole number from 0 as subtopics, found -1"),
        ({"seed": -1}, "expected seed to be a whole number from 0"),
        ({"depth": (5, 2)}, "expected a whole number from 5 as depth, found 2"),
        ({"depth": 10.5}, "expected a whole number from 1 as depth, found 10.5"),
        ({"depth": [5, "x"]}, "expected a whole number from 5 as depth, found 'x'"),
        ({"depth": (5,)}, r"expected one number or \(least, greatest\) as depth, found \(5,\)"),
        ({"relevant": 0.5}, "expected a number from 1 as relevant, found 0.5"),
        ({"relevant": (5, -1)}, "expected a number from 0 as relevant, found -1"),
        ({"relevant": [1, 2, 3]}, r"number or \(mean, standard deviation\) as relevant, found \["),
        ({"tied_scores": 1.5}, "expected a number from 0 to 1 as tied_scores, found 1.5"),
        ({"tied_scores": "x"}, "expected a number from 0 to 1 as tied_scores, found 'x'"),
        ({"pool_share": -0.1}, "expected a number from 0 to 1 as pool_share, found -0.1"),
        ({"all_relevant": "no"}, "expected True or False as all_relevant, found 'no'"),
        ({"similarity": 2}, "expected a number from 0 to 1 as similarity, found 2"),
        ({"skill": float("nan")}, "expected a finite number as skill, found nan"),
        ({"skill": None}, "expected a finite number as skill, found None"),
        ({"grades": {0: 1}}, "expected grades above 0 and the share of each"),
        ({"grades": 0}, "expected grades above 0 and the share of each, .*, found 0"),
        ({"grades": {"high": 1}}, "expected grades above 0 and the share of each"),
        ({"rel": 2}, "expected like beside rel, its least relevant grade, found rel=2 alone"),
        ({"similarty": 0.5}, "unknown parameter of the model 'similarty'; did you mean similarity"),
    ],
)
def test_arguments_that_are_refused(asked, message):
    with pytest.raises(
        lf.LexiframeError, match=f"{message}|simulate_collection: expected .* to be "
    ):
        lf.simulate_collection(**asked)


def test_collections_that_are_too_small():
    one = lf.simulate_collection(requests=3, runs=2)
    with pytest.raises(lf.LexiframeError, match="at least two runs and four requests"):
        lf.collection_distances(one, one)
    with pytest.raises(lf.LexiframeError, match="expected splits to be a whole number from 1"):
        lf.collection_distances(one, one, splits=0)
