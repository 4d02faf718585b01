"""Metrics equal those of trec_eval, for runs and queries of the real data sets.

The outputs of trec_eval 10 hold 27 measures. The others are those of trec_eval 9 in pytrec_eval,
which reads scores as float32, and takes other recall levels for interpolated precision.
"""

import gzip
import io
import math
from collections import defaultdict

import polars as pl
import pytest
import pytrec_eval

import lexiframe as lf
from tests.parity.reference import DATASETS, LEAST_RELEVANT, assert_same_rows

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"),
    pytest.mark.slow,
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


# --- Measures that only pytrec_eval has ---------------------------------------------------------

GRADED = {name: name for name in ("ndcg_rel", "Rndcg", "G")}
BINARY = {name: name for name in ("set_P", "set_recall", "set_F", "set_map", "set_relative_P")}
BINARY |= {name: name for name in ("gm_map", "gm_bpref", "binG", "utility", "num_q")}
BINARY |= {"num_nonrel_judged_ret": "num_nonrel_judged_ret", "11pt_avg": "11pt_avg(rounding='up')"}
BINARY |= {f"iprec_at_recall_{n / 10:.2f}": f"IPrec(rounding='up')@{n / 10}" for n in range(11)}
BINARY |= {f"Rprec_mult_{n / 5:.2f}": f"Rprec_mult_{n / 5:.2f}" for n in range(1, 11)}
BINARY |= {f"relative_P_{k}": f"relative_P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)}
SEVERAL = {"iprec_at_recall": "IPrec", "Rprec_mult": "Rprec_mult", "relative_P": "relative_P"}
ALL_SETS = [*DATASETS, "trec_dl_2019_passage"]
AT_MOST = 3  # runs of a data set


def parsed(parse, path):
    data = path.read_bytes()
    return parse(io.StringIO((gzip.decompress(data) if path.suffix == ".gz" else data).decode()))


def by_pytrec_eval(names, paths, qrels, level):
    """The rows of measures, named as lexiframe names them."""
    asked = {next((s for s in SEVERAL if name.startswith(s)), name) for name in names}
    rows = []
    for path in paths:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=level)
        of_run = evaluator.evaluate(parsed(pytrec_eval.parse_run, path))
        rows += [
            (path.name, query_id, str(lf.parse_measure(ours)), values[theirs])
            for query_id, values in of_run.items()
            for theirs, ours in names.items()
        ]
    return pl.DataFrame(rows, [*KEY, "value"], orient="row")


@pytest.mark.parametrize("dataset", ALL_SETS)
@pytest.mark.parametrize("names", [GRADED, BINARY], ids=["graded", "binary"])
def test_every_other_value_of_trec_eval(shared, dataset, names):
    folder, qrels = paths(shared, dataset)
    chosen = sorted(folder.iterdir())[:AT_MOST]
    rel = LEAST_RELEVANT.get(dataset) if names is BINARY else None
    grades = parsed(pytrec_eval.parse_qrel, qrels)
    theirs = by_pytrec_eval(names, chosen, grades, rel or 1)
    p = lf.positions(
        {path.name: path for path in chosen},
        qrels,
        rel=rel,
        no_relevant="zero",
        judged=True,
        score_type="float32",
    )
    ours = lf.scores(p, list(names.values())).join(theirs, on=KEY[:2], how="semi")
    assert_same_rows(ours, theirs, KEY, "value", relative=1e-12, absolute=1e-15)


def test_what_trec_eval_prints_for_all_requests(shared):
    """Means, geometric means and sums, as pytrec_eval aggregates them."""
    folder, qrels = paths(shared, "cranfield")
    path = sorted(folder.iterdir())[0]
    names = ["map", "gm_map", "num_ret", "num_rel", "num_rel_ret", "num_q", "set_P"]
    evaluator = pytrec_eval.RelevanceEvaluator(parsed(pytrec_eval.parse_qrel, qrels), set(names))
    values = defaultdict(list)
    for of_request in evaluator.evaluate(parsed(pytrec_eval.parse_run, path)).values():
        for name, value in of_request.items():
            values[name].append(value)
    p = lf.positions(path, qrels, no_relevant="zero", score_type="float32")
    found = lf.aggregates(lf.scores(p, names, no_relevant="zero"))
    ours = dict(found.select("measure", "value").rows())
    for name in names:
        theirs = pytrec_eval.compute_aggregated_measure(name, values[name])
        assert math.isclose(ours[str(lf.parse_measure(name))], theirs, rel_tol=1e-12), name
