"""Agreement of judges about grades, against the definitions, scikit-learn and krippendorff."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.conftest import library

COEFFICIENTS = ["kappa", "kappa_linear", "kappa_quadratic", "alpha"]
GRADES = [0.0, 1.0, 3.0, 0.5, -1.0]
DEEP = ["flant5large_four_prompts", "llama70b_four_prompts", "llama8b_decomposed",
        "llama8b_four_prompts", "llama8b_one_prompt"]  # fmt: skip


def qrels(grades, query="q"):
    """Judgments of documents d0, d1 ... of one query; None leaves a document out."""
    rows = [(query, f"d{n}", g) for n, g in enumerate(grades) if g is not None]
    schema = {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def by_definition(pairs, rel=None):
    is_relevant = [tuple(g > 0 if rel is None else g >= rel for g in pair) for pair in pairs]
    return {
        "agreement": sum(x == y for x, y in pairs) / len(pairs),
        "kappa": oracle.cohens_kappa(pairs, lambda i, j: i != j),
        "kappa_linear": oracle.cohens_kappa(pairs, lambda i, j: abs(i - j)),
        "kappa_quadratic": oracle.cohens_kappa(pairs, lambda i, j: (i - j) ** 2),
        "kappa_binary": oracle.cohens_kappa(is_relevant, lambda i, j: i != j),
        "alpha": oracle.krippendorffs_alpha(pairs),
        "mean_difference": sum(x - y for x, y in pairs) / len(pairs),
    }


@given(
    st.lists(st.tuples(*[st.none() | st.sampled_from(GRADES)] * 2), min_size=1, max_size=12).filter(
        lambda rows: any(None not in row for row in rows)
    ),
    st.sampled_from([None, 1.0]),
)
def test_all_are_as_defined(rows, rel):
    a, b = zip(*rows, strict=True)
    found = lf.judge_agreement({"a": qrels(a), "b": qrels(b)}, rel).row(0, named=True)
    pairs = [row for row in rows if None not in row]
    n_a, n_b = (sum(g is not None for g in side) for side in (a, b))
    counts = (found["n"], found["only_a"], found["only_b"])
    assert counts == (len(pairs), n_a - len(pairs), n_b - len(pairs))
    for name, value in by_definition(pairs, rel).items():
        assert found[name] == pytest.approx(value, abs=1e-12), name


@given(st.lists(st.tuples(*[st.sampled_from(GRADES)] * 2), min_size=1, max_size=12))
def test_whoever_comes_first_and_however_documents_are_called(rows):
    a, b = (qrels(side) for side in zip(*rows, strict=True))
    ab, ba = (lf.judge_agreement(both) for both in ({"a": a, "b": b}, {"b": b, "a": a}))
    assert ba.select("judge_a", "judge_b").row(0) == ("b", "a")
    for name in [*COEFFICIENTS, "agreement", "kappa_binary"]:
        assert ab[name][0] == pytest.approx(ba[name][0], abs=1e-12), name
    assert ab["mean_difference"][0] == -ba["mean_difference"][0]
    renamed = [t.with_columns(doc_id=pl.col("doc_id").str.reverse()) for t in (a, b)]
    again = lf.judge_agreement(dict(zip("ab", renamed, strict=True)))
    for name in [*COEFFICIENTS, "agreement", "mean_difference"]:
        assert ab[name][0] == pytest.approx(again[name][0], abs=1e-12), name


@given(st.lists(st.tuples(*[st.sampled_from(GRADES)] * 2), min_size=1, max_size=12))
def test_confusion_counts_every_two_grades(rows):
    a, b = zip(*rows, strict=True)
    c = lf.judge_confusion({"a": qrels(a), "b": qrels(b)})
    counts = {(x, y): n for x, y, n in c.select("relevance_a", "relevance_b", "n").rows()}
    grades = sorted({*a, *b})
    assert counts == {cell: rows.count(cell) for cell in product(grades, grades)}
    assert c["share"].sum() == pytest.approx(1)
    for grade, share in c.group_by("relevance_a").agg(pl.col("share_of_a").sum()).rows():
        assert share == pytest.approx(1 if grade in a else 0)


def test_one_grade_for_all_leaves_nothing_beyond_chance():
    same = lf.judge_agreement({"a": qrels([1, 1]), "b": qrels([1, 1])})
    assert same["agreement"].to_list() == [1.0]
    assert same.select(*COEFFICIENTS, "kappa_binary").row(0) == (None,) * 5
    one = lf.judge_agreement({"a": qrels([1, 1]), "b": qrels([1, 0])})
    assert one.select("kappa", "kappa_linear", "kappa_binary").row(0) == (0.0, 0.0, 0.0)
    graded = lf.judge_agreement({"a": qrels([1, 2]), "b": qrels([2, 1])})
    assert graded["kappa_binary"][0] is None  # all are relevant to both
    assert graded["kappa"][0] == -1.0


def test_three_judges_of_whom_two_share_nothing():
    judges = {"z": qrels([1, 0]), "y": qrels([1, 0, 1]), "a": qrels([None, None, 1])}
    table = lf.judge_agreement(judges)
    rows = table.select("judge_a", "judge_b", "n", "only_a", "only_b").rows()
    assert rows == [("y", "a", 1, 2, 0), ("z", "a", 0, 2, 1), ("z", "y", 2, 0, 1)]
    assert table.row(1)[5:] == (None,) * 7
    assert lf.judge_confusion(judges).filter(judge_a="z", judge_b="a").is_empty()


def test_groups_of_requests():
    a = pl.concat([qrels([0, 1, 1], "q1"), qrels([2, 0], "q2")])
    b = pl.concat([qrels([0, 1, 0], "q1"), qrels([2, 0], "q2")])
    kinds = pl.DataFrame({"qid": ["q1", "q2"], "kind": ["long", "short"]})
    judges = {"a": a, "b": b}
    table = lf.judge_agreement(judges, requests=kinds, by="kind")
    assert table.select("kind", "n", "agreement").rows() == [("long", 3, 2 / 3), ("short", 2, 1.0)]
    alone = lf.judge_agreement({"a": a.head(3), "b": b.head(3)})
    assert table.filter(kind="long").drop("kind").equals(alone)
    confusion = lf.judge_confusion(judges, requests=kinds, by="kind")
    assert confusion.group_by("kind", maintain_order=True).agg(pl.col("n").sum()).rows() == [
        ("long", 3),
        ("short", 2),
    ]
    with pytest.raises(lf.LexiframeError, match="expected attributes of requests, found none"):
        lf.judge_agreement(judges, by="kind")


def test_iterations_count_only_where_they_are_subtopics():
    a = qrels([1, 0]).with_columns(iteration=pl.lit("0"))
    b = a.with_columns(iteration=pl.Series(["Q0", "1"]))
    assert lf.judge_agreement({"a": a, "b": b})["n"][0] == 2
    by_subtopic = pl.concat(
        [a, a.with_columns(iteration=pl.lit("1"), relevance=1 - a["relevance"])]
    )
    half = by_subtopic.filter(iteration="1")
    found = lf.judge_agreement({"a": by_subtopic, "b": half})
    assert found.select("n", "only_a", "only_b", "agreement").row(0) == (2, 2, 0, 1.0)
    with pytest.raises(lf.LexiframeError, match="a, b name subtopics, requests and documents alik"):
        lf.judge_agreement({"a": by_subtopic, "b": a.with_columns(iteration=pl.lit("7"))})


def test_what_is_refused(tmp_path):
    a = qrels([1, 0])
    with pytest.raises(
        TypeError, match=r"judgments by the names of their judges, as in .* found list"
    ):
        lf.judge_agreement([a, a])
    with pytest.raises(lf.LexiframeError, match=r"expected at least two judges, found 1 \('a'\)"):
        lf.judge_agreement({"a": a})
    with pytest.raises(lf.LexiframeError, match="expected the names of judges to be text, found 1"):
        lf.judge_agreement({1: a, "b": a})
    with pytest.raises(
        lf.LexiframeError, match="documents that two judges judged for the same req"
    ):
        lf.judge_agreement({"a": a, "b": qrels([1], "other")})
    with pytest.raises(lf.LexiframeError, match="rel: expected a positive grade, found 0"):
        lf.judge_agreement({"a": a, "b": a}, 0)
    with pytest.raises(lf.SchemaError, match="judge 'b': qrels: "):
        lf.judge_agreement({"a": a, "b": pl.concat([a, a])})
    bad = tmp_path / "bad.txt"
    bad.write_text("q 0 d0 1\nq 0\n")
    with pytest.raises(lf.ReadError, match=r"judge 'b': .*bad.txt, line 2: expected"):
        lf.judge_agreement({"a": a, "b": bad})


def test_it_is_said_in_words():
    judges = {"z": qrels([1, 0, 2]), "y": qrels([1, 0, 1, 2]), "a": qrels([None, None, None, 1])}
    said = lf.verdict(lf.judge_agreement(judges))
    assert said.columns == ["judge_a", "judge_b", "sentence"]
    words = (
        "y and a give 0 of the 1 document that both judged the same grade (0.0 %): κ = 0.00, 0.00 "
        "with quadratic weights, undefined for relevant or not; α = 0.00. The grades of y are "
        "higher by 1.00 on average. 3 documents have a grade by y alone.|"
        "no document was judged by both z and a. 3 documents have a grade by z alone. 1 document "
        "has a grade by a alone.|"
        "z and y give 2 of the 3 documents that both judged the same grade (66.7 %): κ = 0.50, "
        "0.67 with quadratic weights, 1.00 for relevant or not; α = 0.78. The grades of z are "
        "higher by 0.33 on average. 1 document has a grade by y alone."
    )
    assert said["sentence"].to_list() == words.split("|")
    kinds = pl.DataFrame({"query_id": ["q"], "kind": ["x"]})
    same = {"a": qrels([1, 1]), "b": qrels([1, 1])}
    assert lf.verdict(lf.judge_agreement(same, requests=kinds, by="kind"))["sentence"][0] == (
        "For kind = x, a and b give 2 of the 2 documents that both judged the same grade (100.0 %),"
        " the only grade that they give them, so that agreement beyond chance is undefined. "
        "Their grades are equally high on average."
    )


def test_more_grades_than_memory_has_room_for():
    many = qrels(np.arange(60_000) / 7)
    assert lf.judge_agreement({"a": many, "b": many})["kappa"][0] == 1.0
    with pytest.raises(lf.LexiframeError, match="a row for every two of 60,000 grades need"):
        lf.judge_confusion({"a": many, "b": many})


@pytest.fixture(scope="module")
def deep(shared):
    folder = shared / "data" / "trec_dl_2019_passage"
    files = {"nist": folder / "qrels.trec"}
    return files | {name: folder / "judges" / f"{name}.trec" for name in DEEP}


@pytest.fixture(scope="module")
def graded(deep):
    """The grades of the judges of a real collection, of the same documents in the same order."""
    key = ["query_id", "doc_id"]
    tables = {name: pl.DataFrame(lf.read_qrels(path)).sort(key) for name, path in deep.items()}
    assert all(t.select(key).equals(tables["nist"].select(key)) for t in tables.values())
    return {name: t["relevance"].to_numpy().astype(int) for name, t in tables.items()}


@pytest.mark.parametrize("rel", [None, 2])
def test_language_models_on_deep_passages_agree_as_scikit_learn_says(deep, graded, rel):
    kappa = library("sklearn.metrics").cohen_kappa_score
    table = lf.judge_agreement(deep, rel)
    assert table.height == 15
    assert table["n"].unique().to_list() == [9260]
    for row in table.iter_rows(named=True):
        a, b = graded[row["judge_a"]], graded[row["judge_b"]]
        for name, weights in (("", None), ("_linear", "linear"), ("_quadratic", "quadratic")):
            expected = kappa(a, b, weights=weights)
            assert row[f"kappa{name}"] == pytest.approx(expected, abs=1e-12)
        expected = kappa(a >= (rel or 1), b >= (rel or 1))
        assert row["kappa_binary"] == pytest.approx(expected, abs=1e-12)
        assert row["mean_difference"] == pytest.approx((a - b).mean(), abs=1e-12)


def test_their_alpha_is_that_of_krippendorff(deep, graded):
    alpha = library("krippendorff").alpha
    for row in lf.judge_agreement(deep).iter_rows(named=True):
        data = np.stack([graded[row["judge_a"]], graded[row["judge_b"]]])
        expected = alpha(data, level_of_measurement="ordinal")
        assert row["alpha"] == pytest.approx(expected, abs=1e-12)


def test_their_confusion_is_that_of_scikit_learn(deep, graded):
    matrix = library("sklearn.metrics").confusion_matrix
    judges = {name: deep[name] for name in ("nist", "llama70b_four_prompts")}
    counts = lf.judge_confusion(judges)["n"].to_numpy().reshape(4, 4)
    assert (counts == matrix(*(graded[name] for name in judges))).all()


def test_the_verdict_on_a_confusion_says_where_grades_differ_most():
    judges = {"x": qrels([0, 0, 1, 2]), "y": qrels([2, 2, 1, 1])}
    said = lf.verdict(lf.judge_confusion(judges))["sentence"].to_list()
    expected = (
        "x and y differ about 3 of the 4 documents that both judged, most often where x gives 0 "
        "and y 2: 2 (50.0 %)."
    )
    assert said == [expected]
    said = lf.verdict(lf.judge_confusion({"x": judges["x"], "y": judges["x"]}))["sentence"]
    assert said.to_list() == ["x and y give the 4 documents that both judged the same grades."]
