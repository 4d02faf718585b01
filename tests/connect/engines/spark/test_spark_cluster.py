"""Evaluation on a cluster of two executors, which are processes of their own; one is killed."""

import sys
from pathlib import Path

import polars as pl
import pytest

import lexiframe as lf
from tests.connect.engines.conftest import session
from tests.connect.engines.spark.test_spark import MEASURES, assert_same, collection, killing, sent  # noqa: F401

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:rankings missing"),
    pytest.mark.skipif(sys.platform != "linux", reason="finds the process to kill in /proc"),
]


@pytest.fixture(scope="module")
def cluster(spark_home):
    """Give a session with two executors of one core and 1024 MB each."""
    with session("local-cluster[2,1,1024]", spark_home) as started:
        yield started


def test_a_killed_executor_changes_nothing(cluster, collection, tmp_path):  # noqa: F811
    """Its tasks are repeated elsewhere, and nothing is counted or written twice."""
    marker, out = tmp_path / "marker", tmp_path / "out"
    measures = [*MEASURES, killing(str(marker), 2)]
    frames = [sent(cluster, frame) for frame in collection]
    e = lf.spark.evaluate(cluster, *frames, measures, buckets=16, out=out)
    killed = int(marker.read_text())
    assert not Path(f"/proc/{killed}").exists()
    expected = lf.evaluate(*collection, measures)
    assert_same(e, expected)
    for name, key in (
        ("scores", ["run", "query_id", "measure"]),
        ("preferences", ["query_id", "run_a", "run_b", "measure"]),
    ):
        written = pl.read_parquet(out / name / "*.parquet")
        assert written.sort(key).equals(getattr(expected, name))
