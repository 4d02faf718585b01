"""Real and edited files in every odd shape: each gives a table or one clear error."""

import gzip
import re

import polars as pl
import pytest

import lexiframe as lf

pytestmark = [pytest.mark.slow, pytest.mark.conformance]

KEY = ["query_id", "doc_id"]


@pytest.fixture
def awkward(shared):
    return shared / "data" / "awkward"


def run(path, **options):
    """The rows by key."""
    return pl.DataFrame(lf.read_runs(path, **options)).select(*KEY, "score").sort(KEY)


def qrels(path, **options):
    return pl.DataFrame(lf.read_qrels(path, **options))


def lines(path):
    """The fields of each line that is no comment, by Python's bytes.split."""
    return [line.split() for line in path.read_bytes().splitlines() if line[:1] not in (b"", b"#")]


@pytest.mark.parametrize(
    "file",
    [
        "edited_5_columns.run",
        "edited_blank_and_space_lines.run",
        "edited_bom_utf8.run",
        "edited_bz2.run.bz2",
        "edited_cr_only.run",
        "edited_float_rank.run",
        "edited_gz.run.gz",
        "edited_gz_two_members.run.gz",
        "edited_interleaved_topics.run",
        "edited_ir_metadata_header.run",
        "edited_leading_space_trailing_tab.run",
        "edited_utf16.run",
        "edited_xz.run.xz",
    ],
)
def test_equal_to_the_unedited_run(awkward, file):
    base = run(awkward / "edited_base.run")
    assert base.height == 120
    assert run(awkward / file).equals(base)
    judged = awkward / "edited_base.qrels"
    positions = [lf.positions(awkward / name, judged) for name in (file, "edited_base.run")]
    assert positions[0].drop("run").equals(positions[1].drop("run"))


@pytest.mark.parametrize(
    "file, options",
    [
        ("edited_3_columns.run", {"third": "score"}),
        ("edited_header_line.run", {"header": True}),
        ("edited_decimal_comma.run", {"decimal": ","}),
    ],
)
def test_equal_when_told_the_dialect(awkward, file, options):
    base = run(awkward / "edited_base.run")
    assert run(awkward / file, **options).equals(base)
    scan = lf.scan_runs(awkward / file, **options)
    p = lf.positions(scan, awkward / "edited_base.qrels")
    assert p.drop("run").equals(
        lf.positions(awkward / "edited_base.run", awkward / "edited_base.qrels").drop("run")
    )


def test_the_third_of_three_columns_may_be_the_rank(awkward, write):
    lines = (awkward / "edited_base.run").read_text().splitlines()
    ranked = [" ".join(line.split()[i] for i in (0, 2, 3)) for line in lines]
    table = lf.read_runs(write("\n".join(ranked)), third="rank")
    base = lf.read_runs(awkward / "edited_base.run")
    assert table["rank"].to_pylist() == base["rank"].to_pylist()
    assert table["score"].to_pylist() == [-rank for rank in base["rank"].to_pylist()]
    with pytest.raises(lf.ReadError, match=r"line 1: expected a whole number in field 3 \(rank\)"):
        lf.read_runs(awkward / "edited_3_columns.run", third="rank")


def test_the_metadata_of_a_run(awkward):
    pytest.importorskip("yaml")
    file = awkward / "edited_ir_metadata_header.run"
    for runs in (file, lf.scan_runs(file), lf.read_runs(file)):
        said = lf.run_metadata(runs).row(0, named=True)
        assert said["run"] == "edited_ir_metadata_header"
        assert (said["method.automatic"], said["method.retrieval.0.name"]) == (True, "bm25")
        assert said["actor.team"] == "DEMIR"
        assert said["research goal.venue.name"] == "CLEF"
    assert lf.run_metadata(awkward / "edited_base.run").rows() == [("edited_base",)]


@pytest.mark.parametrize(
    "file, message",
    [
        (
            "edited_3_columns.run",
            "line 1: expected 6 fields .*, found 3.* say which with third='score' or third='rank'",
        ),
        (
            "edited_decimal_comma.run",
            "line 1: expected a number in field 5 .*, found '[-0-9]+,.*decimal comma.*decimal=','",
        ),
        (
            "edited_header_line.run",
            "line 1: expected a number in field 5 .* looks like a header: say so with header=True",
        ),
        ("edited_nan_score.run", "line 6: expected a number in field 5 .*, found 'NaN'"),
        ("edited_empty.run", "the file is empty"),
        ("edited_only_comments.run", "expected lines of 6 fields .*, found only comments"),
    ],
)
def test_errors_of_runs(awkward, file, message):
    with pytest.raises(lf.ReadError, match=f"{file}(, |: ){message}"):
        lf.read_runs(awkward / file)


