"""Grades that are words."""

import json
import subprocess
import sys

import polars as pl
import pytest

import lexiframe as lf

ESCI = {"E": 3, "S": 2, "C": 1, "I": 0}
WORDS = [("1", "x", "E"), ("1", "y", "I"), ("2", "x", "C")]
GRADES = [3.0, 0.0, 1.0]


def written(form, folder, rows=WORDS):
    """Write judgments whose grades are words."""
    path, names = folder / f"esci.{form}", ("query_id", "doc_id", "label")
    frame = pl.DataFrame(rows, schema=names, orient="row")
    if form == "frame":
        return frame
    if form == "categories":
        return frame.with_columns(pl.col("label").cast(pl.Categorical))
    if form == "dictionaries":
        return {q: dict(frame.filter(query_id=q).select("doc_id", "label").rows()) for q in "12"}
    if form == "parquet":
        frame.write_parquet(path)
    elif form == "csv":
        frame.write_csv(path)
    elif form == "jsonl":
        path.write_text("\n".join(json.dumps(row) for row in frame.to_dicts()))
    elif form == "trec":
        path.write_text("".join(f"{q} 0 {d} {word}\n" for q, d, word in rows))
    else:
        path.write_text("".join(f"{q} {d} {word}\n" for q, d, word in rows))
    return path


FORMS = ["frame", "categories", "dictionaries", "parquet", "csv", "jsonl", "trec", "three"]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_words_are_given_their_numbers(form, tmp_path):
    given = written(form, tmp_path)
    table = lf.read_qrels(given, grades=ESCI)
    assert table["relevance"].to_pylist() == GRADES
    assert table["doc_id"].to_pylist() == ["x", "y", "x"]
    with pytest.raises(lf.LexiframeError, match=r"1 \('C'\); give each word its number in grades"):
        lf.read_qrels(given, grades={"E": 1, "I": 0})
    if form not in ("frame", "categories", "dictionaries", "three"):
        with pytest.raises(
            lf.SchemaError, match=r"numbers as grades, found 3 \('E', 'I', 'C'\); say what"
        ):
            lf.read_qrels(given)
        assert lf.check_qrels(given, grades=ESCI).height == 0
        options = [part for word, n in ESCI.items() for part in ("--grade", f"{word}={n}")]
        command = [sys.executable, "-m", "lexiframe", "convert", given, tmp_path / "made.csv"]
        subprocess.run([*command, *options], check=True)
        assert pl.read_csv(tmp_path / "made.csv")["relevance"].to_list() == GRADES


def test_grades_of_ntcir(tmp_path):
    path = tmp_path / "ntcir.txt"
    path.write_text("0001 d1 L2\n0001 d2 L0\n")
    with pytest.raises(lf.SchemaError, match=r"grades=\{'L2': \.\.\., 'L0': \.\.\.\}"):
        lf.read_qrels(path)
    levels = {f"L{n}": n for n in range(4)}
    assert lf.read_qrels(path, grades=levels)["relevance"].to_pylist() == [2.0, 0.0]


@pytest.mark.parametrize("form", ["frame", "csv", "jsonl", "parquet", "dictionaries"])
@pytest.mark.parametrize("words", [(True, False), ("True", "FALSE")])
def test_true_is_one(form, words, tmp_path):
    rows = [("1", "x", words[0]), ("2", "y", words[1])]
    table = lf.read_qrels(written(form, tmp_path, rows))
    assert table["relevance"].to_pylist() == [1.0, 0.0]


def test_an_empty_rating_is_no_judgment_on_request(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("user,item,rating\n1,x,3\n1,y,\n1,z,0\n")
    with pytest.raises(lf.ReadError, match="line 3: expected a number as rating, found ''"):
        lf.read_qrels(path)
    with pytest.warns(lf.LexiframeWarning, match="rows without a judgment, which are left out: 1"):
        table = lf.read_qrels(path, grades={"": None})
    assert table["doc_id"].to_pylist() == ["x", "z"]
    frame = pl.DataFrame({"user": ["1", "1"], "item": ["x", "y"], "rating": [3.0, None]})
    with pytest.warns(lf.LexiframeWarning, match="left out: 1"):
        assert lf.read_qrels(frame, grades={"": None})["relevance"].to_pylist() == [3.0]


def test_wrong_grades():
    with pytest.raises(TypeError, match=r"grades: expected \{word: number\}, found 'E'"):
        lf.read_qrels({"1": {"x": 1}}, grades="E")


def test_numbers_may_be_given_others():
    frame = pl.DataFrame({"user": ["1", "1"], "item": ["x", "y"], "rating": [5.0, 2.0]})
    assert lf.read_qrels(frame, grades={5: 1, 2: 0})["relevance"].to_pylist() == [1.0, 0.0]
    assert lf.read_qrels(frame, grades={5: 1})["relevance"].to_pylist() == [1.0, 2.0]


def test_true_as_a_score():
    for values in ([True, False], ["true", "False"]):
        table = pl.DataFrame({"run": "a", "query_id": ["1", "2"], "measure": "em", "value": values})
        assert lf.read_scores(table)["value"].to_list() == [1.0, 0.0]


def test_a_whole_number_with_a_point_is_the_same_grade(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("query_id,doc_id,grade\n1,a,1.0\n1,b,2\n")
    assert lf.read_qrels(path, grades={1: 0, 2.0: 1})["relevance"].to_pylist() == [0.0, 1.0]
