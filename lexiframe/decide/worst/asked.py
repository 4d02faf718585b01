"""The values of runs for requests or users, as the functions of this folder take them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, memory_use, printed, schemas, sums, to_polars
from lexiframe.core.metrics import derived
from lexiframe.core.pairwise import By, arrays, grouping
from lexiframe.core.significance import clusters, correct_families, corrections, differences
from lexiframe.decide.worst.tails import Tails
from lexiframe.typing import Frame, HasTables, RequestsLike

_BYTES = 200
"""The memory of a row of scores, while it is read and arranged."""


def _values_of(e: Any) -> Any:
    """Return the scores of an evaluation; of one in parts it reads the scores that were kept."""
    if e.has_requests or "scores" not in e.parts:
        return e.scores if e.scores.height else e.preferences
    kept = pl.scan_parquet(e.parts["scores"])
    n = kept.select(pl.len()).collect().item()
    memory_use.refuse_more_than_available(
        n * _BYTES, f"{n:,} scores of single requests", "evaluate fewer runs or fewer measures"
    )
    return kept.collect()


ValuesLike = Annotated[Frame | HasTables, _values_of]
"""The table of `scores`, or an `Evaluation`, of which the metrics count."""


@dataclass(frozen=True)
class Measured:
    """The values of runs by a measure for requests, or for units of them, in a group of requests.

    Attributes
    ----------
    group
        The attributes of the group, and its measure.
    runs, rows
        The names of the runs, and of the requests or units.
    tails
        The values, larger ones better.
    sign
        −1 where the measure's own smaller values are better, else 1.
    """

    group: dict[str, Any]
    runs: pl.Series
    rows: pl.Series
    tails: Tails
    sign: int

    @property
    def has_weights(self) -> bool:
        """Whether requests have weights that are not all equal."""
        weighing = self.tails.weighing
        return weighing is not None and not weighing.are_equal

    def turned(self, *values: np.ndarray) -> Any:
        """Return values as the measure has them, or the lower and the upper end of intervals."""
        found = [self.sign * of + 0.0 for of in values][:: self.sign]
        return found if len(values) > 1 else found[0]

    def rows_of(self, schema: schemas.TableSchema, height: int, **given: Any) -> pl.DataFrame:
        """Return rows of a table, behind the attributes of the group."""
        columns = {k: v for k, v in schema.columns.items() if k in given or k in schema.required}
        rows = schemas.table_of(columns, height, {**self.group, **given})
        by = [name for name in self.group if name != "measure"]
        return rows.select(*(pl.lit(self.group[name]).alias(name) for name in by), pl.all())


def measured(
    called: str, s: Any, requests: RequestsLike = None, by: By = None, unit: str | None = None,
    given: Sequence[Any] = (None, None, None),
) -> Iterator[Measured]:  # fmt: skip
    """Yield the values by each measure in each group; raise for tables without such values.

    ``given`` are the weights, strata and shares of requests.
    """
    s = to_polars(s)
    if "preference" in s.columns and "value" not in s.columns:
        raise refused(called)
    if unit is not None and arrays.has_weights(s, given):
        raise LexiframeError(
            f"{called}: expected unit= or weights=, found both; units count once each"
        )
    units = clusters.clusters_of(called, s, requests, unit, ["t"])
    s = arrays.weigh(s, requests, *given)
    for group, part in grouping.groups_of(s, requests if by is not None else None, by):
        named = group.row(0, named=True) if group.width else {}
        for measure, of in arrays.score_cube(part):
            if is_place(measure):
                raise LexiframeError(
                    f"{called}: {measure} is a place within one request: requests do not compare"
                )
            sign = -1 if of.smaller_is_better else 1
            values, rows = sign * of.values, of.queries
            if units is not None:
                values, rows = _unit_means(values, rows, units)
            where = {**named, "measure": measure}
            yield Measured(where, of.runs, rows, Tails(values, of.weighing), sign)


def is_place(measure: str) -> bool:
    """Return whether values are places within a request: ``LR.rank``."""
    return getattr(derived.known_metric(measure), "name", "").endswith(".rank")


def refused(called: str) -> LexiframeError:
    """Return the error for preferences, which compare runs and give none a value."""
    return LexiframeError(
        f"{called} needs a value for each run and request; request_win_rates has them, relative to "
        "the other runs"
    )


def less_than_one(
    called: str, share: float, n: int, unit: str = "request", option: str = "share"
) -> LexiframeError:
    """Return the error for a share of less than one request, with the number that is enough."""
    enough = f"at least {math.ceil(1 / share)}, or {option}={math.ceil(1e4 / max(n, 1)) / 1e4:g}"
    counted = printed.counted(n, unit)
    return LexiframeError(f"{called}: {option} {share:g} of {counted} is less than one: {enough}")


def pairs_of(
    tails: Tails, a: np.ndarray, b: np.ndarray
) -> Iterator[tuple[np.ndarray, tuple[Tails, np.ndarray, np.ndarray]]]:
    """Yield the pairs of runs that share the same requests: their places, and values of these.

    The runs of the pairs are numbered anew.
    """
    known = ~np.isnan(tails.values)
    every = np.ones((1, len(a)), bool) if known.all() else known[:, a] & known[:, b]
    for pair, rows in differences.alike(every):
        runs = np.unique([a[pair], b[pair]])
        rows = np.arange(len(known)) if known.all() else rows
        if len(rows) and len(pair):
            of = (np.searchsorted(runs, side[pair]) for side in (a, b))
            yield pair, (tails.part(rows, runs), *of)


def decided(p: np.ndarray, correction: corrections.Correction, alpha: float) -> dict[str, Any]:
    """Return the columns of p-values of one family: corrected, and whether they are below alpha."""
    adjusted = correct_families(p, np.zeros(len(p)), correction)
    reject = pl.Series(adjusted < alpha).set(pl.Series(np.isnan(adjusted)), None)
    return {"p_value": p, "p_adjusted": adjusted, "reject": reject}


def _unit_means(
    values: np.ndarray, rows: pl.Series, units: pl.DataFrame
) -> tuple[np.ndarray, pl.Series]:
    """Return the mean of each run's requests in each unit, and the names of the units."""
    code = clusters.codes_of(rows, units)
    known = ~np.isnan(values)
    total, n = (clusters.sums_of(of, code) for of in (np.where(known, values, 0.0), known * 1.0))
    names = units.filter(pl.col("query_id").is_in(rows.implode()))["cluster"].unique().sort()
    return sums.ratio(total, n), names
