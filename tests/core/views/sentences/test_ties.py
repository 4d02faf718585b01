"""What the verdict says of equal scores: how far they may move means, and who may be first."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.views.sentences.ties import tie_ranges, tie_sentences

QUERIES = [f"q{n:02}" for n in range(20)]
JUDGED = {query: {"a": 1, "b": 1} for query in QUERIES}


def run_of(scores):
    """The same scores of documents in all requests."""
    return dict.fromkeys(QUERIES, scores)


def varied(other):
    """The relevant documents are first in half of the requests, and last in the others."""
    good, bad = {"a": 9, "b": 8, "c": 7, **other}, {"a": -8, "b": -9, "c": 7, **other}
    return {query: good if n % 2 else bad for n, query in enumerate(QUERIES)}


BLIND = run_of(dict.fromkeys("abcde", 1))
CLEAR = varied({"d": 1, "e": 0})


def said(runs, measures=("AP", "RR"), **how):
    e = lf.evaluate(runs, JUDGED, measures, **how)
    return tie_sentences(e.tables(), e.provenance)


def flat(text):
    return " ".join(str(text).split())


@pytest.mark.slow
def test_a_run_of_one_score_is_not_first_in_silence():
    """By a preference, too, of which no range is known."""
    best = {query: {"a": 1, "b": 1, "A": 1, "B": 1} for query in QUERIES}  # ids put a and b first
    for measures in ("LP", "AP", "RPP RR"):
        e = lf.evaluate({"blind": best, "clear": CLEAR}, JUDGED, measures)
        assert e.orderings.filter(run="blind")["rank"].to_list()[0] == 1
        for text in (e, e.verdict):
            assert "blind has one score for all documents of a request, whose" in flat(text)
    e = lf.evaluate({"blind": best, "clear": CLEAR}, JUDGED, "AP", baseline="clear")
    for text in (e, e.verdict):
        assert "blind has one score for all documents of a request, whose" in flat(text)


@pytest.mark.slow
def test_an_order_that_was_asked_for_is_not_arbitrary():
    assert said({"blind": BLIND, "clear": CLEAR})
    assert said({"blind": BLIND, "clear": CLEAR}, ties="input") == ()
    assert said({"blind": BLIND, "clear": CLEAR}, ties="doc_id_asc")


def test_a_copy_with_ties_may_lose_the_first_place_it_shares():
    runs = {"clear": CLEAR, "tied": {**CLEAR, "q01": {"a": 9, "C": 9, "b": 8, "c": 7}}}
    e = lf.evaluate(runs, JUDGED, ["RR"])
    assert e.means["rank"].to_list() == [1.5, 1.5]
    (sentence,) = tie_sentences(e.tables(), e.provenance)
    assert sentence.endswith("is first by RR (tied 0.6000 to 0.6250, clear 0.6250).")


def test_ranges_are_compared_with_the_interval_of_the_mean():
    """Half of it in one group; of several groups, the interval of all requests from theirs."""
    runs = {"blind": BLIND, "half": varied({"a": 9, "b": 9, "c": 9, "d": 9}), "clear": CLEAR}
    groups = pl.DataFrame({"query_id": QUERIES, "kind": ["x"] * 10 + ["y"] * 10})
    plain = lf.evaluate(runs, JUDGED, ["AP"])
    grouped = lf.evaluate(runs, JUDGED, ["AP"], requests=groups, by="kind")
    ranges = tie_ranges(plain.coverage, plain.means)
    joined = ranges.join(plain.means, on=["run", "measure"])
    half = (joined["ci_high"] - joined["ci_low"]) / 2
    far = joined.select(
        pl.max_horizontal(pl.col("high") - pl.col("mean"), pl.col("mean") - pl.col("low"))
    ).to_series()
    assert ((far / half) - joined["moved"]).abs().filter(half > 1e-9).max() < 1e-9
    again = tie_ranges(grouped.coverage, grouped.means)
    assert again.select("run", "low", "high").equals(ranges.select("run", "low", "high"))
    assert again["rank"].null_count() == again.height
    assert any(
        of.startswith("blind has one") for of in tie_sentences(grouped.tables(), grouped.provenance)
    )
    assert "blind has one score" in flat(grouped)
    assert "blind has one score" in flat(grouped.verdict)


def test_without_an_interval_the_widest_of_such_values_counts():
    """Preferences alone have no means of AP; one request has no interval."""
    coverage = lf.coverage({"blind": BLIND}, JUDGED)
    none = pl.DataFrame(
        schema={"run": pl.String, "measure": pl.String, "mean": pl.Float64, "ci_low": pl.Float64}
        | {"ci_high": pl.Float64, "rank": pl.Float64, "n": pl.Int64}
    )
    row = tie_ranges(coverage, none).row(0, named=True)
    middle = (row["low"] + row["high"]) / 2
    widest = 2 * (middle * (1 - middle) / 20) ** 0.5
    assert row["moved"] == pytest.approx((row["high"] - row["low"]) / 2 / widest)
    assert tie_ranges(coverage, none)["measure"].to_list() == ["AP", "RR", "nDCG@10"]


@pytest.mark.conformance
def test_a_run_of_robust_2003(shared):
    """RR .338 was shown without a word, and any order of equal scores gives .188 to .523."""
    folder = shared / "data" / "trec_robust_2003"
    runs = [folder / "runs" / f"{name}.trec.gz" for name in ("rutcor03100", "THUIRr0301")]
    e = lf.evaluate(runs, folder / "qrels.trec")
    assert (
        "rutcor03100 has many equal scores, whose order is arbitrary: its AP may be 0.042 to "
        "0.137, RR 0.188 to 0.523 and nDCG@10 0.074 to 0.269."
    ) in flat(e)
