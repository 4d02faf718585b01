"""The margin of each measure: the difference up to which two runs count as equally good."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from lexiframe.core.base import LexiframeError, shown, sums, unknown_name
from lexiframe.core.pairwise import PairCube, arrays

Margin = float | str | Mapping[str, float | str]
"""A number, a share of the baseline's mean such as ``"2%"``, or one of these for each measure."""


@dataclass(frozen=True)
class Margins:
    """The margins that a user gave, checked.

    Attributes
    ----------
    called
        The function that they were given to, for its errors.
    by_measure
        The margin of each measure and whether it is a share of the baseline's mean; the margin of
        all measures has the name ``None``.
    """

    called: str
    by_measure: Mapping[str | None, tuple[float, bool]]

    @property
    def has_shares(self) -> bool:
        """Whether a margin is a share of the baseline's mean."""
        return any(is_share for _, is_share in self.by_measure.values())

    def size(self, measure: str, baseline_mean: float | None = None) -> float:
        """Return a measure's margin in its unit; ``baseline_mean`` is None if it is not known."""
        if None not in self.by_measure and measure not in self.by_measure:
            raise LexiframeError(
                f"{self.called}: expected a margin for each measure, found none for {measure}; "
                f"name it as well: margin={{{measure!r}: 0.01}}"
            )
        name = None if None in self.by_measure else measure
        size, is_share = self.by_measure[name]
        return self._share(measure, size, baseline_mean) if is_share else size

    def _share(self, measure: str, share: float, mean: float | None) -> float:
        if mean is None or math.isnan(mean):
            raise LexiframeError(
                f"{self.called}: expected the scores of {measure}, of whose mean the margin is a "
                "share, found none; give the table of scores, or for preferences a number"
            )
        if mean == 0:
            raise LexiframeError(
                f"{self.called}: expected a margin above 0, found {100 * share:g} % of the "
                f"baseline's mean of {measure}, which is 0; give a number"
            )
        return share * abs(mean)

    def refuse_unknown(self, measures: Iterable[str]) -> None:
        """Raise when a margin names a measure that the table lacks."""
        known = list(dict.fromkeys(measures))
        for name in self.by_measure:
            if name is not None and name not in known:
                raise unknown_name("measure", name, known)


def margins_of(
    called: str, margin: Margin, baseline: str | None = None, alpha: float = 0.05
) -> Margins:
    """Check the user's ``margin``, and the level of the one-sided tests."""
    if alpha >= 0.5:
        raise LexiframeError(
            f"{called}: expected alpha below 0.5, found {alpha}; two one-sided tests at alpha have "
            "an interval of level 1 − 2 · alpha"
        )
    given = {str(k): v for k, v in margin.items()} if isinstance(margin, Mapping) else margin
    by_measure = given if isinstance(given, dict) else {None: given}
    if not by_measure:
        raise LexiframeError(f"{called}: expected a margin for each measure, found none")
    margins = Margins(
        called, {name: _margin_size(called, size) for name, size in by_measure.items()}
    )
    if margins.has_shares and baseline is None:
        raise LexiframeError(
            f"{called}: a margin in % is a share of the baseline's mean, and no baseline is "
            "named; expected baseline='RUN', or a margin in the unit of the measure"
        )
    return margins


def _margin_size(called: str, given: object) -> tuple[float, bool]:
    """Return the number, and whether it is a share."""
    number, is_share = given, False
    if isinstance(given, str) and given.strip().endswith("%"):
        number, is_share = _written_number(given.strip()[:-1]), True
    is_number = hasattr(number, "__float__") and not isinstance(number, bool | str)
    size = float(number) if is_number else math.nan  # type: ignore[arg-type]
    if not (size > 0 and math.isfinite(size)):
        raise LexiframeError(
            f"{called}: expected margin to be a number above 0, a number for each measure "
            f"({{'AP': 0.01}}), or with a baseline a share of its mean ('2%'), found {shown(given)}"
        )
    return (size / 100 if is_share else size), is_share


def _written_number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def mean_score(cube: PairCube | arrays.Reduced, baseline: str | None, measure: str) -> float | None:
    """Return the mean score of a run, or None if the scores of the measure are not known."""
    if baseline is None or baseline not in cube.runs:
        return None
    if isinstance(cube, arrays.Reduced):
        of = cube.scores.get(measure)
        return None if of is None else float(of.scores.mean[of.runs.index_of(baseline)])
    if measure not in cube.scores.measures:
        return None
    place = cube.scores.measures.index_of(measure), slice(None), cube.runs.index_of(baseline)
    known = ~np.isnan(cube.scores.values[place])
    if not known.any():
        return None
    values = cube.scores.values[place][known]
    if cube.weights is None:
        return float(values.mean())
    weighing = cube.weights.rows_of(cube.queries).some(known)
    return float(sums.add_up(values[:, None], np.zeros((1, 1)), weighing).mean[0])
