"""`evaluate`: all tables at once, the same bytes every time, whole or not at all."""

import hashlib
import io
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import lexiframe as lf
from lexiframe.core.base.schemas import SCORES
from lexiframe.core.evaluation import evaluated_data
from lexiframe.core.io import to_parquet
from lexiframe.core.io.files.provenance import provenance_of
from lexiframe.core.metrics import coverages
from lexiframe.core.orderings.by_request import request_table
from lexiframe.core.significance.baseline import baseline_in_short
from tests.small_tables import preferences

pytestmark = pytest.mark.slow

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
        "coverage": evaluated.coverage,  # which has the bounds of other metrics, too
        "means": evaluated.means,  # see tests/core/orderings/test_means.py
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
    assert evaluated.against_baseline.is_empty()
    usual = lf.coverage(RUNS, QRELS)
    assert evaluated.coverage.select(usual.columns).equals(usual)
    assert list(evaluated.tables()) == [*expected, "against_baseline"]
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
        "exclude": None,
        **policies,
    }


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
    about_pairs = set(two) - {"coverage", "means", "scores", "orderings"}
    for name in about_pairs:
        assert e.tables()[name].is_empty()
    for name, table in e.tables().items():
        assert table.columns == two[name].drop("least_p_adjusted", strict=False).columns
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
    assert e.coverage.equals(evaluated.coverage.select(e.coverage.columns))
    assert e.provenance["qrels"] == [{"path": "-", "sha256": hashlib.sha256(data).hexdigest()}]


MEANS = "Means over 5 requests (RPP, dcgRPP, LR, rrLP: share of requests won), with 90 % intervals"


