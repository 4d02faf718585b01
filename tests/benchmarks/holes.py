"""Do intervals for unjudged documents hold what they promise? Some judgments are hidden.

For each collection with real runs, and each of its runs in turn: the judgments of documents that no
other run has in its top 20 are hidden, the model is fitted to what remains, and the value with all
judgments is looked up in the 95 % interval, before and after it is widened by the factor that the
other runs need. Beside it stand the interval of plain shares (relevant documents among the judged
ones with as good a best position, found by as many runs) and the naive one: from no hidden document
relevant to all of them.

    python tests/benchmarks/holes.py [COLLECTION …]
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

from lexiframe.core.pairwise.compared_runs import parse_measures
from lexiframe.core.projection.policies import Policies
from lexiframe.study.holes.calibration import calibrated, factor_of, hidden_items
from lexiframe.study.holes.draws import Drawn, means_of_draws
from lexiframe.study.holes.intervals import Interval
from lexiframe.study.holes.items import ABSENT, Pool, pool_of
from lexiframe.study.holes.model import Evidence, drawn_grades, fit

MEASURES = ["AP", "nDCG@10", "P@10", "RBP(p=0.8)"]
COLLECTIONS = ["trec_robust_2003", "trec_dl_2019_passage", "cranfield"]
DEPTH, SAMPLES, ALPHA = 20, 200, 0.05
DATA = (
    Path(os.environ.get("LEXIFRAME_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    / "data"
)


def read(name: str, folder: Path = DATA) -> Pool:
    """Rank the documents of a collection."""
    return pool_of(folder / name / "runs", folder / name / "qrels.trec", Policies(), DEPTH)


def calibration(pool: Pool) -> pl.DataFrame:
    """Return the table ``calibration`` of `hole_sensitivity`, without drawing the real holes."""
    model = fit(Evidence.collect(pool, pool.is_judged))
    queries = [np.arange(len(pool.queries))]
    (table,) = calibrated(pool, model, parse_measures(MEASURES), queries, SAMPLES, 0, ALPHA)
    return table


def shares(pool: Pool) -> pl.DataFrame:
    """Return what plain shares by best position and number of runs give for the same values.

    A hidden document is relevant with the share of the relevant ones among judged documents with
    the same best position (in four classes), found by as many runs: by one, as all hidden ones are.
    """
    rows = []
    for run, items in hidden_items(pool):
        judged = pool.is_judged.copy()
        judged[items] = False
        best = np.where(pool.is_in_top, pool.rank, DEPTH + 1).min(axis=0)
        kind = np.digitize(best, [2, 6, 11, DEPTH + 1])
        alike = judged & (pool.is_in_top.sum(axis=0) == 1)
        relevant = pool.are_relevant(pool.grade)
        n = np.bincount(kind[alike], minlength=5)
        share = (np.bincount(kind[alike & relevant], minlength=5) + 0.5) / (n + 1)
        rng = np.random.default_rng(run)
        probability = np.broadcast_to(share[kind[items]], (SAMPLES, len(items)))
        grades = drawn_grades(pool, probability, items, judged, rng)
        grades = np.vstack([pool.grade[items], np.full(len(items), ABSENT), grades])
        drawn = Drawn(pool, pool.grade, items, grades, [run])
        queries = [np.arange(len(pool.queries))]
        (means,) = means_of_draws(drawn, parse_measures(MEASURES), queries, "", pairs=False)
        for measure, moments in means.runs.items():
            interval = Interval.around_draws(moments.mean[2:], ALPHA)
            held = float(interval.needed(moments.mean[0])) <= 1
            rows.append((measure, held, float(interval.high - interval.low)))
    return pl.DataFrame(rows, schema=["measure", "inside_shares", "width_shares"], orient="row")


def summary(table: pl.DataFrame, plain: pl.DataFrame) -> pl.DataFrame:
    """Return by measure the shares inside, and the mean widths."""
    width = (
        (pl.col(f"{end}_high") - pl.col(f"{end}_low")).mean().alias(f"width_{name}")
        for end, name in (("draws", "before"), ("ci", "after"), ("naive", "naive"))
    )
    ours = table.group_by("measure").agg(
        pl.col("inside_before", "inside").mean(),
        pl.col("factor").max(),
        *width,
        effect=(pl.col("value") - pl.col("value_without")).abs().mean(),
    )
    return ours.join(plain.group_by("measure").mean(), on="measure").sort("measure")


def main(names: list[str]) -> None:
    """Print a table for each collection."""
    pl.Config.set_tbl_cols(20).set_tbl_width_chars(160).set_tbl_hide_dataframe_shape(True)
    pl.Config.set_float_precision(4).set_tbl_hide_column_data_types(True)
    for name in names:
        pool, start = read(name), time.process_time()
        table = calibration(pool)
        seconds, factor = time.process_time() - start, factor_of(table, ALPHA)
        inside = table.select(pl.col("inside_before", "inside").mean()).row(0)
        print(f"{name}: {table['run'].n_unique()} of {len(pool.runs)} runs contribute alone")
        print(summary(table, shares(pool)))
        print(
            f"inside: {inside[0]:.3f} before, {inside[1]:.3f} after; factor of all runs "
            f"{factor:.3f}; {seconds:.0f} s\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:] or COLLECTIONS)
