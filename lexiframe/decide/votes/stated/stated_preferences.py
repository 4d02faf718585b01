"""The result of `read_preferences`: `StatedPreferences`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from lexiframe.core.base import escaped, printed, schemas
from lexiframe.core.io.tables_together import Tables
from lexiframe.decide.votes.stated.shown_first import position_bias

_SHOWN = 10
"""How many rows of each table are printed."""
_ROUNDED = pl.selectors.float().round(4)


@dataclass(frozen=True, repr=False, eq=False)
class StatedPreferences(Tables):
    """Side-by-side judgments, as `read_preferences` returns them.

    Wherever a table of preferences is expected, it stands for its ``preferences``.

    Attributes
    ----------
    judgments : polars.DataFrame
        Key ``query_id, run_a, run_b, judge, replicate`` (run_a < run_b); ``winner`` (``a``, ``b``
        or ``tie``) and ``first``, the run that was shown first (``a``, ``b`` or null). Where votes
        are probabilities: ``share``, what run_a has of the judgment, 0..1.
    preferences : polars.DataFrame
        Key ``query_id, run_a, run_b, measure``: ``preference``, the mean of +1 (run_a won), −1 and
        0 (of 2 ``share`` − 1 where there are shares), and ``n_judgments``.
    position : polars.DataFrame
        The bias of position. Key ``judge`` (null: all judges together); of the ``n`` judgments that
        say which run was shown first, in ``n_requests`` requests: ``wins, ties, losses`` of that
        run, and ``win_rate``, ties half, with its 95 % interval ``ci_low, ci_high``.
        ``win_rate_both_orders`` and its interval compare the two orders of the same pair of runs,
        over the ``n_both_orders`` judgments of pairs that were shown both ways: where better runs
        stand first more often, this one alone is about position. All are in 0..1, and 0.5 is no
        bias; intervals take the judgments of a request together, and are null for one request.
    measure : str
        The name of the preferences as a measure.
    both_bad : int
        How many of the ties are judgments that both are bad.
    left_out : int
        How many rows named no winner and were left out.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> rows = {"prompt": ["p", "p"], "left": ["x", "y"], "right": ["y", "x"],
    ...         "winner": ["left", "tie"]}
    >>> v = lf.read_preferences(pl.DataFrame(rows))
    >>> v.preferences["preference"].to_list()
    [0.5]
    >>> v.position.select("n", "wins", "ties", "win_rate").row(0)
    (2, 1, 1, 0.75)
    """

    __module__ = "lexiframe"  # where users find it
    _TABLES = ("judgments", "preferences", "position")

    judgments: pl.DataFrame
    measure: str = "stated"
    both_bad: int = 0
    left_out: int = 0

    @cached_property
    def preferences(self) -> pl.DataFrame:
        """Rows of `preferences`: the mean of +1, −1 and 0, with ``n_judgments``."""
        return stated_rows(self.judgments, self.measure)

    @cached_property
    def position(self) -> pl.DataFrame:
        """The bias of position; see the class."""
        return position_bias(self.judgments)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the preferences, so that every function that takes preferences takes these."""
        return self.preferences.__arrow_c_stream__(requested_schema)

    @property
    def verdict(self) -> printed.Verdict:
        """What was read, what was left out, and whether what was shown first has an advantage."""
        said = [self._counts(), *_position_in_words(self.position)]
        return printed.Verdict({"sentence": [escaped(sentence) for sentence in said]})

    def _counts(self) -> str:
        j = self.judgments
        runs = pl.concat([j["run_a"], j["run_b"]]).n_unique()
        judges, requests = j["judge"].drop_nulls().n_unique(), j["query_id"].n_unique()
        by = f" by {printed.counted(judges, 'judge')}" if judges else ""
        left_out = ""
        if self.left_out:
            verb = "names no winner and is" if self.left_out == 1 else "name no winner and are"
            left_out = f" {printed.counted(self.left_out, 'row')} {verb} left out."
        return (
            f"{printed.counted(j.height, 'judgment')} of {printed.counted(runs, 'run')} in "
            f"{printed.counted(requests, 'request')}{by}{ties_in_words(j, self.both_bad)}."
            f"{left_out}"
        )

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return what to look at first: rows of preferences, of position, and of judgments."""
        found = {
            "Preferences by request and pair": self.preferences,
            "Position, by all judges and by each": self.position,
            "Judgments": self.judgments,
        }
        return {
            printed.begun(title, table.height, _SHOWN): table.head(_SHOWN).with_columns(_ROUNDED)
            for title, table in found.items()
            if table.height
        }


def ties_in_words(judgments: pl.DataFrame, both_bad: int) -> str:
    """Say how many judgments are ties, and how many of these that both are bad."""
    ties = int((judgments["winner"] == "tie").sum())
    bad = f", {both_bad:,} of them of two bad answers" if both_bad else ""
    return f"; {ties:,} {'is a tie' if ties == 1 else 'are ties'}{bad}"


def _position_in_words(position: pl.DataFrame) -> list[str]:
    """Say how often the run that is shown first wins, over all judges."""
    if not position.height:
        return []
    row = position.row(0, named=True)
    both = row["win_rate_both_orders"] is not None
    names = ("win_rate_both_orders", "both_orders_low", "both_orders_high")
    rate, low, high = (row[c] for c in (names if both else ("win_rate", "ci_low", "ci_high")))
    n = row["n_both_orders" if both else "n"]
    many, say = ("one judgment", "says") if n == 1 else (f"{n:,} judgments", "say")
    of = "of pairs that were shown in both orders" if both else f"that {say} which run was first"
    begin = f"The run that was shown first wins {printed.percent(rate)} of the {many} {of}"
    alone = "" if both else "; better runs may stand first more often, as no pair has both orders"
    if low is None:
        why = "one request does" if row["n_requests"] == 1 else "requests that are all alike do"
        return [f"{begin} (a tie is half a win); {why} not say how sure that is{alone}."]
    interval = f"ties half; 95 % interval {printed.percent(low)} to {printed.percent(high)}"
    verdict = "is shown" if low > 0.5 or high < 0.5 else "is not shown"
    return [f"{begin} ({interval}), so a bias of position {verdict}{alone}."]


def stated_rows(judgments: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return a row of preferences for each request and pair: (wins − losses) / judgments."""
    won, lost = ((pl.col("winner") == side).sum().cast(pl.Int64) for side in "ab")
    mean = (won - lost) / pl.len()
    if "share" in judgments.columns:
        mean = 2 * pl.col("share").sort().mean() - 1  # sorted: the same bits in any order
    rows = judgments.group_by("query_id", "run_a", "run_b").agg(
        preference=mean, n_judgments=pl.len().cast(pl.Int64)
    )
    order = [*schemas.PREFERENCES.required, "n_judgments"]
    return rows.with_columns(measure=pl.lit(measure)).select(order).sort(schemas.PREFERENCES.key)
