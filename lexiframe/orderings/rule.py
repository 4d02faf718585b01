"""How runs are ordered: a method of `order_runs` and its options."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from lexiframe.base import LexiframeError, check_choice
from lexiframe.metrics import notation
from lexiframe.orderings.gaps import Missing, check_missing

Method = Literal["mean", "win_rate", "borda", "copeland", "mc4", "kemeny"]
Votes = Literal["win_rate", "preference"]


_MOST_STEPS = 100_000
"""By then a Markov chain of some thousand runs has found its stationary distribution."""


@dataclass(frozen=True)
class Rule:
    """A method of `order_runs` with its options, checked.

    Examples
    --------
    >>> Rule("mc4", iterations=10).name
    'mc4(iterations=10)'
    """

    method: Method
    votes: Votes = "win_rate"
    iterations: int | None = None
    teleport: float | None = None
    missing: Missing | None = None

    def __post_init__(self) -> None:
        """Raise for an unknown method, or an option that the method does not have."""
        check_choice("order_runs", self.method, get_args(Method), "method")
        check_choice("order_runs", self.votes, get_args(Votes), "votes")
        check_missing("order_runs", self.missing)
        if self.method not in ("mc4", "kemeny") and self.votes != "win_rate":
            raise LexiframeError("order_runs: votes belongs to method='mc4' and method='kemeny'")
        if self.method != "mc4" and (self.iterations is not None or self.teleport is not None):
            raise LexiframeError("order_runs: iterations and teleport belong to method='mc4'")
        if self.iterations is not None and self.teleport is not None:
            raise LexiframeError("order_runs: give iterations or teleport, not both")
        steps: object = self.iterations
        is_whole = isinstance(steps, int | np.integer)
        if steps is not None and not (is_whole and 1 <= steps <= _MOST_STEPS):  # type: ignore[operator]
            raise LexiframeError(
                f"order_runs: expected iterations to be a whole number from 1 to {_MOST_STEPS:,}, "
                f"found {steps!r}"
            )
        if self.teleport is not None and not 0 < self.teleport < 1:
            raise LexiframeError(
                f"order_runs: expected teleport between 0 and 1, found {self.teleport}"
            )

    @property
    def name(self) -> str:
        """The method, with the options that are not the default."""
        options: dict[str, Any] = {"votes": None if self.votes == "win_rate" else self.votes}
        options |= {"iterations": self.iterations, "teleport": self.teleport}
        chosen = {name: value for name, value in options.items() if value is not None}
        return notation.write(self.method, None, chosen, None)

    def name_of(self, measure: str, changed: Collection[str]) -> str:
        """Return the name, with ``missing`` where it matters: for ``changed`` measures.

        Examples
        --------
        >>> Rule("mean", missing="own").name_of("AP", {"AP"})
        "mean(missing='own')"
        """
        if self.missing is None or measure not in changed:
            return self.name
        inside = self.name.removeprefix(self.method).strip("()")
        said = ", ".join(filter(None, [inside, f"missing={self.missing!r}"]))
        return f"{self.method}({said})"
