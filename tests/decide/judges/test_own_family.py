"""Whether a judge favours its own family: values of loops, of statsmodels, and of a simulation."""

import json

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm

import lexiframe as lf
from tests.benchmarks.own_family import SETTINGS, shares

RUNS = ["a1", "a2", "b1", "b2", "b3", "c1", "c2"]
FAMILIES = pl.DataFrame({"run": RUNS, "family": [run[0] for run in RUNS]})
ROWS = pl.DataFrame({"run": RUNS}).join(pl.DataFrame({"query_id": ["1", "2", "3"]}), how="cross")


def scored(seed, measure="GRADE"):
    value = np.random.default_rng(seed).random(ROWS.height)
    return ROWS.with_columns(measure=pl.lit(measure), value=pl.Series(value))


PEOPLE, AUTO = scored(1), scored(2)


def test_values_of_independent_loops(shared):
    folder = shared / "conformance" / "nuggets"
    scores = pl.read_parquet(folder / "scores.parquet")
    people, auto = (scores.filter(judge=judge).drop("judge") for judge in ("people", "auto"))
    runs = people.select("run").unique()
    families = runs.with_columns(family=pl.col("run").str.split("-").list.first())
    expected = json.loads((folder / "facts.json").read_text())["own_family"]
    for own in ("lynx", "heron", "otter"):
        found = lf.own_family(people, auto, families, own=own)
        assert found.height == 6
        for measure in ("NuggetRecall", "NuggetRecall(strict)"):
            row, of = found.filter(measure=measure).row(0, named=True), expected[f"{measure} {own}"]
            for name in ("bias", "slope", "se", "p_value"):
                assert row[name] == pytest.approx(of[name], abs=1e-9)
            assert (row["extrapolated"], row["n_other"] - 2) == (of["extrapolated"], of["df"])
            assert row["p_adjusted"] == row["p_value"]


def test_statsmodels_predicts_the_same():
    """The prediction at the own runs' mean, whose error has 1/n_own of the residual variance."""
    found = lf.own_family(PEOPLE, AUTO, FAMILIES, own="a", alpha=0.1).row(0, named=True)
    t, s = (dict(x.group_by("run").agg(pl.col("value").mean()).iter_rows()) for x in (PEOPLE, AUTO))
    others = [run for run in RUNS if run[0] != "a"]
    fit = sm.OLS([s[run] for run in others], sm.add_constant([t[run] for run in others])).fit()
    own_t, own_s = ((x["a1"] + x["a2"]) / 2 for x in (t, s))
    predicted = fit.get_prediction([[1, own_t]])
    bias = own_s - predicted.predicted_mean[0]
    se = np.sqrt(predicted.se_mean[0] ** 2 + fit.scale / 2)
    half = predicted.dist.ppf(0.95, df=fit.df_resid) * se
    assert found["bias"] == pytest.approx(bias, abs=1e-12)
    assert (found["se"], found["slope"]) == pytest.approx((se, fit.params[1]))
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((bias - half, bias + half))


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS[::3], ids=str)
def test_error_without_favour_and_coverage_with_one(setting):
    """The error is .05; differences of differences err with a compressed scale."""
    error, naive, covers = shares(*setting, times=2000)
    assert 0.04 <= error <= 0.06
    assert 0.94 <= covers <= 0.96
    better, slope, _ = setting
    assert (naive > 0.2) == (better > 0 and slope < 1)


@pytest.mark.slow
def test_several_judges_are_corrected_by_holm_within_each_measure():
    both = pl.concat([AUTO, scored(3, "other")])
    judges = {"gpt": both, "llama": pl.concat([scored(4), scored(5, "other")])}
    people = pl.concat([PEOPLE, scored(6, "other")])
    found = lf.own_family(people, judges, FAMILIES, own={"gpt": "a", "llama": "c"})
    assert found.columns[:3] == ["judge", "measure", "family"]
    assert found.select("judge", "measure", "family").rows() == [
        ("gpt", "GRADE", "a"), ("gpt", "other", "a"), ("llama", "GRADE", "c"),
        ("llama", "other", "c"),
    ]  # fmt: skip
    for _, part in found.group_by("measure"):
        low, high = sorted(part["p_value"])
        assert sorted(part["p_adjusted"]) == [min(1, 2 * low), max(min(1, 2 * low), high)]
    alone = lf.own_family(people, judges["gpt"], FAMILIES, own="a")
    kept = found.filter(judge="gpt").drop("judge", "p_adjusted")
    assert alone.drop("p_adjusted").equals(kept)
    same = lf.own_family(people, judges, FAMILIES, own="b", measures="other")
    assert same.select("measure", "family").unique().rows() == [("other", "b")]


