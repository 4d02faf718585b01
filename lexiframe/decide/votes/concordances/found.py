"""The result of `concordance`: `Concordance`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from lexiframe.core.base import escaped, printed, unknown_name
from lexiframe.core.io import Tables


@dataclass(frozen=True, repr=False, eq=False)
class Concordance(Tables):
    """How often measures and people prefer one run of a pair; `concordance` makes it.

    Attributes
    ----------
    measures
        Key ``measure``: of the ``n`` rows (request, pair) in which people prefer a run and the
        measure has a value, in ``n_requests`` requests, it prefers the same run in ``agree``, and
        neither in ``ties``; it has no value for ``missing`` rows. ``concordance`` = (agree +
        ties/2)/n, in 0..1, with its interval ``ci_low, ci_high``; 0.5 is what chance gives.
    pairs
        Key ``measure_a, measure_b``: the ``difference`` of their concordances over the ``n`` rows
        that both have, its interval, ``p_value``, ``p_adjusted`` over all pairs, and ``reject``.
    by_strength
        Key ``measure, strength_above``: the same where the strength of people's preference, \
|wins − losses|/judgments, is above ``strength_above`` and at most ``strength_up_to``.
    requests
        Key ``measure, query_id``: the same in each request.
    n_stated, n_undecided, n_requests : int
        How many rows people judged, in how many of them they prefer neither run (these do not
        count), and in how many requests they prefer one.
    correction, alpha
        What was asked for.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> rows = {"query_id": ["1", "2"], "run_a": "x", "run_b": "y"}
    >>> people = pl.DataFrame({**rows, "measure": "stated", "preference": [1.0, -0.5]})
    >>> d = pl.DataFrame({**rows, "measure": "AP", "preference": [0.1, 0.0]})
    >>> lf.concordance(d, people).requests.select("query_id", "concordance").rows()
    [('1', 1.0), ('2', 0.5)]
    """

    __module__ = "lexiframe"  # where users find it
    _TABLES = ("measures", "pairs", "by_strength", "requests")

    measures: pl.DataFrame
    pairs: pl.DataFrame
    by_strength: pl.DataFrame
    requests: pl.DataFrame
    n_stated: int
    n_undecided: int
    n_requests: int
    correction: str
    alpha: float

    @property
    def verdict(self) -> printed.Verdict:
        """Which measure agrees with people most, and which are shown to agree less."""
        return printed.Verdict({"sentence": concordance_sentences(self)})

    def ranked(self) -> pl.DataFrame:
        """Return ``measures`` by concordance, the highest first, and by name."""
        return self.measures.sort(
            "concordance", "measure", descending=[True, False], nulls_last=True
        )

    def best(self) -> str:
        """Return the measure of the highest concordance, the first by name of several."""
        return str(self.ranked()["measure"][0])

    def most_disputed(self, measure: str | None = None, n: int = 5) -> pl.DataFrame:
        """Return the requests in which a measure disagrees with people most often.

        Parameters
        ----------
        measure : str, optional
            Default: that of ``best``.
        n : int
            How many requests.

        Raises
        ------
        UnknownNameError
            For a measure that was not compared.
        """
        if measure is not None and measure not in self.measures["measure"]:
            raise unknown_name("measure", measure, self.measures["measure"])
        of = self.requests.filter(pl.col("measure") == (measure or self.best()))
        against = pl.col("n") - pl.col("agree") - pl.col("ties")
        ranked = of.with_columns(against=against).sort(
            "concordance", "against", "query_id", descending=[False, True, False]
        )
        return ranked.drop("against").head(n)

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return what to look at first: the measures, their differences, strengths, requests."""
        found = {
            "Concordance with people": self.ranked(),
            "Differences between measures": self.pairs,
            "By the strength of people's preference": self.by_strength,
            f"Requests in which {self.best()} and people disagree most": self.most_disputed(),
        }
        rounded = pl.selectors.float().round(4)
        return {title: table.with_columns(rounded) for title, table in found.items() if len(table)}


_ENOUGH = 20
"""How many pairs of a strength there must be for a share of them to be said."""
Found = Any
"""What is put into words: `Concordance`, whose module imports this one."""


