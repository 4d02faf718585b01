"""Adding runs, and reusing results: the same tables as computing all at once, with less work."""

import json
import shutil
import tempfile
import warnings
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import lexiframe as lf
from lexiframe.connect.engines.reuse import ranks as reuse
from lexiframe.core.base import hashing
from lexiframe.core.evaluation import written_ranks
from lexiframe.core.io import kept_results
from lexiframe.core.io.run_scan import RunScan
from lexiframe.core.io.to_parquet import write_parquet_file
from lexiframe.core.metrics import coverages
from lexiframe.core.metrics import scored as metric_scores
from lexiframe.core.pairwise.recall_paired import LevelPreference
from lexiframe.core.projection import answers
from tests.strategies import SUBTOPICS, collections

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")]

EXAMPLE = lf.bundled("example")
QRELS, RUNS = EXAMPLE / "qrels.txt", EXAMPLE / "runs"
FEWER = settings(max_examples=settings().max_examples // 2)


def more_found(p):
    """A preference of one's own, which depends on the other runs."""
    found = np.isfinite(p).sum(axis=1)
    place = np.searchsorted(np.unique(found), found)
    return (place[:, None] - place[None, :]) / len(found)


root = lf.RecallLevelMetric("root", exposure=lambda p: 1 / p.sqrt(), weight=lambda i, m: 1 / m)
mine = lf.SearchLength("mine", lambda p: p, lambda i, m: 1 / m)
DEFAULT = "RPP LR LP AP nDCG@10 RR"
BUILT_IN = [
    *DEFAULT.split(),
    *"RBP(p=0.8) infAP bpref AP(rel=2) LR(rel=2) RPP(rel=2) ISL LR.rank rrLP dcgRPP@2".split(),
    *"Judged@10 num_ret SetP gm_map DCG RR>AP".split(),
]
BY_SUBTOPIC = ["strec@5", "alpha_nDCG@5", "ERR_IA@5", "ST-RPP"]
OWN = [root, mine, more_found]


def assert_same(found, expected):
    """All tables, the positions and the provenance, but for the line on what was reused."""
    assert found.tables().keys() == expected.tables().keys()
    for name, table in expected.tables().items():
        assert_frame_equal(found.tables()[name], table, check_exact=True)
    noted = {name: fact for name, fact in found.provenance.items() if name != "reused"}
    assert json.dumps(noted) == json.dumps(expected.provenance)
    assert list(noted) == list(expected.provenance)
    if expected._origin.measures and not all(
        m.needs == "subtopics" for m in expected._origin.measures
    ):
        assert_frame_equal(found.positions, expected.positions)


def evaluated(*arguments, **options):
    """`evaluate`, or no example when it refuses these data."""
    try:
        return lf.evaluate(*arguments, **options)
    except lf.LexiframeError as error:
        assume(False)
        raise AssertionError from error


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "no_relevant": st.just("zero"),
        "depth": st.integers(1, 4),
        "rel": st.sampled_from([1.0, 2.0]),
        "ties": st.sampled_from(["doc_id_asc", "input"]),
        "unjudged": st.just("remove"),
        "exclude_self": st.just(True),
        "order": st.sampled_from(["borda", "mean", "copeland"]),
        "test": st.just("sign"),
        "alpha": st.just(0.2),
        "correction": st.just("bh"),
    },
)
SOME = st.lists(
    st.sampled_from([*BUILT_IN, *BY_SUBTOPIC, *OWN]), min_size=1, max_size=6, unique_by=str
)
COLLECTIONS = st.one_of(collections(min_runs=2), collections(min_runs=2, iterations=SUBTOPICS))


# --- Adding runs --------------------------------------------------------------------------------


@FEWER
@given(COLLECTIONS, SOME, OPTIONS, st.data())
def test_adding_runs_is_evaluating_all(collection, measures, options, data):
    runs, qrels = collection
    names = runs["run"].unique().sort().to_list()
    new = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    assume(len(new) < len(names))
    options = {**options, "baseline": data.draw(st.sampled_from([None, names[0]]))}
    whole = evaluated(runs, qrels, measures, **options)
    if options["baseline"] in new:
        options["baseline"] = None
        whole = evaluated(runs, qrels, measures, **options)
    is_new = pl.col("run").is_in(new)
    e = evaluated(runs.filter(~is_new), qrels, measures, **options)
    assert_same(lf.add_runs(e, runs.filter(is_new)), whole)


