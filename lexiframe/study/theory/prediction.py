"""Whether the top of rankings predicts which has the better worst case: `predict_worst_case`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, schemas, to_polars, typed
from lexiframe.core.metrics import providers
from lexiframe.core.pairwise import pairs
from lexiframe.core.projection import alone
from lexiframe.typing import Frame, PositionsTable

PREDICTORS = ("RPP", "sgnLP", "sgnLR")
_GROUPS = schemas.table_schema("groups", "doc_id group", "")


@alone.each_collection
@typed
def predict_worst_case(
    p: PositionsTable,
    /,
    levels: Iterable[int] = (1, 2, 5, 10),
    *,
    groups: Frame | None = None,
) -> pl.DataFrame:
    """Count how often the first recall levels predict which ranking lexirecall prefers.

    Parameters
    ----------
    p
        The table of `positions`.
    levels
        How many of the first recall levels predict, one or several numbers.
    groups
        A frame with the ``group`` of each item (``doc_id``): the worst case is then that of the
        items of one group alone, whereas the first levels are of all items. What dominates the
        top may say little of a small group.

    Returns
    -------
    polars.DataFrame
        Key ``levels, predictor``, with ``groups`` ``group, levels, predictor``, sorted by it. ``n``
        pairs of rankings are decided by lexirecall at a level behind the first ``levels``, which
        say nothing of it by themselves; for ``correct`` of them the predictor, from the first
        levels alone, prefers the same ranking, a tie being wrong (``ties`` of them); ``accuracy`` =
        correct / n. The predictors are ``"RPP"``, the sign of binary recall-paired preference,
        ``"sgnLP"`` and ``"sgnLR"``. In a group the item that decides stands behind the first
        ``levels`` of both rankings.

    Raises
    ------
    LexiframeError
        For fewer than two runs, and for levels below 1; for a relevant item without a group, or
        in several.

    Notes
    -----
    The mirror of `predict_first_level`, which the papers do not have. That groups can differ: Diaz,
    Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370, section 7.2.2.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> lf.theory.predict_worst_case(p, [5]).select("predictor", "n", "correct", "ties").rows()
    [('RPP', 14, 11, 2), ('sgnLP', 14, 11, 2), ('sgnLR', 14, 11, 2)]
    >>> is_odd = pl.col("doc_id").str.tail(1).is_in(list("13579"))
    >>> halves = p.select("doc_id", group=pl.when(is_odd).then(pl.lit("odd"))
    ...                   .otherwise(pl.lit("even"))).unique()
    >>> found = lf.theory.predict_worst_case(p, [5], groups=halves)
    >>> found.filter(predictor="RPP").select("group", "n", "correct").rows()
    [('even', 15, 12), ('odd', 15, 11)]
    """
    asked = sorted({*levels})
    if not asked or asked[0] < 1:
        raise LexiframeError(f"predict_worst_case: expected levels from 1, found {asked}")
    names, code = _coded_groups(schemas.check(p, schemas.POSITIONS), groups)
    keys = [(group, first, name) for group in names for first in asked for name in PREDICTORS]
    counts = {key: np.zeros(3, np.int64) for key in keys}
    tables = p, to_polars(p).with_columns(position=code)  # the groups stand where the items do
    both = (pairs.rankings_of("predict_worst_case", table) for table in tables)
    for ranks, codes in zip(*both, strict=True):
        a, b = np.triu_indices(len(ranks), k=1)
        signs = np.sign(ranks[b].astype(np.int64) - ranks[a])
        for code in np.unique(codes).tolist():
            level = np.nonzero(codes == code)[1].reshape(len(ranks), -1)
            of_group = np.take_along_axis(ranks, level, axis=1)
            of_pairs = np.sign(of_group[b].astype(np.int64) - of_group[a])
            sooner = np.minimum(level[a], level[b])
            for first in (first for first in asked if first < ranks.shape[1]):
                target = _last_sign(np.where(sooner >= first, of_pairs, 0))
                top = signs[target != 0, :first]
                predicted = (np.sign(top.sum(axis=1)), _last_sign(top[:, ::-1]), _last_sign(top))
                for name, guess in zip(PREDICTORS, predicted, strict=True):
                    right = guess == target[target != 0]
                    found = len(top), int(right.sum()), int((guess == 0).sum())
                    counts[names[code], first, name] += found
    rows = [(*key, *of_key.tolist()) for key, of_key in counts.items()]
    schema = {"group": pl.String, "levels": pl.Int64, "predictor": pl.String}
    schema |= dict.fromkeys(("n", "correct", "ties"), pl.Int64)
    table = pl.DataFrame(rows, schema=schema, orient="row")
    share = pl.when(pl.col("n") > 0).then(pl.col("correct") / pl.col("n"))
    table = table.with_columns(accuracy=share)
    return table.drop("group") if groups is None else table


def _coded_groups(p: pl.DataFrame, groups: Frame | None) -> tuple[pl.Series, pl.Series]:
    """Return the groups of the relevant items, and the number of the group of each row's item."""
    if groups is None:
        return pl.Series([""]), pl.zeros(p.height, pl.Int64, eager=True)
    owners = providers.owners_of(p, groups, _GROUPS)
    twice = owners.filter(owners["doc_id"].is_duplicated())["doc_id"].unique().sort()
    if len(twice):
        raise LexiframeError(
            f"predict_worst_case: expected one group of each item, found several of "
            f"{n_and_first(twice)}; give each item the group that matters"
        )
    joined = p.join(owners, on="doc_id", how="left", maintain_order="left")
    names = joined["group"].drop_nulls().unique().sort()
    return names, names.search_sorted(joined["group"]).cast(pl.Int64)


def _last_sign(signs: np.ndarray) -> np.ndarray:
    """Return the last sign of each row that is not 0, or else 0."""
    back = signs[:, ::-1]
    deciding = (back != 0).argmax(axis=1)
    return np.asarray(np.take_along_axis(back, deciding[:, None], axis=1)[:, 0])
