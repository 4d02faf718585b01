"""Who won, from the words and numbers that tables of side-by-side judgments have for it."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from lexiframe.base import Problem, ReadError, n_and_first
from lexiframe.io.stated.columns import Columns

A, B, TIE, BOTH_BAD = "a", "b", "tie", "both_bad"
_WORDS = {
    A: "a left model_a model_1 run_a run_1 system_a system_1 output_1 first assistant_a [[a]] 1",
    B: "b right model_b model_2 run_b run_2 system_b system_2 output_2 second assistant_b [[b]]",
    TIE: "tie tied draw equal same both c [[c]]",
    BOTH_BAD: "bothbad both_bad both-bad neither",
}
WORDS = {word: side for side, words in _WORDS.items() for word in words.split()} | {
    "tie (bothbad)": BOTH_BAD,
    "tie(bothbad)": BOTH_BAD,
    "tie (both bad)": BOTH_BAD,
    "both bad": BOTH_BAD,
    "none": BOTH_BAD,
}
"""What a word says, without regard to capitals. Numbers are read by `_NUMBERS`."""
_NUMBERS = (
    ({1.0, 0.0, -1.0}, {1.0: A, 0.0: TIE, -1.0: B}),
    ({0.0, 1.0, 1.5, 2.0}, {0.0: TIE, 1.0: A, 1.5: TIE, 2.0: B}),
)
"""Two ways to number the sides: 1, 0, −1; and 1, 2 with 0 or 1.5 for a tie, as AlpacaEval does."""
_SIDES = (A, B, TIE, BOTH_BAD)


def sides(
    table: pl.DataFrame, columns: Columns, where: str, values: Mapping[str, str]
) -> pl.Series:
    """Return which side won each judgment, ``a`` or ``b``, ``tie`` or ``both_bad``, else null."""
    if columns.a_wins:
        return pl.repeat(A, table.height, dtype=pl.String, eager=True)
    if columns.won:
        return _of_flags(table, columns.won, where)
    assert_known(values)
    winner = table[columns.winner or ""].cast(pl.String).str.strip_chars().replace("", None)
    if values:
        return _translated(winner, values, where)
    names = (table[c].cast(pl.String).str.strip_chars() for c in (columns.run_a, columns.run_b))
    return _of_texts(winner, *names, where=where)


def assert_known(values: Mapping[str, str]) -> None:
    """Raise for a value that is said to mean something else than a side or a tie."""
    for value, side in values.items():
        if side not in _SIDES:
            raise ReadError(
                f"values: expected 'a', 'b', 'tie' or 'both_bad' for {value!r}, found {side!r}"
            )


def _translated(winner: pl.Series, values: Mapping[str, str], where: str) -> pl.Series:
    known = {str(value): side for value, side in values.items()}
    found = winner.replace_strict(known, default=None, return_dtype=pl.String)
    _refuse_unread(winner, found, where, f"one of {', '.join(map(repr, known))}, as values says")
    return found


def _of_flags(table: pl.DataFrame, three: tuple[str, ...], where: str) -> pl.Series:
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


def _of_texts(winner: pl.Series, run_a: pl.Series, run_b: pl.Series, *, where: str) -> pl.Series:
    numbers = winner.cast(pl.Float64, strict=False)
    if winner.is_not_null().any() and not (numbers.is_null() & winner.is_not_null()).any():
        return _of_numbers(numbers, where)
    word = winner.str.to_lowercase().replace_strict(WORDS, default=None, return_dtype=pl.String)
    frame = pl.DataFrame({"w": winner, "a": run_a, "b": run_b, "word": word})
    name = pl.when(pl.col("w") == pl.col("a")).then(pl.lit(A))
    frame = frame.with_columns(name=name.when(pl.col("w") == pl.col("b")).then(pl.lit(B)))
    both = frame.filter(pl.col("name").is_not_null() & pl.col("word").is_in([A, B]))
    differ = both.filter(pl.col("name") != pl.col("word"))
    if differ.height:
        advice = "say it: values={'a': 'a', 'b': 'b'} for the sides, or rename the runs"
        found = f"{differ['w'][0]!r}, which is the name of a run and of the other side"
        raise ReadError(Problem(where, "a winner", found, advice))
    found_sides = frame.select(pl.coalesce("name", "word")).to_series()
    _refuse_unread(winner, found_sides, where, "a name of one of the two runs, a side or a tie")
    return found_sides


def _of_numbers(numbers: pl.Series, where: str) -> pl.Series:
    seen = {*numbers.drop_nulls().unique()}
    if seen <= {0.0, 1.0} and 0.0 in seen:
        advice = "say it: values={'1': 'a', '0': 'b'} or values={'1': 'a', '0': 'tie'}"
        raise ReadError(Problem(where, "a winner", "0 and 1 alone, and 0 may be a tie", advice))
    for known, meaning in _NUMBERS:
        if seen <= known:
            return numbers.replace_strict(meaning, default=None, return_dtype=pl.String)
    odd = n_and_first(sorted(seen - {1.0, 2.0, 0.0}))
    advice = "say what they mean: values={'1': 'a', '2': 'b', '0': 'tie'}"
    raise ReadError(Problem(where, "winners 1, 0, -1 or 1, 2, 1.5", odd, advice))


def _refuse_unread(winner: pl.Series, found: pl.Series, where: str, expected: str) -> None:
    bad = (found.is_null() & winner.is_not_null()).arg_true()
    if len(bad):
        odd = n_and_first(winner.gather(bad).unique(maintain_order=True))
        advice = "say what they mean: values={'...': 'a', '...': 'b', '...': 'tie'}"
        raise ReadError(Problem(f"{where}, row {bad[0] + 1}", expected, odd, advice))
