"""Runs whose scores order the documents against the ranks beside them, as distances and losses do.

By definition scores decide (as in trec_eval), and the greatest is the best. Most files agree with
that, so a few of their rows are looked at, and all of them only where these raise a doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.base import coded, n_and_first, warn
from lexiframe.io.files.form import Batch

_WINDOW = 512
"""The bytes of each of three parts of a text that are looked at."""
_ROWS = 8
"""The rows of each of three parts of a table that are looked at."""
_RANK, _SCORE = 3, 4
"""The fields of TREC text, from 0."""
_MOST = 0.5
_AGAINST = 0.25
"""Spearman's correlation of ranks and scores from which these contradict one another.

It is −1 where they agree, and about 0 where they have nothing to do with one another, as after
another system put the documents in order.
"""
_BY_CHANCE = 3.0
"""So many standard deviations from 0 are hardly reached by chance, in 1 of 740 runs at most."""

_LEAST = 4
"""Steps from which all requests together may contradict the ranks: two of three documents each."""


@dataclass(frozen=True)
class Against:
    """How many ``rows`` are in requests whose scores contradict the ranks, ``of`` how many rows.

    Scores contradict the ranks of a request where great ones mostly have the last ranks. Ranks that
    repeat within a request say nothing.
    ``example`` shows it in one of them. ``surplus`` sums up the correlations of ranks and scores,
    each times its ``steps``, of which a request has one less than documents. By chance it is about
    0, with the variance ``steps``.
    """

    rows: int = 0
    of: int = 0
    example: str = ""
    surplus: float = 0.0
    steps: int = 0

    @property
    def is_most(self) -> bool:
        """Whether the scores contradict the ranks in most requests, and not by chance.

        Requests are counted by their rows. Of few rows it is enough that all requests contradict:
        ranks that have nothing to do with the scores are rare.
        """
        if self.steps < _BY_CHANCE**2:  # so few are never far enough from chance
            return self.rows == self.of and self.steps >= _LEAST
        return 2 * self.rows > self.of and self.surplus >= _BY_CHANCE * self.steps**0.5

    def __add__(self, other: Against) -> Against:
        """Return what was found in the rows of both."""
        example = min(filter(None, (self.example, other.example)), default="")
        return Against(
            self.rows + other.rows,
            self.of + other.of,
            example,
            self.surplus + other.surplus,
            self.steps + other.steps,
        )


NOTHING_AGAINST = Against()
"""What is known of rows without ranks."""


def compared_with_ranks(rows: pl.DataFrame) -> Against:
    """Compare the scores of a run with its ranks if it has both; all, if some raise a doubt.

    Examples
    --------
    >>> rows = pl.DataFrame({"query_id": "q1", "score": [0.25, 1.5], "rank": [1, 2]})
    >>> compared_with_ranks(rows)
    Against(rows=2, of=2, example="query 'q1': rank 1 has the score 0.25, rank 2 has 1.5", \
surplus=1.0, steps=1)
    >>> compared_with_ranks(rows.with_columns(score=-pl.col("score")))
    Against(rows=0, of=2, example='', surplus=0.0, steps=0)
    """
    if not {"score", "rank"} <= {*rows.columns} or rows["rank"].has_nulls():
        return NOTHING_AGAINST
    if not _are_doubtful(zip(*(_some_of(rows[name]) for name in _COMPARED), strict=True)):
        return Against(0, rows.height)
    return all_compared(rows)


_COMPARED = ("query_id", "rank", "score")


def all_compared(rows: pl.DataFrame) -> Against:
    """Compare the scores of all rows with their ranks.

    Where the scores of most rows count 1, 2, 3 ..., and the ranks fall in other steps, the two have
    changed places: then the order of the rows is that of the ranks.
    """
    numbers = pl.col("rank", "score").cast(pl.Float64)
    differences = numbers.diff().over("query_id").name.suffix(" step")
    stepped = rows.select("query_id", numbers, differences)
    counts = stepped.select(_count_rows(pl.col("rank step"), pl.col("score step")).mean()).item()
    have_changed = counts is not None and counts > _MOST
    rank = pl.int_range(pl.len()) if have_changed else pl.col("rank")
    ordered = stepped.with_columns(given="rank", rank=rank)
    of_requests = ordered.group_by("query_id", maintain_order=True).agg(
        correlation=pl.corr("rank", "score", method="spearman").fill_nan(0.0),
        first=pl.struct("given", "score").sort_by("rank").first(),
        best=pl.struct("given", "score").sort_by("score").last(),
        n=pl.len(),
        are_ranks=pl.col("rank").is_unique().all(),
    )
    ranked = of_requests.filter("are_ranks", pl.col("n") > 1)
    steps = ranked["n"] - 1
    surplus, n_steps = float((ranked["correlation"] * steps).sum()), int(steps.sum())
    against = ranked.filter(pl.col("correlation") > _AGAINST)
    if not against.height:
        return Against(0, rows.height, "", surplus, n_steps)
    shown = (
        against.with_columns(pl.col("query_id").cast(pl.String)).sort("query_id").row(0, named=True)
    )
    ends = [(of["given"], of["score"]) for of in (shown["first"], shown["best"])]
    (rank, score), (other, greatest) = ends
    example = f"query {shown['query_id']!r}: rank {rank:g} has the score {score:g}, "
    n_against, example = int(against["n"].sum()), f"{example}rank {other:g} has {greatest:g}"
    return Against(n_against, rows.height, example, surplus, n_steps)


def text_is_doubtful(data: bytes, decimal: str) -> bool:
    r"""Return whether some lines of TREC text have scores that contradict their ranks.

    Examples
    --------
    >>> text_is_doubtful(b"q1 Q0 a 1 0.25 x\nq1 Q0 b 2 1.5 x\n", ".")
    True
    >>> text_is_doubtful(b"q1 Q0 a 1 1.5 x\nq1 Q0 b 2 0.25 x\n", ".")
    False
    """
    mark = decimal.encode()
    rows = []
    for line in _some_lines(data):
        fields = line.split(None, _SCORE + 1)
        if len(fields) > _SCORE and not line.startswith(b"#"):
            rank, score = (fields[at].replace(mark, b".") for at in (_RANK, _SCORE))
            rows.append((fields[0], rank, score))
    return _are_doubtful(rows)


def _some_lines(data: bytes) -> Iterator[bytes]:
    if len(data) <= 3 * _WINDOW:
        yield from data.splitlines()
        return
    for start in (0, len(data) // 2, len(data) - _WINDOW):
        yield from data[start : start + _WINDOW].splitlines()[1:-1]  # the others may be cut


def batches_are_doubtful(
    found: Mapping[str, str], read: Callable[[list[str], int], Iterator[Batch]]
) -> bool:
    """Return whether the first rows of a table have scores that contradict their ranks.

    ``found`` has the names of its columns by ours, and ``read`` returns batches of some columns.
    """
    if not {*_COMPARED} <= found.keys():
        return False
    names = [found[name] for name in _COMPARED]
    try:
        batch = next(read(names, 3 * _ROWS), None)
        columns = [] if batch is None else [batch.column(n).slice(0, 3 * _ROWS) for n in names]
        return _are_doubtful(zip(*(column.to_pylist() for column in columns), strict=True))
    except (pa.ArrowException, OSError):  # reading it says what is wrong
        return False


def _some_of(column: pl.Series) -> list[Any]:
    """Return some values of a column: the first, middle and last ones."""
    n = len(column)
    if n <= 3 * _ROWS:
        return column.to_list()
    starts = (0, n // 2, n - _ROWS)
    return [value for start in starts for value in column.slice(start, _ROWS).to_list()]


def _are_doubtful(rows: Iterable[tuple[Any, Any, Any]]) -> bool:
    """Return whether ranks and scores agree in too few of the rows that follow each other.

    ``rows`` are a few queries with rank and score: a loop takes less time than arrays of so few.
    """
    last: dict[Any, tuple[float, float]] = {}
    n_with = n_against = n_counts = 0
    try:
        for query, *both in rows:
            rank, score = map(float, both)
            if query in last:
                steps = rank - last[query][0], score - last[query][1]
                n_with += steps[0] * steps[1] < 0
                n_against += steps[0] * steps[1] > 0
                n_counts += _count_rows(*steps)
            last[query] = rank, score
    except (ValueError, TypeError):  # no numbers; the reader says what is wrong, if anything is
        return False
    return 2 * n_against >= max(n_with, 1) or n_counts > _MOST * (n_with + n_against)


def _count_rows(rank: Any, score: Any) -> Any:
    """Return whether, from one row to the next, a score changes by 1 and a rank falls, not by 1."""
    return (abs(score) == 1) & (rank < 0) & (rank != -1)


def warn_of_scores_against_ranks(found: Mapping[str, Against]) -> None:
    """Warn once of the runs, by name, whose scores contradict the ranks in most requests."""
    wrong = {name: against for name, against in found.items() if against.is_most}
    if wrong:
        named = n_and_first(dict.fromkeys(coded.split_replicate(name)[0] for name in wrong))
        warn(
            f"runs whose scores order the documents of most requests against their ranks: {named}; "
            f"{next(iter(wrong.values())).example}, and the greatest score counts as the best; "
            f"{TURN}"
        )


TURN = (
    "if low ones are better, as of distances and losses, read the runs with better='low', else "
    "correct the ranks"
)
"""What to do about scores that contradict the ranks."""
