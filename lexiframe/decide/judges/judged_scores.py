"""The scores of the same runs by several judges: read, called alike, and of the same requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, printed, unknown_name, warn
from lexiframe.core.io import per_request_scores, score_forms
from lexiframe.core.metrics import as_list, derived
from lexiframe.core.pairwise import arrays
from lexiframe.decide.judges.schemas import LEFT_OUT

_CELL = ["measure", "run", "query_id"]


def read_judged_scores(name: str, scores: Any) -> pl.DataFrame:
    """Read a judge's scores, in any form of `read_scores`; errors name the judge.

    The column ``smaller_is_better`` has the direction, which a measure's name may not tell.
    """
    try:
        if hasattr(scores, "measured_by"):  # answers judged by nuggets
            scores, *_ = scores.measured_by(None)
        given = score_forms.given_scores(scores, None, None, None)
        table = per_request_scores.load_scores(given, warns=False).table
        cube = arrays.score_cube(table)
    except (LexiframeError, TypeError) as error:
        raise type(error)(f"judge {name!r}: {error}") from None
    smaller = dict(zip(cube.measures, cube.smaller_is_better.tolist(), strict=True))
    return table.with_columns(
        smaller_is_better=pl.col("measure").replace_strict(smaller, return_dtype=pl.Boolean)
    )


def drop_unjudged(read: dict[str, pl.DataFrame], judges: Mapping[str, Any]) -> None:
    """Drop the scores of answers that only other judges judged by nuggets: they would be 0."""
    key = ["run", "query_id"]
    judged = {
        name: given.nugget_rows.filter("answered").select(key).unique()
        for name, given in judges.items()
        if hasattr(given, "nugget_rows")
    }
    for name, answers in judged.items():
        lacking = pl.concat(judged.values()).join(answers, on=key, how="anti")
        read[name] = read[name].join(lacking, on=key, how="anti")


def same_cells(
    called: str, judges: Mapping[str, pl.DataFrame], measures: Any
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame, list[str]]:
    """Return the scores in cells that all judges have, the missing ones, and the measures.

    The measures are in the user's order. ``measures`` are names that all judges use, or each
    judge's own; a measure with several names is called by all of them: ``NuggetRecall/GRADE``.
    """
    named, names = _called_alike(called, judges, measures)
    every = pl.concat(s.select(*_CELL, judge=pl.lit(name)) for name, s in named.items())
    kept = every.group_by(_CELL).len().filter(len=len(named)).select(_CELL)
    if kept.is_empty():
        raise LexiframeError(
            f"{called}: expected scores of the same runs in the same requests by all judges, found "
            f"none; do {', '.join(named)} name runs and requests alike?"
        )
    left_out = _left_out(every, [*named])
    _say_what_is_left_out(called, left_out)
    return {name: s.join(kept, on=_CELL, how="semi") for name, s in named.items()}, left_out, names


def _called_alike(
    called: str, judges: Mapping[str, pl.DataFrame], measures: Any
) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """Choose the measures of each judge, and call them by the same names."""
    known = {name: s["measure"].unique().sort().to_list() for name, s in judges.items()}
    if measures is None:
        first, *others = known.values()
        among = derived.name_among
        measures = [m for m in first if all(among(names, m) in names for names in others)]
    asked = _asked_of_each(called, known, measures)
    for judge, names in asked.items():
        for one in names:
            if one not in known[judge]:
                raise unknown_name("measure", one, known[judge], advice=f" (judge {judge!r})")
    same = ["/".join(dict.fromkeys(names)) for names in zip(*asked.values(), strict=True)]
    if not same:
        which = {judge: names[0] for judge, names in known.items()}
        options = " ".join(f"-m {judge}={name}" for judge, name in which.items())
        how = printed.advice(python=f"measures={which}", terminal=options)
        raise LexiframeError(
            f"{called}: expected a measure that all judges have, found none; say which is which: "
            f"{how}"
        )
    named = dict[str, pl.DataFrame]()
    for judge, names in asked.items():
        kept = judges[judge].filter(pl.col("measure").is_in(names))
        named[judge] = kept.with_columns(pl.col("measure").replace_strict(names, same))
    return named, same


def given_by_judge(called: str, what: str, judges: Iterable[str], given: Any) -> dict[str, Any]:
    """Return an argument by the judges' names, if it is given once for all or by judge."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(judges, given)
    if {*given} != {*judges}:
        raise LexiframeError(
            f"{called}: expected the {what} of each judge ({', '.join(judges)}), found those of "
            f"{', '.join(map(str, given))}"
        )
    return dict(given)


def _asked_of_each(
    called: str, known: Mapping[str, list[str]], measures: Any
) -> dict[str, list[str]]:
    """Return the measures that are asked for, by the names that each judge's scores have."""
    given = given_by_judge(called, "measure", known, measures)
    asked = {
        judge: [*dict.fromkeys(derived.name_among(names, str(m)) for m in as_list(given[judge]))]
        for judge, names in known.items()
    }
    if len({len(names) for names in asked.values()}) > 1:
        counts = ", ".join(f"{judge}: {len(names)}" for judge, names in asked.items())
        raise LexiframeError(
            f"{called}: expected as many measures of each judge, found {counts}; the first of each "
            "are compared, then the second"
        )
    return asked


def _left_out(every: pl.DataFrame, judges: Sequence[str]) -> pl.DataFrame:
    """Name for each judge the runs, requests and single scores that another judge has."""
    wanted = every.select(_CELL).unique().join(pl.DataFrame({"judge": judges}), how="cross")
    rest, parts = wanted.join(every, on=["judge", *_CELL], how="anti"), list[pl.DataFrame]()
    for name in ("run", "query_id"):
        on = ["judge", "measure", name]
        parts.append(rest.join(every, on=on, how="anti").select(on).unique())
        rest = rest.join(every, on=on, how="semi")
    return LEFT_OUT.arranged(pl.concat([rest, *parts], how="diagonal"))


def _say_what_is_left_out(called: str, left_out: pl.DataFrame) -> None:
    parts = []
    for what, name, other in (("runs", "run", "query_id"), ("requests", "query_id", "run")):
        names = left_out.filter(pl.col(other).is_null())[name].unique().sort()
        parts += [f"{what}: {n_and_first(names)}"] * (len(names) > 0)
    single = left_out.drop_nulls(["run", "query_id"]).height
    parts += [f"single scores: {single:,}"] * (single > 0)
    if parts:
        warn(f"{called}: left out, since a judge has no scores of them: {'; '.join(parts)}")
