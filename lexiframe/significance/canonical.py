"""An order of runs by their preferences alone, so that what is drawn for them ignores their names.

As long as graphs are told apart by their canonical form: colours of runs are refined until they
differ, and where they cannot, one of the runs is set apart.
"""

from __future__ import annotations

import numpy as np


def canonical(matrix: np.ndarray) -> np.ndarray:
    """Give an antisymmetric matrix of one request with rows and columns in an order of its own.

    The order is that of the sums of rows, then of their sorted cells. Where these do not tell runs
    apart, runs that are the same take any order, and those of a cycle the order around it. (There
    may be cycles of eight or more runs, in one request, that this does not see apart.)

    Examples
    --------
    >>> canonical(np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])).tolist()
    [[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]]
    >>> canonical(np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])).tolist()
    [[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]]
    """
    cells = np.sort(matrix, axis=1)
    keys = [*cells.T[::-1], cells.sum(axis=1)]  # the last counts most
    order = np.lexsort(keys)
    if (cells[order[1:]] == cells[order[:-1]]).all(axis=1).any():
        order = np.lexsort([_colours(matrix), *keys])
    return np.ascontiguousarray(matrix[np.ix_(order, order)])


def _colours(matrix: np.ndarray) -> np.ndarray:
    """Number the runs so that they all differ."""
    cells = np.unique(matrix, return_inverse=True)[1].reshape(matrix.shape)
    colour = _refined(_twins(cells), cells)
    while colour.max() < len(colour) - 1:
        several = np.flatnonzero(np.bincount(colour)[colour] > 1)
        alike = several[colour[several] == colour[several].min()]
        apart = (2 * colour + (np.arange(len(colour)) != run) for run in alike)
        colour = min((_refined(one, cells) for one in apart), key=lambda c: _rows(c, cells))
    return colour


def _twins(cells: np.ndarray) -> np.ndarray:
    """Number the runs with the same row from 0; they may change places and nothing changes."""
    same = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(same, kind="stable")
    first = np.searchsorted(same[order], same[order])
    number = np.empty(len(same), np.int64)
    number[order] = np.arange(len(same)) - first
    return number


def _refined(colour: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Split colours by the preferences over the runs of each colour, as long as that splits."""
    n_colours = -1
    while colour.max() > n_colours:
        n_colours = colour.max()
        colour = np.unique(_signatures(colour, cells), axis=0, return_inverse=True)[1].ravel()
    return colour


def _signatures(colour: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Give each run's colour, and its preferences with the other run's colour, sorted."""
    return np.column_stack([colour, np.sort(cells * (2 * len(cells)) + colour, axis=1)])


def _rows(colour: np.ndarray, cells: np.ndarray) -> list[list[int]]:
    """Say what a colouring looks like, whatever the runs are called."""
    signatures: list[list[int]] = _signatures(colour, cells).tolist()
    return sorted(signatures)
