"""``lexiframe overlap``: what it prints and writes, and what it refuses."""

import csv
import io
import json

import polars as pl
import pytest

import lexiframe as lf

EXAMPLE = lf.bundled("example")
RUNS = EXAMPLE / "runs"
PAIR = ("pca8_euclidean", "random")


@pytest.fixture
def overlap(monkeypatch, lexiframe):
    """Run the command; its messages are not wrapped."""
    monkeypatch.setenv("COLUMNS", "100")

    def main(*arguments):
        outcome = lexiframe("overlap", *arguments)
        return outcome.status, outcome.out, outcome.said

    return main


def test_it_prints_the_mean_of_each_pair_the_lowest_first(overlap):
    status, out, _ = overlap(RUNS, "-m", "RBO(p=0.9),Jaccard@10", "--format", "csv")
    rows = [*csv.DictReader(io.StringIO(out))]
    table = lf.overlap(RUNS, ["RBO(p=0.9)", "Jaccard@10"])
    means = table.group_by("measure", "run_a", "run_b").agg(pl.col("value").mean(), n=pl.len())
    assert status == 0
    assert [float(row["mean"]) for row in rows] == means.sort("measure", "value")["value"].to_list()
    assert {row["n"] for row in rows} == {"5"}
    _, out, _ = overlap(RUNS)
    lines = out.splitlines()
    title = lines.index("Mean overlap of the rankings of 5 requests, 1: the same")
    assert lines[0].startswith("By Jaccard@10, pca8_euclidean and pixels_euclidean are most alike")
    lines = lines[title:]
    assert lines[2].split()[1:-1] == ["run_a", "run_b", "Jaccard@10", "RBO(p=0.9)"]
    assert [line.split()[3:5] for line in lines[4:7]] == [
        ["0.022", "0.044"],
        ["0.033", "0.050"],
        ["0.646", "0.719"],
    ]
    assert "By RBO(p=0.9), pca8_euclidean and pixels_euclidean are most alike (mean 0.7194" in out


def test_many_pairs_are_cut_in_the_middle(tmp_path, overlap):
    for n in range(10):
        lines = (f"q Q0 d{(7 * n + k) % 11} {k} {-k} t\n" for k in range(9))
        (tmp_path / f"{n}.run").write_text("".join(lines))
    _, out, err = overlap(tmp_path, "-m", "RBO")
    assert "40 of 45 pairs are shown, those least and most alike by RBO(p=0.9)" in err
    assert out.count("│") == 2 * 41
    _, out, err = overlap(tmp_path, "-m", "RBO", "--format", "csv")
    assert (len(out.splitlines()), err) == (46, "")


def test_it_writes_the_values_of_all_requests(tmp_path, overlap):
    path = tmp_path / "overlap.parquet"
    status, _, err = overlap(RUNS, "-m", "tau@5", "-o", path)
    assert (status, err) == (0, f"wrote {path}")
    assert pl.read_parquet(path).equals(lf.overlap(RUNS, "tau@5"))
    assert json.loads(pl.read_parquet_metadata(path)["lexiframe"])["table"] == "overlap"


def test_both_tops_of_two_runs(overlap):
    options = ["--contrast", *PAIR, "--top", "3", "--qrels", EXAMPLE / "qrels.txt"]
    status, out, _ = overlap(RUNS, *options, "--number", "2")
    assert status == 0
    assert "In request q0206, the first 3 documents of pca8_euclidean and random have 0 in" in out
    assert "Relevant among these: 3 of pca8_euclidean, 0 of random." in " ".join(out.split())
    assert "│ place  pca8_euclidean  in random  relevance_a  random  in pca8_euclidean" in out
    assert out.count("In request") == 2
    _, out, _ = overlap(RUNS, *options, "-m", "Jaccard@5,RBO", "--format", "json")
    c = lf.contrasting(RUNS, *PAIR, "Jaccard@5", n=3, depth=3, qrels=EXAMPLE / "qrels.txt")
    assert json.loads(out) == c.to_dicts()


