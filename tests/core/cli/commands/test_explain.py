"""The command ``lexiframe explain``: what it refuses; what it prints is tested with the others."""

import lexiframe as lf

EXAMPLE = lf.bundled("example")
RUN = EXAMPLE / "runs" / "random.run"


def test_a_run_is_not_explained_against_itself(lexiframe):
    outcome = lexiframe("explain", EXAMPLE / "qrels.txt", RUN, RUN)
    assert outcome.status == 1
    assert "; name two files" in " ".join(outcome.err.split())
