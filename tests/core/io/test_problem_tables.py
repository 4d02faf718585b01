"""What messages show of long lines, and which lines are named as not being UTF-8."""

import pytest

import lexiframe as lf
from lexiframe.core.io.problems.problem_tables import problems_of_bytes, undecodable

pytestmark = pytest.mark.slow  # its room has quicker tests


@pytest.mark.parametrize("first", [1, 7])
def test_lines_that_are_not_utf_8_are_counted_from_the_first(first):
    lines = [b"a", b"b\xff12345", b"", b"\xc3\xa9", b"\xe9"]
    expected = {first + 1: repr(b"\xff123"), first + 4: repr(b"\xe9")}
    assert undecodable(b"\n".join(lines), first) == expected
    for end in (b"\n", b"\r\n", b"\r"):
        problems = problems_of_bytes(end.join(lines), "a.run", first)
        assert [problem.line for problem in problems] == [*expected]


@pytest.mark.parametrize("good", [3, 200_000])  # the second file is read in several blocks
def test_the_line_is_named_in_every_block(tmp_path, good):
    path = tmp_path / "a.run"
    path.write_bytes(b"q1 Q0 d1 1 0.5 bm25\n" * good + b"q1 Q0 \xff 1 0.5 bm25\n")
    problems = lf.check_run(path).filter(problem="encoding")
    assert problems.select("line", "found").rows() == [(good + 1, r"the bytes b'\xff 1 '")]