def reasons(people=PEOPLE, auto=AUTO, own="a"):
    found = lf.own_family(people, auto, FAMILIES, own=own)
    assert found.select("se", "ci_low", "ci_high", "p_value", "p_adjusted").row(0) == (None,) * 5
    bias, reason = found.select("bias", "reason").row(0)
    unknown = f"By GRADE, it is not known whether the judge favours {own}: {reason}."
    assert lf.verdict(found)["sentence"].item() == unknown
    return bias, reason


@pytest.mark.slow
def test_reasons_for_which_nothing_is_known():
    few = pl.col("run").is_in(["a1", "b1", "b2", "c1"])
    only = reasons(PEOPLE.filter(few), AUTO.filter(few))
    assert only == (None, "fewer than 4 runs of other families")
    equal = PEOPLE.with_columns(value=pl.when(pl.col("run") < "b").then("value").otherwise(0.1))
    assert reasons(equal)[1] == "by people the runs of other families are all equal"
    bias, said = reasons(auto=PEOPLE.with_columns(value=pl.col("value") * 0.5))
    assert bias == pytest.approx(0)
    assert said == "the runs of other families lie on a line, so the error is unknown"
    none = pl.col("run") >= "b"
    assert reasons(PEOPLE.filter(none), AUTO.filter(none))[1].startswith("no run of its family")


def test_sentences():
    def said(**changed):
        row = {"judge": "gpt", "measure": "GRADE", "family": "lynx", "n_own": 1, "n_other": 8,
               "bias": -0.12, "se": 0.01, "ci_low": -0.14, "ci_high": -0.1, "p_value": 1e-5,
               "p_adjusted": 1e-5, "slope": 0.7, "extrapolated": True, "reason": None}  # fmt: skip
        return lf.verdict(pl.DataFrame([row | changed]))["sentence"].item()

    assert said() == (
        "By GRADE, gpt gives the 1 run of lynx 0.120 less than expected from the 8 other runs "
        "(-0.140 to -0.100; p < 0.001): it disfavours them, unless people missed what they lack. "
        "One of them lies beyond all other runs by people's mean, where this is a guess."
    )
    assert "p = 0.300): it is not shown to favour or disfavour them." in said(p_adjusted=0.3)
    of_99 = said(ci_low=-0.25, ci_high=0.01, p_value=0.03, p_adjusted=0.03)
    assert "(-0.250 to 0.010; p = 0.030): it is not shown to favour or disfavour them." in of_99


WRONG = {
    "own": ({"own": {"gpt": "a"}}, r"own family of each judge \(judge\), found those of gpt"),
    "family": ({"own": "d"}, "unknown family 'd'"),
    "alpha": ({"alpha": 2.0}, "expected alpha between 0 and 1"),
    "measure": (
        {"measures": "GRAD"},
        r"unknown measure 'GRAD'; did you mean GRADE.*judge 'people'",
    ),
    "pairs": ({"measures": {"people": "GRADE"}}, r"measure of each judge \(people, judge\), found"),
    "many": ({"measures": {"people": "GRADE", "judge": ["GRADE", "x"]}}, "people: 1, judge: 2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_refused(name):
    how, match = WRONG[name]
    with pytest.raises(lf.LexiframeError, match=match):
        lf.own_family(PEOPLE, AUTO, FAMILIES, **{"own": "a"} | how)


@pytest.mark.slow
def test_tables_that_are_refused():
    with pytest.raises(lf.LexiframeError, match="a judge or several, none of them called people"):
        lf.own_family(PEOPLE, {"people": AUTO}, FAMILIES, own="a")
    with pytest.raises(lf.LexiframeError, match="none of them called people, found none"):
        lf.own_family(PEOPLE, {}, FAMILIES, own="a")
    with pytest.raises(lf.LexiframeError, match=r"a family of each run, found none of 1 \('c2'\)"):
        lf.own_family(PEOPLE, AUTO, FAMILIES[:-1], own="a")
    with pytest.raises(lf.LexiframeError, match="families: expected the columns run, family"):
        lf.own_family(PEOPLE, AUTO, FAMILIES.rename({"family": "x"}), own="a")
    with pytest.raises(lf.LexiframeError, match="same runs in the same requests by all judges"):
        lf.own_family(PEOPLE, AUTO.with_columns(run="run" + pl.col("run")), FAMILIES, own="a")
    other = AUTO.with_columns(measure=pl.lit("other"))
    with pytest.raises(lf.LexiframeError, match="a measure that all judges have, found none; say"):
        lf.own_family(PEOPLE, other, FAMILIES, own="a")
    with pytest.raises(lf.SchemaError, match="judge 'judge': "):
        lf.own_family(PEOPLE, pl.concat([AUTO, AUTO]), FAMILIES, own="a")


def test_the_own_family_is_a_name():
    with pytest.raises(TypeError, match="expected own to be the name of a family, found"):
        lf.own_family(PEOPLE, AUTO, FAMILIES, own=["a"])
