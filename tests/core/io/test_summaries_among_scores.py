"""Summaries of scores, and properties of runs, that stand among the scores: left out, and named."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf

RNG = np.random.default_rng(5)
NAMES = ["nq", "fiqa", "hotpot", "scifact"]
BOARD = pl.DataFrame({"model": [*"abcde"], **{n: RNG.random(5).round(4) for n in NAMES}})
MEAN = pl.mean_horizontal(*NAMES).round(4)
SIX = pl.DataFrame({
    "query_id": [f"q{i}" for i in range(6)],
    "bm25": RNG.random(6).round(4), "dense": RNG.random(6).round(4),
})  # fmt: skip
NUMBERS = pl.selectors.float()


def read(table, match, **options):
    with pytest.warns(lf.LexiframeWarning, match=match):
        return lf.read_scores(table, **options)


def row(name, expression):
    return SIX.select(pl.lit(name).alias("query_id"), expression.round(4))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["Average ⬆️", "Overall", "All", "Score", "total", "Macro-Avg", "[Mean]", "AvgScore"]
)
@pytest.mark.parametrize("more", ["elo", "other", None])
def test_one_column_more_hides_no_mean(name, more):
    expected = BOARD if more is None else BOARD.with_columns(pl.Series(more, RNG.random(5)))
    columns = ["model", *NAMES, name, *expected.columns[5:]]
    table = expected.with_columns(MEAN.alias(name)).select(columns)
    found = read(table, "collections whose values are the means of the others, left out: 1")
    assert found.equals(lf.read_scores(expected))


@pytest.mark.parametrize("gap", ["Overall", "nq"])
def test_one_gap_hides_no_mean(gap):
    lacks = pl.when(pl.col("model") != "c").then(gap).alias(gap)
    table = BOARD.with_columns(Overall=MEAN).with_columns(lacks)
    with pytest.warns(lf.LexiframeWarning, match="cells without a value are gaps"):
        found = read(table, r"means of the others, left out: 1 \('Overall'\)")
    assert found.height == (20 if gap == "Overall" else 19)


SUMMED = {
    "std": NUMBERS.std(), "Std. dev.": NUMBERS.std(ddof=0), "sem": NUMBERS.std() / 6**0.5,
    "median": NUMBERS.median(), "min": NUMBERS.min(), "max": NUMBERS.max(), "sum": NUMBERS.sum(),
    "count": NUMBERS.count().cast(pl.Float64),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", SUMMED)
def test_rows_of_other_summaries_are_no_requests(name):
    table = pl.concat([SIX, row("mean", NUMBERS.mean()), row(name, SUMMED[name])])
    with pytest.warns(lf.LexiframeWarning, match="means of the others, left out: 1"):
        found = read(table, rf"of the others, left out: 1 \('{name}'\)", measure="AP")
    assert found.equals(lf.read_scores(SIX, measure="AP"))


def test_a_run_may_be_called_like_its_pooling():
    runs = {"cls": RNG.random(6), "mean": RNG.random(6), "max": RNG.random(6)}
    table = pl.DataFrame({"query_id": [f"q{i}" for i in range(6)], **runs})
    assert lf.read_scores(table, measure="AP").height == 18


@pytest.mark.slow
@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [2, 0, 1, 3, 4], [3, 2, 0, 4, 1]])
@pytest.mark.parametrize("grows", [0.0, 0.01])
def test_steps_that_are_the_same_in_all_rows_are_no_means(order, grows):
    """At an end may be what lies in the middle: it is so in all rows if it is so in one."""
    steps = [[0.1 + 0.037 * r + (0.05 + grows * r) * c for c in order] for r in range(6)]
    table = pl.DataFrame(steps, schema=[*"vwxyz"], orient="row")
    board = table.with_columns(model=pl.Series([*"abcdef"])).with_columns(NUMBERS.round(4))
    assert lf.read_scores(board)["collection"].n_unique() == 5


MEASURES = [
    "mean reciprocal rank", "rank_accuracy", "time_ndcg", "TIME", "memory", "price prediction",
    "passage ranking", "Number of tokens of law", "cost of living", "MRR", "RankLib", "frank",
    "costume", "5-shot", "Mean reversion", "date understanding", "Total recall", "Overallness",
    "max flow", "law (mean)",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["index", "Unnamed: 0", "", "id", "Row", "nr", "row_nr", "level_0"]
)
@pytest.mark.parametrize("numbers", [[0, 1, 2, 3, 4], [3, 1, 2, 5, 4]])
def test_numbers_of_rows_are_no_collection(name, numbers):
    read(BOARD.with_columns(pl.Series(name, numbers)), "number the rows, left out: 1")
    kept = BOARD.with_columns(pl.Series("id", [0.5, 0.25, 0.75, 0.25, 0.5]))
    assert "id" in lf.read_scores(kept)["collection"].to_list()
