"""Names, the order of rows and the way in change nothing but names and the order of rows."""

import random
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.orderings.means import run_means
from tests.frames import assert_close, assert_identical, cells, measured
from tests.small_tables import RULES
from tests.strategies import (
    RUN_NAMES,
    collections,
    positions_tables,
    preferences_tables,
    scores_tables,
)

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]

METRICS = [
    "AP",
    "nDCG",
    "RR",
    "R@3",
    "TSE(AP)",
    "RBP",
    "LR.rank",
    "LP.rank",
    "ERR",
    "gRBP",
    "num_ret",
]
PREFERENCES = ["RPP", "dcgRPP", "invRPP", "LR", "LP", "rrLR", "rrLP", *METRICS]
SEEDS = st.integers(0, 999)
USERS = st.sampled_from(["uniform", "dcg", "rank"])
FEWER = settings(max_examples=settings().max_examples // 3)
"""For what takes long: Holm's correction by statsmodels collects garbage, files are written."""


def shuffled(frame, seed):
    order = list(range(frame.height))
    random.Random(seed).shuffle(order)
    return frame[order]


def renaming(draw, names):
    """New names, mostly in another order."""
    return dict(zip(names, draw(st.permutations(RUN_NAMES))[: len(names)], strict=True))


def renamed(table, names):
    """Rename runs; in a table of pairs swap those that now stand the wrong way round."""
    if "run" in table.columns:
        return table.with_columns(pl.col("run").replace_strict(names))
    a, b = (pl.col(name).replace_strict(names) for name in ("run_a", "run_b"))
    value = pl.col(table.columns[-1])
    return table.with_columns(
        pl.when(a < b).then(a).otherwise(b).alias("run_a"),
        pl.when(a < b).then(b).otherwise(a).alias("run_b"),
        pl.when(a < b).then(value).otherwise(-value),
    )


# --- Renaming ------------------------------------------------------------------------------------


@given(st.data(), collections(min_runs=2))
def test_preferences_are_antisymmetric_and_blind_to_names(data, collection):
    runs, qrels = collection
    names = renaming(data.draw, runs["run"].unique().sort().to_list())
    p = lf.positions(runs, qrels)
    q = lf.positions(renamed(runs, names), qrels)
    key = ["run", "query_id", "doc_id"]
    assert renamed(p, names).sort(key).equals(q)
    assert (
        renamed(lf.scores(p, METRICS), names)
        .sort("run", "query_id", "measure")
        .equals(lf.scores(q, METRICS))
    )
    expected = renamed(lf.preferences(p, PREFERENCES), names)
    found = lf.preferences(q, PREFERENCES)
    assert found.select(found.columns[:4]).rows() == sorted(
        expected.select(found.columns[:4]).rows()
    )
    for name in PREFERENCES:
        assert_close(measured(found, name), measured(expected, name))


@given(st.data(), collections(min_runs=2), USERS)
def test_interleaving_is_antisymmetric_and_blind_to_names(data, collection, user):
    """To the last bit: a pair that swaps its names swaps nothing but the sign."""
    runs, qrels = collection
    names = renaming(data.draw, runs["run"].unique().sort().to_list())
    expected = renamed(lf.interleaving(runs, qrels, user), names)
    expected = expected.with_columns(pl.col("preference") + 0.0)  # a tie is 0, never -0
    found = lf.interleaving(renamed(runs, names), qrels, user)
    assert_identical(found, expected.sort(found.columns[:4]))


@given(st.data(), preferences_tables())
def test_orderings_are_blind_to_names(data, d):
    names = renaming(data.draw, sorted({*d["run_a"], *d["run_b"]}))
    e = renamed(d, names)
    for method in RULES:
        o, found = lf.order_runs(d, method), lf.order_runs(e, method)
        expected = renamed(o, names)
        assert cells(found, "run", "rank") == cells(expected, "run", "rank")
        assert_close(cells(found, "run", "value"), cells(expected, "run", "value"))
        assert found.select("rank", "run").rows() == sorted(found.select("rank", "run").rows())


# --- Rows in another order -----------------------------------------------------------------------


@given(collections(), SEEDS, st.sampled_from(["doc_id_desc", "doc_id_asc"]), USERS)
def test_shuffled_runs_and_qrels(collection, seed, ties, user):
    runs, qrels = (shuffled(frame, seed) for frame in collection)
    options = dict(ties=ties, pool=True, judged=True, no_relevant="zero")
    p = lf.positions(*collection, **options)
    assert_identical(lf.positions(runs, qrels, **options), p)
    assert_identical(lf.coverage(runs, qrels), lf.coverage(*collection))
    if collection.runs["run"].n_unique() > 1:
        assert_identical(lf.interleaving(runs, qrels, user), lf.interleaving(*collection, user))


@given(collections(min_runs=2), SEEDS, st.sampled_from(["zero", "drop"]))
def test_shuffled_positions_and_judged_items_that_are_not_relevant(collection, seed, kept):
    p, q = (lf.positions(*collection, no_relevant=kept, judged=j) for j in (False, True))
    d, s = lf.preferences(p, PREFERENCES), lf.scores(p, METRICS)
    for other in (shuffled(p, seed), q):
        assert_identical(lf.preferences(other, PREFERENCES), d)
        assert_identical(lf.scores(other, METRICS), s)


JUDGED = ["bpref", "infAP", "Judged@3", "RBP_residual", "num_ret", "num_rel", "num_rel_ret"]


@given(collections(min_runs=2), SEEDS)
def test_shuffled_judged_items(collection, seed):
    p = lf.positions(*collection, judged=True, pool=True, no_relevant="zero")
    assume(p.filter(pl.col("level").is_null() & pl.col("doc_id").is_not_null()).height)
    names = [*JUDGED, *METRICS, "bpref(rel=2)", "ASL", "ERR"]
    assume(p["relevance"].max() >= 2)
    assert_identical(lf.scores(shuffled(p, seed), names), lf.scores(p, names))


@given(positions_tables(pool=True), SEEDS, st.sampled_from(["pessimistic", "optimistic"]))
def test_shuffled_positions_are_imputed_the_same(p, seed, how):
    key = ["run", "query_id", "doc_id"]
    imputed = lf.impute(p, "pool", how=how)
    assert imputed.select(key).equals(p.select(key))
    assert_identical(lf.impute(shuffled(p, seed), "pool", how=how).sort(key), imputed)


@FEWER
@given(preferences_tables(measures=["m1", "m2"]) | scores_tables(measures=["m1", "m2"]), SEEDS)
def test_shuffled_preferences_and_scores(d, seed):
    for function in [
        lf.win_rates,
        lf.request_win_rates,
        lf.tie_rates,
        lf.sign_agreement,
        lf.majority_cycles,
        lambda d: lf.win_rate_matrix(d, "m2"),
        lambda d: lf.compare(d, "sign", "bonferroni", family="all"),
        lambda d: lf.compare(d, "t", "holm", family="all"),
        lambda d: lf.discriminative_power(shuffled(lf.compare(d, "t", "none"), seed)),
        lambda d: lf.rank_correlations(shuffled(lf.order_runs(d, "borda"), seed)),
        *[lambda d, method=method: lf.order_runs(d, method) for method in RULES],
    ]:
        assert_identical(function(shuffled(d, seed)), function(d))


# --- Ways in -------------------------------------------------------------------------------------


def write_trec(folder, runs, qrels):
    """Write a file a run; give {name: path} and the path of the qrels."""
    paths = {}
    for n, (name, rows) in enumerate(runs.group_by("run", maintain_order=True)):
        paths[name[0]] = folder / f"{n}.run"
        lines = (f"{q} Q0 {d} {r} {s!r} tag\n" for _, q, d, s, r in rows.iter_rows())
        paths[name[0]].write_text("".join(lines), encoding="utf-8", newline="")
    text = "".join(f"{q} {i} {d} {grade}\n" for q, i, d, grade in qrels.iter_rows())
    (folder / "qrels").write_text(text, encoding="utf-8", newline="")
    return paths, folder / "qrels"


@FEWER
@given(collections(min_runs=2, ranks=True), st.sampled_from(["doc_id_desc", "input", "rank"]))
def test_files_scans_and_frames_give_the_same(collection, ties):
    runs, qrels = collection
    p, i = (function(runs, qrels, ties=ties) for function in (lf.positions, lf.interleaving))
    by_name = {name: rows for (name,), rows in runs.group_by("run")}
    with tempfile.TemporaryDirectory() as folder:
        paths, judgments = write_trec(Path(folder), runs, qrels)
        read = lf.read_runs(paths)
        assert_identical(pl.DataFrame(read), pl.concat(by_name[name] for name in sorted(by_name)))
        assert_identical(pl.DataFrame(lf.read_qrels(judgments)), qrels)
        ways = [read, lf.scan_runs(paths), paths, runs.to_arrow(), runs.lazy(), by_name]
        for way in ways:
            assert_identical(lf.positions(way, judgments, ties=ties), p)
            assert_identical(lf.interleaving(way, judgments, ties=ties), i)
        assert_identical(lf.positions(read, qrels.to_arrow(), ties=ties), p)


@FEWER
@given(collections(min_runs=2))
def test_evaluate_is_the_steps_one_by_one(collection):
    asked = ["RPP", "LR", "nDCG@3", "RR"]
    e = lf.evaluate(*collection, asked)
    p = lf.positions(*collection)
    s, d = lf.scores(p, asked[2:]), lf.preferences(p, asked)
    c = lf.compare(d)
    of_pairs = d.filter(pl.col("measure").is_in(asked[:2]))
    o = pl.concat([lf.order_runs(s, "mean"), lf.order_runs(of_pairs)]).sort(
        "measure", "rank", "run"
    )
    steps = dict(scores=s, preferences=d, comparisons=c, orderings=o)
    steps |= dict(coverage=lf.coverage(*collection, measures=asked[2:]), win_rates=lf.win_rates(d))
    steps |= dict(tie_rates=lf.tie_rates(d), sign_agreement=lf.sign_agreement(d))
    steps |= dict(correlations=lf.rank_correlations(o), power=lf.discriminative_power(c))
    means = pl.concat([run_means(s), run_means(of_pairs)])
    first = means.filter(measure="RPP").select("run", first="rank")
    place = pl.col("measure").cast(pl.Enum(asked))
    by_first = means.join(first, on="run", how="left").sort(place, "first", "run")
    steps |= dict(means=by_first.drop("first"))
    tables = e.tables()
    assert tables.pop("against_baseline").is_empty()
    assert tables.keys() == steps.keys()
    for name, table in tables.items():
        assert_identical(table, steps[name])
