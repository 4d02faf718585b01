"""Files that can be read as judgments and are something else: interactions, times ..."""

from __future__ import annotations

import random

import polars as pl
import pytest

import lexiframe as lf

TIME = 1_400_000_000


def interactions(seed: int = 0) -> list[tuple[int, int, int, int]]:
    """Return users, items, ratings and times at random, each user with other items."""
    rnd = random.Random(seed)
    return [
        (user, item, rnd.randint(1, 5), TIME + rnd.randrange(10**6))
        for user in range(1, 9)
        for item in rnd.sample(range(1, 80), 6)
    ]


def text(rows, separator="\t"):
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


MILLISECONDS = [(user, item, time * 1000) for user, item, _, time in interactions()]
DATES = [(user, item, rating, 20240100 + user) for user, item, rating, _ in interactions()]
RATINGS_LAST = [(user, item, time, rating) for user, item, rating, time in interactions()]
WEIGHTS = [(user, item, rating, 0.5) for user, item, rating, _ in interactions()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows, found, names",
    [
        (interactions(), "14000.* as the least, as times are", "user_id item_id rating timestamp"),
        (MILLISECONDS, "14000.* as the least", "user_id item_id timestamp"),
        (DATES, "20240101 as the least", "user_id item_id rating timestamp"),
        (
            RATINGS_LAST,
            "as times are, and .* values in field 2",
            "user_id item_id timestamp rating",
        ),
        (
            WEIGHTS,
            r"5 numbers \(1 to 5\), and .* values in field 2",
            "user_id item_id rating other",
        ),
        (
            [(user, item, 1, 0.5) for user, item, *_ in interactions()],
            r"found 1 number \(1\), and .* values in field 2",
            "user_id item_id rating other",
        ),
        ([(0, 5, 17), (1, 5, 9)], "another query in each line, from 0 on, and numbers", "user_id"),
        ([(0, 5, 17, 8), (2, 6, 9, 31)], "another query in each line", "user_id item_id"),
    ],
)
def test_interactions_are_refused_with_the_names_that_read_them(tmp_path, rows, found, names):
    path = tmp_path / "u.data"
    path.write_text(text(rows))
    with pytest.raises(lf.ReadError, match=f"{found}.*{names}.*header=True"):
        lf.read_qrels(path)
    with pytest.raises(lf.ReadError, match=names):
        lf.evaluate({"r": {"1": {"1": 1.0}}}, path, "AP")
    listed = lf.check_qrels(path)
    assert listed["problem"].to_list() == ["doubt"]
    assert names in listed["advice"][0]


@pytest.mark.parametrize("separator", [", ", "; ", " , "])
@pytest.mark.parametrize("rows", [[(1, 7, 1), (2, 9, 0)], [(1, 0, 7, 1), (2, 0, 9, 0)]])
def test_ids_that_end_with_a_separator_are_refused(tmp_path, rows, separator):
    path = tmp_path / "q.txt"
    path.write_text(text(rows, separator))
    if separator == " , ":  # then separators are fields of their own, as no line of judgments has
        with pytest.raises(lf.ReadError, match="expected 4 fields"):
            lf.read_qrels(path)
        return
    with pytest.raises(lf.ReadError, match=r"'1[,;]', .* end with a separator; .*query_id,doc_id"):
        lf.read_qrels(path)
    with pytest.raises(lf.ReadError, match=r"end with a separator; .*query_id,doc_id,score"):
        lf.read_runs(path, third="score")
    assert lf.check_qrels(path)["problem"].to_list() == ["doubt"]


@pytest.mark.parametrize(
    "lines, advice",
    [
        ("1::7::5::1400000000\n1::9::3::1400000001\n", "user_id,item_id,rating,timestamp"),
        ("0 4\n0 9\n", "user_id item_id on top"),
        ("0 4 9 12 5\n1 3 8 2 6\n", "write a line for each user and item"),
        ("0 4 9 12 5 7 3\n1 3 8 2 6\n", "write a line for each user and item"),
    ],
)
def test_lines_of_recommenders_are_named(tmp_path, lines, advice):
    path = tmp_path / "train.txt"
    path.write_text(lines)
    with pytest.raises(lf.ReadError, match=advice):
        lf.read_qrels(path)


SMART = "{:6d} {:6d}\t0\t0.000000\n"


