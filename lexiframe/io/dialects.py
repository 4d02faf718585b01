"""The names that columns have in other libraries, and the columns of ours that they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import polars as pl

from lexiframe.errors import SchemaError, first_three, nearest
from lexiframe.io.places import LineNumbers, place_of_row
from lexiframe.schemas import TableSchema, check

DIALECTS = {
    "run": "run name system tag model".split(),
    "query_id": "query_id qid q_id query query-id topic user_id user".split(),
    "doc_id": "doc_id docno docid doc item_id item corpus-id".split(),
    "score": "score sim prediction".split(),
    "rank": ["rank"],
    "relevance": "relevance label rel grade gain rating".split(),
    "iteration": "iteration subtopic subtopic_id q0".split(),
}
# PyTerrier's frames carry the query's text as `query` and its own numbers of documents as `docid`.
_OWN_MEANING = {frozenset({"qid", "query"}): "qid", frozenset({"docno", "docid"}): "docno"}
_FALLBACK = {"relevance": ["score"]}
_RECBOLE_TYPES = ("token", "token_seq", "float", "float_seq")


def in_our_words(
    frame: pl.DataFrame,
    schema: TableSchema,
    where: str,
    columns: Mapping[str, str] | None = None,
    needless: Sequence[str] = (),
) -> pl.DataFrame:
    """Give the columns of a table under lexiframe's names; lists of items become rows.

    Parameters
    ----------
    frame
        With any of the names in ``DIALECTS``.
    schema
        The table: its columns are looked for.
    where
        What error messages call the frame.
    columns
        ``{our name: the frame's name}``, for what is called otherwise or is ambiguous; a renaming
        ``{the frame's name: our name}`` is understood too.
    needless
        Columns that need not be there.

    Raises
    ------
    SchemaError
        For a column that is not there, and for two that could be it.
    """
    frame = _without_types_in_names(with_rows_of_lists(frame, where), where)
    given = _given_columns(frame, schema, where, columns or {})
    taken = set(given.values())
    found = dict(given)
    for ours in schema.columns:
        if ours not in found:
            name = _column(ours, [c for c in frame.columns if c not in taken], where)
            found |= {ours: name} if name is not None else {}
    found_by_name = {ours: name for ours, name in found.items() if ours not in given}
    _refuse_other_table(frame.columns, found_by_name | dict.fromkeys(given, ""), schema, where)
    missing = [c for c in schema.columns if c not in {*found, *schema.optional, *needless}]
    if missing:
        raise SchemaError(_missing(missing, schema, frame.columns, where))
    return frame.select(pl.col(theirs).alias(ours) for ours, theirs in found.items())


def _refuse_other_table(
    names: Sequence[str], found: Mapping[str, str], schema: TableSchema, where: str
) -> None:
    """Recognise runs that are given as qrels, and qrels that are given as runs."""
    columns = {ours: candidates_for(words, names) for ours, words in DIALECTS.items()}
    is_ranking = bool(columns["rank"] or columns["run"]) and found.get("relevance") == "score"
    if schema.name == "qrels" and is_ranking:
        other = [*columns["run"], *columns["rank"]]
        raise SchemaError(
            f"{where}: expected judgments, found the columns score and {other[0]}: this looks like "
            "a run, given as qrels; qrels and runs may have changed places. If score is the grade, "
            "say so: columns={'relevance': 'score'}"
        )
    if schema.name == "runs" and not {"score", "rank"} & set(found) and columns["relevance"]:
        raise SchemaError(
            f"{where}: expected the column score, found {columns['relevance'][0]}: this looks like "
            "qrels, given as a run; qrels and runs may have changed places"
        )


def candidates_for(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """Give the names that are among the words; where a library has two, the one that it means.

    Examples
    --------
    >>> candidates_for(DIALECTS["query_id"], ["qid", "query", "docno"])
    ['qid']
    """
    candidates = [word for word in words if word in names]
    for several, meant in _OWN_MEANING.items():
        if several <= set(candidates):
            candidates = [c for c in candidates if c == meant or c not in several]
    return candidates


def _column(ours: str, names: Sequence[str], where: str) -> str | None:
    """Find the frame's column for one of ours."""
    for known in (DIALECTS.get(ours, [ours]), _FALLBACK.get(ours, [])):
        candidates = candidates_for(known, names)
        if len(candidates) > 1:
            raise SchemaError(
                f"{where}: {' and '.join(candidates)} could each be {ours}; say which it is: "
                f"columns={{{ours!r}: {candidates[0]!r}}}"
            )
        if candidates:
            return candidates[0]
    return None


def _missing(missing: list[str], schema: TableSchema, names: Sequence[str], where: str) -> str:
    ours = missing[0]
    known = DIALECTS.get(ours, [ours])
    others = [n for n in names if not any(n in words for words in DIALECTS.values())]
    candidate = next(iter(nearest(others, known, cutoff=0.7)), "...")
    needed = ", ".join(c for c in schema.columns if c not in schema.optional)
    verb = "is" if len(missing) == 1 else "are"
    return (
        f"{where}: expected the columns {needed}; {', '.join(missing)} {verb} missing "
        f"(found: {', '.join(names)}). {ours} may be called {', '.join(known)}, or say which "
        f"column it is: columns={{{ours!r}: {candidate!r}}}"
    )


def _given_columns(
    frame: pl.DataFrame, schema: TableSchema, where: str, columns: Mapping[str, str]
) -> dict[str, str]:
    given = {}
    for key, other in columns.items():
        is_rename = other in schema.columns and (
            key not in schema.columns or other not in frame.columns
        )
        ours, theirs = (other, key) if is_rename else (key, other)
        if ours not in schema.columns:
            known = ", ".join(schema.columns)
            raise SchemaError(f"columns: expected names of ours ({known}), found {ours!r}")
        if theirs not in frame.columns:
            found = ", ".join(frame.columns)
            raise SchemaError(
                f"{where}: columns names {theirs!r}, which is not there (found: {found})"
            )
        given[ours] = theirs
    return given


def _without_types_in_names(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """Take RecBole's types out of the names: ``user_id:token`` is ``user_id``."""
    parts = {name: name.rpartition(":") for name in frame.columns}
    names = {n: p[0] if p[0] and p[2] in _RECBOLE_TYPES else n for n, p in parts.items()}
    twice = [name for name, n in Counter(names.values()).items() if n > 1]
    if twice:
        raise SchemaError(
            f"{where}: two columns are called {twice[0]!r}, apart from a type behind a colon; "
            "rename one"
        )
    return frame.rename(names)


def with_rows_of_lists(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """Give a row an item where a column has lists of items; an empty list gives a row of nulls."""
    lists = [
        name
        for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.List) and isinstance(dtype.inner, pl.Struct)
    ]
    if not lists:
        return frame
    if len(lists) > 1:
        raise SchemaError(
            f"{where}: expected one column of lists of items, found {first_three(lists)}"
        )
    fields = [field.name for field in frame.schema[lists[0]].inner.fields]  # type: ignore[attr-defined]
    twice = [name for name in fields if name in frame.columns and name != lists[0]]
    if twice:
        raise SchemaError(f"{where}: {twice[0]} is a column and a field of {lists[0]}; rename one")
    return frame.explode(lists[0], empty_as_null=True).unnest(lists[0])


def checked_ids(
    table: pl.DataFrame, schema: TableSchema, where: str, lines: LineNumbers | None = None
) -> pl.DataFrame:
    """Check columns and types, and that no id is empty; ``lines`` numbers the lines of text.

    Raises
    ------
    SchemaError
        As `check`, and for an id that is the empty string.
    """
    table = check(table, schema, where)
    for name in schema.key:
        if name not in table.columns or table[name].dtype != pl.String:
            continue
        empty = (table[name] == "").arg_true()
        if len(empty):
            place = place_of_row(int(empty[0]), table.height, lines)
            raise SchemaError(
                f"{where}, {place}: expected an id as {name}, found an empty one "
                f"({len(empty)} such rows); give it an id, or leave the row out"
            )
    return table


def whole_ranks(ranks: pl.Series) -> pl.Series:
    """Turn ranks written as 1 or 1.0 into integers; null where one is no whole number."""
    numbers = ranks.cast(pl.Float64, strict=False)
    is_whole = numbers.is_finite() & (numbers == numbers.round())
    return numbers.set(~is_whole.fill_null(value=False), None).cast(pl.Int64, strict=False)
