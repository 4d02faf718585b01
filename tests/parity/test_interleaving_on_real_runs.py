"""Offline interleaving of real runs: the plain simulation, and the published correlation."""

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from tests import oracle
from tests.frames import assert_same_preferences, judgments, measured, rankings

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"),
    pytest.mark.slow,
]

RUNS, REQUESTS = 5, 8


@pytest.mark.parametrize("dataset", ["cranfield", "clef_ehealth_2014", "trec_covid_round1"])
def test_it_is_the_oracles(shared, dataset):
    folder = shared / "data" / dataset
    files = sorted((folder / "runs").iterdir())[:RUNS]
    runs, qrels = lf.read_runs(files), lf.read_qrels(folder / "qrels.trec")
    users = {"uniform": oracle.OI, "dcg": oracle.dcgOI, "rank": oracle.rankOI}
    by_user = {user: lf.interleaving(runs, qrels, user) for user in users}
    some = by_user["dcg"]["query_id"].unique().sort().head(REQUESTS).to_list()
    of_some = pl.col("query_id").is_in(some)
    answers = rankings(pl.DataFrame(runs).filter(of_some))
    graded = judgments(pl.DataFrame(qrels))
    expected = {user: {} for user in users}
    for query_id in some:
        orders = {run: oracle.order(answers[run].get(query_id, [])) for run in sorted(answers)}
        relevant = oracle.relevant_items(graded[query_id])
        for a, b in combinations(orders, 2):
            for user, formula in users.items():
                value = float(formula(orders[a], orders[b], relevant))
                expected[user][query_id, a, b] = value
    for user, values in expected.items():
        assert len(values) == REQUESTS * math.comb(len(files), 2)
        assert len({*values.values()}) > len(values) / 3
        d = by_user[user].filter(of_some)
        assert_same_preferences(measured(d, d["measure"][0]), values)


def test_it_goes_together_with_rpp_as_the_paper_says(shared):
    """Section 6.1 prints 0.98 and, with the user of dcg, 0.94 on Robust 2004."""
    folder = shared / "data" / "trec_dl_2019_passage"
    files = lf.read_runs(folder / "runs"), lf.read_qrels(folder / "qrels.trec")
    rpp = lf.preferences(lf.positions(*files), "RPP(rel=1)")["preference"].to_numpy()
    found = {
        user: np.corrcoef(rpp, lf.interleaving(*files, user)["preference"].to_numpy())[0, 1]
        for user in ("uniform", "dcg")
    }
    assert found == pytest.approx({"uniform": 0.981, "dcg": 0.950}, abs=5e-4)
