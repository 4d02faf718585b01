"""Evaluation on Spark: every table is that of memory, bit for bit, whatever happens on the way."""

import doctest
import os
import signal
import sys
import types
import warnings
from inspect import signature
from pathlib import Path

import numpy as np
import polars as pl
import polars.testing
import pytest

import lexiframe as lf
from lexiframe.connect.engines.spark import job as spark_job
from lexiframe.core.base.schemas import to_arrow
from tests.conftest import library

MEASURES = ["RPP", "LR", "AP", "nDCG@10", "RR", "RR>LR"]
NOT_KEPT = ("scores", "preferences")


@pytest.fixture(scope="module")
def collection():
    """Runs with many ties, requests that a run did not answer, and answers that nobody judged.

    The last request is judged and not answered by any run; ids of requests are numbers.
    """
    random = np.random.default_rng(0)
    request, document = (grid.ravel() for grid in np.meshgrid(np.arange(40), np.arange(12)))
    rows = pl.DataFrame({"query_id": request, "doc_id": document}).with_columns(
        doc_id=pl.format("d{}", "doc_id")
    )
    runs = [
        rows.sample(fraction=0.7, seed=n, shuffle=True).with_columns(
            run=pl.lit(f"run{n}"), score=pl.col("query_id") * 0 + n % 3
        )
        for n in range(4)
    ]
    runs = pl.concat(runs).with_columns(score=pl.lit(random.integers(0, 4, sum(map(len, runs)))))
    runs = runs.filter((pl.col("run") != "run0") | (pl.col("query_id") > 20)).with_columns(
        score=pl.col("score").cast(pl.Float64)
    )
    grades = rows.with_columns(
        relevance=pl.lit(random.integers(-1, 3, rows.height)).cast(pl.Float64)
    )
    missing = pl.DataFrame({"query_id": [99], "doc_id": ["d1"], "relevance": [1.0]})
    return runs, pl.concat([grades.filter(pl.col("query_id") < 35), missing])


@pytest.fixture(scope="module")
def groups():
    ids = [*range(40), 99]
    return pl.DataFrame({"query_id": ids, "kind": ["odd" if n % 2 else "even" for n in ids]})


def sent(spark, frame):
    return spark.createDataFrame(to_arrow(frame))


def warned(evaluate, *arguments, **options):
    """What is returned, and the warnings of lexiframe on the way, sorted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = evaluate(*arguments, **options)
    return found, sorted(str(w.message) for w in caught if w.category is lf.LexiframeWarning)


def assert_same(e, expected, but=NOT_KEPT):
    """The tables have the same bits: `equals` compares floats as they are."""
    for name, table in expected.tables().items():
        if name not in but:
            assert e.tables()[name].equals(table), name
    assert e.provenance["measures"] == expected.provenance["measures"]


pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:rankings missing")]


@pytest.mark.parametrize("buckets", [None, 3, 50])
def test_every_table_is_that_of_memory(spark, collection, buckets):
    """In one bucket, in some, and in many more than there are requests."""
    runs, qrels = collection
    e = lf.spark.evaluate(spark, sent(spark, runs), sent(spark, qrels), MEASURES, buckets=buckets)
    assert_same(e, lf.evaluate(runs, qrels, MEASURES))


OPTIONS = [
    {"baseline": "run1", "test": ["t", "sign"], "correction": "bh", "alpha": 0.2},
    {"rel": 2, "depth": 5, "no_relevant": "zero", "order": "borda"},
    {"ties": "doc_id_asc", "score_type": "float32", "unjudged": "remove"},
    {"family": "all", "alternative": "greater", "exclude_self": True, "duplicates": "best"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: next(iter(options)))
def test_options_are_those_of_evaluate(spark, collection, options):
    """And so are the warnings."""
    data = awkward(collection) if "duplicates" in options else collection
    e, said = warned(lf.spark.evaluate, spark, *data, MEASURES, buckets=5, **options)
    expected, said_in_memory = warned(lf.evaluate, *data, MEASURES, **options)
    assert_same(e, expected)
    assert said == said_in_memory
    assert e.provenance["policies"] == expected.provenance["policies"]
    assert e.provenance["inference"] == expected.provenance["inference"]


def awkward(collection):
    """The collection with a document twice in each ranking, and one that has its query's id."""
    runs, qrels = collection
    firsts = runs.group_by("run", "query_id", maintain_order=True).first()
    itself = {"doc_id": pl.col("query_id").cast(pl.String)}
    twice = firsts.with_columns(score=pl.col("score") - 1).select(runs.columns)
    runs = pl.concat([runs, twice, firsts.with_columns(**itself).select(runs.columns)])
    own = qrels.unique("query_id", maintain_order=True).with_columns(relevance=2.0, **itself)
    return runs, pl.concat([qrels, own])


