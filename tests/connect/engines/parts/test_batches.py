"""Evaluation in parts: interrupted and resumed, and with faults of files and disks."""

import errno
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Lock
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from pyarrow import dataset, parquet

import lexiframe as lf
from lexiframe.connect.engines.parts import batches
from lexiframe.core.base.errors import LexiframeError, ReadError
from lexiframe.core.evaluation.buckets import sizes

pytestmark = pytest.mark.slow  # its room has quicker tests

MEASURES = ["AP", "RPP"]
N_BUCKETS = 4
EVERYTHING = {"memory": "1kB", "keep": ["scores", "preferences"]}


@pytest.fixture(autouse=True)
def some_buckets(monkeypatch):
    """The sums are stored after each bucket."""
    monkeypatch.setattr(batches, "n_buckets", lambda sizes, memory: N_BUCKETS)
    monkeypatch.setattr(batches, "_SECONDS", -1)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Runs and judgments as Parquet files: 40 requests, three runs, integer ids."""
    tmp_path = tmp_path_factory.mktemp("collection")
    folder = tmp_path / "data"
    folder.mkdir()
    for n, name in enumerate("abc"):
        random = np.random.default_rng(n)
        query, doc = np.divmod(np.arange(400), 10)
        run = pl.DataFrame({"query_id": query, "doc_id": doc, "score": random.random(400)})
        run.write_parquet(folder / f"{name}.parquet")
    query, doc = np.divmod(np.arange(80), 2)
    qrels = pl.DataFrame({"query_id": query, "doc_id": doc, "relevance": 1.0})
    qrels.write_parquet(tmp_path / "qrels.parquet")
    return folder, tmp_path / "qrels.parquet"


def files_in(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def changed(data):
    """The files of runs, which are put back after the test."""
    before = files_in(data[0])
    yield data[0]
    for name, content in before.items():
        (data[0] / name).write_bytes(content)


@pytest.fixture(scope="module")
def whole(data):
    """The evaluation in memory."""
    return lf.evaluate(*data, MEASURES)


@pytest.fixture(scope="module")
def expected(data, tmp_path_factory):
    """The files of an evaluation in parts that nothing interrupted."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batches, "n_buckets", lambda sizes, memory: N_BUCKETS)
        return finished(data, tmp_path_factory.mktemp("expected"))


def finished(data, out, **how):
    e = lf.evaluate(*data, MEASURES, out=out, **EVERYTHING, **how)
    e.write(out)
    return files_in(out)


def test_parts_of_an_earlier_evaluation_are_removed(data, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "n_buckets", lambda sizes, memory: 9)
    finished(data, tmp_path / "out")
    monkeypatch.setattr(batches, "n_buckets", lambda sizes, memory: N_BUCKETS)
    assert finished(data, tmp_path / "out") == expected


CHILD = """
import sys, time
import lexiframe as lf
from lexiframe.core.base import memory_use
from lexiframe.connect.engines.parts import batches
of_bucket = batches.evaluate_bucket
def slowly(*arguments):
    time.sleep(0.3)
    return of_bucket(*arguments)
batches.evaluate_bucket, batches._SECONDS = slowly, -1
batches.n_buckets = lambda sizes, memory: 4
lf.evaluate(*sys.argv[1:3], "AP RPP".split(), out=sys.argv[3], memory="1kB",
            keep=["scores", "preferences"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_two_processes_do_not_share_a_folder(data, expected, tmp_path, monkeypatch):
    out = tmp_path / "out"
    child = subprocess.Popen([sys.executable, "-c", CHILD, *map(str, data), str(out)])
    try:
        until = time.monotonic() + 60
        while not (out / ".lexiframe-job" / "buckets" / "plan.json").exists():
            assert child.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        for resume in (False, True):
            with pytest.raises(lf.LexiframeError, match="another process writes its results"):
                finished(data, out, resume=resume)
        assert child.wait(60) == 0
    finally:
        child.kill()
        child.wait()
    assert not (out / ".lexiframe-job").exists()
    assert files_in(out) == expected or finished(data, out) == expected


SIGNALLED = """
import sys, time
from lexiframe import __main__
from lexiframe.connect.engines.parts import batches, partition
evaluate_bucket = batches.evaluate_bucket
def slowly(*arguments):
    print("evaluating", flush=True)
    time.sleep(30)
    return evaluate_bucket(*arguments)
