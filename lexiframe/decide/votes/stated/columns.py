"""Which columns of a table of side-by-side judgments are the request, the runs and the winner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from lexiframe.core.base import Problem, SchemaError
from lexiframe.core.io.column_forms.column_names import candidates_for, first_of
from lexiframe.core.io.columns import VOTES
from lexiframe.decide.votes.stated.names import CHOSEN, COUNTS, ONE_HOT, PAIRS_OF_RUNS, SHARES

OURS = ("query_id", "run_a", "run_b", "winner", "judge", "first", "replicate", "count", "share")


@dataclass(frozen=True)
class Columns:
    """The names of a judgment's parts in the table; None where the table lacks one.

    ``won`` are three columns of 0 and 1. ``a_wins`` says that the run of the first column won, as
    in tables of chosen and rejected answers; ``a_is_first`` that it was shown first. ``count`` is
    the number of judgments that a row stands for, and ``share`` what the first run has of them.
    """

    query_id: str | None
    run_a: str
    run_b: str
    winner: str | None = None
    judge: str | None = None
    first: str | None = None
    replicate: str | None = None
    won: tuple[str, ...] = ()
    a_wins: bool = False
    a_is_first: bool = False
    count: str | None = None
    share: str | None = None


def find_columns(table: pl.DataFrame, where: str, given: Mapping[str, str]) -> Columns:
    """Find the columns of judgments; ``given`` says some, ``{our name: the table's}``."""
    _refuse_unknown(table, where, given)
    names = [name for name in table.columns if name not in given.values()]
    runs, a_wins, a_is_first = _runs(names, where, given)
    free = [name for name in names if name not in runs]
    won = () if a_wins or "winner" in given else _one_hot(free)
    query_id = _one("query_id", free, where, given)
    free = [name for name in free if name != query_id]
    count = given.get("count") or next((name for name in COUNTS if name in free), None)
    share = given.get("share") or next((name for name in SHARES if name in free), None)
    several = share and sum(name in free for name in VOTES["winner"][0]) > 1
    winner = None if won or a_wins or several else _one("winner", free, where, given)
    if winner is None and not won and not a_wins and not share:
        raise _missing_columns("winner", table, where)
    judge, first, replicate = (_one(c, free, where, given) for c in ("judge", "first", "replicate"))
    # What says who was shown first goes before what the names of columns suggest.
    a_is_first = a_is_first and first is None
    found = Columns(query_id, *runs, winner, judge, first, replicate, won, a_wins, a_is_first)
    return replace(found, count=count, share=share)


def _refuse_unknown(table: pl.DataFrame, where: str, given: Mapping[str, str]) -> None:
    for ours, theirs in given.items():
        if ours not in OURS:
            raise SchemaError(
                f"columns: expected lexiframe's names ({', '.join(OURS)}), found {ours!r}"
            )
        if theirs not in table.columns:
            found = f"columns names {theirs!r}, which is not there"
            raise SchemaError(Problem(where, "", f"{found} (found: {', '.join(table.columns)})"))


def _runs(
    names: list[str], where: str, given: Mapping[str, str]
) -> tuple[tuple[str, str], bool, bool]:
    """Return the columns of the two runs, whether the first won, and was shown first."""
    if "run_a" in given and "run_b" in given:
        pair = (given["run_a"], given["run_b"])
        return pair, False, PAIRS_OF_RUNS.get(pair, False)
    shown = [pair for pair in PAIRS_OF_RUNS if {*pair} <= {*names}]
    if len(shown) > 1:
        found = " and ".join(f"{a}, {b}" for a, b in shown)
        advice = f"say which: columns={{'run_a': {shown[0][0]!r}, 'run_b': {shown[0][1]!r}}}"
        raise SchemaError(Problem(where, "two columns that name the runs", found, advice))
    if shown:
        return shown[0], False, PAIRS_OF_RUNS[shown[0]]
    for pair in CHOSEN:
        if {*pair} <= {*names}:
            return pair, True, False
    pairs = ", ".join(f"{a} and {b}" for a, b in [*PAIRS_OF_RUNS, *CHOSEN])
    advice = (
        f"they may be called {pairs}; or say which they are: "
        "columns={'run_a': '...', 'run_b': '...'}"
    )
    found = f"none (found: {', '.join(names)})"
    raise SchemaError(Problem(where, "two columns that name the runs", found, advice))


def _one_hot(names: list[str]) -> tuple[str, ...]:
    return next((three for three in ONE_HOT if {*three} <= {*names}), ())


def _one(ours: str, names: list[str], where: str, given: Mapping[str, str]) -> str | None:
    """Return the column that we call ``ours``, of the first group of names that the table has."""
    if ours in given:
        return given[ours]
    groups = (candidates_for(group, names) for group in VOTES[ours])
    return first_of(ours, groups, where)


def _missing_columns(ours: str, table: pl.DataFrame, where: str) -> SchemaError:
    known = ", ".join(name for group in VOTES[ours] for name in group)
    advice = f"{ours} may be called {known}, or say which column it is: columns={{{ours!r}: '...'}}"
    found = f"{ours} is missing (found: {', '.join(table.columns)})"
    return SchemaError(
        Problem(where, "a request, two runs and a winner", found, advice, joints=("; ", ". "))
    )