def test_measures_of_lists_and_of_all_lists(spark, collection):
    runs, qrels = collection
    items = {"doc_id": [f"d{n}" for n in range(12)], "users": [*range(12)]}
    asked = {"items": lf.read_items(pl.DataFrame(items))}
    asked["measures"] = ["RPP", "nDCG@5", "Novelty@5", "Coverage@3", "Gini@5"]
    frames = sent(spark, runs), sent(spark, qrels)
    e = lf.spark.evaluate(spark, *frames, buckets=3, **asked)
    expected = lf.evaluate(runs, qrels, **asked)
    for name, table in expected.tables(of_requests=False).items():
        pl.testing.assert_frame_equal(e.tables(of_requests=False)[name], table)
    assert e.catalogue.values.height == 8


def test_groups_of_requests(spark, collection, groups):
    e = lf.spark.evaluate(spark, *collection, MEASURES, buckets=5, requests=groups, by="kind")
    assert_same(e, lf.evaluate(*collection, MEASURES, requests=groups, by="kind"))
    assert e.means["kind"].unique().sort().to_list() == ["even", "odd"]


def test_ids_of_both_sides_may_be_text_or_numbers(spark, collection):
    runs, qrels = collection
    texts = runs.with_columns(pl.col("query_id").cast(pl.String))
    e = lf.spark.evaluate(spark, sent(spark, texts), sent(spark, qrels), MEASURES, buckets=3)
    assert_same(e, lf.evaluate(runs, qrels, MEASURES))


def test_a_single_run_has_means(spark, collection):
    runs, qrels = collection
    alone = runs.filter(run="run1")
    assert_same(lf.spark.evaluate(spark, alone, qrels, "AP RR"), lf.evaluate(alone, qrels, "AP RR"))


def test_what_is_doubted_is_said_once(spark):
    """Scores against ranks, by all buckets together, and runs of one score."""
    names = [f"q{n}" for n in range(20)]
    rows = [(q, d, n + 1, 0.5 * n) for q in names for n, d in enumerate("abcd")]
    turned = pl.DataFrame(rows, ["query_id", "doc_id", "rank", "score"], orient="row")
    blind = turned.with_columns(score=1.0)
    named = {"turned": turned, "blind": blind}
    runs = pl.concat(of.with_columns(run=pl.lit(run)) for run, of in named.items())
    qrels = pl.DataFrame({"query_id": names, "doc_id": "a", "relevance": 1.0})
    with pytest.warns(lf.LexiframeWarning) as caught:
        e = lf.spark.evaluate(spark, sent(spark, runs), sent(spark, qrels), "RR P@2", buckets=3)
    assert [str(w.message).partition("; ")[0] for w in caught] == [
        "runs whose ranks and scores disagree: 1 ('turned')"
    ]
    assert "blind has one score for all documents of a request, whose" in " ".join(str(e).split())
    assert e.coverage["P@2_max"].to_list() == [0.5, 0.0]


def test_scores_and_preferences_are_written_by_bucket(spark, collection, tmp_path):
    out = tmp_path / "out"
    e = lf.spark.evaluate(spark, *collection, MEASURES, buckets=6, out=out)
    expected = lf.evaluate(*collection, MEASURES)
    assert_same(e, expected)
    for name, key in (
        ("scores", ["run", "query_id", "measure"]),
        ("preferences", ["query_id", "run_a", "run_b", "measure"]),
    ):
        files = sorted((out / name).iterdir())
        assert 1 < len(files) <= 6
        assert all(file.name.startswith("part-") for file in files)
        written = pl.read_parquet(files).sort(key)
        assert written.equals(getattr(expected, name))
    assert {path.name for path in out.iterdir()} == {"scores", "preferences"}
    with pytest.raises(lf.LexiframeError, match="scores: expected no files of an earlier evaluat"):
        lf.spark.evaluate(spark, *collection, MEASURES, out=out)


