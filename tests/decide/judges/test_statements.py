"""Judges of answers: how far they agree about which nuggets these state."""

import json

import polars as pl
import pytest

import lexiframe as lf

CREDITS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
KEY = ["run", "query_id", "nugget_id"]
ROWS = [("x", "1", "a"), ("x", "1", "b"), ("y", "1", "a"), ("y", "2", "c")]
PEOPLE = pl.DataFrame(ROWS, KEY, orient="row").with_columns(credit=pl.Series([1.0, 0.0, 0.5, 1.0]))
AUTO = PEOPLE.with_columns(credit=pl.Series([1.0, 0.5, 0.5, 0.0]))
JUDGES = {"people": PEOPLE, "auto": AUTO}


def statements_of(folder):
    """The statements in nuggetizer's files, read by a loop."""
    rows = [
        (line["run_id"], line["qid"], f"n{n}", CREDITS[nugget["assignment"]])
        for path in sorted(folder.iterdir())
        for line in map(json.loads, path.read_text().splitlines())
        for n, nugget in enumerate(line["nuggets"], 1)
    ]
    return pl.DataFrame(rows, [*KEY, "credit"], orient="row")


def test_values_of_independent_loops(shared):
    folder = shared / "conformance" / "nuggets"
    expected = json.loads((folder / "facts.json").read_text())
    expected |= {"n": expected["units"], "kappa_binary": expected["kappa_binary_strict"]}
    files = {judge: folder / "nuggetizer" / judge for judge in ("people", "auto")}
    found = lf.judge_agreement({judge: statements_of(path) for judge, path in files.items()})
    row = found.row(0, named=True)
    for name, value in row.items():
        if name not in ("judge_a", "judge_b", "only_a", "only_b", "unit"):
            assert value == pytest.approx(expected[name], abs=1e-9), name
    read = {judge: lf.read_nuggets(path) for judge, path in files.items()}
    assert lf.judge_agreement(read).equals(found)
    tables = {judge: nuggets.statements for judge, nuggets in read.items()}
    assert lf.judge_agreement(tables).equals(found)
    assert lf.verdict(found)["sentence"].item() == (
        "people and auto give 2,573 of the 3,966 nuggets that both judged the same credit "
        "(64.9 %): κ = 0.45, 0.63 with quadratic weights, 0.60 for stated in full or not; "
        "α = 0.62. The credits of people are lower by 0.14 on average."
    )


def test_grades_of_language_models(shared):
    """Real grades, of which some are outside the scale that the judges were given."""
    folder = shared / "conformance" / "llmjudge"
    grades = pl.read_parquet(folder / "grades.parquet").rename({"grade": "relevance"})
    expected = pl.read_parquet(folder / "agreement.parquet")
    names = pl.concat([expected["judge_a"], expected["judge_b"]]).unique(maintain_order=True)
    found = lf.judge_agreement({name: grades.filter(judge=name) for name in names}, rel=2)
    found = found.rename({"kappa_binary": "kappa_binary_2"})
    values = expected.columns[2:]
    both = expected.join(found, on=["judge_a", "judge_b"], suffix="_found")
    assert both.height == 28
    for name in values:
        assert (both[name] - both[f"{name}_found"]).abs().max() <= 1e-9, name


def test_units_are_nuggets_in_answers_of_runs():
    found = lf.judge_agreement({"people": PEOPLE, "auto": AUTO[:3]}).row(0, named=True)
    assert [found[name] for name in ("n", "only_a", "only_b")] == [3, 1, 0]
    other = {"people": PEOPLE[:1], "auto": PEOPLE[2:3]}  # the same nugget, of other runs
    with pytest.raises(lf.LexiframeError, match="nuggets that two judges judged in the same answe"):
        lf.judge_agreement(other)


def test_groups_frames_and_confusion():
    requests = pl.DataFrame({"query_id": ["1", "2"], "kind": ["easy", "hard"]})
    by_kind = lf.judge_agreement(JUDGES, requests=requests, by="kind")
    assert by_kind.select("kind", "n", "agreement").rows() == [("easy", 3, 2 / 3), ("hard", 1, 0)]
    whole = lf.judge_agreement(JUDGES)
    for convert in (pl.DataFrame.lazy, pl.DataFrame.to_arrow, pl.DataFrame.to_pandas):
        found = lf.judge_agreement({j: convert(s) for j, s in JUDGES.items()})
        assert pl.DataFrame(found).equals(whole)
    of_all = pl.concat(s.with_columns(judge=pl.lit(judge)) for judge, s in JUDGES.items())
    assert lf.judge_agreement(of_all).equals(whole)
    assert lf.judge_agreement(JUDGES, rel=0.5)["kappa_binary"].item() == pytest.approx(-1 / 3)
    confusion = lf.judge_confusion(JUDGES)
    assert confusion.filter(relevance_a=1, relevance_b=0)["n"].item() == 1
    said = lf.verdict(confusion)["sentence"].item()
    assert said.startswith("people and auto differ about 2 of the 4 nuggets that both judged, mos")


WRONG = {
    "mixed": (JUDGES | {"nist": {"1": {"d": 1}}}, "other judgments by 1 ('nist')"),
    "twice": (
        JUDGES | {"b": pl.concat([AUTO, AUTO])},
        "judge 'b': expected one row for each run, ",
    ),
    "too great": (JUDGES | {"b": AUTO.with_columns(credit=2.0)}, "credit from 0 to 1, found 4"),
    "no credit": (JUDGES | {"b": AUTO.drop("credit")}, "judge 'b': expected the columns"),
    "alone": ({"b": AUTO}, "expected at least two judges, found 1 ('b')"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_refused(name):
    judges, said = WRONG[name]
    with pytest.raises(lf.LexiframeError) as error:
        lf.judge_agreement(judges)
    assert said in str(error.value)
    with pytest.raises(lf.LexiframeError, match="without duplicates, found duplicates=best"):
        lf.judge_agreement(JUDGES, duplicates="best")


@pytest.mark.slow
def test_nuggets_of_other_texts_are_no_units():
    facts = PEOPLE.select("query_id", "nugget_id").unique().with_columns(text="nugget_id")
    other = facts.with_columns(text=pl.col("text").str.to_uppercase())
    people, auto = lf.Nuggets(facts, PEOPLE), lf.Nuggets(other, AUTO)
    said = "expected judges of the same nuggets, found 'A' and 'a' for nugget 'a' of request '1'"
    with pytest.raises(lf.LexiframeError, match=said):
        lf.judge_agreement({"people": people, "auto": auto})
    same = lf.Nuggets(facts.with_columns(text=pl.lit(None, pl.String)), AUTO)
    named = ("own " + pl.col("nugget_id")).alias("nugget_id")
    own = lf.Nuggets(facts.with_columns(named), AUTO.with_columns(named))
    for judge, rows in ((auto, 0), (own, 0), (same, 1)):
        judges = {"people": people, "auto": judge}
        assert lf.compare_judges(None, judges, None, samples=5).agreement.height == rows
