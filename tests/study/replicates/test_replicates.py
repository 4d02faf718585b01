"""Runs that were trained from several seeds, from their files to a gate."""

import numpy as np
import polars as pl
import polars.testing
import pytest
from scipy import stats

import lexiframe as lf

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(  # made-up rows lie in any order
        "ignore:runs whose ranks and scores disagree",
        "ignore:.*expected scores of which the greatest is the best",
    ),
]

QRELS = pl.DataFrame(
    [(f"q{q}", f"d{d}", 1.0 + d % 2) for q in range(12) for d in (1, 4, 7)],
    ["query_id", "doc_id", "relevance"],
    orient="row",
)


def rows(run, seed, rng, skill=0.0):
    good = {f"d{d}" for d in (1, 4, 7)}
    return [
        (run, seed, f"q{q}", f"d{d}", rng.normal() + skill * (f"d{d}" in good))
        for q in range(12)
        for d in range(10)
    ]


@pytest.fixture(scope="module")
def runs():
    rng = np.random.default_rng(3)
    found = [
        row
        for run, skill in (("bm25", 0.4), ("dense", 1.0), ("random", 0.0))
        for seed in ("s1", "s2", "s3")
        for row in rows(run, seed, rng, skill + rng.normal() / 4)
    ]
    names = ["run", "replicate", "query_id", "doc_id", "score"]
    return pl.DataFrame(found, names, orient="row")


@pytest.fixture(scope="module")
def folder(runs, tmp_path_factory):
    """A folder for each run, with a file for each seed; and all of it as tables."""
    folder = tmp_path_factory.mktemp("runs")
    for (run, seed), part in runs.group_by("run", "replicate"):
        (folder / run).mkdir(exist_ok=True)
        lf.write_trec(part.drop("replicate"), folder / run / f"{seed}.run")
    runs.write_parquet(folder / "all.parquet")
    runs.rename({"replicate": "seed"}).write_csv(folder / "all.csv")
    QRELS.write_parquet(folder / "qrels.parquet")
    return folder


def sources(folder):
    files = {run: sorted((folder / run).iterdir()) for run in ("bm25", "dense", "random")}
    return {
        "folders": {run: folder / run for run in files},
        "patterns": {run: f"{folder / run}/s*.run" for run in files},
        "lists": files,
        "names": {run: {path.stem: path for path in paths} for run, paths in files.items()},
        "table": folder / "all.parquet",
        "one run": {"dense": pl.read_parquet(folder / "all.parquet").filter(run="dense")},
    }


@pytest.mark.parametrize("form", ["folders", "patterns", "lists", "names", "table", "one run"])
def test_files_and_tables_of_replicates(runs, folder, form):
    table = lf.read_runs(sources(folder)[form])
    assert table.column_names[:4] == ["run", "replicate", "query_id", "doc_id"]
    found = lf.positions(table, QRELS)
    wanted = lf.positions(runs.filter(run="dense") if form == "one run" else runs, QRELS)
    assert found.equals(wanted)
    assert lf.positions(lf.scan_runs(sources(folder)[form]), QRELS).equals(wanted)


def test_replicates_of_some_runs_alone(runs):
    """A run that was never trained has none."""
    some = runs.with_columns(replicate=pl.when(pl.col("run") != "bm25").then("replicate"))
    some = some.filter((pl.col("run") != "bm25") | (runs["replicate"] == "s1"))
    table = lf.read_runs(some)
    s = lf.scores(lf.positions(table, QRELS), "AP")
    assert s.filter(run="bm25")["replicate"].null_count() == 12
    assert lf.read_runs(table).equals(table)
    with pytest.raises(lf.SchemaError, match="replicate is part of the key, but 12 rows"):
        lf.compare(s, replicates="run")


def test_an_evaluation_is_that_of_its_scores(runs):
    e = lf.evaluate(runs, QRELS, ["AP", "nDCG@5"], replicates="run", baseline="bm25")
    s = lf.scores(lf.positions(runs, QRELS), ["AP", "nDCG@5"])
    assert e.replicated.equals(s)
    pl.testing.assert_frame_equal(e.comparisons, lf.compare(s, replicates="run", baseline="bm25"))
    other = lf.evaluate_scores(s, replicates="run", baseline="bm25")
    pl.testing.assert_frame_equal(e.means, other.means)
    wanted = s.group_by("run", "measure").agg(pl.col("value").mean())
    joined = e.means.join(wanted, on=["run", "measure"])
    assert joined["mean"].to_numpy() == pytest.approx(joined["value"].to_numpy(), abs=1e-12)
    assert e.coverage.height == 9
    assert "t-test (replicates='run')" in " ".join(str(e.verdict).split())


