"""Copies of results are equal to them, and two results differ cell by cell: `differences`."""

import copy
import pickle

import polars as pl
import pytest

import lexiframe as lf

FOLDER = lf.bundled("example")
DATA = FOLDER / "runs", FOLDER / "qrels.txt"
BOARD = pl.DataFrame(
    {
        "run": list("abc") * 3,
        "collection": list("xxxyyyzzz"),
        "value": [1.0, 2, 3, 2, 3, 4, 1, 5, 3],
    }
)
COPIES = {"pickle": lambda it: pickle.loads(pickle.dumps(it)), "copy": copy.copy,
          "deepcopy": copy.deepcopy}  # fmt: skip


def evaluated(**how):
    return lf.evaluate(*DATA, ["AP", "RPP"], **how)


def of_duckdb():
    duckdb = pytest.importorskip("duckdb")
    runs, qrels = pl.DataFrame(lf.read_runs(DATA[0])), pl.DataFrame(lf.read_qrels(DATA[1]))  # noqa: F841
    of = duckdb.connect()
    return lf.evaluate(of.sql("select * from runs"), of.sql("select * from qrels"), ["AP", "RPP"])


RESULTS = {
    "evaluation": evaluated,
    "collections": lambda: lf.evaluate({"A": DATA, "B": DATA}, None, ["AP", "RPP"]),
    "relations": of_duckdb,
    "leaderboard": lambda: lf.leaderboard(BOARD, rule=["mean", "borda"], samples=50),
    "judges": lambda: lf.compare_judges(DATA[0], {"x": DATA[1], "y": DATA[1]}, "AP", samples=50),
    "strengths": lambda: lf.bradley_terry(
        pl.DataFrame({"run_a": list("aba"), "run_b": list("bcc"), "query_id": list("123"),
                      "measure": "x", "preference": [1, 1, -1]})
    ),
    "summary": lambda: evaluated().summary(),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_a_copy_is_equal_and_prints_alike(name):
    result = RESULTS[name]()
    for copied in COPIES.values():
        again = copied(result)
        assert again == result == again
        assert str(again) == str(result)
    assert result != "text"
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("frames", ["polars", "pandas"])
def test_a_copy_of_a_gate_is_whole(how, frames):
    whole = lf.gate(
        evaluated(frames=frames), {"AP": 0.1}, baseline="random", candidate="pca8_euclidean"
    )
    for gate in (whole, whole.head(0)):  # a part prints as a frame
        again = COPIES[how](gate)
        assert type(again) is type(gate)
        assert again.equals(gate)
        assert str(again) == str(gate)


def test_equal_evaluations_may_come_from_elsewhere(tmp_path):
    e = evaluated()
    e.write(tmp_path / "results")
    runs = pl.DataFrame(lf.read_runs(DATA[0])).to_pandas()
    assert e == lf.read_results(tmp_path / "results")
    of_pandas = lf.evaluate(runs, DATA[1], ["AP", "RPP"])
    assert e == of_pandas == of_duckdb()
    assert evaluated(seed=1).differences(of_pandas).select("row", "value", "other").rows() == [
        ("option=inference.seed", "1", "0")
    ]
    assert evaluated(seed=1) != e
    assert lf.leaderboard(BOARD, samples=50) != lf.leaderboard(BOARD, samples=51)


def test_differences_name_the_cell_and_say_by_how_much():
    s = pl.DataFrame({"run": list("aabb"), "query_id": ["1", "2"] * 2, "measure": "AP",
                      "value": [0.25, 0.5, 0.75, 1.0]})  # fmt: skip
    e, more = (lf.evaluate_scores(one) for one in (s, s.with_columns(pl.col("value") + 0.125)))
    found = e.differences(more)
    assert found.filter(table="scores").rows() == [
        (
            "scores",
            f"run={run}, query_id={query}, measure=AP",
            "value",
            str(x),
            str(x + 0.125),
            0.125,
        )
        for run, query, _, x in e.scores.iter_rows()
    ]
    assert {*found["table"]} == {"means", "orderings", "scores"}  # pairs differ as before
    assert e.differences(more, tolerance=0.125).rows() == []
    assert e.differences(more, tolerance=0.1).height == found.height


def test_differences_name_what_only_one_has():
    e, alone = evaluated(), lf.evaluate(DATA[0], DATA[1], ["AP"], test="t")
    found = {}
    for table, row, column, value, other, _ in e.differences(alone).iter_rows():
        found.setdefault(table, {})[row, column] = value, other
    assert found["asked"] == {
        ("option=measures", "value"): ('["AP", "RPP"]', '["AP"]'),
        ("option=inference.test", "value"): ("auto", "t"),
    }
    assert found["tie_rates"] == {("measure=RPP", None): ("a row", None)}
    assert found["power"]["measure=AP, test=t, correction=holm", None] == (None, "a row")
    groups = pl.DataFrame({"query_id": e.scores["query_id"].unique().sort(), "length": range(5)})
    of_groups = {row[:5] for row in evaluated(requests=groups, by="length").differences(e).rows()}
    assert ("attributes", None, None, "a table", None) in of_groups
    assert ("means", None, "length", "a column", None) in of_groups


def test_what_cannot_be_compared_is_refused():
    e = evaluated()
    with pytest.raises(lf.LexiframeError, match="expected another Evaluation, found a Leaderboard"):
        e.differences(lf.leaderboard(BOARD, samples=50))
    with pytest.raises(lf.LexiframeError, match="expected a tolerance from 0, found -1"):
        e.differences(e, tolerance=-1)