def test_what_is_printed(evaluated, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    first, text = str(evaluated), evaluated.summary("all")
    assert repr(evaluated) == first
    sentences, means, more = first.split("\n\n")
    assert "pca8_euclidean and pixels_euclidean share the first place by RPP, " in sentences
    assert "pixels_euclidean is first by AP, nDCG@10" in sentences
    assert means.startswith(f"{MEANS}\n")
    assert more.startswith('More: e.summary("all") has ')
    text = str(text)
    assert text.startswith(f"{sentences}\n\n{means}\n\n")
    titles = [part.partition("\n")[0] for part in text.split("\n\n")][1:]
    differ, covered = titles.pop(1), titles.pop()
    how = "t test, bonferroni over the pairs of a measure"
    assert titles == [
        MEANS,
        "Ranks of the runs: metrics by mean, preferences by borda",
        f"Verdict ({how}, α = 0.1, n = 5 requests)",
        "Kendall's τ between the orderings",
        "Ties between rankings of one request (n = 15 pairs of rankings)",
    ]
    assert (differ.split(":")[0], covered.split(":")[0]) == ("The runs differ", "Coverage")
    assert f"<h3>{MEANS}</h3>" in evaluated._repr_html_()
    html = evaluated.summary("all")._repr_html_()
    assert all(f"<h3>{title}</h3>" in html for title in titles)
    tau = evaluated.correlations.filter(ordering_a="AP", ordering_b="LR")["correlation"].item()
    (row,) = (line for line in text.split("\n\n")[5].splitlines() if line.startswith("│ LR "))
    assert row.split()[2 + MEASURES.index("AP")] == f"{tau:.3f}"


def test_the_report_stands_alone(tmp_path, evaluated):
    page = evaluated.report(tmp_path / "report.html").read_text()
    assert "src=" not in page.partition("<script")[0]
    assert "http" not in page.replace("http://www.w3.org", "").replace("http-equiv", "")
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


# --- A baseline -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def digits():
    folder = lf.bundled("digits")
    runs = sorted((folder / "runs").iterdir())[:6]
    return runs, folder / "qrels.parquet"


@pytest.mark.parametrize("place", [0, 3, 5], ids=["first by name", "in between", "last by name"])
def test_all_runs_against_a_baseline(digits, place):
    """Means, tests and counts as NumPy and SciPy compute them from the scores."""
    from scipy.stats import ttest_rel

    names = [path.name.partition(".")[0] for path in digits[0]]
    baseline = names[place]
    e = lf.evaluate(*digits, ["AP", "ASL", "RPP"], baseline=baseline, correction="bonferroni")
    assert e.against_baseline.select("run", "measure").rows() == [
        (name, measure) for measure in ("AP", "ASL", "RPP") for name in names
    ]
    for measure, sign in (("AP", 1), ("ASL", -1)):
        wide = e.scores.filter(measure=measure).pivot("run", index="query_id", values="value")
        ours = wide[baseline].to_numpy()
        for row in e.against_baseline.filter(measure=measure).rows(named=True):
            theirs = wide[row["run"]].to_numpy()
            assert row["mean"] == pytest.approx(theirs.mean())
            if row["run"] == baseline:
                others = set(row) - {"measure", "test", "correction", "run", "mean"}
                assert [row[name] for name in others] == [None] * len(others)
                continue
            gain = sign * (theirs - ours)
            gain[abs(gain) < 1e-9] = 0.0
            p = ttest_rel(theirs, ours).pvalue
            assert row["mean_difference"] == pytest.approx(gain.mean())
            assert row["ci_low"] <= row["mean_difference"] <= row["ci_high"]
            assert row["p_value"] == pytest.approx(p)
            assert row["p_adjusted"] == pytest.approx(min(1.0, 5 * p))
            assert row["reject"] == (row["p_adjusted"] < 0.05)
            counts = [int((gain > 0).sum()), int((gain < 0).sum()), int((gain == 0).sum())]
            assert [row["better"], row["worse"], row["tied"]] == counts
            assert row["n"] == sum(counts) == 60
    of_preferences = e.against_baseline.filter(measure="RPP")
    assert of_preferences["mean"].null_count() == 6
    assert of_preferences["better"].sum() > 0


def test_with_a_baseline_comparisons_and_power_are_of_its_pairs(digits):
    said = {"alternative": "greater", "test": "sign", "correction": "bh"}
    names = [path.name.partition(".")[0] for path in digits[0]]
    baseline = names[2]
    e = lf.evaluate(*digits, ["AP", "LP"], baseline=baseline, **said)
    pairs = e.preferences.filter(pl.col("measure") == "LP")
    assert e.comparisons.equals(lf.compare(e.preferences, baseline=baseline, **said))
    assert e.comparisons["run_b"].unique().to_list() == [baseline]
    assert e.power["n_pairs"].to_list() == [5, 5]
    assert e.win_rates.equals(lf.evaluate(*digits, ["AP", "LP"]).win_rates)
    assert pairs.height == 60 * 15  # orderings need all pairs
    assert e.provenance["inference"]["baseline"] == baseline
    title = f"Against {baseline} (sign test (one-sided: greater), bh over the pairs of a measure, "
    title += "α = 0.05)"
    everything = e.summary("all")
    assert title in " ".join(str(everything).split())
    assert title in everything._repr_html_()
    assert "Verdict" not in str(everything)
    first = f"combsum_fine is significantly better than {baseline} by AP and LP; "
    assert str(e).startswith(first)
    without = lf.evaluate(*digits, ["AP", "LP"], **said).summary("all")
    assert "Against" not in str(without)


def test_a_baseline_within_groups(digits):
    """Counts and means of each group add up to those of all requests."""
    requests = lf.bundled("digits") / "queries.parquet"
    baseline = digits[0][2].name.partition(".")[0]
    said = {"measures": ["AP", "LP"], "baseline": baseline}
    table = lf.evaluate(*digits, **said, requests=requests, by="loop").against_baseline
    whole = lf.evaluate(*digits, **said).against_baseline
    assert table.columns == ["loop", *whole.columns]
    key = ["measure", "run"]
    summed = table.group_by(key).agg(
        pl.col("n", "better", "worse", "tied").sum(),
        mean=(pl.col("mean") * pl.col("n")).sum() / pl.col("n").sum(),
    )
    both = whole.join(summed, on=key).filter(pl.col("run") != baseline)
    assert both.height == 10
    for name in ("n", "better", "worse", "tied"):
        assert both[name].to_list() == both[f"{name}_right"].to_list()
    of_ap = both.filter(measure="AP")
    assert of_ap["mean"].to_list() == pytest.approx(of_ap["mean_right"].to_list())
    assert table.filter(run=baseline).height == 4


def test_the_best_against_the_baseline_comes_first_in_print(digits, monkeypatch):
    """Measures in the order asked for; the baseline where its difference, 0, belongs."""
    names = [path.name.partition(".")[0] for path in digits[0]]
    e = lf.evaluate(*digits, ["RR", "AP"], baseline=names[1])
    shown = baseline_in_short(e.against_baseline, e.provenance["measures"])
    assert shown["measure"].to_list() == ["RR"] * 6 + ["AP"] * 6
    for part in shown.partition_by("measure"):
        gains = part["mean_difference"].fill_null(0.0).to_list()
        assert gains == sorted(gains, reverse=True)
        assert part.filter(run=names[1])["mean_difference"].to_list() == [None]
    assert "n" not in shown.columns
    monkeypatch.setenv("COLUMNS", "200")
    lines = str(e.summary("all")).split("Against ")[1].split("\n\n")[0].splitlines()
    printed = [line.split()[2] for line in lines[4:-2]]
    assert lines[-1] == "a positive difference is better than the baseline"
    assert printed == [run for run in shown["run"] if run != names[1]]
    only_preferences = lf.evaluate(*digits, ["LR"], baseline=names[1])
    in_short = baseline_in_short(only_preferences.against_baseline, ["LR"])
    assert "mean" not in in_short.columns


def test_a_baseline_that_is_not_there_or_alone(monkeypatch):
    """Which is found out before preferences are computed."""
    monkeypatch.delattr(coverages, "coverage_sums")
    with pytest.raises(lf.UnknownNameError, match=r"unknown run 'rand'; did you mean random"):
        lf.evaluate(RUNS, QRELS, baseline="rand")
    with pytest.raises(lf.LexiframeError, match="runs to compare with the baseline 'random', foun"):
        lf.evaluate(RUNS / "random.run", QRELS, baseline="random")


# --- The same bytes -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return written(tmp_path_factory.mktemp("expected"))


FOR_REUSE = ["fingerprints", "ranks"]
"""The files beside the tables, by which later evaluations know what they can reuse."""


def test_writing_twice_gives_the_same_bytes(tmp_path, expected):
    assert written(tmp_path) == expected
    assert written(tmp_path) == expected  # over what is there
    names = [*lf.evaluate(RUNS, QRELS).tables(), *FOR_REUSE]
    assert expected.keys() == {f"{name}.parquet" for name in names}


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
    found = written(tmp_path, runs, qrels)
    if isinstance(runs, pa.Table):  # tables in memory are known by their rows, files by their bytes
        for name in FOR_REUSE:
            expected = {k: v for k, v in expected.items() if k != f"{name}.parquet"}
            del found[f"{name}.parquet"]
        # the fingerprint of all files is that of these too, and nothing else differs
        assert found.keys() == expected.keys()
        for name, data in found.items():
            one, other = (parquet.read_table(pa.BufferReader(of)) for of in (data, expected[name]))
            assert one.equals(other, check_metadata=True)
        return
    assert found == expected


WRITE = "import sys, lexiframe as lf; lf.evaluate(*sys.argv[1:3]).write(sys.argv[3])"


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
        "test": "auto",
        "correction": "bonferroni",
        "family": "measure",
        "alpha": 0.1,
        "alternative": "two-sided",
        "trials": 10_000,
        "seed": 0,
        "baseline": None,
    }
    assert facts["groups"] == []


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- Whole or not at all ------------------------------------------------------------------------


