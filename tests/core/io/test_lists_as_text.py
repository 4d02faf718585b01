"""Texts of lists, as frames of other libraries become when they are written: read, or refused."""

import json

import polars as pl
import pytest

import lexiframe as lf

READ = {
    "[np.int32(7), np.int32(12)]": ["7", "12"],
    "[np.str_('x 1'), np.str_('y')]": ["x 1", "y"],
    "{'e3', 'e9'}": ["e3", "e9"],
    '{"e3"}': ["e3"],
    "{4, 5}": ["4", "5"],
    "('e3', 'e9')": ["e3", "e9"],
    "['e3' 'e9'\n 'f 1']": ["e3", "e9", "f 1"],
    "[7 12\n 13]": ["7", "12", "13"],
    "['f(x)', \"l'eau\", '[z]']": ["f(x)", "l'eau", "[z]"],
    "[['e3', 'e9']]": ["e3", "e9"],
    "['np.sum(a)', 'np.e']": ["np.sum(a)", "np.e"],
    "np.sum(a); np.e": ["np.sum(a)", "np.e"],
    "e3 e9": ["e3", "e9"],
    "Oslo (city); l'eau d'or": ["Oslo (city)", "l'eau d'or"],
    "{A1-B2};{C3}": ["{A1-B2}", "{C3}"],
    "g(x), h(y)": ["g(x)", "h(y)"],
}
REFUSED = [
    "array(['e3', 'e9'], dtype=object)",
    "np.array(['e3'])",
    "[('e3', 0.5), ('e9', 0.25)]",
    "[('e3', 0.5)]",
    "[['e3', 'e9'], ['f1']]",
    "[7. 12.]",
    "frozenset({'e3'})",
    "dict_keys(['e3'])",
    "['e3', 'e9",
    "[{'id': 'e3'}]",
]


def frame(text, name):
    return pl.DataFrame({"query_id": ["q1"], name: [text]})


def from_csv(text, name, folder):
    frame(text, name).write_csv(folder / "lists.csv")
    return folder / "lists.csv"


def from_json(text, name, folder):
    (folder / "lists.jsonl").write_text(json.dumps({"query_id": "q1", name: text}))
    return folder / "lists.jsonl"


FORMS = [lambda text, name, _: frame(text, name), from_csv, from_json]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", READ)
@pytest.mark.filterwarnings("ignore:.*no column of grades")
def test_texts_of_plain_lists_are_read(text, form, tmp_path):
    q = lf.read_qrels(form(text, "relevant_ids", tmp_path))
    assert sorted(q["doc_id"].to_pylist()) == sorted(READ[text])
    runs = lf.read_runs({"a": form(text, "retrieved_ids", tmp_path)})
    ranked = pl.DataFrame(runs).sort("score", descending=True)
    assert ranked["doc_id"].to_list() == READ[text]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", REFUSED)
def test_pieces_that_keep_a_bracket_or_quote_are_refused(text, form, tmp_path):
    for read, name in ((lf.read_qrels, "expected_ids"), (lf.read_runs, "ranked_ids")):
        with pytest.raises(
            lf.SchemaError, match=rf"expected plain lists in {name}, such as .*found 1"
        ):
            read(form(text, name, tmp_path))


@pytest.mark.filterwarnings("ignore:.*no column of grades")
@pytest.mark.parametrize("text", ["[np.int64(7), np.int64(12)]", "{'7', '12'}"])
def test_a_column_of_documents_that_holds_lists(text):
    assert sorted(lf.read_qrels(frame(text, "doc_id"))["doc_id"].to_pylist()) == ["12", "7"]


@pytest.mark.parametrize("scores", ["[0.5 0.25]", "[np.float64(0.5), np.float64(0.25)]"])
def test_numbers_beside_documents(scores):
    table = pl.DataFrame({"qid": ["1"], "retrieved_ids": ["['b' 'a']"], "score": [scores]})
    assert pl.DataFrame(lf.read_runs({"r": table})).select("doc_id", "score").rows() == [
        ("b", 0.5), ("a", 0.25),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "cells, n", [([[["a", "b"], ["c"]], [["d"]]], 4), ([["a", "b"], ["c"]], 3)]
)
def test_the_warning_counts_the_documents(cells, n):
    table = pl.DataFrame({"qid": ["1", "2"], "doc_id": cells})
    with pytest.warns(lf.LexiframeWarning, match=f"no column of grades.*: {n}$"):
        assert lf.read_qrels(table).num_rows == n
