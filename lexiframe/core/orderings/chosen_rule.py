"""How runs are to be ordered: a rule that is chosen, with its options."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from lexiframe.core.base import LexiframeError, check_choice
from lexiframe.core.metrics import notation
from lexiframe.core.orderings.missing_requests import Missing, check_missing
from lexiframe.core.orderings.rules import RULES, AnyMethod, Method

Votes = Literal["win_rate", "preference"]


_MOST_STEPS = 100_000
"""By then a Markov chain of some thousand runs has found its stationary distribution."""


@dataclass(frozen=True)
class ChosenRule:
    """A method of `order_runs` with its options, checked.

    Examples
    --------
    >>> ChosenRule("mc4", iterations=10).name
    'mc4(iterations=10)'
    """

    method: AnyMethod
    votes: Votes = "win_rate"
    iterations: int | None = None
    teleport: float | None = None
    missing: Missing | None = None

    def __post_init__(self) -> None:
        """Raise for an unknown method, or an option that the method does not have."""
        check_choice("order_runs", self.method, RULES, "method")
        check_choice("order_runs", self.votes, get_args(Votes), "votes")
        check_missing("order_runs", self.missing)
        for option in self.told:
            if option not in RULES[self.method].options:
                raise LexiframeError(f"order_runs: {_whose(option)}")
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
    def told(self) -> dict[str, Any]:
        """The options of the method that are not the default."""
        options: dict[str, Any] = {"votes": None if self.votes == "win_rate" else self.votes}
        options |= {"iterations": self.iterations, "teleport": self.teleport}
        return {name: value for name, value in options.items() if value is not None}

    @property
    def options(self) -> dict[str, Any]:
        """The options of the rule itself, without ``votes``."""
        return {name: value for name, value in self.told.items() if name != "votes"}

    @property
    def counts(self) -> Votes:
        """The quantity by which a request votes for a run of a pair."""
        return self.votes if "votes" in RULES[self.method].options else "preference"

    @property
    def name(self) -> str:
        """The method, with the options that are not the default."""
        return notation.write(self.method, None, self.told, None)

    def name_of(self, measure: str, changed: Collection[str]) -> str:
        """Return the name, with ``missing`` where it matters: for ``changed`` measures."""
        if self.missing is None or measure not in changed:
            return self.name
        inside = self.name.removeprefix(self.method).strip("()")
        said = ", ".join(filter(None, [inside, f"missing={self.missing!r}"]))
        return f"{self.method}({said})"


def check_method(called: str, method: object, argument: str) -> None:
    """Raise unless there is a rule of this name that orders runs by sums over the requests."""
    check_choice(called, method, get_args(Method), argument)


def refuse_many(
    method: str, n_runs: int, called: str = "order_runs", argument: str = "method"
) -> None:
    """Raise when there are more runs than the rule can search the orders of."""
    most = RULES[method].most_runs
    if most is not None and n_runs > most:
        *others, last = (name for name, rule in RULES.items() if rule.most_runs is None)
        raise LexiframeError(
            f"{called}: {argument}={method!r} searches all orders of at most {most} runs, found "
            f"{n_runs}; choose {most} of them, or take {', '.join(others)} or {last}"
        )


def _whose(option: str) -> str:
    """Say which methods have an option, and which other options the same methods have."""

    def those_with(option: str) -> list[str]:
        return [name for name, rule in RULES.items() if option in rule.options]

    has, all_options = those_with(option), {o: None for r in RULES.values() for o in r.options}
    alike = [other for other in all_options if those_with(other) == has]
    belong = "belongs" if len(alike) == 1 else "belong"
    return f"{' and '.join(alike)} {belong} to {' and '.join(f'method={m!r}' for m in has)}"
