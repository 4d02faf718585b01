"""The facts of a measure, whatever its name: `Facts`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, schemas, sums, warn
from lexiframe.core.metrics import Bounds, Metric, derived
from lexiframe.core.pairwise.preference import Measure
from lexiframe.core.pairwise.preference_entries import known_measure

Ends = tuple[float, float]


@dataclass(frozen=True)
class Facts:
    """The facts of a measure, which travel with its values; names tell them of built-in measures.

    Attributes
    ----------
    kind
        A metric has a score for each run, a preference has none.
    smaller_is_better
        Whether smaller scores are better.
    bounds
        The range of its values as people write it; empty where it is not known.
    aggregate
        What one number for a run is made of its scores.
    is_own
        Whether it is a user's, and no built-in one, even if it is called like one.
    """

    kind: Literal["metric", "preference"]
    smaller_is_better: bool = False
    bounds: str = ""
    aggregate: str = "mean"
    is_own: bool = False

    @classmethod
    def known(cls, measure: Measure) -> Facts:
        """Return the facts of a metric or a preference."""
        if isinstance(measure, Metric):
            bounds = "0 or 1" if str(measure) in _HITS else measure.bounds
            return cls("metric", measure.smaller_is_better, bounds, measure.aggregate)
        return cls("preference", bounds=measure.bounds)

    @classmethod
    def named(cls, name: str) -> Facts | None:
        """Return the facts of a built-in measure; None for other names.

        Examples
        --------
        >>> Facts.named("LR").bounds, Facts.named("mine")
        ('−1, 0, 1', None)
        """
        found = known_measure(name)
        return None if found is None else cls.known(found)

    @property
    def are_hits(self) -> bool:
        """Whether its values are 0 and 1 and nothing between."""
        return self.bounds == "0 or 1"

    @property
    def are_signs(self) -> bool:
        """Whether differences of runs are −1, 0 and 1 and nothing between."""
        return self.bounds == "−1, 0, 1" or self.are_hits

    @property
    def is_count(self) -> bool:
        """Whether it counts items or requests: more is neither better nor worse."""
        return self.aggregate == "sum"

    @cached_property
    def limits(self) -> Bounds:
        """The least and the greatest value as numbers."""
        return Bounds.parse(self.bounds)

    @property
    def mean_range(self) -> Ends:
        """The ends of the range of means; infinite where they are not known.

        The mean of a preference is the share of requests won.
        """
        if self.kind == "preference":
            return 0.0, 1.0
        high = np.inf if self.limits.can_exceed else self.limits.high
        ends = self.limits.low, high
        return tuple(np.exp(ends).tolist()) if self.aggregate == "geometric mean" else ends

    @property
    def difference_range(self) -> Ends:
        """The ends of the range of differences between runs; infinite where they are not known."""
        if self.kind == "preference":
            return self.limits.low, self.limits.high
        return -self.limits.width, self.limits.width


_HITS = ("P@1", "RR@1")
"""With this cut-off they are 0 or 1."""
Known = Mapping[str, Facts]
"""The facts of measures by their names."""


def facts_of(measures: Iterable[Measure]) -> dict[str, Facts]:
    """Return the facts of measures by their names."""
    named = {str(measure): measure for measure in measures}
    return {n: replace(Facts.known(m), is_own=known_measure(n) != m) for n, m in named.items()}


def metric_facts(name: str, known: Known | None = None) -> Facts:
    """Return the facts of a metric: given ones, else the facts that its name tells, if any."""
    found = (known or {}).get(name) or Facts.named(name)
    if found is not None and found.kind == "metric":
        return found
    return Facts("metric", bool(derived.smaller_is_better(name)))


def facts_of_scores(s: pl.DataFrame) -> dict[str, Facts]:
    """Return the facts of the measures in a table of scores, by their names or a column."""
    said: dict[str, bool] = {}
    if "smaller_is_better" in s.columns:
        said = dict(s.select("measure", "smaller_is_better").drop_nulls().unique().iter_rows())
    found = {}
    for name in s["measure"].cast(pl.String).unique().sort():
        facts = metric_facts(name)
        found[name] = replace(facts, smaller_is_better=said.get(name, facts.smaller_is_better))
    return found


def unknown_directions(s: pl.DataFrame) -> list[str]:
    """Return the measures of scores whose direction neither name nor column tells."""
    has = "smaller_is_better" in s.columns
    silent = s.filter(pl.col("smaller_is_better").is_null()) if has else s
    names = silent["measure"].cast(pl.String).unique().sort()
    return [n for n in names if derived.smaller_is_better(n) is None and Facts.named(n) is None]


def warn_of_directions(unknown: Sequence[str]) -> None:
    """Warn that it is not known whether smaller values of some measures are better."""
    warn(
        f"measures of which larger values count as better, as their direction is unspecified: "
        f"{n_and_first(unknown)}; a column smaller_is_better (true or false) specifies it"
    )


def warn_of_hints(s: Any) -> None:
    """Warn of measures of scores with names like errors, whose direction is unknown."""
    if isinstance(s, pl.DataFrame) and {"measure", "value"} <= {*s.columns}:
        doubt_directions(unknown_directions(s))


def doubt_directions(names: Iterable[str]) -> None:
    """Warn of names that may be errors, although larger values count as better."""
    if found := [name for name in names if derived.hints_at_error(name)]:
        warn(
            f"larger values count as better, although these names may be those of errors: "
            f"{n_and_first(found)}; smaller_is_better (a column; an argument of leaderboard and "
            "gate) says that smaller ones are, or that they are not"
        )


def refuse_mixed_units(s: pl.DataFrame) -> None:
    """Raise where a built-in measure has values of another unit beside values within its range.

    Percent of some runs beside shares of another run would decide all means: they are far out of
    range, where another run, or all other requests, are within it.
    """
    for name in s["measure"].cast(pl.String).unique().sort():
        ends = metric_facts(name).limits
        if not (np.isfinite(ends.low) and np.isfinite(ends.high)) or ends.can_exceed:
            continue
        far = _FAR * ends.width
        value = pl.col("value")
        rows = s.filter(pl.col("measure").cast(pl.String) == name, value.is_not_null())
        rows = rows.with_columns(is_within=value.is_between(ends.low, ends.high))
        odd = rows.filter(~value.is_between(ends.low - far, ends.high + far))
        if odd.is_empty():
            continue
        others = rows.join(odd, on="query_id", how="anti")
        runs = rows.group_by("run").agg(pl.col("is_within").all(), (value != 0).any().alias("any"))
        are_others = bool(others.height) and bool(others["is_within"].all())
        if are_others or runs.filter("is_within", "any").height:
            first = odd.sort("run", "query_id").row(0, named=True)
            raise LexiframeError(
                f"scores: expected values of {name} from {ends.low:g} to {ends.high:g}, as others "
                f"are, found {odd.height:,} far outside, such as {first['value']:g} of run "
                f"{first['run']!r} in request {first['query_id']!r}; give all in one unit, and "
                f"leave out columns and rows that are no {name}"
            )


_FAR = 4
"""Values are of another unit if they are out of range by more than so many times its width."""


def known_facts(provenance: Mapping[str, Any]) -> dict[str, Facts]:
    """Return the facts of the measures of an evaluation from its provenance.

    Provenance of an earlier version lacks them: names then tell the facts of built-in measures; all
    measures of an evaluation of scores are metrics.
    """
    told = provenance.get("facts")
    if told is not None:
        return {name: Facts(**facts) for name, facts in told.items()}
    if "scores" in provenance:
        return facts_of_scores(pl.DataFrame({"measure": provenance["measures"]}))
    found = {name: Facts.named(name) for name in provenance["measures"]}
    return {name: facts or Facts("preference") for name, facts in found.items()}


def as_provenance(facts: Known) -> dict[str, dict[str, Any]]:
    """Return facts as the provenance has them, which is written as JSON."""
    return {name: asdict(one) for name, one in facts.items()}


def facts_table(facts: Known) -> pl.DataFrame:
    """Return a row for each measure, in the order of the facts."""
    rows = [
        (name, one.kind, one.smaller_is_better, one.limits.low, one.limits.high, one.is_count)
        for name, one in facts.items()
    ]
    table = pl.DataFrame(rows, schemas.FACTS.columns, orient="row")
    ends = [pl.when(pl.col(end).is_finite()).then(end).alias(end) for end in ("low", "high")]
    return table.with_columns(ends)


def within_bounds(
    table: pl.DataFrame, facts: Known, value: Literal["mean", "mean_difference"] = "mean"
) -> pl.DataFrame:
    """Cut the intervals ``ci_low, ci_high`` of a table at the bounds of their measures.

    Intervals stay where no bounds are known, and where values are out of bounds because they come
    from another tool (in percent, say).
    """
    ends = {
        name: one.mean_range if value == "mean" else one.difference_range
        for name, one in facts.items()
    }
    least, most = (
        pl.col("measure").replace_strict(
            [*ends], [end[n] for end in ends.values()], default=none, return_dtype=pl.Float64
        )
        for n, none in enumerate((-np.inf, np.inf))
    )
    inside = pl.col(value).is_between(least - sums.TIE, most + sums.TIE).all().over("measure")
    low, high = pl.col("ci_low"), pl.col("ci_high")
    return table.with_columns(
        ci_low=pl.when(inside & (low < least)).then(least).otherwise(low),
        ci_high=pl.when(inside & (high > most)).then(most).otherwise(high),
    )
