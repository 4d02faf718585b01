"""Tables of three runs, two measures and four requests, written by hand."""

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.decide.gates.schemas import EQUIVALENCES

A, B, C = "bm25", "dense", "random"
PAIRS = [(A, B), (A, C), (B, C)]
MEASURES = ["AP", "RR"]


def _table(schema, rows):
    return pl.DataFrame(rows, schema=schema.required, orient="row")


def _compared(measure, numbers):
    return [
        (measure, a, b, difference, difference - 0.1, difference + 0.1, 4, size, 2 * size, p,
         p_adjusted, p_adjusted < 0.05, "t", "holm")
        for (a, b), (difference, size, p, p_adjusted) in zip(PAIRS, numbers, strict=True)
    ]  # fmt: skip


COMPARISONS = _table(
    schemas.COMPARISONS,
    [
        *_compared(
            "AP",
            [(-0.125, -0.5, 0.25, 0.25), (0.25, 1.5, 0.01, 0.02), (0.375, 2, 0.001, 0.003)],
        ),
        *_compared("RR", [(0, 0, 1, 1), (0.5, 2, 0.004, 0.012), (0.5, 2, 0.004, 0.012)]),
    ],
)  # fmt: skip
ASL_CURVE = _table(
    schemas.ASL_CURVE,
    [
        ("AP", "t", "holm", 1, 1 / 3, 0.001, 0.003, B, C),
        ("AP", "t", "holm", 2, 2 / 3, 0.01, 0.02, A, C),
        ("AP", "t", "holm", 3, 1.0, 0.25, 0.25, A, B),
        ("RR", "t", "holm", 1, 1 / 3, 0.004, 0.012, A, C),
        ("RR", "t", "holm", 2, 2 / 3, 0.004, 0.012, B, C),
        ("RR", "t", "holm", 3, 1.0, 1.0, 1.0, A, B),
    ],
)
EQUIVALENCES = _table(
    EQUIVALENCES,
    [
        (measure, a, b, difference, difference - half, difference + half, 4,
         *[0.01, 0.04, 0.04, 0.5] * 2, False, *[0.9] * 4, 0.1, conclusion, "t", "holm")
        for measure in MEASURES
        for (a, b), difference, half, conclusion in zip(
            PAIRS, [-0.125, 0.0, 0.375], [0.1, 0.05, 0.2],
            ["b not worse", "equivalent", "a better"], strict=True,
        )
    ],
)  # fmt: skip
TINY = {
    "equivalences": EQUIVALENCES,
    "means": _table(
        schemas.MEANS,
        [
            (A, "AP", 0.375, 0.25, 0.5, 2.0, 4),
            (A, "RR", 0.75, 0.5, 1.0, 1.5, 4),
            (B, "AP", 0.5, 0.375, 0.625, 1.0, 4),
            (B, "RR", 0.75, 0.625, 0.875, 1.5, 4),
            (C, "AP", 0.125, None, None, 3.0, 4),
            (C, "RR", 0.25, 0.0, 0.5, 3.0, 4),
        ],
    ),
    "orderings": _table(
        schemas.ORDERINGS,
        [
            ("AP", "borda", A, 1.5, 1.5),
            ("AP", "borda", B, 1.5, 1.5),
            ("AP", "borda", C, 0.0, 3.0),
            ("AP", "mean", B, 0.5, 1.0),
            ("AP", "mean", A, 0.375, 2.0),
            ("AP", "mean", C, 0.125, 3.0),
            ("RR", "mean", A, 0.75, 1.5),
            ("RR", "mean", B, 0.75, 1.5),
            ("RR", "mean", C, 0.25, 3.0),
        ],
    ),
    "win_rates": _table(
        schemas.WIN_RATES,
        [
            ("AP", A, B, 4, 1, 2, 1, 0.375, -0.125),
            ("AP", A, C, 4, 4, 0, 0, 1.0, 0.25),
            ("AP", B, C, 4, 3, 0, 1, 0.875, 0.375),
        ],
    ),
    "comparisons": COMPARISONS,
    "asl_curve": ASL_CURVE,
    "power": _table(
        schemas.POWER,
        [("AP", "sign", "holm", 0.05, 3, 0, 0.0), ("AP", "t", "holm", 0.05, 3, 2, 2 / 3),
         ("RR", "sign", "holm", 0.05, 3, 1, 1 / 3), ("RR", "t", "holm", 0.05, 3, 2, 2 / 3)],
    ),
    "correlations": _table(
        schemas.CORRELATIONS,
        [("kendall", "AP", "LP", 0.5, 0.25, 3), ("kendall", "AP", "RR", 0.75, 0.25, 3),
         ("kendall", "LP", "RR", None, None, 3)],
    ),
    "rank_distributions": _table(
        schemas.RANK_DISTRIBUTIONS,
        [
            ("AP", "mean", A, 1.0, 0.25),
            ("AP", "mean", A, 1.5, 0.125),
            ("AP", "mean", A, 2.0, 0.625),
            ("AP", "mean", B, 1.0, 0.625),
            ("AP", "mean", B, 1.5, 0.125),
            ("AP", "mean", B, 2.0, 0.25),
            ("AP", "mean", C, 3.0, 1.0),
        ],
    ),
    "power_curve": _table(
        schemas.POWER_CURVE,
        [("AP", A, B, 5, 0.125), ("AP", A, B, 50, 0.5), ("AP", A, C, 5, 0.75),
         ("AP", A, C, 50, 1.0), ("AP", B, C, 5, None), ("AP", B, C, 50, None)],
    ),
}  # fmt: skip
