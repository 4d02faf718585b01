"""Whether conclusions can be drawn from a judge: yes and no at their limits, and doubts."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.decide.judges.answers import answers_of

LIMITS = {"least_found": 0.8, "most_reversed": 0, "least_tau": 0.7, "fewest": 5}
OTHERS = {"name_a": "p", "name_b": "m", "measure": "AP"}
NONE_LACKS = pl.DataFrame(schema=dict.fromkeys(("judge", "measure", "run", "query_id"), pl.String))
SIGNIFICANT = {"f": (True, True), "m": (True, False), "r": (True, True), "i": (False, True)}
"""Whether a pair of each kind is significant by p and m: found, missed, reversed, invented."""


def answer(kinds, low=0.7, n_runs=9, lacks=NONE_LACKS, tau=0.9, **limits):
    """The row of pairs of these kinds, and of an interval that begins so."""
    rows = [(*SIGNIFICANT.get(kind, (False, False)), kind == "r") for kind in kinds]
    pairs = pl.DataFrame(rows, ["reject_a", "reject_b", "changes_side"], orient="row")
    order = {"measure": "AP", "method": "kendall", "judge_a": "p", "judge_b": "m", "n": n_runs}
    ends = {"correlation": tau, "ci_low": low, "ci_high": 1.0}
    types = dict.fromkeys(ends, pl.Float64)
    correlations = pl.DataFrame([order | ends], schema_overrides=types)
    by_both = {"mean_difference_a": 0.1, "mean_difference_b": 0.2}
    by_both |= {"p_adjusted_a": 0.01, "p_adjusted_b": 0.01}
    pairs = pairs.with_columns(**{of: pl.lit(value) for of, value in (OTHERS | by_both).items()})
    return answers_of(pairs, correlations, lacks, LIMITS | limits, []).row(0, named=True)


def test_each_kind_of_pair_is_counted():
    row = answer("ffffffmriiin")
    counts = ("found", "missed", "reversed", "invented", "pairs", "share")
    assert [row[name] for name in counts] == [6, 1, 1, 3, 12, 0.75]


@pytest.mark.parametrize(
    "kinds, how, expected",
    [
        ("ffffm", {}, "yes"),  # .8 and .7 are enough, and so are 5 pairs of 5 runs
        ("ffffm", {"n_runs": 5}, "yes"),
        ("ffffmmn", {}, "no"),
        ("fffff", {"low": 0.6999}, "no"),
        ("fffff", {"low": 0.6999, "least_tau": 0.6}, "yes"),
        ("fffffffr", {}, "no"),
        ("fffffffr", {"most_reversed": 1}, "yes"),
        ("fffffffr", {"most_reversed": 1, "least_found": 0.9}, "no"),
        ("rn", {"n_runs": 2, "low": None}, "no"),
        ("ffff", {}, None),
        ("ffff", {"fewest": 4}, "yes"),
        ("mmmm", {}, None),
        ("nnnnnn", {}, None),
        ("fffff", {"n_runs": 4}, None),
        ("fffff", {"low": None}, "yes"),  # .9 less two swaps of 9 runs: .789
        ("fffff", {"low": None, "n_runs": 7}, "yes"),  # .71
        ("fffff", {"low": None, "n_runs": 6}, "no"),  # .633
        ("fffff", {"low": None, "tau": None}, None),
        ("mmmmm", {"low": None, "tau": None}, "no"),  # as by a judge who sees all runs as equal
        ("fffff", {"low": 0.5999999999999999, "least_tau": 0.6}, "yes"),  # .6, but for rounding
    ],
)
def test_yes_and_no_at_their_limits(kinds, how, expected):
    assert answer(kinds, **how)["answer"] == expected


def test_a_number_that_misses_its_limit_is_not_printed_as_the_limit():
    assert "τ is at least 0.699 (needed: 0.7)" in answer("fffff", low=0.6999)["reason"]
    assert "τ is undefined (needed: 0.7)" in answer("mmmmm", low=None, tau=None)["reason"]


def test_what_the_second_judge_alone_lacks_makes_no_answer_of_a_yes():
    row = {"judge": "m", "measure": None, "run": None, "query_id": "1"}
    lacks = pl.concat([NONE_LACKS, pl.DataFrame([row], NONE_LACKS.schema)])
    found = answer("fffff", lacks=lacks)
    assert found["answer"] is None
    assert found["reason"] == "m lacks 1 of the runs, requests or scores that p has"
    assert answer("ffmmm", lacks=lacks)["answer"] == "no"
    for other in ({"judge": "p"}, {"measure": "RR"}):
        rows = lacks.vstack(pl.DataFrame([row | other], NONE_LACKS.schema))
        rows = rows if "judge" in other else rows[1:]
        assert answer("fffff", lacks=rows)["answer"] == "yes"


def scored(noise, n_runs=12, n=40):
    rng = np.random.default_rng(1)
    values = np.linspace(0, 0.1, n_runs)[:, None] + rng.normal(0, 0.05, (n_runs, n))
    values = (values + noise * rng.normal(0, 1, values.shape)).ravel()
    names = [(f"r{i}", f"q{j}") for i in range(n_runs) for j in range(n)]
    table = pl.DataFrame(names, ["run", "query_id"], orient="row")
    return table.with_columns(measure=pl.lit("AP"), value=values)


def test_the_verdict_ends_with_the_answer_the_reason_and_the_limits():
    judges = {"people": scored(0), "good": scored(0.01), "bad": scored(3)}
    how = {"samples": 50, "trials": 200}
    found = lf.compare_judges(None, judges, "AP", **how)
    said = dict(found.verdict.select("name_b", "sentence").rows())
    assert said["good"].endswith(
        "Can conclusions be drawn from good? Yes: it finds 97.1 % of the significant pairs "
        "(needed: 80 %), reverses 0 (allowed: 0), and τ is at least 0.818 (needed: 0.7)."
    )
    assert "Can conclusions be drawn from bad? No: it finds " in said["bad"]
    assert next(iter(found.sections().values()))["answer"].to_list() == ["no", "yes"]
    few = {
        name: s.filter(pl.col("run").is_in(["r0", "r1", "r2"]))
        for name, s in judges.items()
        if name != "bad"
    }
    assert lf.compare_judges(None, few, "AP", **how).verdict["sentence"].item().endswith(
        "Not known: people finds 0 significant pairs of 3 runs (needed: 5 pairs, 5 runs)."
    )  # fmt: skip
    lacking = judges["good"].filter(pl.col("query_id") != "q3")
    with pytest.warns(lf.LexiframeWarning, match="left out"):
        found = lf.compare_judges(None, {"p": judges["people"], "m": lacking}, "AP", **how)
    assert found.answers["answer"].to_list() == [None]
    fewer = judges["people"].filter(pl.col("query_id") != "q3")
    with pytest.warns(lf.LexiframeWarning, match="left out"):
        found = lf.compare_judges(None, {"p": fewer, "m": judges["good"]}, "AP", **how)
    assert found.answers["answer"].to_list() == ["yes"]


def test_an_answer_that_one_judge_alone_judged_is_a_gap_and_not_0():
    rng = np.random.default_rng(2)
    keys = [(f"r{i}", f"q{j}", f"n{k}") for i in range(8) for j in range(20) for k in range(6)]
    stated = [float(rng.random() < 0.1 + 0.1 * int(run[1:])) for run, *_ in keys]
    table = pl.DataFrame(keys, ["run", "query_id", "nugget_id"], orient="row")
    table = table.with_columns(credit=pl.Series(stated))
    some = table.filter((pl.col("run") != "r2") | (pl.col("query_id") != "q3"))
    p, m = map(lf.read_nuggets, (table, some))
    how = {"samples": 50, "trials": 200, "missing": "common"}
    with pytest.warns(lf.LexiframeWarning, match="single scores: 1"):
        found = lf.compare_judges(None, {"p": p, "m": m}, "NuggetRecall", **how)
    assert found.left_out.rows() == [("m", "NuggetRecall", "r2", "q3")]
    assert found.answers["answer"].to_list() == [None]
    own = pl.DataFrame({"run": [f"r{i}" for i in range(8)], "family": list("aabbbbbb")})
    with pytest.warns(lf.LexiframeWarning, match="own_family: left out.*single scores: 1"):
        lf.own_family(p, {"m": m}, own, "a", measures="NuggetRecall")


def test_a_gap_counts_in_its_group_of_requests():
    judges = {"p": scored(0), "m": scored(0.01).filter(pl.col("query_id") != "q3")}
    kinds = pl.DataFrame({"query_id": [f"q{n}" for n in range(40)], "kind": ["x", "y"] * 20})
    how = {"samples": 50, "trials": 200, "requests": kinds, "by": "kind"}
    with pytest.warns(lf.LexiframeWarning, match="left out"):
        found = lf.compare_judges(None, judges, "AP", **how)
    assert found.answers.select("kind", "answer").rows() == [("x", "yes"), ("y", None)]


@pytest.mark.parametrize(
    "limit, said",
    [
        ({"least_found": 1.1}, "expected a limit least_found from 0 to 1, found 1.1"),
        ({"most_reversed": -1}, "expected a limit most_reversed from 0, found -1"),
        ({"least_tau": -2}, "expected a limit least_tau from -1 to 1, found -2"),
        ({"fewest": 1}, "expected a limit fewest from 2, found 1"),
    ],
)
def test_limits_that_nothing_can_have(limit, said):
    with pytest.raises(lf.LexiframeError, match=said):
        lf.compare_judges(None, {"a": scored(0), "b": scored(0)}, "AP", **limit)


def test_the_same_judgments_twice_make_no_answer():
    people = {"people": scored(0), "copy": scored(0), "other": scored(0.3)}
    found = lf.compare_judges(None, people, "AP", fewest=2)
    rows = found.answers.filter(judge_a="people")
    assert dict(rows.select("judge_b", "answer").rows())["copy"] is None
    same = rows.filter(judge_b="copy")["reason"].item()
    assert same == "copy gives all differences of runs exactly as people, as its copy would"
    assert same in " ".join(found.verdict["sentence"])
