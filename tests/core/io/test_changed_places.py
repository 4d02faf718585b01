"""Runs and judgments in the other order, which their content shows, or the number of runs."""

import json
import random

import polars as pl
import pytest

import lexiframe as lf

QUERIES = [f"q{n}" for n in range(6)]
CALLS = (lf.positions, lf.coverage, lf.evaluate, lambda a, b: lf.interleaving(a, b, user="uniform"))


def judgments(grades=(0, 1, 2)):
    rnd = random.Random(3)
    return {q: {f"d{n}": rnd.choice(grades) for n in range(8)} for q in QUERIES}


def ranking(score=lambda rnd, rank: 1 / (rank + rnd.random())):
    rnd = random.Random(4)
    return {q: {f"d{n + k}": score(rnd, n + 1) for n in range(9)} for k, q in enumerate(QUERIES)}


def frame(data):
    rows = [(q, d, float(x)) for q, inner in data.items() for d, x in inner.items()]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")


def as_json(data, path):
    path.write_text(json.dumps(data))
    return path


SIMILARITY = ranking()
BM25 = ranking(lambda rnd, rank: 40 - 3 * rank - rnd.random())
LOGARITHMS = ranking(lambda rnd, rank: -rank - rnd.random())
COUNTED = ranking(lambda rnd, rank: 1000 - rank)
TIED = {
    "by twos": {q: {f"d{n}": (20 - n) // 2 for n in range(20)} for q in QUERIES},
    "a tie": ranking(lambda rnd, rank: max(9 - rank, 1.5) + rnd.random() * (rank < 8)),
    "in groups": {
        q: {f"d{n}": 1 / (n // 4 + 7 * k + 1) for n in range(24)} for k, q in enumerate(QUERIES)
    },
    "one request": {"q0": {f"d{n}": 1 / max(n, 1) for n in range(12)}},
}
RATINGS = judgments([*range(0, 101, 5), 1, 33, 67])


@pytest.mark.parametrize("run", [SIMILARITY, BM25, LOGARITHMS, COUNTED])
@pytest.mark.parametrize("grades", [(0, 1), (1,), (0, 1, 2, 3), (-2, 0, 1)])
def test_dictionaries_in_the_other_order_are_refused(run, grades):
    for call in CALLS:
        with pytest.raises(lf.LexiframeError, match=r"may have changed places: .* \(runs, qrels\)"):
            call(judgments(grades), run)


@pytest.mark.parametrize(
    "grades, said",
    [((1,), r"one whole number alone \(1\), as"), ((0, 2), r"few .* \(0 to 2\), as")],
)
def test_the_grades_that_were_given_as_a_run_are_named(grades, said):
    with pytest.raises(lf.SchemaError, match=f"found {said} grades are"):
        lf.positions(judgments(grades), SIMILARITY)


@pytest.mark.parametrize("run", TIED.values(), ids=TIED)
def test_ties_do_not_lift_the_doubt(run):
    for call in (*CALLS, lf.unjudged):
        with pytest.raises(lf.SchemaError, match="may have changed places"):
            call(judgments(), run)


def test_ratings_up_to_100_in_the_other_order_are_refused():
    for run in (SIMILARITY, BM25, TIED["a tie"]):
        with pytest.raises(lf.SchemaError, match=r"few whole numbers \(0 to 100\)"):
            lf.positions({**RATINGS, "q0": {"d1": 100, "d2": 0, "d3": 0}}, run)


def sparse(grades=(0, 1)):
    rnd = random.Random(5)
    return {
        f"q{k}": {f"d{rnd.randrange(99)}": rnd.choice(grades) for _ in range(rnd.randrange(2, 9))}
        | {"d1": grades[1], "d2": grades[1], "d3": grades[0]}
        for k in range(20)
    }


def cut(n_digits, n, highest=1, least=1):
    rnd = random.Random(6)
    rows = {
        f"q{k}": [round(highest * rnd.random(), n_digits) + least for _ in range(n)]
        for k in range(20)
    }
    return {q: {f"d{i}": x for i, x in enumerate(sorted(xs)[::-1])} for q, xs in rows.items()}


@pytest.mark.parametrize("grades", [(0, 1), (0, 1, 2), (0, 0.5, 1)])
@pytest.mark.parametrize("run", [cut(2, 10), cut(2, 100), cut(1, 10, 9), cut(1, 100, 9)])
def test_rounded_scores_in_the_other_order_are_refused(run, grades):
    numbers = "half points" if 0.5 in grades else "whole numbers"
    with pytest.raises(lf.SchemaError, match=rf"few {numbers} \(0 to [12]\).* changed places"):
        lf.evaluate(sparse(grades), run)


def clicks(least=0, depth=lambda n: 10):
    rnd = random.Random(7)
    rates = {q: [rnd.betavariate(0.5, 3) for _ in range(depth(n))] for n, q in enumerate(sparse())}
    return {
        q: {f"d{n}": round(max(x, least), 2) for n, x in enumerate(of)} for q, of in rates.items()
    }


CLICKED = {q: {d: round(2 * x) for d, x in of.items()} for q, of in clicks().items()}
BOOLEAN = {q: dict.fromkeys(of, 1) for q, of in sparse().items()}


def test_files_and_frames_in_the_other_order_are_refused(tmp_path):
    qrels, run = judgments(), SIMILARITY
    files = [as_json(data, tmp_path / f"{n}.json") for n, data in enumerate((qrels, run))]
    beir = tmp_path / "test.tsv"
    beir.write_text(frame(qrels).write_csv(separator="\t").replace("query_id", "query-id"))
    parquet = tmp_path / "qrels.parquet"
    frame(qrels).write_parquet(parquet)
    for first, second in (
        files,
        (frame(qrels), frame(run)),
        (beir, run),
        (parquet, run),
        (qrels, files[1]),
        ({"a": (qrels, run)}, None),
    ):
        with pytest.raises(lf.SchemaError, match="changed places"):
            lf.evaluate(first, *([] if second is None else [second]))


@pytest.mark.parametrize(
    "runs",
    [
        {"bm25": SIMILARITY, "dense": BM25},
        {"bm25": SIMILARITY},
        [SIMILARITY, BM25],
        (SIMILARITY,),
        {"bm25": frame(SIMILARITY)},
        [frame(SIMILARITY), frame(BM25)],
        ["bm25.run", "dense.run"],
        {"bm25": "runs/bm25.run"},
    ],
)
def test_several_runs_as_judgments_are_refused(runs):
    for call in (*CALLS, lambda _, second: lf.read_qrels(second)):
        with pytest.raises(
            TypeError, match=r"found .*runs.*; .* changed places: .*\(runs, qrels\)"
        ):
            call(judgments(), runs)


@pytest.mark.parametrize(
    "run, qrels",
    [
        (SIMILARITY, judgments()),
        (judgments(), judgments()),  # grades as scores, of another judge
        (ranking(lambda rnd, rank: 10 - rank), SIMILARITY),  # ranks, and grades of a model
        ({"q1": {"a": 3, "b": 2}}, {"q1": {"a": 0.5, "b": 0.75}}),
        ({"q1": {"a": 1, "b": 1}}, {"q1": {"a": 2}}),
        ({"q1": {"a": 1}}, {"q1": {"a": 0.75}}),
        (COUNTED, judgments((0, 1))),
        (judgments((0, 1)), RATINGS),
        (judgments((0, 1)), {q: {d: x / 100 for d, x in of.items()} for q, of in RATINGS.items()}),
        (judgments((0, 1)), judgments([n / 3 for n in range(10)])),  # averages of judges
        ({"q1": {"a": 1, "b": 1}}, {"q1": {"a": 90, "b": 35, "c": 70}}),
        (RATINGS, judgments([n / 3 for n in range(10)])),
        (CLICKED, clicks()),
        (CLICKED, clicks(0.02)),
        (sparse(), clicks()),
        (sparse(), clicks(0.02, lambda n: 10 + n % 5)),
        (BOOLEAN, clicks(0.02)),
        (sparse(), cut(1, 10)),
        ({"named": judgments()}, SIMILARITY),
        (frame(judgments()).with_columns(run=pl.lit("r")), SIMILARITY),
        (
            frame(judgments())
            .sort("score", descending=True)
            .with_columns(rank=pl.int_range(pl.len()) + 1),
            SIMILARITY,
        ),
    ],
)
def test_runs_are_taken_as_they_are_given(run, qrels):
    assert lf.positions(run, qrels).height
