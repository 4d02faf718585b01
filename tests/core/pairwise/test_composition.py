"""Compositions: values of the reference and of loops, and one result however they are computed."""

import polars as pl
import pytest
from hypothesis import given
from polars.testing import assert_frame_equal

import lexiframe as lf
from lexiframe.core import pairwise
from tests import oracle
from tests.frames import items_of, pairs_of
from tests.strategies import positions_tables

COLLECTIONS = ("trec_dl_2019_passage", "clef_ehealth_2014", "movielens_100k")
pytestmark = pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
KEY = ["query_id", "run_a", "run_b", "measure"]


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.parametrize("name", COLLECTIONS)
def test_values_of_the_reference(shared, name):
    expected, components = (
        pl.read_parquet(shared / f"conformance/composition/{name}/{table}.parquet")
        for table in ("preferences", "deciding_components")
    )
    names = pl.concat([expected["run_a"], expected["run_b"]]).unique()
    data = shared / "data" / name
    qrels = pl.DataFrame(lf.read_qrels(data / "qrels.trec"))
    qrels = qrels.filter(pl.col("query_id").is_in(expected["query_id"].unique().implode()))
    p = lf.positions([*(data / f"runs/{run}.trec.gz" for run in names)], qrels)
    d = lf.preferences(p, components["measure"].unique(), deciding_level=True)
    assert_frame_equal(
        d.select(expected.columns), expected.sort(KEY), check_dtypes=False, abs_tol=1e-12
    )
    found = lf.deciding_components(d)
    expected = components.sort("measure", "place").select(found.columns)
    assert_frame_equal(found, expected, check_dtypes=False, abs_tol=1e-12, rel_tol=0)


def delta(part, a, b):
    """Δ by a part of the measures below, of the items of two rankings; None: it has no value."""
    of_a, of_b = oracle.positions_of(a), oracle.positions_of(b)
    if part == "LR(rel=2)":
        least = [oracle.positions_of(items, 2) for items in (a, b)]
        return oracle.LR(*least) if least[0] else None
    loops = {
        "RR": lambda: oracle.tie(oracle.RR(of_a) - oracle.RR(of_b)),
        "P@3": lambda: oracle.tie(oracle.P(of_a, 3) - oracle.P(of_b, 3)),
        "AP": lambda: oracle.tie(oracle.AP(of_a) - oracle.AP(of_b)),
        "LP": lambda: oracle.LP(of_a, of_b),
    }
    return loops[part]()


@pytest.mark.slow
@given(positions_tables(min_runs=2))
def test_composed_by_loops(p):
    parts = {"RR>AP": ["RR", "AP"], "P@3>LR(rel=2)>LP": ["P@3", "LR(rel=2)", "LP"]}
    parts["LR(rel=2)>RR"] = ["LR(rel=2)", "RR"]
    if p["relevance"].max() is None or p["relevance"].max() < 2:  # an error, see below
        parts = {"RR>AP": ["RR", "AP"]}
    d = lf.preferences(p, parts, deciding_level=True)
    expected = {}
    for (query, a, b), pair in pairs_of(items_of(p)).items():
        for name, of_name in parts.items():
            sign, place = oracle.composed([delta(part, *pair) for part in of_name])
            if sign is not None:
                by = None if place is None else of_name[place - 1]
                expected[query, a, b, name] = (float(sign), by)
    found = {row[:4]: row[4:] for row in d.select(*KEY, "preference", "deciding_component").rows()}
    assert found == expected


@pytest.fixture(scope="module")
def data():
    """Runs of requests by subtopic, with three grades, of which not all requests have each."""
    grades = {1: 0.8, 2: 0.15, 3: 0.05}
    return lf.simulate_collection(requests=30, runs=5, relevant=4, grades=grades, subtopics=3)


ASKED = ["RR>AP", "LR(rel=3)>LR(rel=2)>LR", "LR(rel=3)>P(rel=2)@5", "RR>ST-RPP", "AP", "bpref>LP"]


@pytest.fixture(scope="module")
def whole(data):
    return lf.evaluate(*data, ASKED)


def composed_from_parts(data):
    """The rows of compositions, from those of their parts, computed without compositions."""
    parts = ["RR", "AP", "LR(rel=3)", "LR(rel=2)", "LR", "P(rel=2)@5", "ST-RPP", "bpref", "LP"]
    d = {
        row[:4]: row[4]
        for row in lf.evaluate(*data, parts).preferences.select(*KEY, "preference").rows()
    }
    rows = []
    for name in ASKED:
        of_name = name.split(">")
        for pair in sorted({key[:3] for key in d}):
            deltas = [d.get((*pair, part)) for part in of_name]
            delta = oracle.composed(deltas)[0] if len(deltas) > 1 else deltas[0]
            if delta is not None:
                rows.append((*pair, name, float(delta)))
    return pl.DataFrame(rows, [*KEY, "preference"], orient="row").sort(KEY)


