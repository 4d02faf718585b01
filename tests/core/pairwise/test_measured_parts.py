"""What is joined: measures of subtopics and others, and runs that are known from before."""

from types import SimpleNamespace

import numpy as np
import pytest

import lexiframe as lf
from lexiframe.core.pairwise.measured import refuse_many_pairs
from lexiframe.core.projection.policies import Policies

RUN = "q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 0.4 t\n"
QRELS = "q1 0 d2 1\n"


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_a_run_that_is_known_from_before_and_another_of_its_name_are_refused(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.run").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)
    first = tmp_path / "runs" / "a.run"
    lf.evaluate(first, tmp_path / "qrels.txt", "AP").write(tmp_path / "out")
    more = tmp_path / "runs" / "more.csv"
    more.write_text("run,query_id,doc_id,score\nb,q1,d1,1\na,q1,d2,1\n")
    for reuse in (None, tmp_path / "out"):
        with pytest.raises(lf.ReadError, match="two runs are named 'a'"):
            lf.evaluate([first, more], tmp_path / "qrels.txt", "AP", reuse=reuse)


@pytest.mark.parametrize("n_relevant", [0, 1])
def test_requests_without_a_relevant_item_take_memory_only_where_they_count(n_relevant):
    """A thousand requests, of which one or all have a relevant item."""
    judged = SimpleNamespace(n_relevant=np.r_[1, np.full(999, n_relevant)])
    for policy in ("drop", "zero"):
        count = 1000 if n_relevant or policy == "zero" else 1

        def refused(limit, policy=policy):
            try:
                refuse_many_pairs(100, judged, [lf.AP], Policies(no_relevant=policy), None, limit)
            except lf.LexiframeError as error:
                return str(error)
            return ""

        assert refused(10**6) == "" if count == 1 else "memory" in refused(10**6)
