"""Logs of models that judge: two games in a row, and scores of both answers."""

from __future__ import annotations

import contextlib

import polars as pl

from lexiframe.core.base import Problem, ReadError
from lexiframe.core.io.column_forms.values_for_none import NaValues, drop_values, warn_of_values
from lexiframe.decide.votes.stated.names import (
    ARENA_HARD,
    CHOSEN,
    GAMES,
    PAIRS_OF_RUNS,
    SCORES_OF_CHOSEN,
    SCORES_OF_SIDES,
    refuse_cells,
)

CORRECT = "results"
"""The column in which logs of reward models say 1 where the model prefers the chosen answer."""


def add_winner(table: pl.DataFrame, where: str, na_values: NaValues) -> pl.DataFrame:
    """Return a table with a row for each judgment and a column for its winner, if it is a log."""
    names = {*table.columns}
    if {*ARENA_HARD} <= names:
        return _games_of_arena_hard(table, where)
    games = next((two for two in GAMES if {*two} <= names), None)
    if games is not None:
        return _two_games(table, games)
    scores = next((two for two in SCORES_OF_SIDES if {*two} <= names), None)
    if scores and "winner" not in names and any({*pair} <= names for pair in PAIRS_OF_RUNS):
        return table.with_columns(
            _named(_winner_by_scores(table, scores, where, na_values)).alias("winner")
        )
    pair = next((pair for pair in CHOSEN if {*pair} <= {*table.columns}), None)
    scored = next((two for two in SCORES_OF_CHOSEN if {*two} <= {*table.columns}), None)
    if pair is None or not (scored or CORRECT in table.columns):
        return table
    share = (
        _winner_by_results(table, where)
        if scored is None
        else _winner_by_scores(table, scored, where, na_values)
    )
    table = table.rename(dict(zip(pair, ("run_a", "run_b"), strict=True)))
    return table.drop("winner", strict=False).with_columns(_named(share).alias("winner"))


def _named(share: pl.Series) -> pl.Series:
    """Return the winner, from the first run's share of the judgment: 1, a half or 0."""
    meant = {1.0: "a", 0.5: "tie", 0.0: "b"}
    return share.replace_strict(meant, default=None, return_dtype=pl.String)


def _games_of_arena_hard(table: pl.DataFrame, where: str) -> pl.DataFrame:
    """Make a judgment of each game against the baseline, which is A in the first, third … game."""
    if table["games"].dtype == pl.String:  # as the reader of logs keeps lists
        kind = pl.List(pl.Struct({"score": pl.String}))
        with contextlib.suppress(pl.exceptions.PolarsError):
            table = table.with_columns(pl.col("games").str.json_decode(kind))
    if not isinstance(table["games"].dtype, pl.List):
        found = f"{table['games'].dtype} in games"
        raise ReadError(Problem(where, "lists of games with a score (A>B)", found))
    if "baseline" not in table.columns:
        table = table.with_columns(baseline=pl.lit("baseline"))
    number = pl.int_ranges(0, pl.col("games").list.len()).alias("game")
    games = table.with_columns(number).explode("games", "game", empty_as_null=True)
    games = games.with_columns(pl.col("game").fill_null(0))  # no game: nobody won
    score = pl.col("games").struct.field("score").cast(pl.String)
    is_first = pl.col("game") % 2 == 0
    sides = (pl.when(is_first).then(one).otherwise(other)
             for one, other in (("baseline", "model"), ("model", "baseline")))  # fmt: skip
    games = games.with_columns(score.alias("winner"), *(
        side.alias(name) for name, side in zip(("model_a", "model_b"), sides, strict=True)
    ))  # fmt: skip
    return games.drop("model", "baseline", "games", "game")


def _two_games(table: pl.DataFrame, games: tuple[str, str]) -> pl.DataFrame:
    """Make two judgments of each row, one of each game."""
    rest = [name for name in table.columns if name[:3] not in ("g1_", "g2_") and name not in games]
    firsts = zip(games, GAMES[games], strict=True)
    each = (
        table.select(*rest, winner=pl.col(winner).cast(pl.String), first=pl.lit(first, pl.String))
        for winner, first in firsts
    )
    # The judge's answer could not be read: nobody won.
    joined = pl.concat(each).with_columns(pl.col("winner").replace("error", None))
    return joined if GAMES[games][0] else joined.drop("first")


def _winner_by_scores(
    table: pl.DataFrame, scored: tuple[str, str], where: str, na_values: NaValues
) -> pl.Series:
    """Say who has the higher score; null where a score is missing."""
    numbers = [table[name].cast(pl.Float64, strict=False) for name in scored]
    for name, given in zip(scored, numbers, strict=True):
        texts = table[name].cast(pl.String).str.strip_chars().replace("", None)
        bad = given.is_null() & texts.is_not_null()
        refuse_cells(texts, bad, where, f"a number as {name}", "mend it")
    both = pl.concat([pl.DataFrame({"value": x, "of": " and ".join(scored)}) for x in numbers])
    both = drop_values(both, "value", na_values)
    if scored in SCORES_OF_SIDES:  # rewards may well be negative
        warn_of_values(both, ["of"], where)
    chosen, rejected = both["value"][: table.height], both["value"][table.height :]
    return ((chosen - rejected).sign() + 1) / 2


def _winner_by_results(table: pl.DataFrame, where: str) -> pl.Series:
    share = table[CORRECT].cast(pl.Float64, strict=False)
    odd = (~share.is_in([0.0, 0.5, 1.0]) & table[CORRECT].is_not_null()).fill_null(True)
    refuse_cells(table[CORRECT], odd, where, f"1, 0.5 or 0 in {CORRECT}")
    return share


def joined_names(column: pl.Series) -> pl.Series:
    r"""Return the names of judges as text; MT-Bench has a list of the model and its prompt."""
    if isinstance(column.dtype, pl.List):
        return column.cast(pl.List(pl.String)).list.join(" ")
    text = column.cast(pl.String)
    inner = text.str.extract(r'^\["(.*)"\]$').str.replace_all(r'", *"', " ")
    return inner.fill_null(text)