@pytest.mark.slow
def test_an_evaluation_composes_what_its_parts_are(data, whole):
    assert_frame_equal(whole.preferences, composed_from_parts(data))
    assert whole.scores["measure"].unique().to_list() == ["AP"]
    n = whole.preferences.group_by("measure").len().sort("measure")["len"].to_list()
    assert min(n) < max(n)  # requests without grade 2 have no row by LR(rel=3)>P(rel=2)@5


def tables(e):
    return {name: table for name, table in e.tables().items() if name != "coverage"}


def same_tables(found, expected):
    for name, table in tables(expected).items():
        assert_frame_equal(tables(found)[name], table, check_exact=True)


@pytest.mark.slow
def test_one_result_in_parts_and_read_back(data, whole, tmp_path):
    parts = lf.evaluate(*data, ASKED, memory="60MB", out=tmp_path / "parts", keep="preferences")
    assert parts.sums is not None
    found = pl.read_parquet(tmp_path / "parts/preferences/*.parquet").sort(KEY)
    assert_frame_equal(found, whole.preferences, check_exact=True)
    for name in ("means", "comparisons", "orderings", "tie_rates", "sign_agreement", "win_rates"):
        assert_frame_equal(parts.tables()[name], whole.tables()[name], check_exact=True)
    whole.write(tmp_path / "written")
    again = lf.read_results(tmp_path / "written")
    same_tables(again, whole)
    assert again.facts.equals(whole.facts)


@pytest.mark.slow
def test_results_are_reused(data, whole, tmp_path):
    runs, qrels = map(pl.DataFrame, data)
    few = runs.filter(pl.col("run") != runs["run"].unique().sort()[0])
    lf.evaluate(few, qrels, ["RR>AP", "bpref>LP"]).write(tmp_path)
    found = lf.evaluate(runs, qrels, ASKED, reuse=tmp_path)
    assert found.provenance["reused"]["measures"] == 2
    same_tables(found, whole)


@pytest.mark.slow
def test_several_collections(data):
    given = {"one": data, "two": lf.simulate_collection(requests=6, runs=3, relevant=3, seed=1)}
    p = lf.positions(given)
    d = lf.preferences(p, ["RR>AP", "AP"], deciding_level=True)
    found = lf.deciding_components(d)
    assert found["collection"].unique(maintain_order=True).to_list() == ["one", "two"]
    alone = lf.deciding_components(d.filter(collection="two").drop("collection"))
    assert_frame_equal(found.filter(collection="two").drop("collection"), alone)
    means = lf.over_collections(found)
    assert means["mean"].to_list() == pytest.approx(
        found.group_by("measure", "place").agg(pl.col("share").mean()).sort("place")["share"]
    )
    e = lf.evaluate(given, measures=["RR>AP"])
    assert e.preferences.equals(d.filter(measure="RR>AP").select(e.preferences.columns))


@pytest.mark.slow
def test_measures_of_items_decide_too(data, tmp_path):
    runs, qrels = map(pl.DataFrame, data)
    documents = runs["doc_id"].unique().sort()
    items = lf.read_items(
        pl.DataFrame({"doc_id": documents, "users": range(1, len(documents) + 1)}),
        users=len(documents),
    )
    parts = ["Success@3", "ARP@5", "Novelty@5"]
    asked = ["Success@3>ARP@5", "lex(Novelty@5, ARP@5)", "Success@3>LP", "Success@3"]
    found = lf.evaluate(runs, qrels, asked, items=items)
    assert found.scores["measure"].unique().to_list() == ["Success@3"]
    d = {row[:4]: row[4] for row in lf.evaluate(runs, qrels, parts, items=items).preferences.rows()}
    rows = found.preferences.filter(measure="Success@3>ARP@5").select(*KEY[:3], "preference").rows()
    assert len(rows) == 300
    for *key, sign in rows:
        assert sign == oracle.composed([d.get((*key, part)) for part in parts[:2]])[0]
    out = tmp_path / "parts"
    lf.evaluate(runs, qrels, asked, items=items, out=out, keep="preferences")
    stored = pl.read_parquet(out / "preferences/*.parquet").sort(KEY)
    assert_frame_equal(stored, found.preferences, check_exact=True)
    alone = lf.evaluate(runs, None, asked[1], items=items).preferences
    assert_frame_equal(
        alone.join(found.preferences, on=KEY[:3], how="semi"),
        found.preferences.filter(measure="Novelty@5>ARP@5"),
    )
    with pytest.raises(lf.LexiframeError, match="of single requests, found Gini@5 in one, which"):
        lf.evaluate(runs, qrels, "RR>Gini@5", items=items)


