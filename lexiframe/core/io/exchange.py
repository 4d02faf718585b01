"""Converting runs and judgments to the objects of ir_measures, ranx and pytrec_eval."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import polars as pl

from lexiframe.core.base import LexiframeError, SchemaError, n_and_first, schemas, to_polars, typed
from lexiframe.core.io.one_run import RUNS_ALONE
from lexiframe.typing import Frame

T = TypeVar("T")


@typed
def to_ir_measures(table: Frame) -> dict[str, list[Any]] | list[Any]:
    """Convert runs to ir_measures' ``ScoredDoc``, or judgments to its ``Qrel``.

    Grades are ints if all grades of the table are whole, since ir_measures' provider pytrec_eval
    refuses floats; otherwise they are floats. Rows keep their order. But if a document is judged
    under several iterations, rows are sorted by grade: providers without subtopics use the last.

    Parameters
    ----------
    table
        Runs (``run, query_id, doc_id, score``) or judgments (``query_id, doc_id, relevance`` and
        perhaps ``iteration``) in any frame that exports Arrow.

    Returns
    -------
    dict of str to list of ir_measures.ScoredDoc, or list of ir_measures.Qrel
        For runs ``{run: [ScoredDoc, ...]}``; for judgments one list. A query that a run answered
        with an empty list has no items.

    Raises
    ------
    LexiframeError
        When ir_measures is not installed.
    SchemaError
        When the table holds neither, a number is missing, or a document occurs more than once in a
        ranking or in the judgments of a query and iteration.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = lf.read_runs({"baseline": "data/example/runs/random.run"})
    >>> lf.to_ir_measures(runs)["baseline"][0]
    ScoredDoc(query_id='q0066', doc_id='d0145', score=0.9968)
    """
    library = _library("ir_measures", "interop")
    rows = _runs_or_qrels(table)
    if "run" in rows.columns:
        return _convert_runs(rows, lambda run: _tuples(run, library.ScoredDoc))
    if rows.select("query_id", "doc_id").is_duplicated().any():
        rows = rows.sort("relevance", maintain_order=True)
    return _tuples(rows.with_columns(_whole_where_possible(rows["relevance"])), library.Qrel)


@typed
def to_ranx(table: Frame) -> Any:
    """Convert runs to ``ranx.Run``, or judgments to ``ranx.Qrels``.

    ranx has whole grades only (it would cut 1.5 down to 1), and grades below 1 are not relevant, as
    in lexiframe. It leaves documents with equal scores in an arbitrary order; lexiframe and
    trec_eval order them by their ids.

    Parameters
    ----------
    table
        As for `to_ir_measures`.

    Returns
    -------
    dict of str to ranx.Run, or ranx.Qrels
        For runs ``{run: Run}``, each with its name. A query that was answered with an empty list
        has no items; if all were, the ``Run`` is empty. For judgments one object, in which a
        document has its greatest grade over all iterations.

    Raises
    ------
    LexiframeError
        When ranx is not installed.
    SchemaError
        Where `to_pytrec_eval` raises it.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = lf.read_runs("data/example/runs/random.run")
    >>> lf.to_ranx(runs)["random"].name  # doctest: +SKIP
    'random'
    """
    library = _library("ranx", "peers")
    rows = _runs_or_qrels(table)
    if "run" not in rows.columns:
        return library.Qrels(_greatest_grades(rows) or None)
    runs = _convert_runs(rows, lambda run: _nested(run, "score"))
    # ranx computes the length of the longest id, and fails if all lists are empty
    return {
        name: library.Run(run if any(run.values()) else None, name=name)
        for name, run in runs.items()
    }


@typed
def to_pytrec_eval(table: Frame) -> dict[str, Any]:
    """Convert runs or judgments to the dictionaries that pytrec_eval, ranx and others take.

    Parameters
    ----------
    table
        As for `to_ir_measures`.

    Returns
    -------
    dict
        For runs ``{run: {query: {document: score}}}``; a query that was answered with an empty list
        has an empty dictionary, which pytrec_eval scores 0. For judgments
        ``{query: {document: grade}}`` with whole grades; a document has its greatest grade over all
        iterations.

    Raises
    ------
    SchemaError
        When the table holds neither, a grade is not whole, a number is missing, or a document
        occurs more than once in a ranking or in the judgments of a query and iteration.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = lf.read_runs({"baseline": "data/example/runs/random.run"})
    >>> lf.to_pytrec_eval(runs)["baseline"]["q0066"]["d0145"]
    0.9968
    """
    rows = _runs_or_qrels(table)
    if "run" not in rows.columns:
        return _greatest_grades(rows)
    return _convert_runs(rows, lambda run: _nested(run, "score"))


def _library(name: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise LexiframeError(
            f"{name} is not installed; it comes with the extra {extra}: "
            f"pip install 'lexiframe[{extra}]'"
        ) from None


def _runs_or_qrels(table: Any) -> pl.DataFrame:
    """Check a table of runs or judgments; tables with the columns run and score are runs."""
    rows = to_polars(table)
    is_runs = {"run", "score"} <= set(rows.columns)
    if not is_runs and "relevance" not in rows.columns:
        raise SchemaError(
            "expected runs (run, query_id, doc_id, score) or judgments (query_id, doc_id, "
            f"relevance), found the columns {', '.join(rows.columns)}"
        )
    if not is_runs and "iteration" not in rows.columns:
        rows = rows.with_columns(iteration=pl.lit("0"))
    schema = RUNS_ALONE if is_runs else schemas.QRELS
    rows = schemas.check(rows, schema)
    items = _items(rows)
    _refuse_null_items(items, schema)
    _refuse_repeated(items, schema)
    return rows


def _items(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out rows without a document, which stand for queries answered with an empty list."""
    return rows.filter(pl.col("doc_id").is_not_null())


