"""Rows of learning to rank as judgments, and files of predictions as runs."""

import pytest

import lexiframe as lf

LETOR = (
    "# OHSUMED\n"
    "2 qid:10 1:0.03 2:0.5 46:0.07 #docid = GX008-86 inc = 1 prob = 0.08\n"
    "0 qid:10 1:0.02 2:0.1 #docid = GX037-06 inc = 0.0031 prob = 0.9\n"
    "1 qid:11 1:1e-3 2:-.5 #docid = GX008-86 inc = 1 prob = 0.1\n"
)
BARE = "2 1:0.5 2:0.1\n0 1:0.25\n1 2:0.5\n"
PREDICTED = "-0.5\n1.25\n3e-2\n"


@pytest.fixture
def files(tmp_path):
    """Return a function that writes a file."""

    def written(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written


def _rows(table, value):
    return [(row["query_id"], row["doc_id"], row[value]) for row in table.to_pylist()]


def test_judgments_and_predictions_of_letor(files):
    rows, run = files("test.txt", LETOR), files("lambdamart.txt", PREDICTED)
    assert sorted(_rows(lf.read_qrels(rows), "relevance")) == [
        ("10", "GX008-86", 2.0), ("10", "GX037-06", 0.0), ("11", "GX008-86", 1.0)
    ]  # fmt: skip
    assert _rows(lf.read_runs(run, rows=rows), "score") == [
        ("10", "GX008-86", -0.5), ("10", "GX037-06", 1.25), ("11", "GX008-86", 0.03)
    ]  # fmt: skip
    e = lf.evaluate(lf.read_runs(run, rows=rows), rows, ["RR"])
    assert e.means["mean"].item() == 0.75


@pytest.mark.parametrize("ending", ["query", "group"])
def test_numbers_of_rows_of_lightgbm_and_xgboost(ending, files):
    sizes, run = files(f"rank.test.{ending}", "2\n1\n"), files("lgbm.txt", PREDICTED)
    assert sorted(_rows(lf.read_qrels(files("rank.test", BARE), rows=sizes), "relevance")) == [
        ("1", "1", 2.0), ("1", "2", 0.0), ("2", "1", 1.0)
    ]  # fmt: skip
    assert _rows(lf.read_runs(run, rows=sizes), "score") == [
        ("1", "1", -0.5), ("1", "2", 1.25), ("2", "1", 0.03)
    ]  # fmt: skip


def test_what_is_not_clear_is_refused(files):
    rows, run, bare = files("a.txt", LETOR), files("p.txt", PREDICTED), files("b.txt", BARE)
    with pytest.raises(lf.ReadError, match=r"found one number in each line; if they are predict"):
        lf.read_runs(run)
    with pytest.raises(lf.ReadError, match=r"expected a run, found rows of learning to rank"):
        lf.read_runs(rows, rows=rows)
    with pytest.raises(lf.ReadError, match="a query and a document, found one number in each line"):
        lf.read_runs(files("alone.txt", "0.5\n0.25\n"))
    with pytest.raises(lf.ReadError, match=r"line 1: expected qid:QUERY, found none; rows='train"):
        lf.read_qrels(bare)
    with pytest.raises(
        lf.ReadError, match=r"expected as many rows as queries have, found 2, and 3 in"
    ):
        lf.read_runs(files("short.txt", "1\n2\n"), rows=rows)
    with pytest.raises(lf.ReadError, match=r"as many rows as queries have, found 3, and 4 in"):
        lf.read_qrels(bare, rows=files("4.group", "2\n2\n"))
    with pytest.raises(lf.ReadError, match=r"or the number of rows of each query, found 1 \('0.5'"):
        lf.read_runs(run, rows=files("odd.group", "2\n0.5\n"))
    with pytest.raises(lf.ReadError, match=r"line 2: expected a number as score, found 'x'"):
        lf.read_runs(files("bad.txt", "0.5\nx\n0.25\n"), rows=rows)


def test_times_as_ids_are_no_rows_of_learning_to_rank(files):
    assert _rows(lf.read_runs(files("a.run", "1 12:34 0.5\n"), third="score"), "score") == [
        ("1", "12:34", 0.5)
    ]


def test_problems_are_listed(files):
    rows, bad = files("a.txt", LETOR), files("bad.txt", "0.5\nx\nnone\n")
    assert lf.check_qrels(rows).height == 0
    assert lf.check_run(bad, rows=rows)["line"].to_list() == [2, 3]
    assert lf.check_run(files("p.txt", PREDICTED), rows=rows).height == 0
    assert lf.check_run(files("p.txt", PREDICTED))["found"].to_list() == ["one number in each line"]


def test_strata_of_sampled_judgments_are_refused(files):
    with pytest.raises(lf.ReadError, match=r"found 5: '1 0 d1 1 2'; if these are judgm"):
        lf.read_qrels(files("prels.txt", "1 0 d1 1 2\n1 0 d2 -1 3\n"))
