"""Several test collections in one call of `positions`, `scores`, `preferences` and `evaluate`."""

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.projection import by_collection

RUNS = {
    run: {
        q: {f"d{d}": float((5 * n + 3 * d + k) % 7) for d in range(6)}
        for n, q in enumerate(["q0", "q1", "q2", "q3", "q4", "q5"])
    }
    for k, run in enumerate("abc")
}
NEWS = {q: {f"d{d}": (n + d) % 3 for d in range(5)} for n, q in enumerate(RUNS["a"])}
LAW = {q: {f"d{d}": (n + 2 * d) % 3 for d in range(5)} for n, q in enumerate([*RUNS["a"]][:5])}
FEWER = {run: RUNS[run] for run in "ab"}
BOTH = {"news": (RUNS, NEWS), "law": (FEWER, LAW)}
MEASURES = ["AP", "RPP", "nDCG@5"]

pytestmark = pytest.mark.filterwarnings("ignore:.*rankings for requests without judgments")


@pytest.fixture(scope="module")
def e():
    return lf.evaluate(BOTH, measures=MEASURES)


@pytest.mark.slow
@pytest.mark.parametrize("collection", [*BOTH])
def test_each_collection_has_the_tables_that_it_has_alone(e, collection):
    alone = lf.evaluate(*BOTH[collection], MEASURES)
    for name, table in {**alone.tables(), "positions": alone.positions}.items():
        found = getattr(e, name).filter(collection=collection).drop("collection")
        assert found.equals(table), name
    assert e.collections[collection].pair("a", "b").equals(alone.pair("a", "b"))
    assert e.provenance["groups"] == ["collection"]


def test_requests_of_the_same_id_are_kept_apart_and_runs_stay_in_their_collections(e):
    p = lf.positions(BOTH)
    assert p.columns[:3] == ["collection", "run", "query_id"]
    runs = p.group_by("collection").agg(pl.col("run").unique().sort()).sort("collection")
    assert runs.rows() == [("law", ["a", "b"]), ("news", ["a", "b", "c"])]
    s, d = lf.scores(p, ["AP", "nDCG@5"]), lf.preferences(p, MEASURES)
    assert s.equals(e.scores)
    assert d.equals(e.preferences)
    assert s.equals(lf.scores(BOTH, ["AP", "nDCG@5"]))
    of_a = s.filter(run="a", measure="AP").pivot("collection", index="query_id", values="value")
    assert of_a.filter(query_id="q5")["law"].to_list() == [None]
    assert of_a["law"].to_list() != of_a["news"].to_list()
    assert lf.compare(s, by="collection").equals(lf.compare(e.scores, by="collection"))


def test_a_leaderboard_of_it_has_the_means_of_each_collection(e):
    board = lf.leaderboard(e, measure="AP", missing="votes", rule="borda")
    means = e.means.filter(measure="AP").select("run", "collection", value="mean")
    ours = board.cells.join(means, on=["run", "collection"])
    assert ours.height == board.cells.height == 5
    assert ours["value"].to_list() == pytest.approx(ours["value_right"].to_list())
    assert board.gaps.select("run", "collection").rows() == [("c", "law")]
    of_requests = lf.leaderboard(e, measure="AP", over="requests").ranking
    assert of_requests["run"].to_list() == ["a", "b"]
    with pytest.raises(lf.LexiframeError, match="choose one: measure='AP'"):
        lf.leaderboard(e)


def frames(collections):
    """Return runs and judgments of all collections as two frames with a column of them."""
    runs, qrels = [], []
    for name, (of_runs, of_qrels) in collections.items():
        runs += [
            (name, run, q, doc, score)
            for run, found in of_runs.items() for q, docs in found.items()
            for doc, score in docs.items()
        ]  # fmt: skip
        qrels += [(name, q, doc, g) for q, docs in of_qrels.items() for doc, g in docs.items()]
    return (
        pl.DataFrame(runs, ["collection", "run", "query_id", "doc_id", "score"], orient="row"),
        pl.DataFrame(qrels, ["collection", "query_id", "doc_id", "relevance"], orient="row"),
    )