def test_provenance_names_the_paths_that_spark_read(spark, collection, tmp_path):
    runs, qrels = collection
    paths = {name: tmp_path / f"{name}.parquet" for name in ("run1", "run2")}
    for name, path in paths.items():
        runs.filter(run=name).drop("run").write_parquet(path)
    qrels.write_parquet(tmp_path / "qrels.parquet")
    e = lf.spark.evaluate(spark, paths, tmp_path / "qrels.parquet", "AP", buckets=2)
    assert e.provenance["runs"] == [
        {"run": name, "path": str(path)} for name, path in paths.items()
    ]
    assert e.provenance["qrels"] == [{"path": str(tmp_path / "qrels.parquet")}]
    listed = [sent(spark, runs.filter(run="run3")), str(tmp_path / "runs.parquet")]
    runs.filter(run="run1").write_parquet(listed[1])
    e = lf.spark.evaluate(spark, listed, sent(spark, qrels), "AP", buckets=2)
    assert (e.provenance["runs"], e.provenance["qrels"]) == ([{"path": listed[1]}], [])
    assert e.means["run"].unique().sort().to_list() == ["run1", "run3"]


def test_a_run_without_rows_is_refused(spark, collection):
    """As in memory; and runs that are given by name may be Spark's and others."""
    runs, qrels = collection
    frames = {name: runs.filter(run=name).drop("run") for name in ("run1", "run2")}
    given = {name: sent(spark, frame) for name, frame in frames.items()}
    given["run2"] = frames["run2"]
    e, said = warned(lf.spark.evaluate, spark, given, qrels, MEASURES, buckets=2)
    expected, said_in_memory = warned(lf.evaluate, frames, qrels, MEASURES)
    assert_same(e, expected)
    assert said == said_in_memory
    frames["empty"] = runs.clear().drop("run")
    given["empty"] = sent(spark, frames["empty"])
    with pytest.raises(lf.LexiframeError, match=r"found no rows of 1 .*empty"):
        lf.spark.evaluate(spark, given, qrels, MEASURES, buckets=2)
    with pytest.raises(lf.LexiframeError, match=r"found no rows of 1 .*empty"):
        lf.evaluate(frames, qrels, MEASURES)


# --- Errors -------------------------------------------------------------------------------------


def test_bad_data_are_the_error_of_the_reader(spark, collection, tmp_path, capfd):
    """And neither a stack trace nor half a data set."""
    runs, qrels = collection
    twice = pl.concat([runs, runs.filter(run="run2", query_id=30).head(1)])
    with pytest.raises(
        lf.LexiframeError, match="occurs more than once in the ranking for query '30'"
    ) as caught:
        lf.spark.evaluate(spark, twice, qrels, "AP", buckets=5, out=tmp_path / "out")
    assert "Traceback" not in str(caught.value)
    assert "java" not in capfd.readouterr().err
    assert not [*tmp_path.iterdir()]
    missing = runs.with_columns(score=pl.when(pl.col("query_id") != 8).then("score"))
    with pytest.raises(lf.SchemaError, match="expected a number in score of every row, found none"):
        lf.spark.evaluate(spark, missing, qrels, "AP", buckets=5)


def test_arguments_are_checked_before_spark_does_anything(collection):
    from lexiframe import spark

    with pytest.raises(lf.LexiframeError, match="buckets: expected a whole number from 1, found 0"):
        spark.evaluate(None, *collection, buckets=0)
    with pytest.raises(
        lf.LexiframeError, match=r"ties: .* order of rows, which data frames of Spark do not have"
    ):
        spark.evaluate(None, *collection, ties="input")
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'APP'"):
        spark.evaluate(None, *collection, "APP")
    with pytest.raises(lf.LexiframeError, match=r"expected keep to be one of .* found 'score'"):
        spark.evaluate(None, *collection, "AP", keep="score")


