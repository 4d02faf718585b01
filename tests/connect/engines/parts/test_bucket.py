"""Buckets reduced to sums, in any division and order, give the tables of all requests at once."""

import warnings
from typing import get_args
from unittest.mock import patch

import numpy as np
import polars as pl
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.connect.engines.parts import batches
from lexiframe.core.evaluation.buckets.bucket import evaluate_bucket
from lexiframe.core.evaluation.buckets.results import BucketResult, Said, nothing
from lexiframe.core.evaluation.from_parts import evaluated_by
from lexiframe.core.evaluation.options import MEASURES, Asked, Inference
from lexiframe.core.metrics.needed import refuse_lower_rel
from lexiframe.core.orderings import Method
from lexiframe.core.pairwise.compared_runs import parse_measures
from lexiframe.core.projection.policies import Policies
from tests.small_tables import RULES
from tests.strategies import RUN_NAMES, SUBTOPICS, collections


def first_found(p):
    """Compare the best positions: a preference of one's own, with values beyond −1..1."""
    with np.errstate(divide="ignore"):
        best = np.where(np.isnan(p), np.inf, p).min(axis=1, initial=np.inf)
    return 100 / best[:, None] - 100 / best


OWN = lf.MatrixPreference("own", first_found)
HIGH = lf.RecallLevelMetric("high", lambda p: 1e7 / p, weight=lambda i, m: 1 / m)
CHOICES = [
    MEASURES,
    ["AP", "AP(rel=2)", "RPP(rel=2)", "nDCG(rel=1.5)", "RR"],  # some requests lack such items
    ["bpref", "infAP", "num_ret", "num_nonrel_judged_ret", "LR"],
    ["SL1", "TSE(AP)", "ISL", "ASL", "RR"],  # smaller is better, and the pool
    ["alpha_nDCG@5", "strec@3", "AP", "RPP"],  # by subtopic, beside others
    ["MAP_IA"],
    ["sgnLR", "ST_RPP", "rrLP", "ERR@3", "RBP(p=0.8)", "Success@1"],
    [OWN, HIGH, "AP", "DCG"],
]
POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "rel": st.sampled_from([1.0, 1.5, 2.0]),
        "ties": st.sampled_from(["doc_id_asc", "input", "rank"]),
        "score_type": st.just("float32"),
        "no_relevant": st.just("zero"),
        "unjudged": st.just("remove"),
        "depth": st.integers(1, 5),
        "exclude_self": st.just(True),
    },
)
TESTS = st.sampled_from(["t", "sign", ["t", "sign"]])
ORDERS = st.sampled_from(sorted(RULES.keys() & {*get_args(Method)}))
GROUPS = st.dictionaries(
    st.sampled_from(["1", "10", "2", "q", "ß"]), st.sampled_from(["x", "y", None]), min_size=2
)

