"""The parameters of measures: which values each accepts, and its default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from lexiframe.core.base import LexiframeError, shown

MOST = 2**53
"""The greatest whole number up to which floats are exact; ranks and corpus sizes stay below it."""


@dataclass(frozen=True)
class Number:
    """A number with bounds; a default of None means that the user has to give a value.

    The bounds ``above`` and ``below`` are exclusive, ``least`` and ``most`` are inclusive.
    """

    default: float | None = None
    above: float = -math.inf
    below: float = math.inf
    least: float = -math.inf
    most: float = math.inf
    whole: bool = False

    def __str__(self) -> str:
        bounds = (
            ("from", self.least, -math.inf),
            ("to", self.most, math.inf),
            ("above", self.above, -math.inf),
            ("below", self.below, math.inf),
        )
        said = [f"{word} {bound:g}" for word, bound, open_ in bounds if bound != open_]
        between = " and " if self.above > -math.inf else " "
        return f"{'a whole number' if self.whole else 'a number'} {between.join(said)}".strip()

    def accepts(self, value: Any) -> bool:
        """Return whether the parameter can have this value."""
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not is_number or not abs(value) <= MOST:
            return False
        number = float(value)
        inside = self.above < number < self.below and self.least <= number <= self.most
        return inside and (not self.whole or number == round(number))


@dataclass(frozen=True)
class Word:
    """A choice of words; the first word is the default."""

    choices: tuple[str, ...]

    @property
    def default(self) -> str:
        """The first word."""
        return self.choices[0]

    def __str__(self) -> str:
        return " or ".join(map(repr, self.choices))

    def accepts(self, value: object) -> bool:
        """Return whether the parameter can have this value."""
        return isinstance(value, str) and value in self.choices


@dataclass(frozen=True)
class CorpusSize:
    """The number of items in the corpus, or "pool", the number of items that any run retrieved."""

    default: str = "pool"

    def __str__(self) -> str:
        return "a whole number from 1, or 'pool'"

    def accepts(self, value: object) -> bool:
        """Return whether the parameter can have this value."""
        is_pool = isinstance(value, str) and value == "pool"
        return is_pool or Number(least=1, whole=True).accepts(value)


@dataclass(frozen=True)
class Flag:
    """True or False."""

    default: bool

    def __str__(self) -> str:
        return "True or False"

    def accepts(self, value: object) -> bool:
        """Return whether the parameter can have this value."""
        return isinstance(value, bool | np.bool_)


@dataclass(frozen=True)
class Gains:
    """Map grades to gains; an unmapped grade is its own gain."""

    default: None = None

    def __str__(self) -> str:
        return (
            "a dictionary from grades to gains of 0 or more, as {1: 1, 2: 10}; the gain of grades "
            "that are not positive is 0"
        )

    def accepts(self, value: object) -> bool:
        """Return whether the parameter can have this value."""
        return isinstance(value, Mapping) and all(
            Number().accepts(grade) and Number(least=0).accepts(gain) and (grade > 0 or gain == 0)
            for grade, gain in value.items()
        )


Parameter = Number | Word | CorpusSize | Flag | Gains


def refuse_wrong(measure: str, name: str, parameter: Parameter, value: Any) -> None:
    """Raise an error if a parameter does not accept a value."""
    if not parameter.accepts(value):
        raise LexiframeError(f"{measure}({name}={shown(value)}): expected {parameter}")


def as_parameter(parameter: Parameter | float | str | None) -> Parameter:
    """Return a parameter; a plain default becomes one that accepts any number, or any word."""
    if isinstance(parameter, Parameter):
        return parameter
    return _AnyWord((parameter,)) if isinstance(parameter, str) else Number(parameter)


class _AnyWord(Word):
    def __str__(self) -> str:
        return "a word"

    def accepts(self, value: object) -> bool:
        return isinstance(value, str)


def plain(value: Any) -> Any:
    """Return a number as a plain int or float, whole ones as int, so that it has one notation.

    Gains equal to their grade are left out; None when no other remains.

    Examples
    --------
    >>> import numpy as np
    >>> plain(np.float64(10)), plain(0.5), plain("min")
    (10, 0.5, 'min')
    >>> plain({2: 10.0, 1: 1, 0: 0}), plain({1: 1})
    ({2: 10}, None)
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Mapping):
        pairs = sorted((plain(grade), plain(gain)) for grade, gain in value.items())
        return {y: g for y, g in pairs if y > 0 and y != g} or None
    number = float(value)
    return int(number) if number == round(number) else number
