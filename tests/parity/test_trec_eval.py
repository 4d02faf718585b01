"""Metrics equal those of trec_eval 10, for every run and query of the real data sets."""

import polars as pl
import pytest

import lexiframe as lf
from tests.parity.reference import DATASETS, LEAST_RELEVANT, assert_same_rows

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"),
]

KEY = ["run", "query_id", "measure"]


def reference(shared, dataset):
    """The rows of the measures that lexiframe has, named as it names them."""
    table = pl.read_parquet(shared / "conformance" / dataset / "trec_eval.parquet")
    names = {name: str(lf.parse_measure(name)) for name in table["measure"].unique()}
    assert len(set(names.values())) == 27
    return table.with_columns(pl.col("measure").replace_strict(names))


def paths(shared, dataset):
    folder = shared / "data" / dataset
    return folder / "runs", folder / "qrels.trec"


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_value_of_trec_eval(shared, dataset):
    expected = reference(shared, dataset)
    graded = pl.col("measure").str.starts_with("nDCG")
    for rows, rel in [(graded, None), (~graded, LEAST_RELEVANT.get(dataset))]:
        theirs = expected.filter(rows)
        p = lf.positions(*paths(shared, dataset), rel=rel, no_relevant="zero", judged=True)
        ours = lf.scores(p, theirs["measure"].unique())
        assert_same_rows(ours, theirs, KEY, "value", relative=1e-12)


def test_a_measures_own_rel_is_trec_evals_threshold(shared):
    expected = reference(shared, "movielens_100k")
    p = lf.positions(*paths(shared, "movielens_100k"))
    binary = [lf.AP, lf.RR, lf.Rprec, lf.P @ 10, lf.R @ 100]
    ours = lf.scores(p, [metric(rel=4) for metric in binary])
    ours = ours.with_columns(pl.col("measure").str.replace("(rel=4)", "", literal=True))
    theirs = expected.filter(pl.col("measure").is_in([str(metric) for metric in binary]))
    theirs = theirs.join(ours, on="query_id", how="semi")
    assert_same_rows(ours, theirs, KEY, "value", relative=1e-12)
    without_items_of_that_grade = expected["query_id"].n_unique() - ours["query_id"].n_unique()
    assert without_items_of_that_grade == 3
