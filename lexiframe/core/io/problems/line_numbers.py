"""Where rows are in their file: the number of their line, record or row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Places = Callable[[], tuple[str, np.ndarray]]
"""A function that reads a file again; it returns the unit (``"line"``, ``"record"``) and a number
for each row. Files are read again only for error messages, so that good files cost no memory."""


def places_of_rows(height: int, places: Places | None) -> tuple[str, np.ndarray]:
    """Return the places of rows in their file; if these are not known, number the rows from 1."""
    unit, numbers = ("", np.empty(0)) if places is None else places()
    if unit and len(numbers) == height:
        return unit, numbers
    return "row", np.arange(1, height + 1)
