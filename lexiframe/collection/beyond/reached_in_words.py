"""What all lists of runs reach, beside the means of an evaluation: `catalogue_sections`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from lexiframe.base import printed
from lexiframe.metrics import derived

_MOST, _SHOWN = 20, 10
"""Of more runs than these, so many are shown."""


def catalogue_sections(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> Iterator[printed.Section]:
    """Yield the numbers of each run with their intervals, for each group of requests."""
    by, values = provenance["groups"], tables["catalogue"]
    level = f"{100 * (1 - provenance['inference']['alpha']):g} % intervals"
    baseline = provenance["inference"]["baseline"]
    for part in values.partition_by(by, maintain_order=True) if by else [values]:
        of = f", {printed.group_title(by, part.select(by).row(0))}" if by else ""
        said = f"n = {printed.n_range(part['n'])}{of}"
        shown = pl.concat(_first_runs(of_one, baseline) for of_one in part.partition_by("measure"))
        left = part["run"].n_unique() - shown["run"].n_unique()
        how = printed.advice(terminal="--out has all", python="e.catalogue has all")
        more = [f"{printed.counted(left, 'more run')}: {how}"] * (left > 0)
        if shown["ci_low"].null_count():
            more.append(f"{printed.MISSING}: no list, one alone, or all requests change it alike")
        title = f"All lists of a run together, with {level} ({said})"
        yield printed.Section(title, shown, notes=tuple(more))


def _first_runs(values: pl.DataFrame, baseline: str | None) -> pl.DataFrame:
    """Return the runs of a measure, the largest value first; of many the first ten."""
    metric = derived.known_metric(values["measure"][0])
    smaller = metric is not None and metric.smaller_is_better
    rows = values.sort("value", "run", descending=[not smaller, False], nulls_last=True)
    if rows.height > _MOST:
        first = pl.int_range(pl.len()) < _SHOWN
        rows = rows.filter(first | pl.col("run").eq_missing(pl.lit(baseline)))
    named = pl.col("measure") + (", smaller is better" if smaller else "")
    return rows.select("run", named.alias("measure"), "value", "ci_low", "ci_high")
