"""What `read_items` refuses, what measures lack, and the jackknife against a plain one."""

import itertools
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import lexiframe as lf
from lexiframe.core.projection import Policies
from lexiframe.decide import beyond
from lexiframe.decide.beyond import jackknife
from lexiframe.decide.beyond.jackknife import groups_of

pytestmark = pytest.mark.filterwarnings(  # made-up rows lie in any order
    "ignore:runs whose ranks and scores disagree",
    "ignore:.*expected scores of which the greatest is the best",
)

CHANCE = np.random.default_rng(49)
DOCUMENTS = [f"d{n}" for n in range(12)]
TABLE = pl.DataFrame(
    {
        "doc_id": DOCUMENTS,
        "users": range(12),
        "categories": [["x", "y"][: 1 + n % 2] for n in range(12)],
        "vector": CHANCE.random((12, 3)).tolist(),
    }
)
ITEMS = lf.read_items(TABLE, users=20)
LISTS = {
    run: {f"q{n}": [*CHANCE.permutation(DOCUMENTS)[: 1 + n % 4]] for n in range(9)} for run in "ab"
}
RUNS = {
    run: {q: {d: -n for n, d in enumerate(of)} for q, of in lists.items()}
    for run, lists in LISTS.items()
}
QRELS = {f"q{n}": {"d1": 1} for n in range(9)}
OWNERS = pl.DataFrame({"doc_id": [*DOCUMENTS, "d0"], "provider": [*"AABB" * 3, "B"]})


def exposures(lists, weight):
    total = dict.fromkeys(DOCUMENTS, 0.0)
    for of in lists.values():
        for rank, d in enumerate(of, start=1):
            total[d] += weight(rank)
    return sorted(total.values()), total


def value(measure, lists, weight):
    """T by plain loops."""
    ascending, total = exposures(lists, weight)
    whole, n = sum(ascending), len(ascending)
    if measure == "Coverage":
        return sum(x > 0 for x in ascending) / n
    if measure == "Entropy":
        return -sum(x / whole * np.log2(x / whole) for x in ascending if x > 0)
    if measure == "Exposure":
        return sum(x for d, x in total.items() if d in DOCUMENTS[:2]) / whole
    return sum((2 * i - n - 1) * x for i, x in enumerate(ascending, 1)) / (n * whole)