OF_EACH = {"rel": "float", "depth": "int", "no_relevant": "NoRelevant"}
MAPPED = {name: f" | Mapping[str, {of}]" for name, of in OF_EACH.items()}
"""What options take of several collections, which Spark has not."""


def test_the_signature_has_the_options_of_evaluate():
    """With their defaults; but for what has no meaning there."""
    names = signature(lf.evaluate).parameters
    there = signature(lf.spark.evaluate).parameters
    assert {*names} - {*there} == {
        "reuse", "memory", "resume", "replicates", "seeds", "ranked_by"
    }  # fmt: skip
    assert [*there][-3:] == ["shares", "requests", "by"]
    for name in {*names} & {*there} - {"runs", "qrels", "keep"}:
        assert there[name].default == names[name].default, name
        if name not in ("requests", "measures", "out"):
            of_one_collection = names[name].annotation.replace(MAPPED.get(name, "no mapping"), "")
            assert there[name].annotation == of_one_collection, name
    with pytest.raises(TypeError, match=r"evaluate\(\) got an unexpected keyword .* 'replicates'"):
        lf.spark.evaluate(None, None, None, replicates="run")


def test_the_session_comes_first(spark_home, collection):
    with pytest.raises(TypeError, match="spark: expected a SparkSession, found NoneType"):
        lf.spark.evaluate(None, *collection)
    stopped = types.SimpleNamespace(createDataFrame=None, _sc=types.SimpleNamespace(_jsc=None))
    with pytest.raises(lf.LexiframeError, match="a running session, found one that was stopped"):
        lf.spark.evaluate(stopped, *collection)


def test_without_pyspark_the_error_names_the_extra(monkeypatch, collection):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(
        lf.LexiframeError, match=r"Spark needs PySpark, which is not .*'lexiframe\[spark\]'"
    ):
        lf.spark.evaluate(None, *collection)


def test_an_old_pyspark_is_refused(monkeypatch, collection):
    monkeypatch.setitem(sys.modules, "pyspark", types.SimpleNamespace(__version__="3.5.1"))
    with pytest.raises(lf.LexiframeError, match=r"expected PySpark 4 or later, found 3\.5\.1"):
        lf.spark.evaluate(None, *collection)


def test_executors_without_lexiframe_are_an_error(monkeypatch):
    function = spark_job.executor_call("_row_of", b"", lf.__version__)
    monkeypatch.setitem(sys.modules, "lexiframe", None)
    row = function(None, None, None).to_pylist()[0]
    assert "found none (import of lexiframe halted" in row["message"]


def test_runs_need_rows_and_names(spark, collection):
    runs, qrels = collection
    with pytest.raises(lf.SchemaError, match="expected the rows of rankings, found no rows"):
        lf.spark.evaluate(spark, sent(spark, runs.clear()), qrels, "AP")
    unnamed = runs.with_columns(run=pl.when(pl.col("query_id") > 1).then("run"))
    with pytest.raises(lf.SchemaError, match="the name of a run in every row, found none in"):
        lf.spark.evaluate(spark, sent(spark, unnamed), qrels, "AP")


def test_judgments_of_no_or_of_other_requests(spark, collection):
    runs, qrels = collection
    with pytest.raises(lf.LexiframeError, match="qrels: expected judgments, found no rows"):
        lf.spark.evaluate(spark, runs, sent(spark, qrels.clear()), "AP", buckets=1)
    others = qrels.with_columns(query_id=pl.format("q{}", "query_id"))
    with pytest.raises(
        lf.LexiframeError,
        match=r"the runs answer '0', '1', .*, \.\.\., the qrels have 'q0', .*cause: a prefix",
    ):
        lf.spark.evaluate(spark, runs, others, "AP", buckets=3)


def test_a_module_that_executors_lack_is_an_error():
    """The pickle names a module that is not there, as that of a measure in a notebook's file."""
    library("pyspark")
    with pytest.raises(lf.LexiframeError, match=r"executors cannot load the measures .*nowhere"):
        spark_job._loaded(b"cnowhere\nmeasure\n.")


