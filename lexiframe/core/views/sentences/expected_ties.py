"""First runs by another order of equal scores, where ties are expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from lexiframe.core.base import escaped, printed
from lexiframe.core.views.sentences.rows import is_first


def other_first_sentences(
    by_id: Mapping[str, list[str]], means: pl.DataFrame, measure: str | None
) -> Iterator[str]:
    """Yield which runs are first by expectation, and which by document id, where they differ.

    ``by_id`` has the first runs by document id, by the measures where they differ. Measures of the
    same runs share a sentence; one ``measure`` alone is not named.
    """
    together: dict[tuple[str, str], list[str]] = {}
    for name in means["measure"].unique(maintain_order=True):
        first = means.filter(measure=name).filter(is_first())["run"].sort().to_list()
        if name in by_id and measure in (None, name):
            together.setdefault((_names_of(first), _names_of(by_id[name])), []).append(name)
    for (first, other), names in together.items():
        of = f" by {printed.and_joined(names)}" if measure is None else ""
        verb = "is" if first.count(" and ") == 0 else "are"
        yield f"By expectation over tied orders {first} {verb} first{of}; by document id {other}."


def _names_of(runs: list[str]) -> str:
    return printed.and_joined(
        printed.first_runs([printed.shortened(escaped(run)) for run in runs], 3)
    )