WEIGHTS = {
    "uniform": lambda rank: 1.0,
    "dcg": lambda rank: 1 / np.log2(rank + 1),
    "geometric": lambda rank: 0.85 ** (rank - 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("measure, exposure", [
    ("Coverage", "uniform"), *itertools.product(("Gini", "Entropy"), WEIGHTS),
])  # fmt: skip
@pytest.mark.parametrize("groups", [None, 3])
def test_the_jackknife_leaves_out_each_request_or_group(measure, exposure, groups):
    weight = WEIGHTS[exposure]
    name = measure if exposure == "uniform" else f"{measure}(exposure={exposure})"
    c = lf.catalogue(RUNS, name, ITEMS, groups=groups)
    queries = pl.Series(sorted(LISTS["a"]))
    of_groups, n = groups_of(len(queries), groups) or (np.arange(len(queries)), len(queries))
    without = {}
    for run, lists in LISTS.items():
        without[run] = np.array([
            value(measure, {q: of for q, of in lists.items()
                            if of_groups[queries.index_of(q)] != g}, weight)
            for g in range(n)
        ])  # fmt: skip
        apart = without[run] - without[run].mean()
        row = c.values.filter(run=run).row(0, named=True)
        assert row["value"] == pytest.approx(value(measure, lists, weight), abs=1e-12)
        assert row["se"] == pytest.approx(np.sqrt((n - 1) / n * (apart**2).sum()), abs=1e-12)
    apart = without["a"] - without["b"]
    se = np.sqrt((n - 1) / n * ((apart - apart.mean()) ** 2).sum())
    row = c.comparisons.row(0, named=True)
    assert row["statistic"] == pytest.approx(row["mean_difference"] / se)


def test_all_ways_to_swap_lists():
    """Exact where there are few requests: by a loop over all of them."""
    few = {run: dict(itertools.islice(lists.items(), 5)) for run, lists in LISTS.items()}
    runs = {run: {q: RUNS[run][q] for q in of} for run, of in few.items()}
    c = lf.catalogue(runs, "Gini", ITEMS, test="randomization", trials=1000)
    found = []
    for turned in itertools.product((0, 1), repeat=5):
        sides = ({}, {})
        for q, turn in zip(few["a"], turned, strict=True):
            sides[turn][q], sides[1 - turn][q] = few["a"][q], few["b"][q]
        one, other = (value("Gini", side, WEIGHTS["uniform"]) for side in sides)
        found.append(abs(one - other))
    assert c.comparisons["p_value"][0] == np.mean(np.array(found) >= found[0] - 1e-12)


def test_exposure_of_providers_sums_to_one_and_knows_their_share():
    c = lf.catalogue(RUNS, "Exposure@3", ITEMS, providers=OWNERS)
    sums = c.values.group_by("run").agg(pl.col("value").sum(), pl.col("catalogue_share").sum())
    assert sums.select("value", "catalogue_share").to_numpy() == pytest.approx(1.0)
    share = c.values.filter(measure="Exposure(provider=A)@3")["catalogue_share"][0]
    assert share == pytest.approx(5.5 / 12)
    one = lf.catalogue(RUNS, "Exposure(provider=B)@3", ITEMS, providers=OWNERS)
    assert one.values["measure"].unique().to_list() == ["Exposure(provider=B)@3"]


def test_within_groups_of_requests():
    kinds = pl.DataFrame({"query_id": [f"q{n}" for n in range(9)], "kind": [*"xxxxxyyyy"]})
    with pytest.warns(lf.LexiframeWarning, match="groups have 4 to 5 requests; compare runs with"):
        c = lf.catalogue(RUNS, "Coverage@2", ITEMS, requests=kinds, by="kind")
    assert c.values.columns[0] == c.comparisons.columns[0] == "kind"
    some = {run: {q: of for q, of in lists.items() if q < "q5"} for run, lists in RUNS.items()}
    alone = lf.catalogue(some, "Coverage@2", ITEMS)
    assert c.values.filter(kind="x").drop("kind").equals(alone.values)


def test_requests_without_a_list():
    lists = {"q1": {"d1": 1}, "q2": {}}
    s = lf.list_scores({"r": lists}, ["Novelty", "ILD", "APLT"], ITEMS)
    assert s.filter(query_id="q2")["value"].null_count() == 3
    c = lf.catalogue({"r": {"q2": {}}}, "Coverage Gini Entropy", ITEMS)
    assert dict(c.values.select("measure", "value").rows()) == {
        "Coverage": 0.0, "Entropy": None, "Gini": None,
    }  # fmt: skip


def test_unknown_items_are_refused_or_cold():
    lists = {"r": {"q": {"new": 2, "d1": 1}}}
    with pytest.raises(lf.LexiframeError, match=r"found others: 1 \('new'\); .* \(rows: r 1\)"):
        lf.list_scores(lists, "ARP@2", ITEMS)
    cold = lf.read_items(TABLE, users=20, unknown="cold")
    assert lf.list_scores(lists, "ARP@2", cold)["value"].to_list() == [0.5]
    assert lf.list_scores(lists, "ILD@2", cold)["value"].to_list() == [None]
    assert lf.catalogue(lists, "Coverage", cold).values["value"].to_list() == [1 / 12]


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["Coverage@5", "Gini@5", "Gini(exposure=dcg)@5", "Exposure@5"])
@pytest.mark.parametrize("groups", [None, 2])
def test_what_a_run_reaches_does_not_hang_on_runs_beside_it(measure, groups):
    cold = lf.read_items(TABLE, users=20, unknown="cold")
    strange = {q: {f"new{n}": -n for n in range(4)} | {"d3": -9} for q in RUNS["a"]}
    how = {"groups": groups, "providers": OWNERS}
    alone, beside = (lf.catalogue(of, measure, cold, **how).values.filter(run="a")
                     for of in ({"a": RUNS["a"]}, {"a": RUNS["a"], "z": strange}))  # fmt: skip
    assert_frame_equal(beside, alone)
    plain = lf.catalogue({"a": RUNS["a"]}, measure, ITEMS, **how).values
    assert_frame_equal(alone, plain)
    swapped = lf.catalogue({**RUNS, "z": strange}, measure, cold, **how, test="randomization")
    assert swapped.comparisons["p_value"].is_between(0, 1).all()


def test_items_of_the_history_do_not_enlarge_the_catalogue():
    past = pl.DataFrame({"user_id": ["u", "u"], "item_id": ["d1", "sold out"]})
    items = lf.read_items(TABLE.drop("users"), history=past, unknown="cold")
    lists = {"r": {"q": {"sold out": 2, "d1": 1}}}
    assert len(items) == 13
    assert lf.catalogue(lists, "Coverage", items).values["value"].to_list() == [1 / 12]


@pytest.mark.parametrize("ids, cause", [
    (["1.0", "2.0"], "decimal points of whole numbers .'1.0' and '1'.: write the ids alike"),
    (["007"], "leading zeros"),
    (["x", "y"], "none of the catalogue's 9 .'1', '2', '3', ...."),
])  # fmt: skip
def test_no_item_of_the_catalogue_at_all_is_said(ids, cause):
    films = pl.DataFrame({"item_id": range(1, 10)})
    past = pl.DataFrame({"user_id": ["u"] * len(ids), "item_id": ids})
    with pytest.raises(lf.LexiframeError, match=rf"history: .*{cause}") as refused:
        lf.read_items(films, history=past)
    assert ("unknown='cold'" in str(refused.value)) == (ids == ["x", "y"])
    with pytest.warns(lf.LexiframeWarning, match=rf"history: .*{cause}.* items without users"):
        lf.read_items(films, history=past, unknown="cold")
    with pytest.warns(lf.LexiframeWarning, match=rf"runs: .*{cause}"):
        lf.catalogue({"r": {"q": ids}}, "Coverage", lf.read_items(films, unknown="cold"))


@pytest.mark.parametrize("column, dtype", [
    ({"item_id": [["a"]]}, "expected strings in doc_id, found List"),
    ({"users": [[2]]}, "items, users: expected numbers, found List.*; flatten it"),
    ({"genres": [[["x"]]]}, "items, genres: expected a list for each item, without lists in it"),
    ({"embedding": [[[0.5]]]}, "items, embedding: expected a list for each item"),
    ({"vector": pl.Series([[[0.5]]], dtype=pl.Array(pl.Float64, (1, 1)))}, "items, vector: exp"),
])  # fmt: skip
def test_lists_where_there_should_be_none(column, dtype):
    with pytest.raises(lf.SchemaError, match=dtype):
        lf.read_items(pl.DataFrame({"item_id": ["a"]} | column))


AS_TEXT = ["Thriller, Drama", "Drama", "Comedy ,Drama"]


@pytest.mark.parametrize("texts", [
    AS_TEXT,
    [one.replace(",", "|") for one in AS_TEXT],
    ["['Thriller', 'Drama']", "['Drama']", "['Comedy' 'Drama']".replace("' '", "', '")],
    ["['Thriller' 'Drama']", "['Drama']", "['Comedy' 'Drama']"],  # as NumPy writes them
])  # fmt: skip
@pytest.mark.parametrize("name", ["categories", "genre"])
@pytest.mark.filterwarnings("ignore:items. texts with commas")
def test_categories_as_text(texts, name):
    lists = [[word.strip() for word in one.split(",")] for one in AS_TEXT]
    run = {"r": {"u": {"a": 3, "b": 2, "c": 1}}}
    values = [
        lf.list_scores(run, ["CategoryEntropy@3", "ILD(distance=jaccard)@3"], lf.read_items(table))
        for table in (pl.DataFrame({"item_id": [*"abc"], name: of}) for of in (lists, texts))
    ]
    assert_frame_equal(*values)


def test_texts_that_are_split_at_commas_are_said_and_no_category_is_none():
    table = pl.DataFrame({"item_id": ["a", "b"], "genres": ["Drama, War", "(no genres listed)"]})
    with pytest.warns(lf.LexiframeWarning, match=r"several categories each, 1 \('Drama, War'\)"):
        items = lf.read_items(table)
    assert items.categories.sum(axis=1).tolist() == [2, 0]
    broken = table.with_columns(genres=pl.lit("[('Drama', 1)]"))
    with pytest.raises(lf.SchemaError, match="items: expected plain lists in category"):
        lf.read_items(broken)


@pytest.mark.parametrize("measure", ["Coverage", "Gini"])
def test_intervals_end_at_the_bounds(measure):
    lists = {"1": {"a": 2, "b": 1}, "2": {"c": 2, "d": 1}, "3": {"e": 1}}
    items = lf.read_items(pl.DataFrame({"item_id": [*"abcdef"]}))
    wide = lf.catalogue({"r": lists}, measure, items, alpha=0.001).values
    assert wide.select("ci_low", "ci_high").row(0) == (0, 1)


@pytest.mark.parametrize("table, how, said", [
    ({"doc_id": ["a", "a"]}, {}, "expected each item once, found several rows of 1"),
    ({"product": ["a"]}, {}, "doc_id is missing .* corpus-id; rename it$"),
    ({"docno": ["a"], "item": ["b"]}, {}, "docno and item could each be doc_id; rename it$"),
    ({"doc_id": ["a"], "users": [-1]}, {}, "whole numbers of users from 0 to 0"),
    ({"doc_id": ["a"], "users": [3]}, {"users": 2}, "from 0 to 2, which is how many there are"),
    ({"doc_id": ["a"], "users": [0.5]}, {"users": 2}, "found 0.5 of item 'a'"),
    ({"doc_id": ["a", "b"], "users": ["3", "many"]}, {"users": 9}, "found nan of item 'b'"),
    ({"doc_id": ["a"], "users": [0]}, {}, "users: expected 1 or more, found 0; say with users="),
    ({"doc_id": ["a"]}, {"users": -3}, "users: expected 1 or more, found -3"),
    (
        {"doc_id": ["a"]},
        {"vectors": pl.DataFrame({"doc_id": ["a"], "vec": [[1.0]]})},
        "expected a column vector, found doc_id, vec",
    ),
    (
        {"doc_id": ["a"]},
        {"categories": pl.DataFrame({"doc_id": ["b"], "category": ["x"]}), "unknown": "cold"},
        "categories: expected items of the catalogue, .*; add them to the table of items$",
    ),
    ({"doc_id": ["a", None]}, {}, "doc_id is part of the key, but 1 rows have no value"),
    ({"doc_id": ["a", "b"], "vector": [[1.0], [1.0, 2.0]]}, {}, "found widths 1, 2"),
    ({"doc_id": ["a"], "vector": [[float("nan")]]}, {}, "found NaN or infinite for 1"),
    ({"doc_id": ["a"], "vector": ["x"]}, {}, "lists of numbers of one width, found String"),
    ({"doc_id": ["a"]}, {"unknown": "ignore"}, "expected unknown to be one of 'error', 'cold'"),
    (
        {"doc_id": ["a"]},
        {"history": pl.DataFrame({"query_id": ["q"], "doc_id": ["b"]})},
        "history: expected items of the catalogue, found others: 1",
    ),
])  # fmt: skip
def test_items_that_cannot_be_are_refused(table, how, said):
    with pytest.raises(lf.LexiframeError, match=said):
        lf.read_items(pl.DataFrame(table), **how)


def test_a_history_has_as_many_users_as_it_has_and_pairs_once():
    seen = pl.DataFrame({"user": ["u", "v", "u"], "item": ["a"] * 3, "rating": [1.0, 1.0, 5.0]})
    with pytest.warns(lf.LexiframeWarning, match="pairs that are there again, of which the first"):
        items = lf.read_items(pl.DataFrame({"doc_id": ["a"]}), history=seen)
    assert items.n_users == 2
    with pytest.raises(lf.LexiframeError, match="users: expected 2 or more, as many as the hist"):
        lf.read_items(pl.DataFrame({"doc_id": ["a"]}), history=seen.head(2), users=1)


@pytest.mark.parametrize("texts", [["x|y", "x"], ["['x', 'y']", "['x']"], ['["x","y"]', '["x"]']])
def test_categories_in_texts(texts):
    items = lf.read_items(pl.DataFrame({"doc_id": ["a", "b"], "categories": texts}))
    assert items.categories.toarray().tolist() == [[1, 1], [1, 0]]


@pytest.mark.parametrize("none", [["", "x|"], ["[]", "['x']"], [[""], ["x", None]]])
def test_an_empty_text_is_no_category(none):
    items = lf.read_items(pl.DataFrame({"doc_id": ["a", "b"], "categories": none}))
    assert items.categories.toarray().tolist() == [[0], [1]]


def test_where_no_item_has_a_category_or_vector_nothing_is_said():
    lacking = {"categories": pl.Series([[], []], dtype=pl.List(pl.String)),
               "vector": pl.Series([None] * 2, dtype=pl.List(pl.Float64))}  # fmt: skip
    past = pl.DataFrame({"query_id": ["q"], "doc_id": ["b"]})
    table = pl.DataFrame({"doc_id": ["a", "b"]}).with_columns(**lacking)
    items = lf.read_items(table, history=past)
    measures = ["CategoryEntropy@2", "ILD@2", "ILD(distance=jaccard)@2", "Miscalibration@2"]
    runs = {run: {"q": {"a": 2.0}} for run in "rs"}
    assert lf.list_scores(runs, measures, items)["value"].null_count() == 8
    with pytest.raises(lf.LexiframeError, match="CategoryEntropy@2: says nothing of any list"):
        lf.evaluate(runs, {"q": {"a": 1}}, measures[:1], items=items)


PLAIN = lf.read_items(pl.DataFrame({"doc_id": DOCUMENTS}))


@pytest.mark.parametrize("function, measure, how, said", [
    (lf.list_scores, "Novelty@2", {}, "Novelty: needs users of the items; add a column users"),
    (lf.list_scores, "ILD@2", {}, "ILD: needs vector of the items"),
    (lf.list_scores, "CategoryEntropy", {}, "needs categories of the items"),
    (lf.list_scores, "Serendipity@2", {}, "Serendipity: needs judgments that say what is relev"),
    (lf.list_scores, "Serendipity", {}, "write Serendipity@10"),
    (lf.list_scores, "Coverage@2", {}, "Coverage@2 is none of its measures; ask lexiframe.cata"),
    (lf.catalogue, "AP", {}, "AP is none of its measures; ask lexiframe.scores for it"),
    (lf.catalogue, "Gini", {"groups": 0}, "expected groups to be 2 or more, found 0"),
    (lf.catalogue, "Exposure", {}, "Exposure: needs the providers of items; give providers="),
    (lf.catalogue, "Gini(exposure=x)", {}, "expected 'uniform' or 'dcg' or 'geometric'"),
    (lf.catalogue, "Exposure", {"providers": OWNERS.head(3)}, "a provider of every item, found"),
    (lf.catalogue, "Exposure(provider=C)", {"providers": OWNERS}, "unknown provider 'C'"),
])  # fmt: skip
def test_what_a_measure_lacks_is_said(function, measure, how, said):
    with pytest.raises(lf.LexiframeError, match=said):
        function(RUNS, measure, PLAIN, **how)


@pytest.mark.parametrize("groups", [2, 4])
def test_coverage_without_a_group_is_counted_as_it_is_summed_up(groups):
    summed = replace(lf.Coverage, takes_groups=False)
    for lists in beyond.lists_of(RUNS, PLAIN, Policies()):
        counted, wanted = (jackknife.left_out(m, lists, groups)[1] for m in (lf.Coverage, summed))
        assert counted.tolist() == wanted.tolist()


def test_a_large_catalogue_is_looked_at_group_by_group(monkeypatch):
    measures = ["Coverage@2", "Gini(exposure=dcg)@2", "Entropy@2"]
    whole = lf.catalogue(RUNS, measures, PLAIN, groups=3)
    monkeypatch.setattr(jackknife, "_CELLS", 1)
    parts = lf.catalogue(RUNS, measures, PLAIN, groups=3)
    assert_frame_equal(parts.values, whole.values, abs_tol=1e-13)


def test_a_column_of_the_history_weighs_categories():
    past = pl.DataFrame({"query_id": ["q"] * 2, "doc_id": ["d0", "d1"], "rating": [1.0, -1.0]})
    items = lf.read_items(TABLE, history=past, users=20)
    lists = {"r": {"q": {"d2": 1}}}
    with pytest.raises(lf.LexiframeError, match="weights of 0 or more in the history, found -1"):
        lf.list_scores(lists, "Miscalibration(weight=rating)@1", items)
    words = lf.read_items(
        TABLE, history=past.with_columns(rating=pl.Series(["5", "good"])), users=20
    )
    with pytest.raises(lf.LexiframeError, match="weights of 0 or more in the history, found good"):
        lf.list_scores(lists, "Miscalibration(weight=rating)@1", words)
    with pytest.raises(lf.UnknownNameError, match="unknown column of the history 'item'"):
        lf.list_scores(lists, "Miscalibration(weight=item)@1", items)
    with pytest.raises(lf.UnknownNameError, match="unknown column of the history 'stars'"):
        lf.list_scores(lists, "Miscalibration(weight=stars)@1", items)
    with pytest.raises(lf.UnknownNameError, match="unknown run 'x'"):
        lf.list_scores(lists, "Serendipity(baseline=x)@1", items, qrels={"q": {"d2": 1}})


def test_other_functions_say_where_these_measures_are():
    with pytest.raises(lf.LexiframeError, match=r"say items=, what lexiframe\.read_items ret"):
        lf.evaluate(RUNS, QRELS, "Novelty@2")
    p = lf.positions(RUNS, QRELS)
    for measure, said in {
        "Novelty@2": "use lexiframe.list_scores(runs, measures, items)",
        "Gini": "use lexiframe.catalogue(runs, measures, items)",
    }.items():
        with pytest.raises(lf.LexiframeError, match=re.escape(said)):
            lf.scores(p, measure)
