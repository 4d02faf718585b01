"""Pairs of groups of requests, and random pairs of groups of the same sizes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, to_polars
from lexiframe.core.pairwise.arrays.arrays import PairCube
from lexiframe.core.pairwise.arrays.grouping import By, groups_of, names_of

_ROWS = 200
"""The number of splits that are yielded at once, so few that their means stay in the cache."""


def named_groups(called: str, table: Any, requests: Any, by: By) -> list[tuple[str, pl.Series]]:
    """Return the name and the requests of each group, sorted by name.

    A group of one attribute is named by its value as text (``short``), a group of several by all of
    them (``length = short, kind = image``). Requests without a value are the group ``no length``.

    Examples
    --------
    >>> s = pl.DataFrame({"query_id": ["q1", "q2", "q3"], "value": [0.5, 0.5, 1.0]})
    >>> requests = pl.DataFrame({"qid": ["q1", "q2", "q3"], "words": [10, 2, None]})
    >>> [(name, list(queries)) for name, queries in named_groups("f", s, requests, "words")]
    [('10', ['q1']), ('2', ['q2']), ('no words', ['q3'])]
    """
    if not names_of(requests, by):
        raise LexiframeError(f"{called}: which attribute makes the groups? Name it: by='category'")
    table = table if isinstance(table, PairCube) else to_polars(table)
    found = groups_of(table, requests, by)
    # A table without rows is one part without a group.
    groups = [(_group_name(row), _queries(part)) for row, part in found if row.height]
    if len(groups) < 2:
        raise LexiframeError(
            f"{called}: expected at least two groups of requests, found {len(groups)}; give rows "
            "of requests that differ in the attributes of by="
        )
    _refuse_same(called, [name for name, _ in groups], "two groups are called {}; rename one")
    queries = pl.concat([queries for _, queries in groups]).to_list()
    _refuse_same(called, queries, "the request {} is in two groups; give attributes of requests")
    return sorted(groups, key=lambda group: group[0])


def _group_name(group: pl.DataFrame) -> str:
    texts = group.select(pl.all().cast(pl.String)).row(0, named=True)
    if len(texts) == 1:
        name, value = next(iter(texts.items()))
        return f"no {name}" if value is None else value
    return ", ".join(
        f"no {name}" if value is None else f"{name} = {value}" for name, value in texts.items()
    )


def _queries(part: Any) -> pl.Series:
    queries = part.queries if isinstance(part, PairCube) else part["query_id"].unique().sort()
    return queries.cast(pl.String)


def _refuse_same(called: str, values: list[str], message: str) -> None:
    if len(set(values)) < len(values):
        twice = next(value for n, value in enumerate(values) if value in values[:n])
        raise LexiframeError(f"{called}: {message.format(repr(twice))}")


def are_all(n_a: int, n: int, trials: int) -> bool:
    """Return whether `splits` yields all splits of n requests into n_a and n − n_a."""
    return comb(n, n_a) - 1 <= trials


def n_splits(n_a: int, n: int, trials: int) -> int:
    """Return how many splits `splits` yields."""
    return comb(n, n_a) - 1 if are_all(n_a, n, trials) else trials


def splits(n_a: int, n: int, trials: int, seed: int) -> Iterator[np.ndarray]:
    """Split n requests at random into n_a and n − n_a: splits × n, 1 for the n_a and else 0.

    If there are at most ``trials`` splits beside the one of the first n_a requests, which is the
    observation, each of them comes once: p = (1 + count) / (1 + splits) is then exact.

    Examples
    --------
    >>> next(splits(1, 3, trials=9, seed=0)).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    wanted = n_splits(n_a, n, trials)
    rng, places = np.random.default_rng(seed), combinations(range(n), n_a)
    next(places)  # the observation
    for start in range(0, wanted, _ROWS):
        rows = min(_ROWS, wanted - start)
        if not are_all(n_a, n, trials):
            # The order of random numbers is a random permutation of the requests.
            yield (rng.random((rows, n)).argsort(axis=1) < n_a).astype(np.float64)
            continue
        chosen = np.fromiter(chain.from_iterable(next(places) for _ in range(rows)), np.int64)
        split = np.zeros((rows, n))
        split[np.repeat(np.arange(rows), n_a), chosen] = 1.0
        yield split
