"""The lines that `check_run` lists are those that reading refuses: no more, and no fewer."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexiframe as lf

IDS = st.sampled_from(["q1", "q2", "d1", "d2", "", '"d1"'])
NUMBERS = st.sampled_from(["1", "-0.5", "inf", "1e3", "", "nan", "high", "0,5"])
FORMS = {
    "TREC": ("", "{} Q0 {} 1 {} x"),
    "CSV": ("qid,docno,score\n", "{},{},{}"),
    "TSV": ("qid\tdocno\tscore\n", "{}\t{}\t{}"),
    "JSON": ("", '{{"qid": "{}", "docno": "{}", "score": {}}}'),
}


@pytest.mark.parametrize("form", FORMS)
@given(st.lists(st.tuples(IDS, IDS, NUMBERS), min_size=1, max_size=6))
def test_a_file_without_the_lines_that_are_listed_is_in_order(form, rows):
    header, template = FORMS[form]
    lines = [template.format(*row) for row in rows]
    n_above = header.count("\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bm25.run")

        def written(lines):
            path.write_text(header + "".join(f"{line}\n" for line in lines))
            return path

        listed = dict(lf.check_run(written(lines)).select("line", "problem").rows())
        kept = [line for n, line in enumerate(lines, 1 + n_above) if n not in listed]
        if kept:
            assert lf.check_run(written(kept)).is_empty()
            lf.read_runs(path)
        for n, problem in listed.items():
            if problem != "duplicate":
                with pytest.raises(lf.LexiframeError):
                    lf.read_runs(written([lines[n - 1 - n_above]]))
