"""Judges of preferences: agreement, who differs, and who goes round in circles, against loops."""

from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from tests.conftest import SHARED, library

NAMES = ["query_id", "run_a", "run_b", "winner", "judge"]
VALUE = {"a": 1, "tie": 0, "b": -1}


def votes(rows):
    return pl.DataFrame(rows, schema=NAMES, orient="row")


def random_votes(rng, judges="abcd", requests=8, runs="wxyz", share=0.7, twice=0.1):
    """Each judge judges most requests and pairs, and some of them twice."""
    rows = []
    for q, (a, b), judge in product(range(requests), combinations(runs, 2), judges):
        want = ((5 * q + 3 * ord(a) + ord(b)) % 7 - 3) / 2
        for _ in range(1 + (rng.random() < twice)):
            if rng.random() < share:
                seen = want + rng.normal()
                side = "tie" if abs(seen) < 0.4 else "a" if seen > 0 else "b"
                rows.append((f"q{q}", a, b, side, judge))
    return votes(rows)


def verdicts(frame):
    """{judge: {unit: -1, 0 or 1}}, several judgments by the sign of their sum."""
    total = {}
    for q, a, b, winner, judge in frame.rows():
        of = total.setdefault(judge, {})
        of[q, a, b] = of.get((q, a, b), 0) + VALUE[winner]
    return {j: {u: int(np.sign(x)) for u, x in of.items()} for j, of in total.items()}


def alpha_by_loops(said, ordinal):
    """Krippendorff's α of all judges: 1 − D_o/D_e over pairs of values of the same unit."""
    units = {}
    for of in said.values():
        for unit, value in of.items():
            units.setdefault(unit, []).append(value)
    units = [values for values in units.values() if len(values) > 1]
    every = [value for values in units for value in values]
    n = {c: every.count(c) for c in (-1, 0, 1)}

    def delta(c, k):
        if not ordinal:
            return float(c != k)
        low, high = min(c, k), max(c, k)
        return (sum(n[g] for g in range(low, high + 1)) - (n[c] + n[k]) / 2) ** 2

    observed = sum(
        delta(c, k) / (len(values) - 1) for values in units for c, k in combinations(values, 2)
    )
    expected = sum(n[c] * n[k] * delta(c, k) for c, k in combinations(n, 2)) / (len(every) - 1)
    return 1 - observed / expected


def test_every_two_judges_agree_as_in_loops_and_scikit_learn():
    frame = random_votes(np.random.default_rng(1))
    cohen_kappa_score = library("sklearn.metrics").cohen_kappa_score
    said = verdicts(frame)
    table = lf.judge_agreement(frame)
    assert table.select("judge_a", "judge_b").rows() == [*combinations("abcd", 2)]
    for row in table.iter_rows(named=True):
        a, b = said[row["judge_a"]], said[row["judge_b"]]
        both = sorted({*a} & {*b})
        x, y = [a[u] for u in both], [b[u] for u in both]
        assert (row["n"], row["only_a"], row["only_b"]) == (
            len(both), len(a) - len(both), len(b) - len(both)
        )  # fmt: skip
        assert row["agreement"] == pytest.approx(np.mean(np.equal(x, y)))
        assert row["opposite"] == pytest.approx(np.mean(np.multiply(x, y) == -1))
        assert row["mean_difference"] == pytest.approx(np.mean(x) - np.mean(y))
        assert row["kappa"] == pytest.approx(cohen_kappa_score(x, y))
        linear = cohen_kappa_score(x, y, weights="linear", labels=[-1, 0, 1])
        assert row["kappa_linear"] == pytest.approx(linear)
        two = {"a": {u: a[u] for u in both}, "b": {u: b[u] for u in both}}
        assert row["alpha_nominal"] == pytest.approx(alpha_by_loops(two, False))
        assert row["alpha"] == pytest.approx(alpha_by_loops(two, True))


def test_each_judge_beside_all_others_is_that_of_loops():
    frame = random_votes(np.random.default_rng(2))
    said = verdicts(frame)
    table = lf.collection.judge_consistency(frame)
    assert table["judge"].to_list() == [None, *"abcd"]
    every = table.row(0, named=True)
    assert every["alpha"] == pytest.approx(alpha_by_loops(said, True))
    assert every["alpha_nominal"] == pytest.approx(alpha_by_loops(said, False))
    for row in table[1:].iter_rows(named=True):
        others = {j: of for j, of in said.items() if j != row["judge"]}
        assert row["alpha"] == pytest.approx(alpha_by_loops(others, True))
        assert row["alpha_nominal"] == pytest.approx(alpha_by_loops(others, False))
        gains = {}
        for unit, value in said[row["judge"]].items():
            theirs = [of[unit] for of in others.values() if unit in of]
            if len(theirs) > 1:
                same = np.mean([x == value for x in theirs])
                alone = np.mean([x == y for x, y in combinations(theirs, 2)])
                gains.setdefault(unit[0], []).append((same, alone))
        flat = np.array([g for of in gains.values() for g in of])
        assert (row["n_shared"], row["n_requests"]) == (len(flat), len(gains))
        found = [row["agreement"], row["others"], row["difference"]]
        mean = flat.mean(axis=0)
        assert found == pytest.approx([*mean, mean[0] - mean[1]])
        u = [sum(s - o - found[2] for s, o in of) for of in gains.values()]
        se = np.sqrt(np.sum(np.square(u)) * len(u) / (len(u) - 1)) / len(flat)
        p = 2 * stats.t.sf(abs(found[2]) / se, len(u) - 1)
        assert row["p_value"] == pytest.approx(p)


