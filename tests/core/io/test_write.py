"""Writing: what is written reads back the same, whole or not at all."""

import hashlib
import math
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import lexiframe as lf
from lexiframe import write_parquet, write_trec
from lexiframe.core.evaluation.evaluation import Evaluation
from lexiframe.core.io.files import output_files as outputs
from lexiframe.core.io.files.checksum import has_checksum
from lexiframe.core.io.files.output_files import replacing, replacing_all
from lexiframe.core.io.files.provenance import provenance_of
from lexiframe.core.pairwise import pairs
from lexiframe.core.pairwise.measured import no_requests

SCORES = [0.1 + 0.2, 1e-300, 5e-324, -0.0, 1e22, 123456789.123456789, math.inf, -math.inf]
RUNS = pl.DataFrame(
    {
        "run": ["a"] * len(SCORES) + ["b"],
        "query_id": ["007"] * len(SCORES) + ["é"],
        "doc_id": [*[f"d#{n}" for n in range(len(SCORES))], "d"],
        "score": [*SCORES, 2.0],
    }
)
ONE = RUNS.filter(run="a")
QRELS = pl.DataFrame(
    {
        "query_id": ["q1", "q1", "007"],
        "iteration": ["0", "t1", "Q0"],
        "doc_id": ["d1", "d1", "#7"],
        "relevance": [2.0, -1.0, 1.5],
    }
)


