"""Tables of charts that draw no table of an evaluation: of few rows, most written by hand."""

import polars as pl

import lexiframe as lf
from lexiframe.core.base import schemas
from lexiframe.core.views.charts.tables import EXPOSURE_DISTRIBUTION
from lexiframe.decide.gates.schemas import CONFIDENCE_SEQUENCES, GATE_CURVES
from lexiframe.decide.leaderboards.schemas import (
    COLLECTION_CORRELATIONS,
    COLLECTION_RANKING,
    COLLECTION_SCORES,
    SMALLEST_SET,
)
from lexiframe.decide.votes.schemas import CONCORDANCE, STRENGTH_PAIRS, STRENGTHS
from lexiframe.study.audits.schemas import AUDITS
from lexiframe.study.holes.schemas import HOLE_VALUES
from lexiframe.study.models.schemas import EFFECTS as EFFECT_TABLE


def audits(measures=("AP", "RR"), nulls=("centred",), tests=("sign", "t"), n_runs=2):
    """A table of `audit` with numbers that are easy to follow."""
    correction = "none" if n_runs == 2 else "holm"
    rows = [
        (measure, test, correction, null, n_runs, n, 0.05, rate, 0.01, rate - 0.01, rate + 0.02,
         1000, 0.5, 0.02, 0.47, 0.53, 990, 0.004, None, None, None, 495, 3, 60)
        for measure in measures
        for k, test in enumerate(tests)
        for null in nulls
        for n, rate in ((25, 0.05 + 0.1 * k), (50, 0.06 + 0.2 * k))
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=AUDITS.columns, orient="row")


GATE_CASES = ("unchanged", 0.0, (0.5, 0.8)), ("worse by the margin", -0.1, (0.06, 0.05))
GATE_CURVE = pl.DataFrame(
    [
        (measure, case, n, "t", mean, rate, rate - 0.02, rate + 0.02, 0.0, 0.1, 1000)
        for measure in ("AP", "RR")
        for case, mean, rates in GATE_CASES
        for n, rate in zip((50, 200), rates, strict=True)
    ],
    schema=GATE_CURVES.columns, orient="row",
)  # fmt: skip
DECISION_STUDY = pl.DataFrame(
    [("AP", n, k, 0.5 + n / 1000 + k / 100, 0.4 + n / 1000) for n in (10, 100) for k in (1, 3)],
    schema=schemas.GENERALISABILITY.columns,
    orient="row",
)
POWERED = pl.DataFrame(
    [
        (run, "AP", mean, mean - 0.05, mean + 0.05, 0.7, 20, 80, 31.0, mean - 0.01, mean - 0.1,
         mean + 0.1, mean + 0.2)
        for run, mean in (("bm25", 0.25), ("dense", 0.5))
    ],
    schema=schemas.POWERED_MEANS.columns, orient="row",
)  # fmt: skip

SEQUENCE = pl.DataFrame(
    [
        (measure, n, 0.05 + n / 1000, -0.3 + n / 500, 0.4 - n / 500, 0.05, 60)
        for measure in ("AP", "RR")
        for n in (20, 40, 60)
    ],
    schema=CONFIDENCE_SEQUENCES.columns, orient="row",
)  # fmt: skip
DIFFERENCES = pl.DataFrame(
    {
        "query_id": ["q1", "q2", "q3"] * 3,
        "run_a": "a",
        "run_b": "b",
        "measure": ["RPP"] * 3 + ["AP"] * 3 + ["RR"] * 3,
        "preference": [0.5, -0.25, 0.0, 0.25, 0.125, 0.0, 0.0, -0.5, 0.5],
    }
)
RANKINGS = {
    "a": {"q": {"x": 4, "y": 3, "z": 2, "w": 1}},
    "b": {"q": {"y": 4, "z": 3, "x": 2, "v": 1}},
}
EXPLAINED = lf.explain(
    lf.positions(RANKINGS, {"q": {"x": 2, "z": 1, "u": 1}}, pool=True),
    "q", "a", "b", ["RPP", "RR", "P@2", "ASL"],
)  # fmt: skip
REGRESSION = pl.DataFrame(
    {
        "level": [1, 1, 2, 2],
        "predictor": [2, 3, 3, 4],
        "coefficient": [1.5, 0.25, 1.25, -0.5],
        "ci_low": [1.25, 0.0, 1.0, -0.75],
        "ci_high": [1.75, 0.5, 1.5, -0.25],
        "r_squared": 0.5,
        "n": 40,
    }
)
FIRST_RANKS = pl.DataFrame(
    {"m": [1, 1, 5, 5], "first": [1, 10, 1, 6], "probability": [0.1, 0.1, 0.5, 1e-13]}
)

