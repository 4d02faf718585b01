"""`evaluate`: all tables at once, the same bytes every time, whole or not at all."""

import hashlib
import io
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from pyarrow import parquet

import lexiframe as lf
from lexiframe import evaluation
from lexiframe.io.files.provenance import provenance_of
from lexiframe.io.files.sources import File

EXAMPLE = lf.bundled("example")
QRELS, RUNS = EXAMPLE / "qrels.txt", EXAMPLE / "runs"
FILES = sorted(RUNS.iterdir())
MEASURES = ["RPP", "dcgRPP", "LR", "rrLP", "AP", "nDCG@10", "RBP(p=0.5)"]


def contents(folder):
    """Name and bytes of every file, hidden ones too."""
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def written(folder, runs=RUNS, qrels=QRELS, **options):
    lf.evaluate(runs, qrels, MEASURES, **options).write(folder)
    return contents(folder)


# --- What the tables are ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def evaluated():
    return lf.evaluate(RUNS, QRELS, MEASURES, alpha=0.1, correction="bonferroni", order="borda")


def test_tables_are_those_of_the_functions(evaluated):
    p = lf.positions(RUNS, QRELS)
    s, d = lf.scores(p, MEASURES[4:]), lf.preferences(p, MEASURES)
    by_mean = lf.order_runs(s, "mean")
    by_borda = lf.order_runs(d.filter(pl.col("measure").is_in(MEASURES[:4])), "borda")
    o = pl.concat([by_mean, by_borda]).sort("measure", "method", "rank", "run")
    c = lf.compare(d, correction="bonferroni", alpha=0.1)
    expected = {
        "coverage": lf.coverage(RUNS, QRELS),
        "scores": s,
        "preferences": d,
        "win_rates": lf.win_rates(d),
        "orderings": o,
        "correlations": lf.rank_correlations(o),
        "tie_rates": lf.tie_rates(d),
        "sign_agreement": lf.sign_agreement(d),
        "comparisons": c,
        "power": lf.discriminative_power(c, 0.1),
    }
    assert list(evaluated.tables()) == list(expected)
    for name, table in expected.items():
        assert table.height > 0
        assert evaluated.tables()[name].equals(table), name
        assert getattr(evaluated, name) is evaluated.tables()[name]


def test_policies_reach_the_tables(tmp_path):
    qrels = pl.DataFrame(
        {"query_id": ["1", "1", "2"], "doc_id": list("aba"), "relevance": [1, 2, 1]}
    )
    rows = {"doc_id": ["a", "b", "b"], "score": [1.0, 1.0, 1.0], "rank": [1, 2, 3]}
    one = pl.DataFrame({"run": "x", "query_id": "1", **rows})
    with pytest.warns(lf.LexiframeWarning, match=r"rankings missing.*: 1; requests without a rel"):
        e = lf.evaluate(one, qrels, "RR", rel=2, ties="rank", no_relevant="zero", duplicates="best")
    assert e.scores.select("query_id", "value").rows() == [("1", 1 / 2), ("2", 0.0)]
    assert e.coverage["duplicates"].to_list() == [1]
    policies = dict(ties="rank", no_relevant="zero", duplicates="best")
    assert e.provenance["policies"] == {
        "rel": 2,
        "score_type": "float64",
        "unjudged": "keep",
        "depth": None,
        "exclude_self": False,
        **policies,
    }