@FEWER
@given(collections(min_runs=3), st.randoms(use_true_random=False))
def test_runs_are_added_one_after_the_other_within_groups(collection, random):
    runs, qrels = collection
    names = runs["run"].unique().sort().to_list()
    random.shuffle(names)
    queries = qrels["query_id"].unique().sort()
    groups = pl.DataFrame({"query_id": queries, "half": [n % 2 for n in range(len(queries))]})
    options = {"requests": groups, "by": "half", "measures": DEFAULT}
    e = evaluated(runs.filter(run=names[0]), qrels, **options | {"measures": "AP"})
    e = evaluated(runs.filter(pl.col("run").is_in(names[:2])), qrels, **options)
    for name in names[2:]:
        e = lf.add_runs(e, runs.filter(run=name))
    assert_same(e, evaluated(runs, qrels, **options))


def test_a_run_alone_has_the_default_measures_once_it_is_not_alone():
    e = lf.evaluate(RUNS / "random.run", QRELS)
    assert e.provenance["measures"] == ["AP", "nDCG@10", "RR"]
    assert_same(lf.add_runs(e, RUNS), lf.evaluate(RUNS, QRELS))


def test_positions_that_were_not_kept_are_found_again(monkeypatch, tmp_path):
    shutil.copytree(RUNS, tmp_path / "runs")
    whole = lf.evaluate(tmp_path / "runs", QRELS, DEFAULT)
    monkeypatch.setattr(
        "lexiframe.core.evaluation.evaluated_data.memory_use", SimpleNamespace(available=lambda: 0)
    )
    e = lf.evaluate(tmp_path / "runs" / "p*.run", QRELS, DEFAULT)
    assert e._origin.ranked is None
    more = lf.add_runs(e, tmp_path / "runs" / "random.run")
    monkeypatch.undo()
    assert_same(more, whole)
    (tmp_path / "runs" / "pca8_euclidean.run").write_text("q0066 Q0 d 1 1 t\n")
    with pytest.raises(lf.ReadError, match="expected the bytes that were evaluated"):
        lf.add_runs(e, tmp_path / "runs" / "random.run")


def test_runs_that_are_there_already_are_left_out():
    e = lf.evaluate(RUNS / "p*.run", QRELS, DEFAULT)
    for same in (RUNS / "p*.run", lf.scan_runs([RUNS / "pca8_euclidean.run"])):
        with pytest.warns(lf.LexiframeWarning, match="has already, left out"):
            assert lf.add_runs(e, same) is e
    with pytest.warns(lf.LexiframeWarning, match=r"left out: 2 \('pca8_euclidean', 'pixels"):
        assert_same(lf.add_runs(e, RUNS), lf.evaluate(RUNS, QRELS, DEFAULT))
    renamed = lf.add_runs(e, {"again": RUNS / "pca8_euclidean.run"})
    twin = renamed.preferences.filter(run_a="again", run_b="pca8_euclidean")
    assert twin["preference"].unique().to_list() == [0]
    frame = pl.from_arrow(lf.read_runs(RUNS))
    e = lf.evaluate(frame.filter(pl.col("run") != "random"), QRELS, DEFAULT)
    with pytest.warns(lf.LexiframeWarning, match=r"left out: 1 \('pca8_euclidean'\)"):
        assert lf.add_runs(e, frame.filter(run="pca8_euclidean").reverse()) is e


def test_other_rankings_under_a_known_name_are_refused():
    e = lf.evaluate(RUNS / "p*.run", QRELS, DEFAULT)
    other = {"pca8_euclidean": RUNS / "random.run"}
    advice = r"other rankings; leave it out, or give it another name, as in \{'name': path\}"
    with pytest.raises(lf.LexiframeError, match=f"add_runs: expected new runs, .*{advice}"):
        lf.add_runs(e, other)
    frame = pl.from_arrow(lf.read_runs(RUNS))
    e = lf.evaluate(frame.filter(pl.col("run") != "random"), QRELS, DEFAULT)
    with pytest.raises(lf.LexiframeError, match="which the evaluation has already; leave it out"):
        lf.add_runs(e, frame)  # two of the three runs of one table