HOLE_NUMBERS = {
    "a": (0.5, 0.45, 0.3, 0.6, 0.35, 0.55, 0.3, 0.7, 1.5, 1.0, 1.0, 2.0, 12),
    "b": (0.4, 0.42, 0.4, 0.5, 0.4, 0.45, 0.4, 0.6, 1.5, 2.0, 1.0, 2.0, 3),
    "c<b>": (0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.5, 3.0, 3.0, 3.0, 0),
}
HOLES = pl.DataFrame(
    [(run, measure, *numbers) for run, numbers in HOLE_NUMBERS.items() for measure in ("AP", "RR")],
    schema=HOLE_VALUES.columns,
    orient="row",
)

CONFUSION = lf.judge_confusion(
    {
        "nist": {"q": {"a": 0, "b": 0, "c": 1, "d": 3}},
        "llm": {"q": {"a": 0, "b": 1, "c": 1, "d": 2}},
    }
)
SHIFTS = pl.DataFrame(
    {
        "measure": "AP", "method": "mean", "judge_a": "nist", "judge_b": "llm",
        "run": ["v", "w", "x", "y", "z"],
        "value_a": [0.5, 0.4, 0.3, 0.2, 0.1], "value_b": [0.5, 0.1, 0.3, 0.3, 0.2],
        "rank_a": [1.0, 2.0, 3.0, 4.0, 5.0], "rank_b": [1.0, 5.0, 2.5, 2.5, 4.0],
        "shift": [0.0, -3.0, 0.5, 1.5, 1.0],
    }
)  # fmt: skip
CONCLUSIONS = pl.DataFrame(
    {
        "name_a": "nist", "name_b": ["a", "b", "b"], "measure": ["AP", "AP", "RR"], "test": "t",
        "correction": "holm", "n_pairs": [10, 10, 0], "AA": [4, 1, 0], "AD": [0, 1, 0],
        "MA": [3, 1, 0], "MD": [0, 1, 0], "PA": [2, 2, 0], "PD": [1, 3, 0], "TIE": [0, 1, 0],
        "tau": [0.8, 0.1, None], "only_a": [0, 0, 6], "only_b": [0, 0, 6],
    }
)  # fmt: skip

RANKING = pl.DataFrame(
    [
        ("mean", "a", 0.75, 0.5, 1.0, 1, 1, 2, 1, 1, 3, False),
        ("mean", "b<b>", 0.5, 0.25, 0.75, 2, 1, 3, 2, 3, 3, False),
        ("mean", "c", 0.25, None, None, 3, None, None, None, None, 2, True),
    ],
    schema=COLLECTION_RANKING.columns,
    orient="row",
)
CELLS = pl.DataFrame(
    [("a", "news", 0.75), ("b<b>", "news", 0.5), ("a", "law", 0.5), ("b<b>", "law", 0.5),
     ("c", "news", 0.25)],
    schema=COLLECTION_SCORES.columns,
    orient="row",
)  # fmt: skip
SMALLEST = pl.DataFrame(
    [(1, "news", 0.5, 0.25, 0.25, 0.0, 0.75), (2, "law", 0.75, 0.125, 0.5, 0.25, 1.0)],
    schema=SMALLEST_SET.columns,
    orient="row",
)
ALIKE = pl.DataFrame(
    [("law", "news", 0.5, 3), ("law", "sport", None, 1), ("news", "sport", -0.25, 3)],
    schema=COLLECTION_CORRELATIONS.columns,
    orient="row",
)

PROFILE = pl.DataFrame(
    {
        "by": ["first_rank", "first_rank", "level", "level"],
        "value": [1, 2, 1, 2],
        "pairs": [20, 10, 15, 15],
        "ties": [12, 1, 6, 3],
        "tie_rate": [0.6, 0.1, 0.4, 0.2],
    }
)
DECIDING = pl.DataFrame(
    {
        "measure": ["LP", "LP", "LR"],
        "deciding_level": [1, 3, 20],
        "pairs": [9, 3, 12],
        "share": [0.75, 0.25, 1.0],
        "cumulative": [0.75, 1.0, 1.0],
    }
)
COMPONENTS = pl.DataFrame(
    {
        "measure": ["LR>AP", "LR>AP", "LR>AP", "RR>AP>LP"],
        "place": [1, 2, 3, 1],
        "component": ["LR", "AP", None, "RR"],
        "pairs": [9, 5, 1, 15],
        "share": [0.6, 1 / 3, 1 / 15, 1.0],
    }
)
LEVEL_CORRELATIONS = pl.DataFrame(
    {"level_a": [1, 1, 2], "level_b": [2, 3, 3], "n": 15, "correlation": [0.85, -0.2, None]}
)

