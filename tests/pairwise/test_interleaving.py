"""Offline interleaving: cases worked out by hand, and where its table goes."""

import random

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.pairwise import interleaved as interleaving
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
def test_cases_worked_out_by_hand(a, b, expected):
    d = lf.interleaving(runs(A=a, B=b), QRELS)
    assert d.rows() == [("q", "A", "B", "OI", pytest.approx(expected, abs=1e-15))]
    assert oracle.OI(a, b, {"a", "e"}) == pytest.approx(expected, abs=1e-15)


def test_an_empty_list_is_a_tie():
    """Nothing is shown, so nothing is clicked; a request without any list is one as well."""
    both = runs(A="ab", B="ba").with_columns(query_id=pl.Series(["q", "q", "other", "other"]))
    qrels = pl.concat([QRELS, QRELS.with_columns(query_id=pl.lit("unanswered"))])
    with pytest.warns(lf.LexiframeWarning, match="rankings missing, counted as empty: 3; rankings"):
        d = lf.interleaving(both, qrels)
    assert d.rows() == [("q", "A", "B", "OI", 0.0), ("unanswered", "A", "B", "OI", 0.0)]


def test_files_in_another_order_of_requests():
    """Ranked already, so that nothing is sorted: the requests come as they come, judged or not."""
    one, other = runs(A="abcd", B="beaf"), runs(A="exa", B="ae")
    ids = {"q": one, "extra": one, "p": other, "r": one}
    queries = [rows.with_columns(query_id=pl.lit(query_id)) for query_id, rows in ids.items()]
    qrels = pl.concat([QRELS.with_columns(query_id=pl.lit(query_id)) for query_id in "pqr"])
    with pytest.warns(lf.LexiframeWarning, match="without judgments, ignored: 2"):
        d = lf.interleaving(pl.concat(queries), qrels)
    in_p = float(oracle.OI("exa", "ae", {"a", "e"}))
    assert d["preference"].to_list() == [in_p, 0.3, 0.3]


def test_what_is_as_small_as_rounding_is_a_tie(monkeypatch):
    """The user reads further than the first document once in 10^13 times."""
    monkeypatch.setattr(interleaving, "_mass", lambda user, longest: np.array([0, 1, 1 + 1e-13]))
    assert lf.interleaving(runs(A="xa", B="xb"), QRELS)["preference"].item() == 0
    monkeypatch.setattr(interleaving, "_mass", lambda user, longest: np.array([0, 1, 1 + 1e-11]))
    assert lf.interleaving(runs(A="xa", B="xb"), QRELS)["preference"].item() > 0


def test_rankings_too_long_for_small_integers():
    """From 2^13 documents, and from 2^14, twice a rank is no small integer."""
    draw = random.Random(0)
    for length in (8191, 8192, 16383, 16384, 20_000):
        pool = [f"d{n}" for n in range(length + 100)]
        a, b, c = draw.sample(pool, length), draw.sample(pool, length), draw.sample(pool, 9)
        relevant = {*a[-2:], *b[-2:], *draw.sample(pool, 5)}
        qrels = pl.DataFrame({"query_id": "q", "doc_id": [*relevant], "relevance": 1.0})
        d = lf.interleaving(runs(a=a, b=b, c=c), qrels)
        expected = {("q", "a", "b"): (a, b), ("q", "a", "c"): (a, c), ("q", "b", "c"): (b, c)}
        assert measured(d, "OI") == {
            key: float(oracle.OI(*lists, relevant)) for key, lists in expected.items()
        }


def test_its_table_goes_wherever_preferences_go():
    folder = lf.bundled("example")
    files = folder / "runs", folder / "qrels.txt"
    d = lf.preferences(lf.positions(*files), ["RPP"])
    users = [lf.interleaving(*files), lf.interleaving(*files, user="dcg")]
    both = pl.concat([d, *users]).sort(d.columns[:4])
    measures = ["OI", "OI(user=dcg)", "RPP"]
    for function in (lf.win_rates, lf.tie_rates, lf.order_runs, lf.compare, lf.request_win_rates):
        table = function(both)
        assert table["measure"].unique().sort().to_list() == measures
        for measure, of_one in zip(measures, [*users, d], strict=True):
            assert_identical(table.filter(measure=measure), function(of_one))
    agreement = lf.sign_agreement(both).filter(measure_a="OI", measure_b="RPP")
    assert agreement["agreement"].item() > 0.8
    assert lf.rank_correlations(lf.order_runs(both)).height == 3


@pytest.mark.parametrize("most", [1, 9 * 4, 9 * 16])
def test_long_rankings_of_many_runs_are_looked_at_in_parts(most, monkeypatch):
    """Parts of one run, of one and of two; the pairs of the parts are all pairs."""
    draw, names = random.Random(most), "abcdefg"
    lists = {run: draw.sample("defghijklmnopaxyz", draw.randint(1, 9)) for run in names}
    lists["g"] = draw.sample("defghijklmnopaxyz", 9)
    whole = [lf.interleaving(runs(**lists), QRELS, user) for user in ("uniform", "dcg")]
    monkeypatch.setattr(interleaving, "_RANKS", most)
    monkeypatch.setattr(interleaving, "_CELLS", 20)
    sizes = {len(part) for part, *_ in interleaving.tiles_of(7, 9)}
    assert sizes == ({1, 2} if most < 9 * 16 else {1, 2, 3, 4})
    parts = [lf.interleaving(runs(**lists), QRELS, user) for user in ("uniform", "dcg")]
    for a, b in zip(whole, parts, strict=True):
        assert_identical(a, b)
    expected = {
        ("q", a, b): float(oracle.OI(lists[a], lists[b], {"a", "e"}))
        for n, a in enumerate(names)
        for b in names[n + 1 :]
    }
    assert measured(parts[0], "OI") == pytest.approx(expected, abs=1e-15)
