"""What is known of each document in the top of some run, by loops over runs and documents."""

import math

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.projection.policies import Policies
from lexiframe.study.holes.items import pool_of
from lexiframe.study.holes.model import Evidence

pytestmark = pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")

TOP = 8


def log_odds(share):
    return math.log(share / (1 - share))


def by_loops(runs, qrels):
    """The five columns of each document in a top: {(query, doc): [...]}, and the run alone."""
    rank, top = {}, {}
    for run, query, doc, score in runs.select("run", "query_id", "doc_id", "score").iter_rows():
        rank.setdefault((run, query), []).append((-score, doc))
    for key, found in rank.items():
        rank[key] = {doc: n for n, (_, doc) in enumerate(sorted(found), start=1)}
        top[key] = {doc for doc, n in rank[key].items() if n <= TOP}
    grade = {(q, d): y for q, d, y in qrels.select("query_id", "doc_id", "relevance").iter_rows()}
    names = sorted({run for run, _ in top})
    having = {}
    for (run, query), docs in top.items():
        for doc in docs:
            having.setdefault((query, doc), []).append(run)
    counted = {
        run: [
            key
            for key, runs_of in having.items()
            if run in runs_of and key in grade and (len(runs_of) > 1 or len(names) == 1)
        ]
        for run in names
    }
    hits = {run: [key for key in counted[run] if grade[key] > 0] for run in names}
    n_all, n_hits = (sum(map(len, of.values())) for of in (counted, hits))
    common = (n_hits + 1) / (n_all + 2)
    known, alone = {}, {}
    for (query, doc), runs_of in having.items():
        ranks = [rank[run, query][doc] for run in runs_of]
        everywhere = [
            1 / (60 + rank[run, query][doc]) for run in names if doc in rank.get((run, query), {})
        ]
        fused = math.fsum(everywhere) - max(everywhere) + 1 / 1060
        far, near = [], []
        for run in runs_of:
            others = [key for key in counted[run] if key != (query, doc)]
            good = [key for key in others if key in hits[run]]
            far.append(log_odds((len(good) + 5 * common) / (len(others) + 5)))
            of_run = (len(hits[run]) + 5 * common) / (len(counted[run]) + 5)
            here, good_here = ([key for key in of if key[0] == query] for of in (others, good))
            near.append(log_odds((len(good_here) + 2 * of_run) / (len(here) + 2)))
        known[query, doc] = [
            math.log(min(ranks)),
            math.log(len(ranks)),
            math.log(fused),
            sum(far) / len(far),
            sum(near) / len(near),
        ]
        alone[query, doc] = names.index(runs_of[0]) if len(runs_of) == 1 else -1
    return known, alone


@pytest.mark.parametrize("n_runs", [1, 2, 5])
def test_what_is_known_by_loops(n_runs):
    runs, qrels = map(
        pl.DataFrame,
        lf.simulate_collection(requests=5, runs=n_runs, depth=20, relevant=6, pool_depth=9, seed=2),
    )
    qrels = qrels.filter(pl.int_range(pl.len()) % 3 != 0)  # the others are holes
    runs = runs.filter(pl.col("query_id").is_in(qrels["query_id"].implode()))
    pool = pool_of(runs, qrels, Policies(), TOP)
    evidence = Evidence.collect(pool, pool.is_judged)
    items = pool.ranked.judged.items[evidence.item].select("query_id", "doc_id").rows()
    known, alone = by_loops(runs, qrels)
    assert {*items} == {*known}
    for row, key in enumerate(items):
        assert evidence.known[row] == pytest.approx(known[key], abs=1e-9)
        assert evidence.alone[row] == alone[key]
    assert not evidence.is_judged.all()
    assert np.unique(evidence.is_relevant).size == 2
