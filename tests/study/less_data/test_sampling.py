"""Positions with less data are those of smaller files."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.study.less_data.sampling import (
    leave_out_run,
    sample_labels,
    truncate_runs,
)
from tests import oracle


@pytest.fixture(scope="module")
def folder():
    return lf.bundled("example")


@pytest.fixture(scope="module")
def p(folder):
    return lf.positions(folder / "runs", folder / "qrels.txt")


def positions_of_kept(folder, kept):
    """Positions from judgments of which only some documents are left."""
    qrels = pl.DataFrame(lf.read_qrels(folder / "qrels.txt"))
    left = qrels.join(
        kept.select("query_id", "doc_id").unique(), on=["query_id", "doc_id"], how="semi"
    )
    return lf.positions(folder / "runs", left)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["uniform", "retrieved"])
@pytest.mark.parametrize("fraction", [0.01, 0.29, 0.5, 0.7, 1])
def test_fewer_labels_are_positions_of_fewer_judgments(folder, p, fraction, how):
    found = sample_labels(p, fraction, how, seed=3)
    assert found.equals(positions_of_kept(folder, found))
    whole = dict(p.select("query_id", "n_relevant").unique().rows())
    left = dict(found.select("query_id", "n_relevant").unique().rows())
    hundredths = round(100 * fraction)
    assert left == {query: max(1, hundredths * m // 100) for query, m in whole.items()}


def test_rows_may_come_in_any_order(p):
    shuffled = p.sample(fraction=1, shuffle=True, seed=4)
    for sample in (lambda p: sample_labels(p, 0.5), lambda p: truncate_runs(p, 5)):
        assert sample(shuffled).sort(p.columns[:3]).equals(sample(p))


def test_a_seed_gives_the_same_items_and_a_smaller_share_is_part_of_a_greater(p):
    halves = [sample_labels(p, 0.5, seed=seed) for seed in (1, 1, 2)]
    assert halves[0].equals(halves[1])
    assert not halves[0].equals(halves[2])
    quarter = sample_labels(p, 0.25, seed=1)
    assert quarter.join(halves[0], on=["query_id", "doc_id"], how="anti").height == 0


@pytest.mark.slow
@pytest.mark.parametrize("how", ["retrieved", "uniform"])
@pytest.mark.parametrize("fraction", [0.2, 0.4, 0.6, 0.8])
def test_items_that_more_runs_retrieved_go_sooner(how, fraction):
    """Three runs retrieved v, two w, one x, and none y and z: these go last, in random order."""
    n, counts = 4000, {"v": 3, "w": 2, "x": 1, "y": 0, "z": 0}
    queries = [f"q{number}" for number in range(n)]
    runs = {
        f"r{number}": {
            query: {item: 1 for item in counts if counts[item] > number} for query in queries
        }
        for number in range(3)
    }
    p = lf.positions(runs, {query: dict.fromkeys(counts, 1) for query in queries})
    found = sample_labels(p, fraction, how, seed=0).unique(["query_id", "doc_id"])
    kept = found.group_by("query_id").agg(pl.col("doc_id").sort())["doc_id"].to_list()
    weights = counts if how == "retrieved" else dict.fromkeys(counts, 1)
    n_kept = round(fraction * 5)
    expected = {tuple(sorted(left)): share for left, share in oracle.left(weights, n_kept).items()}
    assert sum(expected.values()) == 1
    assert {*map(tuple, kept)} <= {*expected}
    for items, share in expected.items():
        seen = kept.count([*items]) / n
        assert abs(seen - share) <= 4.5 * float(share * (1 - share) / n) ** 0.5


def test_requests_without_relevant_items_stay():
    runs = {"r": {"q1": {"x": 1}, "q2": {"x": 1}}}
    with pytest.warns(lf.LexiframeWarning, match="without a relevant item: 1"):
        p = lf.positions(runs, {"q1": {"x": 1}, "q2": {"x": 0}}, no_relevant="zero")
    assert sample_labels(p, 0.5).equals(p)


def test_a_run_that_is_left_out():
    runs = {
        "a": {"q": {"x": 3, "y": 2}, "z": {"d": 1}},
        "b": {"q": {"y": 2, "w": 1}, "z": {"e": 1}},
    }
    qrels = {"q": {"x": 1, "y": 1, "w": 1, "v": 1}, "z": {"d": 1}}
    p = lf.positions(runs, qrels)
    with pytest.warns(lf.LexiframeWarning, match="without a relevant item, left out: 1"):
        found = leave_out_run(p, "a")
    with pytest.warns(lf.LexiframeWarning, match="without judgments, ignored: 2"):
        expected = lf.positions(runs, {"q": {"y": 1, "w": 1, "v": 1}})
    assert found.equals(expected)
    assert leave_out_run(p, "b").equals(
        lf.positions(runs, {"q": {"x": 1, "y": 1, "v": 1}, "z": {"d": 1}})
    )


def test_other_arguments_that_are_refused(folder, p):
    with pytest.raises(lf.LexiframeError, match="expected how to be one of 'uniform', 'retr"):
        sample_labels(p, 0.5, "retreived")
    with pytest.raises(lf.LexiframeError, match="expected seed to be a whole number"):
        sample_labels(p, 0.5, seed=-1)
    with pytest.raises(lf.LexiframeError, match="expected depth to be a whole number from 1"):
        truncate_runs(p, 0)
    with pytest.raises(lf.UnknownNameError, match="random"):
        leave_out_run(p, "randon")
    judged = lf.positions(folder / "runs", folder / "qrels.txt", judged=True)
    for sample in (lambda p: sample_labels(p, 0.5), lambda p: leave_out_run(p, "random")):
        with pytest.raises(lf.LexiframeError, match="call positions without judged=True"):
            sample(judged)
