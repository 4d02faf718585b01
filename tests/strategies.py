"""Hypothesis strategies: runs and judgments that are small and awkward.

Use them to test measures of your own, or code that reads lexiframe's tables:

>>> from hypothesis import given
>>> from tests.strategies import collections
>>> @given(collections(max_runs=2))
... def test_mine(collection):
...     runs, qrels = collection  # two Polars frames, as `lf.positions` takes them

`collections` gives runs with their judgments, `positions_tables` what `lf.positions` makes of
them, and `preferences_tables` and `scores_tables` any tables of that form, cycles of majorities
and ties included. What is drawn shrinks: fewer runs, requests, documents, and simpler scores.
"""

import random
import warnings
from itertools import combinations, product
from typing import NamedTuple

import polars as pl
from hypothesis import strategies as st

import lexiframe as lf

DOC_IDS = ["d1", "d10", "d2", "d", "D1", "9", "10", *"éÿĀ", "e\u0301", "\uff5e", "\U0001d53b"]
"""Prefixes of one another, and beyond ASCII, where the bytes' order is that of code points only."""

QUERY_IDS = ["1", "10", "2", "q", "ß"]
EXTRA_QUERY_IDS = ["0", "3", "q1"]
RUN_NAMES = ["a", "b", "B", "b-10", "b-2", "é:1"]

SCORES = [
    *[0.0, -0.0, 1.0, 1.0, 2.0, -1.0],
    *[1 + 2.0**-40, 16777217.0, 16777216.0],  # apart as doubles, equal as single floats
    *[float("inf"), float("-inf"), 1e300, -1e300, 1e-300, 5e-324],
]
"""Few, so that ties are many; both zeros tie."""

GRADES = [1.0, 0.0, 2.0, 1.5, 3.0, -1.0]
BINARY = [1.0, 0.0]

PREFERENCES = [0.0, 1.0, -1.0, 0.5, -0.5, 1 / 3, -1 / 3]
SIGNS = [0.0, 1.0, -1.0]
ROUNDED = [0.1, 0.2, -0.3]
"""0.1 + 0.2 − 0.3 is not 0 in floating point."""


class Collection(NamedTuple):
    """Runs (run, query_id, doc_id, score, perhaps rank) and qrels, as Polars frames."""

    runs: pl.DataFrame
    qrels: pl.DataFrame


def scored_documents(scores=SCORES, *, unique=True, min_size=0, max_size=10, tails=True):
    """A ranking: lists of (doc_id, score), short or with a long block of one score behind."""
    tail = st.tuples(st.integers(0, 40), st.sampled_from(scores)).map(
        lambda block: [(f"x{n}", block[1]) for n in range(block[0])]
    )
    rows = st.lists(
        st.sampled_from([*product(DOC_IDS, scores)]),  # one draw a row takes less time than two
        min_size=min_size,
        max_size=max_size,
        unique_by=(lambda row: row[0]) if unique else None,
    )
    return st.one_of(rows, rows, rows, st.builds(list.__add__, rows, tail)) if tails else rows


EXTRA = st.sampled_from([None, None, *EXTRA_QUERY_IDS])
SEEDS = st.integers(0, 999)
ITERATIONS = ["0", "0", "1"]
SUBTOPICS = ["1", "2", "10", "ß"]


def judged_documents(grades=GRADES, *, unique=True, iterations=ITERATIONS):
    """The judgments of a request: lists of (iteration, doc_id, relevance)."""
    return st.lists(
        st.sampled_from([*product(iterations, DOC_IDS, grades)]),
        max_size=9 if iterations == ITERATIONS else 16,
        unique_by=(lambda row: row[:2]) if unique else None,
    )


def collections(
    *,
    min_runs=1,
    max_runs=6,
    max_queries=5,
    grades=GRADES,
    scores=SCORES,
    ranks=False,
    duplicates=False,
    max_documents=None,
    iterations=ITERATIONS,
):
    """Runs and judgments that have something in common.

    Runs miss requests, answer others that are not judged, share whole rankings, retrieve nothing
    relevant or one item; requests have nothing relevant, documents several grades; rows come in
    any order, requests and runs interleaved. One request at least is answered, and one item at
    least has the greatest of the grades.

    Parameters
    ----------
    min_runs, max_runs, max_queries
        How many.
    grades, scores
        What they are drawn from: `BINARY` grades, say.
    ranks
        Also draw a column ``rank``, which agrees with nothing; all ranks differ.
    duplicates
        Repeat documents in rankings and in judgments.
    max_documents
        In a ranking; unless given, ten, or ten and a long block of one score.
    iterations
        What judgments are drawn for: `SUBTOPICS`, say.
    """
    unique = not duplicates
    size = {"max_size": max_documents or 10, "tails": max_documents is None}
    return _collections(
        st.integers(min_runs, max_runs),
        st.integers(1, max_queries),
        judged_documents(grades, unique=unique, iterations=iterations),
        scored_documents(scores, unique=unique, min_size=1, **size),
        st.none() | scored_documents(scores, unique=unique, **size),
        greatest=max(grades),
        ranks=ranks,
    )