def concordance_sentences(found: Found) -> list[str]:
    """Return the sentences: counts, the best measure, further measures, strong preferences."""
    ranked = found.ranked()
    said = [
        _counts_sentence(found),
        _best(found, ranked),
        *_others(found, ranked),
        *_strength_sentences(found),
    ]
    return [escaped(sentence) for sentence in [*said, *_missing_sentences(ranked)]]


def _counts_sentence(found: Found) -> str:
    n = found.n_stated - found.n_undecided
    in_requests = printed.counted(found.n_requests, "request")
    undecided = ""
    if found.n_undecided:
        others = printed.counted(found.n_undecided, "other pair")
        do = "does" if found.n_undecided == 1 else "do"
        undecided = f"; {others}, where they prefer neither, {do} not count"
    pairs = printed.counted(n, "pair")
    return f"People prefer one run in {pairs} of rankings, in {in_requests}{undecided}."


def _best(found: Found, ranked: pl.DataFrame) -> str:
    row = ranked.row(0, named=True)
    which = "them" if not row["missing"] else f"the {row['n']:,} for which it has a value"
    share = f"{printed.percent(row['concordance'])} of {which}"
    text = f"{row['measure']} prefers the same run in {share} (a tie is half)"
    if row["ci_low"] is None:
        return f"{text}; how sure that is cannot be said, as no two requests differ."
    interval = f"{printed.percent(row['ci_low'])} to {printed.percent(row['ci_high'])}"
    level = f"{100 * (1 - found.alpha):g} % interval {interval}"
    if row["ci_low"] <= 0.5 <= row["ci_high"]:
        return f"{text}, {level}, which is not shown to be better than chance."
    return f"{text}, {level}."


def _others(found: Found, ranked: pl.DataFrame) -> list[str]:
    """Say which measures are shown to agree less than the best, and which are not."""
    if ranked.height < 2:
        return []
    best = ranked["measure"][0]
    is_a, is_b = pl.col("measure_a") == best, pl.col("measure_b") == best
    with_best = found.pairs.filter(is_a | is_b).with_columns(
        other=pl.when(is_a).then("measure_b").otherwise("measure_a"),
        gain=pl.when(is_a).then("difference").otherwise(-pl.col("difference")),
    )
    order = {name: n for n, name in enumerate(ranked["measure"])}
    less = with_best.filter(pl.col("reject").fill_null(False) & (pl.col("gain") > 0))
    names = sorted(less["other"], key=order.__getitem__)
    rest = sorted({*with_best["other"]} - {*names}, key=order.__getitem__)
    how = f" ({_family(found)}, α = {found.alpha:g})"
    said = []
    if names:
        said.append(f"It is shown to agree with people more than {printed.listed(names)}{how}.")
    if rest:
        said.append(f"{printed.they_are(rest)} not shown to agree less{'' if names else how}.")
    return said


def _family(found: Found) -> str:
    n = found.pairs.height
    pairs = "the pair of measures" if n == 1 else f"the {n:,} pairs of measures"
    if found.correction == "none":
        return "p-values of requests, uncorrected"
    return f"p-values over requests, corrected over {pairs}"


def _strength_sentences(found: Found) -> list[str]:
    """Say whether the best measure agrees more where people are of one mind, if both are many."""
    of = found.by_strength.filter(pl.col("measure") == found.best(), pl.col("n") >= _ENOUGH)
    if of.height < 2:
        return []
    weak, strong = of.row(0, named=True), of.row(-1, named=True)
    weakly = f"weak (up to {weak['strength_up_to']:g})"
    strongly = f"strong (above {strong['strength_above']:g})"
    of_weak = f"{printed.percent(weak['concordance'])} of {printed.counted(weak['n'], 'pair')}"
    of_strong = f"{printed.percent(strong['concordance'])} of {strong['n']:,}"
    begin = f"Where people's preference is {weakly}, {found.best()} agrees in {of_weak}"
    return [f"{begin}; where it is {strongly}, in {of_strong}."]


def _missing_sentences(ranked: pl.DataFrame) -> list[str]:
    lacking = ranked.filter(pl.col("missing") > 0)
    if lacking.is_empty():
        return []
    most = int(lacking["missing"].to_numpy().max())
    names = printed.listed(lacking["measure"].to_list())
    verb = "has" if lacking.height == 1 else "have"
    upto = "" if lacking["missing"].n_unique() == 1 else "up to "
    return [f"{names} {verb} no value for {upto}{most:,} of these pairs, which do not count there."]