OVERLAP_ROWS = [
    ("q1", "a", "b<b>", 0.5), ("q2", "a", "b<b>", 1.0), ("q1", "a", "c", None),
    ("q2", "a", "c", 0.25), ("q1", "b<b>", "c", None), ("q2", "b<b>", "c", None),
]  # fmt: skip
OVERLAP_COLUMNS = ["query_id", "run_a", "run_b", "value"]
OVERLAPS = pl.DataFrame(OVERLAP_ROWS, schema=OVERLAP_COLUMNS, orient="row").with_columns(
    measure=pl.lit("tau@5")
)
WEIGHTS = pl.Series([0.5, 0.25, 0.125, 0.125])
UNJUDGED = pl.DataFrame(
    {"query_id": "q", "doc_id": [*"abcd"], "n_runs": 1, "best_position": 1, "weight": WEIGHTS,
     "share": WEIGHTS, "cumulated_share": WEIGHTS.cum_sum()}
)  # fmt: skip


def explanation(a, b, grades=None):
    """The table that `explain` makes of the ranks of relevant items; None was not retrieved."""
    grades = grades or dict.fromkeys([*a, *b], 1)
    qrels = pl.DataFrame({"query_id": "q", "doc_id": [*grades], "relevance": [*grades.values()]})
    rows = [
        (run, "q", next((d for d, r in ranks.items() if r == rank), f"other{rank}"), -rank)
        for run, ranks in (("a", a), ("b", b))
        for rank in range(1, 1 + max((r for r in ranks.values() if r), default=1))
    ]
    columns = ["run", "query_id", "doc_id", "score"]
    runs = pl.DataFrame(rows, schema=columns, orient="row")
    return lf.explain(lf.positions(runs, qrels), "q", "a", "b")


GRADES = {"a": 4, "b": 3, "c": 1, "d": 3, "e": 1, "f": 1, "g": 2, "h": 4, "i": 5}
WORKED = explanation(
    {"a": 2, "b": 3, "c": 7, "d": 9}, {"b": 1, "a": 3, "i": 4, "d": 5, "c": 8, "e": 9}, GRADES
)
"""The worked example of the specification: X and Y, nine relevant items."""


def pair_table(preferences, levels=None, measure="AP", runs=("bm25", "dense"), names=None):
    """The table of a pair as `Evaluation.pair` gives it."""
    n = len(preferences)
    values = [None] * n if levels else [0.5] * n
    return pl.DataFrame(
        {
            "measure": measure,
            "query_id": names or [f"q{k:04}" for k in range(n)],
            "run_a": runs[0],
            "run_b": runs[1],
            "value_a": pl.Series(values, dtype=pl.Float64),
            "value_b": pl.Series(
                [None if levels else 0.5 - d for d in preferences], dtype=pl.Float64
            ),
            "preference": pl.Series(preferences, dtype=pl.Float64),
            "deciding_level": pl.Series(levels or [None] * n, dtype=pl.Int64),
        }
    )


OF_METRIC = pair_table([0.25, 0.1, 0.0, -0.3])
OF_LEVELS = pair_table([1, 1, 0, -1, -1], [3, 1, None, 2, 5], measure="LP")

TIES = pl.DataFrame(
    {"measure": ["AP", "LR", "RR"], "n": 60, "ties": [3, 0, 40], "tie_rate": [0.05, 0.0, 2 / 3]}
)


def degraded(measures=("AP", "LR"), whats=(("labels", "uniform"), ("requests", None))):
    """A table of `degradation` with numbers that are easy to follow."""
    rows = [
        {
            "what": what, "how": how, "fraction": fraction, "measure": measure, "samples": 5,
            "tie_rate": 0.5 - fraction / 2, "tie_rate_sd": 0.1, "agreement": fraction,
            "agreement_sd": 0.05, "system_agreement": None, "system_agreement_sd": None,
            "tau": fraction - 0.1 * place, "tau_sd": None,
        }
        for what, how in whats
        for fraction in (0.2, 0.6, 1.0)
        for place, measure in enumerate(measures)
    ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None).cast(
        {"system_agreement": pl.Float64, "system_agreement_sd": pl.Float64, "tau_sd": pl.Float64}
    )


