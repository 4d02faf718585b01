"""Subtopic metrics equal those that ndeval prints, for every run and query of TREC Web 2012."""

import ir_measures
import polars as pl
import pytest

import lexiframe as lf
from tests.parity.reference import assert_same_rows

pytestmark = [pytest.mark.conformance, pytest.mark.slow]

KEY = ["run", "query_id", "measure"]
PRINTED = 0.5e-6 + 1e-12
"""Half of the last of the six digits behind the point."""


@pytest.fixture(scope="module")
def p(shared):
    folder = shared / "data" / "trec_web_2012"
    return lf.positions(folder / "runs", folder / "qrels.ndeval.trec.gz", subtopics=True)


def reference(shared):
    return pl.read_parquet(shared / "conformance" / "trec_web_2012" / "ndeval.parquet")


def test_every_value_of_ndeval(shared, p):
    theirs = reference(shared)
    names = theirs["measure"].unique()
    assert len(names) == 21
    assert_same_rows(lf.scores(p, names), theirs, KEY, "value", absolute=PRINTED)


def test_in_the_words_of_ir_measures(shared, p):
    diversity = "alpha_DCG alpha_nDCG ERR_IA nERR_IA P_IA StRecall NRBP nNRBP AP_IA".split()
    measures = [getattr(ir_measures, name) for name in diversity]
    measures = [m @ 20 if "cutoff" in m.SUPPORTED_PARAMS else m for m in measures]
    asked = [lf.parse_measure(measure) for measure in measures]
    theirs = reference(shared).filter(pl.col("measure").is_in([str(m) for m in asked]))
    assert theirs["measure"].n_unique() == 9
    assert_same_rows(lf.scores(p, asked), theirs, KEY, "value", absolute=PRINTED)


def test_the_exact_ideal_is_no_less_than_the_greedy_one(p):
    exact = lf.scores(p, "alpha-nDCG(ideal='exact')@20")["value"]
    greedy = lf.scores(p, "alpha-nDCG@20")["value"]
    assert (exact <= greedy + 1e-12).all()
    assert (exact < greedy - 1e-6).sum() == 8, "one query of eight runs"
