"""Values of metrics as an array: which count, in which order, and what the table says of them."""

import math

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.metrics.value_arrays import Values

KEYS = pl.DataFrame({"run": [*"aabb"], "query_id": ["q1", "q2"] * 2})
METRICS = (lf.AP, lf.ASL, lf.RR)
VALUES = np.arange(12.0).reshape(4, 3)
KEPT = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], bool)


def test_by_request_only_values_that_count():
    found = Values(KEYS, METRICS, VALUES, KEPT)
    for n, metric in enumerate(METRICS):
        array = found.by_request(metric, pl.Series(["q1", "q2"]))
        for row, (run, query) in enumerate(KEYS.rows()):
            value = array["ab".index(run), ["q1", "q2"].index(query)]
            assert math.isnan(value) if not KEPT[row, n] else value == VALUES[row, n]


@pytest.mark.parametrize("asked", [(2, 0), (0, 2), (1,), (2, 1, 0)])
def test_some_of_the_metrics_keep_their_order_and_values(asked):
    found = Values(KEYS, METRICS, VALUES, KEPT).part([METRICS[n] for n in asked])
    places = sorted(asked)
    assert found.metrics == tuple(METRICS[n] for n in places)
    assert found.values.tolist() == [[row[n] for n in places] for row in VALUES.tolist()]
    assert found.kept.tolist() == [[row[n] for n in places] for row in KEPT.tolist()]


def test_the_table_has_the_values_that_count():
    table = Values(KEYS, METRICS, VALUES, KEPT).table()
    expected = [
        (run, query, str(METRICS[n]), VALUES[row, n])
        for row, (run, query) in enumerate(KEYS.rows())
        for n in range(3)
        if KEPT[row, n]
    ]
    assert table.rows() == expected


@pytest.mark.parametrize("smaller", [False, True])
def test_only_a_direction_that_the_name_does_not_say_is_a_column(smaller):
    kind = lf.SearchLength if smaller else lf.RecallLevelMetric
    own = kind("own", exposure=lambda p: p, weight=lambda i, m: i == m)
    for metrics in [(lf.AP, own), (own,), (lf.ASL, own), (lf.AP, lf.ASL)]:
        size = len(metrics)
        table = Values(KEYS, metrics, VALUES[:, :size], KEPT[:, :size] | True).table()
        is_said = own in metrics
        assert ("smaller_is_better" in table.columns) == is_said
        if is_said:
            said = dict(table.select("measure", "smaller_is_better").rows())
            assert said == {str(m): m is lf.ASL or (m is own and smaller) for m in metrics}


@pytest.mark.parametrize(
    "by", [["run", "doc_id", "query_id"], ["query_id", "run", "doc_id"], ["doc_id"]]
)
@pytest.mark.parametrize("descending", [False, True])
def test_positions_in_any_order_have_the_same_scores(by, descending):
    """Runs and requests may stand together in an order that is not theirs."""
    folder = lf.bundled("example")
    p = lf.positions(folder / "runs", folder / "qrels.txt")
    expected = lf.scores(p, ["AP", "RR", "nDCG"])
    assert lf.scores(p.sort(by, descending=descending), ["AP", "RR", "nDCG"]).equals(expected)
    upside_down = p.sort("run", "query_id", "doc_id", descending=[True, True, False])
    assert lf.scores(upside_down, ["AP", "RR", "nDCG"]).equals(expected)
