"""The policies: named choices for cases that runs and judgments leave open, such as ties."""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, get_args

import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, coded, errors, printed, shown
from lexiframe.core.io import qrel_files

Ties = Literal["doc_id_desc", "doc_id_asc", "input", "rank", "expected"]
ScoreType = Literal["float64", "float32"]
NoRelevant = Literal["drop", "zero"]
Unjudged = Literal["keep", "remove"]
_CHOICES: dict[str, Any] = {
    "ties": Ties,
    "score_type": ScoreType,
    "no_relevant": NoRelevant,
    "duplicates": qrel_files.Duplicates,
    "unjudged": Unjudged,
}


@dataclass(frozen=True)
class Policies:
    """The policies of `positions`, where they are described; they are checked on creation."""

    rel: float | None = None
    ties: Ties = "doc_id_desc"
    score_type: ScoreType = "float64"
    no_relevant: NoRelevant = "drop"
    duplicates: qrel_files.Duplicates = "error"
    unjudged: Unjudged = "keep"
    depth: int | None = None
    exclude_self: bool = False
    exclude: Any = None  # read when it is given, into `Excluded`

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, Mapping) and name != "exclude":
                raise LexiframeError(
                    f"{name}: expected one value for one collection, found {shown(value)}; give it "
                    "alone, or several collections, {name: (runs, qrels)} or a folder of them"
                )
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


class Excluded(str):
    """The provenance of excluded documents: their number and checksum. ``rows`` has them."""

    __slots__ = ("rows",)
    rows: pl.DataFrame


def excluded(given: Any) -> Excluded | None:
    """Read the documents to leave out, in any form of judgments, whose grades do not count."""
    if given is None or isinstance(given, Excluded):
        return given
    if isinstance(given, Mapping):  # a query with nothing to leave out
        given = {query: of for query, of in given.items() if not isinstance(of, Sized) or len(of)}
    with warnings.catch_warnings():  # that there are no grades
        warnings.simplefilter("ignore", errors.LexiframeWarning)
        judged = qrel_files.load_qrels(given, called="exclude")
    rows = coded.as_strings(judged.rows.select("query_id", "doc_id")).unique().sort(pl.all())
    digest = hashlib.sha256(rows.write_csv().encode()).hexdigest()
    found = Excluded(f"{printed.counted(rows.height, 'document')} (sha256 {digest[:16]})")
    found.rows = rows
    return found
