"""An order of runs that depends on their preferences alone, so that trials ignore their names.

The method is that of canonical forms of graphs: each run has a colour, colours are split by the
preferences over runs of each colour until nothing changes, and where runs still share a colour one
of them is given a colour of its own.
"""

from __future__ import annotations

import numpy as np


def canonical(matrix: np.ndarray) -> np.ndarray:
    """Return a request's antisymmetric matrix with rows and columns in an order of its own.

    Runs are ordered by the sum of their row, then by its sorted cells. Where these are equal, runs
    with the same row may come in any order, and the runs of a cycle come in the order of the cycle.
    (For some cycles of eight or more runs within one request, the order may depend on the names.)

    Examples
    --------
    >>> canonical(np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])).tolist()
    [[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]]
    >>> canonical(np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])).tolist()
    [[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]]
    """
    cells = np.sort(matrix, axis=1)
    keys = [*cells.T[::-1], cells.sum(axis=1)]  # lexsort sorts by the last key first
    order = np.lexsort(keys)
    if (cells[order[1:]] == cells[order[:-1]]).all(axis=1).any():
        order = np.lexsort([_colours(matrix), *keys])
    return np.ascontiguousarray(matrix[np.ix_(order, order)])


def _colours(matrix: np.ndarray) -> np.ndarray:
    """Number the runs by colour refinement, so that each has a number of its own."""
    cells = np.unique(matrix, return_inverse=True)[1].reshape(matrix.shape)
    colour = _refined(_twins(cells), cells)
    while colour.max() < len(colour) - 1:
        several = np.flatnonzero(np.bincount(colour)[colour] > 1)
        alike = several[colour[several] == colour[several].min()]
        # Doubled colours leave room for a new one: the run chosen comes just before those like it.
        apart = (2 * colour + (np.arange(len(colour)) != run) for run in alike)
        colour = min(
            (_refined(one, cells) for one in apart), key=lambda c: _describe_colouring(c, cells)
        )
    return colour


def _twins(cells: np.ndarray) -> np.ndarray:
    """Number the runs that have equal rows from 0, in any order: swapping them changes nothing."""
    same = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(same, kind="stable")
    first = np.searchsorted(same[order], same[order])
    number = np.empty(len(same), np.int64)
    number[order] = np.arange(len(same)) - first
    return number


def _refined(colour: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Split colours by the preferences over the runs of each colour until nothing changes."""
    n_colours = -1
    while colour.max() > n_colours:
        n_colours = colour.max()
        colour = np.unique(_signatures(colour, cells), axis=0, return_inverse=True)[1].ravel()
    return colour


def _signatures(colour: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return each run's colour, and its sorted pairs of a preference and the other run's colour."""
    # Colours are below 2 n, so each sum stands for one pair of a preference and a colour.
    return np.column_stack([colour, np.sort(cells * (2 * len(cells)) + colour, axis=1)])


def _describe_colouring(colour: np.ndarray, cells: np.ndarray) -> list[list[int]]:
    """Describe a colouring in a way that does not depend on the order of the runs."""
    signatures: list[list[int]] = _signatures(colour, cells).tolist()
    return sorted(signatures)
