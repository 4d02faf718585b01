"""Objects with the rankings or judgments of all queries, recognised by their fields.

`DOCUMENTS` has what tools write as JSON: a form of it is a row there. All but the names of the
fields is alike: queries by their ids or in a list, in each of them documents in a list or by their
ids, and perhaps numbers beside them. In memory people also have lists and sets of documents by
their queries, and tables by columns or by rows.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from lexiframe.connect.forms.exam_grades import columns_of_grades
from lexiframe.core.base import Problem, SchemaError, n_and_first, warn
from lexiframe.core.io.column_forms.column_names import CHANGED_PLACES
from lexiframe.core.io.column_forms.numbers import NUMBER
from lexiframe.core.io.column_forms.objects import is_one_run, to_frame
from lexiframe.core.io.columns import KNOWN_NAMES, LISTS_OF_IDS
from lexiframe.core.io.text.json_values import load_json


class Part(NamedTuple):
    """Where the rankings, or the judgments, stand.

    ``queries`` is the field of all queries, ``query`` the one that names a query in a list,
    ``items`` the one with its documents, ``document`` the one that names a document in a list, and
    ``number`` the one with its score or grade; a dot leads into a field. Empty where there is no
    such field: queries and documents may be names, and a document may stand for itself. With
    ``has_unrated``, documents without a grade are listed too, and are no judgments.
    """

    queries: str
    query: str = ""
    items: str = ""
    document: str = ""
    number: str = ""
    has_unrated: bool = False


class DocumentForm(NamedTuple):
    """A form of a tool's documents, recognised by the fields that its parts name.

    ``opened`` takes away what the tool puts around it, ``doubt`` says what the judgments lack, and
    ``columns`` reads them where they stand deeper than parts say.
    """

    tool: str
    rankings: Part | None
    judgments: Part | None
    opened: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda document: document
    doubt: str = ""
    columns: Callable[[bytes, str], dict[str, list[Any]]] | None = None


def _only_answer(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the judgment list in an answer to a search for it; raise if there are several."""
    hits = _at(document, "hits.hits")
    found = [_at(hit, "_source") for hit in hits] if isinstance(hits, list) else []
    lists = [one for one in found if _at(one, "judgmentRatings") is not None]
    if len(lists) > 1:
        names = n_and_first([one.get("name") for one in lists])
        advice = "give the _source of one of them, or one file for each"
        raise SchemaError(Problem("judgments", "one judgment list of OpenSearch", names, advice))
    return lists[0] if lists else document


def _keyed_by_text(snapshot: Mapping[str, Any]) -> Mapping[str, Any]:
    """Name the queries of a snapshot by their texts, as Quepid's files of ratings do."""
    docs, queries = snapshot.get("docs"), snapshot.get("queries")
    if not (isinstance(docs, Mapping) and isinstance(queries, list)):
        return snapshot
    with_text = (one for one in queries if isinstance(_at(one, "query_text"), str))
    texts = {str(one.get("query_id")): one["query_text"] for one in with_text}
    return {**snapshot, "docs": {texts.get(query, query): of for query, of in docs.items()}}


EXAM_GRADES = DocumentForm(
    "grades of RUBRIC or EXAM++", None, Part("exam_grades"), columns=columns_of_grades
)


def _by_query(document: Mapping[str, Any], kind: Any) -> Mapping[str, Any]:
    """Return sets or lists of documents, perhaps with numbers, as a tool would write them."""
    given = {q: of.tolist() if isinstance(of, np.ndarray) else of for q, of in document.items()}
    if not _hold_documents(given, kind):
        return {}
    lists = {q: sorted(of, key=str) if kind is Set else of for q, of in given.items()}
    return {"queries": {query: _item_fields(of) for query, of in lists.items()}}


def _item_fields(documents: Any) -> list[dict[str, Any]]:
    """Return documents with their scores or grades; one without documents says that it has none."""
    pairs = [one if isinstance(one, list | tuple) else (one, None) for one in documents]
    found = [
        {"id": one, "score": x, "grade": 1 if x is None else x} for one, x in pairs or [(None,) * 2]
    ]
    return found if pairs else [{"id": None}]


def _hold_documents(document: Mapping[str, Any], kind: Any) -> bool:
    """Return whether all values are lists of documents, whose ids may look like paths."""
    held = [*document.values()]
    if not all(isinstance(of, kind) for of in held) or not any(held):
        return False
    ids = [one[0] if _is_pair(one) else one for of in held for one in of]
    return all(isinstance(one, str | Integral) and not isinstance(one, bool) for one in ids)


