"""A gate that also looks at the requests that a candidate serves worst."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.decide.worst.tails import Tails
from tests.decide.worst.test_worst_share import table

RNG = np.random.default_rng(0)
OLD = RNG.beta(2, 2, 200)
NEW = np.where(OLD < 0.3, np.maximum(OLD - 0.15, 0), np.minimum(OLD + 0.1, 1)) + RNG.normal(
    0, 0.01, 200
)
TWO = {"baseline": "old", "candidate": "new"}


def test_both_have_to_hold():
    s = table({"old": OLD, "new": NEW})
    plain = lf.gate(s, 0.05, **TWO)
    assert plain["outcome"].to_list() == ["pass"]
    g = lf.gate(s, 0.05, **TWO, worst=0.1)
    assert g["measure"].to_list() == ["AP", "AP, worst 0.1"]
    assert g.filter(measure="AP").drop("worst").equals(pl.DataFrame(plain))
    assert g["outcome"].to_list() == ["pass", "fail"]
    (said,) = lf.verdict(g)["sentence"]
    assert said.startswith("FAIL: by AP, worst 0.1, new is worse than old by more than the margin")
    psi = Tails(np.stack([NEW, OLD], axis=1)).psi(0.1)
    d = psi[:, 0] - psi[:, 1]
    t = (d.mean() + 0.05) / (d.std(ddof=1) / np.sqrt(200))
    row = g.row(1, named=True)
    assert row["p_opposite"] == pytest.approx(stats.t.cdf(t, 38))
    assert row["mean_difference"] == pytest.approx(d.mean())


def test_weights_decide_how_many_requests_count():
    """A tenth of 100 requests with the weight 1 and 100 with 1,000 is worth 10.02 requests."""
    s, few = table({"old": OLD, "new": NEW}), ["fewer than two requests count there"]
    weights = {f"q{n}": 1.0 if n % 2 else 1000.0 for n in range(1, 201)}
    w = np.array([*weights.values()])
    n = w.sum() ** 2 / (w**2).sum()
    g = lf.gate(s, 0.05, **TWO, worst=0.1, weights=weights)
    assert g["n_effective"].to_list() == pytest.approx([n, n])
    (said,) = lf.verdict(g)["sentence"]
    assert f"by weights n* = {n:.1f}, n = 200" in said
    weights["q1"] = 1e5
    heavy = lf.gate(s, 0.05, **TWO, worst=0.1, weights=weights)
    row = heavy.row(1, named=True)
    assert row["n_effective"] * 0.1 < 2
    assert few[0] in row["why"]


@pytest.mark.slow
def test_it_takes_evaluations_groups_and_collections():
    folder = lf.bundled("digits")
    e = lf.evaluate(folder / "runs", folder / "qrels.parquet", "AP RPP")
    two = {"baseline": "pixels_euclidean", "candidate": "pca8_euclidean"}
    g = lf.gate(e, {"AP": 0.05}, **two, worst=0.25)
    of_scores = lf.gate(e.scores.filter(measure="AP"), 0.05, **two, worst=0.25)
    same = ["measure", "outcome", "p_value", "ci_low", "worst"]
    assert pl.DataFrame(g).select(same).equals(pl.DataFrame(of_scores).select(same))
    log = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 201)], "kind": [*"ab"] * 100})
    by = lf.gate(table({"old": OLD, "new": NEW}), 0.05, **TWO, worst=0.1, requests=log, by="kind")
    assert by.select("kind", "n").rows() == [("a", 100), ("a", 100), ("b", 100), ("b", 100)]
    with pytest.raises(lf.LexiframeError, match="gate needs a value for each run and request"):
        lf.gate(e, 0.05, **two, worst=0.1)


def test_fewer_than_two_requests_decide_nothing_and_the_reason_says_so():
    g = lf.gate(table({"old": OLD[:15], "new": NEW[:15]}), 0.05, **TWO, worst=0.1)
    row = g.row(1, named=True)
    assert row["outcome"] == "undecided"
    assert row["why"].endswith("; fewer than two requests count there, which decides nothing.")


@pytest.mark.parametrize(
    "how, said",
    [
        ({"worst": 0.0}, "expected worst to be above 0 and up to 1"),
        (
            {"worst": 0.001},
            "gate: worst 0.001 of 200 requests is less than one: at least 1000, or worst=0.005",
        ),
        ({"worst": 0.1, "require": "better"}, "expected require='not-worse' with worst"),
        ({"worst": 0.1, "cluster": "kind"}, "cluster does not go with worst"),
    ],
)
def test_what_is_refused(how, said):
    with pytest.raises(lf.LexiframeError, match=said):
        lf.gate(table({"old": OLD, "new": NEW}), 0.05, **TWO, **how)


def test_sums_are_refused():
    from lexiframe.core.pairwise import arrays

    d = arrays.reduced(arrays.pair_cube(table({"old": OLD, "new": NEW})))
    with pytest.raises(lf.LexiframeError, match="worst= needs the values of single requests"):
        lf.gate(d, 0.05, **TWO, worst=0.1)


def test_the_command_has_it(lexiframe):
    folder = lf.bundled("example")
    runs = [folder / f"runs/{name}.run" for name in ("random", "pca8_euclidean")]
    how = ["-m", "AP", "--margin", 0.1, "--worst", 0.4]
    said = lexiframe("gate", folder / "qrels.txt", *runs, *how)
    assert "AP, worst 0.4" in said.out
    assert (
        "--worst does not go with"
        in lexiframe("gate", folder / "qrels.txt", *runs, *how, "--curve").said
    )