batches.evaluate_bucket = slowly
sys.argv = ["lexiframe", "evaluate", *sys.argv[1:], "-m", "AP", "--memory", "1kB"]
__main__.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_leaves_no_buckets_in_the_temporary_folder(data, tmp_path, name):
    number = getattr(signal, name)
    asked = [sys.executable, "-c", SIGNALLED, str(data[1]), str(data[0])]
    how = {"env": {**os.environ, "TMPDIR": str(tmp_path)}, "stdout": subprocess.PIPE}
    with subprocess.Popen(asked, **how, preexec_fn=heard) as child:
        try:
            assert child.stdout.readline() == b"evaluating\n"
            assert [*tmp_path.glob("lexiframe-*")]
            child.send_signal(number)
            assert child.wait(60) == 128 + number
        finally:
            child.kill()
    assert not [*tmp_path.iterdir()]


def heard():
    """Let a process hear what its parent may ignore."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def counted(monkeypatch, fails_at=None, error=None):
    """The buckets that are evaluated from now on; one of them may fail."""
    done, of_bucket = [], batches.evaluate_bucket

    def evaluate_bucket(plan, runs, qrels, number, held=None):
        if number == fails_at:
            raise error
        done.append(number)
        return of_bucket(plan, runs, qrels, number, held)

    monkeypatch.setattr(batches, "evaluate_bucket", evaluate_bucket)
    return done


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError("bad")])
def test_what_failed_is_resumed_where_it_was(data, expected, tmp_path, monkeypatch, error):
    with monkeypatch.context() as m:
        counted(m, 2, error)
        with pytest.raises(type(error)):
            lf.evaluate(*data, MEASURES, out=tmp_path / "out", **EVERYTHING)
    done = counted(monkeypatch)
    assert finished(data, tmp_path / "out", resume=True) == expected
    assert done == [2, 3]


REQUESTS = pl.DataFrame({"query_id": range(40), "kind": ["x", "y"] * 20})


def median_sign(d):
    """A test of one's own."""
    return np.where(np.median(d, axis=0) == 0, 1.0, 0.25)


@pytest.mark.parametrize(
    "how",
    [{}, {"requests": REQUESTS, "by": "kind"}, {"baseline": "b"}, {"no_relevant": "zero"}],
    ids=["all", "groups", "baseline", "zero"],
)
def test_tests_of_single_requests_are_those_in_memory(data, tmp_path, monkeypatch, how):
    """Also when they are resumed, and where measures are of subtopics and others."""
    tests = ["t", "wilcoxon", "randomization", "bootstrap", "sign", median_sign]
    how = {"measures": ["RPP", "AP", "strec@5"], "test": tests, "trials": 200, "seed": 3} | how
    whole = lf.evaluate(*data, **how)
    parts = {"out": tmp_path / "out", "keep": "scores", "memory": "1GB"}
    failed(monkeypatch, data, **how, **parts)
    with pytest.raises(LexiframeError, match="holds another job: its held preferences differ"):
        lf.evaluate(*data, **how | {"test": "t"}, **parts, resume=True)
    e = lf.evaluate(*data, **how, **parts, resume=True)
    assert e.comparisons["test"].n_unique() == len(tests)
    same = {**whole.tables()}
    for name, table in e.tables().items():
        assert table.equals(same[name], null_equal=True), name
    assert not (tmp_path / "out" / ".lexiframe-job").exists()


def failed(monkeypatch, data, *measures, **how):
    """Leave an evaluation that fails in its third bucket."""
    with monkeypatch.context() as m:
        counted(m, 2, LexiframeError("bad"))
        with pytest.raises(LexiframeError, match="bad"):
            lf.evaluate(*data, *measures, **how)


def first_of(rank):
    """A preference of one's own for the rank of the n-th item; it is always named f."""

    def f(p):
        best = np.minimum(p[:, min(rank, p.shape[1]) - 1], 1000)
        return best - best[:, None]

    return f