def test_runs_that_are_read_in_another_way_are_added(tmp_path):
    table = tmp_path / "table.csv"
    frame = pl.from_arrow(lf.read_runs(RUNS / "random.run"))
    frame.select(frage="query_id", stueck="doc_id", wert="score").write_csv(table)
    columns = {"query_id": "frage", "doc_id": "stueck", "score": "wert"}
    e = lf.evaluate(RUNS / "p*.run", QRELS, DEFAULT)
    more = lf.add_runs(e, lf.scan_runs({"random": table}, columns=columns))
    whole = lf.evaluate(RUNS, QRELS, DEFAULT)
    for name, expected in whole.tables().items():
        assert_frame_equal(more.tables()[name], expected, check_exact=True)
    assert more.provenance["runs"][2]["reading"] == {"columns": columns}
    assert lf.positions(*more.collection).equals(whole.positions)


def test_scores_have_no_rankings_to_add_runs_to():
    s = lf.scores(lf.positions(RUNS, QRELS), "AP")
    with pytest.raises(lf.LexiframeError, match="add_runs: this evaluation was computed from"):
        lf.add_runs(lf.evaluate_scores(s), RUNS)


# --- What is computed ---------------------------------------------------------------------------


@pytest.fixture
def work(monkeypatch):
    """Counts the pairs × requests of RPP, and the rankings of metrics, that are computed."""
    done = {"pairs": 0, "rankings": 0}
    compute, checked = LevelPreference.compute, metric_scores._checked_values

    def pairs(self, block, known=None):
        delta = compute(self, block, known)
        done["pairs"] += delta.size
        return delta

    def rankings(metric, some):
        done["rankings"] += len(some)
        return checked(metric, some)

    def so_far():
        found = dict(done)
        done.update(pairs=0, rankings=0)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(LevelPreference, "compute", pairs)
        patched.setattr(metric_scores, "_checked_values", rankings)
        patched.setattr(coverages, "coverage_sums", lambda ranked, *_: no_coverage(ranked))
        yield so_far


def no_coverage(ranked):
    """Coverage scores all rankings of its own."""
    none = coverages.no_coverage([run.name for run in ranked.runs])
    counts = answers.counts_of(ranked) if ranked.runs else none.counts
    return coverages.CoverageSums(counts, none.bounds)


def test_only_new_pairs_and_rankings_are_computed(work):
    e = lf.evaluate(RUNS / "p*.run", QRELS, "RPP AP RR")
    assert work() == {"pairs": 5, "rankings": 30}  # nDCG@10 too, which the coverage has
    assert (e.scores.height, e.preferences.height) == (20, 15)  # made now, and kept
    assert work() == {"pairs": 5, "rankings": 20}
    assert e.scores is e.scores
    lf.add_runs(e, RUNS / "random.run")
    assert work() == {"pairs": 10, "rankings": 10}


def test_only_touched_requests_and_new_measures_are_computed(work, tmp_path):
    lf.evaluate(RUNS, QRELS, "RPP AP RR").write(tmp_path)
    # for the sums, with nDCG@10 for the coverage, and for the tables that it wrote
    assert work() == {"pairs": 30, "rankings": 45 + 30}
    e = lf.evaluate(RUNS, QRELS, "RPP AP RR", reuse=tmp_path)
    assert work() == {"pairs": 0, "rankings": 0}
    assert e.provenance["reused"] == {"runs": 3, "requests": 5, "measures": 3, "pairs": 3}
    grown = more_judgments("q0113")
    e = lf.evaluate(RUNS, grown, "RPP AP RR", reuse=tmp_path)
    assert work() == {"pairs": 3, "rankings": 6}
    assert e.provenance["reused"] == {"runs": 3, "requests": 4, "measures": 3, "pairs": 3}
    e = lf.evaluate(RUNS, grown, "RPP AP RR dcgRPP nDCG", reuse=tmp_path)
    assert work() == {"pairs": 3 + 15, "rankings": 6 + 15}
    assert e.provenance["reused"] == {"runs": 3, "requests": 4, "measures": 3, "pairs": 3}
    e = lf.evaluate(RUNS / "p*.run", QRELS, "RPP", reuse=tmp_path)
    assert work() == {"pairs": 0, "rankings": 0}
    assert e.provenance["reused"] == {"runs": 2, "requests": 5, "measures": 1, "pairs": 1}


