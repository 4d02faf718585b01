"""Runs that lack collections, compared as if all collections were as hard: weighted least squares.

x_rc = α_r + β_c, Σ_c w_c β_c = 0. A run with all collections keeps its weighted mean as α.
"""

from __future__ import annotations

import numpy as np


def parts_of(known: np.ndarray) -> np.ndarray:
    """Return the number of the part of each run, by first run: parts share no units.

    ``known``, units × runs, is true where there is a cell.

    Examples
    --------
    >>> parts_of(np.array([[True, True, False], [False, False, True]])).tolist()
    [0, 0, 1]
    """
    from scipy.sparse import bmat, csr_array
    from scipy.sparse.csgraph import connected_components

    cells = csr_array(known)
    found = connected_components(bmat([[None, cells], [cells.T, None]]), directed=False)[1]
    of_runs = found[known.shape[0] :]
    first, part = np.unique(of_runs, return_index=True, return_inverse=True)[1:]
    return np.asarray(np.argsort(np.argsort(first))[part])


def adjusted(cells: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return α of each run and β of each unit; ``cells`` are units × runs, of one part.

    Examples
    --------
    The second run has the harder unit alone, in which it is .25 better than the first:

    >>> cells = np.array([[0.75, np.nan], [0.25, 0.5]])
    >>> adjusted(cells, np.array([0.5, 0.5]))[0].round(12).tolist()
    [0.5, 0.75]
    """
    known = ~np.isnan(cells)
    given = np.where(known, cells, 0.0)
    w = weights[:, None] * known
    of_run = w.sum(axis=0)
    # α_r = Σ_c w_c (x_rc − β_c)/Σ_c w_c, put into the equations of β.
    mean = (w * given).sum(axis=0) / of_run
    matrix = np.diag(w.sum(axis=1)) - (w / of_run) @ w.T
    right = (w * (given - mean)).sum(axis=1)
    beta = np.linalg.lstsq(matrix, right, rcond=None)[0]
    beta = beta - weights @ beta / weights.sum()
    return mean - (w * beta[:, None]).sum(axis=0) / of_run, beta
