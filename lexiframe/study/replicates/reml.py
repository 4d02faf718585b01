"""Variance components of unbalanced data, by restricted maximum likelihood: `reml_components`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize, sparse

_STARTS = (0.5, 0.05, 0.01)
"""The search begins with all variances at these shares of the variance of the values."""
_LEAST = 1e-10
"""A variance at this share of the variance of the values counts as 0: the search ends there."""


def reml_components(
    values: np.ndarray, cells: np.ndarray, effects: Mapping[str, np.ndarray], cell: str
) -> dict[str, float]:
    """Return the variance of each source, and of the residual, with the greatest likelihood.

    ``values`` has one for each run, request and replicate that is there, ``cells`` the number of
    each value's cell (run and request), ``effects`` the number of each value's effect by further
    source, and ``cell`` names the source of the cells. The covariance of the values is V = V₀ + Σ_s
    σ_s² Z_s Z_sᵀ, where V₀ has the effects of cells and the residual. V₀ is block diagonal with
    blocks σ² I + σ_c² 1 1ᵀ, so that it is inverted in closed form, and no matrix is larger than the
    number of the further effects. −2 times the restricted log-likelihood (Patterson & Thompson,
    Biometrika 1971, doi:10.1093/biomet/58.3.545) is minimised over the logarithms of the variances,
    from several starts.
    """
    model = _Model.build(values, cells, list(effects.values()))
    scale = float(values.var())
    size = len(effects) + 2
    found = [
        optimize.minimize(
            lambda logs: model.criterion(np.exp(logs)),
            np.full(size, np.log(start * scale)),
            jac="3-point",
            bounds=[(np.log(_LEAST * scale), np.log(100 * scale))] * size,
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-8, "maxiter": 1000},
        )
        for start in _STARTS
    ]
    best = np.exp(min(found, key=lambda one: one.fun).x)
    best[best <= 2 * _LEAST * scale] = 0.0
    return dict(zip([*effects, cell, "residual"], best.tolist(), strict=True))


@dataclass(frozen=True)
class _Model:
    """The parts of the values that the likelihood needs: sums over cells, and over the effects.

    ``crossed`` is Zᵀ Z of the constant and the effects, ``by_cell`` their counts in each cell.
    """

    counts: np.ndarray
    sums: np.ndarray
    by_cell: sparse.csr_array
    crossed: np.ndarray
    totals: np.ndarray
    squares: float
    sizes: tuple[int, ...]

    @classmethod
    def build(cls, values: np.ndarray, cells: np.ndarray, effects: list[np.ndarray]) -> _Model:
        values, rows = values - values.mean(), np.arange(len(values))
        columns = [np.zeros(len(values), np.int64), *effects]
        sizes = tuple(int(column.max()) + 1 for column in columns)
        starts = np.cumsum([0, *sizes[:-1]])
        places = [column + start for column, start in zip(columns, starts, strict=True)]
        z = sparse.csr_array(
            (
                np.ones(len(values) * len(columns)),
                (np.tile(rows, len(columns)), np.concatenate(places)),
            ),
            shape=(len(values), sum(sizes)),
        )
        of_cell = sparse.csr_array((np.ones(len(values)), (cells, rows)))
        return cls(
            np.bincount(cells), np.bincount(cells, values), (of_cell @ z).tocsr(),
            (z.T @ z).toarray(), z.T @ values, float(values @ values), sizes[1:],
        )  # fmt: skip

    def criterion(self, variances: np.ndarray) -> float:
        """Return log|V| + log|Xᵀ V⁻¹ X| + yᵀ P y: −2 log-likelihood but for a constant.

        With W = [1 Z √Γ] the first two terms are log|V₀| + log|Wᵀ V₀⁻¹ W + diag(0, I)|.
        """
        *of_effects, of_cell, rest = variances
        shrunk = of_cell / (rest + self.counts * of_cell)
        root = np.sqrt(np.repeat([1.0, *of_effects], [1, *self.sizes]))
        inner = self.crossed - (self.by_cell.T @ (self.by_cell * shrunk[:, None])).toarray()
        m = root[:, None] * inner * root / rest
        m[np.arange(1, len(m)), np.arange(1, len(m))] += 1.0
        right = root * (self.totals - self.by_cell.T @ (shrunk * self.sums)) / rest
        factor = linalg.cho_factor(m, lower=True)
        explained = right @ linalg.cho_solve(factor, right)
        n, n_cells = self.counts.sum(), len(self.counts)
        log_of_cells = np.log(rest + self.counts * of_cell).sum() + (n - n_cells) * np.log(rest)
        log_of_effects = 2 * np.log(np.diag(factor[0])).sum()
        squares = (self.squares - shrunk @ self.sums**2) / rest
        return float(log_of_cells + log_of_effects + squares - explained)
