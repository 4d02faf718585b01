"""Real and edited files in every odd shape: each gives a table or one clear error."""

import gzip
import re

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.conformance

KEY = ["query_id", "doc_id"]


@pytest.fixture
def awkward(shared):
    return shared / "data" / "awkward"


def run(path):
    """The rows by key."""
    return pl.DataFrame(lf.read_runs(path)).select(*KEY, "score").sort(KEY)


def qrels(path):
    return pl.DataFrame(lf.read_qrels(path))


def lines(path):
    """The fields of each line that is no comment, by Python's bytes.split."""
    return [line.split() for line in path.read_bytes().splitlines() if line[:1] not in (b"", b"#")]


@pytest.mark.parametrize(
    "file",
    [
        "edited_5_columns.run",
        "edited_blank_and_space_lines.run",
        "edited_bom_utf8.run",
        "edited_float_rank.run",
        "edited_gz.run.gz",
        "edited_gz_two_members.run.gz",
        "edited_interleaved_topics.run",
        "edited_ir_metadata_header.run",
        "edited_leading_space_trailing_tab.run",
    ],
)
def test_equal_to_the_unedited_run(awkward, file):
    base = run(awkward / "edited_base.run")
    assert base.height == 120
    assert run(awkward / file).equals(base)
    judged = awkward / "edited_base.qrels"
    positions = [lf.positions(awkward / name, judged) for name in (file, "edited_base.run")]
    assert positions[0].drop("run").equals(positions[1].drop("run"))


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize(
    "file",
    ["edited_bz2.run.bz2", "edited_xz.run.xz", "edited_cr_only.run", "edited_utf16.run"],
)
def test_equal_or_refused(awkward, file):
    """Dialects that may come later; until then nothing is guessed."""
    try:
        table = run(awkward / file)
    except lf.LexiframeError as error:
        assert file in str(error)  # noqa: PT017
    else:
        assert table.equals(run(awkward / "edited_base.run"))


@pytest.mark.parametrize(
    "file, message",
    [
        ("edited_3_columns.run", "line 1: expected 6 fields .*, found 3"),
        ("edited_decimal_comma.run", "line 1: expected a number in field 5 .*, found '[-0-9]+,"),
        ("edited_header_line.run", "line 1: expected a number in field 5"),
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
    with pytest.raises(lf.SchemaError, match=f"{re.escape(doc_id)}.*{re.escape(query_id)}"):
        lf.positions(awkward / "edited_base.run", file)


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


def test_three_columns_of_qrels_are_read_or_refused(awkward):
    file = awkward / "edited_3_columns.qrels"
    try:
        table = qrels(file)
    except lf.ReadError as error:
        assert f"{file.name}, line 1: expected 4 fields" in str(error)  # noqa: PT017
    else:
        assert table.drop("iteration").equals(
            qrels(awkward / "edited_base.qrels").drop("iteration")
        )


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
    assert said.startswith(f"{file}: {too_long} lines have more than 6 fields; what follows")


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
    message = r"no query in common: the runs answer . \('151',.* judged are . \('151001',"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.evaluate(
            awkward / "real_tabs_crlf_1001_deep_other_topic_ids.run",
            awkward / "real_qrels_2018_uuid.qrels",
        )


def test_runs_are_no_qrels_and_qrels_no_runs(awkward):
    for file in sorted(awkward.glob("*.qrels")):
        with pytest.raises(lf.ReadError, match=f"{file.name}, line .*: expected 6 fields"):
            lf.read_runs(file)
    for file in sorted(awkward.glob("real_*.run")):
        with pytest.raises(lf.ReadError, match=f"{file.name}, line .*: expected 4 fields"):
            lf.read_qrels(file)


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
