"""Gates on measures of a catalogue over all lists of a run, without values of requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, sums
from lexiframe.core.metrics import derived
from lexiframe.core.significance.differences import Options
from lexiframe.core.significance.estimates import answers_by_t
from lexiframe.core.significance.margins import Margin, margins_of
from lexiframe.decide.gates.gate_evidence import refuse_wide


def margins_apart(
    margin: Margin, of_all: pl.DataFrame | None, unfit: Mapping[str, Any]
) -> tuple[Margin, dict[str, Any], list[str]]:
    """Return the margins of measures of requests, of measures of all lists, and the latter's names.

    Raise where something ``unfit``, which measures of all lists do not know, is given with one.
    """
    if of_all is None:
        return margin, {}, []
    known = of_all["measure"].unique(maintain_order=True).to_list()
    rest, apart = _apart(margin, known)
    if apart and (given := next((name for name, one in unfit.items() if one is not None), None)):
        raise LexiframeError(
            f"gate: {next(iter(apart))} is of all lists together, which does not go with {given}; "
            f"leave {given} out, or name margins of measures of requests alone"
        )
    return rest, apart, known


def _apart(margin: Margin, known: list[str]) -> tuple[Margin, dict[str, Any]]:
    if not isinstance(margin, Mapping):
        return margin, dict.fromkeys(known, margin)
    named = {name: derived.name_among(known, str(name)) for name in margin}
    apart = {called: margin[name] for name, called in named.items() if called in known}
    rest = {name: margin[name] for name, called in named.items() if called not in known}
    return rest, apart


def rows_of_catalogue(
    of_all: pl.DataFrame, sizes: Margin, two: tuple[str, str], options: Options, by: list[str]
) -> pl.DataFrame:
    """Return rows like the rows of measures of requests, from differences and standard errors.

    If ``of_all`` has groups, they are the groups ``by`` of the gate.
    """
    groups = of_all.columns[: of_all.columns.index("measure")]
    if by and groups != by:
        raise LexiframeError(
            f"gate: expected the groups of the evaluation for measures of all lists ({groups}), "
            f"found {by}; evaluate with by={by}"
        )
    (baseline, candidate), margins = two, margins_of("gate", sizes, two[0])
    names = pl.col("measure").is_in([*sizes])  # type: ignore[misc]
    part = of_all.filter(names, run_a=candidate, run_b=baseline)
    if not part.height:
        raise LexiframeError(
            f"gate: expected differences of {candidate} and {baseline} for measures of all lists, "
            "found none; evaluate without another baseline"
        )
    if len(unknown := part.filter(pl.col("mean_difference").is_null())["measure"]):
        raise LexiframeError(
            f"gate: expected {unknown[0]} of both runs, found that {baseline} or {candidate} has "
            "no list at all; give it lists, or leave the measure out"
        )
    columns = part.select("mean_difference", "se", "df").to_numpy().T + 0.0  # -0.0 becomes 0.0
    size = [margins.size(m, v) for m, v in part.select("measure", "baseline_value").iter_rows()]
    for name, one in zip(part["measure"], size, strict=True):
        refuse_wide(one, name)
    answers = answers_by_t(sums.Estimates(*columns), np.array(size), options)._asdict()
    table = part.select(*groups, "measure", "n").with_columns(
        mean_difference=columns[0],
        test=pl.lit("t"),
        chosen=pl.lit(""),
        candidate=pl.lit(candidate),
        margin=pl.Series(size, dtype=pl.Float64),
        deviation=part["se"] * part["n"].sqrt(),
        p_equivalent=np.maximum(answers["p_not_worse_a"], answers["p_not_worse_b"]),
        **{name: found for name, found in answers.items() if isinstance(found, np.ndarray)},
    )
    return table.with_columns(pl.col(pl.Float64).fill_nan(None))
