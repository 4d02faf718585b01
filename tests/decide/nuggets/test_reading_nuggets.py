"""What `read_nuggets` reads, and what it refuses: with file, line and key."""

import gzip
import json
import re

import polars as pl
import pytest

import lexiframe as lf

RED = {"text": "It is red.", "importance": "vital", "assignment": "support"}
BIG = {"text": "It is big.", "importance": "okay", "assignment": "partial_support"}
OLD = {"text": "It is old.", "assignment": "not_support"}


def assigned(*nuggets, qid="q", run="a", **more):
    return {"qid": qid, "run_id": run, "nuggets": [*nuggets], **more}


def refused(message):
    return pytest.raises(lf.LexiframeError, match=re.escape(message))


@pytest.fixture
def write(tmp_path):
    def written(*records, name="a.jsonl"):
        lines = (one if isinstance(one, str) else json.dumps(one) for one in records)
        file = tmp_path / name
        file.write_text("\n".join(lines))
        return file

    return written


def test_assignments_become_nuggets_and_statements(write):
    n = lf.read_nuggets(write(assigned(RED, BIG, OLD)))
    assert n.nuggets.select("nugget_id", "importance", "text").rows() == [
        ("1", "vital", "It is red."), ("2", "okay", "It is big."), ("3", "okay", "It is old."),
    ]  # fmt: skip
    assert n.statements["credit"].to_list() == [1, 0.5, 0]
    assert lf.nugget_scores(n).filter(measure="NuggetRecall")["value"].to_list() == [0.5]


def test_files_may_be_packed_lists_or_pretty_and_name_their_run(write, tmp_path):
    record = assigned(RED)
    del record["run_id"]
    pretty = write(json.dumps(record, indent=2), name="b.json")
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(json.dumps(record).encode()))
    several = write(json.dumps([record, assigned(RED, qid="p", run="x")]), name="d.json")
    n = lf.read_nuggets([pretty, tmp_path / "c.jsonl.gz", several])
    assert n.coverage.select("run", "answered").rows() == [("b", 1), ("c", 1), ("d", 1), ("x", 1)]
    named = lf.read_nuggets({"mine": write(assigned(RED))})
    assert named.statements["run"].to_list() == ["mine"]


def test_the_files_of_a_folder_with_a_name_are_of_one_run(write, tmp_path):
    write(assigned(RED))
    write(assigned(RED, qid="p", run="b"), name="b.jsonl")
    assert lf.read_nuggets({"mine": tmp_path}).coverage.rows() == [("mine", 2, 2, 0)]


def test_created_nuggets_have_no_statements(write):
    created = {"query": {"qid": "q", "text": "?"}, "nuggets": [{"text": "It is red."}]}
    n = lf.read_nuggets(write(created))
    assert n.nuggets.height == 1
    assert n.statements.is_empty()
    with refused("expected answers, found nuggets that are assigned to none; assign them first"):
        lf.evaluate_scores(n)


def test_an_answer_without_its_nuggets_counts_as_none(write):
    both = assigned(RED, run="b"), assigned(RED, qid="p")
    second = write(assigned(RED, qid="p", run="b"), name="b.jsonl")
    n = lf.read_nuggets([write(assigned(), *both), second])
    assert n.coverage.rows() == [("a", 2, 1, 1), ("b", 2, 2, 0)]
    assert lf.nugget_scores(n, "NuggetRecall")["value"].to_list() == [1, 0, 1, 1]
    assert str(n.verdict) == (
        "Answers of 2 runs to 2 requests were judged by 2 nuggets.\n"
        "Runs without an answer to some request, where no nugget is stated: 1 ('a')."
    )


def test_a_run_without_any_judged_answer_is_named(write):
    with pytest.warns(lf.LexiframeWarning, match=r"any judged answer, left out: 1 \('b'\)"):
        n = lf.read_nuggets(write(assigned(RED), assigned(run="b")))
    assert n.coverage["run"].to_list() == ["a"]


def test_grades_need_the_scale_of_the_judge(write):
    graded = write(assigned({**RED, "assignment": 3}, {**BIG, "assignment": 5}))
    with refused("found 3 at nuggets[0].assignment; say the greatest"):
        lf.read_nuggets(graded)
    assert lf.read_nuggets(graded, max_grade=5).statements["credit"].to_list() == [0.6, 1]
    assert lf.read_nuggets(graded, rel=4).statements["credit"].to_list() == [0, 1]
    with refused("expected a grade from 0 to 4, found 5"):
        lf.read_nuggets(graded, max_grade=4)
    for greatest in (0, float("nan"), float("inf")):
        with refused(f"read_nuggets: expected max_grade above 0, found {greatest}"):
            lf.read_nuggets(graded, max_grade=greatest)
    for least in (0, float("nan"), float("inf")):
        with refused(f"read_nuggets: expected rel above 0, found {least}"):
            lf.read_nuggets(graded, rel=least)
    with refused("read_nuggets: expected rel above 0 to max_grade, 5, found 6"):
        lf.read_nuggets(graded, rel=6, max_grade=5)
    with refused("rel is the least grade that is stated, and no nugget has a grade; leave it out"):
        lf.read_nuggets(write(assigned(RED, BIG)), rel=1)


