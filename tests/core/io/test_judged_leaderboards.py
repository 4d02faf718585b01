"""AutoJudge's leaderboards, in the forms in which it writes them, as scores."""

import re

import pytest

import lexiframe as lf
from lexiframe.core.base.printed import written_for

ROWS = [
    ("a", "WIN", "t1", "0.5"), ("a", "WIN", "t2", "1"),
    ("b", "WIN", "t1", "0"), ("b", "WIN", "t2", "0"),
]  # fmt: skip
MEANS = [("a", "WIN", "all", "0.75"), ("b", "WIN", "all", "0")]
SCORES = [(run, query, measure, float(x)) for run, measure, query, x in ROWS]


@pytest.fixture
def write(tmp_path):
    def written(rows, order=(0, 1, 2, 3), first=(), name="auto.eval.txt"):
        file = tmp_path / name
        lines = [*first, *("\t".join(row[n] for n in order) for row in rows)]
        file.write_text("\n".join(lines) + "\n")
        return file

    return written


@pytest.mark.conformance
def test_the_three_forms_have_the_same_scores(shared):
    folder = shared / "conformance" / "nuggets" / "leaderboards"
    read = [lf.read_scores(file) for file in sorted(folder.iterdir())]
    assert len(read) == 3
    assert read[0].equals(read[1])
    assert read[0].equals(read[2])
    assert read[0].height == 649


@pytest.mark.slow
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3)])
def test_the_requests_are_the_column_with_all_or_with_their_ids(write, order):
    form = "tot" if order[1] == 1 else "ir_measures"
    assert lf.read_scores(write([*ROWS, *MEANS], order)).rows() == SCORES
    file = write(ROWS, order)
    message = (
        "cannot tell which of four columns is the measure; give the file a header: run, query_"
    )
    with pytest.raises(lf.ReadError, match=message) as error:
        lf.read_scores(file)
    assert "say form='tot' (run, measure, query_id, value)" in str(error.value)
    with written_for("terminal"), pytest.raises(lf.ReadError, match=r"measure, value$"):
        lf.read_scores(file)
    assert lf.read_scores(file, form=form).rows() == SCORES
    assert lf.read_scores(file, requests=["t1", "t2", "t3"]).rows() == SCORES
    with pytest.raises(TypeError, match="expected requests to be a list of ids, found 3"):
        lf.read_scores(file, requests=3)
    with pytest.raises(lf.ReadError, match=message):
        lf.read_scores(file, requests=["x"])
    assert lf.read_scores(write([*ROWS, *MEANS], order), requests=["x"]).rows() == SCORES


def test_ids_of_requests_may_look_like_measures(write):
    rows = [(run, measure, query.replace("t", "p_"), x) for run, measure, query, x in ROWS + MEANS]
    assert lf.read_scores(write(rows))["query_id"].unique().sort().to_list() == ["p_1", "p_2"]
    assert lf.read_scores(write(rows[:4]), requests=["p_1", "p_2"])["measure"][0] == "WIN"


def test_a_mean_that_is_not_that_of_its_rows_is_named(write):
    means = [("a", "WIN", "all", "0.7500001"), ("b", "WIN", "all", "0.1")]
    message = (
        "auto.eval.txt: means over all requests that are not those of the rows, which count: 1, "
        "the first of 'b' and 'WIN': 0.1, not 0"
    )
    with pytest.warns(lf.LexiframeWarning, match=re.escape(message)):
        assert lf.read_scores(write([*ROWS, *means])).rows() == SCORES
    rows = '{"run_id": "a", "topic_id": "t1", "measure": "WIN", "value": 0.5}\n'
    rows += '{"run_id": "a", "topic_id": "all", "measure": "WIN", "value": 0.4}\n'
    file = write([], first=[rows], name="auto.eval.jsonl")
    with pytest.warns(lf.LexiframeWarning, match="the first of 'a' and 'WIN': 0.4, not 0.5"):
        lf.read_scores(file)


def test_words_are_numbers_or_their_measure_is_left_out(write):
    more = [("a", "FAIR", "t1", "True"), ("a", "FAIR", "t2", "false"), ("a", "WHY", "t1", "long")]
    with pytest.warns(lf.LexiframeWarning, match=r"are no numbers, left out: 1 \('WHY'\)"):
        s = lf.read_scores(write([*ROWS[:2], *more]), form="tot")
    assert s.filter(measure="FAIR")["value"].to_list() == [1, 0]
    assert s["measure"].unique().sort().to_list() == ["FAIR", "WIN"]
    with pytest.raises(lf.ReadError, match="line 1: expected a finite number as value, found 'no'"):
        lf.read_scores(write([("a", "WIN", "t1", "no"), *ROWS]), form="tot")
    with pytest.raises(lf.ReadError, match="line 1: expected a finite number as value, found 'so'"):
        lf.read_scores(write([("a", "WHY", "t1", "so")]), form="tot")


@pytest.mark.parametrize("values", ["true false", 'true "no"', "true 0.5"])
def test_true_and_false_of_json_are_numbers(write, values):
    line = '{{"run_id": "a", "topic_id": "t{}", "measure": "{}", "value": {}}}'
    x, y = values.split()
    names = ["FAIR", "WHY" if y == '"no"' else "FAIR"]
    lines = [line.format(n, name, v) for n, (name, v) in enumerate(zip(names, (x, y), strict=True))]
    file = write([], first=lines, name="auto.eval.jsonl")
    if y == '"no"':
        with pytest.warns(lf.LexiframeWarning, match="are no numbers, left out: 1"):
            assert lf.read_scores(file)["value"].to_list() == [1]
    else:
        assert lf.read_scores(file)["value"].to_list() == [1, 0 if y == "false" else 0.5]
