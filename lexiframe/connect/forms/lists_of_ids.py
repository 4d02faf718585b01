"""Columns whose cells hold the ids of all documents of a query: each id becomes a row.

Ids stand in lists, perhaps beside lists of scores or grades, or in texts such as ``"d1 d2"``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from lexiframe.core.base import Problem, SchemaError, n_and_first, schemas
from lexiframe.core.io.column_forms.column_names import candidates_for, words_for
from lexiframe.core.io.columns import LISTS_OF_DISTANCES, LISTS_OF_IDS, LISTS_OF_SCORES, spelled
from lexiframe.core.io.problems.rows_as_written import Rows

_NEGATIVES = {"pos": "neg", "positive_ids": "negative_ids"}
"""Beside the documents that are relevant, those that are not, as data for training have them."""
_ROW = "\0row"  # no file has a column of this name
_TEXT_OF_LIST = r"""(?s)^\s*[\[{]\s*(['"].*['"]|[-+.eE\d]+([\s,]+[-+.eE\d]+)*)?\s*[\]}]\s*$"""
_OF_NUMPY = r"([\[{(,\s])np\.\w+\(([^()]*)\)"
_OPENS = r"""^\s*(?:[\w.]+\()?(?:[\[(]|\{\s*(?:['"]|[\d\s,]*\}))"""
_WRITTEN = r"""(?s)^\s*(?:\[+|[({])\s*((?:'[^']*'|"[^"]*"|[^'"\[\](){}])*)(?:\]+|[)}])\s*$"""
_POINTED = r"^\s*\[[\s\d.eE+-]*\d\.[\s\]]"  # [1. 2.], as numpy writes floats
_PART = r"""\s*'[^']*'|\s*"[^"]*"|[^,]+"""
_SEVERAL = r"""['",]"""  # [7] may be an id


def rows_of_ids(
    frame: pl.DataFrame, schema: schemas.TableSchema, where: str, columns: Mapping[str, str]
) -> pl.DataFrame:
    """Return a table with a row for each id in a column of ids; any other table unchanged.

    Lists of numbers beside the ids belong to the documents. Without scores the rank is the place in
    the list; without grades, ids in a column of relevant ones have grade 1. An empty list is a row
    of nulls.

    Examples
    --------
    >>> table = pl.DataFrame({"qid": ["1"], "retrieved_ids": [["b", "a"]], "relevant": [["a"]]})
    >>> rows_of_ids(table, schemas.RUNS, "t", {}).select("qid", "doc_id", "rank").rows()
    [('1', 'b', 1), ('1', 'a', 2)]
    >>> rows_of_ids(table, schemas.QRELS, "t", {}).select("qid", "doc_id", "relevance").rows()
    [('1', 'a', 1.0)]
    """
    name = _column_of_ids(frame, schema, where, columns)
    if name is None:
        return frame
    if schema.name == "qrels" and (negative := _NEGATIVES.get(name)) in frame.columns:
        better, worse = frame.drop(negative), frame.drop(name).rename({negative: name})
        both = [rows_of_ids(one, schema, where, columns) for one in (better, worse)]
        return pl.concat([both[0], both[1].drop_nulls("doc_id").with_columns(relevance=0.0)])
    ids = split_texts(frame[name], where)
    numbers = {ours: _others(candidates_for(words_for(ours, columns), frame.columns), name)
               for ours in ("score", "relevance", "rank")}  # fmt: skip
    beside_ids = list_of_scores(frame, columns) if schema.name == "runs" else None
    numbers["score"] += [beside_ids] if beside_ids else []
    of_schema = ("score", "rank") if schema.name == "runs" else ("relevance", "score")
    beside = [one for ours in of_schema for one in numbers[ours]]
    if beside and frame[name].dtype == pl.String and (ids.list.len() <= 1).all():
        return frame.rename({name: "doc_id"})  # a row for each document
    lists = {one: split_texts(frame[one], where) for one in beside if _is_list(frame[one])}
    for values in lists.values():
        _refuse_other_lengths(ids, values, where)
    plain = [one for one in beside if one not in lists]
    if schema.name == "runs" and plain:
        found = f"a list of documents and one {plain[0]}"
        advice = "leave the number out: then the rank of a document is its place in the list"
        raise SchemaError(Problem(where, "a score for each document", found, advice))
    _refuse_several_lists(frame, schema, where, columns)
    place = pl.int_ranges(1, ids.list.len() + 1, eager=True)
    added = {"rank": place} if schema.name == "runs" else {}
    is_ours = name in words_for("doc_id", columns)
    table = frame.with_columns(ids, *(c.alias(n) for n, c in lists.items()))
    table = table.with_columns(c.alias(n) for n, c in added.items() if not beside)
    many = [name, *lists, *(added if not beside else [])]
    table = table.explode(many, empty_as_null=True)
    if schema.name == "qrels" and not beside and not is_ours:
        table = table.with_columns(relevance=pl.when(table[name].is_not_null()).then(1.0))
    table = table.rename({beside_ids: "score"}) if beside_ids else table
    return table if is_ours else table.rename({name: "doc_id"})


def list_of_scores(frame: pl.DataFrame, columns: Mapping[str, str]) -> str | None:
    """Return the column of lists that are the scores of documents, if none is called as usual."""
    if candidates_for([*words_for("score", columns), *words_for("rank", columns)], frame.columns):
        return None
    words = spelled([*LISTS_OF_SCORES, *LISTS_OF_DISTANCES])
    return next((name for name in words if name in frame.columns and _is_list(frame[name])), None)


def are_distances(frame: pl.DataFrame, columns: Mapping[str, str]) -> bool:
    """Return whether the scores of documents are read from lists of distances."""
    return list_of_scores(frame, columns) in spelled(LISTS_OF_DISTANCES)


def unnested(
    rows: Rows, schema: schemas.TableSchema, where: str, columns: Mapping[str, str]
) -> Rows:
    """Return the rows of a file with one for each id, which has the place of its row."""
    table = rows.table.with_columns(pl.int_range(pl.len()).alias(_ROW))
    table = rows_of_ids(table, schema, where, columns)
    if table.height == rows.table.height and table.columns[:-1] == rows.table.columns:
        return rows
    of = table[_ROW]
    order, behind = (None if x is None else x.gather(of) for x in (rows.order, rows.behind))
    places = rows.places.gather(of)
    return replace(rows, table=table.drop(_ROW), places=places, order=order, behind=behind)


def _column_of_ids(
    frame: pl.DataFrame, schema: schemas.TableSchema, where: str, columns: Mapping[str, str]
) -> str | None:
    """Return the column of lists of ids, if it is one; raise if several could be it."""
    one = candidates_for(words_for("doc_id", columns), frame.columns)
    if one:
        lists = [name for name in one if _is_list(frame[name], _SEVERAL)]
        return lists[0] if len(one) == len(lists) == 1 else None
    several = [name for name in spelled(LISTS_OF_IDS.get(schema.name, [])) if name in frame.columns]
    several = [name for name in several if _is_list(frame[name]) or frame[name].dtype == pl.String]
    several = [name for name in several if name not in _NEGATIVES] or several
    if len(several) > 1:
        advice = f"say which: columns={{'doc_id': {several[0]!r}}}"
        raise SchemaError(Problem(where, "one column of documents", n_and_first(several), advice))
    return several[0] if several else None


def _is_list(column: pl.Series, some: str = "") -> bool:
    """Return whether the cells are lists of ids or numbers, and not of objects with fields.

    Texts of lists are lists if all are, and one has ``some`` in it.
    """
    kind = column.dtype
    if kind == pl.String and _plain(column.head(1)).str.contains(_TEXT_OF_LIST).any():
        texts = _plain(column)
        return bool(texts.str.contains(_TEXT_OF_LIST).all() and texts.str.contains(some).any())
    return isinstance(kind, pl.List | pl.Array) and not isinstance(kind.inner, pl.Struct)


def _plain(texts: pl.Series) -> pl.Series:
    """Return texts of lists, with NumPy's numbers and texts stripped of their types."""
    has_types = texts.str.contains("np.", literal=True) & texts.str.contains(_OPENS)
    plain = texts.str.replace_all(_OF_NUMPY, "$1$2") if has_types.any() else texts
    return plain.zip_with(has_types, texts)


def split_texts(column: pl.Series, where: str) -> pl.Series:
    """Return the list in each cell; texts are split at commas, ; or |, or else at blanks.

    Raise for a text that begins like a list, and has brackets or quotes inside its pieces.
    """
    if isinstance(column.dtype, pl.Array):
        return column.arr.to_list()
    if column.dtype != pl.String:
        return column
    texts = _plain(column)
    opens, inside = texts.str.contains(_OPENS), texts.str.extract(_WRITTEN)
    broken = column.filter(opens & (inside.is_null() | texts.str.contains(_POINTED)))
    if len(broken):
        expected, found = f"plain lists in {column.name}, such as ['d1', 'd2']", n_and_first(broken)
        advice = "give lists in place of texts, with the ids alone in them"
        raise SchemaError(Problem(where, expected, found, advice))
    texts = inside.zip_with(opens, texts)
    marks = [mark for mark in ",;|" if texts.str.contains(mark, literal=True).any()]
    parts = texts.str.extract_all(_PART.replace(",", marks[0] if marks else r"\s"))
    cleaned = parts.list.eval(pl.element().str.strip_chars("\n '\""))
    return cleaned.list.eval(pl.element().filter(pl.element() != ""))


def _others(names: list[str], taken: str) -> list[str]:
    return [name for name in names if name != taken]


def _refuse_several_lists(
    frame: pl.DataFrame, schema: schemas.TableSchema, where: str, columns: Mapping[str, str]
) -> None:
    """Raise for a request of a run with two lists: nothing says how they go together."""
    words = [words_for(ours, columns) for ours in ("run", "query_id")]
    found = [candidates_for(some, frame.columns) for some in words]
    keys = [one[0] for one in found if one and schema.name == "runs"]
    keys = [name for name in keys if not frame[name].dtype.is_nested()]
    twice = frame.select(keys).is_duplicated() if keys else pl.Series([False])
    if twice.any():
        shown = n_and_first(frame.filter(twice)[keys[-1]].unique(maintain_order=True))
        advice = "give one list for each, or name the runs in a column run"
        raise SchemaError(Problem(where, "one list of documents for each query", shown, advice))


def _refuse_other_lengths(ids: pl.Series, numbers: pl.Series, where: str) -> None:
    n_ids, n_numbers = (lists.list.len().fill_null(0) for lists in (ids, numbers))
    bad = (n_ids != n_numbers).arg_true()
    if len(bad):
        n, found = bad[0] + 1, (n_ids[bad[0]], n_numbers[bad[0]])
        raise SchemaError(
            f"{where}, row {n}: expected as many numbers in {numbers.name} as documents in "
            f"{ids.name}, found {found[1]} and {found[0]}"
        )
