"""What an evaluation shows when it is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.orderings.matrix import agreement_matrix

if TYPE_CHECKING:
    from lexiframe.evaluation import Evaluation


def summary(e: Evaluation) -> dict[str, pl.DataFrame]:
    """Give the tables to look at first, by title."""
    inference = e.provenance["inference"]
    test = f"{inference['test']} test, {inference['correction']}, α = {inference['alpha']:g}"
    ordering = f"Ranks of the runs: metrics by mean, preferences by {inference['ordering']}"
    tables = {
        "Coverage": coverage_in_short(e.coverage),
        ordering: ranks_by_measure(e.orderings, e.provenance["measures"]),
        "Kendall's τ between the orderings": correlation_matrix(
            e.correlations, e.provenance["measures"]
        ),
        f"Ties between rankings, and pairs of runs told apart ({test})": ties_and_power(e),
    }
    return {title: table for title, table in tables.items() if table.height}


def coverage_in_short(coverage: pl.DataFrame) -> pl.DataFrame:
    """Sum the coverage table up in one row."""
    return coverage.select(
        runs=pl.len(),
        requests=pl.col("requests").first(),
        without_relevant=pl.col("without_relevant").first(),
        rankings_missing=pl.col("missing").sum(),
        rankings_extra=pl.col("extra").sum(),
        retrieved=pl.col("retrieved").sum(),
        judged_share=(pl.col("judged").sum() / pl.col("retrieved").sum()).round(3),
        relevant_retrieved=pl.col("relevant_retrieved").sum(),
    )


def ranks_by_measure(orderings: pl.DataFrame, measures: list[str]) -> pl.DataFrame:
    """Lay the orderings out as runs × measures, the best under the first measure on top."""
    ranks = orderings.pivot("measure", index="run", values="rank")
    shown = [measure for measure in measures if measure in ranks.columns]
    if not shown:
        return ranks
    without_zeros = pl.col(shown).round(1).cast(pl.String).str.strip_suffix(".0")
    return ranks.select("run", *shown).sort(*shown, "run").with_columns(without_zeros)


def correlation_matrix(correlations: pl.DataFrame, measures: list[str]) -> pl.DataFrame:
    """Lay the correlations out as measures × measures, in the order of the measures."""
    matrix = agreement_matrix(correlations)
    shown = [measure for measure in measures if measure in matrix.columns]
    order = pl.DataFrame({"measure": shown}, schema={"measure": pl.String})
    return order.join(matrix, on="measure", maintain_order="left").select("measure", *shown)


def ties_and_power(e: Evaluation) -> pl.DataFrame:
    """Put tie rates and discriminative power side by side, in the order of the measures."""
    columns = ["measure", "tie_rate", "n_significant", "n_pairs", "power"]
    both = e.tie_rates.join(e.power, on="measure").select(columns)
    order = pl.DataFrame({"measure": e.provenance["measures"]}, schema={"measure": pl.String})
    return order.join(both, on="measure", maintain_order="left")


def as_text(e: Evaluation) -> str:
    """Write the summary as text."""
    return "\n\n".join(f"{title}\n{table_text(table)}" for title, table in summary(e).items())


def as_html(e: Evaluation) -> str:
    """Write the summary as HTML."""
    parts = []
    with _plain_tables():
        for title, table in summary(e).items():
            parts.append(f"<h3>{title}</h3>\n{table._repr_html_()}")
    return "\n".join(parts)


def table_text(table: pl.DataFrame) -> str:
    """Write a whole table as text, all rows and columns."""
    with _plain_tables():
        return str(table)


def _plain_tables() -> pl.Config:
    return pl.Config(
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=1000,
        fmt_str_lengths=200,
        tbl_formatting="UTF8_BORDERS_ONLY",
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
        tbl_hide_dtype_separator=True,
        float_precision=3,
    )
