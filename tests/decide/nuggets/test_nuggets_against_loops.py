"""Scores, positions and preferences of answers equal those of independent loops (SPEC, section 16).

The files of the tools' forms and the loops' values are in the folder of conformance data, and their
tolerance is 1e-9; a small loop here draws nuggets, credits and sentences at random.
"""

import json
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import lexiframe as lf

OTHER_NAMES = {
    "NuggetCoverage": "NuggetRecall", "NuggetCoverage(weighted)": "NuggetRecall(weighted)",
}  # fmt: skip
KEY = ["run", "query_id", "measure"]


@pytest.fixture(scope="module")
def folder(shared):
    return shared / "conformance" / "nuggets"


@pytest.fixture(scope="module")
def judged(folder):
    read = {one: lf.read_nuggets(folder / "nuggetizer" / one) for one in ("people", "auto")}
    argue = folder / "argue"
    return read | {"argue": lf.read_nuggets([argue / "nuggets", argue / "judgments"])}


def assert_same(wanted, found, key, column):
    both = wanted.join(found, on=key, how="left", suffix="_found", validate="1:1")
    x, y = both[column], both[f"{column}_found"]
    assert (x.is_null() == y.is_null()).all()
    assert both.height == wanted.height
    assert not len(x) or (x - y).abs().max() <= 1e-9


@pytest.mark.conformance
@pytest.mark.parametrize("judge", ["people", "auto", "argue"])
def test_scores_are_those_of_the_loops(folder, judged, judge):
    renamed = pl.col("measure").replace(OTHER_NAMES)
    wanted = pl.read_parquet(folder / "scores.parquet").filter(judge=judge).with_columns(renamed)
    found = lf.nugget_scores(judged[judge], wanted["measure"].unique().to_list())
    assert found.height == wanted.height
    assert_same(wanted, found, KEY, "value")


@pytest.mark.conformance
def test_a_request_without_vital_nuggets_is_left_out_of_comparisons(judged):
    s = lf.nugget_scores(judged["people"], ["NuggetRecall(strict)", "NuggetRecall(vital)"])
    n = lf.compare(s).group_by("measure").agg(pl.col("n").unique()).sort("measure")
    assert n["n"].to_list() == [[30], [29]]
    assert lf.evaluate_scores(s).means["n"].unique().sort().to_list() == [29, 30]


@pytest.fixture(scope="module")
def stated(folder):
    statements = pl.read_parquet(folder / "statements.parquet")
    credit = pl.col("sentence").is_not_null().cast(pl.Float64)
    vital = pl.when(pl.col("relevance") == 2).then(pl.lit("vital")).otherwise(pl.lit("okay"))
    nuggets = statements.select("query_id", "nugget_id", importance=vital).unique()
    return statements.with_columns(credit=credit), nuggets


@pytest.mark.conformance
def test_positions_and_preferences_are_those_of_the_loops(folder, judged, stated):
    wanted = pl.read_parquet(folder / "preferences.parquet")
    d = lf.preferences(lf.nugget_positions(*stated), ["RPP", "LR", "LP"])
    pairs = lf.preferences(judged["people"], "NuggetPreference, NuggetPreference(weighted)")
    key = ["query_id", "run_a", "run_b", "measure"]
    assert_same(wanted, pl.concat([d, pairs]), key, "preference")


@pytest.mark.conformance
def test_an_answer_as_a_set_has_nothing_but_recalls(folder, judged, stated):
    """What the refusal says: RPP is the difference of recalls, sgnLR the sign of one."""
    statements, nuggets = stated
    one_place = statements.with_columns(sentence=pl.when(pl.col("credit") == 1).then(1))
    n = lf.Nuggets(nuggets, one_place)
    p = lf.nugget_positions(n)
    d = lf.preferences(p, ["RPP", "sgnLR"]).sort("query_id", "run_a", "run_b")
    binary = lf.preferences(p.with_columns(relevance=1.0), "RPP")
    s = lf.nugget_scores(n, "NuggetRecall(strict) NuggetRecall(weighted,strict)")
    values = {row[:3]: row[3] for row in s.rows()}

    def differences(found, measure):
        wanted = [values[a, q, measure] - values[b, q, measure] for q, a, b, *_ in found.rows()]
        return np.array(wanted), found["preference"].to_numpy()

    np.testing.assert_allclose(*differences(binary, "NuggetRecall(strict)"), atol=1e-9)
    graded = d.filter(measure="RPP")
    np.testing.assert_allclose(*differences(graded, "NuggetRecall(weighted,strict)"), atol=1e-9)
    wanted, found = differences(d.filter(measure="sgnLR"), "NuggetRecall(strict)")
    np.testing.assert_array_equal(np.sign(np.round(wanted, 9)), found)
    with pytest.raises(lf.LexiframeError, match="binary RPP is exactly the difference of Nugget"):
        lf.preferences(judged["people"], "RPP")


@pytest.mark.conformance
def test_nuggetizers_own_numbers_are_the_same_but_for_its_zeros(folder, judged):
    """Its scores of an assignment, written here as its README describes them."""
    weights = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
    s = {row[:3]: row[3] for row in lf.nugget_scores(judged["people"]).rows()}
    n = 0
    for file in (folder / "nuggetizer" / "people").iterdir():
        for one in map(json.loads, file.read_text().splitlines()):
            for name, strict in (("", False), ("strict_", True)):
                for of, kinds in (("all", {"vital", "okay"}), ("vital", {"vital"})):
                    its = [g for g in one["nuggets"] if g["importance"] in kinds]
                    its = [weights[g["assignment"]] for g in its]
                    its = [float(x == 1) if strict else x for x in its]
                    theirs = sum(its) / len(its) if its else None
                    measure = str(lf.parse_measure(f"{name}{of}_score"))
                    ours = s[one["run_id"], one["qid"], measure]
                    assert ours == theirs or abs(ours - theirs) < 1e-9
                    n += 1
    assert n == 4 * 327


