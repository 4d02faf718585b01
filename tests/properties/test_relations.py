"""What the papers prove of metrics and preferences holds of the numbers."""

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import assert_close, items_of, judgments, measured, pairs_of, rankings
from tests.oracle import positions_of, sgn
from tests.strategies import BINARY, collections, positions_tables

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]

METRICS = ["AP", "RR", "RR(level=2)", "nDCG", "nDCG(dcg='exp-log2')", "RBP", "linear(n=100)", "R"]
METRICS += ["R@5", "P@5", "Rprec", "TSE(AP)", "AP@5", "nDCG@5", "Success@3", "gRBP", "ERR"]
METRICS += ["AP(denominator='min')@5", "AP(denominator='k')@5", "LR.rank", "LP.rank"]
LENGTHS = ["ISL(n=100)", "TSL(n=100)", "ASL(n=100)", "SL1(n=100)", "SL3(n=100)", "RE(n=100)"]
PREFERENCES = ["RPP", "dcgRPP", "invRPP", "LR", "LP", "rrLR", "rrLP"]


def with_pairs(**arguments):
    return positions_tables(min_runs=2, pool=True, **arguments)


@given(with_pairs(), st.sampled_from(["pool", 3 * 10**9]), st.booleans())
def test_lexirecall_never_contradicts_total_search_efficiency(p, n, imputed):
    q = lf.impute(p, n)
    d = pl.concat([lf.preferences(q, "TSE(nDCG)"), lf.preferences(q if imputed else p, "LR")])
    LR = measured(d, "LR")
    assert all(x == 0 or sgn(x) == LR[key] for key, x in measured(d, "TSE(nDCG)").items())


@given(with_pairs())
def test_lexiprecision_never_contradicts_reciprocal_rank(p):
    d = lf.preferences(p, ["LP", "RR"])
    LP = measured(d, "LP")
    assert all(x == 0 or sgn(x) == LP[key] for key, x in measured(d, "RR").items())


@given(with_pairs())
def test_rrlp_is_the_difference_of_reciprocal_ranks_where_they_differ(p):
    d = lf.preferences(p, ["rrLP", "RR"])
    differ = {key: x for key, x in measured(d, "RR").items() if x != 0}
    sizes = measured(d, "rrLP")
    assert_close({key: sizes[key] for key in differ}, differ)


@given(with_pairs())
def test_sizes_have_the_signs_of_their_preferences(p):
    d = lf.preferences(p, ["LR", "rrLR", "LP", "rrLP"])
    for name in ("LR", "LP"):
        sizes = measured(d, f"rr{name}")
        assert {key: sgn(x) for key, x in sizes.items()} == measured(d, name)


@given(with_pairs(), st.sampled_from([None, 100, 3 * 10**9]))
def test_lexicographic_ties_only_for_equal_vectors(p, n):
    p = p if n is None else lf.impute(p, n)
    equal = {
        key: positions_of(a) == positions_of(b) for key, (a, b) in pairs_of(items_of(p)).items()
    }
    for name in ("LR", "LP", "rrLR", "rrLP"):
        d = measured(lf.preferences(p, name), name)
        assert {key: x == 0 for key, x in d.items()} == equal


@given(with_pairs(), st.sampled_from([100, 3 * 10**9]))
def test_pessimistic_imputation_keeps_every_preference_by_order(p, n):
    names = ["RPP", "dcgRPP", "invRPP", "LR", "LP"]
    assert lf.preferences(lf.impute(p, n), names).equals(lf.preferences(p, names))


@given(with_pairs())
def test_recall_paired_preferences_stay_within_one(p):
    d = lf.preferences(p, ["RPP", "dcgRPP", "invRPP"])
    assert d["preference"].is_between(-1 - 1e-12, 1 + 1e-12).all()