def test_unjudged_documents_are_removed_from_every_table():
    qrels = pl.DataFrame({"query_id": "1", "doc_id": ["b"], "relevance": [1]})
    runs = pl.DataFrame({"run": "x", "query_id": "1", "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    with pytest.warns(lf.LexiframeWarning, match="rows of unjudged documents, removed: 1"):
        e = lf.evaluate(runs, qrels, "RR", unjudged="remove")
    assert e.scores["value"].to_list() == [1.0]
    assert e.coverage["retrieved"].to_list() == [1]
    assert e.provenance["policies"]["unjudged"] == "remove"


@pytest.mark.parametrize("score_type, value", [("float64", 1 / 2), ("float32", 1.0)])
def test_how_scores_are_compared_reaches_the_tables(score_type, value):
    near = {"doc_id": ["a", "b"], "score": [1 + 2.0**-40, 1.0]}
    qrels = pl.DataFrame({"query_id": "1", "doc_id": ["b"], "relevance": [1]})
    runs = pl.DataFrame({"run": "x", "query_id": "1", **near})
    e = lf.evaluate(runs, qrels, "RR", score_type=score_type)
    assert e.scores["value"].to_list() == [value]


def test_a_metric_and_a_preference_of_ones_own_are_in_every_table():
    inverse_root = lf.RecallLevelMetric(
        "inverse_root", exposure=lambda p: 1 / p.sqrt(), weight=lambda i, m: 1 / m
    )
    late = lf.LevelPreference("late", weight=lambda i, m: i / m)
    deep = lf.LexicographicPreference("deep", "recall", magnitude=lambda p: 1 / p.sqrt())
    mine = ["inverse_root@10", "late", "deep"]
    e = lf.evaluate(RUNS, QRELS, [inverse_root @ 10, late, deep, "AP", "LR"])
    assert set(e.scores["measure"]) == {"inverse_root@10", "AP"}
    for name in ("preferences", "win_rates", "orderings", "tie_rates", "comparisons", "power"):
        assert set(mine) <= set(e.tables()[name]["measure"]), name
    for name, columns in [
        ("correlations", ("ordering_a", "ordering_b")),
        ("sign_agreement", ("measure_a", "measure_b")),
    ]:
        table = e.tables()[name]
        assert set(mine) <= {*table[columns[0]], *table[columns[1]]}, name
    assert all(name in str(e) and name in e._repr_html_() for name in mine)
    by_hand = e.scores.filter(measure="inverse_root@10")["value"]
    p = lf.positions(RUNS, QRELS).with_columns(pl.col("position").fill_null(99))
    sums = p.group_by("run", "query_id", maintain_order=True).agg(
        (pl.col("position").cast(float) ** -0.5 * (pl.col("position") <= 10)).sum()
        / pl.col("n_relevant").first()
    )
    assert by_hand.to_list() == pytest.approx(sums["position"].to_list())


def test_one_run_only():
    e = lf.evaluate(FILES[0], QRELS, ["AP", "RR"])
    assert e.scores.height == 10
    assert e.orderings["rank"].to_list() == [1.0, 1.0]
    two = lf.evaluate(RUNS, QRELS, ["AP", "RR"]).tables()
    about_pairs = set(two) - {"coverage", "scores", "orderings"}
    for name in about_pairs:
        assert e.tables()[name].is_empty()
    for name, table in e.tables().items():
        assert table.schema == two[name].schema
    assert FILES[0].stem in str(e)
    assert "<table" in e._repr_html_()


def test_one_run_has_no_preferences():
    with pytest.raises(
        lf.LexiframeError, match="preferences need at least two runs, found 'random'"
    ):
        lf.evaluate(RUNS / "random.run", QRELS, "RPP")


def test_a_measures_rel_below_that_of_the_evaluation():
    message = r"AP\(rel=1\) counts grades from 1, but rel=2 removes lower grades"
    graded = pl.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": [1, 2]})
    runs = graded.select(pl.lit("x").alias("run"), "query_id", "doc_id", score=1.0)
    with pytest.raises(lf.LexiframeError, match=message):
        lf.evaluate(runs, graded, ["RR", "AP(rel=1)"], rel=2)
    for rel, measure in [(1, "AP(rel=2)"), (2, "AP(rel=2)"), (None, "AP(rel=2)")]:
        e = lf.evaluate(runs, graded, ["RR", measure], rel=rel)
        assert e.scores.filter(measure=measure)["value"].to_list() == [1.0]


@pytest.mark.parametrize(
    "name, value",
    [("test", "z"), ("correction", "fdr"), ("family", "run"), ("alpha", 2), ("order", "best")],
)
def test_arguments_are_checked_before_anything_is_read(name, value):
    with pytest.raises(lf.LexiframeError, match=f"expected.* {name}"):
        lf.evaluate("no.run", "no.qrels", **{name: value})


def test_judgments_from_standard_input_are_read_once(monkeypatch, evaluated):
    data = QRELS.read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    e = lf.evaluate(RUNS, "-", ["RPP"])
    assert e.coverage.equals(evaluated.coverage)
    assert e.provenance["qrels"] == [{"path": "-", "sha256": hashlib.sha256(data).hexdigest()}]


def test_what_is_printed(evaluated):
    text = str(evaluated)
    assert repr(evaluated) == text
    titles = [line for line in text.splitlines() if line and line[0] not in "┌│╞└"]
    assert titles == [
        "Coverage",
        "Ranks of the runs: metrics by mean, preferences by borda",
        "Kendall's τ between the orderings",
        "Ties between rankings of one request",
        "Verdict (t test, bonferroni over the pairs of a measure, α = 0.1)",
    ]
    html = evaluated._repr_html_()
    assert all(f"<h3>{title}</h3>" in html for title in titles)
    tau = evaluated.correlations.filter(ordering_a="AP", ordering_b="LR")["correlation"].item()
    (row,) = (line for line in text.split("\n\n")[2].splitlines() if line.startswith("│ LR "))
    assert row.split()[2 + MEASURES.index("AP")] == f"{tau:.3f}"


def test_the_report_stands_alone(tmp_path, evaluated):
    page = evaluated.report(tmp_path / "report.html").read_text()
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert all(name in page for name in MEASURES)
    assert hashlib.sha256(QRELS.read_bytes()).hexdigest() in page


def test_names_are_escaped_in_html(tmp_path):
    frame = pl.DataFrame({"run": "<b>&", "query_id": "1", "doc_id": ["a"], "score": [1.0]})
    qrels = pl.DataFrame({"query_id": "1", "doc_id": ["a"], "relevance": [1]})
    odd = lf.RecallLevelMetric("<i>", exposure=lambda p: 1 / p, weight=lambda i, m: 1 / m)
    page = lf.evaluate(frame, qrels, odd).report(tmp_path / "x.html").read_text()
    assert "<b>&" not in page
    assert "<i>" not in page
    assert "&lt;b&gt;&amp;" in page


# --- The same bytes -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return written(tmp_path_factory.mktemp("expected"))


def test_writing_twice_gives_the_same_bytes(tmp_path, expected):
    assert written(tmp_path) == expected
    assert written(tmp_path) == expected  # over what is there
    assert len(expected) == 10


@pytest.mark.parametrize(
    "runs, qrels",
    [
        (FILES[::-1], QRELS),
        ([str(RUNS / "r*"), RUNS / "p*"], str(QRELS)),
        (lf.scan_runs(FILES[1:] + FILES[:1]), QRELS),
        (lf.read_runs(RUNS), lf.read_qrels(QRELS)),
        (lf.read_runs(FILES[::-1]), QRELS),
        ({path.stem: path for path in FILES[::-1]}, QRELS),
    ],
    ids=["files reversed", "globs", "scanned", "read", "read, files reversed", "named"],
)
def test_the_order_of_files_and_how_they_are_read_changes_no_byte(tmp_path, expected, runs, qrels):
    assert written(tmp_path, runs, qrels) == expected


def test_frames_give_the_same_rows(expected):
    """Where the files are is all that is lost."""
    runs, qrels = pl.DataFrame(lf.read_runs(RUNS)), pl.DataFrame(lf.read_qrels(QRELS))
    e = lf.evaluate(runs.sample(fraction=1, shuffle=True, seed=1), qrels.reverse(), MEASURES)
    for name, table in e.tables().items():
        assert pl.read_parquet(expected[f"{name}.parquet"]).equals(table), name
    assert e.provenance["runs"] == e.provenance["qrels"] == []


WRITE = "import sys, lexiframe as lf; lf.evaluate(*sys.argv[1:3]).write(sys.argv[3])"


@pytest.mark.slow
def test_the_number_of_threads_changes_no_byte(tmp_path):
    """On rankings of 33 runs, which are enough for numpy and Polars to share the work out."""
    folder = lf.bundled("digits")
    for threads in ("1", "3"):
        names = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED")
        settings = dict.fromkeys(names, threads)
        environment = {**os.environ, "PYTHONPATH": str(Path(lf.__file__).parents[1]), **settings}
        paths = folder / "runs", folder / "qrels.parquet", tmp_path / threads
        subprocess.run([sys.executable, "-c", WRITE, *paths], check=True, env=environment)
    assert contents(tmp_path / "1") == contents(tmp_path / "3")


# --- Provenance ---------------------------------------------------------------------------------


def test_runs_are_named_in_the_provenance_as_in_the_tables(tmp_path):
    """A table's column of runs names them, whatever its file is called; so does a tag."""
    runs = lf.read_runs(RUNS)
    path = lf.write_parquet(runs, tmp_path / "all.parquet")
    names = runs["run"].unique().to_pylist()
    e = lf.evaluate(path, QRELS, ["RR"])
    assert e.provenance["runs"] == [
        {"run": name, "path": str(path), "sha256": sha256(path)} for name in names
    ]
    tagged = tmp_path / "file.run"
    tagged.write_text("q0066 Q0 d0006 1 0.5 tag\n")
    scan = lf.scan_runs([tagged], name_from="tag")
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        assert [file["run"] for file in lf.evaluate(scan, QRELS, ["RR"]).provenance["runs"]] == [
            "tag"
        ]


@pytest.mark.parametrize("read", [lf.read_runs, lf.scan_runs])
def test_how_files_are_read_is_in_the_provenance(tmp_path, read):
    """The third column as a score and as a rank gives opposite rankings."""
    path = tmp_path / "a.run"
    path.write_text("q d1 1\nq d2 2\n")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q 0 d1 0,5\n")
    e = lf.evaluate(read(path, third="rank"), lf.read_qrels(qrels, decimal=","), ["RR"])
    (run,), (judged,) = e.provenance["runs"], e.provenance["qrels"]
    assert run == {
        "run": "a",
        "path": str(path),
        "sha256": sha256(path),
        "reading": {"third": "rank"},
    }
    assert judged["reading"] == {"decimal": ","}
    again = lf.read_runs(lf.read_runs(path, third="rank"))
    assert provenance_of(again.schema)["sources"] == [run]


def test_the_file_of_requests_is_in_the_provenance(tmp_path, monkeypatch):
    queries = lf.read_qrels(QRELS)["query_id"].unique().to_pylist()
    text = "query_id,kind\n" + "".join(f"{q},{n % 2}\n" for n, q in enumerate(queries))
    path = tmp_path / "requests.csv"
    path.write_text(text)
    e = lf.evaluate(RUNS, QRELS, ["RR"], requests=path, by="kind")
    assert e.provenance["requests"] == [{"path": str(path), "sha256": sha256(path)}]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    piped = lf.evaluate(RUNS, QRELS, ["RR"], requests="-", by="kind")
    assert piped.orderings.equals(e.orderings)
    assert piped.provenance["requests"] == [{"path": "-", "sha256": sha256(path)}]


def test_files_and_settings_are_in_the_metadata(tmp_path, evaluated):
    for path in evaluated.write(tmp_path):
        facts = provenance_of(parquet.read_schema(path))
        assert facts.pop("table") == path.stem
        assert facts.pop("lexiframe") == lf.__version__
        assert facts == evaluated.provenance
    assert facts["runs"] == [
        {"run": file.stem, "path": str(file), "sha256": sha256(file)} for file in FILES
    ]
    assert facts["qrels"] == [{"path": str(QRELS), "sha256": sha256(QRELS)}]
    assert facts["measures"] == MEASURES
    assert facts["inference"] == {
        "ordering": "borda",
        "test": "t",
        "correction": "bonferroni",
        "family": "measure",
        "alpha": 0.1,
        "alternative": "two-sided",
        "trials": 10_000,
        "seed": 0,
    }
    assert facts["groups"] == []


def test_files_are_hashed_as_they_are_read(monkeypatch):
    """Not by reading them once more: they may have changed since."""
    expected = [sha256(file) for file in FILES]
    again = []
    monkeypatch.setattr(File, "_sha256", lambda file: again.append(file.path) or "later")
    provenance = lf.evaluate(FILES, QRELS, ["RR"]).provenance
    assert [source["sha256"] for source in provenance["runs"]] == expected
    facts = provenance_of(lf.read_runs(FILES).schema)
    assert [source["sha256"] for source in facts["sources"]] == expected
    assert provenance["qrels"] == [{"path": str(QRELS), "sha256": sha256(QRELS)}]
    assert again == []


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- Whole or not at all ------------------------------------------------------------------------


@pytest.mark.parametrize("failing", ["coverage", "preferences", "power"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError()])
def test_when_one_table_cannot_be_written_none_is(tmp_path, monkeypatch, evaluated, failing, error):
    write = evaluation.write_parquet_file

    def fail(path, table, facts):
        write(path, table, facts)
        if facts["table"] == failing:
            raise error

    (tmp_path / "scores.parquet").write_text("from before")
    monkeypatch.setattr(evaluation, "write_parquet_file", fail)
    with pytest.raises(lf.LexiframeError if isinstance(error, OSError) else MemoryError):
        evaluated.write(tmp_path)
    assert contents(tmp_path) == {"scores.parquet": b"from before"}


def test_when_one_table_cannot_be_put_in_place_none_is(tmp_path, evaluated):
    (tmp_path / "scores.parquet").mkdir()
    with pytest.raises(lf.LexiframeError, match=r"scores\.parquet"):
        evaluated.write(tmp_path)
    assert contents(tmp_path) == {}


def test_a_folder_that_cannot_be_written_to(tmp_path, evaluated):
    (tmp_path / "file").write_text("")
    with pytest.raises(lf.LexiframeError, match="file/in: results cannot be written there"):
        evaluated.write(tmp_path / "file" / "in")
    with pytest.raises(lf.LexiframeError, match="file: results cannot be written there"):
        evaluated.report(tmp_path / "file" / "r.html")
    assert contents(tmp_path) == {"file": b""}


def test_a_new_folder_is_made(tmp_path, evaluated):
    paths = evaluated.write(tmp_path / "a" / "b")
    assert paths == [tmp_path / "a" / "b" / f"{name}.parquet" for name in evaluated.tables()]
    for path, table in zip(paths, evaluated.tables().values(), strict=True):
        assert pl.read_parquet(path).equals(table)


def test_a_report_that_fails_leaves_what_was_there(tmp_path, monkeypatch, evaluated):
    def fail(*tables):
        raise MemoryError

    (tmp_path / "r.html").write_text("from before")
    monkeypatch.setattr("lexiframe.views.report.html_page", fail)
    with pytest.raises(MemoryError):
        evaluated.report(tmp_path / "r.html")
    assert contents(tmp_path) == {"r.html": b"from before"}


@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_in_processes_started_afresh(evaluated, start):
    """A forked one would hang: Polars' threads are not there, as the README says."""
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip("not on this system")
    with multiprocessing.get_context(start).Pool(1) as pool:
        p = lf.positions(RUNS, QRELS)
        there = pool.apply_async(lf.preferences, (p, MEASURES)).get(timeout=120)
    assert there.equals(evaluated.preferences)


def test_measures_without_rows_for_some_requests():
    """A measure with a grade of its own has no rows for requests without such an item."""
    qrels = pl.DataFrame(
        {"query_id": ["1", "2", "2"], "doc_id": list("aab"), "relevance": [1, 1, 2]}
    )
    rows = [(run, q, d, s) for run in "xy" for q in "12" for d, s in zip("ab", "21", strict=True)]
    runs = pl.DataFrame(rows, schema=["run", "query_id", "doc_id", "score"], orient="row")
    e = lf.evaluate(runs, qrels, ["AP", "AP(rel=2)", "LR(rel=2)", "RPP"])
    assert e.tie_rates.select("measure", "n").rows() == [
        ("AP", 2),
        ("AP(rel=2)", 1),
        ("LR(rel=2)", 1),
        ("RPP", 2),
    ]
    assert e.scores.filter(measure="AP(rel=2)").select("run", "query_id", "value").rows() == [
        ("x", "2", 0.5),
        ("y", "2", 0.5),
    ]
