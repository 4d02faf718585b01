"""The metric of a preference's users, by loops."""

import pickle
from math import log2

import pytest

import lexiframe as lf

WEIGHTS = {
    "RPP": lambda i: 1,
    "dcgRPP": lambda i: 1 / log2(i + 1),
    "invRPP": lambda i: 1 / i,
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_expected_precision_by_loops(name):
    folder = lf.bundled("example")
    p = lf.positions(folder / "runs", folder / "qrels.txt")
    metric = lf.parse_measure(name).cumulative_precision()
    assert str(metric) == f"NCP({name})"
    for row in lf.scores(p, pickle.loads(pickle.dumps(metric))).iter_rows(named=True):
        ranks = p.filter(run=row["run"], query_id=row["query_id"]).sort("level")["position"]
        weights = [WEIGHTS[name](i) for i in range(1, len(ranks) + 1)]
        terms = [
            weight * i / rank
            for i, (weight, rank) in enumerate(zip(weights, ranks, strict=True), 1)
            if rank is not None
        ]
        assert row["value"] == pytest.approx(sum(terms) / sum(weights), abs=1e-12)


def test_all_users_alike_have_average_precision():
    folder = lf.bundled("example")
    p = lf.positions(folder / "runs", folder / "qrels.txt")
    ours = lf.scores(p, lf.RPP.cumulative_precision() @ 10)["value"].to_list()
    assert ours == pytest.approx(lf.scores(p, "AP@10")["value"].to_list(), abs=1e-12)


def test_subtopics_have_no_such_metric():
    with pytest.raises(lf.LexiframeError, match="ST-RPP: expected a preference without subtopics"):
        lf.ST_RPP.cumulative_precision()