def more_judgments(query_id):
    """The example's judgments, and a document more for one request."""
    more = pl.DataFrame({"query_id": query_id, "doc_id": "new", "relevance": 1.0})
    qrels = pl.from_arrow(lf.read_qrels(QRELS))
    return pl.concat([qrels, more.with_columns(iteration=pl.lit("0")).select(qrels.columns)])


def test_files_that_have_not_changed_are_not_read(tmp_path, monkeypatch):
    """Unless a judgment has changed: other documents may then have ranks that are wanted."""
    read, load = [], RunScan.load

    def noted(scan, index, **how):
        read.append(scan.sources[index].name)
        return load(scan, index, **how)

    monkeypatch.setattr(RunScan, "load", noted)
    lf.evaluate(RUNS / "p*.run", QRELS, DEFAULT).write(tmp_path)
    read.clear()
    lf.evaluate(RUNS, QRELS, DEFAULT, reuse=tmp_path)
    assert read == ["random"]
    read.clear()
    e = lf.evaluate(RUNS / "p*.run", QRELS, "P@5", reuse=tmp_path)
    assert read == []
    assert_same(e, lf.evaluate(RUNS / "p*.run", QRELS, "P@5"))
    read.clear()
    lf.evaluate(RUNS / "p*.run", more_judgments("q0113"), DEFAULT, reuse=tmp_path)
    assert sorted(read) == ["pca8_euclidean", "pixels_euclidean"]


def test_a_file_with_several_runs_and_runs_named_by_their_tags(tmp_path):
    frame, both = pl.from_arrow(lf.read_runs(RUNS)), tmp_path / "random.parquet"
    frame.filter(pl.col("run") != "pca8_euclidean").write_parquet(both)
    sources = [both, RUNS / "pca8_euclidean.run"]
    lf.evaluate(sources, QRELS, DEFAULT).write(tmp_path / "out")
    e = lf.evaluate(sources, QRELS, DEFAULT, reuse=tmp_path / "out")
    assert e.provenance["reused"]["runs"] == 3
    assert_same(e, lf.evaluate(sources, QRELS, DEFAULT))
    for tag in "ab":
        (tmp_path / f"{tag}.run").write_text(f"q0066 Q0 {tag} 1 1 {'ba'['ab'.index(tag)]}\n")
    by_file = [tmp_path / "a.run", tmp_path / "b.run"]
    lf.evaluate(by_file, QRELS, DEFAULT).write(tmp_path / "out")
    by_tag = lf.scan_runs(by_file, name_from="tag")
    e = lf.evaluate(by_tag, QRELS, DEFAULT, reuse=tmp_path / "out")
    assert e.provenance["reused"]["runs"] == 0
    assert_same(e, lf.evaluate(by_tag, QRELS, DEFAULT))


def test_what_depends_on_other_runs_is_computed_again(tmp_path):
    runs = lf.read_runs(RUNS)
    lf.evaluate(RUNS / "p*.run", QRELS, ["ISL", "LR.rank", "AP"]).write(tmp_path)
    e = lf.evaluate(RUNS, QRELS, ["ISL", "LR.rank", "AP"], reuse=tmp_path)
    assert e.provenance["reused"]["measures"] == 1
    lf.evaluate(runs, QRELS, [more_found, root, "ISL", "LR.rank"]).write(tmp_path)
    e = lf.evaluate(runs, QRELS, [more_found, root, "ISL", "LR.rank"], reuse=tmp_path)
    assert e.provenance["reused"]["measures"] == 2  # a function may have changed since


# --- Reusing results ----------------------------------------------------------------------------


