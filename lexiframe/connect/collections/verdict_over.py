"""Sentences over all collections: who is first in how many, whether they agree, which decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import escaped, printed

_NAMED = 3
"""How many runs are named that are first somewhere."""
_FEWEST_LEFT_OUT = 3
"""The collections from which on a mean without one of them still is a mean."""


def add_verdict(each: pl.DataFrame, e: Any) -> pl.DataFrame:
    """Put rows about all collections, one for each measure, before the verdicts of collections.

    Their ``collection`` is null, and ``best`` has the runs that are first in the most collections.
    With a baseline they count where runs are significantly better than it, or worse.
    """
    has_baseline = e.provenance["inference"].get("baseline") is not None
    groups = [name for name in e.provenance["groups"] if name != "collection"]
    rows: list[dict[str, Any]] = []
    keys = [*groups, "measure", "test", "correction"]
    of_tests = each.select("test", "correction").n_unique() > 1
    for key, part in each.partition_by(*keys, as_dict=True, maintain_order=True).items():
        row = dict(zip(keys, key, strict=True))
        measure = ", ".join([row["measure"], *(f"{name} = {row[name]}" for name in groups)])
        measure += f" ({row['test']}, {row['correction']})" * of_tests
        if has_baseline:
            said = [_counts_beside_baseline(measure, part, len(e.collections))]
        else:
            firsts = _firsts_of(part)
            most = max((len(of) for of in firsts.values()), default=0)
            row["best"] = [run for run, of in firsts.items() if len(of) == most]
            is_in = [pl.col(name).eq_missing(row[name]) for name in (*groups, "measure")]
            table = e.orderings.filter(is_in)
            said = [
                _first_places(measure, firsts, part, len(e.collections)),
                *_agreement(table),
                *_deciding(table),
            ]
        rows.append({**row, "sentence": " ".join(said)})
    metrics = e.facts.filter(kind="metric")["measure"]
    if rows and metrics.len() and len(e.collections) > 1:
        how = printed.advice(
            python=f"lf.leaderboard(e, measure={metrics[0]!r})",
            terminal=f"lexiframe leaderboard FOLDER -m {metrics[0]}, of the folder of --out",
        )
        rows[-1]["sentence"] += f" How this would be over other collections like these: {how}."
    over = pl.DataFrame(
        rows, schema={name: each.schema[name] for name in rows[0]} if rows else None
    )
    return pl.concat([each.clear(), over, each], how="diagonal_relaxed")


def _firsts_of(part: pl.DataFrame) -> dict[str, list[str]]:
    """Return the collections in which each run is first, alone or not; most collections first."""
    first = part.select("collection", run="best").unique("collection").explode("run")
    of_runs = first.drop_nulls("run").sort("collection").group_by("run").agg("collection")
    rows = of_runs.sort(pl.col("collection").list.len(), "run", descending=[True, False]).rows()
    return dict(rows)


def _first_places(
    measure: str, firsts: Mapping[str, list[str]], part: pl.DataFrame, n_all: int
) -> str:
    """Say in how many collections each run is first, and significantly better than all runs."""
    is_alone = (
        (pl.col("best").list.len() == 1)
        & (pl.col("not_worse").list.len() == 0)
        & (pl.col("untested").list.len() == 0)
        & ~pl.col("too_few")
    )
    sure = {*part.filter(is_alone)["collection"]}
    shared = {*part.filter(pl.col("best").list.len() > 1)["collection"]}
    told: list[str] = []
    for run, of in [*firsts.items()][:_NAMED]:
        extra = f"significantly in {len(sure & {*of})}"
        if n := len(shared & {*of}):
            extra += f", with others in {n}"
        where = f"{len(of)} of {n_all} collections" if not told else f"{len(of)}"
        told.append(f"{escaped(run)} {'is first ' * (not told)}in {where} ({extra})")
    if not told:
        return f"By {measure}, no run is first in any of {n_all} collections."
    if rest := len(firsts) - len(told):
        told.append(f"{printed.counted(rest, 'other run')} in no more")
    said = f"By {measure}, {printed.and_joined(told)}."
    few = part.filter("too_few")["collection"].n_unique()
    alone = n_all - part["collection"].n_unique()
    if few:
        said += f" {few} of them {'has' if few == 1 else 'have'} too few requests to conclude from."
    return said + f" In {alone} of them no two runs are compared by it." * (alone > 0)


def _square(table: pl.DataFrame, column: str) -> tuple[list[str], list[str], np.ndarray]:
    """Return runs, collections and a matrix of a column, of the runs that all collections have."""
    method = table["method"][0] if table.height else None
    rows = table.filter(method=method).select("run", "collection", column)
    wide = rows.pivot("collection", index="run", values=column).drop_nulls().sort("run")
    names = [name for name in wide.columns if name != "run"]
    return wide["run"].to_list(), names, wide.select(names).to_numpy()


def _agreement(table: pl.DataFrame) -> list[str]:
    """Say how far collections order the runs alike, and which two do least."""
    from scipy.stats import kendalltau

    runs, names, ranks = _square(table, "rank")
    if len(names) < 2:
        return []
    if len(runs) < 2:
        return [f"The collections have {printed.counted(len(runs), 'run')} in common."]
    a, b = np.triu_indices(len(names), k=1)
    pairs = zip(a, b, strict=True)
    tau = np.array([kendalltau(ranks[:, i], ranks[:, j]).statistic for i, j in pairs])
    if np.isnan(tau).all():
        return []
    least = int(np.nanargmin(tau))
    said = f"Orders of {len(runs)} runs in two collections agree by τ = {np.nanmean(tau):.2f}"
    if np.nanmin(tau) < np.nanmax(tau):
        said += f" on average, least in {names[a[least]]} and {names[b[least]]} ({tau[least]:.2f})"
    return [said + "."]


def _deciding(table: pl.DataFrame) -> list[str]:
    """Say which run is first by the mean over collections, and which collection decides that."""
    runs, names, values = _square(table, "value")
    if len(runs) < 2 or len(names) < _FEWEST_LEFT_OUT:
        return []
    sign = -1.0 if _is_worst_first(table) else 1.0
    means = sign * values.mean(axis=1)
    without = sign * (values.sum(axis=1)[:, None] - values) / (len(names) - 1)
    first = int(means.argmax())
    others = {names[c]: runs[int(without[:, c].argmax())] for c in range(len(names))
              if without[:, c].max() > without[first, c] + 1e-12}  # fmt: skip
    told = [f"but without {c} it is {escaped(run)}" for c, run in [*others.items()][:_NAMED]]
    said = f"By the mean over collections {escaped(runs[first])} is first, "
    if len(runs) < table["run"].n_unique():
        said = f"Of the {len(runs)} runs that all of them have, {escaped(runs[first])} is first by "
        said += "the mean over collections, "
    return [said + (", ".join(told) or "whichever of them is left out") + "."]


def _is_worst_first(table: pl.DataFrame) -> bool:
    """Return whether smaller values have better ranks."""
    rows = table.filter(collection=table["collection"][0]).sort("rank")
    return bool(rows["value"][0] < rows["value"][-1])


def _counts_beside_baseline(measure: str, part: pl.DataFrame, n: int) -> str:
    """Say in how many collections runs are significantly better than the baseline, or worse."""
    told = []
    for which in ("better", "worse"):
        counts = part.select(run=which).explode("run").drop_nulls("run")["run"].value_counts()
        rows = counts.sort("count", "run", descending=[True, False]).head(_NAMED).rows()
        names = [f"{escaped(run)} in {count}" for run, count in rows]
        told.append(f"significantly {which}: {printed.and_joined(names) if names else 'no run'}")
    return f"By {measure}, against the baseline in {n} collections, {'; '.join(told)}."