def test_an_address_is_no_shared_folder(spark, collection):
    with pytest.raises(lf.LexiframeError, match="all executors share, found the address s3://a/b"):
        lf.spark.evaluate(spark, *collection, "AP", out="s3://me:secret@a/b")


# --- Processes that are killed ------------------------------------------------------------------


def killing(marker, generation):
    """A preference that kills its process, or one above it, the first time it is computed.

    The Python of a task is generation 0, the daemon that forked it 1, and the Java of the executor
    2. The function is local, so that executors need not have this module.
    """

    def kills(p):
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            process = os.getpid()
            for _ in range(generation):
                status = Path(f"/proc/{process}/stat").read_text()
                process = int(status.rpartition(")")[2].split()[1])
            Path(marker).write_text(str(process))
            os.kill(process, signal.SIGKILL)
        found = (p <= 10).sum(axis=1)
        return np.sign(found[:, None] - found[None, :])

    return lf.MatrixPreference("kills", kills)


@pytest.mark.skipif(sys.platform != "linux", reason="finds the process to kill in /proc")
def test_a_killed_python_changes_nothing(spark, collection, tmp_path):
    measures = ["AP", killing(str(tmp_path / "marker"), 0)]
    out = tmp_path / "out"
    e = lf.spark.evaluate(spark, *collection, measures, buckets=9, out=out)
    assert int((tmp_path / "marker").read_text()) != os.getpid()
    expected = lf.evaluate(*collection, measures)
    assert_same(e, expected)
    written = pl.read_parquet(out / "preferences" / "*.parquet")
    assert written.sort("query_id", "run_a", "run_b", "measure").equals(expected.preferences)


def test_a_python_that_always_dies_is_an_error_that_says_what_to_do(spark, collection):
    def dies(p):
        os._exit(1)

    measure = lf.MatrixPreference("dies", dies)
    with pytest.raises(lf.LexiframeError, match=r"Spark gave up.*more buckets than 2 \(buckets=\)"):
        lf.spark.evaluate(spark, *collection, measure, buckets=2)


# --- The guide ----------------------------------------------------------------------------------


def test_the_example_of_the_docstring_runs(spark):
    text = lf.spark.evaluate.__doc__.replace("# doctest: +SKIP", "")
    example = doctest.DocTestParser().get_doctest(text, {"spark": spark}, "evaluate", None, None)
    assert example.examples
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=flags).run(example).failed == 0


TRAFFIC = pl.DataFrame(
    {"query_id": [*range(40), 99], "traffic": [n % 7 for n in [*range(40), 99]]}
).with_columns(kind=pl.col("query_id").mod(2).replace_strict({0: "even", 1: "odd"}))


@pytest.mark.parametrize(
    "how",
    [{"weights": "traffic", "by": "kind"}, {"strata": "kind", "shares": {"odd": 3, "even": 1}}],
    ids=["weights", "strata"],
)
def test_requests_with_weights(spark, collection, tmp_path, how):
    frames, how = [sent(spark, frame) for frame in collection], {"requests": TRAFFIC, **how}
    e = lf.spark.evaluate(spark, *frames, MEASURES, buckets=7, out=tmp_path / "out", **how)
    expected = lf.evaluate(*collection, MEASURES, **how)
    assert_same(e, expected)
    assert e.provenance["weights"] == expected.provenance["weights"]
    written = pl.read_parquet(tmp_path / "out/scores/*.parquet")
    assert written.sort("run", "query_id", "measure").equals(expected.scores)
    assert "request_weight" in written.columns


def test_more_preferences_than_the_driver_can_take(spark, collection, monkeypatch):
    how = {"weights": "traffic", "requests": TRAFFIC, "buckets": 7}
    monkeypatch.setattr(spark_job, "_COPIES", 2**50)
    with pytest.raises(lf.LexiframeError, match=r"\(6 pairs × 36 .*, which go to the driver, need"):
        lf.spark.evaluate(spark, *collection, MEASURES, **how)
    monkeypatch.setattr(spark_job, "parse_memory", lambda _: 1)
    with pytest.raises(lf.LexiframeError, match=r"driver\.maxResultSize is 1g: raise it"):
        lf.spark.evaluate(spark, *collection, MEASURES, **how)
