"""Preferences equal those of the authors' tool, for every query and pair of runs."""

import polars as pl
import pytest

import lexiframe as lf
from tests.parity.reference import DATASETS, LEAST_RELEVANT, assert_same_rows

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"),
    pytest.mark.slow,
]

KEY = ["query_id", "run_a", "run_b", "measure"]
MEASURES = ["LP", "LR", "RPP", "dcgRPP", "invRPP", "rrLP"]


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("thresholds", ["graded", "binary"])
def test_every_value_of_the_reference(shared, dataset, thresholds):
    rel = LEAST_RELEVANT.get(dataset)
    file = "preferences.parquet" if thresholds == "graded" else "preferences_binary.parquet"
    theirs = pl.read_parquet(shared / "conformance" / dataset / file)
    assert theirs["measure"].unique().sort().to_list() == MEASURES
    suffix = "" if thresholds == "graded" else f"(rel={rel or 1})"

    folder = shared / "data" / dataset
    p = lf.positions(folder / "runs", folder / "qrels.trec", rel=rel)
    ours = lf.preferences(p, [name + suffix for name in MEASURES])
    ours = ours.with_columns(pl.col("measure").str.strip_suffix(suffix))

    assert_same_rows(ours, theirs, KEY, "preference", absolute=1e-12)
    signs = (table.with_columns(pl.col("preference").sign()) for table in (ours, theirs))
    assert_same_rows(*signs, KEY, "preference")


def test_binary_and_graded_references_differ(shared):
    """Otherwise the tests above could not tell whether grades count."""
    folder = shared / "conformance" / "cranfield"
    graded, binary = (
        pl.read_parquet(folder / name).filter(measure="RPP")["preference"]
        for name in ("preferences.parquet", "preferences_binary.parquet")
    )
    assert (graded != binary).mean() > 0.1
