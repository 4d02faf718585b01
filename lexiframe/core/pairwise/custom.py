"""Preferences that a function of the user computes from the positions of a request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lexiframe.core.base import LexiframeError, errors, sums
from lexiframe.core.pairwise.preference import Preference
from lexiframe.core.projection import blocks


@dataclass(frozen=True, repr=False)
class MatrixPreference(Preference):
    """Δ = a function of the positions of one request in all runs.

    The function is called once for every request. `preferences` also accepts a plain function,
    which is then named by its ``__name__``.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    function : callable
        From a float64 array runs × m, the rank of the i-th relevant item of each run, ascending in
        each row and infinite for an item that was not retrieved, to Δ: an array runs × runs of
        finite numbers, positive where the row's run is preferred to the column's, and the negative
        of its transpose. Numbers of 1e-12 or less are ties and become 0.
    rel : float, optional
        The least relevant grade; items below it are not among the m.
    cutoff : int, optional
        k: items beyond rank k count as not retrieved.
    formula, source, bounds : str, optional
        What `measures` shows.

    Raises
    ------
    LexiframeError
        In `preferences`, when the function returns an array that has another shape, is not finite
        or is not antisymmetric.

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

    def compute(
        self, block: blocks.Block, known: dict[int, np.ndarray] | None = None
    ) -> np.ndarray:
        """Return Δ of each pair of runs: pairs × requests; ``known`` is not used."""
        population = block.within(self.cutoff).at_least(self.rel)
        ranks = np.where(
            population.positions == blocks.missing(population.positions),
            np.inf,
            population.positions,
        )
        deltas = [self._request_deltas(ranks[:m, :, n].T) for n, m in enumerate(population.m)]
        return np.stack([delta[block.pairs] for delta in deltas], axis=1)

    def _request_deltas(self, ranks: np.ndarray) -> np.ndarray:
        """Return Δ of one request, runs × runs; it is 0 for a request without relevant items."""
        if not ranks.size:
            return np.zeros((len(ranks), len(ranks)))
        try:
            result = self.function(np.ascontiguousarray(ranks))
        except Exception as error:
            raise LexiframeError(
                f"{self}: the function raised {type(error).__name__}: {errors.one_line(error)}"
            ) from error
        delta = self._checked(result, len(ranks))
        return np.where(np.abs(delta) <= sums.TIE, 0.0, delta)

    def _checked(self, result: Any, n_runs: int) -> np.ndarray:
        """Return the result of the function as an array, or raise if it is not valid."""
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
        if rest.max() > sums.TIE * max(1.0, np.abs(delta).max()):
            a, b = np.unravel_index(rest.argmax(), rest.shape)
            raise LexiframeError(
                f"{expected}, found {delta[a, b]:g} for runs {a} and {b} (from 0), and "
                f"{delta[b, a]:g} the other way round; subtract its transpose"
            )
        return delta


def preference_of(function: Callable[..., Any]) -> MatrixPreference:
    """Return the preference that a plain function computes; raise for a lambda: it has no name."""
    name = getattr(function, "__name__", "<none>")
    if name.startswith("<"):
        raise LexiframeError(
            f"expected a function with a name of its own, found {function!r}; "
            "write lexiframe.MatrixPreference('name', function)"
        )
    return MatrixPreference(name, function)
