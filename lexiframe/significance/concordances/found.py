"""What `concordance` returns: `Concordance`."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from lexiframe.base import printed, unknown_name
from lexiframe.io import Tables
from lexiframe.significance.concordances.in_words import concordance_sentences


@dataclass(frozen=True, repr=False, eq=False)
class Concordance(Tables):
    """How often measures prefer the same run as people; `concordance` makes it.

    Attributes
    ----------
    measures
        Key ``measure``: of the ``n`` rows (request, pair) in which people prefer a run and the
        measure has a value, in ``n_requests`` requests, it prefers the same run in ``agree``, and
        neither in ``ties``; it has no value for ``missing`` rows. ``concordance`` = (agree +
        ties/2)/n, in 0..1, with its interval ``ci_low, ci_high``; 0.5 is what chance gives.
    pairs
        Key ``measure_a, measure_b``: the ``difference`` of their concordances over the ``n`` rows
        that both have, its interval, ``p_value``, ``p_adjusted`` over all pairs, and ``reject``.
    by_strength
        Key ``measure, strength_above``: the same where the strength of people's preference, \
|wins − losses|/judgments, is above ``strength_above`` and at most ``strength_up_to``.
    requests
        Key ``measure, query_id``: the same in each request.
    n_stated, n_undecided, n_requests : int
        How many rows people judged, in how many of them they prefer neither run (these do not
        count), and in how many requests they prefer one.
    correction, alpha
        What was asked for.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> rows = {"query_id": ["1", "2"], "run_a": "x", "run_b": "y"}
    >>> people = pl.DataFrame({**rows, "measure": "stated", "preference": [1.0, -0.5]})
    >>> d = pl.DataFrame({**rows, "measure": "AP", "preference": [0.1, 0.0]})
    >>> lf.concordance(d, people).requests.select("query_id", "concordance").rows()
    [('1', 1.0), ('2', 0.5)]
    """

    __module__ = "lexiframe"  # where users find it
    _TABLES = ("measures", "pairs", "by_strength", "requests")

    measures: pl.DataFrame
    pairs: pl.DataFrame
    by_strength: pl.DataFrame
    requests: pl.DataFrame
    n_stated: int
    n_undecided: int
    n_requests: int
    correction: str
    alpha: float

    @property
    def verdict(self) -> printed.Verdict:
        """Which measure agrees with people most, and which are shown to agree less."""
        return printed.Verdict({"sentence": concordance_sentences(self)})

    def ranked(self) -> pl.DataFrame:
        """Return ``measures`` by concordance, the highest first, and by name."""
        return self.measures.sort(
            "concordance", "measure", descending=[True, False], nulls_last=True
        )

    def best(self) -> str:
        """Return the measure of the highest concordance, the first by name of several."""
        return str(self.ranked()["measure"][0])

    def most_disputed(self, measure: str | None = None, n: int = 5) -> pl.DataFrame:
        """Return the requests in which a measure disagrees with people most often.

        Parameters
        ----------
        measure : str, optional
            Default: that of ``best``.
        n : int
            How many requests.

        Raises
        ------
        UnknownNameError
            For a measure that was not compared.
        """
        if measure is not None and measure not in self.measures["measure"]:
            raise unknown_name("measure", measure, self.measures["measure"])
        of = self.requests.filter(pl.col("measure") == (measure or self.best()))
        against = pl.col("n") - pl.col("agree") - pl.col("ties")
        ranked = of.with_columns(against=against).sort(
            "concordance", "against", "query_id", descending=[False, True, False]
        )
        return ranked.drop("against").head(n)

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return what to look at first: the measures, their differences, strengths, requests."""
        found = {
            "Concordance with people": self.ranked(),
            "Differences between measures": self.pairs,
            "By the strength of people's preference": self.by_strength,
            f"Requests in which {self.best()} and people disagree most": self.most_disputed(),
        }
        rounded = pl.selectors.float().round(4)
        return {title: table.with_columns(rounded) for title, table in found.items() if len(table)}