def _hits(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the hits of search engines for each query, in the form of a tool.

    A hit has its document in ``_id`` or ``id``, and perhaps its score, which Vespa calls relevance.
    """
    if _hit_list(next(iter(document.values()), None)) is None:  # as mostly: a run has many queries
        return {}
    found = {query: _hit_list(of) for query, of in document.items()}
    every: list[Any] = [one for of in found.values() for one in (of if of is not None else [of])]
    if not every or not all(isinstance(one, Mapping) and {"_id", "id"} & {*one} for one in every):
        return {}
    name = "_id" if "_id" in every[0] else "id"
    scores, grades = _SCORES + KNOWN_NAMES["relevance"], KNOWN_NAMES["relevance"] + _SCORES
    score, grade = (next((n for n in names if n in every[0]), "") for names in (scores, grades))
    return {"queries": {query: [
        {"id": one.get(name), "score": one.get(score), "grade": one.get(grade, 1)} for one in of
    ] or [{"id": None}] for query, of in found.items()}}  # fmt: skip


def _hit_list(answer: Any) -> Any:
    """Return the hits in an answer, which Elasticsearch wraps; None where there are none."""
    wrapped = (answer, _at(answer, "hits"), _at(answer, "hits.hits"))
    return next((one for one in wrapped if isinstance(one, list | tuple)), None)


def _answers(document: Any) -> Any:
    """Return answers by the query's id, of ``[{"query": {"id": ...}, "results": [...]}]``."""
    several = [document] if isinstance(document, Mapping) else document
    first = several[0] if isinstance(several, list | tuple) and several else None
    items = next((name for name in _RESULTS if isinstance(_at(first, name), list)), "")
    query = next((name for name in _QUERY_IDS if _at(first, f"query.{name}") is not None), "")
    if not (items and query):
        return document
    ids, lists = ([_at(one, path) for one in several] for path in (f"query.{query}", items))
    if not all(isinstance(one, str | int) for one in ids) or None in map(_hit_list, lists):
        return document
    if twice := [one for one, n in Counter(ids).items() if n > 1]:
        raise SchemaError(Problem("answers", "one for each query", f"two for {n_and_first(twice)}"))
    return {query: [*map(_plain, of)] for query, of in zip(ids, lists, strict=True)}


def _plain(item: Any) -> Any:
    """Return a document without the fields that have fields themselves, such as its text."""
    is_item = isinstance(item, Mapping)
    return {n: x for n, x in item.items() if not isinstance(x, Mapping)} if is_item else item


def _is_pair(one: Any) -> bool:
    """Return whether something is a document with its number."""
    is_two = isinstance(one, list | tuple) and len(one) == 2
    return is_two and isinstance(one[1], Real) and not isinstance(one[1], bool)


_BEGINS_WITH_RUN = re.compile(rb'\s*\{(\s*"(?:[^"\\]|\\.)*"\s*:\s*[{\[]){2}')
_BY_QUERY = Part("queries", "", "", "id", "score")
_IN_QUERIES = Part("queries", "query_text", "ratings")
_QUESTIONS = Part("questions", "id", "documents")
_SCORES, _RESULTS = ["_score", "score"], ("results", "candidates", "hits")
_QUERY_IDS = ("id", *KNOWN_NAMES["query_id"])
_NESTED = re.compile(rb'"query"\s*:\s*\{')
_LISTED = re.compile(rb'"(results|candidates|hits)"\s*:\s*[\[{]')
DOCUMENTS = (
    DocumentForm(
        "OpenSearch's judgment list", None,
        Part("judgmentRatings", "query", "ratings", "docId", "rating"), _only_answer,
    ),
    DocumentForm("a request of _rank_eval", None,
                 Part("requests", "id", "ratings", "_id", "rating")),
    DocumentForm(
        "a response of _rank_eval",
        Part("details", "", "hits", "hit._id", "hit._score"),
        Part("details", "", "hits", "hit._id", "rating", has_unrated=True),
        doubt="it has the judgments of documents that were found; those of others are in the "
        "request, and recall and ideal rankings need them",
    ),
    DocumentForm("a snapshot of Quepid", Part("docs", document="id"), _IN_QUERIES, _keyed_by_text),
    DocumentForm("Quepid's export of a case", None, _IN_QUERIES),
    DocumentForm("Quepid's ratings", None, Part("queries", "query", "ratings")),
    DocumentForm("BioASQ's questions", _QUESTIONS, _QUESTIONS),
    DocumentForm("hits of a search engine", _BY_QUERY, _BY_QUERY._replace(number="grade"), _hits),
    DocumentForm("lists of documents", _BY_QUERY, _BY_QUERY._replace(number="grade"),
                 partial(_by_query, kind=list | tuple)),
    DocumentForm("sets of documents, without an order", None, _BY_QUERY._replace(number="grade"),
                 partial(_by_query, kind=Set)),
)  # fmt: skip
TABLE = DocumentForm("a table by columns or by rows", None, None)
_OF_TOOLS = DOCUMENTS[:-3]


def form_of_document(document: Any) -> DocumentForm | None:
    """Return the form of an object; None if no form is known that has its fields."""
    document = _answers(document)
    if _is_table(document) or _rows_by_query(document):
        return TABLE
    forms = DOCUMENTS if isinstance(document, Mapping) else ()
    fitting = (
        form for form in forms if all(_queries(form.opened(document), p) for p in form[1:3] if p)
    )
    return next(fitting, None)


def form_of_text(data: bytes) -> tuple[DocumentForm, Any] | None:
    """Return the form of text in JSON, and its value; None for other text, and for its lines."""
    if data.lstrip().startswith(b"[") and b'"exam_grades"' in data:
        return EXAM_GRADES, data
    first = data[: data.find(b"\n") % (len(data) + 1)]  # the rest may be large, and is not copied
    is_lines = first.rstrip().endswith(b"}") and bool(data[len(first) : len(first) + 99].strip())
    fields = {part.queries for form in _OF_TOOLS for part in form[1:3] if part}
    is_nested = all(of.search(data, 0, 100_000) for of in (_NESTED, _LISTED))
    if not is_nested and (is_lines or not any(b'"%s"' % f.encode() in data for f in fields)):
        return None
    lines = [line for line in data.decode("utf-8", "replace").split("\n") if line.strip()]
    try:
        document = load_json(f"[{','.join(lines)}]" if is_lines else data.decode())
    except (ValueError, RecursionError):  # the reader of JSON says where it is broken
        return None
    form = form_of_document(document)
    return (form, document) if form in _OF_TOOLS or (form and is_nested) else None


def columns_of_document(
    form: DocumentForm, document: Any, where: str, *, is_run: bool
) -> dict[str, list[Any]]:
    """Return the columns of the rankings or the judgments; raise if the document has none.

    Documents without scores are ranked in their order; without grades they have grade 1.
    """
    document = _answers(document)
    if form is TABLE:
        rows = document if isinstance(document, list | tuple) else _rows_by_query(document)
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: [row.get(name) for row in rows] for name in names} or dict(document)
        lengths = {name: len(cells) for name, cells in columns.items()}
        if len({*lengths.values()}) > 1:
            found = ", ".join(f"{name} of {n}" for name, n in lengths.items())
            raise SchemaError(Problem(where, "columns of one length", found))
        return columns
    if form in DOCUMENTS[-3:]:
        _refuse_lists(document, where)
    part = form.rankings if is_run else form.judgments
    if part is None:
        found = f"{form.tool}, which has judgments alone"
        raise SchemaError(Problem(where, "rankings", found, CHANGED_PLACES, is_first=True))
    if form.columns is not None:
        return form.columns(document, where)
    rows = [*_item_rows(form.opened(document), part, is_run=is_run)]
    if not rows:
        raise SchemaError(Problem(where, "judgments", f"{form.tool} without any", is_first=True))
    query, item, rank, number = map(list, zip(*rows, strict=True))
    columns = {"query_id": query, "doc_id": item}
    if not is_run:
        if form.doubt:
            warn(f"{where}: {form.doubt}")
        return columns | {"relevance": number}
    has_scores = all(x is not None or place is None for place, x in zip(rank, number, strict=True))
    return columns | ({"score": number} if part.number and has_scores else {}) | {"rank": rank}


