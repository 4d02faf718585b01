"""AP and nDCG from judgments of a sample, against TREC's sample_eval.pl and plain loops."""

from collections import defaultdict
from math import log2

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

import lexiframe as lf

inferred_scores = lf.collection.inferred_scores
# Grades of d0 to d9, of which the first four are a stratum, and the rankings by numbers.
GRADES = {"1": (2, 1, 2, 1, -1, 1, -1, -1, -1, -1), "2": (1, 0, 0, 0, 1, -1, -1, -1, -1, -1),
          "3": (1, 1, 0, 1, 1, -1, -1, 0, -1, 0)}  # fmt: skip
RANKED = {"1": (2, 10, 4, 12, 9, 13, 0, 11, 8, 1, 6), "2": (7, 0, 6, 10, 8, 1, 9, 13, 5, 4, 11),
          "3": (7, 10, 3, 13, 8, 6, 2, 1, 5, 11, 0)}  # fmt: skip
BY_SAMPLE_EVAL = {  # its output for these, with all digits
    "xinfAP": (0.17333288334384307, 0.4095233809588094, 0.1712139582727102),
    "infNDCG": (0.47291274412218671, 0.65017013358484377, 0.3711795817107362),
}


def ranking(numbers):
    """Two documents each have the same score."""
    return {f"d{number}": 20 - place // 2 for place, number in enumerate(numbers)}


@pytest.fixture
def files(tmp_path):
    lines = [f"{query} 0 d{n} {1 if n < 4 else 2} {grade}\n"
             for query, grades in GRADES.items() for n, grade in enumerate(grades)]  # fmt: skip
    (tmp_path / "sampled.txt").write_text("".join(lines))
    return {query: ranking(numbers) for query, numbers in RANKED.items()}, tmp_path / "sampled.txt"


def test_values_of_sample_eval(files):
    run, judgments = files
    found = inferred_scores({"a": run}, judgments)
    for measure, expected in BY_SAMPLE_EVAL.items():
        values = found.filter(measure=measure)["value"].to_list()
        assert values == pytest.approx(expected, abs=1e-14)
    means = lf.evaluate_scores(found).means
    assert dict(means.select("measure", "mean").iter_rows()) == pytest.approx(
        {measure: np.mean(values) for measure, values in BY_SAMPLE_EVAL.items()}
    )


def by_loops(ranked, pool, depth):
    """Both measures of one request; the pool has stratum and grade of each document."""
    n, j = defaultdict(int), defaultdict(int)
    for stratum, grade in pool.values():
        n[stratum] += 1
        j[stratum] += grade >= 0
    weight = {d: n[s] / j[s] for d, (s, grade) in pool.items() if grade > 0}
    of_grade, above = defaultdict(float), {s: [0, 0, 0] for s in n}
    for d, w in weight.items():
        of_grade[pool[d][1]] += w
    precise, gains = 0.0, dict.fromkeys(n, 0.0)
    for p, d in enumerate(ranked[:depth], 1):
        if d not in pool:
            continue
        stratum, grade = pool[d]
        if grade > 0:
            expected = sum(a * (r + 1e-5) / (k + 3e-5) for a, k, r in above.values())
            precise += weight[d] * (1 + expected) / p
            gains[stratum] += grade / log2(p + 1)
        above[stratum] = [a + b for a, b in zip(above[stratum], (1, grade >= 0, grade > 0),
                                                strict=True)]  # fmt: skip
    dcg = sum(above[s][0] / above[s][1] * gains[s] for s in n if above[s][1])
    ideal = [y for y in sorted(of_grade, reverse=True) for _ in range(int(of_grade[y] + 0.5))]
    ideal_dcg = sum(y / log2(p + 1) for p, y in enumerate(ideal[:depth], 1))
    return precise / sum(weight.values()), dcg / ideal_dcg


@pytest.mark.filterwarnings("ignore:no judged document")
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_values_of_loops(data):
    documents = [f"d{n}" for n in range(9)]
    judged = st.tuples(st.sampled_from("xyz"), st.sampled_from([-1, -1, 0, 1, 2]))
    pool = data.draw(st.dictionaries(st.sampled_from(documents), judged, min_size=1))
    ranked = data.draw(st.permutations(documents))[: data.draw(st.integers(1, 9))]
    depth = data.draw(st.integers(1, 9))
    if all(grade <= 0 for _, grade in pool.values()):
        return
    rows = [("q", d, stratum, grade) for d, (stratum, grade) in pool.items()]
    frame = pl.DataFrame(rows, ["query_id", "doc_id", "stratum", "relevance"], orient="row")
    run = {"a": {"q": {d: -place for place, d in enumerate(ranked)}}}
    values = dict(inferred_scores(run, frame, depth=depth).select("measure", "value").iter_rows())
    found = (values["xinfAP"], values["infNDCG"])
    assert found == pytest.approx(by_loops(ranked, pool, depth), abs=1e-12)


def test_one_stratum_that_was_judged_whole_has_the_ndcg_of_all(files):
    grades = {q: {f"d{n}": max(y, 0) for n, y in enumerate(of)} for q, of in GRADES.items()}
    rows = [(q, d, "all", y) for q, of in grades.items() for d, y in of.items()]
    pool = pl.DataFrame(rows, ["query_id", "doc_id", "stratum", "relevance"], orient="row")
    found = inferred_scores({"a": files[0]}, pool).filter(measure="infNDCG")["value"]
    whole = lf.scores(lf.positions({"a": files[0]}, grades), "nDCG")["value"]
    assert found.to_list() == pytest.approx(whole.to_list(), abs=1e-12)


def test_a_missing_ranking_counts_0(files):
    run, judgments = files
    with pytest.warns(lf.LexiframeWarning, match="rankings missing, counted as empty: 2"):
        found = inferred_scores({"a": {"1": run["1"]}, "b": run}, judgments)
    assert found.filter(run="a", query_id="2")["value"].to_list() == [0.0, 0.0]
    assert found.height == 12


@pytest.mark.parametrize("lines, said", [
    ("q 0 d0 1 1\nq 0 d1 1 \u00e9\n".encode("latin1"), "line 2: expected UTF-8 text"),
    ("q 0 d0 1 1\nq 0 d1 1 \u0663\n".encode(), "line 2: expected five fields"),
    ("q 0 d0 1 \uff11\n".encode(), "line 1: expected five fields"),
])  # fmt: skip
def test_other_encodings_and_digits_are_refused(lines, said, tmp_path):
    (tmp_path / "sampled.txt").write_bytes(lines)
    with pytest.raises(lf.ReadError, match=said):
        inferred_scores({"a": {"q": {"d0": 1.0}}}, tmp_path / "sampled.txt")


def test_each_document_may_be_a_stratum():
    """Memory and time grow with the documents, and not with documents times strata."""
    n = 20_000
    pool = pl.DataFrame({"query_id": "q", "doc_id": [f"d{k}" for k in range(n)], "relevance": 1})
    pool = pool.with_columns(stratum=pl.int_range(pl.len()))
    s = inferred_scores({"a": {"q": {f"d{k}": -k for k in range(500)}}}, pool)
    # above place p are p - 1 strata, whose one document is judged and relevant
    expected = [(1 + (p - 1) * 1.00001 / 1.00003) / p for p in range(1, 501)]
    assert s.filter(measure="xinfAP")["value"][0] == pytest.approx(sum(expected) / n, rel=1e-12)
