"""The rows of a gate that ask whether a candidate is not worse in the worst share of requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.pairwise import PairCube, arrays, pairs
from lexiframe.core.significance import Options
from lexiframe.core.significance.estimates import answers_by_t
from lexiframe.decide.worst.asked import less_than_one, measured, pairs_of, refused


def gate_rows(
    d: Any, margins: Mapping[str, float], share: float, two: tuple[str, str], options: Options
) -> pl.DataFrame:
    """Return rows by the differences of ψ of a candidate and a baseline, as means have them."""
    if isinstance(d, arrays.Reduced):
        raise LexiframeError(
            "gate: worst= needs the values of single requests, found their sums; evaluate in "
            "memory, or give the scores"
        )
    s = pairs.scores_of(d.scores) if isinstance(d, PairCube) else d
    if "value" not in s.columns or {*margins} - {*s["measure"]}:
        raise refused("gate")
    s = s.filter(pl.col("measure").is_in([*margins]), pl.col("run").is_in([*two]))
    rows = []
    for m in measured("gate", s):
        name = m.group["measure"]
        candidate, baseline = (np.array([m.runs.index_of(run)]) for run in two)
        for _, (tails, a, b) in pairs_of(m.tails, candidate, baseline):
            if share * tails.n[0] < 1 - 1e-9:
                raise less_than_one("gate", share, int(tails.n[0]), option="worst")
            e, n, margin = tails.pairs(share, a, b), int(tails.n[0]), margins[name]
            counted = tails.n_effective[0]
            few = "fewer than two requests count there, which decides nothing"
            found = answers_by_t(e, np.array([margin]), options)._asdict()
            rows.append({
                "measure": f"{name}, worst {share:g}", "worst": share, "n": n, "test": "t",
                "chosen": few if share * counted < 2 - 1e-9 else "", "margin": margin,
                "mean_difference": e.mean[0], "deviation": e.deviation[0] * np.sqrt(counted),
                "n_effective": counted,
                **{of: values[0] for of, values in found.items()},
            })  # fmt: skip
    table = pl.DataFrame(rows).with_columns(
        p_equivalent=pl.max_horizontal("p_not_worse_a", "p_not_worse_b")
    )
    return table.with_columns(pl.col(pl.Float64).fill_nan(None), candidate=pl.lit(two[0]))
