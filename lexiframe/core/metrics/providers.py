"""The exposure that a ranking gives to the providers of its items: `provider_exposure`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, SchemaError, n_and_first, schemas, sums, typed
from lexiframe.core.io import column_forms
from lexiframe.core.metrics.kinds.derived import eta, parse_metric
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.rankings import Rankings
from lexiframe.core.projection import alone, tied_orders
from lexiframe.typing import Frame, PositionsTable


@alone.each_collection
@typed
def provider_exposure(
    p: PositionsTable,
    /,
    providers: Frame,
    exposure: Metric | str = "AP",
    *,
    per_item: bool = False,
) -> pl.DataFrame:
    """Sum the exposure of each provider's relevant items, and find the worst-off provider.

    Parameters
    ----------
    p
        The table of `positions`.
    providers
        A frame with a row for every item and provider: ``doc_id`` (or another of its names, as for
        `read_runs`) and ``provider``. An item may have several providers.
    exposure
        A metric whose exposure e(p) is used, or its notation: ``"AP"`` for 1/p, ``"nDCG"`` for
        1/log2(p + 1), ``"RBP(p=0.5)"``.
    per_item
        Divide the exposure of a provider by the number of its relevant items, so that many items
        alone make nobody well off.

    Returns
    -------
    polars.DataFrame
        Key ``run, query_id, provider``, sorted by it, for the providers of the request's relevant
        items; ``items`` (how many of these are the provider's), ``exposure`` (η, or η divided by
        ``items``; 0 when none was retrieved), ``is_worst_off`` (whether no other provider of the
        request has less exposure; a difference of 1e-12, or for exposures above 1 of this share of
        them, does not count).

    Raises
    ------
    SchemaError
        When the frame lacks a column, or has a pair of item and provider twice.
    LexiframeError
        When a relevant item has no provider, or a rank is beyond the n of a linear exposure.

    Notes
    -----
    η(π, v) = Σ_i e(p_i) over the relevant items of provider v: Diaz, Ekstrand & Mitra, ACM TORS
    2025, doi:10.1145/3728373, arXiv:2302.11370, equation 2; divided: section 2.3.2. The least
    exposure of any group of relevant items that one provider could own is e(p_m), which `TSE`
    computes.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> p = lf.positions({"bm25": {"q": {"a": 3, "b": 2, "c": 1}}}, {"q": {"a": 1, "b": 1, "c": 1}})
    >>> providers = pl.DataFrame({"doc_id": ["a", "b", "c"], "provider": ["x", "y", "y"]})
    >>> lf.provider_exposure(p, providers).select("provider", "items", "is_worst_off").rows()
    [('x', 1, False), ('y', 2, True)]
    >>> lf.provider_exposure(p, providers, per_item=True)["exposure"].round(4).to_list()
    [1.0, 0.4167]
    """
    rankings = Rankings.of(p)
    if "tied_from" in rankings.rows.columns:
        raise tied_orders.no_closed_form("provider_exposure")
    taken = exposure if isinstance(exposure, Metric) else parse_metric(exposure)
    metric = eta(replace(taken, cutoff=None))  # eta(AP@10) is written eta(AP)@10
    metric = metric if taken.cutoff is None else metric @ taken.cutoff
    items = rankings.relevant.select("run", "query_id", "doc_id")
    items = items.with_columns(exposure=pl.Series(metric.contributions(rankings)))
    owners = owners_of(items, providers, schemas.PROVIDERS)
    total = pl.col("exposure").mean() if per_item else pl.col("exposure").sum()
    least = pl.col("exposure").min().over("run", "query_id")
    rounding = sums.TIE * pl.max_horizontal(least.abs(), 1.0)
    return (
        items.join(owners, on="doc_id")
        .group_by("run", "query_id", "provider", maintain_order=True)
        .agg(items=pl.len().cast(pl.Int64), exposure=total)
        .with_columns(is_worst_off=pl.col("exposure") <= least + rounding)
        .sort(schemas.PROVIDER_EXPOSURE.key)
        .select(*schemas.PROVIDER_EXPOSURE.columns)
    )


def owners_of(items: pl.DataFrame, given: Any, table: schemas.TableSchema) -> pl.DataFrame:
    """Return the providers or groups of items, checked: each once, and one of each item at least.

    ``table`` says what the frame is called, and its two columns.
    """
    frame = column_forms.rename_columns(
        column_forms.to_frame(given, "score", table.name), table, table.name
    )
    owners = column_forms.checked_ids(frame, table, table.name)
    owner = table.key[1]
    if owners.is_duplicated().any():
        twins = owners.filter(owners.is_duplicated()).rows()
        raise SchemaError(
            f"{table.name}: expected each item and {owner} once, found {twins[0]} more than once"
        )
    orphans = items.select("doc_id").drop_nulls().unique().join(owners, on="doc_id", how="anti")
    if orphans.height:
        raise LexiframeError(
            f"{table.name}: expected a {owner} of every relevant item, found none of "
            f"{n_and_first(orphans['doc_id'].sort())}; add one for each, such as the item itself"
        )
    return owners
