"""Intervals of means end at the bounds of their measure; those of differences are shown cut."""

import polars as pl

import lexiframe as lf
from lexiframe.core.views.sentences.bounds import cut_at_bounds

QRELS = pl.DataFrame({"query_id": ["1", "2"], "doc_id": ["x", "x"], "relevance": [1, 1]})
RANKS = {"a": (1, 2), "b": (2, 1), "c": (3, 3)}
RUNS = pl.DataFrame(
    [
        (run, query, "x" if rank == place else f"d{rank}", -float(rank))
        for run, places in RANKS.items()
        for query, place in zip("12", places, strict=True)
        for rank in (1, 2, 3)
    ],
    schema=["run", "query_id", "doc_id", "score"],
    orient="row",
)
CUT, FEW = "intervals end at the bounds of AP", "with n = 2 requests intervals say little"


def evaluated(**options):
    """Three runs and two requests: the 95 % interval of a's AP is 0.75 ± 3.18."""
    return lf.evaluate(RUNS, QRELS, "AP", **options)


def flat(text):
    return " ".join(text.replace("│", " ").split())


def test_the_intervals_of_means_end_at_bounds_in_the_table_and_in_print(tmp_path):
    e = evaluated()
    row = e.means.filter(run="a").row(0, named=True)
    assert (row["ci_low"], row["mean"], row["ci_high"]) == (0, 0.75, 1)
    e.write(tmp_path)
    assert pl.read_parquet(tmp_path / "means.parquet")["ci_high"].max() == 1
    said = flat(str(e))
    assert CUT in said
    assert FEW in said
    assert "-2.4" not in said
    assert "3.9" not in said


def test_one_run_a_baseline_and_comparisons_say_it_too():
    one = flat(str(lf.evaluate(RUNS.filter(run="a"), QRELS, "AP")))
    assert CUT in one
    assert FEW in one
    assert "-2.4" not in one
    assert "3.9" not in one
    against = flat(str(evaluated(baseline="b").summary("all")))
    assert CUT in against
    assert "-6" not in against
    c = lf.compare(evaluated().scores, intervals="t")
    assert c["ci_low"].min() < -1
    shown, notes = cut_at_bounds(c, "mean_difference")
    assert notes == [CUT, FEW]
    assert (shown["ci_low"].min(), shown["ci_high"].max()) == (-1, 1)