def _refuse_null_items(items: pl.DataFrame, schema: schemas.TableSchema) -> None:
    number = "score" if schema is RUNS_ALONE else "relevance"
    gaps = items.filter(pl.col(number).is_null() | pl.col(number).is_nan())
    if gaps.height:
        raise SchemaError(
            f"{schema.name}: {gaps.height} rows have no number as {number}, the first for query "
            f"{gaps['query_id'][0]!r} and document {gaps['doc_id'][0]!r}; no library accepts that"
        )


def _refuse_repeated(items: pl.DataFrame, schema: schemas.TableSchema) -> None:
    twice = items.filter(items.select(schema.key).is_duplicated())
    if twice.height:
        raise SchemaError(
            f"{schema.name}: the document {twice['doc_id'][0]!r} occurs more than once for query "
            f"{twice['query_id'][0]!r} ({twice.height} such rows in all); a dictionary would keep "
            "only one of them, so leave one out first"
        )


def _convert_runs(rows: pl.DataFrame, convert: Callable[[pl.DataFrame], T]) -> dict[str, T]:
    parts = rows.partition_by("run", maintain_order=True, include_key=True)
    return {part["run"][0]: convert(part) for part in sorted(parts, key=lambda p: str(p["run"][0]))}


def _tuples(rows: pl.DataFrame, kind: Any) -> list[Any]:
    return [kind(*row) for row in _items(rows).select(kind._fields).iter_rows()]


def _nested(rows: pl.DataFrame, value: str) -> dict[str, dict[str, Any]]:
    """Return ``{query: {document: value}}``, queries and documents in the order of the rows."""
    lists = rows.group_by("query_id", maintain_order=True).agg(
        pl.col("doc_id", value).filter(pl.col("doc_id").is_not_null())
    )
    return {
        query: dict(zip(documents, values, strict=True))
        for query, documents, values in lists.select("query_id", "doc_id", value).iter_rows()
    }


def _greatest_grades(judged: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Return the greatest grade of each document; raise if a grade is not a whole number."""
    whole = judged["relevance"].cast(pl.Int64, strict=False)
    broken = judged.filter((whole != judged["relevance"]).fill_null(value=True))
    if broken.height:
        raise SchemaError(
            f"qrels: pytrec_eval and ranx take whole grades only, found "
            f"{n_and_first(broken['relevance'].unique(maintain_order=True))}, the first for query "
            f"{broken['query_id'][0]!r} and document {broken['doc_id'][0]!r}; nothing is rounded, "
            "so choose whole grades yourself"
        )
    grades = judged.with_columns(whole.alias("relevance"))
    key = ["query_id", "doc_id"]
    return _nested(grades.group_by(key, maintain_order=True).agg(pl.max("relevance")), "relevance")


def _whole_where_possible(grades: pl.Series) -> pl.Series:
    whole = grades.cast(pl.Int64, strict=False)
    return whole if (whole == grades).fill_null(value=False).all() else grades
