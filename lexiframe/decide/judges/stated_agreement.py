"""How far judges agree about preferences: every two of them, from their confusion of -1, 0, 1."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, schemas
from lexiframe.decide.judges.agreement_coefficients import alpha_of, beyond_chance
from lexiframe.decide.judges.verdicts import Verdicts, verdicts_of

_VALUES = np.array([-1.0, 0.0, 1.0])
_STEPS = np.abs(np.subtract.outer(_VALUES, _VALUES))


def stated_agreement(judgments: pl.DataFrame) -> pl.DataFrame:
    """Compute the agreement of every two judges who judged a request and pair both."""
    found = verdicts_of("judge_agreement", judgments)
    a, b, both = _confusions(found)
    if not len(a):
        raise LexiframeError(
            "judge_agreement: expected requests and pairs that two judges judged, found none; do "
            "the judges name requests and runs alike?"
        )
    n = both.sum(axis=(1, 2))
    units = np.bincount(found.judge)
    together = both + both.transpose(0, 2, 1)
    columns = {
        "judge_a": found.judges.gather(a), "judge_b": found.judges.gather(b), "n": n,
        "only_a": units[a] - n, "only_b": units[b] - n,
        "agreement": np.trace(both, axis1=1, axis2=2) / n,
        "opposite": (both[:, 0, 2] + both[:, 2, 0]) / n,
        "kappa": _kappa(both, _STEPS > 0), "kappa_linear": _kappa(both, _STEPS),
        "alpha_nominal": alpha_of(together, "nominal"),
        "alpha": alpha_of(together, "ordinal"),
        "mean_difference": (both * np.subtract.outer(_VALUES, _VALUES)).sum(axis=(1, 2)) / n,
    }  # fmt: skip
    return schemas.STATED_AGREEMENT.arranged(
        schemas.table_of(schemas.STATED_AGREEMENT.columns, len(a), columns)
    )


def _confusions(found: Verdicts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return every two judges who share units, and the counts of their verdicts: pairs × 3 × 3."""
    from scipy.sparse import csr_array

    shape = (len(found.judges), int(found.unit.max()) + 1)
    says = [
        csr_array((np.ones(m.sum()), (found.judge[m], found.unit[m])), shape)
        for m in (found.said == c for c in range(3))
    ]
    shared = sum(says)
    pairs = (shared @ shared.T).tocoo()
    above = pairs.row < pairs.col
    a, b = pairs.row[above], pairs.col[above]
    both = [[np.asarray((x @ y.T).tocsr()[a, b]).ravel() for y in says] for x in says]
    return a, b, np.array(both).transpose(2, 0, 1)


def _kappa(both: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """1 − D_o/D_e, D_e the distance of independent verdicts of the same two judges (Cohen)."""
    n = both.sum(axis=(1, 2))
    expected = (both.sum(axis=2)[:, :, None] * both.sum(axis=1)[:, None, :]) / n[:, None, None]
    return beyond_chance((both * distance).sum(axis=(1, 2)), (expected * distance).sum(axis=(1, 2)))
