"""A gate of requests of which people judged some, against the estimate that it decides about."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.decide.gates.gate_in_words import gate_sentences
from tests.small_tables import preferences

TWO = {"baseline": "old", "candidate": "new"}


def judged(n=200, people=50, lost=0.0, seed=0, noise=0.05):
    """Scores of two runs by people, in the first requests, and by a model, which is biased."""
    rng = np.random.default_rng(seed)
    old = rng.uniform(0.2, 0.7, n)
    truth = {"old": old, "new": old - lost + rng.normal(0, 0.1, n)}
    said = {run: x + 0.1 + rng.normal(0, noise, n) for run, x in truth.items()}
    queries = [f"q{k:04d}" for k in range(n)]

    def table(values, rows):
        return pl.concat([
            pl.DataFrame({"run": run, "query_id": queries[:rows], "measure": "AP",
                          "value": x[:rows]})
            for run, x in values.items()
        ])  # fmt: skip

    return table(truth, people), table(said, n)


def test_it_decides_about_the_estimate_by_people_and_model():
    human, model = judged()
    g = lf.gate(human, 0.03, **TWO, model=model).row(0, named=True)
    alone = lf.gate(human, 0.03, **TWO).row(0, named=True)
    p = lf.significance.prediction_powered(human, model, "differences", baseline="old", alpha=0.1)
    powered = p.row(0, named=True)
    assert (g["test"], g["n"], powered["n"]) == ("t(model)", 50, 50)
    for ours, theirs in (("mean_difference", "mean"), ("ci_low", "ci_low"), ("ci_high", "ci_high")):
        assert g[ours] == pytest.approx(powered[theirs], abs=1e-12)
    assert g["ci_high"] - g["ci_low"] < alone["ci_high"] - alone["ci_low"]
    said = gate_sentences(lf.gate(human, 0.03, **TWO, model=model))["sentence"].item()
    assert "(paired t-test (model), α = 0.05, n = 50 of 50 requests)" in said


def test_smaller_values_may_be_better_and_margins_shares():
    human, model = judged()
    tables = [one.with_columns(measure=pl.lit("cost")) for one in (human, model)]
    found = {
        name: lf.gate(tables[0], "5%", **TWO, model=tables[1], **{f"{name}_is_better": ["cost"]})
        for name in ("smaller", "larger")
    }
    larger, smaller = (found[name].row(0, named=True) for name in ("larger", "smaller"))
    assert smaller["mean_difference"] == pytest.approx(-larger["mean_difference"])
    of_people = human.filter(run="old")["value"].to_numpy().mean()
    assert larger["margin"] == pytest.approx(0.05 * of_people)


def test_several_candidates_and_measures():
    human, model = judged()
    more = [
        pl.concat([
            one.with_columns(measure=pl.lit(measure), run=pl.col("run").replace("new", run))
            for measure in ("AP", "RR")
            for run in ("new", "newer")
        ]).unique(["run", "query_id", "measure"])
        for one in (human, model)
    ]  # fmt: skip
    g = lf.gate(more[0], 0.03, baseline="old", candidate=["new", "newer"], model=more[1])
    assert g.select("measure", "candidate").height == 4
    assert g["mean_difference"].round(12).n_unique() == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:gate. AP by the model has the mean")  # one in 1,000 does
def test_a_candidate_on_the_margin_passes_at_most_alpha_often():
    trials, passed = 150, 0
    for seed in range(trials):
        human, model = judged(lost=0.03, seed=seed)
        passed += lf.gate(human, 0.03, **TWO, model=model)["outcome"].item() == "pass"
    assert passed / trials <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)


@pytest.mark.parametrize(
    "options",
    [
        {"test": "betting"}, {"test": "bootstrap"}, {"cluster": "user"}, {"replicates": "cell"},
        {"order": "given", "n_planned": 90}, {"by": "user"},
    ],
)  # fmt: skip
def test_what_a_gate_with_a_model_does_not_know_is_refused(options):
    human, model = judged()
    with pytest.raises(lf.LexiframeError, match="expected test='t' of independent requests with"):
        lf.gate(human, 0.03, **TWO, model=model, **options)


def test_other_tables_are_refused():
    human, model = judged()
    with pytest.raises(lf.LexiframeError, match="expected with model two tables of scores"):
        lf.gate(preferences({"ab": [0.1, 0.2]}), 0.03, baseline="b", candidate="a", model=model)
    with pytest.raises(lf.LexiframeError, match="expected with model two tables of scores"):
        lf.gate(human, 0.03, **TWO, model=model.rename({"value": "preference"}))
    with pytest.raises(lf.LexiframeError, match="found none of"):
        lf.gate(human, 0.03, **TWO, model=model.with_columns(measure=pl.lit("RR")))
