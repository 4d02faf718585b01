"""Preferences that are any function of a request's positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lexiframe.errors import LexiframeError
from lexiframe.metrics.ties import TIE
from lexiframe.pairwise.preference import Preference
from lexiframe.projection.matrices import Block, missing


@dataclass(frozen=True, repr=False)
class MatrixPreference(Preference):
    """Δ = a function of the positions of one request in all runs.

    The function is called once for every request. A function on its own does as well, where a
    preference is asked for: it goes by its ``__name__`` then.

    Parameters
    ----------
    name : str
        What ``measure`` says in its rows.
    function : callable
        From a float64 array runs × m, the rank of the i-th relevant item of each run, ascending in
        each row and infinite for an item that was not retrieved, to Δ: an array runs × runs of
        finite numbers, positive where the row's run is preferred to the column's, and the negative
        of its transpose. Numbers of 1e-12 and less are ties and stored as 0.
    rel : float, optional
        The least relevant grade; items below it are not among the m.
    formula, source, bounds : str, optional
        How `measures` shows it.

    Raises
    ------
    LexiframeError
        In `preferences`, when what the function gives has another shape, is not finite or not
        antisymmetric.

    Examples
    --------
    Which run has more relevant items among the first ten:

    >>> import numpy as np
    >>> import lexiframe as lf
    >>> def more_in_ten(p):
    ...     found = (p <= 10).sum(axis=1)
    ...     return np.sign(found[:, None] - found[None, :])
    >>> p = lf.positions("data/example/runs", "data/example/qrels.txt")
    >>> d = lf.preferences(p, [lf.RPP, more_in_ten, lf.MatrixPreference("R@10", more_in_ten)])
    >>> lf.win_rates(d)["measure"].unique().sort().to_list()
    ['R@10', 'RPP', 'more_in_ten']
    """

    function: Callable[[np.ndarray], Any]

    kind: ClassVar[str] = "matrix preference"

    def compute(self, block: Block, known: dict[int, np.ndarray] | None = None) -> np.ndarray:
        """Return Δ of each pair of runs: pairs × requests; ``known`` is not used."""
        population = block.at_least(self.rel)
        ranks = np.where(
            population.positions == missing(population.positions), np.inf, population.positions
        )
        deltas = [self._of_request(ranks[:m, :, n].T) for n, m in enumerate(population.m)]
        return np.stack([delta[block.pairs] for delta in deltas], axis=1)

    def _of_request(self, ranks: np.ndarray) -> np.ndarray:
        """Δ of one request, runs × runs; of a request without items it is 0."""
        if not ranks.size:
            return np.zeros((len(ranks), len(ranks)))
        delta = self._checked(self.function(np.ascontiguousarray(ranks)), len(ranks))
        return np.where(np.abs(delta) <= TIE, 0.0, delta)

    def _checked(self, result: Any, n_runs: int) -> np.ndarray:
        """Give what the function gave as numbers, or raise and say what is wrong with it."""
        expected = f"{self}: expected an antisymmetric array of {n_runs} × {n_runs} finite numbers"
        try:
            delta = np.asarray(result, np.float64)
        except (TypeError, ValueError):
            raise LexiframeError(f"{expected}, found {type(result).__name__}") from None
        if delta.shape != (n_runs, n_runs):
            raise LexiframeError(f"{expected}, one row for each run, found the shape {delta.shape}")
        if not np.isfinite(delta).all():
            raise LexiframeError(
                f"{expected}, found {delta[~np.isfinite(delta)][0]}; "
                "the position of an item that was not retrieved is infinite"
            )
        rest = np.abs(delta + delta.T)
        if rest.max() > TIE * max(1.0, np.abs(delta).max()):
            a, b = np.unravel_index(rest.argmax(), rest.shape)
            raise LexiframeError(
                f"{expected}, found {delta[a, b]:g} for runs {a} and {b} (from 0), and "
                f"{delta[b, a]:g} the other way round; subtract its transpose"
            )
        return delta


def preference_of(function: Callable[..., Any]) -> MatrixPreference:
    """Give the preference that a function without more says.

    Raises
    ------
    LexiframeError
        For a lambda, or something else that has no name.
    """
    name = getattr(function, "__name__", "<none>")
    if name.startswith("<"):
        raise LexiframeError(
            f"expected a function with a name of its own, found {function!r}; "
            "write lexiframe.MatrixPreference('name', function)"
        )
    return MatrixPreference(name, function)
