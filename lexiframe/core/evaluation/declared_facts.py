"""The declared form of the metadata of written results, which may have been edited."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, ReadError, check_choice, schemas
from lexiframe.core.evaluation.evaluation import CATALOGUES
from lexiframe.core.evaluation.options import Inference
from lexiframe.core.evaluation.written_tables import FOLDERS as FOLDERS
from lexiframe.core.evaluation.written_tables import ORDER as ORDER
from lexiframe.core.io import kept_results
from lexiframe.core.orderings import check_method, missing_requests
from lexiframe.core.pairwise import facts, fingerprints
from lexiframe.core.projection import Policies

_NOTHING = type(None)
_PLAIN = (str, int, float, bool, _NOTHING)
_SOURCE = {str: (*_PLAIN, list, dict)}
_FORMS: dict[str, Any] = {
    "measures": [str],
    "groups": [str],
    "runs": [_SOURCE],
    "qrels": [_SOURCE],
    "scores": [_SOURCE],
    "requests": [_SOURCE],
    "facts": {str: {str: (str, bool)}},
    "policies": {str: (*_PLAIN, dict)},
    "inference": {str: (*_PLAIN, list)},
    "missing": (str, _NOTHING),
    "lacking": {str: {str: (int, dict)}},
    "grades": (list, dict, _NOTHING),
    "reused": {str: int},
    "first_by_document_id": {str: (list, dict)},
    "weights": {str: (*_PLAIN, dict)},
    FOLDERS: {str: str},
    ORDER: [str],
}
"""The types of what readers of results look up: a list has elements of a type, a dictionary names
and values, and a tuple is a choice of types."""
_OF_WEIGHTS: dict[str, Any] = {
    "n": int, "n_effective": float, "share": float, "heaviest": str,
    "first_by_request": {str: [str]},
}  # fmt: skip
_OF_SOURCES = ("run", "path", "sha256")
_NEEDED = ("measures", "groups", "inference")
_INFERENCE = {"ordering", "test", "correction", "family", "alpha", "alternative", "trials", "seed",
              "baseline"}  # fmt: skip


def tables_of_evaluation(
    place: Path, paths: Mapping[str, Path], advice: str
) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    """Return tables that `Evaluation.write` wrote by their names, and their provenance."""
    read, facts = kept_results.tables_of_one("evaluation", place, paths, advice, _schema_of)
    try:
        refuse_undeclared(facts, {n: table for n, table in read.items() if n not in CATALOGUES})
    except LexiframeError as error:
        raise ReadError(f"{place}: {error}; {advice}") from None
    return read, facts


def _schema_of(name: str) -> schemas.TableSchema | None:
    """Return the schema of a table; ranks of an earlier version may lack some columns."""
    from lexiframe.core.evaluation.written_ranks import OF_EXPECTED, SCHEMA

    if name == kept_results.RANKS:
        columns = SCHEMA | OF_EXPECTED
        return schemas.TableSchema(name, ("run",), columns, optional=tuple(columns))
    if name == kept_results.FINGERPRINTS:
        return fingerprints.TABLE
    return getattr(schemas, name.upper(), None)


def refuse_undeclared(told: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> None:
    """Raise LexiframeError unless the metadata of an evaluation's tables have the declared form.

    The measures, groups and baseline that they name have to be in the ``tables``.
    """
    for name in _NEEDED:
        if name not in told:
            raise LexiframeError(f"expected {name} in the metadata, found none")
    for name, form in _FORMS.items():
        if name in told and not _has_form(told[name], form):
            raise LexiframeError(f"expected {name} in another form, found {told[name]!r:.80}")
    try:
        _refuse_values(told)
    except (TypeError, ValueError, OverflowError) as error:
        raise LexiframeError(f"expected metadata that can be used, found: {error}") from None
    _refuse_strangers(told, tables)


def _has_form(value: Any, form: Any) -> bool:
    if isinstance(form, list):
        return isinstance(value, list) and all(_has_form(one, form[0]) for one in value)
    if isinstance(form, dict):
        ((_, inner),) = form.items()
        return isinstance(value, dict) and all(_has_form(one, inner) for one in value.values())
    return isinstance(value, form)


def _refuse_values(told: Mapping[str, Any]) -> None:
    """Raise for names and numbers of settings that a user cannot choose."""
    inference = dict(told["inference"])
    if lacking := sorted(_INFERENCE - {*inference}):
        raise LexiframeError(f"expected {', '.join(lacking)} in inference, found none")
    check_method("evaluate", inference.pop("ordering"), "order")
    tests = inference.pop("test")  # one of the user's own may have any name
    if not tests or not _has_form([tests] if isinstance(tests, str) else tests, [str]):
        raise LexiframeError(f"expected names of tests, found {tests!r:.80}")
    if not isinstance(inference["baseline"], str | None):
        raise LexiframeError(f"expected the baseline to be a run, found {inference['baseline']!r}")
    Inference(**inference)
    if "policies" in told:
        of = {**told["policies"], "exclude": None}  # a checksum, which is not read
        each = [of]
        if told.get(FOLDERS):
            from lexiframe.core.projection import by_collection

            each = [by_collection.policies_apart(of, name) for name in told[FOLDERS]]
        for one in each:
            Policies(**one)
    if ORDER in told and {*told[ORDER]} != {*told.get(FOLDERS, {})}:
        raise LexiframeError(
            f"expected the order of all collections, found {told.get(ORDER)!r:.80}"
        )
    missing_requests.check_missing("evaluate", told.get("missing"))
    _refuse_records(told)


def _refuse_records(told: Mapping[str, Any]) -> None:
    """Raise where sources, lacking requests, grades or facts of measures have another form."""
    for source in (one for which in ("runs", "qrels", "scores") for one in told.get(which, [])):
        if not _has_form([source.get(name) for name in _OF_SOURCES], [(str, _NOTHING)]):
            raise LexiframeError(f"expected a file and its sha256, found {source!r:.80}")
    for of_measure in told.get("lacking", {}).values():
        if not _has_form(of_measure.get("runs"), {str: int}) or "requests" not in of_measure:
            raise LexiframeError(f"expected the requests that runs lack, found {of_measure!r:.80}")
    weights = told.get("weights", {})
    for of in weights.values() if FOLDERS in told else [weights]:
        by: dict[str, Any] = {"strata": str, "shares": {str: (int, float)}}
        forms = _OF_WEIGHTS | (by if "strata" in of else {"weights": str})
        stated = {"first_by_request": {}, **of}  # groups have none
        have_forms = (_has_form(stated.get(name), form) for name, form in forms.items())
        if "n_effective" in of and not all(have_forms):
            raise LexiframeError(f"expected the weights of requests, found {of!r:.80}")
    grades = told.get("grades") or []
    for some in grades.values() if isinstance(grades, dict) else [grades]:
        if not _has_form(some or [], [(int, float)]):
            raise LexiframeError(f"expected grades that are numbers, found {some!r:.80}")
    for known in facts.known_facts(told).values():
        if not _has_form([known.bounds, known.aggregate], [str]):
            raise LexiframeError(f"expected bounds and an aggregate as text, found {known!r:.80}")
        _ = known.mean_range, known.difference_range
        check_choice("evaluate", known.kind, ("metric", "preference"), "kind")


def _refuse_strangers(told: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> None:
    """Raise unless the metadata and the tables have the same measures, groups and baseline."""
    of_measures = [table for table in tables.values() if "measure" in table.columns]
    known = {name for table in of_measures for name in table["measure"].unique().to_list()}
    stated = {*facts.known_facts(told)}
    for which, names in {"measures": {*told["measures"]}, "facts": stated}.items():
        if not known <= names:
            raise LexiframeError(
                f"expected {which} of {min(map(str, known - names))} in the metadata, as the "
                "tables have it, found none"
            )
    unknown = [name for name in told["measures"] if name not in stated]
    if unknown:
        raise LexiframeError(f"expected known measures in the metadata, found {unknown[0]!r}")
    groups = [name for name in tables["means"].columns if name not in schemas.MEANS.columns]
    if groups != told["groups"]:
        raise LexiframeError(
            f"expected the groups of the tables in the metadata ({', '.join(groups) or 'none'}), "
            f"found {', '.join(told['groups']) or 'none'}"
        )
    baseline = told["inference"]["baseline"]
    if baseline is not None and baseline not in tables["means"]["run"].to_list():
        raise LexiframeError(f"expected the baseline among the runs, found {baseline!r}")