@pytest.mark.parametrize("failing", ["coverage", "preferences", "power"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError()])
def test_when_one_table_cannot_be_written_none_is(tmp_path, monkeypatch, evaluated, failing, error):
    write = to_parquet.write_parquet_file

    def fail(path, table, facts):
        write(path, table, facts)
        if facts["table"] == failing:
            raise error

    (tmp_path / "scores.parquet").write_text("from before")
    monkeypatch.setattr(to_parquet, "write_parquet_file", fail)
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


def test_a_report_that_fails_leaves_what_was_there(tmp_path, monkeypatch, evaluated):
    def fail(*tables):
        raise MemoryError

    (tmp_path / "r.html").write_text("from before")
    monkeypatch.setattr("lexiframe.core.evaluation.page.html_page", fail)
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


# --- From the verdict to the reason ---------------------------------------------------------------

LITTLE = pytest.param(0, id="computed again")
ENOUGH = pytest.param(None, id="kept")


@pytest.fixture
def memory(request, monkeypatch):
    """How much is available while an evaluation is made; None: not known, so enough."""
    known = SimpleNamespace(available=lambda: request.param)
    monkeypatch.setattr(evaluated_data, "memory_use", known)
    return request.param


@pytest.mark.parametrize("memory", [LITTLE, ENOUGH], indirect=True)
@pytest.mark.parametrize(
    "measures, policies, more",
    [
        (["AP", "LR"], {}, {}),
        (["AP"], {"rel": 1, "ties": "doc_id_asc", "no_relevant": "zero"}, {}),
        (["bpref", "RR"], {"unjudged": "remove"}, {"judged": True}),
        (["ASL", "alpha-nDCG@10"], {}, {"pool": True}),
        (["bpref(rel=1)", "ASL"], {"rel": 1}, {"judged": True, "pool": True}),
    ],
)
@pytest.mark.filterwarnings("ignore:rows of unjudged documents")
def test_positions_are_those_of_the_function(memory, measures, policies, more):
    runs, qrels = pl.DataFrame(lf.read_runs(RUNS)), pl.DataFrame(lf.read_qrels(QRELS))
    judged = pl.DataFrame({"query_id": "q0066", "doc_id": ["x", "d0012"], "relevance": 0.0})
    qrels = pl.concat([qrels, judged], how="diagonal_relaxed").unique(["query_id", "doc_id"])
    qrels = qrels.with_columns(pl.col("iteration").fill_null("0"))
    e = lf.evaluate(runs, qrels, measures, **policies)
    # the ranks are kept, where there is memory, and the long table once it was asked for
    assert (e._origin.ranked is None) == (memory == 0)
    assert e.positions.equals(lf.positions(runs, qrels, **policies, **more))
    assert (e.positions is e.positions) == (memory != 0)
    plain = [measure for measure in measures if measure != "alpha-nDCG@10"]
    zero = {"no_relevant": policies.get("no_relevant", "drop")}
    again = lf.preferences(e.positions, plain, **zero)
    assert again.equals(e.preferences.filter(pl.col("measure").is_in(plain)))