@FEWER
@given(COLLECTIONS, SOME, SOME, OPTIONS, st.data())
def test_reused_results_are_those_of_evaluating_all(collection, before, now, options, data):
    runs, qrels = collection
    names = runs["run"].unique().sort().to_list()
    old_runs, old_qrels = changed(data, runs, "score"), changed(data, qrels, "relevance")
    assume(old_runs["run"].n_unique() > 1)
    e = evaluated(old_runs, old_qrels, before, **options)
    options = {**options, "baseline": data.draw(st.sampled_from([None, *names]))}
    whole = evaluated(runs, qrels, now, **options)
    with tempfile.TemporaryDirectory() as folder:
        e.write(folder)
        assert_same(lf.evaluate(runs, qrels, now, reuse=folder, **options), whole)


def changed(data, frame, column):
    """Without some runs or requests, without some rows, and with some other numbers."""
    name = frame.columns[0]
    left = data.draw(st.lists(st.sampled_from(frame[name].unique().sort().to_list()), max_size=1))
    some = frame.filter(~pl.col(name).is_in(left))
    rows = data.draw(st.lists(st.integers(0, max(some.height - 1, 0)), max_size=2))
    how = data.draw(st.sampled_from(["kept", "dropped", "other"]))
    row = pl.int_range(pl.len()).is_in(rows)
    if how == "dropped":
        some = some.filter(~row)
    if how == "other":
        some = some.with_columns(pl.when(row).then(pl.col(column) + 1).otherwise(pl.col(column)))
    assume(some.height)
    return some


ALL = lf.measures()["name"].to_list()


def test_every_measure_can_be_reused(tmp_path):
    """Of runs that join others, of other judgments, and by itself."""
    measures = known_measures()
    assert len(measures) > 60
    grown = more_judgments("q0113")
    lf.evaluate(RUNS / "p*.run", QRELS, measures).write(tmp_path)
    whole = lf.evaluate(RUNS, grown, measures)
    assert_same(lf.evaluate(RUNS, grown, measures, reuse=tmp_path), whole)
    e = lf.evaluate(RUNS / "p*.run", grown, measures)
    assert_same(lf.add_runs(e, RUNS / "random.run"), whole)


def known_measures():
    """All measures that need no parameter, and no other qrels, for the example."""
    found = []
    for name in ALL:
        for notation in (name, f"{name}@5"):
            try:
                lf.evaluate(RUNS, QRELS, notation)
            except lf.LexiframeError:
                continue
            found.append(notation)
            break
    return found


@pytest.mark.parametrize("name", ["trec_web_2012", "trec_robust_2003", "cranfield"])
def test_real_collections(shared, name, tmp_path):
    folder = shared / "data" / name
    files = sorted((folder / "runs").iterdir())[:5]
    qrels = next(
        f for f in (folder / "qrels.diversity.trec.gz", folder / "qrels.trec") if f.exists()
    )
    measures = [m for m in BUILT_IN if "rel=2" not in m]
    measures += BY_SUBTOPIC if name == "trec_web_2012" else []
    judged = pl.from_arrow(lf.read_qrels(qrels, duplicates="best"))
    half = judged.filter((pl.col("query_id").hash() % 3 != 0) | (pl.int_range(pl.len()) % 2 == 0))
    e = lf.evaluate(files[:4], half, measures)
    e.write(tmp_path)
    whole = lf.evaluate(files, judged, measures)
    found = lf.evaluate(files, judged, measures, reuse=tmp_path)
    assert_same(found, whole)
    reused = found.provenance["reused"]
    assert 0 < reused["requests"] < judged["query_id"].n_unique()
    assert (reused["runs"], reused["pairs"]) == (4, 6)
    e = lf.evaluate(files[:4], judged, measures)
    assert_same(lf.add_runs(e, files[4]), whole)


def test_a_changed_file_is_computed_again(tmp_path):
    shutil.copytree(RUNS, tmp_path / "runs")
    lf.evaluate(tmp_path / "runs", QRELS, DEFAULT).write(tmp_path / "out")
    (tmp_path / "runs" / "random.run").write_bytes((RUNS / "pca8_euclidean.run").read_bytes())
    e = lf.evaluate(tmp_path / "runs", QRELS, DEFAULT, reuse=tmp_path / "out")
    assert e.provenance["reused"]["runs"] == 2
    assert_same(e, lf.evaluate(tmp_path / "runs", QRELS, DEFAULT))
    (tmp_path / "runs").rename(tmp_path / "moved")
    e.write(tmp_path / "out")
    e = lf.evaluate(tmp_path / "moved", QRELS, DEFAULT, reuse=tmp_path / "out")
    assert e.provenance["reused"]["runs"] == 3  # where a file lies does not matter


