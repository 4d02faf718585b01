"""Own weights of grades and subtopics, by loops."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.metrics import weights
from tests import oracle

QRELS = {"q": {"a": 3, "b": 1, "c": 2, "d": 1, "e": 3}, "r": {"a": 1, "b": 1}}
QRELS["s"] = {"a": 3, "b": 1, "c": 1, "d": 1, "e": 3}  # as many items as q, fewer grades
RUNS = {
    "x": {"q": ["b", "u", "a", "c", "d"], "r": ["b", "v", "a"]},
    "y": {"q": ["e", "c", "v", "a"], "r": ["u", "a", "b"]},
    "z": {"q": ["a", "b", "c", "d", "e"], "r": []},
}
SHARES = {1: 0.5, 2: 0.0, 3: 2.0}


for number, lists in enumerate(RUNS.values()):
    lists["s"] = [*"abcde"][number:]


def frame(judged, value):
    rows = [(q, d, float(y)) for q, of in judged.items() for d, y in of.items()]
    return pl.DataFrame(rows, ["query_id", "doc_id", value], orient="row")


def run_frame(names):
    scored = {q: {d: -n for n, d in enumerate(RUNS[r][q])} for r in names for q in RUNS[r]}
    return frame(scored, "score")


RUN_TABLE = pl.concat(
    run_frame([name]).select(pl.lit(name).alias("run"), pl.all()) for name in RUNS
)


@pytest.fixture(scope="module")
def p():
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        return lf.positions(RUN_TABLE, frame(QRELS, "relevance"))


def expected(a, b, share, weight):
    """Σ_λ p(λ) Σ_i p(i | λ) s_i, with any p(λ)."""
    levels = {y: oracle.s(*(oracle.positions_of(i, y) for i in (a, b))) for y in {y for _, y in a}}
    total = sum(share(y, len(of)) for y, of in levels.items())
    delta = 0.0
    for y, of in levels.items():
        norm = sum(weight(i) for i in range(1, len(of) + 1))
        delta += share(y, len(of)) / total * sum(weight(i) / norm * s for i, s in enumerate(of, 1))
    return delta


@pytest.mark.slow
@pytest.mark.parametrize(
    "share, loop",
    [
        (lambda grade, m: 1, lambda y, m: 1),
        (lambda grade, m: grade**2 / m, lambda y, m: y**2 / m),
        (lambda grade, m: grade.replace_strict(SHARES), lambda y, m: SHARES[y]),
        (lambda grade, m: m, lambda y, m: m),
    ],
)
@pytest.mark.parametrize("weight", [weights.share_of_request, weights.reciprocal])
def test_shares_of_grades_are_their_loops(p, share, loop, weight):
    measure = lf.LevelPreference("own", weight=weight, share=share)
    of_level = (lambda i: 1) if weight is weights.share_of_request else (lambda i: 1 / i)
    for query, a, b, value in lf.preferences(p, measure).drop("measure").rows():
        sides = [oracle.project(RUNS[run][query], QRELS[query]) for run in (a, b)]
        assert value == pytest.approx(expected(*sides, loop, of_level), abs=1e-12)
        explained = lf.explain(p, query, a, b, measure)
        assert explained["own weight"].sum() == pytest.approx(1)
        assert explained["own"].sum() == pytest.approx(value, abs=1e-12)


def test_one_grade_alone_or_none_with_weight(p):
    """With ``rel`` there is one threshold; where all shares are 0 all rankings tie."""
    uniform = {"weight": weights.share_of_request}
    odd = lf.LevelPreference("odd", **uniform, share=lambda grade, m: (grade == 2) * 1)
    d = lf.preferences(p, [odd, odd(rel=1), lf.RPP(rel=1)])
    assert {*d.filter(measure="odd", query_id="r")["preference"]} == {0.0}
    at_least = d.filter(pl.col("measure").str.ends_with("(rel=1)"))
    one, other = at_least.partition_by("measure")
    assert one["preference"].to_list() == other["preference"].to_list()
    wrong = lf.LevelPreference("wrong", **uniform, share=lambda grade, m: 1 - grade)
    with pytest.raises(lf.LexiframeError, match="wrong: expected finite shares of 0 or more"):
        lf.preferences(p, wrong)


def test_shares_of_subtopics_of_each_request():
    judged = pl.concat(
        frame(QRELS, "relevance").filter(pl.col("doc_id").is_in(list(docs)))
        .with_columns(subtopic=pl.lit(name)) for name, docs in (("s", "abc"), ("t", "cdab"))
    )  # fmt: skip
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        p = lf.positions(RUN_TABLE, judged, subtopics=True)
    shares = {
        ("s", "s"): 2.0,
        ("s", "t"): 1.0,
        ("q", "s"): 1.0,
        ("q", "t"): 3.0,
        ("r", "s"): 1.0,
        ("r", "t"): 0.0,
    }

    def share(t, m, query_id):
        known = {f"{query} {name}": value for (query, name), value in shares.items()}
        return (query_id + " " + t).replace_strict(known, default=0.0)

    own = lf.LevelPreference("own", weight=weights.reciprocal, subtopics=True, share=share)
    for query, a, b, value in lf.preferences(p, own).drop("measure").rows():
        delta = total = 0.0
        for name in "st":
            of = judged.filter(query_id=query, subtopic=name).select("doc_id", "relevance")
            sides = [oracle.project(RUNS[run][query], dict(of.rows())) for run in (a, b)]
            s = oracle.s(*map(oracle.positions_of, sides))
            norm = sum(1 / i for i in range(1, len(s) + 1))
            total += shares[query, name]
            delta += shares[query, name] * sum(s_i / i / norm for i, s_i in enumerate(s, 1))
        assert value == pytest.approx(delta / total, abs=1e-12)
