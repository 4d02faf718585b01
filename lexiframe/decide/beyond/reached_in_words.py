"""Measures of all lists of runs, in words and beside the means: `catalogue_sections`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import printed, sums
from lexiframe.core.metrics import derived
from lexiframe.core.significance import corrections, own_tests

_MOST, _SHOWN = 20, 10
"""Of more runs than these, so many are shown."""
_FIRST, _BASELINE, _SAME = "first", "the baseline", "not significantly different"
_BETTER, _WORSE, _UNTESTED = "significantly better", "significantly worse", "not tested"
_MARKS = {_FIRST: "*", _SAME: "~"}
"""As in the table of means."""


def catalogue_sections(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]
) -> Iterator[printed.Section]:
    """Yield the numbers of each run with intervals and marks, for each group of requests."""
    by, values = provenance["groups"], tables["catalogue"]
    level = f"{100 * (1 - provenance['inference']['alpha']):g} % intervals"
    baseline = provenance["inference"]["baseline"]
    correction = own_tests.several(provenance["inference"]["correction"])[0]
    c = tables["catalogue_comparisons"].filter(correction=corrections.usual(correction))
    values = add_sides(values, c, by, baseline)
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
        yield printed.Section(title, shown, notes=(*catalogue_sentences(part, by), *more))


def _first_runs(values: pl.DataFrame, baseline: str | None) -> pl.DataFrame:
    """Return the runs of a measure, the largest value first; of many the first ten."""
    metric = derived.known_metric(values["measure"][0])
    smaller = metric is not None and metric.smaller_is_better
    rows = values.sort("value", "run", descending=[not smaller, False], nulls_last=True)
    if rows.height > _MOST:
        first = pl.int_range(pl.len()) < _SHOWN
        rows = rows.filter(first | pl.col("run").eq_missing(pl.lit(baseline)))
    named = pl.col("measure") + (", smaller is better" if smaller else "")
    marks = [_MARKS.get(side, " ") if baseline is None else "" for side in rows["beside"]]
    cells = map("{}{}".format, [printed.cell("value", one) for one in rows["value"]], marks)
    shown = rows.with_columns(value=pl.Series([*cells], dtype=pl.String))
    return shown.select("run", named.alias("measure"), "value", "ci_low", "ci_high")


def add_sides(
    values: pl.DataFrame, comparisons: pl.DataFrame, by: Sequence[str], baseline: str | None
) -> pl.DataFrame:
    """Return values with ``beside``: where each run is beside the first ones, or the baseline."""
    key = [*by, "measure"]
    known = {name: derived.known_metric(name) for name in values["measure"].unique()}
    smaller = [name for name, one in known.items() if one and one.smaller_is_better]
    sign = pl.when(pl.col("measure").is_in(smaller)).then(-1).otherwise(1)
    value = sign * pl.col("value")
    is_first = value >= value.max().over(key) - sums.TIE
    first = values.filter(is_first if baseline is None else pl.col("run") == baseline)
    called = pl.lit(_FIRST if baseline is None else _BASELINE)
    first = first.select(*key, run_b="run", beside=called)
    # without a standard error, a t-test says nothing
    is_tested = pl.col("ci_low").is_not_null() | (pl.col("test") != "t")
    same = pl.when(is_tested).then(pl.lit(_SAME)).otherwise(pl.lit(_UNTESTED))
    gain = sign * pl.col("mean_difference")
    c = comparisons.select(*key, "run_a", "run_b", "reject", gain=gain, beside=same)
    turned = c.with_columns(gain=-pl.col("gain"), run_a="run_b", run_b="run_a")
    side = pl.when(pl.col("gain") > 0).then(pl.lit(_BETTER)).otherwise(pl.lit(_WORSE))
    c = pl.concat([c, turned]).with_columns(beside=pl.when("reject").then(side).otherwise("beside"))
    c = c.join(first, on=[*key, "run_b"], how="semi", nulls_equal=True)
    others = c.group_by(*key, run="run_a").agg(pl.col("beside").max())
    found = pl.concat([first.rename({"run_b": "run"}), others])
    found = found.unique([*key, "run"], keep="first", maintain_order=True)
    return values.join(found, on=[*key, "run"], how="left", nulls_equal=True, maintain_order="left")


def catalogue_sentences(beside: pl.DataFrame, by: Sequence[str]) -> list[str]:
    """Return a sentence for each measure: the first run or the baseline, and the other runs."""
    said = []
    for part in beside.partition_by(*by, "measure", maintain_order=True):
        row, there = part.row(0, named=True), {*part["beside"]}
        runs = {
            side: [*map(printed.shortened, part.filter(beside=side)["run"].sort())]
            for side in (_FIRST, _BASELINE, _BETTER, _WORSE, _SAME, _UNTESTED)
            if side in there
        }
        are = [f"{printed.listed(of)} {'are' if of[1:] else 'is'} {s}" for s, of in runs.items()]
        said.append(f"By {row['measure']}{printed.group_end(row, by)}, {'; '.join(are)}.")
    return said