def by_reader():
    return lf.read_runs(RUNS).to_reader()


@pytest.mark.parametrize("memory", [LITTLE], indirect=True)
@pytest.mark.parametrize(
    "give",
    [
        lambda: (RUNS, QRELS),
        lambda: ([str(path) for path in FILES], lf.read_qrels(QRELS)),
        lambda: ((path for path in FILES), lf.read_qrels(QRELS).to_reader()),
        lambda: (lf.scan_runs(RUNS), QRELS),
        lambda: (by_reader(), pl.DataFrame(lf.read_qrels(QRELS)).lazy()),
        lambda: ({path.stem: pl.DataFrame(lf.read_runs(path)) for path in FILES}, str(QRELS)),
    ],
    ids=["folder", "paths", "iterators", "scan", "readers", "frames"],
)
def test_what_was_given_can_be_used_again(memory, give):
    e = lf.evaluate(*give(), ["RR"])
    expected = lf.positions(RUNS, QRELS)
    assert e.positions.equals(expected)
    assert e.positions.equals(expected)
    assert lf.positions(*e.collection).equals(expected)


@pytest.mark.parametrize("memory", [LITTLE], indirect=True)
def test_what_could_be_read_only_once_is_kept(memory, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(QRELS.read_bytes())))
    e = lf.evaluate(RUNS, "-", ["RR"])
    assert e.positions.equals(lf.positions(RUNS, QRELS))