def test_what_an_evaluation_says_holds_for_compare_equivalence_and_gate(runs, tmp_path):
    e = lf.evaluate(runs, QRELS, "AP", replicates="run", seeds="paired")
    s = lf.scores(lf.positions(runs, QRELS), "AP")
    told = {"replicates": "run", "seeds": "paired"}
    two = {"baseline": "bm25", "candidate": "dense"}
    e.write(tmp_path)
    for known in (e, lf.read_results(tmp_path)):
        assert lf.compare(known).equals(lf.compare(s, **told))
        assert lf.equivalence(known, 0.1).equals(lf.equivalence(s, 0.1, **told))
        assert lf.gate(known, 0.1, **two).equals(lf.gate(s, 0.1, **two, **told))
    e.report(tmp_path / "report.html")


def test_intervals_of_means_know_other_seeds(runs):
    """The interval of one run, computed by hand from its requests × seeds."""
    e = lf.evaluate(runs, QRELS, "AP", replicates="run")
    x = (
        lf.scores(lf.positions(runs, QRELS), "AP")
        .filter(run="dense")
        .sort("query_id", "replicate")["value"]
        .to_numpy()
        .reshape(12, 3)
    )
    n_q, n_k = x.shape
    rest = x - x.mean(0) - x.mean(1)[:, None] + x.mean()
    squares = np.array([
        n_k * x.mean(1).var(ddof=1),
        n_q * x.mean(0).var(ddof=1),
        -(rest**2).sum() / ((n_q - 1) * (n_k - 1)),
    ]) / x.size  # fmt: skip
    df = np.array([n_q - 1, n_k - 1, (n_q - 1) * (n_k - 1)])
    variance, freedom = squares.sum(), squares.sum() ** 2 / (squares**2 / df).sum()
    if variance < squares.max():
        variance, freedom = squares.max(), df[squares.argmax()]
    half = stats.t.ppf(0.975, freedom) * np.sqrt(variance)
    row = e.means.filter(run="dense").row(0, named=True)
    assert [row["ci_low"], row["ci_high"]] == pytest.approx([x.mean() - half, x.mean() + half])


@pytest.mark.parametrize("replicates", ["request", "cell"])
def test_means_over_replicates(runs, replicates):
    e = lf.evaluate(runs, QRELS, "AP", replicates=replicates)
    assert e.comparisons["test"].unique().to_list() == ["t"]
    pl.testing.assert_frame_equal(e.comparisons, lf.compare(e.scores, "t"))


def test_groups_of_requests(runs):
    requests = pl.DataFrame({
        "query_id": [f"q{n}" for n in range(12)],
        "half": ["a", "b"] * 6,
    })  # fmt: skip
    groups = {"requests": requests, "by": "half"}
    e = lf.evaluate(runs, QRELS, "AP", replicates="run", **groups)
    ids = [f"q{n}" for n in range(0, 12, 2)]
    some = pl.col("query_id").is_in(ids)
    part = lf.evaluate(runs.filter(some), QRELS.filter(some), "AP", replicates="run")
    pl.testing.assert_frame_equal(e.means.filter(half="a").drop("half"), part.means)


