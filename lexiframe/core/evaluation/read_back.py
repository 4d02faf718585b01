"""Reading the folders of `Evaluation.write`, to print, draw and report again: `read_results`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe import features
from lexiframe.core.base import LexiframeError, Problem, ReadError, typed
from lexiframe.core.base.feature import Collections, Items, Results
from lexiframe.core.evaluation.buckets.plan import KEPT
from lexiframe.core.evaluation.declared_facts import tables_of_evaluation
from lexiframe.core.evaluation.evaluated_data import Origin
from lexiframe.core.evaluation.evaluation import (
    ATTRIBUTES,
    CATALOGUES,
    REPLICATED,
    Evaluation,
    names_of_tables,
)
from lexiframe.core.evaluation.options import Asked, Inference
from lexiframe.core.evaluation.written_tables import FOLDERS, ORDER
from lexiframe.core.io import File, Tables, kept_results, output_files, scan_runs
from lexiframe.core.metrics import needed
from lexiframe.core.pairwise import PairCube, composition, measured
from lexiframe.core.projection import Policies, answers
from lexiframe.typing import FrameKind

_OPTIONAL = ("scores", "preferences")
"""Tables of single requests, which an evaluation in parts writes as folders, or not at all."""
AGAIN = "name a folder that Evaluation.write, or lexiframe evaluate --out, wrote"


@typed
def read_results(folder: str | Path, *, frames: FrameKind | None = None) -> Evaluation | Tables:
    """Read what `Evaluation.write` or `Leaderboard.write` wrote, to print, draw and report it.

    Parameters
    ----------
    folder
        The folder, also that of ``lexiframe evaluate --out`` and ``lexiframe leaderboard --out``.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    Evaluation or Leaderboard
        Of a leaderboard its tables and sentences. Of an evaluation, which may be that of several
        collections, all tables that were written, the baseline and the groups of requests.
        Functions of tables take it as they take any other. Rankings (for ``explain``, ``positions``
        and the report) are read from the runs and judgments where these are still there, as they
        were; the report goes without them where they are not. An evaluation in parts has its tables
        about runs and pairs, and in ``parts`` the folders that it kept.

    Raises
    ------
    ReadError
        When there is no such folder; when one of its files is missing, damaged, of another
        evaluation, or not of this library.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "AP"])
    >>> paths = e.write(getfixture("tmp_path") / "results")
    >>> again = lf.read_results(paths[0].parent)
    >>> again.comparisons.equals(e.comparisons), str(again) == str(e)
    (True, True)
    """
    place = output_files.output_path(folder)
    names = names_of_tables()
    if (found := output_files.found_at(place)) != "a folder":
        raise ReadError(
            Problem(str(folder), "a folder of results", found or "nothing there", AGAIN)
        )
    besides = (ATTRIBUTES, REPLICATED, kept_results.FINGERPRINTS)
    with kept_results.tables_in(place) as there:
        read_other = None if "means" in there else _reader_of_feature(there)
        if read_other is not None:
            other: Tables = read_other(place, there)
            return other
        missing = [f"{name}.parquet" for name in names if name not in (*there, *_OPTIONAL)]
        if missing:
            expected = "the files that Evaluation.write writes"
            raise ReadError(Problem(str(folder), expected, f"no {', '.join(missing)}", AGAIN))
        paths = {n: there[n] for n in (*names, *besides, *CATALOGUES) if n in there}
        read, facts = tables_of_evaluation(place, paths, AGAIN)
    of_all = [read.pop(name, None) for name in CATALOGUES]
    if FOLDERS in facts:
        several: Evaluation = features.needed(Collections, "read_results").read_back(
            place, {name: facts[FOLDERS][name] for name in facts.get(ORDER, facts[FOLDERS])}
        )
        if not all(read[n].equals(table) for n, table in several.tables(of_requests=False).items()):
            expected, found = "the collections that were written", "others in their folders"
            raise ReadError(Problem(str(folder), expected, found, AGAIN))
        return several
    attributes, replicated, marks = (read.pop(name, None) for name in besides)
    if facts.get("groups") and attributes is None:
        raise ReadError(
            Problem(str(folder), "the attributes of requests", f"no {ATTRIBUTES}.parquet", AGAIN)
        )
    s, d = (read.pop(name, None) for name in _OPTIONAL)
    part = None if s is None or d is None else measured.cube_of_tables(s, d)
    provenance = {name: value for name, value in facts.items() if name != "lexiframe"}
    tables: dict[str, Any] = read
    e = Evaluation(
        **tables,
        provenance=provenance,
        attributes=attributes,
        replicated=replicated,
        parts={name: str(place / name) for name in KEPT if (place / name).is_dir()},
        _part=part,
        _weights=None if part is None else part.weights,
        _unanswered=None if s is None else answers.unanswered_in(s),
        _origin=None if marks is None else _origin(provenance, marks, attributes, part),
        _in_parts=part is None,
    )
    if d is not None and "p_better" in d.columns:  # an array of preferences has no chances
        vars(e)["_tables_of_requests"] = dict(zip(KEPT, (s, d), strict=True))
    if of_all[0] is not None:
        e = features.needed(Items, "read_results").add_catalogue(e, *of_all)
    return e


def _reader_of_feature(tables: Collection[str]) -> Callable[..., Any] | None:
    """Return the reader of a folder of results of a feature, known by the name of a table in it."""
    for results in features.every(Results):
        for name, read in results.readers.items():
            if name in tables:
                return read
    return None


def _origin(
    provenance: Mapping[str, Any],
    marks: pl.DataFrame,
    attributes: pl.DataFrame | None,
    part: PairCube | None,
) -> Origin | None:
    """Return the runs and judgments if these files are there; their bytes are checked later.

    Runs that were read with options (columns, say) are not read again, since these are not known.
    """
    runs, qrels = provenance.get("runs", []), provenance.get("qrels", [])
    plain = all({*source} <= {"run", "path", "sha256"} for source in (*runs, *qrels))
    paths = [str(source.get("path")) for source in (*runs, *qrels)]
    names = [str(source.get("run")) for source in runs]
    evaluated = marks.filter(kind="run")["name"].sort().to_list()
    # No pipe, which would be waited for; isfile takes names that no file can have.
    are_there = all(os.path.isfile(path) for path in paths)  # noqa: PTH113
    plain &= (
        provenance.get("policies", {}).get("exclude") is None
    )  # of which only the checksum is known
    if not (plain and len(qrels) == 1 and sorted(names) == evaluated and are_there):
        return None
    try:
        policies = Policies(**provenance["policies"])
        told = dict(provenance["inference"])
        order = told.pop("ordering")
        inference, groups = Inference(**told), provenance["groups"] or None
        measures = provenance["measures"]
        weighed, requests = dict[str, Any](), attributes
        if "weights" in provenance:
            if part is None:
                return None  # an evaluation in parts does not have the weights
            weighed, requests = _weighed_again(provenance["weights"], marks, attributes, part)
        how: dict[str, Any] = {"order": order, **weighed}
        asked = Asked.checked(measures, policies, inference, requests, groups, **how)
        files = [*dict.fromkeys(paths[:-1])]  # a file of several runs has their names itself
        named = dict(zip(names, paths, strict=False))
        scan = scan_runs(named if len(files) == len(named) else files)
    except (
        LexiframeError,
        TypeError,
        KeyError,
    ):  # measures or tests of one's own, or of another version
        return None
    sources = {"runs": runs, "qrels": qrels}
    every = composition.computed_first(asked.measures)
    ranked = tuple(m for m in every if m.needs != needed.ITEMS)
    return Origin(scan, File(paths[-1]), ranked, asked, sources, marks)


def _weighed_again(
    told: Mapping[str, Any],
    marks: pl.DataFrame,
    attributes: pl.DataFrame | None,
    part: PairCube,
) -> tuple[dict[str, Any], pl.DataFrame]:
    """Return the arguments weights, or strata and shares, and the frame of their requests.

    ``part`` has the weights of all requests whose weight is not 0, unless all are equal.
    """
    every = marks.filter(kind="request").select(query_id="name")
    column, shares = told.get("weights") or told["strata"], told.get("shares")
    if part.weights is None:
        named = every.with_columns(pl.lit(1.0).alias(column))
    else:
        none = [0.0] if shares is None else [name for name, share in shares.items() if not share]
        kept = part.weights.columns(every).select("query_id", pl.last().alias(column))
        named = every.join(kept, on="query_id", how="left")
        named = named.with_columns(pl.col(column).fill_null(pl.lit([*none, None][0])))
    how = {"weights": column} if shares is None else {"strata": column, "shares": shares}
    if attributes is None:
        return how, named
    others = named if column not in attributes.columns else named.drop(column)
    return how, attributes.join(others, on="query_id", how="full", coalesce=True)
