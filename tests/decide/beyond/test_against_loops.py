"""Measures beyond relevance equal those of independent loops, on MovieLens and on worked examples.

The loops, their tolerance of 1e-9, and what RecTools and LensKit give are in the folder of
conformance data; a Monte-Carlo p-value may differ by four of its standard errors.
"""

import json
import math

import polars as pl
import pytest

import lexiframe as lf

pytestmark = [pytest.mark.slow, pytest.mark.conformance]
OTHER_NAMES = {"ILD(distance=cosine,of=categories)@10": "ILD(of=categories)@10"}
"""What the files call measures that are written otherwise here, without what is the default."""


@pytest.fixture(scope="module")
def folder(shared):
    return shared / "conformance" / "beyond"


@pytest.fixture(scope="module")
def movielens(shared):
    return shared / "data" / "movielens_100k"


@pytest.fixture(scope="module")
def items(folder):
    return lf.read_items(folder / "items.parquet", history=folder / "history.parquet")


@pytest.fixture(scope="module")
def cases(folder):
    return json.loads((folder / "cases.json").read_text())


def assert_equal(found, wanted, keys, columns, tolerance=1e-9):
    both = wanted.join(found, on=keys, how="left", suffix="_found")
    assert both.height == wanted.height
    for theirs, ours in columns.items():
        x, y = both[theirs], both[f"{ours}_found" if ours == theirs else ours]
        assert not y.has_nulls(), ours
        least = tolerance * pl.Series(x).abs().clip(lower_bound=1.0)
        assert ((x - y).abs() <= least).all(), ours


def named(table):
    return table.with_columns(pl.col("measure").replace(OTHER_NAMES))


def test_of_single_lists(folder, movielens, items):
    wanted = named(pl.read_parquet(folder / "per_request.parquet"))
    asked = wanted["measure"].unique().to_list()
    found = lf.list_scores(movielens / "runs", asked, items, qrels=movielens / "qrels.trec", rel=4)
    assert found.height == wanted.height
    assert_equal(found, wanted, ["run", "query_id", "measure"], {"value": "value"})


def test_of_all_lists_and_of_pairs(folder, movielens, items):
    wanted = pl.read_parquet(folder / "per_run.parquet")
    asked = wanted["measure"].unique().to_list()
    c = lf.catalogue(
        movielens / "runs", asked, items, qrels=movielens / "qrels.trec", correction="none"
    )
    assert_equal(c.values, wanted, ["run", "measure"], {"value": "value", "se": "se"})
    pairs = pl.read_parquet(folder / "pairs.parquet")
    columns = {"difference": "mean_difference", "ci_low": "ci_low", "ci_high": "ci_high"}
    assert_equal(
        c.comparisons, pairs, ["measure", "run_a", "run_b"], columns | {"p_value": "p_value"}
    )


def test_with_groups_of_requests(folder, movielens, items):
    wanted = json.loads((folder / "groups.json").read_text())
    (run,) = (movielens / "runs").glob(f"*{wanted['run']}*")
    for name, se in wanted["se"].items():
        measure, _, groups = name.partition(" groups=")
        c = lf.catalogue(
            {"r": run}, measure, items, qrels=movielens / "qrels.trec", groups=int(groups)
        )
        assert c.values["se"][0] == pytest.approx(se, rel=1e-9)


def test_lists_that_change_sides(folder, movielens, items):
    for row in pl.read_parquet(folder / "swap.parquet").iter_rows(named=True):
        two = {
            name: next((movielens / "runs").glob(f"*{name}*"))
            for name in (row["run_a"], row["run_b"])
        }
        c = lf.catalogue(
            two, row["measure"], items, qrels=movielens / "qrels.trec",
            test="randomization", trials=row["trials"],
        )  # fmt: skip
        p, n = row["p_value"], row["trials"]
        assert c.comparisons["p_value"][0] == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / n))


# --- Worked examples ------------------------------------------------------------------------------


def runs_of(lists, run="r"):
    return {run: {q: {d: -n for n, d in enumerate(of)} for q, of in lists.items()}}


def test_the_worked_example(cases):
    small = cases["small"]
    table = pl.DataFrame([{"doc_id": d, **of} for d, of in small["items"].items()])
    past = [(q, d, r) for q, of in small["history"].items() for d, r in of.items()]
    history = pl.DataFrame(past, schema=["query_id", "doc_id", "rating"], orient="row")
    items = lf.read_items(table, history=history, users=small["n_users"])
    assert items.ids.filter(pl.Series(items.tail(0.8))).to_list() == small["tail"]
    qrels = {q: dict.fromkeys(of, 1) for q, of in small["relevant"].items()}
    for query, values in small["per_request"].items():
        for name, value in values.items():
            if name == "popular":
                continue
            measure = name.replace("weighted", "weight=rating")
            s = lf.list_scores(runs_of(small["lists"]), measure, items, qrels=qrels)
            found = s.filter(query_id=query)["value"][0]
            assert found == (value if value is None else pytest.approx(value, abs=1e-9)), name


def test_the_long_tail(cases):
    for case in cases["tail"]:
        ids = [str(n) for n in range(len(case["users"]))]
        most = max(*case["users"], 1)
        items = lf.read_items(pl.DataFrame({"doc_id": ids, "users": case["users"]}), users=most)
        assert items.ids.filter(pl.Series(items.tail(0.8))).to_list() == case["tail"]


def test_a_difference_without_an_error_decides_nothing(cases):
    two = cases["two_runs"]
    items = lf.read_items(pl.DataFrame({"doc_id": [*"abcdef"]}))
    c = lf.catalogue(runs_of(two["a"], "a") | runs_of(two["b"], "b"), "Coverage@2", items)
    assert c.values["value"].to_list() == pytest.approx(two["coverage"])
    row = c.comparisons.row(0, named=True)
    assert (row["mean_difference"], row["p_value"]) == (pytest.approx(1 / 3), 1.0)
    assert row["ci_low"] is None


@pytest.mark.filterwarnings("ignore:recommended items that the user")
def test_what_rectools_and_lenskit_give(folder, cases):
    peers = cases["peers"]
    rectools = json.loads((folder / "rectools.json").read_text())
    lenskit = json.loads((folder / "lenskit.json").read_text())
    rows = [(q, d) for q, of in peers["history"].items() for d in of]
    history = pl.DataFrame(rows, schema=["query_id", "doc_id"], orient="row")
    items = lf.read_items(pl.DataFrame({"doc_id": [str(n) for n in range(1, 41)]}), history=history)
    s = lf.list_scores(runs_of(peers["lists"]), "Novelty@5", items)
    found = dict(s.select("query_id", "value").rows())
    for query, value in rectools["Novelty@5"].items():
        assert found[query] == (value if value is None else pytest.approx(value, abs=1e-12))
    c = lf.catalogue(runs_of(peers["lists"]), ["Gini@5", "Gini(exposure=geometric)@5"], items)
    values = dict(c.values.select("measure", "value").rows())
    assert values["Gini@5"] == pytest.approx(lenskit["Gini(uniform)"], abs=1e-12)
    geometric = lenskit["Gini(geometric)"]
    assert values["Gini(exposure=geometric)@5"] == pytest.approx(geometric, abs=1e-12)