def test_groups_and_policies(tmp_path, overlap):
    table = lf.overlap(RUNS, "RBO")
    kinds = pl.DataFrame({"query_id": table["query_id"].unique().sort(), "kind": [*"xyxyy"]})
    kinds.write_csv(tmp_path / "kinds.csv")
    groups = ["--requests", tmp_path / "kinds.csv", "--by", "kind"]
    _, out, _ = overlap(RUNS, "-m", "RBO", *groups, "--format", "json")
    by_kind = table.join(kinds, on="query_id").group_by("kind", "run_a", "run_b")
    expected = by_kind.agg(mean=pl.col("value").mean()).sort("kind", "mean")
    assert [row["mean"] for row in json.loads(out)] == pytest.approx(expected["mean"].to_list())
    _, out, _ = overlap(RUNS, "-m", "RBO", *groups)
    assert "By RBO(p=0.9) for kind = x, " in out
    for name, order in (("a", "ab"), ("b", "ba")):
        lines = (f"q Q0 {d} {n} 1.0 t\n" for n, d in enumerate(order))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    runs = [tmp_path / "a.run", tmp_path / "b.run", "-m", "tau", "--format", "csv"]
    assert overlap(*runs)[1].splitlines()[1] == "tau,a,b,1.0,1"
    assert overlap(*runs, "--ties", "rank")[1].splitlines()[1] == "tau,a,b,-1.0,1"


WRONG = {
    "unknown measure of overlap 'Jacard'; did you mean Jaccard": (1, RUNS, "-m", "Jacard"),
    "overlap: expected at least two runs, found 1": (1, RUNS / "random.run"),
    "unknown run 'rnd'": (1, RUNS, "--contrast", "rnd", "random"),
    "--top says what --contrast shows; add --contrast A B": (2, RUNS, "--top", "3"),
    "--number says what --contrast shows": (2, RUNS, "--number", "3"),
    "--qrels says what --contrast shows": (2, RUNS, "--qrels", "q.txt"),
    "expected a file name that ends in .parquet": (1, RUNS, "-o", "overlap.txt"),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_it_refuses(overlap, message):
    status, *arguments = WRONG[message]
    found, out, err = overlap(*arguments)
    assert (found, out) == (status, "")
    assert message in err


def test_it_replaces_nothing_that_it_reads(tmp_path, overlap):
    path = tmp_path / "run.csv"
    path.write_text("query_id,doc_id,score\nq,a,1\n")
    status, _, err = overlap(path, RUNS, "-o", path)
    assert status == 1
    assert "would replace the file that is read" in err


@pytest.mark.parametrize("option,name", [("--number", "n"), ("--top", "depth")])
def test_none_of_them_is_not_the_default(overlap, option, name):
    status, out, err = overlap(RUNS, "--contrast", *PAIR, option, 0)
    assert (status, out) == (1, "")
    assert name in err
    assert "whole number from 1, found 0" in err


def test_the_pairs_shown_of_many_are_the_ends_of_all_groups(overlap, tmp_path):
    """Of 9 runs 20 pairs have nothing in common in "short", and 16 are the same."""
    rows = ["run,query_id,doc_id,score"]
    for n in range(9):
        rows += [f"r{n},a,shared,2", f"r{n},a,d{n},1"]
        rows += [f"r{n},b,{'even' if n % 2 else 'odd'}{d},{d}" for d in (1, 2)]
    (tmp_path / "runs.csv").write_text("\n".join(rows))
    (tmp_path / "kinds.csv").write_text("query_id,kind\na,long\nb,short\n")
    options = [tmp_path / "runs.csv", "--requests", tmp_path / "kinds.csv", "--by", "kind"]
    status, out, err = overlap(*options, "-m", "Jaccard")
    shown = [line.split()[1] for line in out.splitlines() if line.startswith("│ ")][1:]
    assert (status, shown.count("long"), shown.count("short")) == (0, 4, 36)
    assert "40 of 72 pairs are shown, those least and most alike by Jaccard" in err
    status, out, err = overlap(*options, "-m", "tau")
    assert (status, "16 of 72 pairs" in err, "—" in out) == (0, True, False)
