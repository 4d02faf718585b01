"""Results of requests with weights are taken again by the weights of the new call."""

import polars as pl
import pytest

import lexiframe as lf

RUNS, QRELS = lf.bundled("example") / "runs", lf.bundled("example") / "qrels.txt"
MEASURES = ["RPP", "AP"]
IDS = ["q0066", "q0078", "q0113", "q0175", "q0206"]
WEIGHTS = [
    {},
    {"weights": dict(zip(IDS, [6, 4, 0, 2, 1], strict=True))},
    {"weights": dict(zip(IDS, [0, 0, 1, 2, 2], strict=True))},
]
KINDS = pl.DataFrame({"query_id": IDS, "kind": ["x", "y", "z", "x", "y"]})
STRATA = {"strata": "kind", "shares": {"x": 0.6, "y": 0.4, "z": 0}, "requests": KINDS}


def assert_same(e, expected):
    for name, table in expected.tables().items():
        assert e.tables()[name].equals(table), name
    assert e.provenance.get("weights") == expected.provenance.get("weights")


@pytest.mark.parametrize(
    "before, now",
    [(1, 2), *(pytest.param(*one, marks=pytest.mark.slow) for one in [(0, 1), (1, 0), (1, 1)])],
)
def test_results_are_reused_by_other_weights(tmp_path, before, now):
    """Requests that had the weight 0 are computed, the others are not."""
    lf.evaluate(RUNS, QRELS, MEASURES, **WEIGHTS[before]).write(tmp_path)
    e = lf.evaluate(RUNS, QRELS, MEASURES, **WEIGHTS[now], reuse=tmp_path)
    assert_same(e, lf.evaluate(RUNS, QRELS, MEASURES, **WEIGHTS[now]))
    assert e.provenance["reused"]["requests"] == 5 - before


@pytest.mark.filterwarnings("ignore:strata. .* has n = 2")
@pytest.mark.parametrize(
    "how", [WEIGHTS[1], pytest.param(STRATA, marks=pytest.mark.slow)], ids=["weights", "strata"]
)
def test_added_runs_keep_the_weights(tmp_path, how):
    """Also where the evaluation was written and read back."""
    expected = lf.evaluate(RUNS, QRELS, MEASURES, **how)
    e = lf.evaluate(RUNS / "p*.run", QRELS, MEASURES, **how)
    assert_same(lf.add_runs(e, RUNS / "random.run"), expected)
    e.write(tmp_path)
    more = lf.add_runs(lf.read_results(tmp_path), RUNS / "random.run")
    means = [one.means.sort("measure", "run")["mean"] for one in (more, expected)]
    assert means[0].to_list() == pytest.approx(means[1].to_list(), rel=1e-14)
    told = [one.provenance["weights"] for one in (more, expected)]
    assert [one.pop("shares", None) for one in told] == [how.get("shares")] * 2
    assert told[0].pop("first_by_request") == told[1].pop("first_by_request")
    assert told[0] == pytest.approx(told[1])
