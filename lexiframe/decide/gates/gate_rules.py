"""The requirement of a gate, as the user writes it and as its table has it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Require = Literal["not-worse", "better", "equivalent", "all", "any"]
NOT_TESTED = "none"
"""What the column ``test`` has where nothing changed, which no test has to show."""
ANY = "any "
"""What the column ``require`` begins with where one measure is enough."""


class Rule(NamedTuple):
    """The claim to show, and whether one measure that shows it is enough."""

    claim: str
    is_any: bool

    @property
    def text(self) -> str:
        """The rule as the column ``require`` has it."""
        return ANY * self.is_any + self.claim


def rule_of(text: str) -> Rule:
    """Return the rule of a row from its column ``require``."""
    return Rule(text.removeprefix(ANY), text.startswith(ANY))