def mixed(state):
    """SplitMix64: one step of the generator, and its finaliser."""
    state = (state + 0x9E3779B97F4A7C15) % 2**64
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) % 2**64
    return state ^ (state >> 31)


def hash_of(*values):
    """Texts, 8 bytes at a time behind their length, and the bits of numbers, one after another."""
    total = 0
    for value in values:
        if isinstance(value, float):
            own = int(np.float64(value).view(np.uint64))
        else:
            data = value.encode()
            own = mixed(len(data))
            for start in range(0, len(data), 8):
                own = mixed((own + int.from_bytes(data[start : start + 8], "little")) % 2**64)
        total = mixed((total + own) % 2**64)
    return total


def test_fingerprints_are_the_same_everywhere(tmp_path):
    """They depend on nothing but texts and numbers, so that other machines find the same."""
    ids = {"query_id": ["1", "1"], "doc_id": ["5", "a longer id"], "score": [1.0, 2.0]}
    runs = pl.DataFrame({"run": "a", **ids})
    for frame in (runs, runs.cast({"query_id": pl.Int64})):
        lf.evaluate(frame, {"1": {"5": 1}}, "AP").write(tmp_path)
        marks = pl.read_parquet(tmp_path / "fingerprints.parquet")
        rows = hash_of("1", "5", 1.0) + hash_of("1", "a longer id", 2.0)
        assert marks.rows() == [
            ("measure", "AP", "built-in"),
            ("run", "a", f"rows:{rows % 2**64:016x}"),
            ("request", "1", str(hash_of("5", "0", 1.0))),
        ]


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"depth": 5}, "it was computed with depth=None, and now depth=5"),
        ({"no_relevant": "zero"}, "with no_relevant='drop', and now no_relevant='zero'"),
    ],
)
def test_other_policies_reuse_nothing_and_say_so(tmp_path, options, reason):
    lf.evaluate(RUNS, QRELS, DEFAULT).write(tmp_path)
    with pytest.warns(lf.LexiframeWarning, match=f"nothing is reused, since .*{reason}"):
        e = lf.evaluate(RUNS, QRELS, DEFAULT, reuse=tmp_path, **options)
    assert e.provenance["reused"] == {"runs": 0, "requests": 0, "measures": 0, "pairs": 0}
    assert_same(e, lf.evaluate(RUNS, QRELS, DEFAULT, **options))


def test_another_collection_or_version_reuses_nothing_and_says_so(tmp_path, monkeypatch):
    lf.evaluate({"x": {"q": {"a": 1}}}, {"q": {"a": 1}}, "AP").write(tmp_path)
    with pytest.warns(lf.LexiframeWarning, match="since all runs have changed"):
        lf.evaluate(RUNS, QRELS, "AP", reuse=tmp_path)
    lf.evaluate(RUNS, QRELS, "AP").write(tmp_path)
    qrels = pl.from_arrow(lf.read_qrels(QRELS)).with_columns(pl.col("relevance") + 1)
    with pytest.warns(
        lf.LexiframeWarning, match="since the judgments of all requests have changed"
    ):
        lf.evaluate(RUNS, qrels, "AP", reuse=tmp_path)
    monkeypatch.setattr(reuse, "__version__", "99.1.0")
    other = {"x": {"q0066": {"d0006": 1}}}
    for runs in (RUNS, other):  # of several reasons this one is said
        with pytest.warns(lf.LexiframeWarning, match="was written by lexiframe .*, and this is 99"):
            lf.evaluate(runs, QRELS, "AP", reuse=tmp_path)


@pytest.fixture
def results(tmp_path):
    lf.evaluate(RUNS, QRELS, DEFAULT).write(tmp_path / "results")
    return tmp_path / "results"


def refused(folder, message, error=lf.ReadError):
    with pytest.raises(error, match=message):
        lf.evaluate(RUNS, QRELS, DEFAULT, reuse=folder)


def test_a_folder_that_is_none_is_refused(results):
    refused(results / "nowhere", "is not there; name the folder that Evaluation.write wrote")
    refused(results / "means.parquet", "is a file; name the folder")
    refused(3, "expected reuse to be text or a path or None, found an int", TypeError)