@st.composite
def _collections(draw, n_runs, n_queries, judged, ranking, own_ranking, *, greatest, ranks):
    """Draw from strategies that are made once: to make them takes longer than to draw from them.

    ``own_ranking`` gives None for a run that has the ranking which runs share.
    """
    names = RUN_NAMES[: draw(n_runs)]
    queries = QUERY_IDS[: draw(n_queries)]
    judgments, answers = [], []
    for query_id in queries:
        rows = draw(judged) or [("0", "d1", 0.0)]
        if query_id == queries[0] and all(grade != greatest for _, _, grade in rows):
            rows = [("0", "d2", greatest), *(row for row in rows if row[:2] != ("0", "d2"))]
        judgments += [(query_id, *row) for row in rows]
        shared = draw(ranking)
        for name in names:
            own = None if query_id == queries[0] and name == names[0] else draw(own_ranking)
            answers += [(name, query_id, *row) for row in (shared if own is None else own)]
    for name in names:
        extra = draw(EXTRA)
        alone = all(row[0] != name for row in answers)  # a run without rows would be none
        answers += [(name, extra or "0", "d1", 1.0)] if extra or alone else []
    if seed := draw(SEEDS):
        random.Random(seed).shuffle(answers)
        random.Random(seed).shuffle(judgments)
    columns = {"run": pl.String, "query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    runs = pl.DataFrame(answers, schema=columns, orient="row")
    if ranks:
        rank = st.permutations(range(runs.height))
        runs = runs.with_columns(rank=pl.Series(draw(rank), dtype=pl.Int64))
    columns = {"query_id": pl.String, "iteration": pl.String, "doc_id": pl.String}
    schema = {**columns, "relevance": pl.Float64}
    return Collection(runs, pl.DataFrame(judgments, schema=schema, orient="row"))


def positions_tables(*, rel=None, no_relevant="drop", pool=False, subtopics=False, **collection):
    """Tables of `lf.positions`; the other arguments are those of `collections`."""
    options = dict(rel=rel, no_relevant=no_relevant, pool=pool, subtopics=subtopics)
    collection |= {"iterations": SUBTOPICS} if subtopics else {}

    def positions(drawn):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lf.LexiframeWarning)
            return lf.positions(*drawn, **options)

    return collections(**collection).map(positions)


@st.composite
def preferences_tables(draw, *, min_runs=2, max_runs=6, max_queries=7, measures=("m1",)):
    """Tables of `lf.preferences` with any values, so that majorities run in cycles too."""
    names = sorted(RUN_NAMES[: draw(st.integers(min_runs, max_runs))])
    queries = sorted(str(n) for n in range(draw(st.integers(1, max_queries))))
    keys = [
        (query_id, a, b, measure)
        for query_id in queries
        for a, b in combinations(names, 2)
        for measure in measures
    ]
    one = st.sampled_from(PREFERENCES).map(lambda value: [value])
    value = st.sampled_from(draw(st.sampled_from([PREFERENCES, SIGNS, SIGNS[1:], ROUNDED]) | one))
    values = draw(st.lists(value, min_size=len(keys), max_size=len(keys)))
    table = pl.DataFrame(keys, schema=["query_id", "run_a", "run_b", "measure"], orient="row")
    return table.with_columns(preference=pl.Series(values, dtype=pl.Float64))


@st.composite
def scores_tables(draw, *, min_runs=2, max_runs=6, max_queries=7, measures=("m1",)):
    """Tables of `lf.scores` with values in 0..1, many of them equal."""
    names = sorted(RUN_NAMES[: draw(st.integers(min_runs, max_runs))])
    queries = sorted(str(n) for n in range(draw(st.integers(1, max_queries))))
    keys = [
        (run, query_id, measure) for run in names for query_id in queries for measure in measures
    ]
    value = st.sampled_from([0.0, 1.0, 0.5, 1 / 3, 0.1, 0.3])
    values = draw(st.lists(value, min_size=len(keys), max_size=len(keys)))
    table = pl.DataFrame(keys, schema=["run", "query_id", "measure"], orient="row")
    return table.with_columns(value=pl.Series(values, dtype=pl.Float64))