FEW = settings(
    max_examples=settings().max_examples // 4, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
"""Without shrinking, which would take minutes."""


@st.composite
def asked(draw):
    """Runs, judgments, and the arguments of `evaluate`."""
    duplicates = draw(st.sampled_from([False, False, True]))
    measures = draw(st.sampled_from(CHOICES))
    policies = draw(POLICIES)
    by_subtopic = "alpha_nDCG@5" in measures or "MAP_IA" in measures
    how = {
        "ranks": policies.get("ties") == "rank",
        "duplicates": duplicates and not by_subtopic,
        "iterations": SUBTOPICS if by_subtopic else ["0", "0", "1"],
        "min_runs": draw(st.sampled_from([1, 2, 2])),
    }
    runs, qrels = draw(collections(max_runs=4, **how))
    how = {**policies, "measures": measures, "test": draw(TESTS), "order": draw(ORDERS)}
    if duplicates:
        how["duplicates"] = "best"
    if draw(st.booleans()):
        groups = draw(GROUPS)
        columns = {"query_id": [*groups], "kind": [*groups.values()]}
        schema = {"query_id": pl.String, "kind": pl.String}
        how |= {"requests": pl.DataFrame(columns, schema=schema), "by": "kind"}
    if draw(st.booleans()):
        how["baseline"] = draw(st.sampled_from(RUN_NAMES[:3]))
    return runs, qrels, how


def said_by(function):
    """What a function returns, or its error; and its warnings, sorted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function()
        except lf.LexiframeError as error:
            return str(error), []
    said = [str(w.message) for w in caught if not str(w.message).startswith(DOUBTS)]
    return found, sorted(one.partition(STRANGERS)[0] for one in said)


STRANGERS = " document was retrieved by any run: the runs retrieved"
"""Examples of these follow: of one bucket they are others than of all requests."""
DOUBTS = (
    "runs whose ranks and scores disagree",
    "relevant documents that runs have in another spelling",
    "no judged document was retrieved by the run",
)
"""A few rows and few documents of each bucket are looked at, so that a close case may be decided
otherwise than of all requests together."""


def in_parts(runs, qrels, how, groups, shuffle):
    """Evaluate groups of requests, in this order, through `evaluate_bucket`."""
    how = dict(how)
    inference = Inference(how.pop("test"), "holm", "measure", 0.05, "two-sided", 10_000, 0,
                          how.pop("baseline", None))  # fmt: skip
    measures, order = parse_measures(how.pop("measures")), how.pop("order")
    requests, by = how.pop("requests", None), how.pop("by", None)
    names = [by] if by else []
    a = Asked(measures, Policies(**how), order, inference, names, requests, by_default=False)
    refuse_lower_rel(measures, a.policies.rel)

    def engine(plan, held):
        total = nothing(plan)
        for number, group in enumerate(groups):
            parts = [table.filter(pl.col("query_id").is_in(group)) for table in (runs, qrels)]
            found = evaluate_bucket(plan, *parts, number)
            found = BucketResult.from_bytes(found.to_bytes())
            total = total + found if shuffle.random() < 0.5 else found + total
        return total

    nobody = pl.Series([], dtype=pl.String)
    return evaluated_by(engine, a, sorted(runs["run"].unique()), {}, lambda: ([], nobody))


def in_batches(runs, qrels, how, n_buckets):
    with patch.object(batches, "n_buckets", lambda sizes, memory: n_buckets):
        return said_by(lambda: lf.evaluate(runs, qrels, **how, memory="1kB"))


def same_tables(one, other):
    for name, table in other.tables().items():
        assert getattr(one, name).equals(table, null_equal=True), name
        assert getattr(one, name).schema == table.schema, name


@FEW
@given(asked(), st.integers(1, 4), st.randoms(use_true_random=False))
def test_sums_of_parts_give_the_tables_of_all_requests(data, n_parts, shuffle):
    runs, qrels, how = data
    whole, warned = said_by(lambda: lf.evaluate(runs, qrels, **how))
    queries = pl.concat([runs["query_id"], qrels["query_id"]]).unique().sort().to_list()
    groups = [[] for _ in range(n_parts)]  # some of them empty
    for query in queries:
        shuffle.choice(groups).append(query)
    shuffle.shuffle(groups)
    parts, said = said_by(lambda: in_parts(runs, qrels, how, groups, shuffle))
    event(f"error: {isinstance(whole, str)}")
    if isinstance(whole, str):
        assert isinstance(parts, str), whole
        return
    assert not isinstance(parts, str), parts
    same_tables(whole, parts)
    assert "\n".join(said) == "\n".join(warned)


@FEW
@given(asked(), st.integers(1, 9))
def test_batches_give_the_tables_of_all_requests(data, n_buckets):
    runs, qrels, how = data
    whole, warned = said_by(lambda: lf.evaluate(runs, qrels, **how))
    parts, said = in_batches(runs, qrels, how, n_buckets)
    if isinstance(whole, str) or isinstance(parts, str):
        assert parts == whole
        return
    assert parts.sums is not None
    same_tables(whole, parts)
    assert "\n".join(said) == "\n".join(warned)


@FEW
@given(asked())
def test_functions_take_sums_where_they_take_preferences(data):
    runs, qrels, how = data
    how |= {"measures": [m for m in how["measures"] if m is not HIGH]}
    whole, _ = said_by(lambda: lf.evaluate(runs, qrels, **how))
    parts, _ = in_batches(runs, qrels, how, 3)
    if isinstance(whole, str) or not whole.preferences.height:
        return
    d, sums = whole.part(), parts.sums
    functions = [
        *(lambda d, m=m: lf.order_runs(d, m) for m in ("mean", "win_rate", "borda", "copeland")),
        *(lambda d, v=v: lf.order_runs(d, "mc4", votes=v) for v in ("win_rate", "preference")),
        lambda d: lf.order_runs(d, "kemeny", votes="preference"),
        lambda d: lf.order_runs(d, "mc4", iterations=10, teleport=0.1),
        lambda d: lf.compare(d, ["sign", "t"], ["holm", "bh"], alternative="greater"),
        lambda d: lf.compare(d, "sign", sign_ties="split"),
        lambda d: lf.compare(d, "t", baseline=runs["run"].min()),
        lf.win_rates,
        lf.majority_cycles,
        lf.tie_rates,
        lf.sign_agreement,
        *(lambda d, m=m: lf.win_rate_matrix(d, m) for m in [*whole.tie_rates["measure"]]),
    ]
    for number, function in enumerate(functions):
        of_both = [said_by(lambda f=function, d=d: f(d))[0] for d in (d, sums)]
        if isinstance(of_both[0], str):
            assert of_both[0] == of_both[1]
        else:
            assert of_both[1].equals(of_both[0], null_equal=True), number


def test_the_grades_of_all_buckets_are_between_the_least_and_the_greatest():
    """One bucket has no judgments, another none of 0."""
    total = Said() + Said(least=1.0, greatest=5.0) + Said(least=0.0, greatest=3.0)
    assert (total.least, total.greatest) == (0.0, 5.0)
    assert (Said() + Said()).least is None
