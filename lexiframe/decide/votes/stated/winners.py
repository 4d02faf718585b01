"""Who won, from the words and numbers that tables of side-by-side judgments have for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import polars as pl

from lexiframe.core.base import Problem, ReadError, n_and_first
from lexiframe.decide.votes.stated.columns import Columns
from lexiframe.decide.votes.stated.names import refuse_cells

A, B, TIE, BOTH_BAD = "a", "b", "tie", "both_bad"
Ways = tuple[dict[str, str], dict[str, str]]
_EXPECTED = "a name of one of the two runs, a side or a tie"
_WORDS = {
    A: "a left model_a model_1 run_a run_1 system_a system_1 output_1 first assistant_a [[a]] 1 "
    "true a>b a>>b b<a b<<a win wins won leftvote",
    B: "b right model_b model_2 run_b run_2 system_b system_2 output_2 second assistant_b [[b]] 2 "
    "false b>a b>>a a<b a<<b lose loses lost loss rightvote",
    TIE: "tie tied draw equal same both c [[c]] a=b b=a tievote no_winner no_preference "
    "both_good bothgood tie_(both_good) tie_(bothgood) tie(bothgood)",
    BOTH_BAD: "bothbad both_bad both-bad neither none tie_(bothbad) tie(bothbad) tie_(both_bad) "
    "bothbadvote bothbad_vote",
}
WORDS = {word: side for side, words in _WORDS.items() for word in words.split()}
"""What a word says, without regard to capitals, and with _ for a blank; not of numbers."""
_NUMBERS = (
    {1.0: A, 0.0: TIE, -1.0: B},
    {0.0: TIE, 1.0: A, 1.5: TIE, 2.0: B},
    {1.0: A, 0.5: TIE, 0.0: B},
)
"""Three ways to number the sides: 1, 0, −1; 1, 2 with 0 or 1.5 for a tie, as AlpacaEval does; and
what the first run has of a vote: 1, 0.5, 0."""
_UNCLEAR = (
    ({"0": B, "1": A}, {"0": TIE, "1": A}),
    ({"0": TIE, "1": A, "2": B}, {"0": A, "1": B, "2": TIE}),
)
"""Numbers that mean one thing to some people and another to others; both meanings of each."""
_OF_ALPACA_EVAL = {"generator_1", "generator_2"}
"""The runs of AlpacaEval, whose 0, 1 and 2 are a tie and the two sides."""
_CHANCE = 1e-3
"""A winner that is always a run of its row is a name if a side is so less often than this."""
_SIDES = (A, B, TIE, BOTH_BAD)


def sides(
    table: pl.DataFrame, columns: Columns, where: str, values: Mapping[str, str]
) -> pl.Series:
    """Return which side won each judgment, ``a`` or ``b``, ``tie`` or ``both_bad``, else null."""
    if columns.a_wins:
        return pl.repeat(A, table.height, dtype=pl.String, eager=True)
    if columns.won:
        return _winner_by_flags(table, columns.won, where)
    assert_known(values)
    rows = pl.DataFrame({
        "winner": _winner_text(table[columns.winner or ""]),
        "a": _winner_text(table[columns.run_a]),
        "b": _winner_text(table[columns.run_b]),
    })  # fmt: skip
    name = pl.when(pl.col("winner") == pl.col("a")).then(pl.lit(A))
    rows = rows.with_columns(name=name.when(pl.col("winner") == pl.col("b")).then(pl.lit(B)))
    if values:
        return _translated(rows, values, where)
    return _names_or_sides(rows, where, _UNCLEAR[: 1 if columns.run_a in _OF_ALPACA_EVAL else 2])


def shares(
    table: pl.DataFrame, columns: Columns, where: str, values: Mapping[str, str]
) -> pl.Series | None:
    """Return the first run's share of each judgment, 0..1; None where rows name a winner.

    AlpacaEval weighs its preferences: 1 is the first run and 2 the second, and 1.93 is the second
    with a share of .93. Numbers between 0 and 1 may be the share of either run.
    """
    if columns.share is not None:
        cells = table[columns.share]
        numbers = cells.cast(pl.Float64, strict=False)
        bad = ~numbers.is_between(0, 1) | (numbers.is_null() & cells.is_not_null())
        refuse_cells(cells, bad, where, f"shares from 0 to 1 in {columns.share}")
        return numbers
    if values or columns.winner is None or columns.a_wins or columns.won:
        return None
    numbers = table[columns.winner].cast(pl.String).cast(pl.Float64, strict=False)
    known = numbers.drop_nulls().drop_nans()
    if not len(known) or (known * 2 % 1 == 0).all() or known.min() < 0 or known.max() > 2:  # type: ignore[operator]
        return None
    if known.min() >= 1:  # type: ignore[operator]
        return (2 - numbers).fill_nan(None)
    found = f"numbers between 0 and 1 in {columns.winner}, which may be the share of either run"
    advice = f"if it is that of {columns.run_a}: columns={{'share': {columns.winner!r}}}"
    raise ReadError(Problem(where, _EXPECTED, found, advice))


def refuse_contradictions(
    table: pl.DataFrame, columns: Columns, share: pl.Series, where: str, values: Mapping[str, str]
) -> None:
    """Raise where the winner of a row is the run that has less than half of its share."""
    if columns.share is None or columns.winner is None:
        return
    try:
        side = sides(table, columns, where, values)
    except ReadError:  # nobody can tell what the other column means, and the share is known
        return
    bad = ((side == A) & (share < 0.5)) | ((side == B) & (share > 0.5))
    expected = f"a winner with more than half of {columns.share}, which is that of the first run"
    advice = "mend them, or leave one of the columns out"
    refuse_cells(table[columns.winner], bad, where, expected, advice)


def won_by_share(share: pl.Series) -> pl.Series:
    """Return which side has more of each judgment; null where nothing is known."""
    names = {1.0: A, 0.0: TIE, -1.0: B}
    return (share - 0.5).sign().replace_strict(names, default=None, return_dtype=pl.String)


def _winner_text(column: pl.Series) -> pl.Series:
    """Return names and winners as text, whole numbers without ".0"; null where there is none."""
    if column.dtype.is_float() and (column.drop_nulls().drop_nans() % 1 == 0).all():
        column = column.fill_nan(None).cast(pl.Int64, strict=False)
    return column.cast(pl.String).str.strip_chars().replace("", None)


def assert_known(values: Mapping[str, str]) -> None:
    """Raise for a value that is said to mean something else than a side or a tie."""
    for value, side in values.items():
        if side not in _SIDES:
            raise ReadError(
                f"values: expected 'a', 'b', 'tie' or 'both_bad' for {value!r}, found {side!r}"
            )


def _translated(rows: pl.DataFrame, values: Mapping[str, str], where: str) -> pl.Series:
    """Return the sides as ``values`` says; any other winner has to be a run of its row."""
    known = {str(value): side for value, side in values.items()}
    said = pl.col("winner").replace_strict(known, default=None, return_dtype=pl.String)
    found = rows.select(pl.coalesce(said, "name")).to_series()
    _refuse_unread(
        rows["winner"], found, where,
        f"one of {', '.join(map(repr, known))}, as values says, or a run of the row",
    )  # fmt: skip
    return found


def _winner_by_flags(table: pl.DataFrame, three: tuple[str, ...], where: str) -> pl.Series:
    flags = table.select(_as_number(c) for c in three)
    odd = pl.any_horizontal(~pl.all().is_in([0.0, 1.0])) | (pl.sum_horizontal(pl.all()) > 1)
    bad = flags.select(odd).to_series().arg_true()
    if len(bad):
        row = ", ".join(str(table[c][bad[0]]) for c in three)
        found = f"{row} in row {bad[0] + 1} ({len(bad)} such rows)"
        raise ReadError(Problem(where, f"0, and 1 in at most one of {', '.join(three)}", found))
    a, b, tie = (pl.col(c) == 1 for c in three)
    side = pl.when(a).then(pl.lit(A)).when(b).then(pl.lit(B)).when(tie).then(pl.lit(TIE))
    return flags.select(side).to_series()


def _as_number(name: str) -> pl.Expr:
    """Return a flag as a number: 0 where it is empty, NaN where it cannot be read."""
    text = pl.col(name).cast(pl.String).str.strip_chars().str.to_lowercase()
    text = text.replace({"true": "1", "false": "0", "": "0", "nan": "0"}).fill_null("0")
    return text.cast(pl.Float64, strict=False).fill_null(float("nan"))


def _names_or_sides(rows: pl.DataFrame, where: str, unclear: Sequence[Ways]) -> pl.Series:
    """Return the sides of winners that are runs of their row, words, or numbers.

    Where a winner may be a run and another side, all rows decide: see `_are_names`.
    """
    winner = rows["winner"]
    numbers = winner.cast(pl.Float64, strict=False)
    are_numbers = numbers.null_count() == winner.null_count() < len(winner)
    ways = _unclear(numbers, unclear) if are_numbers else None
    rows = rows.with_columns(
        side=_winner_by_numbers(numbers) if are_numbers else _winner_by_words(winner)
    )
    differ = (pl.col("name") != pl.col("side")) | pl.lit(ways is not None)
    doubtful = rows.filter(pl.col("winner").is_in(rows.filter(differ)["winner"].implode()))
    if doubtful.height and not _are_names(doubtful, rows):
        if ways and doubtful["name"].null_count():
            numbered = f"{' and '.join(ways[0])} alone, and 0 may be a tie"
            raise ReadError(Problem(where, "a winner", numbered, f"say it: {_usage_hint(*ways)}"))
        raise _both_possible(doubtful, rows, where, ways)
    found = rows.select(pl.coalesce("name", "side")).to_series()
    are_no_names = rows["name"].null_count() == rows.height
    expected = (
        "winners 1, 0, -1 or 1, 2, 1.5, or 1, 0.5, 0" if are_numbers and are_no_names else _EXPECTED
    )
    _refuse_unread(winner, found, where, expected)
    return found


def _winner_by_words(winner: pl.Series) -> pl.Series:
    """Return the sides that words mean; C is a tie only if all words are known."""
    word = winner.str.to_lowercase().str.replace_all(" ", "_")
    side = word.replace_strict(WORDS, default=None, return_dtype=pl.String)
    are_all = side.null_count() == winner.null_count()
    return side if are_all else side.set(word.is_in(["c", "[[c]]"]).fill_null(False), None)


def _winner_by_numbers(numbers: pl.Series) -> pl.Series:
    seen = {*numbers.drop_nulls()}
    meaning = next((one for one in _NUMBERS if seen <= {*one}), {})
    return numbers.replace_strict(meaning, default=None, return_dtype=pl.String)


def _unclear(numbers: pl.Series, unclear: Sequence[Ways]) -> Ways | None:
    """Return the two meanings that numbers may have; None if they are clear."""
    seen = {*numbers.drop_nulls()}
    return next((two for two in unclear if 0.0 in seen <= {*map(float, two[0])}), None)


def _are_names(doubtful: pl.DataFrame, rows: pl.DataFrame) -> bool:
    """Return whether winners name runs: each is a run of its row, which sides are by chance only.

    A side would be as frequent in rows without the run of that name, so that the chance is the
    share of the rows with this run, for each time that it wins.
    """
    if doubtful["name"].null_count():
        return False
    times = doubtful["winner"].value_counts().rows()
    shares = [((rows["a"] == name) | (rows["b"] == name)).mean() for name, _ in times]
    chance = prod(share**n for share, (_, n) in zip(shares, times, strict=True))
    return bool(chance < _CHANCE)


def _both_possible(
    doubtful: pl.DataFrame, rows: pl.DataFrame, where: str, ways: Ways | None
) -> ReadError:
    """Return the error for winners that may be runs of their row or sides."""
    known = rows.filter(pl.col("side").is_not_null()).unique("winner").sort("winner")
    sides = ways or (dict(known.select("winner", "side").rows()),)
    tie = "draw" if doubtful["winner"].str.to_lowercase().is_in(["tie"]).any() else TIE
    names = " and ".join(map(repr, sorted(doubtful["winner"].unique())))
    found = f"{names}, which may be the name of a run and the other side"
    advice = (
        f"say it: {_usage_hint(*sides)} for sides; or {_usage_hint({tie: TIE})} for names of runs"
    )
    return ReadError(Problem(where, "a winner", found, advice))


def _usage_hint(*ways: Mapping[str, str]) -> str:
    """Return the argument ``values=`` that explains winners, in each of some ways."""
    return " or ".join(f"values={dict(way)}" for way in ways)


def _refuse_unread(winner: pl.Series, found: pl.Series, where: str, expected: str) -> None:
    bad = (found.is_null() & winner.is_not_null()).arg_true()
    if len(bad):
        odd = n_and_first(winner.gather(bad).unique(maintain_order=True))
        advice = "say what they mean: values={'...': 'a', '...': 'b', '...': 'tie'}"
        raise ReadError(Problem(f"{where}, row {bad[0] + 1}", expected, odd, advice))
