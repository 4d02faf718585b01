"""Logs of models that judge: MT-Bench's two games in a row, and reward models' scores of pairs."""

from __future__ import annotations

import polars as pl

from lexiframe.base import Problem, ReadError
from lexiframe.io.stated.names import CHOSEN, GAMES, SCORES_OF_CHOSEN

CORRECT = "results"
"""The column in which logs of reward models say 1 where the model prefers the chosen answer."""


def add_winner(table: pl.DataFrame, where: str) -> pl.DataFrame:
    """Return a table with a row for each judgment and a column for its winner, if it is a log."""
    if {*GAMES} <= {*table.columns}:
        return _two_games(table)
    pair = next((pair for pair in CHOSEN if {*pair} <= {*table.columns}), None)
    scored = next((two for two in SCORES_OF_CHOSEN if {*two} <= {*table.columns}), None)
    if pair is None or not (scored or CORRECT in table.columns):
        return table
    share = _winner_by_results(table, where) if scored is None else _winner_by_scores(table, scored)
    meant = {1.0: "a", 0.5: "tie", 0.0: "b"}
    winner = share.replace_strict(meant, default=None, return_dtype=pl.String)
    table = table.rename(dict(zip(pair, ("run_a", "run_b"), strict=True)))
    return table.drop("winner", strict=False).with_columns(winner.alias("winner"))


def _two_games(table: pl.DataFrame) -> pl.DataFrame:
    """Make two judgments of each row: model_1 was shown first, then model_2 (MT-Bench)."""
    rest = [name for name in table.columns if name[:3] not in ("g1_", "g2_")]
    games = (
        table.select(*rest, winner=pl.col(winner).cast(pl.String), first=pl.lit(first))
        for winner, first in zip(GAMES, ("model_1", "model_2"), strict=True)
    )
    # The judge's answer could not be read: nobody won.
    return pl.concat(games).with_columns(pl.col("winner").replace("error", None))


def _winner_by_scores(table: pl.DataFrame, scored: tuple[str, str]) -> pl.Series:
    """Say who has the higher score; null where a score is missing."""
    chosen, rejected = (pl.col(name).cast(pl.Float64, strict=False) for name in scored)
    return table.select(((chosen - rejected).sign() + 1) / 2).to_series()


def _winner_by_results(table: pl.DataFrame, where: str) -> pl.Series:
    share = table[CORRECT].cast(pl.Float64, strict=False)
    odd = (~share.is_in([0.0, 0.5, 1.0]) & table[CORRECT].is_not_null()).fill_null(True).arg_true()
    if len(odd):
        found = f"{table[CORRECT][odd[0]]!r} in row {odd[0] + 1} ({len(odd)} such rows)"
        raise ReadError(Problem(where, f"1, 0.5 or 0 in {CORRECT}", found))
    return share


def joined_names(column: pl.Series) -> pl.Series:
    r"""Return who judged as text; MT-Bench has a list of the model and its prompt.

    Examples
    --------
    >>> joined_names(pl.Series(['["gpt-4", "pair-v2"]', "ann"])).to_list()
    ['gpt-4 pair-v2', 'ann']
    """
    if isinstance(column.dtype, pl.List):
        return column.cast(pl.List(pl.String)).list.join(" ")
    text = column.cast(pl.String)
    inner = text.str.extract(r'^\["(.*)"\]$').str.replace_all(r'", *"', " ")
    return inner.fill_null(text)
