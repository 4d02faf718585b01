"""Shares of whole numbers are the doubles nearest to them, and the same in every table."""

from fractions import Fraction

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow  # its room has quicker tests

M = [1, 2, 3, 5, 7, 10, 49, 60]


def collection():
    """For each m and each number of them that was found: a ranking of 100, the found ones first."""
    runs, qrels = {}, {}
    for m in M:
        for found in range(m + 1):
            q = f"{m}-{found}"
            relevant = [f"r{n}" for n in range(m)]
            ranking = [*relevant[:found], *(f"x{n}" for n in range(100 - found))]
            runs[q] = {doc: 1000.0 - n for n, doc in enumerate(ranking)}
            qrels[q] = dict.fromkeys(relevant, 1) | {"x0": 0}
    return {"run": runs}, qrels


def share_of(measure, m, found, k):
    """The share as a fraction, by counting in the ranking of `collection`."""
    hits = min(found, k)
    return {
        "P": Fraction(hits, k),
        "R": Fraction(hits, m),
        "R(denominator='min')": Fraction(hits, min(m, k)),
        "R(denominator='k')": Fraction(hits, k),
        "F1": Fraction(2 * hits, k + m),
        "relative_P": Fraction(hits, min(m, k)),
        "Success": Fraction(int(hits > 0)),
        "Judged": Fraction(min(found + (found < 100), k), k),
    }[measure]


@pytest.mark.parametrize("measure", ["R", "Rprec", "SetR", "SetP", "Rprec_mult@1", "P(rel=1)@7"])
def test_shares_without_a_depth_are_the_nearest_doubles(measure):
    runs, qrels = collection()
    values = lf.scores(lf.positions(runs, qrels), measure)
    for q, value in values.select("query_id", "value").iter_rows():
        m, found = map(int, q.split("-"))
        divisor = {"SetP": 100, "P(rel=1)@7": 7}.get(measure, m)
        assert value == float(Fraction(min(found, 7) if divisor == 7 else found, divisor)), q


@pytest.fixture(scope="module")
def p():
    folder = lf.bundled("digits")
    qrels = pl.DataFrame(lf.read_qrels(folder / "qrels.parquet"))
    queries = qrels["query_id"].unique().sort().head(60)
    qrels = qrels.filter(pl.col("query_id").is_in(queries.implode()))
    return lf.positions(folder / "runs", qrels, pool=True)


@pytest.mark.parametrize("measure", ["ASL", "RE", "TSL", "SL3", "11pt_avg", "P@5"])
def test_differences_are_the_same_from_positions_and_from_scores(p, measure):
    s, d = lf.scores(p, measure), lf.preferences(p, measure)
    # ``least_p`` is a bound from the greatest difference and the rounding error of the scores.
    of_scores, of_pairs = (lf.compare(table, "t") for table in (s, d))
    assert of_scores.drop("least_p").equals(of_pairs.drop("least_p"))
    least = of_pairs["least_p"].to_list()
    assert of_scores["least_p"].to_list() == pytest.approx(least, rel=1e-6)
    assert lf.evaluate_scores(s).preferences.equals(d)
    assert lf.evaluate_scores(s.sample(fraction=1, shuffle=True, seed=1)).preferences.equals(d)
