"""What is known of a measure travels with it: metrics of one's own are what they say they are."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import lexiframe as lf
from lexiframe.core.pairwise import facts
from lexiframe.core.views.shown.summary import summary_of

EXAMPLE = lf.bundled("example")
RUNS, QRELS = EXAMPLE / "runs", EXAMPLE / "qrels.txt"
TWO = {"baseline": "pixels_euclidean", "candidate": "pca8_euclidean"}


def own(name="mine", bounds="0 to 1", **options):
    """AP under another name."""
    ap = {"exposure": lambda p: 1 / p, "weight": lambda i, m: i / m}
    return lf.RecallLevelMetric(name, **ap, bounds=bounds, **options)


MEASURES = [own(), own("unbounded", ""), "AP", "RPP"]


@pytest.fixture(scope="module")
def e():
    return lf.evaluate(RUNS, QRELS, MEASURES)


def test_the_facts_are_a_table(e):
    assert e.facts.rows() == [
        ("mine", "metric", False, 0.0, 1.0, False),
        ("unbounded", "metric", False, None, None, False),
        ("AP", "metric", False, 0.0, 1.0, False),
        ("RPP", "preference", False, -1.0, 1.0, False),
    ]


@pytest.mark.slow
def test_bounds_reach_bets(e):
    c = lf.evaluate(RUNS, QRELS, [own(), "AP"], test="t").comparisons
    bets = lf.evaluate(RUNS, QRELS, [own(), "AP"], test="betting").comparisons
    for table in (c, bets):
        of_ap, of_mine = (table.filter(measure=name).drop("measure") for name in ("AP", "mine"))
        assert_frame_equal(of_mine, of_ap)
    options = {**TWO, "test": "betting"}
    assert lf.gate(e, {"mine": 0.05}, **options)["outcome"].item() == "undecided"
    with pytest.raises(lf.LexiframeError, match="found unbounded, of which no bounds are known"):
        lf.gate(e, {"unbounded": 0.05}, **options)
    both = lf.gate(e, {"mine": 0.05, "unbounded": 0.05}, **options, bounds={"unbounded": (0, 1)})
    assert both.filter(measure="mine")["ci_low"].item() == both.filter(
        measure="unbounded"
    )["ci_low"].item()  # fmt: skip


def test_facts_stay_with_results(e, tmp_path):
    e.write(tmp_path / "results")
    again = lf.read_results(tmp_path / "results")
    assert again.facts.equals(e.facts)
    assert str(again) == str(e)
    with pytest.raises(lf.LexiframeError, match="a margin below 1 for mine"):
        lf.gate(again, {"mine": 1.5}, **TWO)


def test_results_of_an_earlier_version_have_the_facts_that_names_tell(e):
    before = {name: what for name, what in e.provenance.items() if name != "facts"}
    known = facts.known_facts(before)
    assert [known[name].kind for name in ("AP", "RPP")] == ["metric", "preference"]
    assert known["AP"].bounds == "0 to 1"
    assert "AP" in str(summary_of(e.tables(), before))
    of_scores = facts.known_facts({"measures": ["mine", "AP"], "scores": []})
    assert {one.kind for one in of_scores.values()} == {"metric"}


@pytest.mark.slow
def test_each_flow_has_the_facts(tmp_path):
    measures, several = [own(), "AP"], {"one": (RUNS, QRELS), "two": (RUNS, QRELS)}
    runs = pl.DataFrame(lf.read_runs(RUNS))
    replicates = pl.concat([runs.with_columns(replicate=pl.lit(name)) for name in "abc"])
    for e in (
        lf.evaluate(runs, QRELS, measures, out=tmp_path, keep="scores"),  # in parts
        lf.evaluate(replicates, QRELS, measures, replicates="run"),
        lf.evaluate(several, measures=measures),
        lf.add_runs(lf.evaluate(RUNS / "p*.run", QRELS, measures), RUNS / "random.run"),
    ):
        assert e.facts.select("measure", "kind", "low", "high").rows() == [
            ("mine", "metric", 0.0, 1.0),
            ("AP", "metric", 0.0, 1.0),
        ]
        assert e.means["ci_high"].max() <= 1
