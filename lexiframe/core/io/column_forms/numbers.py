"""Numbers as text: how they are written, and large scores that become equal as float64."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from lexiframe.core.base import Problem, SchemaError, shown

NUMBER = r"(?i)^[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?)$"
"""A number as text, for regular expressions in Python and Polars; NaN is none."""
EXACT = 2**53
"""Below this, every whole number is a float64 of its own; above, several share one."""

IN_RANGE = "a number up to 1.8e308"
TOO_GREAT = "it is too great for float64: give a smaller one"
_DECIMAL = r"(?i)^[+-]?[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?$"
_MEND = {
    "score": "subtract the same number from all (the first one, if these are times), or leave "
    "score out and give whole ranks as rank",
    "rank": "count ranks from 1 in each query",
    "relevance": "give smaller grades",
}


class NumberAsWritten(str):
    """A large number with a fraction or an exponent, as text: a float would lose digits."""

    __slots__ = ()


def whole_ranks(ranks: pl.Series) -> pl.Series:
    """Turn ranks written as 1 or 1.0 into integers, and any other text into null.

    Examples
    --------
    >>> whole_ranks(pl.Series(["1", "2.0", "2.5", "x"])).to_list()
    [1, 2, None, None]
    """
    numbers = ranks.cast(pl.Float64, strict=False)
    is_whole = numbers.is_finite() & (numbers == numbers.round())
    return numbers.set(~is_whole.fill_null(value=False), None).cast(pl.Int64, strict=False)


def has_large(floats: pl.Series) -> bool:
    """Return whether a number is so large that other whole numbers share its float64."""
    least, greatest = floats.min(), floats.max()  # abs() would copy the column
    if not (isinstance(least, float) and isinstance(greatest, float)):  # there are no numbers
        return False
    return max(-least, greatest) >= EXACT


def may_have_changed(rows: pl.DataFrame, column: str) -> bool:
    """Return whether numbers may have changed when they became float64, in a way that matters.

    It matters if two numbers of a query are equal and too large to be exact, or one is infinite.
    """
    if not has_large(rows[column]):
        return False
    number = pl.col(column)
    large = rows.filter(number.abs() >= EXACT)
    are_equal = pl.struct("query_id", column).is_duplicated()
    return bool(large.select((number.is_infinite() | are_equal).any()).item())


def are_too_great(numbers: pl.Series) -> pl.Series:
    """Return which numbers, as text, are finite but infinite as float64."""
    is_infinite = numbers.cast(pl.Float64, strict=False).is_infinite()
    is_finite = numbers.str.contains(NUMBER) & ~numbers.str.contains("(?i)inf")
    return (is_infinite & is_finite).fill_null(value=False)


def first_inexact(numbers: pl.Series, floats: pl.Series) -> str | None:
    """Return the first whole number that float64 cannot hold exactly; None if it holds all."""
    if not (numbers.dtype.is_integer() or numbers.dtype == pl.String) or not has_large(floats):
        return None
    large = numbers.filter((floats.abs() >= EXACT) & floats.is_finite()).cast(pl.String)
    whole = large.filter(large.str.contains(r"^[+-]?[0-9]+$"))
    return next((text for text in whole if Decimal(text) != Decimal(float(text))), None)


def refuse_lost_digits(written: pl.DataFrame, where: str, called: str = "score") -> None:
    """Raise when large scores of a query are equal as float64 but were written differently.

    Scores that are too great for float64 are refused too. Times in nanoseconds since 1970 are a
    usual cause. ``written`` has the columns ``query_id``, ``score`` and perhaps ``run`` as text;
    ``called`` says what the scores are: ``"score"``, ``"rank"`` or ``"relevance"``.

    Examples
    --------
    >>> scores = ["9007199254740992.0", "9007199254740993"]
    >>> refuse_lost_digits(pl.DataFrame({"query_id": ["q1", "q2"], "score": scores}), "runs")
    >>> refuse_lost_digits(pl.DataFrame({"query_id": "q1", "score": scores}), "runs")
    Traceback (most recent call last):
    lexiframe.SchemaError: runs: expected different scores that also differ as float64, \
found 9007199254740992 and 9007199254740993 for query 'q1' (2 such scores); subtract the same \
number from all (the first one, if these are times), or leave score out and give whole ranks as rank
    """
    too_great = written.filter(are_too_great(written["score"]))
    if too_great.height:
        first = too_great.row(0, named=True)
        found = f"{shown(first['score'])} for query {first['query_id']!r} as {called}"
        raise SchemaError(Problem(where, IN_RANGE, found, TOO_GREAT))
    key = [name for name in written.columns if name != "score"]
    large = (
        written.filter(pl.col("score").str.contains(_DECIMAL))
        .with_columns(number=pl.col("score").cast(pl.Float64))
        .filter(pl.col("number").abs() >= EXACT)
        .with_columns(
            _plain_decimal(pl.col("score").map_elements(_write_digits, return_dtype=pl.String))
        )
        .unique(maintain_order=True)
    )
    lost = large.filter(pl.struct(*key, "number").is_duplicated())
    if lost.height:
        raise SchemaError(_problem(lost, key, where, called))


def _write_digits(number: str) -> str:
    """Write a number without an exponent: 1e3 as 1000."""
    return format(Decimal(number), "f") if "e" in number.lower() else number


def _plain_decimal(number: pl.Expr) -> pl.Expr:
    """Write a decimal number in one way only: without a plus sign and needless zeros."""
    whole = number.str.replace(r"^\+", "").str.replace(r"^(-?)0+([0-9])", "${1}${2}")
    return whole.str.replace(r"\.0*$", "").str.replace(r"(\.[0-9]*?)0+$", "${1}")


def _problem(lost: pl.DataFrame, key: list[str], where: str, called: str) -> Problem:
    first = lost.head(1).join(lost, on=[*key, "number"], nulls_equal=True)
    one, other = first.row(0, named=True), first.row(1, named=True)
    many = "grades" if called == "relevance" else f"{called}s"
    found = (
        f"{one['score_right']} and {other['score_right']} for query {one['query_id']!r} "
        f"({lost.height} such {many})"
    )
    expected = f"different {many} that also differ as float64"
    return Problem(where, expected, found, _MEND[called])
