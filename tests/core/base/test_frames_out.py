"""The frame that was given comes back: pandas, Polars and PyArrow in, and the same out."""

import copy
import os
import pickle
import subprocess
import sys
import warnings

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import lexiframe as lf

EXAMPLE = lf.bundled("example")
MEASURES = ["RPP", "AP", "nDCG@10"]
RUNS, QRELS = (
    pl.DataFrame(lf.read_runs(EXAMPLE / "runs")),
    pl.DataFrame(lf.read_qrels(EXAMPLE / "qrels.txt")),
)
LOG = pl.DataFrame({"run": RUNS["run"].unique().sort(), "stemmer": ["none", "s", "s"]})


def as_kind(frame, kind):
    """Return a Polars frame as another library has it."""
    if kind == "pandas":
        pytest.importorskip("pandas")
        return frame.to_pandas()
    if kind == "pandas[pyarrow]":
        pytest.importorskip("pandas")
        return frame.to_pandas(use_pyarrow_extension_array=True)
    if kind == "duckdb":
        return pytest.importorskip("duckdb").from_arrow(frame.to_arrow())
    return frame.to_arrow() if kind == "pyarrow" else frame


def kind_of(table):
    """Return the library of a frame."""
    kinds = {pl.DataFrame: "polars", pa.Table: "pyarrow"}
    return next((name for of, name in kinds.items() if isinstance(table, of)), "pandas")


