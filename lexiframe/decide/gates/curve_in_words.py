"""A gate's curve in words: the number of requests that gives it its error rate and power."""

from __future__ import annotations

import polars as pl

USUAL_POWER = 0.8


def curve_table(table: pl.DataFrame) -> pl.DataFrame:
    """Return the shares of trials that pass, a row for each case and a column for each size."""
    wide = table.pivot(
        "n_requests", index=["measure", "case"], values="pass_rate", maintain_order=True
    )
    return wide.rename({name: f"n = {int(name):,}" for name in wide.columns[2:]})


def curve_sentence(table: pl.DataFrame, alpha: float) -> str:
    """Say from which number of requests on a gate has its error rate and power, by measure."""
    return "\n".join(
        _curve_sentence(str(name[0]), rows, alpha)
        for name, rows in table.group_by("measure", maintain_order=True)
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _curve_sentence(measure: str, rows: pl.DataFrame, alpha: float) -> str:
    same = rows.filter(case="unchanged").sort("n_requests")
    worse = rows.filter(case="worse by the margin").sort("n_requests")
    enough = same.filter(pl.col("pass_rate") >= USUAL_POWER)
    most = same.row(-1, named=True)
    if enough.height:
        first = enough.row(0, named=True)
        n, rate = f"{first['n_requests']:,}", _percent(first["pass_rate"])
        said = (
            f"{measure}: from {n} requests on the gate passes an equally good candidate in at "
            f"least {_percent(USUAL_POWER)} of the trials ({rate} with {n}), two samples of {n} "
            f"requests disagree in {_percent(first['disagree'])}"
        )
    else:
        said = (
            f"{measure}: the gate has little power: with {most['n_requests']:,} requests it passes "
            f"an equally good candidate in {_percent(most['pass_rate'])} of the trials, "
            f"and two samples disagree in {_percent(most['disagree'])}"
        )
    greatest = worse.sort("pass_rate").row(-1, named=True)
    is_broken = greatest["pass_low"] > alpha
    share = _percent(greatest["pass_rate"])
    kept = f"it passes one that is worse by the margin in at most {share}"
    broken = (
        f"with {greatest['n_requests']:,} it passes one that is worse by the margin in {share}, "
        f"more than α = {alpha:g}: take test='betting', or more requests"
    )
    return f"{said}; {broken if is_broken else kept}."
