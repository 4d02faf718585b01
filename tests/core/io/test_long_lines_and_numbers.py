"""Lines of very many fields, and numbers of very many digits: refused, and in little memory."""

import pytest

import lexiframe as lf
from lexiframe.core.io.text import lines

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(  # made-up rows lie in any order
        "ignore:runs whose ranks and scores disagree",
        "ignore:.*expected scores of which the greatest is the best",
    ),
]

DIGITS = "1" * 5000
TOO_GREAT = r"line 1: expected a number up to 1\.8e308 as score, found '-?1111"


def write(path, text):
    path.write_text(text)
    return path


RECORDS = {
    "line": '{"query_id":"1","doc_id":"d","score":%s}\n',
    "lines": '{"query_id":"1","doc_id":"d","score":%s}\n{"query_id":"1","doc_id":"e","score":1}\n',
    "items": '{"qid":"1","items":[{"doc_id":"d","score":%s}]}\n',
}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_score_of_more_digits_than_python_converts_is_refused(tmp_path, record, sign):
    path = write(tmp_path / "a.jsonl", record % (sign + DIGITS))
    for read in (lf.read_runs, lambda path: lf.positions(path, {"1": {"d": 1}})):
        with pytest.raises(lf.ReadError, match=TOO_GREAT):
            read(path)
    found = lf.check_run(path)
    assert found["line"].to_list() == [1]
    assert found["problem"].to_list() == ["number"]


FILES = {
    "names of CSV": ("", ","), "names of TSV": ("", "\t"), "names with semicolons": ("", ";"),
    "row of CSV": ("query_id,doc_id,score\n", ","),
    "row of TSV": ("query_id\tdoc_id\tscore\n", "\t"),
    "first line of TREC": ("", " "), "line of TREC": ("q Q0 d 1 0.5 x\n", " "),
}  # fmt: skip


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "", "\nq1,d2,1\n"])
def test_a_line_of_very_many_fields_is_refused(tmp_path, file, end):
    before, between = file
    text = before + between.join(["a"] * 700_000) + end
    path = write(tmp_path / "a.txt", text)
    message = rf"line {2 if before else 1}: expected lines of at most 100,000 fields, found a line"
    of_runs = (lf.read_runs, lambda path: lf.evaluate(path, {"q": {"d": 1}}, "AP"))
    of_tables = (lf.read_scores, lf.read_log, lf.leaderboard, lf.read_preferences)
    is_run = before or between in " \t"
    for read in of_runs if is_run else of_tables:
        with pytest.raises(lf.ReadError, match=message):
            read(path)
    if is_run:
        assert lf.check_run(path)["problem"].to_list() == ["fields"]


def test_long_lines_of_few_fields_and_long_json_are_read(tmp_path):
    title = "a title" * 300_000
    path = write(tmp_path / "a.tsv", f"query_id\tdoc_id\tscore\ttitle\nq1\td1\t0.5\t{title}\n")
    assert lf.read_runs(path).num_rows == 1
    documents = ",".join(f'"d{n}":{n}' for n in range(150_000))
    path = write(tmp_path / "a.json", f'{{"q1":{{{documents}}}}}')
    assert lf.read_runs(path).num_rows == 150_000


@pytest.mark.parametrize("place", [0, 1, (1 << 20) - 1, 1 << 20, 3 << 20])
def test_a_wide_line_is_found_wherever_it_stands(place):
    around = b"q Q0 d 1 0.5 x\n" * (place // 15)
    lines.refuse_wide(around * 2, "x")
    text = around + b"a " * 700_000 + b"\n" + around
    with pytest.raises(lf.ReadError, match=f"line {place // 15 + 1}: expected lines of at most"):
        lines.refuse_wide(text, "x")