@pytest.fixture
def copied(tmp_path):
    shutil.copytree(RUNS, tmp_path / "runs")
    shutil.copy(QRELS, tmp_path / "qrels.txt")
    return tmp_path


@pytest.mark.parametrize("memory", [LITTLE], indirect=True)
@pytest.mark.parametrize("name", ["runs/random.run", "qrels.txt"])
def test_a_file_that_changed_is_not_used_again(memory, copied, name):
    e = lf.evaluate(copied / "runs", copied / "qrels.txt", ["LR", "RR"])
    path, before = copied / name, (copied / name).read_bytes()
    path.write_bytes(before[before.index(b"\n") + 1 :])
    now, then = (hashlib.sha256(data).hexdigest()[:12] for data in (path.read_bytes(), before))
    message = (
        rf"{name}: expected the bytes that were evaluated \(sha256 {then}…\), found others "
        rf"\(sha256 {now}…\); evaluate again, or put the file back"
    )
    for use in (
        lambda: e.positions,
        lambda: e.collection,
        lambda: e.pair("random", "pca8_euclidean"),
        lambda: e.explain("q0066", "random", "pca8_euclidean"),
        lambda: lf.simulate_collection(like=e),
    ):
        with pytest.raises(lf.ReadError, match=message):
            use()
    assert e.pair("random", "pca8_euclidean", "RR").height == 5  # scores are enough
    path.write_bytes(before)
    assert e.positions.equals(lf.positions(RUNS, QRELS))
    assert lf.positions(*e.collection).equals(e.positions)
    path.unlink()
    with pytest.raises(lf.ReadError, match=rf"{name}: .*No such file"):
        _ = e.positions


@pytest.mark.parametrize("memory", [LITTLE], indirect=True)
def test_several_files_that_changed_are_counted(memory, copied):
    e = lf.evaluate(copied / "runs", copied / "qrels.txt", ["RR"])
    for path in (copied / "runs").iterdir():
        path.write_text(path.read_text().replace("Q0", "0"))
    with pytest.raises(lf.ReadError, match=r"pca8_euclidean\.run: .*others \(.*\) \(and 2 more\)"):
        _ = e.positions


@pytest.mark.parametrize("memory", [LITTLE], indirect=True)
def test_what_was_said_once_is_not_said_again(memory):
    """Warnings are errors in these tests."""
    runs = pl.DataFrame(lf.read_runs(RUNS)).filter(pl.col("query_id") != "q0066")
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        e = lf.evaluate(runs, QRELS, ["LR", "RR"])
    assert e.positions.filter(query_id="q0066")["position"].null_count() == 60
    assert e.pair("random", "pca8_euclidean").height == 10


def test_an_evaluation_of_scores_has_no_rankings(evaluated):
    facts = {name: fact for name, fact in evaluated.provenance.items() if name != "policies"}
    part = evaluated.part()
    e = replace(evaluated, _origin=None, _part=part, provenance=facts)  # as scores have none
    for use in (
        lambda: e.positions,
        lambda: e.explain("q0066", "random", "pca8_euclidean"),
        lambda: lf.simulate_collection(like=e),
    ):
        with pytest.raises(lf.LexiframeError, match="computed from scores, so the rankings are no"):
            use()
    expected = evaluated.pair("random", "pca8_euclidean").with_columns(
        deciding_level=pl.lit(None, pl.Int64)
    )
    assert e.pair("random", "pca8_euclidean").equals(expected)
    assert e.requests().equals(evaluated.requests())