@pytest.mark.parametrize(
    "lines",
    [
        SMART.format(1, 28) + SMART.format(1, 35) + SMART.format(2, 29),
        "01 1410  0 0\n01 1572  0 0\n01 1605  0 0\n",
        "q7 doc-9 1 0\nq7 doc-3 1 0\nq8 doc-3 1 0\n",
    ],
)
def test_judgments_of_smart_collections_are_refused(tmp_path, lines):
    path = tmp_path / "CISI.REL"
    path.write_text(lines)
    with pytest.raises(lf.ReadError, match=r"in all lines, grade 0, and .* values in field 2"):
        lf.read_qrels(path)
    assert lf.check_qrels(path)["problem"].to_list() == ["doubt"]


def test_check_lists_judgments_without_rows(tmp_path):
    table, empty, packed = (tmp_path / name for name in ("q.csv", "q.parquet", "q.arrow"))
    table.write_text("query,docid,rating\n")
    none = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "grade": pl.Float64})
    none.write_parquet(empty)
    none.write_ipc(packed)
    for path in (table, empty, packed):
        assert lf.check_qrels(path).select("expected", "found").rows() == [("judgments", "no rows")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "grades, said",
    [
        ([1.0, -3.7, 4.2], "grades go down to -3.7"),
        ([1.0, -0.25, 0.0], "negative='not relevant'"),
        ([1.0, -10.0, 8.0], "grades go down to -10"),
        ([9e8, 9.5e8], "all grades are 900000000 or greater, as times are"),
        ([float(n * 37 + 5) for n in range(12)], "nearly all of the 12 grades are different"),
    ],
)
def test_grades_that_may_be_something_else_are_named(tmp_path, grades, said):
    qrels = {"q": {f"d{n}": grade for n, grade in enumerate(grades)}}
    run = {"r": {"q": {"d0": 1.0}}}
    for call in (
        lambda: lf.read_qrels(qrels),
        lambda: lf.positions(run, qrels),
        lambda: lf.coverage(run, qrels),
        lambda: lf.evaluate(run, qrels, "AP"),
        lambda: lf.evaluate(run, qrels, "AP", memory="1GB"),
    ):
        with pytest.warns(lf.LexiframeWarning, match=said):
            call()
    path = tmp_path / "q.csv"
    path.write_text("query,doc,grade\n" + text([("q", d, g) for d, g in qrels["q"].items()], ","))
    assert lf.check_qrels(path)["problem"].to_list() == ["doubt"]


def test_grades_below_0_that_are_taken_for_judged_are_not_doubted():
    read = lf.read_qrels({"q": {"a": -3.5, "b": 2.0}}, negative="not relevant")
    assert read["relevance"].to_pylist() == [0.0, 2.0]


@pytest.mark.parametrize(
    "lines",
    [
        "q1 0 d1 1\n",  # one judgment
        "1 77 250\n2 81 12\n",  # numbers of clicks, one document a query
        "1 0 77 250\n2 0 81 12\n",
        "0 0 77 250\n1 0 81 12\n",
        "0 77 3\n1 77 1\n",
        "1 1 1 1\n1 2 1 1\n",  # a document that serves two subtopics
        "1 1 9 0\n1 2 9 0\n",
        "q 1 d 1\nq 2 d 1\nq 3 d 0\n",
        "q 1 a 1\nq 1 b 1\nq 2 a 1\n",  # documents that share subtopics
        "1 0 2 -2\n1 0 3 -1\n1 0 4 1\n",  # spam
        "1 1 1400000000 1\n1 2 1400000001 0\n",  # long ids
        *["".join(f"{q} {n} {n % 5} {n % 3}\n" for q in "12" for n in range(15))],  # counted
        "".join(f"{q} {n % 7} {n} {n % 2}\n" for q in "12" for n in range(30)),  # iterations
        "".join(f"1 0 {n} {n * n % 997}\n" for n in range(9)),  # counts
        "".join(f"1 0 {n} {n * n % 40}\n" for n in range(60)),
        "".join(f"1 0 {n} {n / 61}\n" for n in range(60)),  # shares
    ],
)
def test_judgments_are_not_doubted(tmp_path, lines):
    path = tmp_path / "qrels.txt"
    path.write_text(lines)
    read = lf.read_qrels(path)
    assert read.num_rows == len(lines.splitlines())
    assert not lf.check_qrels(path).height
