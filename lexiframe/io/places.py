"""Where rows are in their file: on which line, where each row is one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

LineNumbers = Callable[[], np.ndarray]
"""Reads a file again and gives the line number of every row."""


def places_of_rows(height: int, lines: LineNumbers | None) -> tuple[str, np.ndarray]:
    """Number rows by their lines, or by themselves where a row is no line (JSON, text in quotes).

    Examples
    --------
    >>> places_of_rows(2, lambda: np.array([1, 3]))
    ('line', array([1, 3]))
    >>> places_of_rows(2, lambda: np.array([1]))
    ('row', array([1, 2]))
    """
    numbers = None if lines is None else lines()
    if numbers is None or len(numbers) != height:
        return "row", np.arange(1, height + 1)
    return "line", numbers


def place_of_row(row: int, height: int, lines: LineNumbers | None) -> str:
    """Say where a row is.

    Examples
    --------
    >>> place_of_row(1, 2, lambda: np.array([1, 3]))
    'line 3'
    """
    unit, numbers = places_of_rows(height, lines)
    return f"{unit} {numbers[row]}"
