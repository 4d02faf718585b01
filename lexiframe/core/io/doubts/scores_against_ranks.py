"""Runs whose scores order the documents otherwise than the ranks beside them.

Distances and losses do so, and rerankers that keep the scores of the first stage. By definition
scores decide (as in trec_eval), and the greatest is the best. Most files agree with that, so a few
of their rows are looked at, and all of them only where these raise a doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.core.base import coded, n_and_first, warn
from lexiframe.core.io.files.form import Batch
from lexiframe.core.io.reading_options import TextOptions

_WINDOW = 512
"""The bytes of each of three parts of a text that are looked at."""
_ROWS = 8
"""The rows of each of three parts of a table that are looked at."""
_RANK, _SCORE = 3, 4
"""The fields of TREC text, from 0."""
_MOST = 0.5


@dataclass(frozen=True)
class Against:
    """In how many ``requests`` ranks and scores disagree, ``of`` how many with several documents.

    They disagree where a document has a greater score than one of a rank before its own. Ranks that
    repeat within a request say nothing. ``example`` shows it in one of the requests.
    """

    requests: int = 0
    of: int = 0
    example: str = ""

    @property
    def is_most(self) -> bool:
        """Whether they disagree in half of the requests or more, and not in one alone."""
        return self.requests > 1 and self.of <= 2 * self.requests

    @property
    def share(self) -> str:
        """The share of the requests, in words."""
        return f"in {self.requests:,} of {self.of:,} requests ({self.example})"

    def __add__(self, other: Against) -> Against:
        """Add the counts of two sets of requests."""
        example = min(filter(None, (self.example, other.example)), default="")
        return Against(self.requests + other.requests, self.of + other.of, example)


NOTHING_AGAINST = Against()
"""What is known of rows without ranks."""


def compared_with_ranks(rows: pl.DataFrame, options: TextOptions) -> Against:
    """Compare the scores of a run with its ranks if it has both; all, if some raise a doubt.

    Nothing is doubted where the user says which of them order the documents.

    Examples
    --------
    >>> rows = pl.DataFrame({"query_id": "q1", "score": [0.25, 1.5], "rank": [1, 2]})
    >>> compared_with_ranks(rows, TextOptions())
    Against(requests=1, of=1, example="query 'q1': rank 1 has the score 0.25, rank 2 has 1.5")
    >>> compared_with_ranks(rows.with_columns(score=-pl.col("score")), TextOptions())
    Against(requests=0, of=1, example='')
    """
    is_said = options.ranked_by is not None
    if is_said or not {"score", "rank"} <= {*rows.columns} or rows["rank"].has_nulls():
        return NOTHING_AGAINST
    if not _are_doubtful(zip(*(_some_of(rows[name]) for name in _COMPARED), strict=True)):
        return Against(0, len(rows["query_id"].rle()))  # rows of a request mostly lie together
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
    by_rank = pl.col("score").sort_by("rank")
    of_requests = ordered.group_by("query_id", maintain_order=True).agg(
        disagree=(by_rank > by_rank.shift()).any() & pl.col("rank").is_unique().all(), n=pl.len()
    )
    several = of_requests.filter(pl.col("n") > 1)
    queries = several.filter("disagree")["query_id"].cast(pl.String)
    if not len(queries):
        return Against(0, several.height)
    query = queries.min()
    example = _example(ordered.filter(pl.col("query_id").cast(pl.String) == query).sort("rank"))
    return Against(len(queries), several.height, f"query {query!r}: {example}")


def _example(rows: pl.DataFrame) -> str:
    """Return the first document of a request that another one should precede, and this one."""
    further = pl.col("score").reverse().cum_max().reverse().shift(-1)
    first = rows.select((pl.col("score") < further).arg_max()).item()
    best = first + 1 + rows["score"][first + 1 :].arg_max()
    (one, other), (score, greatest) = (rows[n].gather([first, best]) for n in ("given", "score"))
    return f"rank {one:g} has the score {score:g}, rank {other:g} has {greatest:g}"


def text_is_doubtful(data: bytes, decimal: str) -> bool:
    r"""Return whether some lines of TREC text have scores that contradict their ranks."""
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
    yield from data[:_WINDOW].splitlines()[:-1]  # the others may be cut
    for start in (len(data) // 2, len(data) - _WINDOW):
        yield from data[start : start + _WINDOW].splitlines()[1:-1]


def batches_are_doubtful(
    found: Mapping[str, str], read: Callable[[list[str], int], Iterator[Batch]]
) -> bool:
    """Return whether the first rows of a table have scores that contradict their ranks.

    ``found`` has the names of the table's columns by ours, and ``read`` returns batches of chosen
    columns.
    """
    if not {*_COMPARED} <= found.keys():
        return False
    return _are_doubtful(first_rows([found[name] for name in _COMPARED], read))


def first_rows(
    names: list[str], read: Callable[[list[str], int], Iterator[Batch]]
) -> list[tuple[Any, ...]]:
    """Return the first rows of some columns of a table; none if they cannot be read."""
    try:
        batch = next(read(names, 3 * _ROWS), None)
        columns = [] if batch is None else [batch.column(n).slice(0, 3 * _ROWS) for n in names]
        return [*zip(*(column.to_pylist() for column in columns), strict=True)]
    except (pa.ArrowException, OSError):  # reading all of it says what is wrong
        return []


def contradict(rows: pl.DataFrame, ranks: list[tuple[Any, ...]]) -> bool:
    """Return whether the first rows, of query and score, contradict ranks of `first_rows`."""
    first = rows.head(len(ranks)).rows()
    return _are_doubtful(
        (query, *rank, score) for (query, score), rank in zip(first, ranks, strict=True)
    )


def _some_of(column: pl.Series) -> list[Any]:
    """Return some values of a column: the first, middle and last ones."""
    n = len(column)
    if n <= 3 * _ROWS:
        return column.to_list()
    starts = (0, n // 2, n - _ROWS)
    return [value for start in starts for value in column.slice(start, _ROWS).to_list()]


def _are_doubtful(rows: Iterable[tuple[Any, Any, Any]]) -> bool:
    """Return whether ranks and scores disagree in some of the rows that follow each other.

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
    return n_against > 0 or n_counts > _MOST * n_with


def _count_rows(rank: Any, score: Any) -> Any:
    """Return whether, from one row to the next, a score changes by 1 and a rank falls, not by 1."""
    return (abs(score) == 1) & (rank < 0) & (rank != -1)


def warn_of_scores_against_ranks(found: Mapping[str, Against]) -> None:
    """Warn once of the runs, by name, whose ranks and scores disagree in most requests."""
    wrong = {name: against for name, against in found.items() if against.is_most}
    if wrong:
        names = [*dict.fromkeys(coded.split_replicate(name)[0] for name in wrong)]
        whose = f"{names[0]!r}: " if len(names) > 1 else ""
        warn(
            f"runs whose ranks and scores disagree: {n_and_first(names)}; "
            f"{whose}{next(iter(wrong.values())).share}; {TURN}"
        )


TURN = (
    "scores decide, the greatest first: if the ranks are right, read the runs with "
    "ranked_by='rank'; if low scores are better, as of distances and losses, with better='low'; if "
    "the scores are right, with ranked_by='score'"
)
"""What to do about ranks and scores that disagree."""