@pytest.mark.parametrize(
    "names",
    [
        ("random", "pca8_euclidean"),
        ("pca8_euclidean", "random"),
        ("pixels_euclidean", "pca8_euclidean"),  # with ties
    ],
)
def test_a_pair_of_runs_request_by_request(evaluated, names):
    a, b = names
    sign = 1 if a < b else -1
    delta = {
        (row["measure"], row["query_id"]): sign * row["preference"]
        for row in evaluated.preferences.rows(named=True)
        if {row["run_a"], row["run_b"]} == {a, b}
    }
    value = {(m, q, run): v for run, q, m, v in evaluated.scores.iter_rows()}
    levels = lf.preferences(evaluated.positions, ["LR", "rrLP"], deciding_level=True)
    level = {
        (row["measure"], row["query_id"]): row["deciding_level"]
        for row in levels.rows(named=True)
        if {row["run_a"], row["run_b"]} == {a, b}
    }
    table = evaluated.pair(a, b)
    expected = [
        (m, q, a, b, value.get((m, q, a)), value.get((m, q, b)), delta[m, q], level.get((m, q)))
        for m in MEASURES
        for q in sorted({q for _, q in delta}, key=lambda q: (-delta[m, q], q))
    ]
    assert table.rows() == expected
    assert "-0.0" not in {str(x) for x in table["preference"]}
    some = evaluated.pair(a, b, ["AP", lf.LR])
    assert some.rows() == [row for measure in ("AP", "LR") for row in expected if row[0] == measure]


def test_runs_named_by_integers():
    """Ids are text in every table, and may be given as they were."""
    rows = {"query_id": "1", "doc_id": ["a", "b"]}
    runs = [pl.DataFrame({"run": n, **rows, "score": [n, 1 - n]}) for n in (0, 1)]
    qrels = pl.DataFrame({"query_id": "1", "doc_id": ["a"], "relevance": [1]})
    e = lf.evaluate(pl.concat(runs), qrels, ["AP", "LR"])
    assert e.pair(1, 0).equals(e.pair("1", "0"))
    assert e.pair(1, 0)["preference"].to_list() == [0.5, 1.0]
    assert e.requests(0)["worse"].to_list() == [1, 1]
    assert e.explain(1, 1, 0)["LR"].sum() == 1.0


def test_a_measure_is_named_as_everywhere(evaluated):
    assert evaluated.pair("random", "pca8_euclidean", "map").equals(
        evaluated.pair("random", "pca8_euclidean", lf.AP)
    )

    def mine(p):
        return p[:, :1].sum(axis=1)[:, None] * 0.0 - p[:, :1].sum(axis=1)[None, :] * 0.0

    e = lf.evaluate(RUNS, QRELS, [mine, "RR"])
    assert e.pair("random", "pca8_euclidean", mine)["measure"].unique().to_list() == ["mine"]
    assert e.requests(measures=["mine"])["tie_rate"].to_list() == [1.0] * 5
    with pytest.raises(lf.UnknownNameError, match=r"unknown measure 'RPP'.*Known: mine, RR"):
        e.pair("random", "pca8_euclidean", "RPP")


def test_pairs_that_are_not_there(evaluated):
    with pytest.raises(lf.UnknownNameError, match="unknown run 'rand'; did you mean random"):
        evaluated.pair("rand", "pca8_euclidean")
    with pytest.raises(lf.UnknownNameError, match="unknown run 'rand'; did you mean random"):
        evaluated.requests("rand")
    with pytest.raises(
        lf.LexiframeError, match="pair: expected two different runs, found 'random' twice"
    ):
        evaluated.pair("random", "random")


def test_a_request_is_explained_in_the_direction_asked_for(evaluated):
    a, b, query = "random", "pca8_euclidean", "q0078"
    table = evaluated.explain(query, a, b)
    assert table.equals(lf.explain(evaluated.positions, query, a, b, MEASURES))
    preferred = dict(
        evaluated.pair(a, b).filter(query_id=query).select("measure", "preference").rows()
    )
    for measure in ("RPP", "dcgRPP", "LR", "rrLP"):
        assert table[measure].sum() == pytest.approx(preferred[measure])
    assert table["AP_a"].sum() - table["AP_b"].sum() == pytest.approx(preferred["AP"])
    some = evaluated.explain(query, a, b, "P@5")
    assert some.columns[-2:] == ["P@5_a", "P@5_b"]
    with pytest.raises(lf.UnknownNameError, match="unknown query 'q78'"):
        evaluated.explain("q78", a, b)


