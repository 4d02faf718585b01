"""Integer ids and their strings give the same tables, ranked whole or in pieces."""

import random
import warnings
from contextlib import contextmanager
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.base.coded import order_of
from lexiframe.core.projection import pieces
from tests.strategies import SUBTOPICS, collections

pytestmark = pytest.mark.slow

FEWER = settings(max_examples=settings().max_examples // 3)
TIES = st.sampled_from(["doc_id_desc", "doc_id_asc", "input", "rank"])
NUMBERS = st.sampled_from([range(-3, 120), range(95, 260), [2**n for n in range(63)] * 3])
"""Of one and two signs and of several lengths, close together and far apart."""

ROWS_OF_A_PIECE = st.sampled_from([5, 40, 1 << 21])
"""More pieces than requests, so that some are empty; a few; and one."""


def numbered(collection, numbers, seed):
    """Write every id as an integer, a different one each."""
    numbers = [*dict.fromkeys(numbers), *range(10**6, 10**6 + 99)]
    mixed = random.Random(seed).sample(numbers, len(numbers))
    frames = []
    for frame in collection:
        for name in ("query_id", "doc_id"):
            ids = sorted({*collection.runs[name], *collection.qrels[name]})
            integers = pl.Series(mixed[: len(ids)], dtype=pl.Int64)
            frame = frame.with_columns(pl.col(name).replace_strict(ids, integers))
        frames.append(frame)
    return frames


def as_text(frame):
    return frame.with_columns(pl.col("query_id", "doc_id").cast(pl.String))


@contextmanager
def pieces_of(rows):
    with mock.patch.object(pieces, "ROWS", rows):
        yield


def outcome(function, *args, **options):
    """Give the table, or the error, and what is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            table = function(*args, **options).to_dict(as_series=False)
        except lf.LexiframeError as error:
            table = str(error)
    return table, [str(warning.message) for warning in caught]


@FEWER
@given(
    collections(ranks=True, duplicates=True, iterations=SUBTOPICS),
    NUMBERS,
    st.integers(0, 99),
    TIES,
    ROWS_OF_A_PIECE,
    st.fixed_dictionaries(
        {
            "duplicates": st.sampled_from(["error", "best"]),
            "unjudged": st.sampled_from(["keep", "remove"]),
            "no_relevant": st.sampled_from(["drop", "zero"]),
            "judged": st.booleans(),
            "subtopics": st.booleans(),
            "pool": st.booleans(),
        }
    ),
)
def test_positions_of_integers_are_those_of_their_strings(
    collection, numbers, seed, ties, rows, options
):
    runs, qrels = numbered(collection, numbers, seed)
    expected = outcome(lf.positions, as_text(runs), as_text(qrels), ties=ties, **options)
    with pieces_of(rows):
        for one, other in [
            (runs, qrels),
            (as_text(runs), qrels),
            (runs, as_text(qrels)),
            (as_text(runs), as_text(qrels)),
        ]:
            assert outcome(lf.positions, one, other, ties=ties, **options) == expected


@FEWER
@given(collections(duplicates=True, ranks=True), NUMBERS, st.integers(0, 99), ROWS_OF_A_PIECE)
def test_coverage_and_interleaving_as_well(collection, numbers, seed, rows):
    runs, qrels = numbered(collection, numbers, seed)
    few = {"duplicates": "best"}
    text = as_text(runs), as_text(qrels)
    coverage = outcome(lf.coverage, *text, **few)
    interleaved = outcome(lf.interleaving, *text, **few)
    with pieces_of(rows):
        for given_runs in (runs, text[0]):
            assert outcome(lf.coverage, given_runs, qrels, **few) == coverage
            assert outcome(lf.interleaving, given_runs, qrels, **few) == interleaved


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1), st.integers(0, 60))
def test_rows_are_ordered_by_codes_of_any_size(rows, shift):
    """Codes that fit into one integer beside the row's number, and such that do not."""
    one, other = np.array(rows).T << np.array([[0], [shift]])
    assert order_of(one, other).tolist() == np.lexsort((other, one)).tolist()


def test_ties_are_broken_by_ids_as_strings():
    """ "9" comes behind "10", bytewise and descending, though the integer is less."""
    runs = pl.DataFrame({"user": 1, "item": [10, 9, 100, -1], "score": 1.0})
    qrels = pl.DataFrame({"user": 1, "item": [100, -1, 9, 10], "rating": 5})
    kept = {"na_values": []}  # here -1 is a document
    p = lf.positions(lf.read_runs(runs, **kept), lf.read_qrels(qrels, **kept))
    assert p["doc_id"].to_list() == ["-1", "10", "100", "9"]
    assert p["position"].to_list() == [4, 3, 2, 1]


FAULTY = pl.DataFrame(
    {
        "query_id": [1, 1, 2, 2, 3, 3, 1, 3],
        "doc_id": [5, 6, 5, 7, 8, 8, 6, 8],
        "score": 1.0,
        "rank": [1, 2, 1, 1, 1, 2, 2, 3],
    }
)


@pytest.mark.parametrize(
    "frame, options, message",
    [
        (FAULTY, {}, r"document '6' .* query '1' \(rows 2 and 7; 5 such rows in all\)"),
        (
            FAULTY,
            {"ties": "rank", "duplicates": "best"},
            r"'5' and '7' for query '2' both have the rank 1 \(2 such rows in all\)",
        ),
        (
            FAULTY.with_columns(rank=pl.when(pl.col("doc_id") != 8).then("rank")),
            {"ties": "rank"},
            r"that of '8' for query '3' is null \(3 such rows",
        ),
    ],
    ids=["documents", "ranks", "no rank"],
)
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_faults_are_told_of_the_whole_run(frame, options, message, rows):
    qrels = pl.DataFrame({"query_id": [1, 2, 3], "doc_id": [5, 5, 8], "relevance": 1})
    with pieces_of(rows), pytest.raises(lf.SchemaError, match=message):
        lf.positions(frame, qrels, **options)


def test_a_query_that_stands_in_two_places_is_one_ranking():
    runs = pl.DataFrame({"user": [2, 1, 2, 1], "item": [7, 7, 8, 8], "score": [1.0, 2, 3, 4]})
    qrels = pl.DataFrame({"user": [1, 2], "item": 7, "rating": 1})
    with pieces_of(1):
        assert lf.positions(runs, qrels)["position"].to_list() == [2, 2]
