"""Every chart has a specification that is as it was: the quick test of each."""

import json
import math
import re

import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe import charts
from lexiframe.decide.leaderboards import charts as leaderboards
from tests.core.views.charts import made_tables as made
from tests.core.views.charts.drawn import FOLDER, WRITES, are_alike, compare_with_snapshot
from tests.core.views.charts.evaluation_charts import CHARTS
from tests.core.views.charts.tiny_tables import TINY

SNAPSHOTS = {
    **{name: lambda draw=draw: draw(TINY, "RR") for name, draw in CHARTS.items()},
    "agreement_chart": lambda: charts.agreement_chart(made.AGREED, "RR"),
    "audit_chart": lambda: charts.audit_chart(made.audits()),
    "axiom_chart": lambda: charts.axiom_chart(made.AXIOMS),
    "cell_chart": lambda: leaderboards.cell_chart(made.CELLS, made.RANKING),
    "collection_chart": lambda: leaderboards.collection_chart(made.ALIKE),
    "conclusion_chart": lambda: charts.conclusion_chart(made.CONCLUSIONS),
    "concordance_chart": lambda: charts.concordance_chart(made.CONCORDANCES),
    "contribution_chart": lambda: charts.contribution_chart(made.EXPLAINED),
    "deciding_component_chart": lambda: charts.deciding_component_chart(made.COMPONENTS),
    "deciding_level_chart": lambda: charts.deciding_level_chart(made.DECIDING),
    "degradation_chart": lambda: charts.degradation_chart(made.degraded()),
    "dependability_chart": lambda: charts.dependability_chart(made.DECISION_STUDY),
    "difference_chart": lambda: charts.difference_chart(made.DIFFERENCES),
    "effect_chart": lambda: charts.effect_chart(made.EFFECTS),
    "exposure_difference_chart": lambda: charts.exposure_difference_chart(made.EXPOSURES),
    "exposure_distribution_chart": lambda: charts.exposure_distribution_chart(made.DISTRIBUTED),
    "exposure_curve_chart": lambda: charts.exposure_curve_chart(made.EXPOSURE_CURVE),
    "first_and_last_chart": lambda: charts.first_and_last_chart(
        lf.theory.first_and_last(10, [1, 3])
    ),
    "first_rank_tie_chart": lambda: charts.first_rank_tie_chart(made.FIRST_RANKS),
    "frontier_chart": lambda: charts.frontier_chart(TINY["means"], TINY["comparisons"], "AP", "RR"),
    "gate_curve_chart": lambda: charts.gate_curve_chart(made.GATE_CURVE),
    "hole_chart": lambda: charts.hole_chart(made.HOLES, "AP"),
    "judge_confusion_chart": lambda: charts.judge_confusion_chart(made.CONFUSION),
    "level_correlation_chart": lambda: charts.level_correlation_chart(made.LEVEL_CORRELATIONS),
    "level_regression_chart": lambda: charts.level_regression_chart(made.REGRESSION),
    "optimal_chart": lambda: charts.optimal_chart(made.OPTIMAL, "AP"),
    "order_chart": lambda: charts.order_chart(lf.theory.order("RR", 4, 2), "RR"),
    "orientation_chart": lambda: charts.orientation_chart(made.ORIENTATION),
    "overlap_chart": lambda: charts.overlap_chart(made.OVERLAPS, "tau@5", order=["c", "b<b>", "a"]),
    "pair_chart": lambda: charts.pair_chart(made.OF_METRIC),
    "pair_chart_of_levels": lambda: charts.pair_chart(made.OF_LEVELS),
    "population_chart": lambda: charts.population_chart(lf.theory.population_order(3), level=2),
    "powered_chart": lambda: charts.powered_chart(made.POWERED),
    "rank_interval_chart": lambda: leaderboards.rank_interval_chart(made.RANKING),
    "rank_shift_chart": lambda: charts.rank_shift_chart(made.SHIFTS, "AP"),
    "ranking_chart": lambda: charts.ranking_chart(made.WORKED, "q", "X", "Y"),
    "residual_chart": lambda: charts.residual_chart(made.JUDGED_PAIRS),
    "risk_chart": lambda: charts.risk_chart(made.SCORES_OF_THREE, "a"),
    "sequence_chart": lambda: charts.sequence_chart(made.SEQUENCE),
    "simulated_agreement_chart": lambda: charts.simulated_agreement_chart(made.SIMULATED_AGREEMENT),
    "simulated_tie_chart": lambda: charts.simulated_tie_chart(made.SIMULATED_TIES),
    "smallest_set_chart": lambda: leaderboards.smallest_set_chart(made.SMALLEST),
    "strength_chart": lambda: charts.strength_chart(made.STRENGTH),
    "tie_chart": lambda: charts.tie_chart(made.TIES),
    "tie_profile_chart": lambda: charts.tie_profile_chart(made.PROFILE),
    "unjudged_chart": lambda: charts.unjudged_chart(made.UNJUDGED),
    "weight_chart": lambda: charts.weight_chart(made.WEIGHED_SCORES),
    "worst_chart": lambda: charts.worst_chart(
        lf.worst_served(made.SCORES_OF_THREE, [0.5, 1]).values
    ),
}
"""A small chart of each function; a second one of the same has more words behind its name."""


def test_no_chart_and_no_snapshot_is_missing():
    drawn = {name.partition("_chart")[0] + "_chart" for name in SNAPSHOTS}
    missing = {*charts.__all__} - drawn
    assert not missing, f"put a small chart of {', '.join(missing)} into SNAPSHOTS"
    kept = {path.stem for path in FOLDER.iterdir()}
    assert kept <= {*SNAPSHOTS}
    assert WRITES or kept == {*SNAPSHOTS}  # a new one may not be written yet


@pytest.mark.slow
@pytest.mark.parametrize("name", SNAPSHOTS)
def test_its_specification(name):
    compare_with_snapshot(SNAPSHOTS[name](), name)


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
def test_no_snapshot_hangs_on_the_last_bit(path):
    """Data sets have numbers: their hash would change with the last bit of a mean."""
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"data-[0-9a-f]{32}", text)
    nudged = re.sub(r"(\d\.\d{10,})", lambda found: repr(math.nextafter(float(found[1]), 9)), text)
    assert are_alike(json.loads(nudged), json.loads(text))
    wrong = re.sub(r'"(\w+)": (\d\.\d{4})', r'"\1": 9\2', text, count=1)
    assert wrong == text or not are_alike(json.loads(wrong), json.loads(text))