def test_measures_without_levels_are_left_out_of_an_explanation():
    """Unless they are asked for; of a grade that the request lacks, too."""

    def mine(p):
        return (p[:, :1] - p[:, :1].T) * 0.0

    e = lf.evaluate(RUNS, QRELS, [mine, "alpha-nDCG@10", "AP"])
    both = "q0066", "random", "pca8_euclidean"
    assert e.explain(*both).columns[-2:] == ["AP_a", "AP_b"]
    none = lf.evaluate(RUNS, QRELS, [mine])
    assert none.explain(*both).columns[-4:] == ["RPP weight", "RPP", "LR", "LP"]
    with pytest.raises(lf.LexiframeError, match="mine is a function of whole rankings"):
        e.explain(*both, mine)
    qrels = pl.DataFrame({"query_id": ["1", "2"], "doc_id": ["a", "b"], "relevance": [1, 2]})
    runs = qrels.select("query_id", "doc_id", score=1.0)
    runs = pl.concat([runs.with_columns(run=pl.lit(name)) for name in "xy"])
    graded = lf.evaluate(runs, qrels, ["AP(rel=2)", "AP"])
    assert graded.explain("1", "x", "y").columns[-2:] == ["AP_a", "AP_b"]
    assert graded.explain("2", "x", "y").columns[-4:-2] == ["AP(rel=2)_a", "AP(rel=2)_b"]


def test_requests_that_are_hard_and_where_measures_disagree(digits):
    measures = ["AP", "ASL", "LR"]
    e = lf.evaluate(*digits, measures)
    table = e.requests()
    assert [part["measure"][0] for part in table.partition_by("measure")] == measures
    queries = e.scores["query_id"].unique().sort().to_list()
    sign = {
        (row["measure"], row["query_id"], row["run_a"], row["run_b"]): np.sign(row["preference"])
        for row in e.preferences.rows(named=True)
    }
    pairs = sorted({key[2:] for key in sign})
    rows = {(row["measure"], row["query_id"]): row for row in table.rows(named=True)}
    assert len(rows) == table.height == len(measures) * len(queries)
    for (m, q), row in rows.items():
        values = e.scores.filter(measure=m, query_id=q)["value"].to_numpy()
        if m == "LR":
            assert [row[x] for x in ("n", "mean", "sd", "min", "max")] == [None] * 5
        else:
            spread = (values.mean(), values.std(ddof=1), values.min(), values.max())
            assert row["n"] == len(values) == 6
            assert [row[x] for x in ("mean", "sd", "min", "max")] == pytest.approx(spread)
        signs = [sign[m, q, *pair] for pair in pairs]
        others = [[sign[o, q, *pair] for pair in pairs] for o in measures if o != m]
        assert row["tie_rate"] == pytest.approx(signs.count(0) / len(pairs))
        n = sum(x != 0 for _ in others for x in signs)
        agree = sum(
            x != 0 and x == y for other in others for x, y in zip(signs, other, strict=True)
        )
        assert row["agreement"] == (pytest.approx(agree / n) if n else None)
    means = {m: table.filter(measure=m)["mean"].to_list() for m in measures}
    assert means["AP"] == sorted(means["AP"])
    assert means["ASL"] == sorted(means["ASL"], reverse=True)
    assert table.filter(measure="LR")["query_id"].to_list() == queries


