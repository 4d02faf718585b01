"""Many runs: what has a row for each pair of them is computed, written and shown in parts."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base.memory_use import NotEnoughMemoryError

pytestmark = pytest.mark.slow  # its room has quicker tests

MEASURES = ["RPP", "LR", "AP", "RR"]
N_RUNS = 130


@pytest.fixture(scope="module")
def collection():
    """Runs of ten documents for six requests, of which four are relevant in no order."""
    random, documents = np.random.default_rng(29), [f"d{n}" for n in range(10)]
    queries = [f"q{n}" for n in range(6)]
    runs = {
        f"run{n:03}": {
            q: dict(zip(documents, random.permutation(10), strict=True)) for q in queries
        }
        for n in range(N_RUNS)
    }
    qrels = {q: {f"d{n}": 1 for n in range(2 + 2 * (i % 2))} for i, q in enumerate(queries)}
    return {name: as_frame(run, "score") for name, run in runs.items()}, as_frame(
        qrels, "relevance"
    )


def as_frame(by_query, value):
    rows = [(q, d, int(x)) for q, of_query in by_query.items() for d, x in of_query.items()]
    return pl.DataFrame(rows, ["query_id", "doc_id", value], orient="row")


@pytest.fixture(scope="module")
def evaluation(collection):
    return lf.evaluate(*collection, MEASURES)


def test_the_page_has_some_of_many_runs_and_says_so(evaluation, tmp_path):
    page = evaluation.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 5_000_000
    assert f"of {N_RUNS} runs, those with the best rank by any measure" in page


def test_the_page_needs_memory_for_its_own_runs_alone(collection, tmp_path, lexiframe, monkeypatch):
    """There is one although the preferences of all runs would not fit."""

    def too_many_of_all(n_runs, *_):
        if n_runs == N_RUNS:
            raise NotEnoughMemoryError("these are too many")

    monkeypatch.setattr("lexiframe.core.pairwise.measured.refuse_many_pairs", too_many_of_all)
    runs, qrels = collection
    named = [run.with_columns(run=pl.lit(name)) for name, run in runs.items()]
    pl.concat(named).write_parquet(tmp_path / "runs.parquet")
    qrels.write_parquet(tmp_path / "qrels.parquet")
    files, page = (tmp_path / "qrels.parquet", tmp_path / "runs.parquet"), tmp_path / "page.html"
    status, _, said = lexiframe("evaluate", *files, "-m", "AP", "--report", page)
    assert status == 0, said
    assert f"of {N_RUNS} runs, those with the best rank by any measure" in page.read_text("utf-8")
