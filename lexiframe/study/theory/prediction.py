"""Whether the top of rankings predicts which has the better worst case: `predict_worst_case`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.pairwise import pairs
from lexiframe.core.projection import by_collection
from lexiframe.typing import PositionsTable

PREDICTORS = ("RPP", "sgnLP", "sgnLR")


@by_collection.each_alone
@typed
def predict_worst_case(p: PositionsTable, /, levels: Iterable[int] = (1, 2, 5, 10)) -> pl.DataFrame:
    """Count how often the first recall levels predict which ranking lexirecall prefers.

    Parameters
    ----------
    p
        The table of `positions`.
    levels
        How many of the first recall levels predict, one or several numbers.

    Returns
    -------
    polars.DataFrame
        Key ``levels, predictor``, sorted by it. ``n`` pairs of rankings are decided by lexirecall
        at a level behind the first ``levels``, which say nothing of it by themselves; for
        ``correct`` of them the predictor, from the first levels alone, prefers the same ranking, a
        tie being wrong (``ties`` of them); ``accuracy`` = correct / n. The predictors are
        ``"RPP"``, the sign of binary recall-paired preference, ``"sgnLP"`` and ``"sgnLR"``.

    Raises
    ------
    LexiframeError
        For fewer than two runs, and for levels below 1.

    Notes
    -----
    The mirror of `predict_first_level`, which the papers do not have.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> lf.theory.predict_worst_case(p, [5]).select("predictor", "n", "correct", "ties").rows()
    [('RPP', 14, 11, 2), ('sgnLP', 14, 11, 2), ('sgnLR', 14, 11, 2)]
    """
    asked = sorted({*levels})
    if not asked or asked[0] < 1:
        raise LexiframeError(f"predict_worst_case: expected levels from 1, found {asked}")
    counts = {(first, name): np.zeros(3, np.int64) for first in asked for name in PREDICTORS}
    for ranks in pairs.rankings_of("predict_worst_case", p):
        a, b = np.triu_indices(len(ranks), k=1)
        signs = np.sign(ranks[b].astype(np.int64) - ranks[a])
        for first in (first for first in asked if first < ranks.shape[1]):
            target = _last_sign(signs[:, first:])
            top = signs[target != 0, :first]
            predicted = (np.sign(top.sum(axis=1)), _last_sign(top[:, ::-1]), _last_sign(top))
            for name, guess in zip(PREDICTORS, predicted, strict=True):
                right = guess == target[target != 0]
                counts[first, name] += len(top), int(right.sum()), int((guess == 0).sum())
    rows = [(*key, *of_key.tolist()) for key, of_key in counts.items()]
    schema = {"levels": pl.Int64, "predictor": pl.String}
    schema |= dict.fromkeys(("n", "correct", "ties"), pl.Int64)
    table = pl.DataFrame(rows, schema=schema, orient="row")
    share = pl.when(pl.col("n") > 0).then(pl.col("correct") / pl.col("n"))
    return table.with_columns(accuracy=share)


def _last_sign(signs: np.ndarray) -> np.ndarray:
    """Return the last sign of each row that is not 0, or else 0."""
    back = signs[:, ::-1]
    deciding = (back != 0).argmax(axis=1)
    return np.asarray(np.take_along_axis(back, deciding[:, None], axis=1)[:, 0])