@pytest.mark.slow
def test_explain_says_which_measure_decides_and_where(whole):
    p, measures = whole.positions, ["RR>AP", "LR(rel=3)>LR(rel=2)>LR"]
    d = lf.preferences(p, measures, deciding_level=True).filter(run_a="run1", run_b="run2")
    assert {*d["deciding_component"]} >= {"RR", "AP", "LR(rel=3)", "LR(rel=2)", "LR"}
    for query, a, b, measure, delta, level, component in d.rows():
        both = [lf.explain(p, query, *pair, measure) for pair in ((a, b), (b, a))]
        assert [e[measure].sum() for e in both] == [delta, -delta]
        assert {*both[0][f"{measure} by"]} == {component}
        if level is not None:
            assert both[0].filter(pl.col(measure) != 0)["level"].to_list() == [level]


WRONG = [
    ("RR>", "a composition is written as RR>AP or lex"),
    ("lex(RR)", "a composition is written as RR>AP or lex"),
    ("RR>APP", "APP"),
    ("RR>OI", "'OI' needs runs instead of positions"),
]


@pytest.mark.parametrize("text, message", WRONG)
def test_wrong_notation(text, message):
    with pytest.raises(lf.UnknownNameError, match=message):
        lf.parse_measure(text)


def test_notation_and_objects_are_one():
    def first(p):
        return (p[:, None, 0] < p[None, :, 0]) * 1.0 - (p[:, None, 0] > p[None, :, 0])

    composed = lf.lex(lf.RR, lf.AP)
    assert lf.parse_measure("rr > map") == lf.parse_measure("lex(RR, AP)") == composed
    assert str(lf.lex("RR>AP", lf.LR(rel=2), first)) == "RR>AP>LR(rel=2)>first"
    assert lf.lex(lf.lex(lf.P @ 5, "RR"), "AP") == lf.lex("P@5", "RR>AP")
    several = pairwise.parse_measures("RR > AP, P@5,10 lex(RR,LP)")
    assert [*map(str, several)] == ["RR>AP", "P@5", "P@10", "RR>LP"]
    assert lf.measures("P@5>LR").rows() == lf.measures("lex").rows() == lf.measures(composed).rows()
    assert lf.measures("lex")["kind"].to_list() == ["composed preference"]
    assert lf.conventions("P@5>LR")["measure"][0] == "RR>AP"
    with pytest.raises(lf.LexiframeError, match="expected two measures or more"):
        lf.lex(lf.RR)
    named = lf.MatrixPreference("a>b", first)
    with pytest.raises(lf.LexiframeError, match="expected names without '>'"):
        lf.lex(lf.RR, named)
    for changed in (lambda: composed(rel=2), lambda: composed @ 5):
        with pytest.raises(lf.LexiframeError, match="expected a composition without rel and cut"):
            changed()
    with pytest.raises(lf.LexiframeError, match="blocks have no scores"):
        composed.compute(None)


@pytest.mark.slow
def test_what_cannot_be_computed(whole):
    p = whole.positions
    with pytest.raises(lf.LexiframeError, match="expected some items with a grade of 9 or more"):
        lf.preferences(p, "RR>LR(rel=9)")
    with pytest.raises(lf.LexiframeError, match="expected some items with a grade of 9 or more"):
        lf.evaluate(*whole.collection, "RR>LR(rel=9)")
    with pytest.raises(lf.LexiframeError, match="all by subtopic, or none of them"):
        lf.preferences(p, "RR>ST-RPP")
    with pytest.raises(lf.LexiframeError, match="compares two runs; it has no value for one"):
        lf.scores(p, "RR>AP")
    with pytest.raises(lf.LexiframeError, match="expected preferences by a composition"):
        lf.deciding_components(lf.preferences(p, "RR"))


def test_gains_of_swaps_are_composed():
    runs, qrels = (
        {"a": {"q": dict(zip("uxvy", (4, 3, 2, 1), strict=True))}},
        {"q": {"x": 1, "y": 2}},
    )
    g = lf.swap_gains(runs, qrels, ["RR", "AP", "LR(rel=2)", "lex(RR,LR(rel=2),AP)"])
    swaps = [row[:-2] for row in g.filter(measure="RR").rows()]
    gain = {row[:-2] + row[-2:-1]: row[-1] for row in g.rows()}
    for swap in swaps:
        deltas = [gain[*swap, part] for part in ("RR", "LR(rel=2)", "AP")]
        assert gain[*swap, "RR>LR(rel=2)>AP"] == oracle.composed(deltas)[0]