def test_what_is_refused(runs):
    s = lf.scores(lf.positions(runs, QRELS), "AP")
    unstated = "found replicates .run 'bm25', replicate 's1'., and what they are is unspecified"
    for function in (lf.evaluate, lambda r, q: lf.overlap(r, "RBO"), lf.interleaving, lf.unjudged):
        with pytest.raises(lf.LexiframeError, match=unstated):
            function(runs, QRELS)
    with pytest.raises(lf.LexiframeError, match=unstated):
        lf.evaluate(runs, QRELS, "AP", memory=10**6)
    for function in (lf.evaluate_scores, lf.compare):
        with pytest.raises(lf.LexiframeError, match="has replicates, and what they are"):
            function(s)
    with pytest.raises(lf.LexiframeError, match="expected metrics with replicates, found RPP"):
        lf.evaluate(runs, QRELS, ["RPP", "AP"], replicates="run")
    with pytest.raises(lf.LexiframeError, match="memory is for runs without replicates"):
        lf.evaluate(runs, QRELS, "AP", replicates="run", memory="4GB")
    with pytest.raises(lf.LexiframeError, match="expected replicates to be one of None, 'run'"):
        lf.evaluate(runs, QRELS, "AP", replicates="seed")
    found = "expected runs without replicates, found the column replicate"
    p = lf.positions(runs, QRELS)
    for function in (
        lambda: lf.preferences(p, "RPP"),
        lambda: lf.order_runs(s, method="mean"),
        lambda: lf.write_trec(runs, "out"),
        lambda: lf.to_pytrec_eval(runs),
    ):
        with pytest.raises(lf.SchemaError, match=found):
            function()
    two = {"baseline": "bm25", "candidate": "dense"}
    e = lf.evaluate(runs, QRELS, "AP", replicates="run")
    with pytest.raises(lf.LexiframeError, match="runs with replicates, and has no rankings"):
        e.positions  # noqa: B018 - raises
    fewer = runs.filter((pl.col("run") != "dense") | (pl.col("query_id") != "q3"))
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        e = lf.evaluate(fewer, QRELS, "AP", replicates="run")
    with pytest.raises(lf.LexiframeError, match=r"gate: expected rankings of both runs.*missing"):
        lf.gate(e, 0.1, **two)


@pytest.fixture
def told(monkeypatch, folder, lexiframe):
    """Return a function that runs a command in the folder of the runs, and returns what it says."""
    monkeypatch.chdir(folder)

    def told(*words):
        found = lexiframe(*words)
        return found.status, " ".join(f"{found.out} {found.err}".split())

    return told


def test_the_command_line(told):
    margin = ("--margin", "AP=0.3", "--replicates", "run")
    code, text = told("gate", "qrels.parquet", "bm25", "dense", *margin)
    assert code == 0
    assert "PASS: by AP, dense is not worse than bm25" in text
    assert "(replicates='run')" in text
    code, text = told("gate", "qrels.parquet", "bm25/s*.run", "new=dense/s*.run", *margin)
    assert code == 0
    assert "PASS: by AP, new is" in text
    code, text = told("gate", "qrels.parquet", "bm25", "dense", *margin, "--curve")
    assert code == 2
    assert "--replicates does not go with --curve" in text
    code, text = told("gate", "qrels.parquet", "bm25", *margin)
    assert code == 2
    assert "expected QRELS BASELINE CANDIDATE: two runs, found 1" in text
    three = ("qrels.parquet", "all.csv", "--column", "replicate=seed", "-m", "AP")
    code, text = told("evaluate", *three, "--replicates", "run")
    assert code == 0
    assert "dense" in text
    code, text = told("compare", *three, "--replicates", "run")
    assert code == 0
    assert "paired t-test (replicates='run')" in text
    code, text = told("compare", *three, "--replicates", "run", "--hsd", "randomized")
    assert code == 1
    assert "--hsd: takes runs without replicates" in text
    code, text = told("evaluate", *three)
    assert code == 1
    assert "what they are is unspecified" in " ".join(text.split())


@pytest.mark.parametrize("replicates", ["run", "request", "cell", "both"])
def test_runs_without_replicates_are_named(replicates):
    folder = lf.bundled("example")
    message = r"expected replicates, which seeds, folds or samples make of a run, found single runs"
    e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP")
    for call in (
        lambda: lf.evaluate(folder / "runs", folder / "qrels.txt", "AP", replicates=replicates),
        lambda: lf.compare(e, "t", replicates=replicates),
        lambda: lf.evaluate_scores(e.scores, replicates=replicates),
    ):
        with pytest.raises(lf.LexiframeError, match=message):
            call()


@pytest.mark.parametrize("command", ["compare", "evaluate"])
def test_the_command_line_names_runs_without_replicates(lexiframe, command):
    folder = lf.bundled("example")
    runs = [folder / f"runs/{name}.run" for name in ("pca8_euclidean", "random")]
    how = ("-m", "AP", "--replicates", "run")
    found = lexiframe(command, folder / "qrels.txt", *runs, *how)
    assert found.status == 1
    assert "found single runs (pca8_euclidean, random); give each run all" in found.err
