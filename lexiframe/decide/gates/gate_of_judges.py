"""Gates on people's judgments and a model's (prediction-powered)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, schemas
from lexiframe.core.io import column_forms
from lexiframe.core.pairwise import arrays
from lexiframe.core.significance.differences import Options
from lexiframe.core.significance.estimates import answers_by_t
from lexiframe.core.significance.powered_means import powered_means
from lexiframe.decide.gates.equivalence import UNCORRECTED
from lexiframe.decide.judges import side_by_side, warn_of_odd_requests

TEST = "t(model)"
"""What the column ``test`` says: Student's t of the estimate by people and model."""


def check_model(d: Any, model: Any, test: str | None, others: Mapping[str, object]) -> None:
    """Raise for arguments that a gate with a model's scores lacks, ``others`` among them."""
    if model is None:
        return
    if not (column_forms.is_frame(d) and arrays.is_scores(d) and arrays.is_scores(model)):
        raise LexiframeError(
            "gate: expected with model two tables of scores, by the judgments of people and by "
            "those of the model, found something else; compute both with `scores`"
        )
    given = [name for name, value in others.items() if value is not None]
    if test not in (None, "t") or given:
        found = f"test={test!r}" if test not in (None, "t") else given[0]
        raise LexiframeError(
            f"gate: expected test='t' of independent requests with model, found {found}: how sure "
            "people and a model are together is known for that only; leave it out"
        )


def answers_of_judges(
    people: Any, model: Any, margins: Mapping[str, float], options: Options, baseline: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of `equivalence` for two runs, and how much single requests vary.

    `prediction_powered` gives the mean difference, its standard error e and the degrees of freedom.
    The deviation is e √n, for as many requests as people judged.
    """
    rows, spread = [pl.DataFrame(schema=UNCORRECTED)], []
    for one in side_by_side("gate", people, model, "differences", baseline):
        warn_of_odd_requests("gate", one)
        found = powered_means(one.people, one.model, one.others)
        margin = margins[one.measure]
        e = found.estimates
        of_margin = answers_by_t(e, np.full(len(e.mean), margin), options)
        p_equivalent = np.maximum(of_margin.p_not_worse_a, of_margin.p_not_worse_b)
        said = {
            "measure": one.measure, "test": TEST, "n": found.n, "mean_difference": e.mean,
            "run_a": one.columns["run_a"], "run_b": one.columns["run_b"], "margin": margin,
            "p_equivalent": p_equivalent, **of_margin._asdict(),
        }  # fmt: skip
        rows.append(schemas.table_of(UNCORRECTED, len(e.mean), said))
        spread.append((one.measure, float(e.error[0] * np.sqrt(found.n[0]))))
    names = {"measure": pl.String, "deviation": pl.Float64}
    return pl.concat(rows), pl.DataFrame(spread, names, orient="row")
