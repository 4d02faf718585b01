"""Lines are named by their number in the file, whatever is blank and however blocks divide it."""

import json

import pytest

import lexiframe as lf
from lexiframe.core.io.text import json_rows, trec_rows

pytestmark = pytest.mark.slow  # its room has quicker tests


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.run"


def lines_of(count, bad, blank):
    """Lines of a run: every third blank if asked for, with a word as the score of some of them."""
    lines = []
    for n in range(1, count + 1):
        score = "x" if n in bad else f"{1 / n:.6f}"
        lines.append("" if n in blank else f"q{n} Q0 d{n} 1 {score} tag")
    return lines


@pytest.mark.parametrize("size", [40, 100, 1 << 22])
@pytest.mark.parametrize("blank", [(), (3, 4, 9, 20)])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_trec_text(path, monkeypatch, size, blank, end):
    monkeypatch.setattr(trec_rows, "BLOCK_OF_ROWS", size)
    bad = [2, 8, 21, 39, 40]
    path.write_bytes("".join(f"{line}{end}" for line in lines_of(40, bad, blank)).encode())
    assert lf.check_run(path)["line"].to_list() == bad


@pytest.mark.parametrize("size", [40, 100, 1 << 22])
@pytest.mark.parametrize("blank", [(), (3, 4, 9, 20)])
def test_lines_of_json(path, monkeypatch, size, blank):
    monkeypatch.setattr(json_rows, "BLOCK_OF_ROWS", size)
    monkeypatch.setattr(json_rows, "_SMALL_BLOCK", max(size // 2, 30))
    bad = [2, 8, 21, 39, 40]
    lines = []
    for n in range(1, 41):
        record = {"query_id": f"q{n}", "doc_id": f"d{n}", "score": "x" if n in bad else 1 / n}
        lines.append("" if n in blank else json.dumps(record))
    path.write_text("\n".join(lines) + "\n")
    assert lf.check_run(path)["line"].to_list() == bad


BAD = "q1 Q0 d1 1 x tag\n"  # so that the file is looked through line by line
WHOLE = "q1 Q0 d2 2 0.4 tag"
CUT = "q1 Q0 d2 2 0.4"
SHORT = "q1 Q0 d2 2"


@pytest.mark.parametrize(
    "last, is_bad, is_cut",
    [
        (WHOLE, False, False),
        (WHOLE + "\n", False, False),
        (CUT, True, True),  # the score may lack digits
        (CUT + "\n", False, False),
        (SHORT, True, True),
        (SHORT + "\n", True, False),
    ],
)
def test_the_last_line_is_cut_short_only_without_line_feed_and_narrower(path, last, is_bad, is_cut):
    path.write_text("q1 Q0 d0 1 0.9 tag\n" + BAD + last)
    problems = lf.check_run(path)
    assert problems["line"].to_list() == ([2, 3] if is_bad else [2])
    advice = problems.filter(line=3)["advice"].to_list()
    assert ["cut short" in text for text in advice] == ([is_cut] if is_bad else [])
