"""Relevant documents that runs have in another spelling, beside others that match."""

import unicodedata
import warnings

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.filterwarnings(  # made-up rows lie in any order
    "ignore:runs whose ranks and scores disagree",
    "ignore:.*expected scores of which the greatest is the best",
)

TITLES = {
    "composed and decomposed letters": ("Škoda", unicodedata.normalize("NFD", "Škoda")),
    "letters as in addresses, such as %20": ("Fear/Loathing", "Fear%2FLoathing"),
    "_ for a blank": ("Rio_de_Janeiro", "Rio de Janeiro"),
}


def files(run, qrels, folder):
    lines = [f'{{"query_id": "{q}", "doc_id": "{d}", "score": {x}}}\n'
             for q, of in run.items() for d, x in of.items()]  # fmt: skip
    (folder / "a.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder / "a.jsonl", qrels


@pytest.mark.parametrize(
    "function", [lf.positions, lf.coverage, lambda *of: lf.evaluate(*of, "AP")]
)
@pytest.mark.parametrize("cause", TITLES)
@pytest.mark.parametrize("are_swapped", [False, True])
def test_some_ids_in_another_spelling_are_said_with_the_cause(
    cause, are_swapped, function, tmp_path
):
    ours, theirs = reversed(TITLES[cause]) if are_swapped else TITLES[cause]
    qrels = {"q1": {ours: 1, "none": 0}, "q2": {"Oslo": 1}}
    run = {"q1": {"x": 3.0, theirs: 2.0}, "q2": {"Oslo": 1.0}}
    said = rf"another spelling: 1 \('\w+'\); likely cause: {cause} "
    for runs, judged in (({"r": run}, qrels), files(run, qrels, tmp_path)):
        with pytest.warns(lf.LexiframeWarning, match=said) as caught:
            function(runs, judged)
        assert len([w for w in caught if "spelling" in str(w.message)]) == 1


def test_two_differences_at_once():
    run = {"q1": {"S%C3%A3o Tom%C3%A9": 1.0}, "q2": {"Oslo": 1.0}}
    with pytest.warns(lf.LexiframeWarning, match="cause: spelling .'S%C3%A3o.* and 'São_Tomé'"):
        lf.positions({"r": run}, {"q1": {"São_Tomé": 1}, "q2": {"Oslo": 1}})


def test_other_documents_and_what_lies_below_the_depth_are_no_spellings():
    qrels = {"q1": {"a_b": 1, "Škoda": 1}, "q2": {"a b": 1}}
    run = {"q1": {"x y": 3.0, "Skoda": 2.5, "a_b": 2.0}, "q2": {"a_b": 1.0, "a b": 2.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lf.positions({"r": run}, qrels)
        lf.positions({"r": run}, qrels, depth=2)


def test_a_run_that_is_ranked_in_pieces(monkeypatch):
    monkeypatch.setattr("lexiframe.core.projection.pieces.ROWS", 4)
    rows = [(f"q{n}", f"d{k} {n}", float(k)) for n in range(6) for k in range(3)]
    run = pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")
    qrels = {f"q{n}": {f"d1_{n}" if n == 4 else f"d1 {n}": 1} for n in range(6)}
    with pytest.warns(lf.LexiframeWarning, match="_ for a blank .'d1 4' and 'd1_4'"):
        lf.positions({"r": run}, qrels)