def other_first_of(rank):
    def f(p):
        best = np.minimum(p[:, min(rank, p.shape[1]) - 1], 999)
        return best - best[:, None]

    return f


def with_a_lock(rank):
    lock = Lock()

    def f(p):
        with lock:
            return np.zeros((len(p), len(p)))

    return f


OTHER = "out: holds another job: its functions differ; choose"
OF_ONES_OWN = [
    (first_of(2), OTHER),
    (other_first_of(1), OTHER),
    (with_a_lock(1), "out: cannot be resumed: the function of f refers to an object"),
]


def test_a_function_of_ones_own_is_resumed_if_it_is_the_same(data, tmp_path, monkeypatch):
    """Of the same code, and with the same values of the variables that it refers to."""
    how = {"out": tmp_path / "out", **EVERYTHING, "keep": ["preferences"]}
    failed(monkeypatch, data, ["AP", first_of(1)], **how)
    for function, message in OF_ONES_OWN:
        with pytest.raises(LexiframeError, match=message):
            lf.evaluate(*data, ["AP", function], resume=True, **how)
    done = counted(monkeypatch)
    e = lf.evaluate(*data, ["AP", first_of(1)], resume=True, **how)
    assert e.win_rates.equals(lf.evaluate(*data, ["AP", first_of(1)]).win_rates)
    assert done == [2, 3]


def test_a_corrupt_file_among_many(data, expected, changed, tmp_path):
    path = changed / "c.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:200] + bytes(100) + whole[300:])
    with pytest.raises(ReadError, match=r"c\.parquet.*kept if you resume"):
        lf.evaluate(*data, MEASURES, out=tmp_path / "out", **EVERYTHING)
    path.write_bytes(whole)
    assert finished(data, tmp_path / "out", resume=True) == expected


def full_disk(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "where, said",
    [("sums", "the disk is full: .*; make room and resume"), ("parts", "No space left")],
)
def test_a_full_disk(data, expected, tmp_path, monkeypatch, where, said):
    with monkeypatch.context() as m:
        if where == "sums":
            m.setattr(Path, "write_bytes", full_disk)
        else:
            m.setattr(parquet.ParquetWriter, "write_table", full_disk)
        with pytest.raises(LexiframeError, match=said):
            lf.evaluate(*data, MEASURES, out=tmp_path / "out", **EVERYTHING)
    assert not [*(tmp_path / "out").rglob("part-*.parquet")]
    assert finished(data, tmp_path / "out", resume=True) == expected


# --- Which data are evaluated in parts ----------------------------------------------------------


def duckdb_relation(folder):
    duckdb = pytest.importorskip("duckdb")
    files = str(folder / "*.parquet")
    query = "select query_id, doc_id, score, parse_filename(filename, true) as run from "
    return duckdb.connect().sql(f"{query} read_parquet('{files}', filename=true)")


def partitioned(folder):
    place = folder.parent / "partitioned"
    for name in "abc":
        (place / f"run={name}").mkdir(parents=True, exist_ok=True)
        (place / f"run={name}" / "x.parquet").write_bytes((folder / f"{name}.parquet").read_bytes())
    return dataset.dataset(place, partitioning="hive", format="parquet")


FORMS = {
    "folder": lambda folder: folder,
    "LazyFrames": lambda folder: {n: pl.scan_parquet(folder / f"{n}.parquet") for n in "abc"},
    "frames": lambda folder: {n: pl.read_parquet(folder / f"{n}.parquet") for n in "abc"},
    "partitioned": partitioned,
    "DuckDB": duckdb_relation,
}


@pytest.mark.parametrize("form", FORMS)
def test_what_is_small_is_evaluated_at_once_and_the_rest_in_parts(data, whole, monkeypatch, form):
    folder, qrels = data
    runs = FORMS[form](folder)
    at_once = lf.evaluate(runs, qrels, MEASURES)
    assert at_once.sums is None
    monkeypatch.setattr(sizes, "memory_use", SimpleNamespace(available=lambda: 1000))
    in_parts = lf.evaluate(FORMS["frames"](folder) if form == "frames" else runs, qrels, MEASURES)
    assert in_parts.sums is not None
    for name, table in in_parts.tables().items():
        assert table.equals(getattr(whole, name), null_equal=True), name
        assert table.equals(getattr(at_once, name), null_equal=True), name


