"""The result of `hole_sensitivity`: `HoleSensitivity`."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from lexiframe.core.base import printed
from lexiframe.core.io import Tables
from lexiframe.study.holes.holes_in_words import hole_sentences
from lexiframe.study.holes.schemas import HOLE_VALUES

_ENOUGH = 0.95
"""The share of draws from which a pair is not listed as one whose order could change."""


@dataclass(frozen=True, repr=False, eq=False)
class HoleSensitivity(Tables):
    """How far unjudged documents could move what is known of runs; `hole_sensitivity` makes it.

    The columns of the tables are described there. Attributes of groups of requests, if there are
    any, are the first ones.

    Attributes
    ----------
    values
        Key ``run, measure``: the values of the runs, their intervals, and their ranks.
    pairs
        Key ``measure, run_a, run_b``: whether two runs keep their order, and their significance.
    calibration
        Key ``run, measure``: whether intervals hold the values of metrics when the judgments are
        hidden that a run alone contributes.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs, qrels = lf.simulate_collection(requests=9, runs=3, pool_depth=9, pool_share=0.7)
    >>> found = lf.hole_sensitivity(runs, qrels, "P@10", samples=50)
    >>> {name: table.height for name, table in found.tables().items()}
    {'values': 3, 'pairs': 3, 'calibration': 3}
    """

    values: pl.DataFrame
    pairs: pl.DataFrame
    calibration: pl.DataFrame

    @property
    def verdict(self) -> printed.Verdict:
        """For each measure, which orders of runs unjudged documents could change, and how many.

        Key ``measure``, after the attributes: ``n_pairs``, ``n_open`` and ``sentence``, see
        `verdict`. It prints its sentences.
        """
        return printed.Verdict(hole_sentences(self.pairs))

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return what to look at first: tables by titles.

        They are the values with their intervals; the pairs that keep their order in less than 95 %
        of the widened draws; and, for each metric, for how many ``runs`` judgments were hidden, and
        the share of their intervals that hold the value, before and after widening.
        """
        by = self.values.columns[: self.values.width - len(HOLE_VALUES.columns)]
        shown = [*by, "run", "measure", "value", "ci_low", "ci_high", "rank", "rank_low"]
        open_pairs = self.pairs.filter(
            pl.col("mean_preference") != 0, pl.col("share_widened") < _ENOUGH
        )
        title = f"Pairs of runs that keep their order in less than {_ENOUGH:.0%} of the draws"
        tables = {
            "Values without holes, and where they would lie if all documents of the tops were "
            "judged": self.values.select(*shown, "rank_high", "holes"),
            f"{title}: {open_pairs.height:,} of {self.pairs.height:,}": open_pairs.select(
                *by, "measure", "run_a", "run_b", "mean_preference", "ci_low", "ci_high",
                "share_widened",
            ),
            "Share of intervals that hold the value when judgments are hidden": _covered(self, by),
        }  # fmt: skip
        return {
            title: table.with_columns(pl.selectors.float().round(4))
            for title, table in tables.items()
            if table.height
        }


def _covered(found: HoleSensitivity, by: list[str]) -> pl.DataFrame:
    """Return for each metric how many intervals hold the value, before and after widening."""
    of_metric = found.calibration.group_by(*by, "measure", maintain_order=True).agg(
        runs=pl.len(),
        before=pl.col("inside_before").mean(),
        after=pl.col("inside").mean(),
        factor=pl.col("factor").max(),
    )
    return of_metric.sort(*by, "measure")
