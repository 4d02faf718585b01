"""Runs and judgments in the other order, which their content shows, or the number of runs."""

import random

import polars as pl
import pytest

import lexiframe as lf

QUERIES = [f"q{n}" for n in range(6)]
CALLS = (lf.positions, lf.coverage, lf.evaluate, lambda a, b: lf.interleaving(a, b, user="uniform"))


def judgments(grades=(0, 1, 2)):
    rnd = random.Random(3)
    return {q: {f"d{n}": rnd.choice(grades) for n in range(8)} for q in QUERIES}


def ranking(score=lambda rnd, rank: 1 / (rank + rnd.random())):
    rnd = random.Random(4)
    return {q: {f"d{n + k}": score(rnd, n + 1) for n in range(9)} for k, q in enumerate(QUERIES)}


def frame(data):
    rows = [(q, d, float(x)) for q, inner in data.items() for d, x in inner.items()]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")


TIED = {
    "by twos": {q: {f"d{n}": (20 - n) // 2 for n in range(20)} for q in QUERIES},
    "a tie": ranking(lambda rnd, rank: max(9 - rank, 1.5) + rnd.random() * (rank < 8)),
    "in groups": {
        q: {f"d{n}": 1 / (n // 4 + 7 * k + 1) for n in range(24)} for k, q in enumerate(QUERIES)
    },
    "one request": {"q0": {f"d{n}": 1 / max(n, 1) for n in range(12)}},
}


@pytest.mark.parametrize("run", TIED.values(), ids=TIED)
def test_ties_do_not_lift_the_doubt(run):
    for call in (*CALLS, lf.unjudged):
        with pytest.raises(lf.SchemaError, match="may have changed places"):
            call(judgments(), run)


def sparse(grades=(0, 1)):
    rnd = random.Random(5)
    return {
        f"q{k}": {f"d{rnd.randrange(99)}": rnd.choice(grades) for _ in range(rnd.randrange(2, 9))}
        | {"d1": grades[1], "d2": grades[1], "d3": grades[0]}
        for k in range(20)
    }


def cut(n_digits, n, highest=1, least=1):
    rnd = random.Random(6)
    rows = {
        f"q{k}": [round(highest * rnd.random(), n_digits) + least for _ in range(n)]
        for k in range(20)
    }
    return {q: {f"d{i}": x for i, x in enumerate(sorted(xs)[::-1])} for q, xs in rows.items()}


@pytest.mark.parametrize("grades", [(0, 1), (0, 1, 2), (0, 0.5, 1)])
@pytest.mark.parametrize("run", [cut(2, 10), cut(2, 100), cut(1, 10, 9), cut(1, 100, 9)])
def test_rounded_scores_in_the_other_order_are_refused(run, grades):
    numbers = "half points" if 0.5 in grades else "whole numbers"
    with pytest.raises(lf.SchemaError, match=rf"few {numbers} \(0 to [12]\).* changed places"):
        lf.evaluate(sparse(grades), run)
