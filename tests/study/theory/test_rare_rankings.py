"""Places, predictions and drawn rankings: by loops over all rankings or pairs of them."""

from itertools import combinations, permutations, product
from math import comb, exp, log10

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.study.theory.stochastic import _least_expectation
from lexiframe.theory import place, predict_worst_case, rarity, stochastic_worst_case
from tests import oracle


@pytest.fixture(scope="module")
def p():
    folder = lf.bundled("example")
    return lf.positions(folder / "runs", folder / "qrels.txt", pool=True)


def test_places_are_exact_however_large():
    worst = range(50_001 - 100, 50_001)
    assert place(worst, 50_000) == place(worst, 50_000, "LP") == comb(50_000, 100)
    assert place([*worst[:-1], 49_999 + 1], 50_000) - place([49_900, *worst[1:]], 50_000) == 1


def test_rarity_by_formula(p):
    whole = lf.impute(p, "pool")
    table = rarity(p, "pool")
    assert table.columns[:4] == ["run", "query_id", "measure", "value"]
    for run, query, measure, value in table.select(table.columns[:4]).rows():
        part = whole.filter(run=run, query_id=query).sort("position")
        n, m = part["corpus_size"][0], part.height
        counted = place(part["position"].to_list(), n, measure[7:9])
        assert value == pytest.approx(log10(comb(n, m)) - log10(counted), abs=1e-9)


def test_rarity_has_the_order_of_the_preference_and_is_a_score(p):
    s = rarity(p, 2000, "LR")
    d = lf.preferences(lf.impute(p, 2000), "LR")
    value = {(run, query): x for run, query, x in s.select("run", "query_id", "value").rows()}
    for query, a, b, sign in d.select("query_id", "run_a", "run_b", "preference").rows():
        # Of the worst rankings several shares are the same double.
        is_merged = max(value[a, query], value[b, query]) < 1e-6
        assert oracle.sgn(value[a, query] - value[b, query]) in ({0, sign} if is_merged else {sign})
    assert lf.compare(s, "t")["measure"].unique().to_list() == ["rarity(LR)"]


def test_the_last_places_keep_their_difference():
    """Shares near 1, whose logarithms are near 0."""
    q = {"a": {"q": {"x": 2, "u": 3}}, "b": {"q": {"u": 1}}}
    found = rarity(lf.positions(q, {"q": {"x": 1}}), 10**9, "LR")["value"]
    assert found.to_list() == [pytest.approx(9 - log10(2)), 0.0]
    last = rarity(lf.positions({"a": {"q": {"x": 1}}}, {"q": {"x": 1, "y": 1}}), 10**6, "LR")
    counted = (10**6 - 1) * (10**6 - 2) // 2 + 1
    assert last["value"].item() == pytest.approx(-log10(counted / comb(10**6, 2)), rel=1e-6)


def test_predictions_by_loops(p):
    by_ranking = {}
    for run, query, level, rank in p.select("run", "query_id", "level", "position").rows():
        by_ranking.setdefault(query, {}).setdefault(run, {})[level] = rank
    found = {row[:2]: row[2:] for row in predict_worst_case(p, [1, 3, 8]).rows()}
    for j in (1, 3, 8):
        expected = {name: [0, 0, 0] for name in ("RPP", "sgnLP", "sgnLR")}
        for of_runs in by_ranking.values():
            for run_a, run_b in combinations(sorted(of_runs), 2):
                a, b = ([of_runs[r][i] for i in sorted(of_runs[r])] for r in (run_a, run_b))
                target = oracle.LR(a[j:], b[j:]) if len(a) > j else 0
                if target == 0:
                    continue
                top = a[:j], b[:j]
                signs = sum(oracle.s(*top))
                guesses = (oracle.sgn(signs), oracle.LP(*top), oracle.LR(*top))
                for name, guess in zip(expected, guesses, strict=True):
                    counts = expected[name]
                    counts[0] += 1
                    counts[1] += guess == target
                    counts[2] += guess == 0
        for name, counts in expected.items():
            n, correct, ties = counts
            assert found[j, name] == (n, correct, ties, correct / n if n else None)


