"""Collections that are read from their places, each with its own policies."""

import re
import sys
from collections import namedtuple
from types import SimpleNamespace

import polars as pl
import pytest

import lexiframe as lf

RUNS = {"x": "q1 Q0 d1 1 3 x\nq1 Q0 d2 2 2 x\nq2 Q0 d2 1 1 x\n",
        "y": "q1 Q0 d2 1 3 y\nq1 Q0 d3 2 2 y\nq2 Q0 d1 1 1 y\n"}  # fmt: skip
QRELS = "q1 0 d1 1\nq1 0 d2 4\nq1 0 d3 0\nq2 0 d2 4\nq2 0 d1 0\n"
BEIR = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\t1\n"
MEASURES = ["AP", "RPP"]


@pytest.fixture
def folder(tmp_path):
    """Give a folder with two collections, of which one is laid out as BEIR's are."""
    for name in ("ml-1m", "scifact"):
        (tmp_path / name / "runs").mkdir(parents=True)
        for run, text in RUNS.items():
            (tmp_path / name / f"runs/{run}.run").write_text(text)
    (tmp_path / "ml-1m/qrels.txt").write_text(QRELS)
    (tmp_path / "scifact/qrels").mkdir()
    (tmp_path / "scifact/qrels/test.tsv").write_text(BEIR)
    return tmp_path


@pytest.fixture
def pairs(folder):
    return {
        "ml-1m": (folder / "ml-1m/runs", folder / "ml-1m/qrels.txt"),
        "scifact": (folder / "scifact/runs", folder / "scifact/qrels/test.tsv"),
    }


def table(folder, text):
    (folder / "places").mkdir(exist_ok=True)
    (folder / "places/places.csv").write_text(text)
    return folder / "places/places.csv"


def same_tables(e, other):
    return all(table.equals(other.tables()[name]) for name, table in e.tables().items())


@pytest.mark.slow
def test_a_folder_of_collections_is_that_of_their_runs_and_judgments(folder, pairs):
    expected = lf.evaluate(pairs, measures=MEASURES)
    assert same_tables(lf.evaluate(folder, measures=MEASURES), expected)
    assert lf.positions(str(folder)).equals(lf.positions(pairs))
    assert lf.coverage(folder).equals(lf.coverage(pairs))


def test_what_is_left_out_of_a_folder_is_counted(folder, pairs):
    (folder / "_old").mkdir()
    (folder / "README.md").write_text("about")
    (folder / "scifact/qrels/dev.tsv").write_text(BEIR)
    (folder / "scifact/queries.tsv").write_text("q1")
    with pytest.warns(lf.LexiframeWarning) as told:
        assert lf.positions(folder).equals(lf.positions(pairs))
    said = [str(one.message) for one in told]
    assert len(said) == 2
    assert said[0].endswith("qrels: judgments beside test.tsv, left out: 1 ('dev.tsv')")
    assert said[1].endswith("left out, since they have neither qrels nor runs: 1 ('README.md')")


@pytest.mark.parametrize("change, expected", [
    (lambda f: (f / "ml-1m/qrels.txt").unlink(),
        "ml-1m: expected one file of judgments (qrels*) and the runs (runs), found 1 ('runs'); a"),
    (lambda f: (f / "ml-1m/runs").rename(f / "ml-1m/rankings"), "found 1 ('qrels.txt')"),
    (lambda f: (f / "ml-1m/qrels.old").write_text(QRELS), None),
    (lambda f: (f / "ml-1m/qrels2.txt").write_text(QRELS),
        "found 3 ('runs', 'qrels.txt', 'qrels2.txt'); add what is lacking, leave one there, name"),
    (lambda f: (f / "scifact/qrels/test.tsv").rename(f / "scifact/qrels/a.tsv").with_name("b.tsv")
        .write_text(BEIR), "found 3 ('runs', 'a.tsv', 'b.tsv')"),
    (lambda f: [p.unlink() for p in (f / "ml-1m/runs").iterdir()],
        "collection 'ml-1m': {0}/ml-1m/runs: the folder has no files in it"),
])  # fmt: skip
def test_a_folder_that_is_nearly_one(folder, change, expected):
    change(folder)
    if expected is None:  # such a file is no data
        assert lf.positions(folder).height
        return
    with pytest.raises(lf.ReadError, match=re.escape(expected.format(folder))):
        lf.positions(folder)


def test_a_folder_of_one_collection_or_of_none(folder):
    for place, found in (
        ("scifact", "2 ('qrels', 'runs')"),
        ("scifact/runs", "2 ('x.run', 'y.run"),
    ):
        expected = (
            "judgments for the runs (qrels), or folders of collections, NAME/qrels* and NAME/runs"
        )
        with pytest.raises(lf.ReadError, match=f"{re.escape(expected)}.*{re.escape(found)}"):
            lf.positions(folder / place)