def test_circular_triples_are_those_of_loops():
    frame = random_votes(np.random.default_rng(3), runs="uvwxyz", share=0.9)
    table = lf.collection.judge_consistency(frame)
    total = [0, 0]
    for judge, of in verdicts(frame).items():
        n = circular = 0
        for q, (a, b, c) in product({u[0] for u in of}, combinations("uvwxyz", 3)):
            sides = [of.get((q, *pair), 0) for pair in ((a, b), (b, c), (a, c))]
            n += all(sides)
            circular += sides in ([1, 1, -1], [-1, -1, 1])
        row = table.filter(judge=judge).row(0, named=True)
        assert (row["n_triples"], row["n_circular"]) == (n, circular)
        assert row["circular"] == pytest.approx(circular / n)
        total = [total[0] + n, total[1] + circular]
    assert table.row(0, named=True)["n_triples"] == total[0] > 100
    assert table.row(0, named=True)["n_circular"] == total[1] > 0


def test_a_judge_who_decides_at_random_goes_round_as_often_as_chance():
    rng = np.random.default_rng(4)
    rows = [
        (f"q{q}", a, b, rng.choice(["a", "b"]), judge)
        for q, (a, b), judge in product(range(60), combinations("uvwxyz", 2), "ab")
    ]
    every = lf.collection.judge_consistency(votes(rows)).row(0, named=True)
    assert every["by_chance"] == 0.25
    assert every["circular"] == pytest.approx(0.25, abs=0.04)  # 2,400 triples


def test_who_differs_is_named():
    rows = [
        (
            f"q{q}",
            "x",
            "y",
            "b" if judge == "eve" or (q % 5 == 0 and judge == "bob") else "a",
            judge,
        )
        for q, judge in product(range(12), ("ann", "bob", "cat", "eve"))
    ]
    table = lf.collection.judge_consistency(votes(rows))
    said = str(lf.verdict(table)).replace("\n", " ")
    assert (
        "judge eve is shown to agree with the others less than they agree with one another" in said
    )
    assert "no judge decided all three pairs" in said
    same = lf.collection.judge_consistency(votes([r for r in rows if r[4] in ("ann", "cat")]))
    said = str(lf.verdict(same)).replace("\n", " ")
    assert "no judge can be compared with two others over two requests" in said
    assert same["alpha"].null_count() == 3
    said = str(lf.verdict(lf.judge_agreement(votes(rows)))).replace("\n", " ")
    assert "4 judges say the same in" in said
    assert "or more such cases agree less than these: " in said
    alone = votes([r for r in rows if r[4] in ("ann", "cat")])
    said = str(lf.verdict(lf.judge_agreement(alone))).replace("\n", " ")
    assert "ann and cat say the same of 12 of the 12 requests and pairs that both judged" in said
    assert "all have the same winner" in said


@pytest.mark.conformance
def test_the_judges_of_real_judgments():
    v = lf.read_preferences(SHARED / "data" / "llmfao" / "votes.csv")
    said = verdicts(v.judgments.select(NAMES))
    every = lf.collection.judge_consistency(v).row(0, named=True)
    assert (every["n"], every["n_requests"]) == (2139, 13)
    assert every["alpha"] == pytest.approx(alpha_by_loops(said, True))
    assert every["alpha_nominal"] == pytest.approx(alpha_by_loops(said, False))


def test_what_cannot_be_compared_is_refused():
    one = votes([("1", "x", "y", "a", "ann")])
    with pytest.raises(lf.LexiframeError, match="at least two judges, found 'ann' alone"):
        lf.judge_agreement(one)
    nobody = lf.read_preferences(one.with_columns(judge=pl.lit(None, pl.String)))
    with pytest.raises(lf.LexiframeError, match="at least two judges, found none with a name"):
        lf.collection.judge_consistency(nobody)
    apart = votes([("1", "x", "y", "a", "ann"), ("2", "x", "y", "a", "bob")])
    with pytest.raises(lf.LexiframeError, match="that two judges judged, found none"):
        lf.judge_agreement(apart)
    with pytest.raises(lf.LexiframeError, match="no rel and no duplicates with side-by-side"):
        lf.judge_agreement(apart, 2)
    with pytest.raises(lf.LexiframeError, match="alpha between 0 and 1"):
        lf.collection.judge_consistency(apart, alpha=2.0)
