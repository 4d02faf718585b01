"""Candidates that changed nothing, which is a fact about two runs and no result of a test."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, ReadError
from lexiframe.core.pairwise import PairCube, arrays
from lexiframe.core.significance.differences import cube_of
from lexiframe.decide.gates import same_rankings
from lexiframe.decide.gates.gate_coverage import RankedPairs
from lexiframe.decide.gates.gate_rules import NOT_TESTED
from lexiframe.decide.gates.gate_tables import rows_of_two_runs
from lexiframe.study.replicates import mean_of_replicates

_OF_TESTS = ("ci_low", "ci_high", "p_value", "p_adjusted", "p_opposite", "p_opposite_adjusted")
"""The columns of a gate that only a test can fill."""


class Sameness(NamedTuple):
    """The sentence on two runs that have equal values in all requests.

    ``unchanged`` says that nothing changed; None where something did, or may have. ``changed``
    says what did although no value differs; it is empty where that is not so.
    """

    unchanged: str | None = None
    changed: str = ""


def sameness(
    tested: pl.DataFrame,
    d: Any,
    ranked: RankedPairs | None,
    two: tuple[str, str],
    *,
    same_ok: bool,
) -> Sameness:
    """Return the sentence on baseline and candidate, if all their values are equal.

    ``tested`` has the rows of the ``two`` runs, ``d`` the values of all measures. Rankings decide
    where they are known. Otherwise the values do, also of measures that were not tested, and only
    with ``same_ok``. Without it, one file given as both runs is an error, and so are equal values
    without rankings, because one file may have been given twice.
    """
    is_same = (pl.col("mean_difference") == 0) & (pl.col("deviation").fill_nan(0) == 0)
    if not tested.select(is_same.all()).item():
        return Sameness()
    baseline, candidate = two
    known = None if ranked is None else _unchanged_sentence(ranked, baseline, candidate)
    if known is None and isinstance(d, PairCube) and not len(d.measures):
        return Sameness()  # numbers of all lists alone do not tell whether the lists are the same
    if known is None and _have_other_values(d, baseline, candidate):
        return Sameness(changed="by other measures the two runs differ")
    if known is None:
        known = f"{candidate} has the same values as {baseline} in all requests", True
    said, may_be_a_mistake = known
    if may_be_a_mistake and not same_ok:
        raise LexiframeError(
            f"gate: expected two runs that differ, found that {said}; check that no file was given "
            "twice, or say that it is meant: same_ok=True, on the command line --same-ok"
        )
    if not said:
        return Sameness(changed="the rankings differ, though no value does")
    return Sameness(f"nothing changed: {said}")


def _unchanged_sentence(
    ranked: RankedPairs, baseline: str, candidate: str
) -> tuple[str, bool] | None:
    """Describe how two rankings are equal, and whether one file may have been given twice.

    The words are "" where the rankings differ. The result is None where they are unknown.
    """
    known, policies = ranked.ranked, ranked.policies
    if known is None or ranked.found is None:
        return None
    try:
        scan = ranked.found()
    except ReadError:  # a file has changed since, or is gone
        return None
    if same_rankings.are_of_one_file(scan, known.read, baseline, candidate):
        return f"{candidate} and {baseline} are one file", True
    if not same_rankings.rank_alike(scan, known, policies, baseline, candidate):
        return "", False
    down_to = f", down to rank {policies.depth:,}" if policies.depth else ""
    return (
        f"{candidate} ranks the same documents as {baseline} in the same order{down_to}, in all "
        "judged requests"
    ), False


def _have_other_values(d: Any, baseline: str, candidate: str) -> bool:
    """Return whether two runs differ by any measure of a table, in any request."""
    two = rows_of_two_runs(d, baseline, candidate)
    if isinstance(two, pl.DataFrame) and arrays.is_scores(two):
        is_alone = two.group_by("measure", "query_id").agg(pl.col("run").n_unique() < 2)["run"]
        if is_alone.any():
            return True
        two = mean_of_replicates("gate", two) if "replicate" in two.columns else two
    for _, of_measure in cube_of(two, baseline, of_sums=True):
        is_pair = of_measure.runs.gather(of_measure.a) == candidate
        moments = of_measure.differences[np.flatnonzero(is_pair)]
        if (moments.wins + moments.losses).any():
            return True
    return False


def settled(table: pl.DataFrame, claim: str) -> pl.DataFrame:
    """Let rows of an unchanged candidate pass; they fail where it has to be better.

    The column ``same`` marks them: no test has decided these rows.
    """
    is_same = pl.col("same").is_not_null()
    outcome = pl.lit("fail" if claim == "better" else "pass")
    return table.with_columns(
        *(pl.when(~is_same).then(name).alias(name) for name in _OF_TESTS),
        outcome=pl.when(is_same).then(outcome).otherwise("outcome"),
        test=pl.when(is_same).then(pl.lit(NOT_TESTED)).otherwise("test"),
    )
