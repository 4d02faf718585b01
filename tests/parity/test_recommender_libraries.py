"""The numbers of RePlay and RecTools, whose pins clash with ours, from a table of their outputs.

The values are those of replay-rec 0.22.0 (OfflineMetrics on Polars, mode PerUser) and RecTools
0.19.0 (calc_per_user) for the users 1 to 3 of the frames below; `tests/benchmarks/recommenders.py`
compares the means of both libraries on data of the size of MovieLens 20M.
"""

import math

import polars as pl
import pytest

import lexiframe as lf

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]

# User 2 has fewer recommendations than k, user 3 none, user 4 no relevant item.
RUN = pl.DataFrame(
    {
        "user_id": [1, 1, 1, 1, 1, 2, 2, 4, 4],
        "item_id": [7, 9, 2, 3, 5, 5, 6, 1, 2],
        "score": [0.9, 0.8, 0.7, 0.6, 0.5, 0.8, 0.7, 0.9, 0.8],
    }
)
RELEVANT = pl.DataFrame(
    {"user_id": [1, 1, 1, 2, 2, 2, 2, 3], "item_id": [9, 3, 8, 5, 1, 2, 3, 4], "rating": 1.0}
)
HIT_RATE = {1: [0.0, 1.0, 0.0], 3: [1.0, 1.0, 0.0], 5: [1.0, 1.0, 0.0]}
PRECISION = {1: [0.0, 1.0, 0.0], 3: [1 / 3, 1 / 3, 0.0], 5: [0.4, 0.2, 0.0]}
RECALL = {1: [0.0, 0.25, 0.0], 3: [1 / 3, 0.25, 0.0], 5: [2 / 3, 0.25, 0.0]}
NDCG = {
    1: [0.0, 1.0, 0.0],
    3: [0.2960819109658652, 0.46927872602275644, 0.0],
    5: [0.49818925746641285, 0.3903800499921017, 0.0],
}
MRR = {1: [0.0, 1.0, 0.0], 3: [0.5, 1.0, 0.0], 5: [0.5, 1.0, 0.0]}
REPLAY = {
    "Success": HIT_RATE,
    "P": PRECISION,
    "R": RECALL,
    "AP(denominator='min')": {
        1: [0.0, 1.0, 0.0],
        3: [0.16666666666666666, 0.3333333333333333, 0.0],
        5: [0.3333333333333333, 0.25, 0.0],
    },
    "nDCG": NDCG,
    "RR": MRR,
}
RECTOOLS = {
    "Success": HIT_RATE,
    "P": PRECISION,
    "relative_P": {1: [0.0, 1.0, 0.0], 3: [1 / 3, 1 / 3, 0.0], 5: [2 / 3, 0.25, 0.0]},
    "R": RECALL,
    "F1": {
        1: [0.0, 0.4, 0.0],
        3: [0.3333333333333333, 0.28571428571428575, 0.0],
        5: [0.5, 0.22222222222222224, 0.0],
    },
    "AP": {
        1: [0.0, 0.25, 0.0],
        3: [0.16666666666666666, 0.25, 0.0],
        5: [0.3333333333333333, 0.25, 0.0],
    },
    "AP(denominator='k')": {
        1: [0.0, 1.0, 0.0],
        3: [0.16666666666666666, 0.3333333333333333, 0.0],
        5: [0.2, 0.2, 0.0],
    },
    "nDCG": NDCG,
    "RR": MRR,
}
RECTOOLS_NDCG = {  # with its default, divide_by_achievable=False
    1: [0.0, 1.0, 0.0],
    3: [0.2960819109658653, 0.46927872602275655, 0.0],
    5: [0.36005461457723403, 0.3391602052736162, 0.0],
}
CASES = [
    pytest.param(f"{measure}@{k}", values, id=f"{library} {measure}@{k}")
    for library, table in {"RePlay": REPLAY, "RecTools": RECTOOLS}.items()
    for measure, by_cutoff in table.items()
    for k, values in by_cutoff.items()
]


def of_users(measure):
    """The values of the users that have relevant items, in the order of their ids."""
    return lf.scores(lf.positions(RUN, RELEVANT), measure)["value"].to_list()


@pytest.mark.parametrize("measure, values", CASES)
def test_a_measure_has_the_values_of_the_library(measure, values):
    assert of_users(measure) == pytest.approx(values, rel=1e-15, abs=0)


@pytest.mark.parametrize("k", RECTOOLS_NDCG)
def test_ndcg_of_rectools_is_dcg_divided_by_that_of_k_relevant_items(k):
    ideal = math.fsum(1 / math.log2(rank + 1) for rank in range(1, k + 1))
    ours = [value / ideal for value in of_users(f"DCG@{k}")]
    assert ours == pytest.approx(RECTOOLS_NDCG[k], rel=1e-15, abs=0)
    said = lf.conventions().filter(measure="nDCG@k", choice="ideal").row(0, named=True)
    assert "DCG@k / Σ_{r≤k} 1/log2(r + 1)" in said["other"]
    assert said["RecTools"].startswith("k relevant items")


def test_replay_orders_equal_scores_by_the_value_of_integer_ids():
    """Ids are text here, where "9" is behind "10"; ranks or text of one length give its order."""
    run = pl.DataFrame({"user_id": 1, "item_id": [9, 10], "score": 0.5, "rank": [2, 1]})
    relevant = {"1": {"9": 1}}
    of_replay = 0.5  # MRR([2]) for integers; 1.0 where the ids are text
    for ties, expected in {"rank": of_replay, "doc_id_desc": 1.0}.items():
        p = lf.positions(run, relevant, ties=ties)
        assert lf.scores(p, "RR@2")["value"].to_list() == [expected]
    padded = run.with_columns(pl.col("item_id").cast(pl.String).str.zfill(2))
    p = lf.positions(padded, {"1": {"09": 1}})
    assert lf.scores(p, "RR@2")["value"].to_list() == [of_replay]


def test_conventions_says_what_was_found():
    rows = {row["choice"]: row for row in lf.conventions().filter(measure="all").to_dicts()}
    assert rows["order of equal scores"]["RePlay"] == "item id, descending; integers by value"
    assert rows["requests without an answer"]["RecTools"] == "0"
    assert rows["requests without an answer"]["RePlay"] == "0"
    assert rows["requests without relevant items"]["RePlay"] == "left out; in dictionaries 0"