def test_only_new_runs_are_covered_and_judgments_hashed_once(tmp_path, monkeypatch):
    old = lf.evaluate(RUNS / "p*.run", QRELS, "AP")
    old.write(tmp_path)
    expected = lf.evaluate(RUNS, QRELS, "AP")
    covered, hashed, count, mixed = [], [], coverages.coverage_sums, hashing.bits_of

    def coverage_sums(ranked, *others):
        covered.append([run.name for run in ranked.runs])
        return count(ranked, *others)

    def bits_of(numbers):
        hashed.append(len(numbers))
        return mixed(numbers)

    monkeypatch.setattr(coverages, "coverage_sums", coverage_sums)
    monkeypatch.setattr(hashing, "bits_of", bits_of)
    assert_same(lf.evaluate(RUNS, QRELS, "AP", reuse=tmp_path), expected)
    assert_same(lf.add_runs(old, RUNS), expected)
    assert covered == [["random"], ["random"]]
    assert len(hashed) == 1  # once for the results in the folder; those that are held have theirs
    fewer = lf.read_qrels(QRELS)[1:]  # judgments that changed change the coverage of all runs
    changed = lf.evaluate(RUNS, fewer, "AP", reuse=tmp_path)
    assert_same(changed, lf.evaluate(RUNS, fewer, "AP"))


def test_ranks_that_an_earlier_version_wrote_are_not_taken(tmp_path, monkeypatch):
    """They may lack what coverage counts now."""
    lf.evaluate(RUNS, QRELS, "AP").write(tmp_path)
    monkeypatch.setitem(written_ranks.SCHEMA, "later", pl.Int64)
    with pytest.warns(lf.LexiframeWarning, match="nothing is reused, since its ranks lack later"):
        e = lf.evaluate(RUNS, QRELS, "AP", reuse=tmp_path)
    assert_same(e, lf.evaluate(RUNS, QRELS, "AP"))


def test_half_a_folder_is_refused(results):
    (results / "fingerprints.parquet").unlink()
    (results / "scores.parquet").unlink()
    refused(results, r"found no scores\.parquet, fingerprints\.parquet; evaluate without reuse")


def test_a_damaged_file_is_refused(results):
    path = results / "preferences.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    refused(results, r"preferences\.parquet: is damaged")
    path.write_bytes(b"PAR1 and so on")
    refused(results, r"preferences\.parquet: cannot be read as Parquet")


def test_a_file_that_cannot_be_read_is_refused(results, monkeypatch):
    def failing(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(kept_results.Path, "read_bytes", failing)
    refused(results, r"scores\.parquet: cannot be read \(Input/output error\)")


def test_foreign_files_are_refused(results):
    d = pl.read_parquet(results / "preferences.parquet")
    d.write_parquet(results / "preferences.parquet")
    refused(results, r"expected the table preferences that Evaluation\.write writes, found another")
    write_parquet_file(results / "preferences.parquet", d, {"table": "means"})
    refused(results, r"expected the table preferences that Evaluation\.write writes, found another")


def test_files_of_different_evaluations_are_refused(results, tmp_path):
    lf.evaluate(RUNS, QRELS, "AP").write(tmp_path / "other")
    shutil.copy(tmp_path / "other" / "scores.parquet", results)
    refused(results, "expected the files of one evaluation, found files of different evaluations")


def test_results_of_scores_are_refused(results):
    lf.evaluate_scores(lf.scores(lf.positions(RUNS, QRELS), "AP")).write(results)
    refused(results, "found those of scores that other tools computed", lf.LexiframeError)


def test_results_go_to_the_folder_they_came_from(results):
    before = {path.name: path.read_bytes() for path in results.iterdir()}
    lf.evaluate(RUNS, QRELS, DEFAULT, reuse=results).write(results)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        e = lf.evaluate(RUNS, QRELS, DEFAULT, reuse=results)
    assert_same(e, lf.evaluate(RUNS, QRELS, DEFAULT))
    e = lf.evaluate(RUNS, QRELS, DEFAULT)
    e.write(results)
    assert {path.name: path.read_bytes() for path in results.iterdir()} == before