@given(collections(), st.integers(1, 8))
def test_metrics_stay_within_their_bounds(collection, k):
    p = lf.positions(*collection, judged=True)
    judged = ["bpref", "infAP", f"Judged@{k}", "RBP_residual", f"RBP_residual@{k}"]
    names = [name for name in METRICS if not name.endswith(".rank")] + [f"ERR@{k}", f"P@{k}"]
    names += judged if p["level"].null_count() else []
    values = lf.scores(p, names)["value"]
    assert values.is_between(0, 1).all()
    lengths = lf.scores(p, LENGTHS).join(
        p.group_by("run", "query_id").agg(pl.col("n_relevant").first()), on=["run", "query_id"]
    )
    m = pl.col("n_relevant")
    least = pl.col("measure").replace_strict(
        dict(zip(LENGTHS, ["1", "m", "mean", "0", "0", "0"], strict=True))
    )
    low = (
        pl.when(least == "1")
        .then(1)
        .when(least == "m")
        .then(m)
        .when(least == "mean")
        .then((m + 1) / 2)
        .otherwise(0)
    )
    assert lengths.select((pl.col("value").is_between(low, 100)).all()).item()


@given(with_pairs())
def test_a_run_that_is_sooner_at_every_level_has_rpp_one(p):
    pairs = pairs_of(items_of(p))
    sooner = [key for key, (a, b) in pairs.items() if dominates(a, b)]
    for name in ("RPP", "dcgRPP", "invRPP"):
        d = measured(lf.preferences(p, name), name)
        assert_close({key: d[key] for key in sooner}, dict.fromkeys(sooner, 1.0))


def dominates(a, b):
    return all(
        set(oracle.s(positions_of(a, y), positions_of(b, y))) == {1} for y in oracle.thresholds(a)
    )


@given(st.data(), collections(max_runs=1))
def test_swapping_a_better_item_up_never_hurts(data, collection):
    """Also when the better item was not retrieved and takes the place of another."""
    answers, graded = rankings(collection.runs)["a"], judgments(collection.qrels)
    swaps = [
        (query_id, upper, lower)
        for query_id in sorted(set(answers) & set(graded))
        for upper, lower in swaps_up(oracle.order(answers[query_id]), graded[query_id])
    ]
    assume(swaps)
    query_id, upper, lower = data.draw(st.sampled_from(swaps))
    before = oracle.order(answers[query_id])
    after = [{upper: lower, lower: upper}.get(doc_id, doc_id) for doc_id in before]
    p = lf.positions(as_runs(query_id, after=after, before=before), collection.qrels)
    d = lf.preferences(p.filter(pl.col("query_id") == query_id), [*METRICS, *LENGTHS, *PREFERENCES])
    assert d["preference"].min() >= 0
    if graded[query_id].get(upper, 0) <= 0:
        strict = d.filter(pl.col("measure").is_in([*PREFERENCES, "AP", "nDCG", "RBP"]))
        assert strict["preference"].min() > 0


def swaps_up(ordered, grades):
    """The pairs of a retrieved item and a better one that is below it, or was not retrieved."""
    gains = {doc_id: max(grades.get(doc_id, 0), 0) for doc_id in {*ordered, *grades}}
    for place, upper in enumerate(ordered):
        for lower in sorted(gains.keys() - set(ordered[: place + 1])):
            if gains[lower] > gains[upper]:
                yield upper, lower


def as_runs(query_id, **orders):
    return pl.concat(
        pl.DataFrame({"run": name, "query_id": query_id, "doc_id": order}).with_columns(
            score=-pl.int_range(pl.len()).cast(pl.Float64)
        )
        for name, order in orders.items()
    )


@given(with_pairs(grades=BINARY))
def test_lexicographic_preferences_are_transitive(p):
    """The signs of LR and LP order the rankings of a request totally, up to ties."""
    d = lf.preferences(p, ["LR", "LP"])
    for name in ("LR", "LP"):
        signs = measured(d, name)
        for q, a, b in signs:
            for c in {c for r, _, c in signs if r == q and c > b}:
                if signs[q, a, b] >= 0 and signs[q, b, c] >= 0:
                    assert signs[q, a, c] == max(signs[q, a, b], signs[q, b, c])
