"""Comparisons of pairs for reading: one line for each row, constant columns in the caption."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.core.base import printed, schemas
from lexiframe.core.significance import tests_in_words
from lexiframe.core.views.sentences.bounds import cut_at_bounds


def comparisons_in_short(
    c: pl.DataFrame, measures: Sequence[str], alpha: float
) -> tuple[str, pl.DataFrame]:
    """Return a caption, and the columns to read: pair, difference, interval, p, verdict.

    The measures are in the order of the user's list. Tests, corrections and numbers of requests are
    columns only where they differ.
    """
    groups = [name for name in c.columns if name not in schemas.COMPARISONS.columns]
    in_order = printed.group_order(groups, c)
    c = c.sort(*in_order, printed.place_among(measures), maintain_order=True)
    c, notes = cut_at_bounds(c, "mean_difference")
    keys = ("measure", "test", "correction", "n", "n_effective")
    differing = [name for name in keys if name in c.columns and c[name].n_unique() > 1]
    table = printed.as_cells(printed.write_p_values(c, alpha)).select(
        *groups,
        *(name for name in differing if name not in _N),
        pl.col("run_a").alias("run a"),
        pl.col("run_b").alias("run b"),
        pl.col("mean_difference").alias("diff."),
        pl.format("{}, {}", "ci_low", "ci_high").alias("interval"),
        pl.col("p_adjusted").alias("adj. p"),
        c.select(
            pl.when("reject").then(pl.lit("yes")).when(pl.col("n") == 0)
            .then(pl.lit(printed.MISSING)).otherwise(pl.lit("no")).alias("sig.")
        ).to_series(),
        *(pl.col(name).alias(_N[name]) for name in differing if name in _N),
    )  # fmt: skip
    return "; ".join([_caption(c, differing, alpha), *notes]), table


_N = {"n": "n", "n_effective": "n*"}
"""The numbers of requests, and what their columns are called."""


def comparisons_text(c: pl.DataFrame, measures: Sequence[str], alpha: float) -> str:
    """Return the caption, and a table for each measure, that fit the terminal."""
    said, table = comparisons_in_short(c, measures, alpha)
    of = table.columns[: table.columns.index("run a")]  # groups, and what differs between tests
    parts = table.partition_by(of, maintain_order=True) if of else [table]
    sections = (
        printed.Section(_title(part.select(of)), *printed.ends_of_long(part.drop(of)))
        for part in parts
    )
    return "\n".join([printed.paragraph(said), *(section.text() for section in sections)])


def _title(of: pl.DataFrame) -> str:
    """Return the measure of a part, and its test, correction and group of requests."""
    if of.is_empty() or not of.width:
        return ""
    row = of.row(0, named=True)
    said = [str(row.pop(name)) for name in ("measure", "test", "correction") if name in row]
    return ", ".join([*said, *([printed.group_title([*row], [*row.values()])] if row else [])])


def _caption(c: pl.DataFrame, differing: Sequence[str], alpha: float) -> str:
    """Describe the constant columns of all rows."""
    if c.is_empty():
        return "No pair of runs is compared."
    row = c.row(0, named=True)
    measure = f"{row['measure']}: " * ("measure" not in differing)
    test, correction = tests_in_words.test_and_correction(row["test"], row["correction"])
    said = [test] * ("test" not in differing)
    said += [f"{correction} the pairs of a family"] * ("correction" not in differing)
    said += [f"α = {alpha:g}"] + [f"n = {row['n']:,}"] * ("n" not in differing)
    if "n_effective" in c.columns and "n_effective" not in differing:
        said.append(f"n* = {printed.n_range(c['n_effective'])} by weight")
    said += [f"{printed.MISSING}: no request in common"] * (c["n"].min() == 0)
    level = f"with {100 * (1 - alpha):g} % intervals"
    return f"{measure}difference run a − run b, {level}; {', '.join(said)}"
