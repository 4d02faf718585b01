"""All runs against a baseline: one table, or a narrower one for each measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import printed
from lexiframe.core.pairwise import facts
from lexiframe.core.views.sentences.bounds import cut_at_bounds
from lexiframe.core.views.shown.means import ends, inference_in_words


def baseline_section(
    table: pl.DataFrame,
    by: Sequence[str],
    inference: Mapping[str, Any],
    comparisons: pl.DataFrame,
    known: facts.Known,
) -> printed.Section:
    """Return the table of the runs against the baseline, and narrower ones of each measure.

    Narrow tables, one for each measure, are shown where there is no room for the whole one.
    ``table`` is made by `baseline_in_short`, ``by`` are attributes of groups, ``known`` facts of
    measures.
    """
    baseline = inference["baseline"]
    others = table.filter(pl.col("run") != baseline)  # its mean is in the first table
    others, of_intervals = cut_at_bounds(others, "mean_difference", known)
    keys = [name for name in (*by, "measure", "test", "correction") if name in others.columns]
    parts = others.partition_by(keys, maintain_order=True)
    shown = [
        ends(printed.as_cells(printed.write_p_values(p, inference["alpha"])), _CALLED)
        for p in parts
    ]
    left_out = [*of_intervals, *dict.fromkeys(note for _, notes in shown for note in notes)]
    whole = pl.concat([rows for rows, _ in shown]) if shown else others
    in_order = table["measure"].unique(maintain_order=True)  # that in which they were asked for
    narrow = list(_measure_sections(parts, keys, inference["alpha"]))
    last = printed.Section(notes=(_narrow_legend(inference["alpha"]), *left_out))
    return printed.Section(
        f"Against {baseline} ({inference_in_words(inference, comparisons, in_order)})",
        whole,
        (_legend(table), *left_out),
        len(keys) + 1,
        (*narrow, last),
    )


_CALLED = "against_baseline"
_BETTER = "a positive difference is better than the baseline"


def _measure_sections(
    parts: Sequence[pl.DataFrame], keys: Sequence[str], alpha: float
) -> Iterator[printed.Section]:
    for part in parts:
        said = {name: part[name][0] for name in keys}
        measure = said.pop("measure")
        others = (
            value if name in ("test", "correction") else printed.group_of(name, value)
            for name, value in said.items()
        )
        table, _ = ends(_narrow_rows(part, alpha), _CALLED)
        yield printed.Section(", ".join([str(measure), *others]), table)


def _narrow_rows(part: pl.DataFrame, alpha: float) -> pl.DataFrame:
    """Return the rows of one measure with the columns that a narrow terminal has room for."""
    texts = printed.as_cells(printed.write_p_values(part, alpha))
    mean = ["mean"] if "mean" in texts.columns and part["mean"].count() else []
    n = ["n"] if "n" in texts.columns else []
    return texts.select(
        "run",
        *mean,
        pl.col("mean_difference").alias("diff."),
        pl.format("{}, {}", "ci_low", "ci_high").alias("interval"),
        pl.col("p_value").alias("p"),
        pl.col("p_adjusted").alias("adj. p"),
        pl.concat_str("better", "worse", "tied", separator="/").alias("+/−/="),
        *n,
    )


def _legend(table: pl.DataFrame) -> str:
    """Return the meaning of a difference, and the reason for a missing mean."""
    without = "mean" in table.columns and table["mean"].null_count() > 0
    missing = f"; {printed.MISSING}: preferences have no mean score" if without else ""
    return f"{_BETTER}{missing}"


def _narrow_legend(alpha: float) -> str:
    corrected = "adj. p: the corrected p-value; +/−/=: requests better, worse, tied"
    interval = f"diff.: the mean difference, with its {100 * (1 - alpha):g} % interval"
    return f"{_BETTER}; {interval}; {corrected}"