def test_what_failed_is_counted_and_may_be_zero(write):
    failed = write(assigned({**RED, "importance": "failed"}, {**BIG, "assignment": "failed"}))
    message = "1 assignment and 1 importance that failed, the first in .*a.jsonl, nuggets.0..impor"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.read_nuggets(failed)
    n = lf.read_nuggets(failed, failed="zero")
    assert n.nuggets["importance"].to_list() == ["okay", "okay"]
    assert n.statements["credit"].to_list() == [1, 0]


WRONG = {
    "a line that is cut": (
        ['{"qid": "q", "run_id": "a", "nuggets": [', assigned(RED, qid="p"), assigned(RED)],
        "a.jsonl, line 1: expected JSON, found",
    ),
    "the last line is cut": (
        [assigned(RED), '{"qid": "p", "nugg'],
        'a.jsonl, line 2: expected JSON, found \'{"qid": "p", "nugg\' (Unterminated string',
    ),
    "a key twice": (['{"qid": "p", "qid": "q"}'], "two fields are named 'qid'"),
    "no request": ([{"nuggets": []}], "a.jsonl: expected the key query, found nuggets"),
    "no text": (
        [assigned(RED), assigned({"importance": "vital"}, qid="p")],
        "a.jsonl, line 2: expected the key text, found importance at nuggets[0]",
    ),
    "no assignment": (
        [assigned(RED, {"text": "It is."})],
        "a.jsonl: expected the key assignment, found text at nuggets[1]",
    ),
    "a null request": ([assigned(RED, qid=None)], "expected a value, found null at qid"),
    "a null assignment": (
        [assigned({**RED, "assignment": None})],
        "a.jsonl: expected a value, found null at nuggets[0].assignment",
    ),
    "an empty request": ([assigned(RED, qid="")], "expected a text that is not empty, found ''"),
    "another importance": (
        [assigned({**RED, "importance": "high"})],
        "expected vital or okay, found 'high' at nuggets[0].importance",
    ),
    "another assignment": (
        [assigned({**RED, "assignment": "yes"})],
        "expected support, partial_support or not_support, found 'yes' at nuggets[0].assignment",
    ),
    "no list": ([assigned(RED) | {"nuggets": 7}], "expected a list, found 7 at nuggets"),
    "a request twice": (
        [assigned(RED), assigned(RED)],
        (
            "a.jsonl, line 2: expected one answer of run 'a' to request 'q', found a second one; "
            "the first is in"
        ),
    ),
    "other nuggets": (
        [assigned(RED, BIG), assigned(RED, OLD, run="b")],
        (
            "a.jsonl, line 2: expected the nuggets of request 'q' by which run 'a' is judged (2), "
            "found others (2) for run 'b': nugget 2 is 'It is old.' (okay), and not 'It is big.'"
        ),
    ),
    "another importance in a second run": (
        [assigned(RED), assigned({**RED, "importance": "okay"}, run="b")],
        "nugget 1 is 'It is red.' (okay), and not 'It is red.' (vital); judge all runs by the same",
    ),
    "fewer nuggets": (
        [assigned(RED, BIG), assigned(RED, run="b")],
        "found others (1) for run 'b': nugget 2 is none, and not 'It is big.' (okay)",
    ),
    "something else": (
        [{"qid": "q"}],
        "expected a record with nugget_bank or judgments or nu",
    ),
    "rubric": ([[["q", []]]], "read_qrels reads the grades of RUBRIC and EXAM++"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_with_file_line_and_key(write, case):
    records, message = WRONG[case]
    with pytest.raises(lf.ReadError, match=re.escape(message)):
        lf.read_nuggets(write(*records))


def test_other_arguments_are_refused(write):
    with refused("expected failed to be one of 'error', 'zero'"):
        lf.read_nuggets(write(assigned(RED)), failed="skip")
    with refused("expected form to be one of 'nuggetizer', 'argue'"):
        lf.read_nuggets(write(assigned(RED)), form="trec")
    with refused("expected a record with nugget_bank or judgments"):
        lf.read_nuggets(write(assigned(RED)), form="argue")
    with pytest.raises(lf.SchemaError, match="expected the columns run, nugget_id, credit"):
        lf.read_nuggets(pl.DataFrame({"query_id": ["q"]}))


# --- Auto-ARGUE ---------------------------------------------------------------------------------

BANK = {
    "query_id": "q",
    "nugget_bank": {
        "who?": {"importance": "vital", "aggregator_type": "OR", "answers": {"x": {}, "y": {}}},
        "when?": {"question_id": "n2", "aggregator_type": "AND", "answers": {"x": {}, "y": {}}},
    },
}


def report(*sentences, run="a", topic="q"):
    return {"report": {"metadata": {"run_id": run, "topic_id": topic}}, "judgments": [*sentences]}


def answers(question, *found):
    matched = [{"question_text": question, "matched_answer": [*found]}]
    return {
        "judgment_type_id": "SENTENCE_ANSWERS_QUESTION",
        "response": {"matched_nuggets": matched},
    }


def of_document(flag, value, doc="d"):
    return {"judgment_type_id": flag, "response": {flag: value}, "provenance": {"doc_id": doc}}


def sentence(*judgments, cites=""):
    return {"citations": [{"doc_id": doc} for doc in cites], "judgments": [*judgments]}


def test_reports_have_statements_citations_and_sentences(write):
    first = sentence(answers("who?", "y"), answers("when?", "x"), of_document("is_attested", True),
                     of_document("is_relevant", False), cites="de")  # fmt: skip
    second = sentence(answers("when?", "y"), {"response": {"requires_citation": False}})
    third = sentence(answers("who?", "x"), {"response": {"is_first_instance": False}})
    n = lf.read_nuggets(write(report(first, second, third), BANK))
    assert n.nuggets.select("nugget_id", "aggregator").rows() == [("n2", "AND"), ("who?", "OR")]
    assert n.statements.rows() == [("a", "q", "n2", 1, 2), ("a", "q", "who?", 1, 1)]
    assert n.citations.rows() == [("a", "q", 1, "d", 1, False), ("a", "q", 1, "e", 0, None)]
    assert n.sentences.rows() == [
        ("a", "q", 1, True, True), ("a", "q", 2, False, True), ("a", "q", 3, True, False),
    ]  # fmt: skip


def test_all_answers_are_needed_where_they_are_joined_by_and(write):
    said = {"question_text": "when?", "matched_answer": "x"}
    one = {"response": {"matched_nuggets": [said, {"question_text": "who?"}]}}
    n = lf.read_nuggets(write(BANK, report(sentence(one))))
    assert n.statements["credit"].to_list() == [0, 0]


def test_a_report_without_sentences_counts_as_none(write):
    other = BANK | {"query_id": "p"}, report(sentence(), run="b", topic="p")
    n = lf.read_nuggets(write(BANK, *other, report(run="b"), report(sentence())))
    assert n.coverage.rows() == [("a", 2, 1, 1), ("b", 2, 1, 1)]


def test_what_is_cited_twice_is_judged_twice_or_once_for_both(write):
    twice = of_document("is_attested", True), of_document("is_attested", False)
    n = lf.read_nuggets(write(BANK, report(sentence(*twice, cites="dd"))))
    assert n.citations["support"].to_list() == [1, 0]
    n = lf.read_nuggets(write(BANK, report(sentence(twice[0], cites="dd"))))
    assert n.citations["support"].to_list() == [1, 1]


def test_other_kinds_of_judgments_are_counted(write):
    other = {"judgment_type_id": "STYLE", "response": {"is_nice": True}}
    with pytest.warns(lf.LexiframeWarning, match="not read, left out: STYLE 2"):
        lf.read_nuggets(write(BANK, report(sentence(other, other))))


WRONG_REPORTS = {
    "an unknown question": (
        [BANK, report(sentence(answers("why?", "x")))],
        (
            "a.jsonl, line 2: expected a question of the nugget bank, found 'why?' at "
            "judgments[0].judgments[0].response.matched_nuggets[0].question_text; read the nugget"
        ),
    ),
    "a document that is not cited": (
        [BANK, report(sentence(of_document("is_attested", True), cites="e"))],
        (
            "expected as many is_attested as the sentence cites a document, found 'd' at "
            "judgments[0].judgments[0].provenance.doc_id"
        ),
    ),
    "no flag": (
        [BANK, report(sentence(of_document("is_attested", "yes"), cites="d"))],
        "expected true or false, found 'yes' at judgments[0].judgments[0].response.is_attested",
    ),
    "no topic": ([report() | {"report": {"metadata": {}}}], "expected the key topic_id, found "),
    "another aggregator": (
        [BANK | {"nugget_bank": {"who?": {"aggregator_type": "XOR"}}}],
        "expected OR or AND, found 'XOR' at nugget_bank['who?'].aggregator_type",
    ),
    "no object": ([BANK | {"nugget_bank": [1]}], "expected an object, found [1] at nugget_bank"),
    "a nugget twice": (
        [BANK | {"nugget_bank": {"who?": {"question_id": "n"}, "why?": {"question_id": "n"}}}],
        "expected each question_id once, found 'n' at nugget_bank['why?'].question_id; rename one",
    ),
}


@pytest.mark.parametrize("case", WRONG_REPORTS)
def test_what_is_wrong_in_reports_is_said_with_file_line_and_key(write, case):
    records, message = WRONG_REPORTS[case]
    with pytest.raises(lf.ReadError, match=re.escape(message)):
        lf.read_nuggets(write(*records))


# --- Tables of one's own ------------------------------------------------------------------------

FACTS = pl.DataFrame({"query_id": "q", "nugget_id": ["a", "b"], "importance": ["vital", None]})
STATED = pl.DataFrame(
    {"run": ["x", "y"], "query_id": "q", "nugget_id": ["a", "b"], "credit": [1.0, 0.5]}
)


def test_tables_that_break_the_rules_are_refused():
    lf.Nuggets(FACTS, STATED)
    with refused("expected one row for each query_id, nugget_id, found"):
        lf.Nuggets(pl.concat([FACTS, FACTS]), STATED)
    with refused(" rows, the first of run"):
        lf.Nuggets(FACTS, pl.concat([STATED, STATED]))
    with refused("statements: expected credit from 0 to 1, found 2 "):
        lf.Nuggets(FACTS, STATED.with_columns(credit=2.0))
    with refused("nuggets: expected importance vital or okay, found 2"):
        lf.Nuggets(FACTS.with_columns(importance=pl.lit("high")), STATED)
    with refused("expected sentence counted from 1, found 2 (0, 0)"):
        lf.Nuggets(FACTS, STATED.with_columns(sentence=0))
    with refused("found 'z' of request 'q' in run 'x' (2 such rows"):
        lf.Nuggets(FACTS, STATED.with_columns(nugget_id=pl.lit("z")))


def test_measures_of_others_are_refused():
    n = lf.Nuggets(FACTS, STATED)
    with refused("NuggetPreference: compares two answers; preferences has it"):
        lf.nugget_scores(n, "NuggetPreference")
    with refused("AP: is no measure of answers judged by nuggets; scores"):
        lf.nugget_scores(n, "AP")
    with refused("ReportF1: needs sentences and"):
        lf.nugget_scores(n, "f1")
    with refused("or a table of statements with nuggets=, found a"):
        lf.nugget_scores(STATED)
    with refused("found none; an answer is a set: with every stated"):
        lf.nugget_positions(STATED, FACTS)
    some = STATED.with_columns(credit=1.0, sentence=pl.Series([1, None]))
    with refused("sentence for each nugget that is stated, found none"):
        lf.nugget_positions(some, FACTS)
    with refused("unknown run 'z'"):
        lf.preferences(n, "NuggetPreference", baseline="z")
    rankings = {"a": {"q": {"d": 1}}, "b": {"q": {"e": 1}}}
    p = lf.positions(rankings, {"q": {"d": 1}})
    for compute in (lf.preferences, lf.scores):
        with refused("needs judgments of answers (lexiframe.read"):
            compute(p, "NuggetRecall(vital)")
    with refused("NuggetRecall(strict): needs judgments of answers"):
        lf.evaluate(rankings, {"q": {"d": 1}}, "strict_all_score")


def test_measures_have_a_page_and_their_other_names():
    assert str(lf.parse_measure("strict_vital_score")) == "NuggetRecall(vital,strict)"
    assert lf.parse_measure("nuggetrecall(weighted)") == lf.NuggetRecall(weighted=True)
    assert lf.measures("f1_weighted")["notation"].to_list() == ["ReportF1(weighted=False)"]
    assert "Also called all_score, All and" in " ".join(lf.NuggetRecall.__doc__.split())
    with refused("NuggetRecall has no parameter 'okay'"):
        lf.parse_measure("NuggetRecall(okay)")
    with refused("NuggetRecall(rel=2): nuggets have credits, not grades; give rel to read_nuggets"):
        lf.NuggetRecall(rel=2)
    n = lf.Nuggets(FACTS, STATED)
    assert lf.nugget_scores(n, ["All"])["measure"].unique().to_list() == ["NuggetRecall"]
