"""First runs by another order of equal scores, where ties are expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from lexiframe.core.base import escaped, printed
from lexiframe.core.views.sentences.rows import is_first


def other_first_sentences(
    by_id: Mapping[str, list[str]],
    means: pl.DataFrame,
    measure: str | None,
    words: tuple[str, str] = ("expectation over tied orders", "by document id"),
) -> Iterator[str]:
    """Yield which runs are first by expectation, and which by document id, where they differ.

    ``by_id`` has the first runs by document id, by the measures where they differ. Measures of the
    same runs share a sentence; one ``measure`` alone is not named. Other ``words`` name both ways.
    """
    together: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for name in means["measure"].unique(maintain_order=True):
        runs = means.filter(measure=name).filter(is_first())["run"].sort().to_list()
        if name in by_id and measure in (None, name):
            together.setdefault((tuple(runs), tuple(by_id[name])), []).append(name)
    for (first, other), names in together.items():
        of = f" by {printed.and_joined(names)}" if measure is None else ""
        are_first = f"{_names_of(first)} {'is' if len(first) == 1 else 'are'} first{of}"
        yield f"By {words[0]} {are_first}; {words[1]} {_names_of(other)}."


_MOST = 3
"""How many runs are named."""


def _names_of(runs: Sequence[str]) -> str:
    shown = [printed.shortened(escaped(str(run))) for run in runs]
    return printed.and_joined(printed.first_runs(shown, _MOST))