@pytest.mark.parametrize(
    "file", ["edited_duplicate_doc.run", "edited_duplicate_doc_other_score.run"]
)
def test_duplicate_documents(awkward, file):
    judged = awkward / "edited_base.qrels"
    query_id, _, doc_id, *_ = (awkward / file).read_text().splitlines()[3].split()
    with pytest.raises(lf.SchemaError, match=rf"{file}.*{doc_id}.*{query_id}.* 4 and 11") as caught:
        lf.positions(awkward / file, judged)
    assert file in str(caught.value)
    with pytest.warns(lf.LexiframeWarning, match="rows that repeated a document, removed: 1"):
        p = lf.positions(awkward / file, judged, duplicates="best")
    base = lf.positions(awkward / "edited_base.run", judged)
    assert p.drop("run").equals(base.drop("run"))


def test_conflicting_judgments(awkward):
    file = awkward / "edited_duplicate_conflicting.qrels"
    query_id, _, doc_id, _ = file.read_text().split()[:4]
    message = (
        f"{file.name}: the document '{re.escape(doc_id)}' is judged more than once for query "
        rf"'{re.escape(query_id)}', with the grades 3 and 0 \(lines 1 and 6; 2 such rows"
    )
    for use in (lf.read_qrels, lambda file: lf.positions(awkward / "edited_base.run", file)):
        with pytest.raises(lf.SchemaError, match=message):
            use(file)
    with pytest.warns(lf.LexiframeWarning, match="judgments that repeated a document, removed: 1"):
        table = qrels(file, duplicates="best")
    assert table.equals(qrels(awkward / "edited_base.qrels"))


@pytest.mark.parametrize(
    "file",
    [
        "edited_huge_ids.run",
        "edited_inf_score.run",
        "edited_leading_zero_qids.run",
        "edited_nbsp_in_docid.run",
        "edited_non_ascii_ids.run",
        "real_all_scores_tied.run",
        "real_col2_is_1.run",
        "real_crlf.run",
        "real_hash_in_docid.run",
        "real_heavy_ties.run",
        "real_lowercase_q0_integer_scores.run",
        "real_missing_topic.run",
        "real_no_final_newline.run",
        "real_prefs.run",
        "real_rank_always_zero.run",
        "real_scientific_scores.run",
        "real_second_column_0.run",
        "real_short_lists.run",
        "real_tabs_crlf_1001_deep_other_topic_ids.run",
        "real_tabs_unsorted_rank0.run",
        "real_tot_tabs_rank0.run",
    ],
)
def test_runs_keep_every_line(awkward, file):
    """Ids unchanged, in the order of the file; only ASCII white space separates fields."""
    if file == "edited_huge_ids.run":  # of three topics
        with pytest.warns(lf.LexiframeWarning, match="ranks that begin anew for 1"):
            table = lf.read_runs(awkward / file)
    else:
        table = lf.read_runs(awkward / file)
    expected = [(q.decode(), d.decode(), float(s)) for q, _, d, _, s, *_ in lines(awkward / file)]
    assert pl.DataFrame(table).select(*KEY, "score").rows() == expected
    assert table["run"][0].as_py() == file.removesuffix(".run")


@pytest.mark.parametrize(
    "file",
    [
        "edited_base.qrels",
        "edited_float_grades.qrels",
        "real_comments.qrels",
        "real_comments_2.qrels",
        "real_hash_in_docid.qrels",
        "real_qrels_2018_uuid.qrels",
        "real_qrels_double_space_negative.qrels",
        "real_qrels_fractional_iteration.qrels",
        "real_qrels_iteration_Q0_zero_padding.qrels",
        "real_qrels_subtopics.qrels",
        "real_qrels_tabs_clef2015.qrels",
    ],
)
def test_qrels_keep_every_line(awkward, file):
    expected = [
        (q.decode(), i.decode(), d.decode(), float(g)) for q, i, d, g in lines(awkward / file)
    ]
    assert qrels(awkward / file).rows() == expected


def test_float_grades_equal_whole_ones(awkward):
    base = qrels(awkward / "edited_base.qrels")
    assert qrels(awkward / "edited_float_grades.qrels").equals(base)
    assert base.height == 120


def test_three_columns_of_qrels(awkward):
    assert qrels(awkward / "edited_3_columns.qrels").equals(qrels(awkward / "edited_base.qrels"))


