"""Where rows are in their file: on which line, or which record or row they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Places = Callable[[], tuple[str, np.ndarray]]
"""Reads a file again and numbers the place of every row: its ``"line"`` or ``"record"``."""


def places_of_rows(height: int, places: Places | None) -> tuple[str, np.ndarray]:
    """Number rows by their places, or by themselves where these are not known.

    Examples
    --------
    >>> places_of_rows(2, lambda: ("line", np.array([1, 3])))
    ('line', array([1, 3]))
    >>> places_of_rows(2, lambda: ("line", np.array([1])))
    ('row', array([1, 2]))
    """
    unit, numbers = ("", np.empty(0)) if places is None else places()
    if unit and len(numbers) == height:
        return unit, numbers
    return "row", np.arange(1, height + 1)
