"""A value depends on its own request alone, to the last bit: requests can be computed in parts."""

import random
import warnings

import polars as pl
import pytest

import lexiframe as lf
from tests.frames import assert_identical

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(  # made-up rows lie in any order
        "ignore:runs whose ranks and scores disagree",
        "ignore:.*expected scores of which the greatest is the best",
    ),
]

MEASURES = (
    "AP nDCG nDCG@10 RR RBP R@10 P@5 Rprec ERR(max=4) gRBP(max=4) TSE(AP) bpref infAP Judged@10 "
    "RBP_residual num_ret Compat Accuracy(rel=1)@9 G ndcg_rel Rndcg binG yaap INSQ(max_rel=4) "
    "ISL(n=500) ASL(n=500)"
)
OF_SUBTOPICS = "alpha-nDCG alpha-nDCG@20 ERR-IA@20 nERR-IA@20 MAP-IA NRBP nNRBP strec@5"


def skewed(subtopics="0"):
    """Runs and judgments of one request with many judged items, and of many with few."""
    draw = random.Random(0)
    runs, qrels = [], []
    for n, size in enumerate([150, *[1, 2, 5, 9] * 6]):
        judged = [f"d{i:03}" for i in range(size + 3)]
        qrels += [
            (f"q{n:02}", t, d, float(draw.randint(0, 4)))
            for d in judged
            for t in draw.sample(subtopics, draw.randint(1, len(subtopics)))
        ]
        qrels.append((f"q{n:02}", subtopics[0], "d", 1.0))
        for run in "abc":
            found = draw.sample([*judged, "d", *(f"x{i}" for i in range(size))], size + 2)
            runs += [(run, f"q{n:02}", d, -float(rank)) for rank, d in enumerate(found)]
    names = ["query_id", "iteration", "doc_id", "relevance"]
    return (
        pl.DataFrame(runs, schema=["run", "query_id", "doc_id", "score"], orient="row"),
        pl.DataFrame(qrels, schema=names, orient="row"),
    )


@pytest.mark.parametrize(
    "measures, options", [(MEASURES, {"judged": True}), (OF_SUBTOPICS, {"subtopics": True})]
)
def test_scores_of_requests_computed_alone(measures, options):
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(*skewed("tuvw" if "subtopics" in options else "0"), **options)
        whole = lf.scores(p, measures)
        alone = [lf.scores(of_one, measures) for of_one in p.partition_by("query_id")]
    assert_identical(pl.concat(alone).sort("run", "query_id", "measure"), whole)