@pytest.mark.filterwarnings("ignore:rankings for requests without judgments, ignored. 2")
def test_an_infinitely_bad_score_is_last_of_its_request(awkward):
    file = awkward / "edited_inf_score.run"
    query_id, _, doc_id, *_ = file.read_text().splitlines()[5].split()
    judged = pl.DataFrame({"query_id": query_id, "doc_id": [doc_id], "relevance": 1.0})
    p = lf.positions(file, judged)
    assert p["position"].to_list() == p["n_retrieved"].to_list() == [40]


def test_junk_behind_the_tag_is_counted_in_one_warning(awkward):
    file = awkward / "real_trailing_junk.run"
    too_long = sum(len(fields) > 6 for fields in lines(file))
    with pytest.warns(lf.LexiframeWarning) as caught:
        assert lf.read_runs(file).num_rows == len(lines(file))
    (said,) = (str(warning.message) for warning in caught)
    assert said.startswith(f"{file}: {too_long} lines have more than 6 fields; the fields after")


def test_a_document_has_its_greatest_grade_over_subtopics(awkward):
    judged = qrels(awkward / "real_qrels_subtopics.qrels")
    greatest = judged.group_by(KEY).agg(pl.col("relevance").max()).filter(pl.col("relevance") > 0)
    assert greatest.height < (judged["relevance"] > 0).sum()
    some = judged.select(pl.lit("a").alias("run"), *KEY, pl.lit(1.0).alias("score")).unique()
    p = lf.positions(some, awkward / "real_qrels_subtopics.qrels")
    assert p.select(*KEY, "relevance").equals(greatest.sort(KEY))


@pytest.mark.filterwarnings("ignore:rankings for requests without judgments, ignored. 2")
def test_the_rank_column_orders_tied_scores(awkward):
    file = awkward / "real_all_scores_tied.run"
    first = lf.read_runs(file).slice(0, 20).to_pylist()
    judged = pl.DataFrame(first).select(*KEY, relevance=1.0)
    p = lf.positions(file, judged, ties="rank")
    ranks = pl.DataFrame(first).select(*KEY, pl.col("rank") - pl.col("rank").min() + 1)
    assert p.join(ranks, on=KEY).filter(pl.col("position") != pl.col("rank")).is_empty()
    by_id = lf.positions(file, judged, ties="doc_id_asc")
    assert (by_id["position"] != p["position"]).any()


def test_no_request_in_common(awkward):
    message = r"no query in common: the runs answer . \('151',.* the qrels have . \('151001',"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.evaluate(
            awkward / "real_tabs_crlf_1001_deep_other_topic_ids.run",
            awkward / "real_qrels_2018_uuid.qrels",
        )


def test_runs_are_no_qrels_and_qrels_no_runs(awkward):
    for file in sorted(awkward.glob("*.qrels")):
        with pytest.raises(lf.ReadError, match=f"{file.name}, line .* looks like a qrels file"):
            lf.read_runs(file)
    for file in sorted(awkward.glob("real_*.run")):
        with pytest.raises(
            lf.ReadError, match=f"{file.name}, line .* this looks like a run, given"
        ):
            lf.read_qrels(file)
    with pytest.raises(lf.ReadError, match="qrels and runs may have changed places"):
        lf.evaluate(awkward / "edited_base.qrels", awkward / "edited_base.run")


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_every_file_gives_a_table_or_an_error_of_ours(awkward):
    """Each as a run and as qrels; with the other file of its pair where there is one."""
    outcomes = []
    for file in sorted(awkward.iterdir()):
        for other in (file.with_suffix(".qrels"), awkward / "edited_base.qrels"):
            for use in (lf.read_runs, lf.read_qrels, lambda f, q=other: lf.evaluate(f, q)):
                try:
                    outcomes.append(use(file) is not None)
                except lf.LexiframeError as error:
                    assert "\n" not in str(error)  # noqa: PT017
                    outcomes.append(False)
    assert sum(outcomes) > 100


def test_a_broken_gzip_of_a_real_run(awkward, tmp_path):
    packed = (awkward / "edited_gz.run.gz").read_bytes()
    for name, data in {"cut": packed[:-200], "swapped": packed[:99] + packed[99:][::-1]}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(lf.ReadError, match=f"{name}: the gzip data is broken or cut short"):
            lf.read_runs(tmp_path / name)
    assert gzip.decompress(packed) == (awkward / "edited_base.run").read_bytes()
