"""Each doubt of reading stands on the page that says what is doubted."""

from pathlib import Path

from lexiframe.core.io import doubts

PAGE = Path(__file__).resolve().parents[3] / ".docs" / "what-is-doubted.md"
LINES = {
    "changed_places": "| judgments and runs may have changed places |",
    "changing_tags": "| tags that change inside a ranking",
    "lists_in_folds": "| a column `fold` or `split` divides the lists or judgments of a request |",
    "runs_of_one_ranking": "| a column of runs whose ranks go on from run to run",
    "equal_scores": "| equal scores of more than half of the documents at ranks 1 to 10",
    "filled_scores": "- Scores that are 0 in place of a missing ranking",
    "odd_grades": "| grades that look like times, ids or ranks |",
    "order_of_rows": "| rows that lie by another column of numbers",
    "other_lines": "| lines that look like interactions",
    "scores_against_ranks": "| ranks and scores disagree in half of the requests or more",
    "several_in_parts": "| files called like the parts of one run that repeat documents",
    "several_rankings": "| several systems in one file",
}


def test_each_doubt_has_a_line_on_the_page():
    modules = {path.stem for path in Path(doubts.__file__).parent.glob("*.py")}
    assert modules - {"__init__", "first_looks"} == {*LINES}
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert not [name for name, line in LINES.items() if not [s for s in page if s.startswith(line)]]
