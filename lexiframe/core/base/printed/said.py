"""First sentences: a verdict is a frame that prints its sentences, a summary begins with one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from lexiframe.core.base.printed.sections import Section
from lexiframe.core.base.printed.words import say_users

NOTHING = (
    "Nothing to compare: a verdict needs two runs, and a measure that is no count. "
    "`lexiframe evaluate` prints the means."
)
"""What a verdict without rows prints."""


class Verdict(pl.DataFrame):
    """A frame with the column ``sentence``, which prints its sentences, each of them whole, once.

    It can be filtered, joined and written as every frame; frames made from it print as usual.

    Examples
    --------
    >>> v = Verdict({"measure": ["AP"], "sentence": ["By AP, a is best; b is worse."]})
    >>> print(v)
    By AP, a is best; b is worse.
    >>> v.filter(measure="AP")["sentence"].to_list()
    ['By AP, a is best; b is worse.']
    """

    __slots__ = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences, or the reason why there are none."""
        return tuple(self["sentence"].unique(maintain_order=True)) or (NOTHING,)

    def __str__(self) -> str:
        return Section(notes=self.sentences).text()

    __repr__ = __str__

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        return Section(notes=self.sentences).html()


@dataclass(frozen=True, repr=False, eq=False)
class Summary:
    """Sections that print one below the other: sentences, the main table, a hint to more tables."""

    sections: tuple[Section, ...]

    @classmethod
    def compose(cls, said: Iterable[str], *sections: Section, more: str = "") -> Summary:
        """Return sentences, then tables, then a line that names further tables."""
        last = [Section(notes=(more,))] if more else []
        return cls((Section(notes=tuple(said)), *sections, *last))

    def told(self, provenance: Mapping[str, Any]) -> Summary:
        """Return the same in the words of the judgments: users, if they call requests so."""
        return Summary(tuple(_told(one, provenance) for one in self.sections))

    def __str__(self) -> str:
        return "\n\n".join(text for part in self.sections if (text := part.text()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "\n".join(part.html() for part in self.sections)

    def __eq__(self, other: object) -> bool:  # of the page: the text depends on the terminal
        return isinstance(other, Summary) and self._repr_html_() == other._repr_html_()


def _told(section: Section, provenance: Mapping[str, Any]) -> Section:
    return replace(
        section,
        title=say_users(section.title, provenance),
        notes=tuple(say_users(note, provenance) for note in section.notes),
        parts=tuple(_told(part, provenance) for part in section.parts),
        instead=section.instead and _told(section.instead, provenance),
    )