def test_predictions_of_the_worst_case_of_groups_by_loops(p):
    """The item of the group that decides is behind the first levels of both rankings."""
    items = p["doc_id"].unique().sort().to_list()
    group_of = {doc_id: "abb"[n % 3] for n, doc_id in enumerate(items)}
    groups = pl.DataFrame({"doc_id": items, "group": list(group_of.values())})
    found = {row[:3]: row[3:6] for row in predict_worst_case(p, [1, 4], groups=groups).rows()}
    by_ranking = {}
    for run, query, *row in p.select("run", "query_id", "level", "position", "doc_id").rows():
        by_ranking.setdefault(query, {}).setdefault(run, []).append(tuple(row))
    expected = {key: [0, 0, 0] for key in found}
    for of_runs in by_ranking.values():
        for run_a, run_b in combinations(sorted(of_runs), 2):
            a, b = (sorted(of_runs[run]) for run in (run_a, run_b))
            for j, group in product((1, 4), "ab"):
                in_a, in_b = ([row for row in of if group_of[row[2]] == group] for of in (a, b))
                ranks = [[rank for _, rank, _ in of] for of in (in_a, in_b)]
                k = oracle.deciding_level(*ranks, largest=True)
                if k is None or min(in_a[k - 1][0], in_b[k - 1][0]) <= j or len(a) <= j:
                    continue
                top = [[rank for _, rank, _ in of[:j]] for of in (a, b)]
                guesses = oracle.sgn(sum(oracle.s(*top))), oracle.LP(*top), oracle.LR(*top)
                for name, guess in zip(("RPP", "sgnLP", "sgnLR"), guesses, strict=True):
                    counts = expected[group, j, name]
                    counts[0] += 1
                    counts[1] += guess == oracle.LR(*ranks)
                    counts[2] += guess == 0
    assert {key: list(counts) for key, counts in found.items()} == expected
    assert min(counts[0] for counts in expected.values()) > 0


def test_drawn_rankings_against_all_of_them():
    """Expectations over all orders of four items, with their Plackett–Luce probabilities."""
    scores = {"x": 4.0, "u": 2.5, "y": 2.0, "z": 0.5}
    spread, temperature = 1.25, 0.8  # the standard deviation of the scores is 1.25
    weight = {doc: exp(score / (spread * temperature)) for doc, score in scores.items()}
    expected = dict.fromkeys("xy", 0.0)
    for order in permutations(scores):
        probability = 1.0
        for at, doc in enumerate(order):
            probability *= weight[doc] / sum(weight[other] for other in order[at:])
        for doc in expected:
            expected[doc] += probability / (1 + order.index(doc))
    row = stochastic_worst_case(
        {"a": {"q": scores}}, {"q": {"x": 1, "y": 1, "w": 1}}, "RR", temperature, samples=40_000
    ).row(0, named=True)
    assert (row["n_items"], row["deterministic"]) == (2, 1 / 3)
    assert row["stochastic"] == pytest.approx(min(expected.values()), abs=4 * row["std_error"])
    assert 0 < row["std_error"] < 0.005


def test_cold_rankings_are_those_of_the_run():
    folder = lf.bundled("example")
    found = stochastic_worst_case(
        folder / "runs", folder / "qrels.txt", temperature=1e-9, samples=4
    )
    assert found.height == 15
    difference = (found["deterministic"] - found["stochastic"]).abs()
    assert (difference < 1e-12).mean() > 0.9  # but for ties of scores
    assert found.equals(found.sort("run", "query_id"))


def test_what_is_refused(p):
    with pytest.raises(lf.LexiframeError, match="ranks that rise, from 1 to n = 4"):
        place([2, 2], 4)
    with pytest.raises(lf.LexiframeError, match="ranks that rise, from 1 to n = 4"):
        place([2, 5], 4)
    with pytest.raises(lf.LexiframeError, match="expected order to be one of 'LR', 'LP'"):
        rarity(p, "pool", "RPP")
    with pytest.raises(lf.LexiframeError, match="expected levels from 1, found"):
        predict_worst_case(p, [0])
    one = p.select("doc_id", group=pl.lit("g")).unique()
    with pytest.raises(lf.LexiframeError, match="expected a group of every relevant item, found"):
        predict_worst_case(p, groups=one.head(3))
    both = pl.concat([one, one.with_columns(group=pl.lit("h"))])
    with pytest.raises(lf.LexiframeError, match="expected one group of each item, found several"):
        predict_worst_case(p, groups=both)
    plain = predict_worst_case(p)
    assert predict_worst_case(p, groups=one).drop("group").equals(plain)
    for options, message in (
        ({"temperature": 0}, "temperature above 0, found 0"),
        ({"samples": 3}, "4 samples or more, found 3"),
        ({"measure": "LR"}, "a metric with an exposure, such as AP, found LR"),
    ):
        with pytest.raises(lf.LexiframeError, match=message):
            stochastic_worst_case({"a": {"q": {"x": 1}}}, {"q": {"x": 1}}, **options)


def test_the_item_served_worst_is_chosen_by_one_half_of_the_samples_and_measured_by_the_other():
    """By all samples the other item would be the worst; by the first half its value would be 0."""
    values = np.array([[0, 0.2], [0, 0.2], [1, 0], [1, 0.2]])
    assert _least_expectation(values) == (1, 0)