STRENGTH = pl.DataFrame(
    [("x", 0.5, 0.25, 0.75, 1.0, 0.1, 40), ("y", 0.0, -0.25, 0.25, 2.0, 0.1, 30),
     ("z", -0.5, None, None, 3.0, None, 20)],
    schema=STRENGTHS.required,
    orient="row",
)  # fmt: skip
EFFECTS = pl.DataFrame(
    [("AP", "run", 2.0, 2, 1.0, 8.0, 0.0123, 0.5, 0.0625, 0.75),
     ("AP", "query_id", 1.0, 4, 0.25, 0.5, 0.5, -0.125, 0.0, None),
     ("AP", "residual", 1.0, 8, 0.125, None, None, None, None, None)],
    schema=EFFECT_TABLE.required,
    orient="row",
)  # fmt: skip
JUDGED_PAIRS = pl.DataFrame(
    [("x", "y", 20, 12.0, 2.0, 6.0, 0.65, 0.625, 0.25, 0.5, 0.1, 0.9, 0.01, 0.03, 0.6, 0.5, 0.7,
      0.4),
     ("x", "z", 20, 4.0, 0.0, 16.0, 0.2, 0.75, -5.5, 1.0, 0.5, 1.5, 0.01, 0.03, 0.75, 0.6, 0.8,
      0.25),
     ("y", "z", 0, 0.0, 0.0, 0.0, None, 0.625, None, 0.5, 0.1, 0.9, 0.2, 0.2, 0.6, 0.5, 0.7, 0.4),
     ("w", "x", 10, 4.0, 0.0, 6.0, 0.4, 0.25, 1.0, -1.0, -2.0, 0.5, 0.2, 0.2, 0.25, 0.2, 0.3,
      0.75)],
    schema=[*STRENGTH_PAIRS.columns], orient="row",
)  # fmt: skip
CONCORDANCES = pl.DataFrame(
    [("AP", 40, 10, 0, 30, 0, 0.75, 0.625, 0.875), ("RR", 40, 10, 2, 20, 10, 0.625, 0.5, 0.75)],
    schema=[*CONCORDANCE.columns],
    orient="row",
)

ORIENTATION = lf.theory.orientation(["RR", "R@10"], n=100, m=[1, 2, 5])
SIMULATED_TIES = pl.DataFrame(
    {
        "depth": [10, 10, 1000, 1000],
        "measure": ["LR", "RR", "LR", "RR"],
        "pairs": 100,
        "tie_rate": [0.8, 0.8, 0.0, 0.01],
    }
)
SIMULATED_AGREEMENT = pl.DataFrame(
    {
        "measure": ["AP", "AP", "R@10"],
        "n": [1000, 10_000, 1000],
        "pairs": 100,
        "tied": [0.1, 0.0, 0.1],
        "agreement": [0.54, 0.55, 0.0],
    }
)
OPTIMAL = lf.theory.optimal_worst_case("AP", [1, 2])
AXIOMS = lf.theory.axioms(["RR", "LR"], n=4, m=2)
EXPOSURES = lf.theory.exposure_differences(["RR", "RPP"], n=3)
DISTRIBUTED = pl.DataFrame(
    [(measure, at, up_to, below, 1200)
     for measure, middle in (("AP", 0.25), ("RR", 0.375))
     for at, up_to, below in ((-1.0, 0.0, 0.0), (0.0, 1 - middle, middle), (1.0, 1.0, 1.0))],
    schema=EXPOSURE_DISTRIBUTION.columns, orient="row",
)  # fmt: skip
AGREED = pl.DataFrame(
    [("AP", "RR", 10, 8, 0.8, 3, 3, 1.0, 0.6, 0.9, 0.75, 1.0),
     ("LP", "RR", 12, 9, 0.75, 3, 2, 2 / 3, None, None, None, None),
     ("RR", "AP", 8, 8, 1.0, 3, 3, 1.0, 0.9, 1.0, 0.75, 1.0)],
    schema=schemas.SIGN_AGREEMENT.columns, orient="row",
)  # fmt: skip

EXPOSURE_CURVE = pl.DataFrame(
    {"run": ["a"] * 3 + ["b<b>"] * 3, "items": [0.0, 0.5, 1.0] * 2,
     "exposure": [0.0, 0.25, 1.0, 0.0, 0.5, 1.0]}
)  # fmt: skip
SCORES_OF_THREE = pl.DataFrame(
    {"run": ["a"] * 4 + ["b<b>"] * 4 + ["c"] * 4, "query_id": [*"1234"] * 3, "measure": "AP",
     "value": [0.5, 0.25, 0.75, 1.0, 0.5, 0.5, 0.25, 0.75, 0.0, 0.5, 1.0, 1.0]}
)  # fmt: skip
WEIGHED_SCORES = SCORES_OF_THREE.with_columns(
    request_weight=pl.col("query_id").replace_strict({"1": 4.0, "2": 2.0, "3": 1.0, "4": 1.0})
)
