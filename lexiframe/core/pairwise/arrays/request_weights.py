"""The weights of requests, or the shares of strata of them: `Weights`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from lexiframe.core.base import coded, schemas, sums


@dataclass(frozen=True)
class Weights:
    """The weights of requests; only their ratios count.

    Attributes
    ----------
    queries
        The requests that count, sorted.
    weight
        The share of each in all weights, above 0; with strata the share of its stratum.
    strata, stratum
        The names of the strata, and the number of each request's one; None without strata.
    named
        The column that they are from.
    """

    queries: pl.Series
    weight: np.ndarray
    strata: tuple[str, ...] = ()
    stratum: np.ndarray | None = None
    named: str = "weights"

    def rows_of(self, queries: pl.Series) -> sums.Weighing:
        """Return the weights of some of the requests, as rows of a matrix."""
        whole = sums.Weighing(self.weight, self.stratum)
        if len(queries) == len(self.queries) and queries.equals(self.queries):
            return whole
        return whole.some(self.queries.search_sorted(queries).to_numpy())

    @cached_property
    def are_equal(self) -> bool:
        """Whether all requests count alike."""
        return sums.Weighing(self.weight, self.stratum).are_equal

    def columns(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return a table of requests with the weights of them, without requests of weight 0."""
        own = {"query_id": self.queries, schemas.WEIGHT: self.weight}
        if self.stratum is not None:
            own[schemas.STRATUM] = coded.decode(pl.Series(self.strata), self.stratum)
        named = pl.DataFrame(own)
        table = table.drop(schemas.WEIGHT, schemas.STRATUM, strict=False)
        ids = table.with_columns(pl.col("query_id").cast(pl.String))
        weighed = ids.join(named, on="query_id", how="inner", maintain_order="left")
        own_type = pl.col("query_id").cast(table.schema["query_id"])
        return weighed.with_columns(own_type).select(pl.exclude("answered"), pl.col("^answered$"))