@pytest.mark.slow
def test_a_table_of_places_has_policies_too(folder, pairs):
    text = (
        "collection\truns\tqrels\trel\tdepth\tno_relevant\nb\t../ml-1m/runs/*\t../ml-1m/qrels.txt"
    )
    text += f"\t4\t\tzero\na\t{folder}/scifact/runs\t../scifact/qrels/test.tsv\t\t1\t\n"
    places = table(folder, text)
    named = {"b": pairs["ml-1m"], "a": pairs["scifact"]}
    how = {"rel": {"b": 4}, "depth": {"a": 1}, "no_relevant": {"b": "zero"}}
    expected = lf.evaluate(named, measures=MEASURES, **how)
    assert same_tables(lf.evaluate(places, measures=MEASURES), expected)
    assert lf.coverage(places).equals(lf.coverage(named, **how))
    p = lf.positions(places, rel=1, depth={"b": 2})  # the table goes before one value for all
    assert p.equals(
        lf.positions(named, **how | {"rel": {"a": 1, "b": 4}, "depth": {"a": 1, "b": 2}})
    )
    with pytest.raises(
        lf.LexiframeError, match=r"unjudged: takes none of rel.*from a table of col"
    ):
        lf.unjudged(places, None)


@pytest.mark.parametrize("text, expected", [
    ("collection,runs\na,x\n",
        "or a table of places (collection, runs, qrels), found the columns collection, runs; add"),
    ("q1 0 d1 1\nq1 0 d2 1\n", "expected judgments for runs (qrels), or a table of places"),
    ("collection,runs,qrels\na,x,y\na,z,y\nb,,y\n",
        "a row with runs and qrels for each collection, once, found 3 ('a', 'a', 'b'); fill all"),
    ("collection,runs,qrels\na,../ml-1m/runs,none.txt\n", "collection 'a': {0}/places/none.txt: "),
    ("collection,runs,qrels\na,../ml-1m/run,../ml-1m/qrels.txt\n", "ml-1m/run: no such file"),
    ("collection,runs,qrels,rel\na,../ml-1m/runs,../ml-1m/qrels.txt,four\n",
        "collection 'a': rel: expected a positive grade, found 'four'"),
])  # fmt: skip
def test_a_table_that_is_nearly_one(folder, text, expected):
    with pytest.raises(lf.LexiframeError, match=re.escape(expected.format(folder))):
        lf.positions(table(folder, text))


def test_columns_that_are_not_read_are_named(folder):
    places = table(folder, "collection,runs,qrels,kind\na,../ml-1m/runs,../ml-1m/qrels.txt,film\n")
    with pytest.warns(lf.LexiframeWarning, match=r"columns that are not read: 1 \('kind'\)"):
        assert lf.positions(places)["collection"].unique().to_list() == ["a"]


def test_data_sets_of_ir_datasets(monkeypatch):
    docs = {"b": "d1", "a/x": "d2"}

    def load(name):
        judged, scored = (
            namedtuple("Row", f"query_id doc_id {last}")("q", docs[name], 1.0)
            for last in ("relevance", "score")
        )
        return SimpleNamespace(
            has_qrels=lambda: True, qrels_iter=lambda: [judged],
            has_scoreddocs=lambda: True, scoreddocs_iter=lambda: [scored],
        )  # fmt: skip

    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=load))
    p = lf.positions([f"irds:{name}" for name in docs])
    assert p.select("collection", "doc_id").rows() == [("b", "d1"), ("a/x", "d2")]


@pytest.mark.slow
def test_policies_by_collection_are_those_of_each_alone(pairs):
    how = {"rel": {"ml-1m": 4}, "depth": {"ml-1m": 1, "scifact": 2}}
    e = lf.evaluate(pairs, measures=MEASURES, **how)
    p, c = lf.positions(pairs, **how), lf.coverage(pairs, **how)
    for name, own in {"ml-1m": {"rel": 4, "depth": 1}, "scifact": {"depth": 2}}.items():
        alone = lf.evaluate(*pairs[name], MEASURES, **own)
        assert e.means.filter(collection=name).drop("collection").equals(alone.means)
        assert c.filter(collection=name).drop("collection").equals(alone.coverage)
        of_one = p.filter(collection=name).select(alone.positions.columns)
        assert of_one.equals(lf.positions(*pairs[name], **own))
    assert "rel=4 for ml-1m, depth=1 for ml-1m, depth=2 for scifact" in " ".join(
        str(e.summary("all")).split()
    )
    one_for_all = lf.evaluate(pairs, measures=MEASURES, rel={"ml-1m": 4, "scifact": 1})
    assert one_for_all.provenance["policies"]["rel"] == {"ml-1m": 4, "scifact": 1}
    assert one_for_all.provenance["policies"]["depth"] is None


def test_frames_of_collections_have_policies_by_number(pairs):
    frames = [(lf.read_runs(runs), lf.read_qrels(qrels)) for runs, qrels in pairs.values()]
    runs, qrels = (
        pl.concat(pl.DataFrame(one[n]).with_columns(collection=c) for c, one in enumerate(frames))
        for n in (0, 1)
    )
    p = lf.positions(runs, qrels, rel={0: 4})
    assert p["rel"].to_list() == [4.0 if c == "0" else None for c in p["collection"]]