def test_measures_that_lack_a_request_do_not_disagree_there():
    d = pl.concat(
        [
            preferences({"ab": [1.0, 1.0, 1.0], "ac": [1.0, 1.0, 0.0], "bc": [1.0, 1.0, 0.0]}, "x"),
            preferences({"ab": [1.0], "ac": [-1.0], "bc": [0.0]}, "y"),
            preferences({"ab": [1.0, None, 1.0]}, "z"),
        ]
    )
    none = pl.DataFrame(schema=SCORES.columns)
    table = request_table(none, d, ["x", "z"])
    assert table.select("measure", "query_id", "tie_rate", "agreement").rows() == [
        ("x", "q1", 0.0, (1 + 1) / (3 + 1)),
        ("x", "q2", 0.0, None),
        ("x", "q3", pytest.approx(2 / 3), 1.0),
        ("z", "q1", 0.0, 1.0),
        ("z", "q3", 0.0, 1.0),
    ]


def test_requests_where_a_run_fails(digits):
    measures = ["ASL", "RPP"]
    e = lf.evaluate(*digits, measures)
    run = digits[0][3].name.partition(".")[0]
    table = e.requests(run)
    assert (
        table.drop("run value mean_preference better worse tied".split())
        .sort("measure", "query_id")
        .equals(e.requests().sort("measure", "query_id"))
    )
    assert table["run"].unique().to_list() == [run]
    for row in table.rows(named=True):
        d = e.preferences.filter(measure=row["measure"], query_id=row["query_id"])
        gains = [
            (1 if a == run else -1) * x
            for a, b, x in d.select("run_a", "run_b", "preference").iter_rows()
            if run in (a, b)
        ]
        assert row["mean_preference"] == pytest.approx(np.mean(gains))
        counts = [sum(f(x) for x in gains) for f in (lambda x: x > 0, lambda x: x < 0)]
        assert [row["better"], row["worse"], row["tied"]] == [*counts, len(gains) - sum(counts)]
        values = e.scores.filter(run=run, query_id=row["query_id"], measure=row["measure"])
        assert row["value"] == (values["value"].item() if row["measure"] == "ASL" else None)
    for part in table.partition_by("measure"):
        assert part["mean_preference"].is_sorted()
    alone = lf.evaluate(digits[0][3], digits[1], ["AP"]).requests(run)
    assert alone["value"].is_sorted()
    assert alone["mean_preference"].null_count() == alone["tie_rate"].null_count() == 60


def test_a_collection_like_that_of_an_evaluation():
    """The same as like its runs and judgments, with the least relevant grade of the evaluation."""
    runs, qrels = lf.read_runs(RUNS), lf.read_qrels(QRELS)
    graded = pl.DataFrame(qrels).with_columns(relevance=1.0 + pl.int_range(pl.len()) % 2)
    e = lf.evaluate(runs, graded, ["RR"], rel=2)
    few = {"requests": 5, "seed": 3}
    of_two = lf.simulate_collection(like=(runs, graded), rel=2, **few)
    for found, expected in zip(lf.simulate_collection(like=e, **few), of_two, strict=True):
        assert found.equals(expected)
    other = lf.simulate_collection(like=e, rel=1, **few)
    assert other[0].equals(lf.simulate_collection(like=(runs, graded), rel=1, **few)[0])
    assert not other[0].equals(of_two[0])
    of_files = lf.simulate_collection(like=lf.evaluate(RUNS, QRELS, ["RR"]), **few)
    assert of_files[0].equals(lf.simulate_collection(like=(runs, qrels), **few)[0])
    with pytest.raises(TypeError, match=r"like=\(runs, qrels\), or an Evaluation, found str"):
        lf.simulate_collection(like="runs")


def test_an_evaluation_is_pickled_whatever_the_measures():
    e = lf.evaluate(RUNS, QRELS, ["RPP", "dcgRPP", "invRPP", "LR", "rrLP", "AP", "nDCG@10"])
    assert pickle.loads(pickle.dumps(e)).means.equals(e.means)


def test_an_open_file_is_no_list_of_paths():
    path = lf.bundled("example") / "runs" / "random.run"
    with path.open() as file, pytest.raises(TypeError, match="found an open file; give its path"):
        lf.evaluate(file, lf.bundled("example") / "qrels.txt", "AP")