@pytest.fixture(scope="module", autouse=True)
def as_given():
    """Let frames leave as they came, unlike in all other tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LEXIFRAME_FRAMES")
        yield


@pytest.fixture(scope="module")
def polars_evaluation():
    return lf.evaluate(RUNS, QRELS, MEASURES, test="t")


@pytest.fixture(scope="module", params=["pandas", "pandas[pyarrow]"])
def e(request):
    kind = request.param
    return lf.evaluate(as_kind(RUNS, kind), as_kind(QRELS, kind), MEASURES, test="t")


@pytest.mark.parametrize("kind", ["pandas", "pandas[pyarrow]", "pyarrow", "duckdb", "polars"])
def test_tables_are_equal_to_the_last_bit_and_of_the_kind_of_the_runs(kind, polars_evaluation):
    e = lf.evaluate(as_kind(RUNS, kind), EXAMPLE / "qrels.txt", MEASURES, test="t")
    expected = {"duckdb": "polars", "pandas[pyarrow]": "pandas"}.get(kind, kind)
    for name, table in polars_evaluation.tables().items():
        found = getattr(e, name)
        assert kind_of(found) == expected, name
        assert pl.DataFrame(found).equals(pl.DataFrame(table)), name
    assert isinstance(e, lf.Evaluation)
    assert str(e) == str(polars_evaluation)


def test_dtypes_of_numpy_and_of_arrow_stay(e):
    import pandas as pd

    of_arrow = isinstance(e.means.dtypes["mean"], pd.ArrowDtype)
    assert str(e.means.dtypes["mean"]) == ("double[pyarrow]" if of_arrow else "float64")
    assert str(e.means.dtypes["n"]) == ("int64[pyarrow]" if of_arrow else "int64")
    assert isinstance(e.means.index, pd.RangeIndex)
    if not of_arrow:
        p = lf.positions(RUNS.to_pandas(), QRELS.to_pandas(), depth=3)
        assert str(p.dtypes["position"]) == "Int64"  # with nulls
        assert str(p.dtypes["n_relevant"]) == "int64"
        assert p.position.isna().any()
        assert str(p.dtypes["run"]) in ("str", "object")


IDIOMS = {
    "groupby": lambda s, m, log: s.groupby("run")["value"].mean(),
    "groupby, several": lambda s, m, log: s.groupby(["run", "measure"]).value.agg(["mean", "std"]),
    "transform": lambda s, m, log: s.groupby("query_id").value.transform("max"),
    "attribute": lambda s, m, log: s.measure.value_counts().sort_index(),
    "merge": lambda s, m, log: m.merge(log, on="run"),
    "pd.merge": lambda s, m, log: __import__("pandas").merge(m, log),
    "pivot": lambda s, m, log: m.pivot(index="run", columns="measure", values="mean"),
    "pivot_table": lambda s, m, log: s.pivot_table("value", "run", "measure", aggfunc="median"),
    "crosstab": lambda s, m, log: __import__("pandas").crosstab(s.run, s.measure),
    "DataFrame": lambda s, m, log: __import__("pandas").DataFrame(m)[["run", "mean"]],
    "query": lambda s, m, log: s.query("measure == 'AP' and value > .5"),
    "mask": lambda s, m, log: s[s.value > s.value.mean()],
    "loc": lambda s, m, log: m.loc[m.measure == "AP", ["run", "mean"]],
    "iloc": lambda s, m, log: m.iloc[:2, :3],
    "at": lambda s, m, log: m.set_index(["run", "measure"]).at[("random", "AP"), "mean"],
    "set_index": lambda s, m, log: m.set_index("run")["mean"],
    "unstack": lambda s, m, log: s.set_index(["query_id", "run", "measure"]).value.unstack("run"),
    "melt": lambda s, m, log: m.melt(["run", "measure"], ["ci_low", "ci_high"]),
    "sort_values": lambda s, m, log: s.sort_values("value", kind="stable").head(3),
    "nlargest": lambda s, m, log: m.nlargest(2, "mean"),
    "describe": lambda s, m, log: s.describe(),
    "assign": lambda s, m, log: m.assign(width=lambda t: t.ci_high - t.ci_low),
    "apply": lambda s, m, log: m["mean"].apply(lambda value: round(value, 2)),
    "map": lambda s, m, log: m.run.map(log.set_index("run").stemmer),
    "isin": lambda s, m, log: m[m.measure.isin(["AP", "RPP"])],
    "rank": lambda s, m, log: s.groupby("query_id").value.rank(),
    "idxmax": lambda s, m, log: s.loc[s.groupby("measure").value.idxmax(), "run"],
    "corr": lambda s, m, log: s.pivot_table("value", ["run", "query_id"], "measure").corr(),
    "concat": lambda s, m, log: __import__("pandas").concat([m, m], ignore_index=True),
    "drop_duplicates": lambda s, m, log: s.drop_duplicates("run")[["run"]],
    "rename": lambda s, m, log: m.rename(columns={"mean": "value"}).columns.tolist(),
    "str": lambda s, m, log: m.run.str.upper(),
    "astype": lambda s, m, log: s.run.astype("category").cat.categories.tolist(),
    "to_dict": lambda s, m, log: m.to_dict("records"),
    "to_numpy": lambda s, m, log: s.value.to_numpy().sum(),
    "itertuples": lambda s, m, log: [row.run for row in m.itertuples()],
    "to_csv": lambda s, m, log: m.to_csv(index=False),
    "join": lambda s, m, log: m.join(log.set_index("run"), on="run"),
    "cumulative": lambda s, m, log: s.value.cumsum(),
    "quantile": lambda s, m, log: s.groupby("run").value.quantile([0.1, 0.9]),
    "new column": lambda s, m, log: m.copy().insert(0, "date", "2026"),
    "eval": lambda s, m, log: m.eval("ci_high - ci_low"),
}


@pytest.mark.parametrize("idiom", [*IDIOMS])
def test_idioms_of_pandas_users(idiom, e, polars_evaluation):
    pandas = pytest.importorskip("pandas")
    tables, log = [polars_evaluation.scores, polars_evaluation.means], LOG.to_pandas()
    expected = IDIOMS[idiom](*(table.to_pandas() for table in tables), log)
    found = IDIOMS[idiom](e.scores, e.means, log)
    alike = {"check_dtype": False, "check_index_type": False}
    if isinstance(expected, pandas.DataFrame):
        alike["check_column_type"] = False
        pandas.testing.assert_frame_equal(found, expected, **alike)
    elif isinstance(expected, pandas.Series):
        pandas.testing.assert_series_equal(found, expected, **alike)
    else:
        assert found == expected or found is expected is None


@pytest.mark.parametrize("e", ["pandas"], indirect=True)  # statsmodels takes NumPy's dtypes
def test_pictures_models_and_files_of_pandas_users(e, tmp_path):
    pandas = pytest.importorskip("pandas")
    plots = pytest.importorskip("matplotlib")
    plots.use("Agg")
    seaborn = pytest.importorskip("seaborn")
    import statsmodels.formula.api as smf

    assert e.means.set_index("run")["mean"].plot() is not None
    assert seaborn.barplot(e.scores, x="run", y="value", hue="measure") is not None
    assert "<table" in e.means.style.to_html()
    assert "tabular" in e.means.to_latex()
    of_ap = e.scores[e.scores.measure == "AP"].astype({"value": float})
    fit = smf.ols("value ~ C(run) + C(query_id)", of_ap).fit()
    by_run = of_ap.groupby("run").value.mean()
    assert fit.params["C(run)[T.random]"] == pytest.approx(by_run["random"] - by_run.iloc[0])
    e.means.to_parquet(tmp_path / "means.parquet")
    pandas.testing.assert_frame_equal(
        pandas.read_parquet(tmp_path / "means.parquet"), e.means, check_dtype=False
    )
    e.write(tmp_path / "results")
    again = lf.read_results(tmp_path / "results", frames="pandas")
    assert kind_of(again.scores) == "pandas"


FUNCTIONS = {
    "verdict": lambda e, s: lf.verdict(e),
    "compare": lambda e, s: lf.compare(s, test="t"),
    "order_runs": lambda e, s: lf.order_runs(s, "mean"),
    "with_log": lambda e, s: lf.with_log(s, LOG.to_pandas()),
    "discriminative_power": lambda e, s: lf.discriminative_power(lf.compare(s, test="t")),
    "leaderboard": lambda e, s: (
        lf.leaderboard(
            s.groupby(["run", "measure"], as_index=False)
            .value.mean()
            .rename(columns={"measure": "task"})
        ).ranking
    ),
    "gate": lambda e, s: lf.gate(e, {"AP": 0.1}, baseline="random", candidate="pca8_euclidean"),
    "pair": lambda e, s: e.pair("random", "pca8_euclidean", "AP"),
    "joined": lambda e, s: e.tables()["means"],
    "coverage": lambda e, s: e.coverage,
}


@pytest.mark.parametrize("name", [*FUNCTIONS])
def test_each_function_returns_what_it_was_given(name, e):
    found = FUNCTIONS[name](e, e.scores)
    assert kind_of(found) == "pandas"


def test_sentences_are_printed_as_before(e, polars_evaluation):
    said = lf.verdict(e)
    assert str(said) == str(lf.verdict(polars_evaluation))
    assert "best" in said.columns
    assert "columns" in str(said[said.measure == "AP"])  # a part prints like other frames


def test_the_first_table_decides_and_pandas_among_runs():
    pytest.importorskip("pandas")
    assert kind_of(lf.with_log(LOG, LOG.to_pandas())) == "polars"
    runs = {
        "a": EXAMPLE / "runs/random.run",
        "b": RUNS.filter(run="random").drop("run").to_pandas(),
    }
    assert kind_of(lf.evaluate(runs, QRELS, ["AP"], test="t").means) == "pandas"
    assert kind_of(lf.evaluate(RUNS, QRELS.to_pandas(), ["AP"], test="t").means) == "polars"
    assert kind_of(lf.positions(lf.read_runs(RUNS.to_pandas()), QRELS)) == "pandas"
    assert kind_of(lf.positions(lf.read_runs(EXAMPLE / "runs"), QRELS)) == "polars"
    assert kind_of(lf.positions(lf.scan_runs(RUNS.to_pandas()), QRELS)) == "pandas"
    assert kind_of(lf.positions(lf.read_runs(RUNS.to_arrow()), QRELS)) == "pyarrow"


def test_votes_and_generators_of_frames_come_back_as_they_went_in():
    pytest.importorskip("pandas")
    rows = {"query_id": ["1", "2"], "run_a": ["a", "a"], "run_b": ["b", "b"], "winner": ["a", "b"]}
    votes = lf.read_preferences(as_kind(pl.DataFrame(rows), "pandas"))
    assert kind_of(votes.preferences) == kind_of(lf.bradley_terry(votes).strengths) == "pandas"
    runs = {name: frame for (name,), frame in RUNS.partition_by("run", as_dict=True).items()}
    several = (frame.to_pandas() for frame in runs.values())
    assert kind_of(lf.evaluate(several, QRELS, ["AP"], test="t").means) == "pandas"


def test_a_kind_can_be_asked_for(monkeypatch):
    of_files = EXAMPLE / "runs", EXAMPLE / "qrels.txt", ["AP"]
    assert kind_of(lf.evaluate(*of_files, test="t", frames="pyarrow").means) == "pyarrow"
    with lf.frames("pyarrow"):
        inside = lf.evaluate(*of_files, test="t")
        assert kind_of(lf.measures()) == "pyarrow"
        assert kind_of(lf.evaluate(*of_files, test="t", frames="polars").means) == "polars"
    kept = lf.frames("pyarrow")
    lf.frames(None)
    with kept:
        assert kind_of(lf.measures()) == "pyarrow"
    assert kind_of(inside.means) == "pyarrow"
    assert kind_of(lf.measures()) == "polars"
    monkeypatch.setenv("LEXIFRAME_FRAMES", "pyarrow")
    assert kind_of(lf.measures()) == "pyarrow"
    monkeypatch.setenv("LEXIFRAME_FRAMES", "numpy")
    with pytest.raises(lf.LexiframeError, match="LEXIFRAME_FRAMES: expected one of 'polars'"):
        lf.measures()
    monkeypatch.delenv("LEXIFRAME_FRAMES")
    with pytest.raises(lf.LexiframeError, match="frames: expected kind to be one of 'polars'"):
        lf.frames("numpy")
    with pytest.raises(lf.LexiframeError, match="evaluate: expected frames to be one of 'polars'"):
        lf.evaluate(*of_files, frames="numpy")


def test_pandas_is_an_extra():
    code = (
        "import sys; sys.modules['pandas'] = None\nimport lexiframe as lf\n"
        "lf.frames('pandas'); lf.measures()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ
    )
    assert "frames: pandas is not installed; it comes with the extra interop" in done.stderr


def test_an_index_that_says_something_is_not_lost_in_silence():
    pytest.importorskip("pandas")
    runs = RUNS.to_pandas()
    lf.evaluate(runs[runs["rank"] < 9], QRELS, ["AP"], test="t")  # row numbers of a filter
    runs.index = [f"row {i}" for i in runs.index]
    with pytest.warns(lf.LexiframeWarning, match="index, which has no name, is left out"):
        lf.evaluate(runs, QRELS, ["AP"], test="t")


def test_tables_of_arrow_print_rows_and_numbers_and_go_where_arrow_goes():
    runs = lf.read_runs(EXAMPLE / "runs")
    assert str(runs).startswith("3 runs, 5 requests, 157 documents; from ")
    assert str(runs).splitlines()[0].endswith("pca8_euclidean.run and 2 more")
    assert "random" in str(runs)
    assert "<table" in runs._repr_html_()
    assert isinstance(runs, pa.Table)
    assert type(runs.arrow()) is pa.Table
    assert str(runs.filter(pc.field("run") == "random")).startswith("1 run, 5 requests")
    for taken in (pl.from_arrow(runs), pl.DataFrame(runs), pl.DataFrame(pa.table(runs))):
        assert taken.equals(RUNS)
    assert pc.unique(runs["run"]).to_pylist() == sorted(RUNS["run"].unique())
    assert runs.equals(pickle.loads(pickle.dumps(runs)))
    assert (runs == copy.copy(runs), len(runs), runs.num_rows) == (True, 375, 375)


def test_other_libraries_take_tables_of_arrow():
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    runs = lf.read_runs(EXAMPLE / "runs")
    assert duckdb.sql("select count(*) from runs").fetchall() == [(375,)]
    pandas.testing.assert_frame_equal(runs.to_pandas(), runs.arrow().to_pandas())


def test_results_and_functions_can_be_pickled_and_handed_to_functions(e, polars_evaluation):
    again = pickle.loads(pickle.dumps(e))
    assert kind_of(again.means) == kind_of(copy.deepcopy(e).means) == "pandas"
    assert pickle.loads(pickle.dumps(lf.compare)) is lf.compare
    assert "means" in dir(e)
    assert e.means is e.means
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both = lf.conclusions({"a": e, "b": polars_evaluation})
    assert kind_of(both) == "pandas"