@pytest.mark.parametrize("option, value", [("rel", 4), ("depth", 4), ("no_relevant", "zero")])
def test_policies_of_collections_that_are_not_there(pairs, option, value):
    for ask in (lf.positions, lf.coverage, lf.evaluate):
        with pytest.raises(lf.UnknownNameError, match=rf"collection of {option} 'ml1m'; did you "
                           "mean ml-1m.* Known: ml-1m, scifact"):  # fmt: skip
            ask(pairs, **{option: {"ml1m": value}})
        with pytest.raises(lf.LexiframeError, match=f"{option}: expected one value for one coll"):
            ask(*pairs["ml-1m"], **{option: {"ml-1m": value}})


@pytest.mark.slow
def test_written_results_have_policies_by_collection(folder, pairs, tmp_path):
    how = {"measures": MEASURES, "rel": {"ml-1m": 4}}
    e = lf.evaluate(folder, **how)
    e.write(tmp_path / "r")
    again = lf.read_results(tmp_path / "r")
    assert same_tables(again, e)
    assert again.provenance["policies"] == e.provenance["policies"]
    assert again.provenance["policies"]["rel"] == {"ml-1m": 4, "scifact": None}
    with pytest.warns(lf.LexiframeWarning, match="left out, since"):  # the results lie there, too
        found = lf.evaluate(folder, **how, reuse=tmp_path / "r")
    assert found.provenance["reused"]["requests"] == 4
    with pytest.warns(lf.LexiframeWarning, match="collection 'ml-1m': .* nothing is reused, since"):
        changed = lf.evaluate(pairs, measures=MEASURES, reuse=tmp_path / "r")
    assert changed.provenance["reused"]["requests"] == 2
    parts = lf.evaluate(pairs, **how, out=tmp_path / "_parts", keep="scores")
    assert parts.comparisons.equals(e.comparisons)
    assert parts.provenance["policies"] == e.provenance["policies"]


@pytest.mark.slow
def test_the_command_line(folder, pairs, lexiframe, tmp_path):
    e = lf.evaluate(pairs, measures="AP", rel={"ml-1m": 4, "scifact": 1})
    said = lexiframe("evaluate", folder, "-m", "AP", "--rel", "ml-1m=4", "--rel", "scifact=1",
                     "--out", tmp_path / "r")  # fmt: skip
    assert said.status == 0
    assert same_tables(lf.read_results(tmp_path / "r"), e)
    text = "collection,runs,qrels,rel\nml-1m,../ml-1m/runs,../ml-1m/qrels.txt,4\n"
    text += "scifact,../scifact/runs,../scifact/qrels/test.tsv,\n"
    said = lexiframe("evaluate", "--collections", table(folder, text), "-m", "AP", "--rel", "1",
                     "--format", "csv")  # fmt: skip
    assert said.out == e.means.write_csv()
    said = lexiframe("evaluate", folder, "-m", "AP", "--format", "markdown")
    assert said.out == lf.evaluate(pairs, measures="AP").markdown()
    assert "lexiframe leaderboard FOLDER -m AP" in " ".join(
        lexiframe("evaluate", folder, "-m", "AP").out.split()
    )
    said = lexiframe("evaluate", "--collections", tmp_path / "not.csv")
    expected = "a table of places (collection, runs, qrels), or a folder of collections, found no"
    error = " ".join(said.err.split())
    assert f"{tmp_path}/not.csv: expected {expected} file; check the name and the folder" in error


@pytest.mark.parametrize("options, status, expected", [
    (("--rel", "4", "--rel", "a=3"), 2, "--rel: expected one value, or NAME=VALUE for each"),
    (("--depth", "a=1.5"), 2, "--depth: expected one value, or NAME=VALUE for each collection, f"),
    (("--rel", "ml1m=4"), 1, "unknown collection of rel 'ml1m'; did you mean ml-1m?"),
    (("--no-relevant", "ml-1m=none"), 1, "collection 'ml-1m': no_relevant: expected "),
    (("--baseline", "none"), 1, "the baseline is a run of each collection: choose one that all ha"),
    (("--items", "items.csv"), 1, "--items: is for runs of one collection; leave it out"),
    (("more.run", "--collections"), 2, "--collections: the table names runs and judgments; leave"),
])  # fmt: skip
def test_the_command_line_says_so(folder, lexiframe, options, status, expected):
    said = lexiframe("evaluate", folder, *options)
    assert said.status == status
    assert expected in " ".join(said.err.replace("│", " ").split())


def test_the_command_line_reads_each_collection_as_it_is_told(folder, lexiframe):
    for run in RUNS:
        path = folder / f"scifact/runs/{run}.run"
        path.write_text("topic,doc_id,score\nq1,d1,1\n")
        path.rename(path.with_suffix(".csv"))
    (folder / "ml-1m").rename(folder / "_ml-1m")
    said = lexiframe("evaluate", folder, "-m", "R", "--column", "query_id=topic", "--format", "csv")
    assert "scifact,x,R,0.5" in said.out
    said = lexiframe(
        "evaluate", folder / "_ml-1m/qrels.txt", folder / "_ml-1m/runs", "--rel", "a=4"
    )
    assert "error: rel: expected one value for one collection, found {'a': 4.0}" in said.err
