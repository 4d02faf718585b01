"""Whether conclusions can be drawn from a judge: the table ``answers`` of `compare_judges`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, printed, schemas, sums
from lexiframe.decide.judges.schemas import JUDGE_ANSWERS

_BOTH = pl.col("reject_a") & pl.col("reject_b")
FOUND: dict[str, pl.Expr] = {
    "found": (_BOTH & ~pl.col("changes_side")).sum(),
    "missed": (pl.col("reject_a") & ~pl.col("reject_b")).sum(),
    "reversed": (_BOTH & pl.col("changes_side")).sum(),
    "invented": (~pl.col("reject_a") & pl.col("reject_b")).sum(),
    "pairs": pl.len(),
}
"""How many significant differences of the first judge another one finds, misses and reverses, how
many it finds that the first does not, and the number of pairs of runs."""
_IS_SAME = (pl.col("mean_difference_a") == pl.col("mean_difference_b")) & (
    pl.col("p_adjusted_a").eq_missing(pl.col("p_adjusted_b"))
)
"""Whether a pair differs alike by both to the last bit, as where one file is given twice."""
_BOUNDS = {"least_found": (0, 1), "most_reversed": (0, None), "least_tau": (-1, 1)}
_BOUNDS |= {"fewest": (2, None)}


def check_limits(limits: Mapping[str, Any]) -> None:
    """Raise for limits that no share, count or correlation can have."""
    for name, (low, high) in _BOUNDS.items():
        if not (low <= limits[name] and (high is None or limits[name] <= high)):
            to = "" if high is None else f" to {high}"
            raise LexiframeError(
                f"compare_judges: expected a limit {name} from {low}{to}, found {limits[name]}"
            )


def answers_of(
    pairs: pl.DataFrame, correlations: pl.DataFrame, left_out: pl.DataFrame,
    limits: Mapping[str, Any], by: Sequence[str],
) -> pl.DataFrame:  # fmt: skip
    """Answer for every two judges whether the second one's conclusions stand for the first's."""
    on = [*by, "measure", "judge_a", "judge_b"]
    named = pairs.rename({"name_a": "judge_a", "name_b": "judge_b"})
    counts = named.group_by(on).agg(**FOUND, is_same=_IS_SAME.all())
    tau = correlations.filter(method="kendall").rename({"correlation": "tau", "n": "n_runs"})
    table = tau.join(counts, on=on, how="left", nulls_equal=True)
    table = table.with_columns(pl.col(*FOUND).fill_null(0).cast(schemas.INT))
    share = pl.col("found") / (pl.col("found") + pl.col("missed") + pl.col("reversed"))
    table = table.with_columns(share=share.fill_nan(None))
    said = [_answer(row, _lacks(left_out, row, by), limits) for row in table.iter_rows(named=True)]
    texts = pl.DataFrame(said, {"answer": schemas.STR, "reason": schemas.STR}, orient="row")
    return JUDGE_ANSWERS.arranged(table.with_columns(texts), by)


def _lacks(left_out: pl.DataFrame, row: Mapping[str, Any], by: Sequence[str]) -> int:
    """Count the gaps of the second judge alone, in the row's group of requests."""
    of_group = [pl.col(name).eq_missing(row[name]) | pl.col("query_id").is_null() for name in by]
    is_asked = pl.col("measure").is_null() | (pl.col("measure") == row["measure"])
    rows = left_out.filter(is_asked, *of_group)
    a, b = (rows.filter(judge=row[judge]) for judge in ("judge_a", "judge_b"))
    return b.join(a, on=["measure", "run", "query_id"], how="anti", nulls_equal=True).height


def _answer(row: dict[str, Any], lacks: int, limits: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return yes, no or None, and the reason; a doubt makes no answer of a yes."""
    a, b, runs, turned = (row[name] for name in ("judge_a", "judge_b", "n_runs", "reversed"))
    n, low = row["found"] + row["missed"] + turned, _low(row)
    turns, least, at_least = turned > limits["most_reversed"], limits["least_tau"], "undefined"
    if not turns and min(n, runs) < (fewest := limits["fewest"]):
        found = f"{printed.counted(n, 'significant pair')} of {printed.counted(runs, 'run')}"
        return None, f"{a} finds {found} (needed: {fewest} pairs, {fewest} runs)"
    fails = turns or row["share"] < limits["least_found"]
    if not fails and low is None:
        return None, f"τ is undefined, as all runs are equal by {a} or {b}"
    fails = fails or (low is not None and low < least)
    if row["is_same"] and not fails:
        return (
            None,
            f"{b} gives all differences of runs exactly as {a}, as its copy would",
        )
    if lacks and not fails:
        return None, f"{b} lacks {lacks:,} of the runs, requests or scores that {a} has"
    if low is not None:  # what misses the limit is not rounded to it
        at_least = f"at least {low - 0.0005 * (low < least <= round(low, 3)):.3f}"
    return "no" if fails else "yes", (
        f"it finds {printed.percent(row['share'])} of the significant pairs (needed: "
        f"{100 * limits['least_found']:g} %), reverses {turned:,} (allowed: "
        f"{limits['most_reversed']:,}), and τ is {at_least} (needed: {least:g})"
    )


def _low(row: Mapping[str, Any]) -> float | None:
    """Return the lower limit of τ; two swaps of neighbours below it where no sample differs."""
    low: float | None = row["ci_low"]
    if low is None and row["tau"] is not None and row["n_runs"] > 1:
        low = max(-1.0, row["tau"] - 8 / (row["n_runs"] * (row["n_runs"] - 1)))
    return low if low is None else low + sums.TIE  # 0.6 may be computed as 0.5999999999999999