def listing(folder):
    """Every file, hidden ones too."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["a.run", "a.run.gz"])
def test_a_run_goes_to_trec_text_and_back(tmp_path, name):
    assert write_trec(ONE, tmp_path / name) == [tmp_path / name]
    table = lf.read_runs(tmp_path / name)
    assert pl.DataFrame(table).drop("rank").equals(ONE)
    assert table["rank"].to_pylist() == list(range(1, len(SCORES) + 1))
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")


def test_ranks_are_kept_or_counted_within_a_query(tmp_path):
    frame = pl.DataFrame({"query_id": ["x", "y", "x"], "doc_id": "d", "score": 1.5, "run": "a"})
    write_trec(frame, tmp_path / "a.run")
    lines = (tmp_path / "a.run").read_text().splitlines()
    assert lines == ["x Q0 d 1 1.5 a", "y Q0 d 1 1.5 a", "x Q0 d 2 1.5 a"]
    write_trec(frame.with_columns(rank=pl.Series([7, 5, 0])), tmp_path / "a.run")
    assert lf.read_runs(tmp_path / "a.run")["rank"].to_pylist() == [7, 5, 0]


@pytest.mark.parametrize("name", ["qrels.txt", "qrels.gz"])
def test_judgments_go_to_trec_text_and_back(tmp_path, name):
    write_trec(QRELS, tmp_path / name)
    assert pl.DataFrame(lf.read_qrels(tmp_path / name)).equals(QRELS)


@pytest.mark.parametrize("exists", [False, True])
def test_several_runs_go_to_a_folder_a_file_each(tmp_path, exists):
    folder = tmp_path / "runs"
    if exists:
        folder.mkdir()
    for given in (RUNS, RUNS.sort("run", descending=True, maintain_order=True)):
        paths = write_trec(given, folder)
        assert paths == [folder / "a.trec", folder / "b.trec"]
    assert pl.DataFrame(lf.read_runs(folder)).drop("rank").equals(RUNS)


N_TABLES = 12  # of an evaluation


@pytest.mark.parametrize(
    "name, reason",
    [
        (".base", "leave out hidden files; rename it"),
        ("bm25.txt", "would call the run 'bm25'; rename it"),
        ("input.x", "would call the run 'x'; rename it"),
        ("a.run.gz", "would call the run 'a'; rename it"),
        ("input", "would call the run 'trec'; rename it"),
        ("a.RUN", "would call the run 'a'; rename it"),
    ],
)
def test_names_of_runs_that_would_not_be_read_back(tmp_path, name, reason):
    runs = lf.read_runs({run: {"q1": {"d1": 1.0}} for run in ("b", name)})
    with pytest.raises(lf.LexiframeError, match=rf"the run '{name}' cannot .* {reason}"):
        write_trec(runs, tmp_path / "runs")
    assert listing(tmp_path) == []
    write_trec(runs.slice(1) if name > "b" else runs.slice(0, 1), tmp_path / "one.run")


def test_several_runs_do_not_go_into_one_file(tmp_path):
    with pytest.raises(
        lf.LexiframeError, match=r"a.run: 2 runs need a folder with a file for each"
    ):
        write_trec(RUNS, tmp_path / "a.run")
    with pytest.raises(lf.SchemaError, match=r"expected runs \(score\) or qrels \(relevance\)"):
        write_trec(RUNS.drop("score"), tmp_path / "a.run")
    assert listing(tmp_path) == []


@pytest.mark.parametrize(
    "frame",
    [
        ONE.with_columns(doc_id=pl.lit("two words")),
        ONE.with_columns(query_id=pl.lit("tab\t")),
        ONE.with_columns(doc_id=pl.lit("")),
        ONE.with_columns(run=pl.lit("line\nend")),
        ONE.with_columns(score=pl.lit(None, pl.Float64)),
        ONE.with_columns(score=math.nan),
        QRELS.with_columns(doc_id=pl.lit("two words")),
        QRELS.with_columns(relevance=math.nan),
        QRELS.with_columns(relevance=pl.lit(None, pl.Float64)),
    ],
    ids="space tab empty newline null nan qrels-space qrels-nan qrels-null".split(),
)
def test_text_that_would_not_read_back_is_refused(tmp_path, frame):
    with pytest.raises(lf.LexiframeError, match=r"TREC text cannot hold .* as|expected a number"):
        write_trec(frame, tmp_path / "a.txt")
    assert listing(tmp_path) == []


def test_infinite_grades_are_written_or_refused(tmp_path):
    try:
        write_trec(QRELS.with_columns(relevance=math.inf), tmp_path / "qrels")
    except lf.LexiframeError:
        return
    assert lf.read_qrels(tmp_path / "qrels")["relevance"].to_pylist() == [math.inf] * 3


@pytest.mark.parametrize("frame", [RUNS, QRELS], ids=["runs", "qrels"])
@pytest.mark.parametrize("form", ["polars", "lazy", "arrow", "pandas"])
def test_parquet_and_back(tmp_path, frame, form):
    given = {"lazy": frame.lazy, "arrow": frame.to_arrow, "pandas": frame.to_pandas}
    path = write_parquet(given.get(form, frame.clone)(), tmp_path / "x.parquet")
    table = parquet.read_table(path)
    assert pl.DataFrame(table).equals(frame)
    if form != "arrow":  # a table of Arrow's is stored as it is
        assert set(table.schema.types) == {pa.string(), pa.float64()}
    read = lf.read_runs if frame is RUNS else lf.read_qrels
    assert pl.DataFrame(read(path)).equals(frame)


@pytest.mark.parametrize("name", ["x.parquet", "x.gz"])
def test_the_same_rows_give_the_same_bytes(tmp_path, monkeypatch, name):
    write = write_parquet if name == "x.parquet" else write_trec
    write(ONE, tmp_path / name)
    first = (tmp_path / name).read_bytes()
    monkeypatch.setattr("time.time", lambda: 0.0)
    chunked = pl.concat([ONE[:3], ONE[3:]], rechunk=False)
    write(chunked, tmp_path / name)
    assert (tmp_path / name).read_bytes() == first


@pytest.mark.parametrize("write", [write_parquet, write_trec])
def test_a_place_that_cannot_be_written_to(tmp_path, write):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "missing" / "x.gz", tmp_path / "file" / "x.gz"):
        message = rf"^{place}: cannot be written \(.*\); choose another place or change its perm"
        with pytest.raises(lf.LexiframeError, match=message):
            write(ONE, place)
    (tmp_path / "folder" / "x.parquet").mkdir(parents=True)
    with pytest.raises(lf.LexiframeError, match="cannot be written, because it is a folder"):
        write_parquet(ONE, tmp_path / "folder" / "x.parquet")
    assert listing(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["b.run", "missing.run", "x" * 255])
def test_a_symbolic_link_stays_one(tmp_path, name):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.run").write_text("before")
    link = tmp_path / "link.run"
    link.symlink_to(tmp_path / "a" / name)
    assert write_trec(ONE[:1], link) == [link]
    assert link.is_symlink()
    assert (tmp_path / "a" / name).read_text().startswith("007 Q0 d#0")
    assert listing(tmp_path) == sorted({"b.run", name, "link.run"})


def test_two_names_of_one_file_are_not_two_files(tmp_path):
    names = ["scores.parquet", "power.parquet", "b.trec", "a.trec"]
    for link, target in zip(names[1::2], names[::2], strict=True):
        (tmp_path / link).symlink_to(target)
    e = lf.evaluate(*(lf.bundled("example") / name for name in ("runs", "qrels.txt")), "AP")
    message = r"power.parquet: would replace .*scores.parquet, which is written too; choose anoth"
    with pytest.raises(lf.LexiframeError, match=message):
        e.write(tmp_path)
    with pytest.raises(lf.LexiframeError, match=r"b.trec: would replace .*a.trec, which is writ"):
        write_trec(RUNS, tmp_path)
    assert listing(tmp_path) == []


NO_PATHS = {
    "": "expected a path to write to, found ''",
    "a\0b": "expected a path to write to, found 'a",
    "~no_such_user/x": "~no_such_user/x: there is no such home folder",
    "x" * 300: r"cannot be written .*\(File name too long\); choose another",
    "x" * 300 + "/y": r"cannot be written .*\(File name too long\); choose another",
}


@pytest.mark.parametrize("place", NO_PATHS)
@pytest.mark.parametrize("write", ["write_parquet", "write_trec", "write", "report"])
def test_what_is_no_path(tmp_path, monkeypatch, place, write):
    monkeypatch.chdir(tmp_path)
    e = an_evaluation()
    of_table = write.startswith("write_")
    with pytest.raises(lf.LexiframeError, match=NO_PATHS[place]):
        getattr(lf, write)(ONE, place) if of_table else getattr(e, write)(place)
    assert listing(tmp_path) == []


@pytest.mark.parametrize(
    "error, expected", [(OSError(28, "No space left"), lf.LexiframeError), (KeyError(), KeyError)]
)
def test_what_fails_half_way_leaves_what_was_there(tmp_path, error, expected):
    def write_half(path):
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise error

    path = tmp_path / "x.txt"
    path.write_text("before")
    with pytest.raises(expected):
        write_half(path)
    assert path.read_text() == "before"
    assert listing(tmp_path) == ["x.txt"]


def an_evaluation():
    tables = [pl.DataFrame({"n": [n]}) for n in range(N_TABLES)]
    runs = pl.Series(["a", "b"])
    return Evaluation(*tables[:-2], provenance={}, _part=no_requests([], runs))


@pytest.mark.slow
@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
@pytest.mark.parametrize("before", [{}, {"scores.parquet": b"x", "win_rates.parquet": b"y"}])
@pytest.mark.parametrize("late", ["coverage", "orderings", "power"])
def test_an_evaluation_is_written_as_a_whole_when_a_late_rename_fails(
    tmp_path, monkeypatch, late, before, links
):
    e, replace = an_evaluation(), Path.replace
    for name, data in before.items():
        (tmp_path / name).write_bytes(data)

    def fail(path, target):
        if target.stem == late:
            raise PermissionError(1, "Operation not permitted")
        return replace(path, target)

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "replace", fail)
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    with pytest.raises(lf.LexiframeError, match=r"cannot be written \(Operation not permitted\)"):
        e.write(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    monkeypatch.setattr(Path, "replace", replace)
    assert listing(tmp_path) == sorted(before)
    assert sorted(path.name for path in e.write(tmp_path)) == listing(tmp_path)


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_a_file_that_is_kept_is_not_taken_for_a_left_over_one(tmp_path, monkeypatch, links):
    """A copy was made anew, beside the temporary file that was locked."""

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    if not links:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    target = tmp_path / "scores.parquet"
    target.write_text("before")
    with outputs._second_name(target) as second:
        outputs._remove_left_over(target)
        assert second.read_text() == "before"
    assert listing(tmp_path) == [target.name]


@pytest.mark.skipif(os.name == "nt", reason="a file that is open cannot be replaced")
def test_several_may_write_at_once(tmp_path):
    """None takes away what another still needs, and all leave the rights that new files have."""
    paths, umask = [tmp_path / name for name in "abc"], os.umask(0o027)

    def write(text):
        for _ in range(50):
            with replacing_all(paths) as temporaries:
                for path in temporaries:
                    path.write_text(text * 1000)

    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(write, "wxyz"))
    finally:
        assert os.umask(umask) == 0o027
    assert [*map(str, sorted(tmp_path.iterdir()))] == [*map(str, paths)]
    assert {len(set(path.read_text())) for path in paths} == {1}
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o640}


# --- Bits that flip -----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_flipped_bit_in_a_table_of_ours_is_refused_or_changes_nothing(tmp_path):
    """Names of columns are in the footer, whose checksum Parquet does not know."""
    scores = pl.DataFrame({"run": ["a", "b"] * 50, "query_id": [f"q{n // 2}" for n in range(100)]})
    scores = scores.with_columns(measure=pl.lit("AP"), value=pl.int_range(100) / 7)
    path = lf.write_parquet(scores, tmp_path / "scores.parquet")
    expected, data = lf.read_scores(path), path.read_bytes()
    assert pl.read_parquet(path).equals(scores)  # other readers do not mind the checksum
    bits = [*range(0, 8 * len(data) - 100, 11), *range(8 * len(data) - 100, 8 * len(data))]
    refused = 0
    for bit in bits:
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            assert lf.read_scores(path).equals(expected)
        except lf.ReadError:
            refused += 1
    assert len(bits) - refused <= 16  # in the mark of the checksum
    path.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    damaged = "scores.parquet: is damaged: its bytes do not match .*; copy or write it again"
    with pytest.raises(lf.ReadError, match=damaged):
        lf.read_scores(path)


def test_a_flipped_bit_in_pages_with_checksums_is_refused(tmp_path):
    """Whoever wrote them; without checksums other values are read."""
    table = pa.table({"run": ["a"], "query_id": ["q1"], "measure": ["AP"], "value": [0.5]})
    path = tmp_path / "scores.parquet"
    plain = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    parquet.write_table(table, path, **plain, write_page_checksum=True)
    data = path.read_bytes()
    at = data.index(np.float64(0.5).tobytes())
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(lf.ReadError, match=r"cannot be read as Parquet \(.*CRC checksum"):
        lf.read_scores(path)


# --- What files say of themselves -----------------------------------------------------------------

METADATA = {"actor": {"team": "us"}, "method": {"retrieval": [{"name": "bm25", "k1": 0.9}]}}


def test_metadata_of_runs_are_written_and_read(tmp_path):
    pytest.importorskip("yaml")
    runs = lf.read_runs({"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d1": 2.0}}})
    paths = lf.write_trec(runs, tmp_path, metadata={"a": METADATA})
    assert paths[0].read_text().startswith("# ir_metadata.start\n# actor:\n#   team: us\n")
    assert lf.run_metadata(tmp_path).rows() == [("a", "us", "bm25", 0.9), ("b", None, None, None)]
    again = lf.read_runs(tmp_path)
    assert again.drop_columns("rank").equals(runs)
    assert lf.run_metadata(again).equals(lf.run_metadata(tmp_path))
    with pytest.raises(lf.UnknownNameError, match="unknown run 'A'; did you mean a"):
        lf.write_trec(runs, tmp_path, metadata={"A": METADATA})
    for given in ([METADATA], {"a": "bm25"}, "bm25"):
        with pytest.raises(TypeError, match=r"metadata: expected {run: {field: value}}, found"):
            lf.write_trec(runs, tmp_path, metadata=given)
    with pytest.raises(lf.LexiframeError, match="ir_metadata are of runs, found judgments"):
        lf.write_trec(pl.DataFrame(QRELS), tmp_path / "q.qrels", metadata={"a": METADATA})
    numbered = lf.read_runs({7: {"q1": {"d1": 1.0}}})
    (path,) = lf.write_trec(numbered, tmp_path / "7.run", metadata={7: METADATA})
    assert lf.run_metadata(path)["run"].to_list() == ["7"]


def test_metadata_survive_parquet_and_text(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "a").mkdir()
    text, *_ = lf.write_trec(
        lf.read_runs({"a": {"q1": {"d1": 1.0}}}), tmp_path / "a", metadata={"a": METADATA}
    )
    parquet = lf.write_parquet(lf.read_runs(text), tmp_path / "a.parquet")
    back, *_ = lf.write_trec(lf.read_runs(parquet), tmp_path / "b.run")
    assert back.read_bytes().replace(b" b\n", b" a\n") == text.read_bytes()


def test_an_empty_answer_is_no_line_of_text(tmp_path):
    runs = lf.read_runs({"a": {"q1": {"d1": 1.0}, "q2": {}}})
    assert runs.to_pylist()[1] == {"run": "a", "query_id": "q2", "doc_id": None, "score": None}
    with pytest.warns(lf.LexiframeWarning, match="empty list, which TREC text cannot express: 1"):
        (path,) = lf.write_trec(runs, tmp_path / "a.run")
    assert path.read_text() == "q1 Q0 d1 1 1.0 a\n"
    assert lf.read_runs(lf.write_parquet(runs, tmp_path / "a.parquet")).equals(runs)


def test_parquet_says_what_it_was_computed_from(tmp_path):
    folder = lf.bundled("example")
    runs, qrels = lf.scan_runs(folder / "runs"), lf.read_qrels(folder / "qrels.txt")
    p = lf.positions(runs, qrels, rel=1)
    path = lf.write_parquet(p, tmp_path / "p.parquet", computed_from=[runs, qrels], rel=1)
    facts = provenance_of(parquet.read_schema(path))
    assert [Path(file["path"]).name for file in facts["sources"]] == [
        *sorted(f.name for f in (folder / "runs").iterdir()),
        "qrels.txt",
    ]
    digest = hashlib.sha256((folder / "qrels.txt").read_bytes()).hexdigest()
    assert facts["sources"][-1]["sha256"] == digest
    assert (facts["rel"], facts["lexiframe"]) == (1, lf.__version__)
    lf.write_parquet(qrels, tmp_path / "q.parquet")
    assert provenance_of(parquet.read_schema(tmp_path / "q.parquet"))["table"] == "qrels"


@pytest.mark.parametrize("query_id, doc_id", [("#1", "d"), ("q\v1", "d"), ("q", "d\f1"), ("q", "")])
def test_ids_that_text_would_lose(tmp_path, query_id, doc_id):
    rows = {"query_id": query_id, "doc_id": [doc_id]}
    runs = pl.DataFrame({"run": "a", **rows, "score": 1.0})
    for frame in (runs, pl.DataFrame({**rows, "relevance": 1.0})):
        with pytest.raises(lf.SchemaError, match=r"TREC text cannot hold|expected an id as doc_id"):
            write_trec(frame, tmp_path / "a.txt")
    assert listing(tmp_path) == []


@pytest.mark.parametrize("name", ["a.run", "a.run.gz"])
@pytest.mark.parametrize("first", ['{"a"', '{"a":1}', "[1,", "PAR1", "BZh9", "%PDF", "\ufeffq"])
def test_ids_that_make_another_kind_of_file(tmp_path, first, name):
    """Only as the first one: behind another they are ids as any."""
    rows = {"query_id": [first, "q2"], "doc_id": "d"}
    runs = pl.DataFrame({"run": "a", **rows, "score": 1.0})
    qrels = pl.DataFrame({**rows, "relevance": 1.0})
    found = f"{re.escape(ascii(first))} as query_id"
    odd = f"{found}: readers would take it for another kind of file; put another query first"
    message = f"TREC text cannot (begin with {odd}|hold {found})"
    for frame in (runs, qrels):
        with pytest.raises(lf.SchemaError, match=message):
            write_trec(frame, tmp_path / name)
    assert listing(tmp_path) == []
    if first != "\ufeffq":
        (path,) = write_trec(runs.reverse(), tmp_path / name)
        assert lf.read_runs(path)["query_id"].to_pylist() == ["q2", first]


@pytest.mark.parametrize(
    "id_", ['"a"', "a,b", "{a", "[a", "nan", "-1", "qid", "Q0", "a\u2028b", "é"]
)
def test_ids_that_look_odd_are_read_back(tmp_path, id_):
    runs = pl.DataFrame({"run": id_, "query_id": id_, "doc_id": [id_], "score": 1.0})
    (path,) = write_trec(runs, tmp_path / "a.run")
    assert lf.read_runs(path, name_from="tag").to_pylist() == [
        runs.row(0, named=True) | {"rank": 1}
    ]


def test_nothing_to_write(tmp_path):
    for frame in (ONE.clear(), QRELS.clear()):
        with pytest.raises(lf.SchemaError, match="expected rows to write as TREC text, found none"):
            write_trec(frame, tmp_path / "a.run")
    assert listing(tmp_path) == []


def test_huge_grades_are_written(tmp_path):
    frame = pl.DataFrame({"query_id": "q", "iteration": "0", "doc_id": ["d"], "relevance": 1e300})
    (path,) = write_trec(frame, tmp_path / "a.qrels")
    assert lf.read_qrels(path)["relevance"].to_pylist() == [1e300]


@pytest.mark.slow
@pytest.mark.parametrize("read", [lf.scan_runs, lf.read_runs])
def test_results_say_how_files_were_read(tmp_path, read):
    """One file read in two ways gives two results: their provenance differs."""
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.csv"
    run.write_text("q1 d1 1\nq1 d2 2\n")
    qrels.write_text("topic;document;rel\nq1;d1;1,0\n")
    said = {"columns": {"doc_id": "document"}, "decimal": ","}
    judged = lf.read_qrels(qrels, **said)
    values = {}
    for third in ("rank", "score"):
        e = lf.evaluate(read(run, third=third), judged, ["RR"])
        e.write(tmp_path / third)
        facts = provenance_of(parquet.read_schema(tmp_path / third / "scores.parquet"))
        assert [file["reading"] for file in facts["runs"]] == [{"third": third}]
        assert [file["reading"] for file in facts["qrels"]] == [said]
        values[third] = e.scores["value"].item()
    assert values == {"rank": 1.0, "score": 0.5}
    e = lf.evaluate(lf.bundled("example") / "runs", lf.bundled("example") / "qrels.txt", ["RR"])
    assert not any("reading" in file for file in e.provenance["runs"] + e.provenance["qrels"])


def test_facts_may_be_measures_and_numbers_of_numpy(tmp_path):
    facts = {"measures": [lf.AP, lf.nDCG @ 10], "seed": np.int64(3), "place": Path("x")}
    path = lf.write_parquet(pl.DataFrame({"run": ["a"]}), tmp_path / "a.parquet", **facts)
    said = provenance_of(parquet.read_schema(path))
    assert said == {
        "lexiframe": lf.__version__,
        "measures": ["AP", "nDCG@10"],
        "seed": 3,
        "place": "x",
    }


def test_preferences_are_written_in_blocks(monkeypatch, tmp_path):
    """What is written block by block is the whole table, with its metadata and checksum."""
    folder = lf.bundled("example")
    e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "AP", "nDCG@10"])
    e.write(tmp_path / "whole")
    monkeypatch.setattr(pairs, "_ROWS", 20)  # two requests have 18 rows
    e.write(tmp_path / "blocks")
    whole, blocks = (tmp_path / name / "preferences.parquet" for name in ("whole", "blocks"))
    assert [parquet.read_metadata(path).num_row_groups for path in (whole, blocks)] == [1, 3]
    table = pl.read_parquet(blocks)
    assert table.equals(e.preferences)
    assert table.equals(pl.read_parquet(whole))
    assert provenance_of(parquet.read_schema(blocks)) == provenance_of(parquet.read_schema(whole))
    assert has_checksum(blocks.read_bytes(), "")
    assert lf.read_results(tmp_path / "blocks").preferences.equals(e.preferences)


def test_iterators_are_no_tables_but_streams_are(tmp_path):
    table, path = pl.DataFrame({"run": ["a"], "value": [0.5]}), tmp_path / "a.parquet"
    for other in (iter([]), iter([table]), (part for part in [table]), map(str, [1])):
        with pytest.raises(TypeError, match="expected a frame that exports Arrow"):
            lf.write_parquet(other, path)
    assert not path.exists()
    for frame in (table, table.head(0)):
        lf.write_parquet(frame.to_arrow().to_reader(), path)
        assert pl.read_parquet(path).equals(frame)