# --- What needs the requests ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def both(data, whole):
    """The same evaluation in parts and at once."""
    return lf.evaluate(*data, MEASURES, memory="200kB"), whole


@pytest.fixture(scope="module")
def e(both):
    assert both[0].sums is not None
    return both[0]


SUMS_ONLY = {
    "scores": lambda e, path: e.scores,
    "preferences": lambda e, path: e.preferences,
    "positions": lambda e, path: e.positions,
    "collection": lambda e, path: e.collection,
    "pair": lambda e, path: e.pair("a", "b"),
    "requests": lambda e, path: e.requests(),
    "explain": lambda e, path: e.explain("1", "a", "b"),
    "plot.pair": lambda e, path: e.plot.pair("a", "b"),
    "plot.request": lambda e, path: e.plot.request("1", "a", "b"),
    "wilcoxon": lambda e, path: lf.compare(e.sums, "wilcoxon"),
    "bca": lambda e, path: lf.compare(e.sums, intervals="bca"),
    "tukey_hsd": lambda e, path: lf.tukey_hsd(e.sums),
    "swap_rates": lambda e, path: lf.swap_rates(e.sums),
    "power_curve": lambda e, path: lf.power_curve(e.sums, [9]),
    "compare_groups": lambda e, path: lf.compare_groups(e.sums, requests=REQUESTS, by="kind"),
    "rank_distributions": lambda e, path: lf.rank_distributions(e.sums),
    "add_runs": lambda e, path: lf.add_runs(e, {"d": {"1": {"1": 1.0}}}),
    "other groups": lambda e, path: lf.win_rates(e.sums, requests=REQUESTS, by="kind"),
}


@pytest.mark.parametrize("what", SUMS_ONLY)
def test_what_needs_single_requests_says_so(e, tmp_path, what):
    """In one sentence, which names sums and says what to do."""
    with pytest.raises(LexiframeError) as caught:
        SUMS_ONLY[what](e, tmp_path)
    said = str(caught.value)
    assert "sum" in said
    assert "; " in said
    assert "evaluate" in said
    assert "\n" not in said


def test_how_to_get_at_single_requests(e):
    said = "this evaluation has sums over the requests, not the scores of each; evaluate with out="
    with pytest.raises(LexiframeError, match=said):
        _ = e.scores
    said = "this evaluation has sums over the requests, and not the rankings; evaluate all runs"
    with pytest.raises(LexiframeError, match=said):
        _ = e.positions
    said = "report: the page shows single requests, and this evaluation has sums over them only; ev"
    with pytest.raises(LexiframeError, match=said):
        replace(e, _sample=None).report("report.html")


def test_what_sums_suffice_for(both):
    e, whole = both
    assert str(e) == str(whole)
    assert e.latex() == whole.latex()
    assert e.markdown(marks="letters") == whole.markdown(marks="letters")
    assert e._repr_html_() == whole._repr_html_()
    assert lf.verdict(e).equals(lf.verdict(whole))
    for chart in (
        lambda e: e.plot.means(),
        lambda e: e.plot.wins("RPP"),
        lambda e: e.plot.orderings(),
    ):
        assert chart(e).to_dict() == chart(whole).to_dict()


def half(d):
    return 0.5


def test_arguments_that_do_not_fit(data, tmp_path):
    for test in ("wilcoxon", "randomization", ["t", "bootstrap"], half):
        with pytest.raises(LexiframeError, match=r"preferences by AP in all requests need .* al"):
            lf.evaluate(*data, MEASURES, test=test, memory="1kB")
    with pytest.raises(LexiframeError, match="keep needs a folder to write to"):
        lf.evaluate(*data, MEASURES, keep="scores")
    with pytest.raises(LexiframeError, match="expected keep to be one of 'scores', 'pref"):
        lf.evaluate(*data, MEASURES, keep="positions", out=tmp_path)
    with pytest.raises(LexiframeError, match="resume needs the folder of the interrupted"):
        lf.evaluate(*data, MEASURES, resume=True)
