"""The policies: named choices for cases that runs and judgments leave open, such as ties."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, get_args

from lexiframe.core.base import LexiframeError, check_choice, shown
from lexiframe.core.io import problems
from lexiframe.core.projection.excluded import excluded

Ties = Literal["doc_id_desc", "doc_id_asc", "input", "rank"]
ScoreType = Literal["float64", "float32"]
NoRelevant = Literal["drop", "zero"]
Unjudged = Literal["keep", "remove"]
_CHOICES: dict[str, Any] = {
    "ties": Ties,
    "score_type": ScoreType,
    "no_relevant": NoRelevant,
    "duplicates": problems.Duplicates,
    "unjudged": Unjudged,
}


@dataclass(frozen=True)
class Policies:
    """The policies of `positions`, where they are described; they are checked on creation."""

    rel: float | None = None
    ties: Ties = "doc_id_desc"
    score_type: ScoreType = "float64"
    no_relevant: NoRelevant = "drop"
    duplicates: problems.Duplicates = "error"
    unjudged: Unjudged = "keep"
    depth: int | None = None
    exclude_self: bool = False
    exclude: Any = None  # read when it is given, into `Excluded`

    def __post_init__(self) -> None:
        for name in _CHOICES:
            check_policy(name, getattr(self, name))
        if self.rel is not None and not is_grade(self.rel):
            raise LexiframeError(f"rel: expected a positive grade, found {shown(self.rel)}")
        is_whole = isinstance(self.depth, Integral) and not isinstance(self.depth, bool)
        if self.depth is not None and not (is_whole and 1 <= self.depth <= sys.maxsize):
            raise LexiframeError(
                f"depth: expected a whole number from 1, found {shown(self.depth)}"
            )
        if not isinstance(self.exclude_self, bool):
            raise TypeError(f"exclude_self: expected True or False, found {self.exclude_self!r}")
        object.__setattr__(self, "exclude", excluded(self.exclude))


def is_grade(value: Any) -> bool:
    """Return whether a value is a positive number, as the least relevant grade has to be."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)  # True is an int, too
    return is_number and 0 < value <= sys.float_info.max


def check_policy(name: str, value: str) -> None:
    """Raise an error for a choice that does not exist."""
    check_choice(name, value, get_args(_CHOICES[name]))
