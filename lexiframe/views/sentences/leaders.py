"""Where the runs with the best means are not those that the verdict calls best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from lexiframe.views.sentences.rows import is_first
from lexiframe.views.sentences.words import first_runs, group_of
from lexiframe.views.shown.cells import shortened


def leaders_in_words(
    means: pl.DataFrame, verdict: pl.DataFrame, by: Sequence[str], order: str
) -> list[str]:
    """Return a sentence for each measure (and group) whose best runs differ by mean and verdict.

    Examples
    --------
    >>> means = pl.DataFrame({"measure": "LP", "run": ["a", "b"], "rank": [1.0, 2.0]})
    >>> verdict = pl.DataFrame({"measure": ["LP"], "best": [["b"]]})
    >>> print(*leaders_in_words(means, verdict, [], "mc4"))
    By LP, a wins the greatest share of requests and has * above, but mc4 puts b first, \
which the verdict is about.
    """
    first = means.filter(is_first(by)).group_by(*by, "measure")
    starred = first.agg(starred=pl.col("run").sort())
    stated = verdict.unique([*by, "measure"], keep="first", maintain_order=True)
    both = stated.join(
        starred, on=[*by, "measure"], nulls_equal=True, maintain_order="left"
    ).filter(pl.col("best").list.sort() != pl.col("starred"))
    return [_sentence(row, by, order) for row in both.iter_rows(named=True)]


def _sentence(row: dict[str, Any], by: Sequence[str], order: str) -> str:
    group = "".join(f", {group_of(name, row[name])}" for name in by)
    starred, best = row["starred"], row["best"]
    wins, has = ("wins", "has") if len(starred) == 1 else ("win", "have")
    return (
        f"By {row['measure']}{group}, {_names(starred)} {wins} the greatest share of requests and "
        f"{has} * above, but {order} puts {_names(best)} first, which the verdict is about."
    )


def _names(runs: Sequence[str]) -> str:
    return " and ".join(map(shortened, first_runs(runs, 3)))
