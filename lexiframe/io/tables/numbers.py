"""Numbers as text: how they are written, and large scores that become equal as float64."""

from __future__ import annotations

import polars as pl

from lexiframe.errors import Problem, SchemaError

NUMBER = r"(?i)^[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?)$"
"""A number as text, for regular expressions in Python and Polars; NaN is none."""
EXACT = 2**53
"""Below this, every whole number is a float64 of its own; above, several share one."""

_DECIMAL = r"^[+-]?[0-9]+(?:\.[0-9]*)?$"


def whole_ranks(ranks: pl.Series) -> pl.Series:
    """Turn ranks written as 1 or 1.0 into integers; what is no whole number becomes null.

    Examples
    --------
    >>> whole_ranks(pl.Series(["1", "2.0", "2.5", "x"])).to_list()
    [1, 2, None, None]
    """
    numbers = ranks.cast(pl.Float64, strict=False)
    is_whole = numbers.is_finite() & (numbers == numbers.round())
    return numbers.set(~is_whole.fill_null(value=False), None).cast(pl.Int64, strict=False)


def have_large_ties(rows: pl.DataFrame) -> bool:
    """Return whether two scores of a query, too large to be exact as float64, are equal."""
    least, greatest = rows["score"].min(), rows["score"].max()
    if not (isinstance(least, float) and isinstance(greatest, float)):
        return False
    if max(-least, greatest) < EXACT:
        return False
    large = rows.filter(pl.col("score").abs() >= EXACT, pl.col("score").is_finite())
    return bool(large.select(pl.struct("query_id", "score").is_duplicated().any()).item())


def refuse_lost_digits(written: pl.DataFrame, where: str) -> None:
    """Raise when large scores of a query are equal as float64 but were written differently.

    Parameters
    ----------
    written
        The columns ``query_id``, ``score`` and perhaps ``run``, as text.
    where
        What error messages call the file or frame.

    Raises
    ------
    SchemaError
        The message names two such scores. Times in nanoseconds since 1970 are a usual cause.

    Examples
    --------
    >>> scores = ["9007199254740992.0", "9007199254740993"]
    >>> refuse_lost_digits(pl.DataFrame({"query_id": ["q1", "q2"], "score": scores}), "runs")
    >>> refuse_lost_digits(pl.DataFrame({"query_id": "q1", "score": scores}), "runs")
    Traceback (most recent call last):
    lexiframe.errors.SchemaError: runs: expected different scores that also differ as float64, \
found 9007199254740992 and 9007199254740993 for query 'q1' (2 such scores); subtract the same \
number from all (from times the first one), or leave score out and give whole ranks as rank
    """
    key = [name for name in written.columns if name != "score"]
    large = (
        written.filter(pl.col("score").str.contains(_DECIMAL))
        .with_columns(_plain(pl.col("score")), number=pl.col("score").cast(pl.Float64))
        .filter(pl.col("number").abs() >= EXACT)
        .unique(maintain_order=True)
    )
    lost = large.filter(pl.struct(*key, "number").is_duplicated())
    if lost.height:
        raise SchemaError(_problem(lost, key, where))


def _plain(number: pl.Expr) -> pl.Expr:
    """Write a decimal number in one way only: without a plus sign and needless zeros."""
    whole = number.str.replace(r"^\+", "").str.replace(r"^(-?)0+([0-9])", "${1}${2}")
    return whole.str.replace(r"\.0*$", "").str.replace(r"(\.[0-9]*?)0+$", "${1}")


def _problem(lost: pl.DataFrame, key: list[str], where: str) -> Problem:
    first = lost.head(1).join(lost, on=[*key, "number"], nulls_equal=True)
    one, other = first.row(0, named=True), first.row(1, named=True)
    found = (
        f"{one['score_right']} and {other['score_right']} for query {one['query_id']!r} "
        f"({lost.height} such scores)"
    )
    advice = (
        "subtract the same number from all (from times the first one), or leave score out and give "
        "whole ranks as rank"
    )
    return Problem(where, "different scores that also differ as float64", found, advice)
