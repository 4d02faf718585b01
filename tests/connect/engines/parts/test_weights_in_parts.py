"""Requests with weights in parts: tables are those in memory, bit for bit."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.connect.engines.parts import batches
from lexiframe.core.evaluation.buckets import held

DATA = lf.bundled("example") / "runs", lf.bundled("example") / "qrels.txt"
MEASURES = ["RPP", "AP", "RR"]
KEYS = {
    "scores": ["run", "query_id", "measure"],
    "preferences": ["query_id", "run_a", "run_b", "measure"],
}
PARTS = {"memory": "1GB", "keep": [*KEYS]}


@pytest.fixture(scope="module")
def requests():
    ids = lf.evaluate(*DATA, "AP", frames="polars").scores["query_id"].unique().sort()
    return pl.DataFrame(
        {"query_id": ids, "traffic": [6, 4, 0, 2, 1], "kind": ["x", "y", "x", "y", "y"]}
    )


@pytest.fixture(autouse=True)
def three_buckets(monkeypatch):
    monkeypatch.setattr(batches, "n_buckets", lambda sizes, memory: 3)


@pytest.mark.filterwarnings("ignore:strata. .* has n = 2")
@pytest.mark.parametrize(
    "how",
    [
        {"weights": "traffic"},
        {"strata": "kind", "shares": {"x": 0.6, "y": 0.4}},
        {"weights": "traffic", "baseline": "random", "test": ["t", "randomization"]},
    ],
    ids=["weights", "strata", "tests of single requests"],
)
def test_tables_and_kept_tables_are_those_in_memory(requests, tmp_path, how):
    """The sample of a test of single requests has the weights, too."""
    how = {"requests": requests, **how}
    whole = lf.evaluate(*DATA, MEASURES, **how)
    e = lf.evaluate(*DATA, MEASURES, **how, **PARTS, out=tmp_path)
    for name, table in whole.tables(of_requests=False).items():
        assert e.tables(of_requests=False)[name].equals(table), name
    assert e.provenance["weights"] == whole.provenance["weights"]
    assert e.comparisons["n_effective"].null_count() == 0
    for name, key in KEYS.items():
        assert pl.read_parquet(tmp_path / name / "*.parquet").sort(key).equals(getattr(whole, name))


def test_a_job_is_not_resumed_with_other_weights(requests, tmp_path, monkeypatch):
    how = {"requests": requests, "out": tmp_path, **PARTS}
    with monkeypatch.context() as patch:
        patch.setattr(batches, "evaluate_one", _failing(batches.evaluate_one))
        with pytest.raises(lf.LexiframeError, match="no more"):
            lf.evaluate(*DATA, MEASURES, weights="traffic", **how)
    more = requests.with_columns(pl.col("traffic") + 1)
    for change in ({"weights": None, "requests": None}, {"weights": "traffic", "requests": more}):
        with pytest.raises(lf.LexiframeError, match=r"holds another job: its .*weights differ"):
            lf.evaluate(*DATA, MEASURES, **how | change, resume=True)
    e = lf.evaluate(*DATA, MEASURES, weights="traffic", resume=True, **how)
    assert e.means.equals(lf.evaluate(*DATA, MEASURES, weights="traffic", requests=requests).means)


def _failing(function):
    def fail(plan, buckets, number, held=None):
        if number:
            raise lf.LexiframeError("no more")
        return function(plan, buckets, number, held)

    return fail


def test_single_requests_that_do_not_fit_are_refused(requests):
    with pytest.raises(lf.LexiframeError, match=r"weights: the preferences by AP .* or evaluate w"):
        lf.evaluate(*DATA, MEASURES, weights="traffic", requests=requests, memory="1kB")


def test_many_preferences_wait_on_disk(requests, monkeypatch):
    how = {"weights": "traffic", "requests": requests, "test": ["t", "randomization"]}
    expected = lf.evaluate(*DATA, MEASURES, **how)
    monkeypatch.setattr(held, "_IN_MEMORY", 0)
    folders = []
    to_disk = held.Held._spill
    monkeypatch.setattr(held.Held, "_spill", lambda of: (to_disk(of), folders.append(of.folder)))
    e = lf.evaluate(*DATA, MEASURES, **how)
    assert e.comparisons.equals(expected.comparisons)
    assert e.scores.equals(expected.scores)
    assert [folder.exists() for folder in folders] == [False]
