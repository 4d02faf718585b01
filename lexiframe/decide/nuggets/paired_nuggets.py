"""Preferences between answers, nugget by nugget: `preferences` of `Nuggets`."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import schemas, unknown_name
from lexiframe.core.pairwise import pairs, preferences
from lexiframe.decide.nuggets.answer_tables import AnswerTables
from lexiframe.decide.nuggets.nugget_metrics import PairedNuggets
from lexiframe.decide.nuggets.sentence_positions import positions_of


def preferences_between(n: AnswerTables, measures: Any, **how: Any) -> pl.DataFrame:
    """Return the rows of `preferences`: NuggetPreference by credits, any other by sentences."""
    paired = [one for one in measures if isinstance(one, PairedNuggets)]
    others = [one for one in measures if one not in paired]
    tables = [pl.DataFrame(schema=schemas.PREFERENCES.required)]
    tables += [preferences(positions_of(n), others, **how)] if others else []
    tables += [_paired(n, paired, how.get("baseline"))] if paired else []
    return pl.concat(tables, how="diagonal").sort(schemas.PREFERENCES.key)


def _paired(n: AnswerTables, measures: list[PairedNuggets], baseline: str | None) -> pl.DataFrame:
    """Σ w sgn(c − c′)/Σ w of each request and pair of runs."""
    rows = n.nugget_rows
    runs = rows["run"].unique().sort()
    pairs.refuse_one_run("preferences", runs)
    of_one = rows.filter(run=runs[0])
    begins = of_one["query_id"].rle_id().to_numpy()
    queries = of_one["query_id"].unique().sort()
    credit = rows["credit"].to_numpy().reshape(len(runs), -1)
    a, b = np.triu_indices(len(runs), k=1)
    chosen = None
    if baseline is not None:
        if baseline not in runs:
            raise unknown_name("run", baseline, runs)
        chosen = np.flatnonzero((runs.gather(a) == baseline) | (runs.gather(b) == baseline))
        a, b = a[chosen], b[chosen]
    starts = np.flatnonzero(np.diff(begins, prepend=-1))
    weights = of_one.select(one.value for one in measures).to_numpy()
    total = np.add.reduceat(weights, starts, axis=0)
    values = np.empty((len(queries), len(a), len(measures)))
    for run in np.unique(a):  # so that the signs of its pairs alone are in memory
        its = a == run
        sign = np.sign(credit[run] - credit[b[its]])
        for m, w in enumerate(weights.T):
            values[:, its, m] = np.add.reduceat(sign * w, starts, axis=1).T
    with np.errstate(invalid="ignore"):
        values /= total[:, None, :]
    names = [str(one) for one in measures]
    order = np.argsort(names)
    return pairs.preferences_table(queries, runs, sorted(names), values[:, :, order], None, chosen)