def _refuse_lists(lists: Mapping[str, Any], where: str) -> None:
    """Raise for lists of documents that have names of columns, and for numbers of some alone."""
    if {*lists} <= {*_ITEMS, *_LISTS, *_RESULTS}:
        found = f"names of columns: {', '.join(lists)}"
        advice = "add the column query_id, or write {query: [documents]}"
        raise SchemaError(Problem(where, "the query of each list of documents", found, advice))
    if len({_is_pair(one) for of in lists.values() for one in of}) > 1:
        expected = "a number with each document, or with none"
        raise SchemaError(Problem(where, expected, "documents with a number and without"))


def as_records(data: bytes, where: str, *, is_run: bool) -> bytes:
    """Return the records of text in a known form, as JSON; any other text unchanged."""
    if found := form_of_text(data):
        columns = columns_of_document(*found, where, is_run=is_run)
        rows = zip(*columns.values(), strict=True)
        return json.dumps([dict(zip(columns, row, strict=True)) for row in rows]).encode()
    runs = _runs_by_name(data) if is_run else {}
    tables = [
        _drop_gaps(to_frame(of, "score", f"{where}, run {name}")).with_columns(run=pl.lit(name))
        for name, of in runs.items()
    ]
    together = pl.concat(tables, how="diagonal_relaxed") if tables else pl.DataFrame()
    return json.dumps(together.to_dict(as_series=False)).encode() if tables else data


