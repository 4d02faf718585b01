"""The names that other libraries use for columns, and which of our columns each one means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lexiframe.core.base import (
    LexiframeError,
    Problem,
    SchemaError,
    errors,
    printed,
    schemas,
    shown,
)
from lexiframe.core.io.columns import FALLBACK_NAMES, KNOWN_NAMES, NAMES, TIMES

CHANGED_PLACES = "qrels and runs may have changed places"
RIGHT_ORDER = f"{CHANGED_PLACES}: functions take (runs, qrels), the command line QRELS RUN..."
"""The advice where nothing but the order of two arguments says which are the runs."""
# PyTerrier's frames carry the query's text as `query` and its own numbers of documents as `docid`.
_OWN_MEANING = {frozenset({"qid", "query"}): "qid", frozenset({"docno", "docid"}): "docno"}
_IDS = ("query_id", "doc_id")
"""Our names of ids, beside which others name something else: the user of a query, a passage."""
_OTHER_SPELLINGS = {name for names in KNOWN_NAMES.values() for name in names} - {
    word for words in NAMES.values() for word in words
}
_COMPARED = 1000  # at most this many names are compared with ours, since each takes time
_RECBOLE_TYPES = ("token", "token_seq", "float", "float_seq")


def words_for(ours: str, columns: Mapping[str, str]) -> list[str]:
    """Return the possible names of one of our columns, first the names in ``columns=``."""
    both_ways = [*columns.items(), *((b, a) for a, b in columns.items())]
    return [*(b for a, b in both_ways if a == ours), *KNOWN_NAMES.get(ours, [ours])]


def items_of_implicit_feedback(names: Sequence[str], columns: Mapping[str, str]) -> str | None:
    """Return the column of items if there are users and items, and no grades; else None.

    A time may stand beside them. Any other column may be a grade by a name that is not known here.

    Examples
    --------
    >>> items_of_implicit_feedback(["user_id:token", "item_id:token", "timestamp:float"], {})
    'item_id:token'
    >>> items_of_implicit_feedback(["user", "item", "judgement"], {}) is None
    True
    """
    plain = {name.partition(":")[0]: name for name in names}
    items = [name for word, name in plain.items() if word in words_for("doc_id", columns)]
    queries = {*words_for("query_id", columns)} & {*plain}
    known = {*queries, *words_for("doc_id", columns), *words_for("iteration", columns), *TIMES}
    return items[0] if queries and len(items) == 1 and {*plain} <= known else None


def columns_of(
    names: Sequence[str], schema: schemas.TableSchema, where: str, columns: Mapping[str, str]
) -> dict[str, str]:
    """Find the columns of a schema among the names in a table: ``{our name: the table's name}``.

    Raise SchemaError for a missing column, for two columns that fit equally well, and for two of
    one name. The column ``run`` may be missing, and so may the score of a run that has ranks.
    """
    written = _untyped_names(names, where)
    given = _given_columns([*written], schema, where, columns)
    free = [name for name in written if name not in given.values()]
    by_name = {
        ours: name
        for ours in schema.columns
        if ours not in given and (name := _file_column(ours, free, where)) is not None
    }
    found = given | by_name
    # If the user says that score is the grade, its name does not make the table a run.
    _refuse_other_table([*written], found | dict.fromkeys(given, ""), schema, where)
    needless = {*schema.optional, "run"}
    if schema is schemas.RUNS and "rank" in found:
        needless.add("score")
    missing = [c for c in schema.columns if c not in {*found, *needless}]
    if missing:
        raise _missing_columns(missing, schema, [*written], where)
    wanted = {*found.values()}
    schemas.refuse_twins_among(
        [name.rstrip(schemas.TWIN) for name in names if name.rstrip(schemas.TWIN) in wanted], where
    )
    return {ours: written[theirs] for ours, theirs in found.items()}


def _refuse_other_table(
    names: Sequence[str], found: Mapping[str, str], schema: schemas.TableSchema, where: str
) -> None:
    """Raise when a run is given as qrels, or qrels are given as a run."""
    columns = {ours: candidates_for(words, names) for ours, words in KNOWN_NAMES.items()}
    is_ranking = bool(columns["rank"] or columns["run"]) and found.get("relevance") == "score"
    if schema.name == "qrels" and is_ranking:
        other = [*columns["run"], *columns["rank"]]
        found_here = f"the columns score and {other[0]}: this looks like a run, given as qrels"
        hint = "If score is the grade, say so: columns={'relevance': 'score'}"
        raise SchemaError(Problem(where, "judgments", found_here, f"{CHANGED_PLACES}. {hint}"))
    if schema.name == "runs" and not {"score", "rank"} & set(found) and columns["relevance"]:
        grade = columns["relevance"][0]
        found_here = f"{grade}: this looks like qrels, given as a run"
        hint = f"If {grade} is what a system predicts, say so: columns={{'score': {grade!r}}}"
        problem = Problem(where, "the column score", found_here, f"{CHANGED_PLACES}. {hint}")
        raise SchemaError(problem)
    if schema.name == "qrels" and columns["rank"] and not {"relevance"} & set(found):
        found_here = "the column rank and no grade: this looks like a run, given as qrels"
        raise SchemaError(Problem(where, "judgments", found_here, CHANGED_PLACES))


def candidates_for(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the words that occur among the names, without names of another meaning in PyTerrier.

    An id that is called as we call it is the only one.

    Examples
    --------
    >>> candidates_for(KNOWN_NAMES["query_id"], ["qid", "query", "docno"])
    ['qid']
    >>> candidates_for(KNOWN_NAMES["query_id"], ["user_id", "query_id", "item"])
    ['query_id']
    """
    there = {*names}
    candidates = [word for word in words if word in there]
    candidates = [c for c in candidates if c not in _OTHER_SPELLINGS] or candidates
    if candidates and candidates[0] in _IDS:
        return candidates[:1]
    for several, own in _OWN_MEANING.items():
        if several <= set(candidates):
            candidates = [c for c in candidates if c == own or c not in several]
    return candidates


def columns_among(
    words: Mapping[str, Sequence[str]], names: Sequence[str], where: str
) -> dict[str, str]:
    """Map our names to the column that is called by one of their words; raise if several are."""
    found = {ours: candidates_for(known, names) for ours, known in words.items()}
    for ours, candidates in found.items():
        if len(candidates) > 1:
            raise SchemaError(
                f"{where}: the columns {' and '.join(candidates)} could each be the {ours}; "
                "drop or rename the others"
            )
    return {ours: candidates[0] for ours, candidates in found.items() if candidates}


def _file_column(ours: str, names: Sequence[str], where: str) -> str | None:
    """Find the column that we call ``ours``; return None if there is none."""
    groups = KNOWN_NAMES.get(ours, [ours]), FALLBACK_NAMES.get(ours, [])
    return first_of(ours, (candidates_for(known, names) for known in groups), where)


def first_of(ours: str, groups: Iterable[Sequence[str]], where: str) -> str | None:
    """Return the column in the first group of columns that there are; raise if it has several."""
    for candidates in groups:
        if len(candidates) > 1:
            advice = f"say which it is: columns={{{ours!r}: {candidates[0]!r}}}"
            found = f"{' and '.join(candidates)} could each be {ours}"
            raise SchemaError(Problem(where, "", found, advice))
        if candidates:
            return candidates[0]
    return None


def _missing_columns(
    missing: list[str], schema: schemas.TableSchema, names: Sequence[str], where: str
) -> SchemaError:
    ours = missing[0]
    needed = ", ".join(c for c in schema.columns if c not in schema.optional)
    verb = "is" if len(missing) == 1 else "are"
    found = f"{', '.join(missing)} {verb} missing (found: {', '.join(names)})"
    advice = reader_of_answers(names) or (
        f"{ours} may be called {', '.join(NAMES.get(ours, [ours]))}, or say which column it is: "
        f"{columns_to_say(missing, names)}"
    )
    return SchemaError(Problem(where, f"the columns {needed}", found, advice, joints=("; ", ". ")))


def reader_of_answers(names: Sequence[str]) -> str:
    """Name the reader of answers judged by nuggets, if the columns hold such answers; else ""."""
    reader = printed.advice(python="read_nuggets", terminal="evaluate --nuggets")
    is_theirs = not {"nuggets", "nugget_bank", "assignment"}.isdisjoint(names)
    return f"{reader} reads answers judged by nuggets" * is_theirs


_ROOTS = {
    "query_id": "query topic question user request prompt session".split(),
    "doc_id": "doc passage item product article corpus movie song".split(),
}
"""Words in names of columns of ids; a name with a word of the other kind is never suggested."""
_NO_IDS = ("text", "title", "body", "content")
"""Words in names of columns that describe a query or a document, and are no id of it."""


def columns_to_say(missing: Sequence[str], names: Sequence[str]) -> str:
    """Suggest the argument ``columns=`` for missing columns, with their likely names in the table.

    Where no name is likely, dots stand for it. A column called id may be the number of a row. The
    only column without a meaning may be the numbers.

    Examples
    --------
    >>> columns_to_say(["query_id", "doc_id"], ["topic_id", "passage", "score"])
    "columns={'query_id': 'topic_id', 'doc_id': 'passage'}"
    >>> columns_to_say(["doc_id"], ["topic_id", "score"]), columns_to_say(["query_id"], ["id"])
    ("columns={'doc_id': '...'}", "columns={'query_id': '...'}")
    """
    known = {word for words in KNOWN_NAMES.values() for word in words}
    free = [name for name in names if name not in known][:_COMPARED]
    said = []
    for ours in missing:
        likely = _likely(ours, free)
        said.append(f"{ours!r}: {likely or '...'!r}")
        free = [name for name in free if name != likely]
    return f"columns={{{', '.join(said)}}}"


def _likely(ours: str, names: Sequence[str]) -> str | None:
    """Return the name that a column of ours is most likely to have."""
    folds = {name: name.casefold() for name in names}
    if ours not in _ROOTS:
        others = [n for n in names if not any(r in folds[n] for rs in _ROOTS.values() for r in rs)]
        alike = errors.nearest(others, NAMES.get(ours, [ours]), cutoff=0.7)
        only = [n for n in names if n in others and not any(word in folds[n] for word in _NO_IDS)]
        return next(iter([*alike, *(only if len(names) == 1 else [])]), None)
    elsewhere = [root for other, roots in _ROOTS.items() if other != ours for root in roots]
    ids = [n for n in names if not any(word in folds[n] for word in (*_NO_IDS, *elsewhere))]
    alike = errors.nearest([n for n in ids if folds[n] != "id"], NAMES[ours], cutoff=0.7)
    rooted = [name for name in ids if any(root in folds[name] for root in _ROOTS[ours])]
    return next(iter([*rooted, *alike]), None)


def _given_columns(
    names: Sequence[str], schema: schemas.TableSchema, where: str, columns: Mapping[str, str]
) -> dict[str, str]:
    given = {}
    for key, other in columns.items():
        # Users may write {theirs: ours}, as for DataFrame.rename; {ours: theirs} goes first.
        is_rename = other in schema.columns and (key not in schema.columns or other not in names)
        ours, theirs = (other, key) if is_rename else (key, other)
        if ours not in schema.columns:
            known = ", ".join(schema.columns)
            raise SchemaError(f"columns: expected lexiframe's names ({known}), found {ours!r}")
        if theirs not in names:
            found = f"columns names {theirs!r}, which is not there (found: {', '.join(names)})"
            raise SchemaError(Problem(where, "", found))
        given[ours] = theirs
    return given


def _untyped_names(names: Sequence[str], where: str) -> dict[str, str]:
    """Map names without RecBole's types to the full names: ``user_id`` to ``user_id:token``."""
    parts = {name: name.rpartition(":") for name in names}
    plain = {n: p[0] if p[0] and p[2] in _RECBOLE_TYPES else n for n, p in parts.items()}
    twice = [name for name, n in Counter(plain.values()).items() if n > 1]
    if twice:
        found = f"two columns are called {twice[0]!r}, apart from a type behind a colon"
        raise SchemaError(Problem(where, "", found, "rename one"))
    return {name: written for written, name in plain.items()}


def refuse_no_mapping(called: str, name: str, given: object) -> None:
    """Raise unless an argument is None or maps names to names."""
    if given is None:
        return
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise LexiframeError(
            f"{called}: expected {name} to map names, {{'run': 'engine'}}, found {shown(given)}"
        )
