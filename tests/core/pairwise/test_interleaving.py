"""Offline interleaving: cases worked out by hand, and where its table goes."""

import math
import random
from itertools import combinations

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.pairwise import interleaved, pair_tiles, read_to_a_rank
from tests import oracle
from tests.frames import assert_identical, measured

QRELS = pl.DataFrame({"query_id": "q", "doc_id": ["a", "e"], "relevance": 1.0})


def runs(**lists):
    """One request's rankings, from {run: its documents}."""
    rows = [
        (run, "q", document, -float(rank))
        for run, documents in lists.items()
        for rank, document in enumerate(documents)
    ]
    return pl.DataFrame(rows, schema=["run", "query_id", "doc_id", "score"], orient="row")


USERS = {
    "uniform": ("OI", oracle.OI),
    "dcg": ("OI(user=dcg)", oracle.dcgOI),
    "rank": ("OI(user=rank)", oracle.rankOI),
}
DCG = 1 / math.log2(3)  # the weight of two items, where one has 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "a, b, uniform, dcg",
    [
        ("abcd", "beaf", 1 / 2, 1 / (1 + DCG)),
        ("beaf", "abcd", -1 / 2, -1 / (1 + DCG)),
        ("a", "bcd", 1 / 2, 1 / (1 + DCG)),  # e is nowhere
        ("a", "bcea", 1 / 2, 1 / (1 + DCG)),  # a at 1, then e at 3: a has another rank there
        ("ae", "ea", 0, 0),  # the first click prefers the list that goes first
        ("ae", "xyz", 1, 1),
        ("ea", "xa", 1, 1),  # a second click at the same rank of both
        ("xae", "yea", 0, 0),
        ("xyz", "zyx", 0, 0),  # no click
    ],
)
@pytest.mark.filterwarnings("ignore:no relevant document was retrieved")
def test_cases_worked_out_by_hand(a, b, uniform, dcg):
    for user, expected in {"uniform": uniform, "dcg": dcg}.items():
        measure, formula = USERS[user]
        d = lf.interleaving(runs(A=a, B=b), QRELS, user)
        assert d.rows() == [("q", "A", "B", measure, pytest.approx(expected, abs=1e-15))]
        assert formula(a, b, {"a", "e"}) == pytest.approx(expected, abs=1e-15)


