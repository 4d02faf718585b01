"""Frames as the dictionaries that the oracle takes, and comparisons of tables with dictionaries."""

import math

import polars as pl

from tests import oracle


def rankings(runs):
    """{run: {query_id: [(doc_id, score, rank)]}}, in the order of the rows."""
    answers = {}
    for row in runs.iter_rows(named=True):
        ranking = answers.setdefault(row["run"], {}).setdefault(row["query_id"], [])
        ranking.append((row["doc_id"], row["score"], row.get("rank")))
    return answers


def judgments(qrels):
    """{query_id: {doc_id: the greatest grade}}."""
    graded = {}
    for row in qrels.iter_rows(named=True):
        grades = graded.setdefault(row["query_id"], {})
        grades[row["doc_id"]] = max(row["relevance"], grades.get(row["doc_id"], -math.inf))
    return graded


def judgments_by_subtopic(qrels):
    """{query_id: {subtopic: {doc_id: grade}}}; of a document judged twice, the greatest grade."""
    graded = {}
    for row in qrels.iter_rows(named=True):
        grades = graded.setdefault(row["query_id"], {}).setdefault(row["iteration"], {})
        grades[row["doc_id"]] = max(row["relevance"], grades.get(row["doc_id"], -math.inf))
    return graded


def projections(runs, qrels, rel=None, **policies):
    """{(run, query_id): items}, by the oracle, for the requests that have relevant items."""
    return {
        (run, query_id): oracle.project(
            oracle.order(answers.get(query_id, []), **policies), grades, rel
        )
        for run, answers in rankings(runs).items()
        for query_id, grades in judgments(qrels).items()
        if oracle.relevant_items(grades, rel)
    }


def items_of(p):
    """{(run, query_id): items}, from a positions table."""
    table = p.filter(pl.col("n_relevant") > 0).sort("run", "query_id", "level")
    items = {}
    for run, query_id, position, grade in table.select(
        "run", "query_id", "position", "relevance"
    ).iter_rows():
        items.setdefault((run, query_id), []).append((position, grade))
    return items


def pairs_of(items):
    """{(query_id, run_a, run_b): (items of a, items of b)}, run_a < run_b."""
    return {
        (q, a, b): (items[a, q], items[b, q])
        for a, q in items
        for b, r in items
        if q == r and a < b
    }


def measured(table, measure):
    """One measure's rows of a table of scores or preferences as a dictionary by its key."""
    table = table.filter(pl.col("measure") == measure)
    keys = [name for name in ("query_id", "run_a", "run_b", "run") if name in table.columns]
    return cells(table, keys, "value" if "value" in table.columns else table.columns[-1])


def cells(table, keys, value):
    """{key: value}; the key of one column is its value, of several a tuple. Keys must differ."""
    keys = [keys] if isinstance(keys, str) else keys
    found = {
        row[:-1] if len(keys) > 1 else row[0]: row[-1] for row in table.select(*keys, value).rows()
    }
    assert len(found) == table.height
    return found


def assert_close(found, expected, *, rel=1e-12, abs=1e-14):
    """The same keys, nulls and infinities, and numbers that differ by rounding alone."""
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        if value is None or found[key] is None:
            assert found[key] is value, (key, found[key], value)
        else:
            assert math.isclose(found[key], value, rel_tol=rel, abs_tol=abs), (
                key,
                found[key],
                value,
            )


def assert_same_preferences(found, expected):
    """As `assert_close`, and the signs are the same: a tie is exactly 0."""
    assert_close(found, expected)
    wrong = {key: x for key, x in found.items() if oracle.sgn(x) != oracle.sgn(expected[key])}
    assert not wrong


def assert_identical(found, expected):
    """The same rows in the same order, bit for bit, and the same types."""
    assert found.schema == expected.schema
    for name in found.columns:
        a, b = found[name], expected[name]
        if a.dtype.is_float():
            a, b = a.reinterpret(signed=True), b.reinterpret(signed=True)
        assert a.to_list() == b.to_list(), name