def test_collections_that_frames_do_not_share():
    runs, qrels = frames(BOTH)
    with pytest.raises(lf.LexiframeError, match="judgments of each collection, found none for 1 "):
        lf.positions(runs, qrels.filter(collection="law"))
    with pytest.warns(lf.LexiframeWarning, match="collections without runs, left out: 1 .'news'"):
        found = lf.positions(runs.filter(collection="law"), qrels)
    assert found["collection"].unique().to_list() == ["law"]
    holed = runs.with_columns(collection=pl.lit(None, pl.String))
    with pytest.raises(lf.LexiframeError, match="expected a collection in each row, found none in"):
        lf.positions(holed, qrels)


@pytest.mark.parametrize(
    "given, message",
    [
        ((RUNS,), "positions: expected judgments for the runs .qrels., or collections .*, found "),
        (("runs/",), "or collections {name: .runs, qrels.}, found runs alone"),
        (({},), "found runs alone"),
        ((BOTH, NEWS), "collections {name: .runs, qrels.} have their own judgments, found {'q0'"),
        (({1: BOTH["news"], "1": BOTH["law"]},), "expected different names of collections"),
        (({None: BOTH["news"]},), "each with a sign or more, found .None."),
        (({"news": (RUNS, {"x": {"d": 1}})},), "collection 'news': .*"),
    ],
)
def test_what_is_no_collection_is_refused(given, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.positions(*given)
    with pytest.raises(lf.LexiframeError, match=message.replace("positions:", "evaluate:")):
        lf.evaluate(*given)


def test_warnings_and_errors_name_the_collection():
    lacking = {**FEWER, "b": {q: FEWER["b"][q] for q in ["q0", "q1"]}}
    with pytest.warns(lf.LexiframeWarning, match="collection 'law': rankings missing"):
        lf.evaluate({"news": (RUNS, NEWS), "law": (lacking, LAW)}, measures="AP")
    with pytest.raises(lf.UnknownNameError, match="collection 'law': unknown run 'c'"):
        lf.evaluate(BOTH, measures="AP", baseline="c")
    with by_collection.told_of("x"), pytest.raises(lf.LexiframeError, match="no"):
        raise lf.LexiframeError("no")


def test_questions_about_single_requests_are_asked_of_one_collection(e):
    asks = {
        "pair": ("a", "b"), "explain": ("q0", "a", "b"), "requests": (),
        "part": (), "origin": ("ranks",),
    }  # fmt: skip
    for name, arguments in asks.items():
        with pytest.raises(
            lf.LexiframeError, match=r"requests of its own; ask one of them: e.coll.*'news'"
        ):
            getattr(e, name)(*arguments)
    with pytest.raises(lf.LexiframeError, match="has 2 collections"):
        _ = e.collection


def test_it_prints_each_collection(e):
    text = " ".join(str(e.summary("all")).split())
    assert "law: Coverage: 2 runs, 5 requests" in text
    assert "news: Coverage: 3 runs, 6 requests" in text
    assert "for collection = law" in text
    assert "collection" in e.markdown()


@pytest.mark.slow
def test_attributes_of_requests_form_groups_within_collections():
    kinds = pl.DataFrame({"query_id": [*RUNS["a"]], "kind": ["x", "y"] * 3})
    found = lf.evaluate(BOTH, measures="AP", requests=kinds, by="kind")
    alone = lf.evaluate(*BOTH["law"], "AP", requests=kinds, by="kind")
    assert found.means.columns[:2] == ["collection", "kind"]
    assert found.means.filter(collection="law").drop("collection").equals(alone.means)
    assert lf.compare(found).equals(found.comparisons)
    apart = pl.concat(
        kinds.select(pl.lit(name).alias("collection"), pl.all()) for name in ("news", "law")
    )
    assert lf.evaluate(BOTH, measures="AP", requests=apart, by="kind").means.equals(found.means)
    with pytest.raises(lf.LexiframeError, match="leave 'collection' out of by"):
        lf.evaluate(BOTH, measures="AP", requests=apart, by=["collection", "kind"])
    with pytest.raises(lf.UnknownNameError, match="unknown collection of requests 'law'"):
        lf.evaluate(BOTH, measures="AP", requests=apart.filter(collection="news"), by="kind")


@pytest.mark.slow
def test_it_is_written_and_read_back_and_reused(e, tmp_path):
    e.write(tmp_path / "r")
    again = lf.read_results(tmp_path / "r")
    assert str(again) == str(e)
    for name, table in e.tables().items():
        assert again.tables()[name].equals(table), name
    found = lf.evaluate(BOTH, measures=MEASURES, reuse=tmp_path / "r")
    assert found.collections["law"].provenance["reused"]["requests"] == 5
    assert found.comparisons.equals(e.comparisons)
    lf.leaderboard(e, measure="AP").write(tmp_path / "board")
    board = tmp_path / "r/collections/law"
    for path in board.glob("*.parquet"):
        path.unlink()
    with pytest.raises(lf.ReadError, match=r"collections.law: expected the files that Evaluation"):
        lf.read_results(tmp_path / "r")
    for path in (tmp_path / "board").glob("*.parquet"):
        path.rename(board / path.name)
    with pytest.raises(lf.ReadError, match="expected an evaluation, found a leaderboard"):
        lf.read_results(tmp_path / "r")


def test_collections_that_go_that_come_and_whose_names_are_long(tmp_path):
    long = ["n" * 300, "n" * 300 + "2"]
    given = dict(zip(long, BOTH.values(), strict=True))
    lf.evaluate(given, measures="AP").write(tmp_path)
    (tmp_path / "collections/mine").mkdir()
    (tmp_path / "collections/mine/means.parquet").write_text("not ours")
    assert [*lf.read_results(tmp_path).collections] == long
    more = {long[0]: BOTH["news"], "law": BOTH["law"]}
    e = lf.evaluate(more, measures="AP", reuse=tmp_path)
    assert e.provenance["reused"]["requests"] == 6
    assert e.comparisons.equals(lf.evaluate(more, measures="AP").comparisons)
    e.write(tmp_path)
    assert [*lf.read_results(tmp_path).collections] == [long[0], "law"]
    assert len([*(tmp_path / "collections").iterdir()]) == 3
    e.collections["law"].write(tmp_path)
    assert [path.name for path in (tmp_path / "collections").iterdir()] == ["mine"]
    with pytest.raises(lf.LexiframeError, match=r"the folder that Evaluation\.write wrote"):
        lf.evaluate(more, measures="AP", reuse=tmp_path / "none")


@pytest.mark.slow
def test_collections_in_parts(e, tmp_path):
    found = lf.evaluate(BOTH, measures=MEASURES, out=tmp_path / "out", keep="scores")
    assert found.comparisons.equals(e.comparisons)
    assert {*found.parts} == {"law/scores", "news/scores"}
    with pytest.raises(
        lf.LexiframeError, match=r"collection 'news': scores: .*they are in parts in"
    ):
        _ = found.scores
    found.write(tmp_path / "out")
    kept = pl.read_parquet(found.parts["law/scores"] + "/*.parquet")
    assert kept.height == e.scores.filter(collection="law").height
    assert lf.read_results(tmp_path / "out").comparisons.equals(e.comparisons)


def test_measures_that_need_judged_items_or_subtopics_have_them(e):
    s = lf.scores(BOTH, "bpref AP")
    alone = lf.scores(lf.positions(*BOTH["law"], judged=True), "bpref AP")
    assert s.filter(collection="law").drop("collection").equals(alone)
    topics = pl.DataFrame(
        [(q, str(n % 2), d, g) for q, docs in LAW.items() for n, (d, g) in enumerate(docs.items())],
        ["query_id", "subtopic", "doc_id", "relevance"], orient="row",
    )  # fmt: skip
    by_topic = lf.scores({"law": (FEWER, topics)}, "alpha_nDCG")
    alone = lf.scores(lf.positions(FEWER, topics, subtopics=True), "alpha_nDCG")
    assert by_topic.drop("collection").equals(alone)


def test_what_takes_one_collection_says_so(e):
    p = lf.positions(BOTH)
    imputed = lf.impute(p, 100)
    alone = lf.impute(p.filter(collection="law").drop("collection"), 100)
    assert imputed.filter(collection="law").drop("collection").equals(alone)
    with pytest.raises(lf.SchemaError, match=r"rows of one collection, found 2 .'law', 'news'."):
        lf.explain(e, "q0", "a", "b")
    runs, _ = frames(BOTH)
    with pytest.raises(lf.LexiframeError):
        lf.positions(runs, NEWS)


@pytest.mark.parametrize("end", ["frame", "csv", "parquet"])
def test_read_runs_and_read_qrels_keep_the_collections_and_nothing_pools(e, tmp_path, end):
    given = frames(BOTH)
    if end != "frame":
        places = [tmp_path / f"{name}.{end}" for name in ("runs", "qrels")]
        for frame, place in zip(given, places, strict=True):
            getattr(frame, f"write_{end}")(place)
        given = places
        with pytest.raises(lf.SchemaError, match=r"expected one collection, found 2 .*read_runs"):
            lf.positions(*given)
        with pytest.raises(lf.SchemaError, match="expected one collection, found "):
            lf.evaluate(given[0], NEWS, MEASURES, memory="1MB", out=tmp_path, keep="scores")
    runs, qrels = lf.read_runs(given[0]), lf.read_qrels(given[1])
    assert [runs.column_names[0], qrels.column_names[0]] == ["collection"] * 2
    assert lf.evaluate(runs, qrels, MEASURES).comparisons.equals(e.comparisons)
    named = lf.read_runs(
        {"a": frames(BOTH)[0].filter(run="a"), "z": frames(BOTH)[0].filter(run="b")}
    )
    assert sorted({*named.select(["collection", "run"]).to_pandas().itertuples(index=False)}) == [
        ("law", "a"), ("law", "z"), ("news", "a"), ("news", "z")
    ]  # fmt: skip
    with pytest.raises(lf.SchemaError, match="expected a column collection in all tables, found n"):
        lf.read_runs({"a": frames(BOTH)[0].filter(run="a"), "z": RUNS["b"]})
    holed = frames(BOTH)[1].with_columns(collection=pl.lit(None, pl.String))
    with pytest.raises(
        lf.SchemaError, match="found none in 55 rows; fill it in, or drop the column"
    ):
        lf.read_qrels(holed)


def test_scores_of_several_collections_are_evaluated_as_runs_are(e, tmp_path):
    alone = lf.evaluate_scores(lf.scores(lf.positions(*BOTH["law"]), ["AP", "nDCG@5"]))
    found = lf.evaluate_scores(e.scores)
    assert [*found.collections] == [*e.collections]
    of_law = found.comparisons.filter(collection="law").drop("collection")
    assert of_law.equals(alone.comparisons)
    e.scores.write_csv(tmp_path / "scores.csv")
    assert lf.evaluate_scores(tmp_path / "scores.csv", "AP").means.equals(
        found.means.filter(measure="AP")
    )
    found.write(tmp_path / "r")
    assert str(lf.read_results(tmp_path / "r")) == str(found)
    with pytest.raises(lf.LexiframeError, match="found a leaderboard"):
        lf.evaluate_scores(e.means.filter(measure="AP").select("collection", "run", value="mean"))