def test_an_item_that_neither_list_has():
    qrels = pl.DataFrame({"query_id": "q", "doc_id": ["a", "e", "nowhere"], "relevance": 1.0})
    both = runs(A="abcd", B="beaf")
    assert lf.interleaving(both, qrels)["preference"].item() == 1 / 3
    dcg = lf.interleaving(both, qrels, "dcg")["preference"].item()
    assert dcg == pytest.approx(0.469279, abs=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_small_rankings_drawn_at_random():
    """Documents with equal scores, requests that a run did not answer, items nowhere."""
    draw = random.Random(0)
    for _ in range(60):
        rows = [
            (run, query, document, float(draw.randint(1, 4)))
            for run in "ABCD"
            for query in "pqr"
            if draw.random() > 0.2
            for document in draw.sample("abcdefgh", draw.randint(1, 8))
        ]
        schema = ["run", "query_id", "doc_id", "score"]
        table = pl.DataFrame(rows, schema=schema, orient="row")
        relevant = {query: draw.sample("abcdefghxyz", draw.randint(1, 7)) for query in "pqr"}
        qrels = {query: dict.fromkeys(items, 1) for query, items in relevant.items()}
        ordered = table.sort("score", "doc_id", descending=True)
        lists = {
            key: part["doc_id"].to_list()
            for key, part in ordered.partition_by("run", "query_id", as_dict=True).items()
        }
        for user in ("uniform", "dcg"):
            measure, formula = USERS[user]
            expected = {
                (query, a, b): formula(
                    lists.get((a, query), []), lists.get((b, query), []), {*relevant[query]}
                )
                for query in "pqr"
                for a, b in combinations(sorted(table["run"].unique()), 2)
            }
            found = measured(lf.interleaving(table, qrels, user), measure)
            assert found == pytest.approx({k: float(x) for k, x in expected.items()}, abs=1e-15)


@pytest.mark.parametrize(
    "a, b, expected",
    [
        ("abcd", "beaf", (0.4 + 0.2) / 2),
        ("beaf", "abcd", -(0.4 + 0.2) / 2),
        ("a", "b", (1 + 0) / 2),  # a; b
        ("a", "bcd", (1 + 1 / 2) / 2),  # a; b a
        ("a", "ba", (1 + 1 / 2) / 2),  # the same
        ("ae", "ea", 0),  # a e, e a: the first click prefers the list that goes first
        ("ea", "xa", (1 + 2 / 3) / 2),  # e x a: 1, 1, 1; x e a: 0, 1, 1
        ("xyz", "zyx", 0),  # no click
    ],
)
@pytest.mark.filterwarnings("ignore:no relevant document was retrieved")
def test_ranks_worked_out_by_hand(a, b, expected):
    d = lf.interleaving(runs(A=a, B=b), QRELS, "rank")
    assert d.rows() == [("q", "A", "B", "OI(user=rank)", pytest.approx(expected, abs=1e-15))]
    assert oracle.rankOI(a, b, {"a", "e"}) == pytest.approx(expected, abs=1e-15)


@pytest.mark.filterwarnings("ignore:no judged request was answered by the run 'B'")
def test_an_empty_list_loses_unless_the_user_reads_to_a_rank():
    """Then nothing is shown, so nothing is clicked. A request without any list is a tie."""
    both = runs(A="ab", B="ba").with_columns(query_id=pl.Series(["q", "q", "other", "other"]))
    qrels = pl.concat([QRELS, QRELS.with_columns(query_id=pl.lit("unanswered"))])
    for user, expected in {"uniform": 1 / 2, "rank": 0}.items():
        found = "rankings missing, counted as empty: 3; rankings"
        with pytest.warns(lf.LexiframeWarning, match=found):
            d = lf.interleaving(both, qrels, user)
        assert d.select("query_id", "preference").rows() == [("q", expected), ("unanswered", 0)]


def test_files_in_another_order_of_requests():
    """Ranked already, so that nothing is sorted: the requests come as they come, judged or not."""
    one, other = runs(A="abcd", B="beaf"), runs(A="exa", B="ae")
    ids = {"q": one, "extra": one, "p": other, "r": one}
    queries = [rows.with_columns(query_id=pl.lit(query_id)) for query_id, rows in ids.items()]
    qrels = pl.concat([QRELS.with_columns(query_id=pl.lit(query_id)) for query_id in "pqr"])
    with pytest.warns(lf.LexiframeWarning, match="without judgments, ignored: 2"):
        d = lf.interleaving(pl.concat(queries), qrels)
    with pytest.warns(lf.LexiframeWarning, match="without judgments, ignored: 2"):
        by_rank = lf.interleaving(pl.concat(queries), qrels, "rank")
    in_p = float(oracle.OI("exa", "ae", {"a", "e"}))
    assert d["preference"].to_list() == [in_p, 0.5, 0.5]
    in_p = float(oracle.rankOI("exa", "ae", {"a", "e"}))
    assert by_rank["preference"].to_list() == [in_p, 0.3, 0.3]


def test_what_is_as_small_as_rounding_is_a_tie(monkeypatch):
    """With the weights of dcg sums are rounded; a difference of 1e-12 counts as rounding."""
    both, qrels = runs(A="xa", B="xb"), QRELS.head(1)
    monkeypatch.setattr(interleaved.sums, "TIE", 1.0)
    assert lf.interleaving(both, qrels, "dcg")["preference"].item() == 0
    assert lf.interleaving(both, qrels)["preference"].item() == 1


@pytest.mark.slow
def test_rankings_too_long_for_small_integers():
    """From 2^13 documents, and from 2^14, twice a rank is no small integer."""
    draw = random.Random(0)
    for length in (8191, 8192, 16383, 16384, 20_000):
        pool = [f"d{n}" for n in range(length + 100)]
        a, b, c = draw.sample(pool, length), draw.sample(pool, length), draw.sample(pool, 9)
        relevant = {*a[-2:], *b[-2:], *draw.sample(pool, 5)}
        qrels = pl.DataFrame({"query_id": "q", "doc_id": [*relevant], "relevance": 1.0})
        d = lf.interleaving(runs(a=a, b=b, c=c), qrels, "rank")
        expected = {("q", "a", "b"): (a, b), ("q", "a", "c"): (a, c), ("q", "b", "c"): (b, c)}
        assert measured(d, "OI(user=rank)") == {
            key: float(oracle.rankOI(*lists, relevant)) for key, lists in expected.items()
        }


@pytest.mark.slow
def test_its_table_goes_wherever_preferences_go():
    folder = lf.bundled("example")
    files = folder / "runs", folder / "qrels.txt"
    d = lf.preferences(lf.positions(*files), ["RPP"])
    users = [lf.interleaving(*files, user) for user in USERS]
    both = pl.concat([d, *users]).sort(d.columns[:4])
    measures = ["OI", "OI(user=dcg)", "OI(user=rank)", "RPP"]
    for function in (lf.win_rates, lf.tie_rates, lf.order_runs, lf.compare, lf.request_win_rates):
        table = function(both)
        assert table["measure"].unique().sort().to_list() == measures
        for measure, of_one in zip(measures, [*users, d], strict=True):
            assert_identical(table.filter(measure=measure), function(of_one))
    agreement = lf.sign_agreement(both).filter(measure_a="OI", measure_b="RPP")
    assert agreement["agreement"].item() > 0.8
    assert lf.rank_correlations(lf.order_runs(both)).height == 6


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 9 * 4, 9 * 16])
def test_long_rankings_of_many_runs_are_looked_at_in_parts(most, monkeypatch):
    """Parts of one run, of one and of two; the pairs of the parts are all pairs."""
    draw, names = random.Random(most), "abcdefg"
    lists = {run: draw.sample("defghijklmnopaxyz", draw.randint(1, 9)) for run in names}
    lists["g"] = draw.sample("defghijklmnopaxyz", 9)
    whole = [lf.interleaving(runs(**lists), QRELS, user) for user in USERS]
    monkeypatch.setattr(pair_tiles, "_RANKS", most)
    monkeypatch.setattr(read_to_a_rank, "_CELLS", 20)
    monkeypatch.setattr(interleaved, "_CELLS", 20)
    sizes = {len(part) for part, *_ in pair_tiles.tiles_of(7, 9)}
    assert sizes == ({1, 2} if most < 9 * 16 else {1, 2, 3, 4})
    parts = [lf.interleaving(runs(**lists), QRELS, user) for user in USERS]
    for a, b in zip(whole, parts, strict=True):
        assert_identical(a, b)
    for (measure, formula), part in zip(USERS.values(), parts, strict=True):
        expected = {
            ("q", a, b): float(formula(lists[a], lists[b], {"a", "e"}))
            for n, a in enumerate(names)
            for b in names[n + 1 :]
        }
        assert measured(part, measure) == pytest.approx(expected, abs=1e-15)
