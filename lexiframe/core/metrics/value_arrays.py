"""Values of metrics as an array, from which scores and their differences are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.metrics.kinds.derived import smaller_is_better
from lexiframe.core.metrics.kinds.metric import Metric


@dataclass(frozen=True)
class Values:
    """The values of some metrics for every run and request.

    Attributes
    ----------
    keys
        ``run`` and ``query_id`` of each ranking, sorted by them.
    metrics
        The metrics, sorted by name.
    values
        rankings × metrics.
    kept
        Which values count: a request without an item of a metric's ``rel`` may have none.
    ties_sd
        rankings × metrics, the standard deviation over tied orders (NaN: not known), if they are
        expectations over these.
    """

    keys: pl.DataFrame
    metrics: tuple[Metric, ...]
    values: np.ndarray
    kept: np.ndarray
    ties_sd: np.ndarray | None = None

    def part(self, metrics: Sequence[Metric]) -> Values:
        """Return the values of some of the metrics."""
        chosen = sorted(self.metrics.index(metric) for metric in metrics)
        if chosen == [*range(len(self.metrics))]:
            return self
        some = tuple(self.metrics[n] for n in chosen)
        sd = None if self.ties_sd is None else self.ties_sd[:, chosen]
        return Values(self.keys, some, self.values[:, chosen], self.kept[:, chosen], sd)

    def by_request(
        self, metric: Metric, queries: pl.Series, what: Literal["values", "ties_sd"] = "values"
    ) -> np.ndarray:
        """Return a metric's values as runs × requests, NaN where there is none.

        ``queries`` are all requests, in the order of the keys of each run. ``what`` may ask for the
        standard deviations over tied orders instead.
        """
        n = self.metrics.index(metric)
        values = np.where(self.kept[:, n], getattr(self, what)[:, n], np.nan)
        return values.reshape(-1, len(queries))

    def table(self) -> pl.DataFrame:
        """Return the table of `scores`.

        The names of built-in metrics tell whether smaller values are better; for a user's own
        search length the table has a column that says it.
        """
        n, names = self.keys.height, [str(metric) for metric in self.metrics]
        measure = np.tile(np.arange(len(names), dtype=np.uint32), n)
        of_each = pl.Series(np.repeat(np.arange(n, dtype=np.uint32), len(names)))
        table = self.keys[of_each].with_columns(
            measure=pl.Series(names, dtype=pl.String).gather(measure), value=self.values.ravel()
        )
        table = table.select(*schemas.SCORES.required)
        if said := directions({str(m): m.smaller_is_better for m in self.metrics}):
            smaller = np.array([said[name] for name in names], bool)
            table = table.with_columns(smaller_is_better=pl.Series(smaller[measure]))
        if self.ties_sd is not None:
            table = table.with_columns(ties_sd=pl.Series(self.ties_sd.ravel()).fill_nan(None))
        return table if self.kept.all() else table.filter(self.kept.ravel())


def directions(smaller: Mapping[str, bool]) -> Mapping[str, bool] | None:
    """Return whether smaller values of metrics are better; None if their names say it."""
    said = {name: smaller_is_better(name) for name in smaller}
    return None if smaller == said else smaller