# --- At random ----------------------------------------------------------------------------------


def drawn(seed):
    """Nuggets of some requests, and credits and sentences of three runs; one answer is missing."""
    chance = np.random.default_rng(seed)
    nuggets, statements = [], []
    for q in "pqr":
        for g in range(chance.integers(1, 5)):
            nuggets.append((q, f"n{g}", chance.choice(["vital", "okay"])))
    for run in "abc":
        for q in "pqr":
            if (run, q) == ("c", "q"):
                continue
            for of, g, _ in nuggets:
                if of == q and (chance.random() < 0.8 or g == "n0"):
                    credit = float(chance.choice([0, 0.5, 1]))
                    sentence = int(chance.integers(1, 4)) if credit else None
                    statements.append((run, q, g, credit, sentence))
    names = ["run", "query_id", "nugget_id", "credit", "sentence"]
    facts = pl.DataFrame(nuggets, ["query_id", "nugget_id", "importance"], orient="row")
    return facts, pl.DataFrame(statements, names, orient="row")


@pytest.mark.parametrize("seed", range(6))
def test_recalls_and_paired_preferences_are_those_of_loops(seed):
    facts, statements = drawn(seed)
    n = lf.Nuggets(facts, statements)
    credits = {row[:3]: row[3] for row in statements.rows()}
    scores = {row[:3]: row[3] for row in lf.nugget_scores(n).rows()}
    paired = ["NuggetPreference", "NuggetPreference(weighted)", "NuggetPreference(vital)"]
    d = {row[:4]: row[4] for row in lf.preferences(n, paired).rows()}
    for q in "pqr":
        its = [(g, importance) for of, g, importance in facts.rows() if of == q]
        for flag, okay in (("", 1), ("weighted", 0.5), ("vital", 0)):
            w = np.array([1 if importance == "vital" else okay for _, importance in its])
            c = {run: np.array([credits.get((run, q, g), 0.0) for g, _ in its]) for run in "abc"}
            for strict in (False, True):
                flags = ",".join([flag] * bool(flag) + ["strict"] * strict)
                name = f"NuggetRecall({flags})" if flags else "NuggetRecall"
                for run in "abc":
                    x = c[run] == 1 if strict else c[run]
                    wanted = (w * x).sum() / w.sum() if w.sum() else None
                    assert scores[run, q, name] == pytest.approx(wanted)
            measure = f"NuggetPreference({flag})" if flag else "NuggetPreference"
            for a, b in combinations("abc", 2):
                if not w.sum():
                    assert (q, a, b, measure) not in d
                    continue
                wanted = (w * np.sign(c[a] - c[b])).sum() / w.sum()
                assert d[q, a, b, measure] == pytest.approx(wanted)
    one = lf.preferences(n, paired, baseline="b")
    assert {*one.rows()} == {row for row in lf.preferences(n, paired).rows() if "b" in row[1:3]}


def test_the_worked_example():
    """SPEC, section 16: a and b are vital, c is okay; a is stated, b in part."""
    facts = pl.DataFrame({"query_id": "q", "nugget_id": list("abc")})
    facts = facts.with_columns(importance=pl.Series(["vital", "vital", "okay"]))
    stated = pl.DataFrame({"run": "x", "query_id": "q", "nugget_id": ["a", "b"]})
    s = lf.nugget_scores(stated.with_columns(credit=pl.Series([1.0, 0.5])), nuggets=facts)
    found = {measure: round(value, 9) for _, _, measure, value in s.rows()}
    assert found == {
        "NuggetRecall": 0.5, "NuggetRecall(strict)": round(1 / 3, 9),
        "NuggetRecall(vital)": 0.75, "NuggetRecall(vital,strict)": 0.5,
        "NuggetRecall(weighted)": 0.6, "NuggetRecall(weighted,strict)": 0.4,
    }  # fmt: skip


def test_citations_and_sentences_by_hand():
    """Three sentences: one supported, one half supported by two documents, one that cites none."""
    facts = pl.DataFrame({"query_id": ["q"], "nugget_id": ["a"]})
    stated = pl.DataFrame({"run": "x", "query_id": "q", "nugget_id": ["a"], "credit": [0.5]})
    cited = pl.DataFrame(
        {"run": "x", "query_id": "q", "sentence": [1, 2, 2], "doc_id": ["d", "z", "d"],
         "support": [1.0, 0.5, 1.0], "relevant": [True, None, False]}
    )  # fmt: skip
    sentences = pl.DataFrame({"run": "x", "query_id": "q", "sentence": [1, 2, 3]})
    s = lf.nugget_scores(lf.Nuggets(facts, stated, cited, sentences))
    found = dict(s.select("measure", "value").rows())
    s_support = 1 / 3
    assert found["CitationSupport"] == pytest.approx(2 / 3)
    assert found["CitationRelevance"] == 0.5
    assert found["SentenceSupport"] == pytest.approx(s_support)
    assert found["SupportPrecision"] == pytest.approx(0.75)
    assert found["SupportRecall"] == pytest.approx(0.5)
    assert found["ReportF1"] == pytest.approx(2 * s_support * 0.5 / (s_support + 0.5))
    told = sentences.with_columns(needs_citation=pl.Series([True, True, False]))
    s = lf.nugget_scores(lf.Nuggets(facts, stated, cited, told), "SentenceSupport")
    assert s["value"].to_list() == [0.5]
