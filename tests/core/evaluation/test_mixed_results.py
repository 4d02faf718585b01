"""Folders of results are of one evaluation: two writers, killed processes, edited files."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import lexiframe as lf
from lexiframe.core.io.files import kept_json, output_files
from lexiframe.core.io.files.checksum import add_checksum

pytestmark = pytest.mark.slow  # its room has quicker tests

EXAMPLE = lf.bundled("example")
RUNS, QRELS = EXAMPLE / "runs", EXAMPLE / "qrels.txt"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(lf.__file__).parents[1])}
JUDGED = {q: {f"d{n}": n % 2 for n in range(8)} for q in ("u", "v", "w")}


def ranked(step):
    """Runs in memory that have the same names, requests and documents, in another order."""
    return {
        run: {q: {f"d{n}": (n * step + len(q)) % shift for n in range(8)} for q in JUDGED}
        for run, shift in (("one", 7), ("two", 5))
    }


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two evaluations of dictionaries, which say the same of themselves, and their folders."""
    place = tmp_path_factory.mktemp("two")
    found = {n: lf.evaluate(ranked(step), JUDGED, ["AP", "LR"]) for n, step in (("a", 1), ("b", 3))}
    for name, e in found.items():
        e.write(place / name)
    assert found["a"].provenance == found["b"].provenance
    assert not found["a"].means.equals(found["b"].means)
    return place, found


def which(folder, two):
    """The name of the evaluation whose tables are in a folder, all of them."""
    found = lf.read_results(folder)
    names = [
        name
        for name, e in two[1].items()
        if all(found.tables()[one].equals(table) for one, table in e.tables().items())
    ]
    assert len(names) == 1
    return names[0]


def test_a_table_of_another_leaderboard_or_collection_is_seen(tmp_path):
    for folder, law in (("a", [1, 3]), ("b", [3, 2])):
        x = pl.DataFrame({"model": ["x", "y"], "news": [1, 2], "law": law, "sport": [2, 3]})
        lf.leaderboard(x, samples=5).write(tmp_path / folder)
        both = {"p": (ranked(1), JUDGED), "q": (ranked(law[0]), JUDGED)}
        lf.evaluate(both, measures="AP").write(tmp_path / folder / "e")
    assert lf.read_results(tmp_path / "a/e").means.height == 4
    shutil.copy(tmp_path / "b/ranking.parquet", tmp_path / "a")
    with pytest.raises(lf.ReadError, match="files of different leaderboards"):
        lf.read_results(tmp_path / "a")
    shutil.copytree(tmp_path / "b/e/collections/q", tmp_path / "a/e/collections/q", dirs_exist_ok=1)
    with pytest.raises(lf.ReadError, match="expected the collections that were written, found oth"):
        lf.read_results(tmp_path / "a/e")


# --- Several processes ---------------------------------------------------------------------------

WRITING = """
import sys
import lexiframe as lf
out, *sources = sys.argv[1:]
results = [lf.read_results(one) for one in sources]
print("ready", flush=True)
for _ in sys.stdin:
    for e in results:
        e.write(out)
    print("done", flush=True)
"""


