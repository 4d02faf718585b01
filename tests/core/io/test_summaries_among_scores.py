"""Summaries of scores, and properties of runs, that stand among the scores: left out, and named."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.io.score_forms.names_of_summaries import SUMMARIES, are_properties, words_of

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


def test_a_property_beside_a_mean_hides_it_not():
    more = {"CO₂ cost (kg)": [1.5, 0.25, 4.0, 5.0, 0.5], "#Params (B)": [7.0, 1.0, 2.0, 3.0, 8.0]}
    table = BOARD.with_columns(MEAN.alias("Average ⬆️"), *(pl.Series(*one) for one in more.items()))
    with pytest.warns(lf.LexiframeWarning, match="like properties of the runs, left out: 2"):
        assert read(table, "means of the others, left out: 1").equals(lf.read_scores(BOARD))
    with pytest.warns(lf.LexiframeWarning, match="like properties of the runs, left out: 2"):
        unnamed = read(table.rename({"Average ⬆️": "BEIR"}), "left out: 1 .*'BEIR'")
    assert unnamed.equals(lf.read_scores(BOARD))


@pytest.mark.parametrize("gap", ["Overall", "nq"])
def test_one_gap_hides_no_mean(gap):
    lacks = pl.when(pl.col("model") != "c").then(gap).alias(gap)
    table = BOARD.with_columns(Overall=MEAN).with_columns(lacks)
    with pytest.warns(lf.LexiframeWarning, match="cells without a value are gaps"):
        found = read(table, r"means of the others, left out: 1 \('Overall'\)")
    assert found.height == (20 if gap == "Overall" else 19)


def test_an_end_that_is_the_mean_beside_one_more_column_is_left_out():
    more = {"code": RNG.random(5).round(4), "elo": [1100.0, 900.0, 1000.0, 980.0, 1012.0]}
    wide = BOARD.with_columns(**{name: pl.Series(values) for name, values in more.items()})
    mean = pl.mean_horizontal(*NAMES, "code").round(4)
    table = wide.select("model", mean.alias("BEIR"), *wide.columns[1:])
    assert read(table, r"left out: 1 \('BEIR'\)").equals(lf.read_scores(wide))


SUMMED = {
    "std": NUMBERS.std(), "Std. dev.": NUMBERS.std(ddof=0), "sem": NUMBERS.std() / 6**0.5,
    "median": NUMBERS.median(), "min": NUMBERS.min(), "max": NUMBERS.max(), "sum": NUMBERS.sum(),
    "count": NUMBERS.count().cast(pl.Float64),
}  # fmt: skip


@pytest.mark.parametrize("name", SUMMED)
def test_rows_of_other_summaries_are_no_requests(name):
    table = pl.concat([SIX, row("mean", NUMBERS.mean()), row(name, SUMMED[name])])
    with pytest.warns(lf.LexiframeWarning, match="means of the others, left out: 1"):
        found = read(table, rf"of the others, left out: 1 \('{name}'\)", measure="AP")
    assert found.equals(lf.read_scores(SIX, measure="AP"))


def test_all_summaries_together_are_named_by_what_they_are():
    table = pl.concat([SIX, *(row(*one) for one in {"mean": NUMBERS.mean(), **SUMMED}.items())])
    with pytest.warns(lf.LexiframeWarning) as caught:
        found = lf.read_scores(table, measure="AP")
    said = " ".join(str(one.message) for one in caught)
    assert found.equals(lf.read_scores(SIX, measure="AP"))
    assert "are the standard deviations of the others, left out: 2 ('Std. dev.', 'std')" in said
    assert len(caught) == len(SUMMED)


def test_what_is_called_like_a_summary_and_is_none_is_named_and_counts():
    odd = row("max", NUMBERS.mean() / 3)
    found = read(pl.concat([SIX, odd]), r"others up: 1 \('max'\); they count as", measure="AP")
    assert found.height == 14
    board = BOARD.with_columns(Overall=pl.Series(RNG.random(5).round(4)))
    match = r"collections that are called like summaries, but .*: 1 \('Overall'\); they count"
    assert read(board, match).height == 25


def test_what_says_that_it_is_a_mean_is_left_out_of_requests_and_collections_alike():
    odd = row("mean", NUMBERS.mean() * 0.9)
    match = r"requests that are called means, left out: 1 \('mean'\); if they are requests of"
    assert read(pl.concat([SIX, odd]), match, measure="AP").height == 12
    board = BOARD.with_columns(Mean=pl.Series(RNG.random(5).round(4)))
    assert read(board, "collections that are called means, left out: 1").height == 20


def test_the_advice_keeps_what_looks_like_a_summary():
    both = SIX.with_columns(fusion=pl.mean_horizontal("bm25", "dense"))
    match = "if they are runs of their own, give them names that .* and places between others"
    assert read(both, match, measure="AP")["run"].n_unique() == 2
    between = both.select("query_id", "bm25", "fusion", "dense")
    assert lf.read_scores(between, measure="AP")["run"].n_unique() == 3
    table = BOARD.with_columns(Average=MEAN)
    read(table, "leaderboard keeps those that weights or smaller_is_better name; ")
    weights = dict.fromkeys([*NAMES, "Average"], 1)
    kept = lf.leaderboard(table, weights=weights).collection_weights
    assert "Average" in kept["collection"].to_list()


def test_a_run_may_be_called_like_its_pooling():
    runs = {"cls": RNG.random(6), "mean": RNG.random(6), "max": RNG.random(6)}
    table = pl.DataFrame({"query_id": [f"q{i}" for i in range(6)], **runs})
    assert lf.read_scores(table, measure="AP").height == 18


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [2, 0, 1, 3, 4], [3, 2, 0, 4, 1]])
@pytest.mark.parametrize("grows", [0.0, 0.01])
def test_steps_that_are_the_same_in_all_rows_are_no_means(order, grows):
    """At an end may be what lies in the middle: it is so in all rows if it is so in one."""
    steps = [[0.1 + 0.037 * r + (0.05 + grows * r) * c for c in order] for r in range(6)]
    table = pl.DataFrame(steps, schema=[*"vwxyz"], orient="row")
    board = table.with_columns(model=pl.Series([*"abcdef"])).with_columns(NUMBERS.round(4))
    assert lf.read_scores(board)["collection"].n_unique() == 5


def test_no_table_without_means_raises_a_doubt():
    for n in range(20):
        values = RNG.normal(0.5, 0.2, RNG.integers([3, 2], [13, 11])).round(int(RNG.integers(1, 4)))
        table = pl.DataFrame(values, schema=[f"c{i}" for i in range(values.shape[1])], orient="row")
        runs = pl.Series([f"r{i}" for i in range(len(values))])
        assert lf.read_scores(table.with_columns(run=runs)).height == values.size, n


PROPERTIES = [
    "overall_rank", "cost_usd", "price_per_1m", "params_b", "n_params", "throughput",
    "tokens_per_s", "tokens/s", "latencyMs", "p95 latency (ms)", "Inference Time (s)", "VRAM (GB)",
    "model size", "GPU memory", "GFLOPs", "CO2 emissions [kg]", "Embedding Dimensions", "#",
    "Release Date", "Zero-shot (%)", "Max Tokens", "Rank (Borda)", "#Params", "Context Length",
    "Price ($/1M tokens)", "QPS", "memory_mb", "rank", "Time (s)", "Memory (GB)", "VRAM",
]  # fmt: skip
MEASURES = [
    "mean reciprocal rank", "rank_accuracy", "time_ndcg", "TIME", "memory", "price prediction",
    "passage ranking", "Number of tokens of law", "cost of living", "MRR", "RankLib", "frank",
    "costume", "5-shot", "Mean reversion", "date understanding", "Total recall", "Overallness",
    "max flow", "law (mean)",
]  # fmt: skip


def test_properties_are_known_by_all_words_of_their_names():
    assert pl.Series(PROPERTIES).filter(~are_properties(pl.Series(PROPERTIES))).to_list() == []
    measures = pl.Series(MEASURES)
    assert measures.filter(are_properties(measures)).to_list() == []
    assert not words_of(measures).str.contains("|".join(SUMMARIES.values())).any()
    table = BOARD.with_columns(pl.Series("tokens_per_s", RNG.random(5)))
    assert read(table, "like properties of the runs, left out: 1").height == 20


def test_a_mean_of_one_collection_does_not_hide_what_is_called_so_in_another():
    rows = [("a", c, f"q{i}", RNG.random()) for c in "xy" for i in range(6)]
    table = pl.DataFrame(rows, schema=["run", "collection", "query_id", "value"], orient="row")
    means = table.group_by("run", "collection").agg(pl.col("value").mean(), query_id=pl.lit("mean"))
    odd = pl.when(pl.col("collection") == "y").then(0.9).otherwise("value")
    both = pl.concat([table, means.select(table.columns).with_columns(value=odd)])
    with pytest.warns(lf.LexiframeWarning) as caught:
        assert lf.read_scores(both).equals(lf.read_scores(table))
    assert [str(one.message).split(",")[0] for one in caught] == [
        "requests whose values are the means of the others", "requests that are called means",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["index", "Unnamed: 0", "", "id", "Row", "nr", "row_nr", "level_0"]
)
@pytest.mark.parametrize("numbers", [[0, 1, 2, 3, 4], [3, 1, 2, 5, 4]])
def test_numbers_of_rows_are_no_collection(name, numbers):
    read(BOARD.with_columns(pl.Series(name, numbers)), "number the rows, left out: 1")
    kept = BOARD.with_columns(pl.Series("id", [0.5, 0.25, 0.75, 0.25, 0.5]))
    assert "id" in lf.read_scores(kept)["collection"].to_list()


def test_the_mean_of_a_part_is_named_and_counts():
    """As of the tasks of one kind, in the leaderboards of MTEB."""
    some = BOARD.with_columns((BOARD["nq"] + BOARD["fiqa"]).alias("Retrieval Average (2 sets)") / 2)
    found = read(some, r"called like summaries.*1 \('Retrieval Average \(2 sets\)'\)")
    assert found["collection"].n_unique() == 5
    for name in ("Mean reversion", "average_precision_of_nq"):
        assert lf.read_scores(BOARD.rename({"nq": name}))["collection"].n_unique() == 4
