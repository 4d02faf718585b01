"""The least and the greatest value of a measure, as numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from lexiframe.core.base import LexiframeError, errors, shown, sums


@dataclass(frozen=True)
class Bounds:
    """The range of a measure's values.

    An end is infinite where it depends on the request (``"m to n"``), or is not known. Some
    measures ``can_exceed`` their upper end, where a ranking is better than the one divided by.
    """

    low: float
    high: float
    can_exceed: bool = False

    @classmethod
    def parse(cls, text: str) -> Bounds:
        """Read a range as people write it.

        Examples
        --------
        >>> Bounds.parse("0 to 1"), Bounds.parse("0 to n − m")
        (Bounds(low=0.0, high=1.0, can_exceed=False), Bounds(low=0.0, high=inf, can_exceed=False))
        >>> Bounds.parse("−1, 0, 1"), Bounds.parse("0 or 1")
        (Bounds(low=-1.0, high=1.0, can_exceed=False), Bounds(low=0.0, high=1.0, can_exceed=False))
        """
        said, more, _ = text.partition(", or more")
        ends = re.split(" to |, | or ", said)
        return cls(_end_number(ends[0], -np.inf), _end_number(ends[-1], np.inf), bool(more))

    @classmethod
    def refuse_wrong(cls, name: str, said: Any) -> None:
        """Raise for limits that cannot be the range of a measure's values."""
        if not isinstance(said, str):
            raise errors.WrongTypeError(
                f"{name}: expected bounds as text, such as '0 to 1', found {shown(said)}"
            )
        read = cls.parse(said)
        if said and not re.search(r"\d| to |as of", said):
            raise LexiframeError(f"{name}: expected bounds such as '0 to 1', found {said!r}")
        if read.low > read.high:
            raise LexiframeError(
                f"{name}: expected bounds with the least value first, found {said!r}"
            )

    @property
    def are_of_a_share(self) -> bool:
        """Whether values are from 0 to 1."""
        return (self.low, self.high) == (0, 1)

    @property
    def width(self) -> float:
        """The greatest difference of two values, infinite where there is none."""
        return np.inf if self.can_exceed else self.high - self.low

    def within(self, values: np.ndarray) -> np.ndarray:
        """Replace values of a share that are out of bounds only because of rounding by the bound.

        Values that are out of bounds by more stay, because a ranking can beat a greedy ideal.

        Examples
        --------
        >>> Bounds(0, 1).within(np.array([-1e-16, 0.5, 1.0000000000000002, 1.1])).tolist()
        [0.0, 0.5, 1.0, 1.1]
        """
        if not self.are_of_a_share:
            return values
        inside = np.clip(values, 0, 1)
        return np.where(np.abs(values - inside) <= sums.TIE, inside, values)


def _end_number(text: str, unknown: float) -> float:
    """Return an end that is a number; ``unknown`` for one that is a formula."""
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        return unknown
