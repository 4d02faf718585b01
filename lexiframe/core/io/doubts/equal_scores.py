"""Problems of the order that scores give: equal ones near the top, one score, and against ranks."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from lexiframe.core.base import Problem, printed
from lexiframe.core.io.doubts.scores_against_ranks import TURN, Against

_TOP = 10
"""The ranks near the top."""
_MANY = 0.5
"""The share of requests, or of documents near the top, that makes a problem."""
TIES, ONE_SCORE, RANKS = "ties", "one score", "ranks"
"""What `check_run` calls these problems."""
MEND_TIES = (
    "the order of equal scores is that of the document ids: write scores with all their digits, or "
    "say ties='rank' if the ranks have the order"
)


def problems_of_order(
    where: str, run: str, rows: pl.DataFrame, against: Against
) -> Iterator[Problem]:
    """Yield the problems of the order that a run's scores give; ``run`` is its name, or ""."""
    of_run = f"{run}: " if run else ""
    if against.is_most:
        found = f"{of_run}ranks and scores that disagree {against.share}"
        yield Problem(where, "scores that fall as ranks rise", found, TURN, RANKS)
    is_tied = pl.len().over("query_id", "score") > 1
    place = pl.col("score").rank("ordinal", descending=True).over("query_id")
    top = rows.select("query_id", "score", is_tied=is_tied, is_top=place <= _TOP)
    of_requests = top.group_by("query_id").agg(n=pl.len(), scores=pl.col("score").n_unique())
    several = of_requests.filter(pl.col("n") > 1)
    n_constant = several.filter(pl.col("scores") == 1).height
    n_top, n_tied = top.filter("is_top").select(pl.len(), pl.col("is_tied").sum().alias("n")).row(0)
    if several.height and n_constant > _MANY * several.height:
        found = f"one score for all documents of {n_constant:,} of the {several.height:,} requests"
        advice = "give the scores that ordered the documents, or say ties='rank' if the ranks did"
        yield Problem(
            where, "scores that differ", f"{of_run}{found} with several", advice, ONE_SCORE
        )
    elif n_top and n_tied > _MANY * n_top:
        share = printed.percent(n_tied / n_top)
        found = f"{of_run}equal scores for {share} of the documents at ranks 1 to {_TOP}"
        yield Problem(where, "scores that differ", found, MEND_TIES, TIES)