def writer(out, *sources):
    return subprocess.Popen(
        [sys.executable, "-c", WRITING, str(out), *map(str, sources)],
        env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def told(process, line):
    process.stdin.write("go\n" * 2)
    process.stdin.flush()
    assert process.stdout.readline() == line


KILLED = """
import os, signal, sys
from pathlib import Path
import lexiframe as lf
source, out, when = sys.argv[1:]
e, rename, n = lf.read_results(source), Path.replace, []
def replace(path, target):
    if path.parent.name == ".new":
        n.append(path)
        if len(n) == int(when):
            os.kill(os.getpid(), signal.SIGKILL)
    return rename(path, target)
def wait(path):
    os.kill(os.getpid(), signal.SIGKILL)
Path.replace = replace
if when == "0":
    from lexiframe.core.io.files import output_files
    output_files.wait_for_disk = wait
e.write(out)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize("when, left", [(0, "a"), (1, "b"), (5, "b")])
def test_a_writer_that_is_killed_leaves_all_or_nothing(two, tmp_path, when, left):
    out = tmp_path / "out"
    shutil.copytree(two[0] / "a", out)
    shutil.copy(two[0] / "a/means.parquet", out / "attributes.parquet")  # of earlier groups
    if left == "a":
        (out / "attributes.parquet").unlink()
    command = [sys.executable, "-c", KILLED, str(two[0] / "b"), str(out), str(when)]
    assert subprocess.run(command, env=ENVIRONMENT, check=False).returncode == -9
    assert (out / ".new").is_dir()
    shutil.copytree(out, tmp_path / "locked")
    (tmp_path / "locked/.lock").unlink(missing_ok=True)
    (tmp_path / "locked/.lock").mkdir()  # nobody can lock it, as where nothing can be written
    before = sorted(tmp_path.glob("locked/**/*"))
    assert which(tmp_path / "locked", two) == left
    assert sorted(tmp_path.glob("locked/**/*")) == before
    assert which(out, two) == left
    assert not (out / ".new").exists()
    two[1]["a"].write(out)
    assert which(out, two) == "a"
    assert not [path for path in out.iterdir() if path.suffix != ".parquet"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_writers_that_are_killed_at_any_moment_leave_all_or_nothing(two, tmp_path):
    seen = set()
    for n in range(12):
        with writer(tmp_path, two[0] / "a", two[0] / "b") as process:
            told(process, "ready\n")
            assert process.stdout.readline() == "done\n"
            time.sleep(random.Random(n).random() / 3)
            process.kill()
        seen.add(which(tmp_path, two))
    assert seen == {"a", "b"}


def test_who_waits_too_long_is_told_which_folder_and_what_to_do(two, tmp_path, monkeypatch):
    monkeypatch.setattr(output_files, "_PATIENCE_IN_FOLDER", 0.1)
    shutil.copytree(two[0] / "a", tmp_path / "a")
    message = r"a: another process writes its results there, or reads them; wait until it is done"
    with output_files.alone_in(tmp_path / "a"):
        with pytest.raises(lf.LexiframeError, match=message):
            two[1]["b"].write(tmp_path / "a")
        with pytest.raises(lf.LexiframeError, match=message):
            lf.read_results(tmp_path / "a")
    assert which(tmp_path / "a", two) == "a"


@pytest.mark.parametrize(
    "names, earlier",
    [
        (["../x.parquet"], []),
        ([], ["../x.parquet"]),
        ([], ["link/x.parquet"]),
        ([], ["x.txt"]),
        ([1], []),
        ("x", 3),
    ],
)
def test_a_list_of_new_tables_that_names_others_is_not_followed(two, tmp_path, names, earlier):
    folder = tmp_path / "a"
    shutil.copytree(two[0] / "a", folder)
    (folder / "x.txt").write_text("mine")
    (tmp_path / "x.parquet").write_text("mine")
    (folder / "link").symlink_to(tmp_path)
    (folder / ".new").mkdir()
    (folder / ".new/x.parquet").write_text("theirs")
    text = kept_json.text_with_checksum({"names": names, "earlier": earlier})
    (folder / ".new/complete.json").write_text(text)
    assert which(folder, two) == "a"
    assert (folder / "x.txt").read_text() == (tmp_path / "x.parquet").read_text() == "mine"
    assert not (folder / ".new").exists()


# --- Tables that were edited ---------------------------------------------------------------------


def edited(place, change, names="*"):
    """Results whose files were changed, all with right checksums."""
    lf.evaluate(RUNS, QRELS, ["AP", "RPP"], baseline="random").write(place)
    for path in [*place.glob("*.parquet")]:
        table = pq.read_table(path)
        facts = json.loads(table.schema.metadata[b"lexiframe"])
        if path.stem in names or names == "*":
            table = change(facts, table) or table
        table = table.replace_schema_metadata({b"lexiframe": json.dumps(facts).encode()})
        pq.write_table(table, path)
        with path.open("r+b") as file:
            add_checksum(file)
    return place


def as_text(name):
    def change(_, table):
        n = table.column_names.index(name)
        return table.set_column(n, name, table.column(name).cast(pa.string()))

    return change


def without_first_name(_, table):
    column = pa.array([None, *table.column(0).to_pylist()[1:]], pa.string())
    return table.set_column(0, table.column_names[0], column)


def twice(_, table):
    return pa.concat_tables([table, table])


TABLES = {
    "fingerprints": (lambda _, t: t.drop_columns(["kind"]), "expected the columns of fingerprints"),
    "means": (twice, "expected one row for each run, measure, found several of"),
    "coverage": (as_text("answered"), r"expected Int64 in answered, found String; evaluate again"),
    "ranks": (as_text("duplicates"), "ranks.parquet: expected Int64 in duplicates, found String"),
    "scores": (without_first_name, "scores.parquet: expected a name in run in all rows, found nu"),
}


@pytest.mark.parametrize("name", TABLES)
def test_reuse_checks_tables_as_read_results_does(tmp_path, name):
    change, message = TABLES[name]
    folder = edited(tmp_path, change, [name])
    with pytest.raises(lf.ReadError, match=message):
        lf.evaluate(RUNS, QRELS, ["AP", "RPP"], reuse=folder)
    if name != "ranks":  # which are for later evaluations alone
        with pytest.raises(lf.ReadError, match=message):
            lf.read_results(folder)


@pytest.mark.parametrize("which", ["runs", "qrels"])
def test_another_file_that_the_metadata_name_is_not_quoted(tmp_path, which):
    secret = tmp_path / "secret.txt"
    secret.write_text("root x 0 hunter2\n")
    (tmp_path / "r").mkdir()
    folder = edited(tmp_path / "r", lambda facts, _: facts[which][0].update(path=str(secret)))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        e = lf.read_results(folder)
        for ask in (lambda: e.positions, lambda: lf.add_runs(e, ranked(1))):
            with pytest.raises(
                lf.ReadError, match=r"secret.txt: expected the bytes that"
            ) as caught:
                ask()
            assert "hunter2" not in str(caught.value)
        page = e.report(tmp_path / "page.html").read_text("utf-8")
    said = [str(one.message) for one in warned]
    assert len(said) == 1
    assert "hunter2" not in page + said[0]
