"""Long names, cut so that two rows never look alike."""

from __future__ import annotations

import json
from collections.abc import Iterable

MOST = 34
"""The number of characters from which on a name is cut; its tooltip has all of it."""


def shortened(names: Iterable[str], most: int = MOST) -> dict[str, str]:
    """Return a text for each name that is too long: its start and its end, and no text twice.

    Examples
    --------
    >>> shortened(["bm25", "a_long_name_of_depth_10", "a_long_name_of_depth_20"], 13)
    {'a_long_name_of_depth_10': 'a_long…pth_10', 'a_long_name_of_depth_20': 'a_long…pth_20'}
    >>> shortened(["a_long_name_1_of_a_run", "a_long_name_2_of_a_run"], 13)
    {'a_long_name_1_of_a_run': 'a_long…_a_run', 'a_long_name_2_of_a_run': 'a_lo…_run (2)'}
    """
    every = sorted({*names})  # so that a run has the same text in all charts of the same runs
    taken = {name for name in every if len(name) <= most}
    found: dict[str, str] = {}
    same: dict[str, int] = {}
    for name in every:
        if len(name) <= most:
            continue
        start = _cut(name, most)
        text, number = start, same.get(start, 1)
        while text in taken:
            number += 1
            text = _cut(name, most - len(f" ({number})")) + f" ({number})"
        same[start] = number
        taken.add(text)
        found[name] = text
    return found


def _cut(name: str, most: int) -> str:
    n_last = (most - 1) // 2
    return f"{name[: most - 1 - n_last]}…{name[len(name) - n_last :]}"


def shown_as(names: dict[str, str], datum: str) -> str:
    r"""Return the expression of Vega that replaces a long name and returns any other name."""
    place = f"indexof({json.dumps([*names])}, {datum})"
    return f"{place} < 0 ? {datum} : {json.dumps([*names.values()])}[{place}]"
