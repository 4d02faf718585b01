"""Checks that a measure does its job: `check_metric`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from lexiframe.core.base import LexiframeError, printed, typed
from lexiframe.core.io import Tables
from lexiframe.core.metrics import Metric, needed
from lexiframe.core.pairwise import Measure, parse_measures
from lexiframe.study.testing.invariances import invariances
from lexiframe.study.theory import axioms, simulate_ties, top_heaviness, total_preorder
from lexiframe.typing import FrameKind, MeasureLike

_BESIDE = ("AP", "RR")
"""The measures whose ties stand beside those of the one that is checked."""
_DOCUMENTS, _DEPTHS, _PAIRS = 100, (10, 100), 2000


@dataclass(frozen=True, repr=False, eq=False)
class MetricCheck(Tables):
    """What `check_metric` found.

    Attributes
    ----------
    properties
        Key ``property``: whether it ``holds`` for all rankings of a few items, null where it is not
        about the measure; and for one that does not a ``counterexample``, two rankings in which R
        is a relevant item and - another. ``total preorder`` (three rankings are its counterexample)
        and ``top-heavy`` are the last.
    checks
        Key ``check``: whether values stay within the ``bounds`` of the measure, and are the same
        for the same data in another form; with a ``counterexample`` where not.
    ties
        Key ``measure, depth``: the ``tie_rate`` of pairs of random rankings of 100 documents, of
        which 1 to 10 are relevant and the first 10 or all are retrieved; of the measure, AP and RR.
    measure
        The name of the measure.

    Examples
    --------
    >>> import lexiframe as lf
    >>> found = lf.testing.check_metric("P@5", n=4)
    >>> found.checks.filter(holds=False).height
    0
    >>> found.ties.filter(depth=100)["measure"].to_list()
    ['P@5', 'AP', 'RR']
    """

    properties: pl.DataFrame
    checks: pl.DataFrame
    ties: pl.DataFrame
    measure: str

    _TABLES: ClassVar[tuple[str, ...]] = ("properties", "checks", "ties")

    @property
    def is_sound(self) -> bool:
        """Whether all checks hold; properties are what one may want of a measure, or not."""
        return bool(self.checks["holds"].fill_null(value=True).all())

    @property
    def verdict(self) -> printed.Verdict:
        """What holds, in sentences."""
        known = self.properties.filter(pl.col("holds").is_not_null())
        n_hold = int(known["holds"].sum())
        failed = self.checks.filter(holds=False)["check"].to_list()
        said = (
            "has the same values in whatever form the data come, within its bounds"
            if self.is_sound
            else f"is not sound: {'; '.join(failed)} does not hold"
        )
        top = self.properties.filter(property="top-heavy")["holds"].item()
        words = {True: "It is top-heavy.", False: "It is not top-heavy.", None: ""}[top]
        in_order = self.properties.filter(property=_PREORDER)
        words = " ".join(filter(None, [*map(_order_in_words, in_order.to_dicts()), words]))
        rates = self.ties.filter(depth=max(_DEPTHS)).select("measure", "tie_rate").rows()
        tied = ", ".join(f"{name} {100 * rate:.1f} %" for name, rate in rates)
        sentences = [
            f"{self.measure} {said}.",
            f"{n_hold} of {known.height} properties hold for all rankings of a few items. {words}",
            f"Share of pairs of random rankings that tie: {tied}.",
        ]
        return printed.Verdict({"sentence": [sentence.strip() for sentence in sentences]})

    def sections(self) -> dict[str, pl.DataFrame]:
        """Return the tables with their titles."""
        return {
            "Properties, and two rankings for each that does not hold": self.properties,
            "The same data in another form": self.checks,
            "Ties of random rankings": self.ties,
        }


@typed
def check_metric(
    m: MeasureLike, *, n: int = 6, seed: int = 0, frames: FrameKind | None = None
) -> MetricCheck:
    """Check a measure of your own: properties, bounds, ties, and that only the data matter.

    Parameters
    ----------
    m
        A metric or preference, its notation, or a function of your own, as for `preferences`.
    n
        The number of items of the rankings that are enumerated, with 1 to n // 2 relevant ones.
    seed
        The seed of the random rankings.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    MetricCheck
        The tables ``properties``, ``checks`` and ``ties``; it prints sentences and the tables, and
        ``is_sound`` says whether all checks hold.

    Raises
    ------
    LexiframeError
        For a measure that needs subtopics, judged items that are not relevant, or a pool; for one
        with a ``rel`` above 1; for several measures; for values that are not finite; and for an n
        below 2 or with more than 1,000 rankings.

    Notes
    -----
    The properties are those of `lexiframe.theory.axioms` and `lexiframe.theory.top_heaviness`, and
    whether rankings are in one order, of which ties are part: RPP may tie A with B and B with C,
    and prefer C to A. A composition (`lex`) is a total preorder if each of its measures is.
    That one does not hold is no fault by itself: RR is no worse for looking at one item only. What
    has to hold for every measure are the checks. They are made on a random collection with grades 0
    to 2: values are finite and within the bounds that the measure says it has; the order of rows
    and the names of documents, requests and runs do not matter; an evaluation in parts has the
    same values as one in memory; and a cut-off is the same as a run that ends there.

    Examples
    --------
    >>> import lexiframe as lf
    >>> found = lf.testing.check_metric("RR", n=4)
    >>> found.is_sound
    True
    >>> swapped = found.properties.filter(property="strictly increasing in swapping up")
    >>> swapped.select("holds", "counterexample").rows()
    [(False, 'RR-- is not above R-R-')]
    """
    asked = parse_measures(m)
    if len(asked) != 1:
        names = ", ".join(map(str, asked))
        raise LexiframeError(f"check_metric: expected one measure, found {names}")
    measure = asked[0]
    if n < 2:
        raise LexiframeError(f"check_metric: expected n from 2, found {n}")
    for part in needed.parts_of([measure]):
        if part.needs in (needed.SUBTOPICS, needed.JUDGED, needed.POOL):
            raise LexiframeError(
                f"check_metric: expected a measure of the relevant items of a ranking, found "
                f"{part}, which needs {part.needs}; the rankings that are enumerated have none"
            )
        if part.rel is not None and part.rel > 1:
            raise LexiframeError(
                f"check_metric: expected a measure of all positive grades, found {part}; the "
                "relevant items of the rankings that are enumerated have grade 1: check it "
                "without rel"
            )
    return MetricCheck(
        _properties(measure, n),
        invariances(measure, seed),
        _found_ties(measure, seed),
        str(measure),
    )


def _properties(measure: Measure, n: int) -> pl.DataFrame:
    sizes = [*range(1, n // 2 + 1)]
    found = axioms(measure, n, sizes).drop("method")
    top: tuple[bool | None, str | None] = (None, None)
    if isinstance(measure, Metric):
        try:
            of_sizes = top_heaviness(measure, n, sizes).drop_nulls("holds")
        except LexiframeError:  # it is about recall-level and graded metrics
            of_sizes = pl.DataFrame()
        if of_sizes.height:
            first = of_sizes.sort("holds").row(0, named=True)
            top = (first["holds"], first["counterexample"])
    is_in_order, words = total_preorder(measure, n, sizes)
    last = [(_PREORDER, is_in_order, words or None), ("top-heavy", *top)]
    table = pl.concat([found, pl.DataFrame(last, found.schema, orient="row")])
    return table.with_columns(
        counterexample=pl.Series(
            [
                words if words is None or name == "localised" else _ranking_drawing(words, n)
                for name, words in table.select("property", "counterexample").rows()
            ],
            dtype=pl.String,
        )
    )


_PREORDER = "total preorder"


def _order_in_words(row: dict[str, Any]) -> str:
    if row["holds"]:
        return "It is a total preorder of rankings: it orders them without circles."
    return f"It is no total preorder of rankings: {row['counterexample']}."


_RANKS = re.compile(r"\[([0-9, ]*)\]")


def _ranking_drawing(words: str, n: int) -> str:
    """Draw the rankings in a counterexample: R for a relevant item, - for another."""

    def ranking(found: re.Match[str]) -> str:
        ranks = {int(rank) for rank in found[1].split(",") if rank.strip()}
        return "".join("R" if rank in ranks else "-" for rank in range(1, n + 1))

    return _RANKS.sub(ranking, words)


def _found_ties(measure: Measure, seed: int) -> pl.DataFrame:
    names = [*dict.fromkeys([measure, *parse_measures(_BESIDE)])]
    found = simulate_ties(names, _DOCUMENTS, _DEPTHS, _PAIRS, seed, m=(1, 10))
    place = pl.col("measure").cast(pl.Enum([str(name) for name in names]))
    return found.sort("depth", place).select("measure", "depth", "pairs", "tie_rate")