def _drop_gaps(table: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that have values; a run without documents has no scores."""
    return table.select(c for c in table if c.name == "doc_id" or c.null_count() < len(c))


def _runs_by_name(data: bytes) -> dict[str, Any]:
    """Return the runs of ``{run: {query: documents}}``; none for other text."""
    if not _BEGINS_WITH_RUN.match(data, 0, 10_000):
        return {}
    try:
        runs = load_json(data.decode())
    except (ValueError, RecursionError):  # as in `form_of_text`
        return {}
    return runs if not is_one_run(runs) and all(map(is_one_run, runs.values())) else {}


def _is_table(document: Any) -> bool:
    """Return whether an object is a table by columns or by rows, by the names that it has."""
    row = document[0] if isinstance(document, list | tuple) and document else document
    if not isinstance(row, Mapping) or not row:
        return False
    has_ids = all({*words} & {*row} for words in (KNOWN_NAMES["query_id"], _ITEMS + _LISTS))
    kinds = {isinstance(cells, list | tuple) for cells in row.values()}
    return has_ids and (row is not document or kinds == {True})


def _rows_by_query(document: Any) -> list[dict[str, Any]]:
    """Return the rows of ``{query: [{"doc_id": ..., "score": ...}]}``; none for another object."""
    lists = [*document.values()] if isinstance(document, Mapping) else []
    first = next((of[0] for of in lists if isinstance(of, list | tuple) and of), None)
    if not isinstance(first, Mapping) or not all(isinstance(of, list | tuple) for of in lists):
        return []
    rows = [{"query_id": query, **one} for query, of in document.items()
            for one in of or [{}] if isinstance(one, Mapping)]  # fmt: skip
    names = {name for row in rows for name in row} - {"query_id"}
    is_of_queries = names & {*_ITEMS} and not names & {*KNOWN_NAMES["query_id"]}
    return rows if is_of_queries and len(rows) >= sum(map(len, lists)) else []


_ITEMS = KNOWN_NAMES["doc_id"]
_LISTS = [name for names in LISTS_OF_IDS.values() for name in names]


def _item_rows(document: Any, part: Part, *, is_run: bool) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield query, document, rank, and score or grade; nulls for a query without an answer."""
    for query, items in _queries(document, part):
        if isinstance(items, Mapping):
            pairs = [*items.items()]
        else:  # Quepid lists rated documents that were not found behind those that were
            kept = [item for item in items if not _at(item, "rated_only")] if is_run else items
            ones = [None if is_run else 1] * len(kept)
            numbers = [_at(item, part.number) for item in kept] if part.number else ones
            pairs = [*zip([_at(item, part.document) for item in kept], numbers, strict=True)]
        for place, (item, x) in enumerate(pairs, 1):
            if x is not None or not part.has_unrated:
                is_text = isinstance(x, str) and re.match(NUMBER, x)
                rank = None if item is None else place
                yield query, item, rank, float(x) if is_text else x
        if is_run and not pairs:
            yield query, None, None, None


def _queries(document: Mapping[str, Any], part: Part) -> list[tuple[Any, Any]]:
    """Return the name of each query and its documents; nothing where these are not there."""
    found = document.get(part.queries)
    if part.query:
        every = found if isinstance(found, list) else []
        named = [(_at(one, part.query), _at(one, part.items)) for one in every]
    else:
        of_names = found if isinstance(found, Mapping) else {}
        named = [(name, _at(one, part.items)) for name, one in of_names.items()]
    are_known = all(query is not None and isinstance(of, list | Mapping) for query, of in named)
    return named if are_known else []


def _at(value: Any, path: str) -> Any:
    """Return the value of a field, into which dots lead; None where it is not there."""
    for name in path.split(".") if path else ():
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
