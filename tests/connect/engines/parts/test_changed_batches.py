"""Runs and judgments that changed places, in an evaluation in parts."""

import pytest

import lexiframe as lf
from tests.core.io.test_changed_places import TIED, frame, judgments


def test_batches_in_the_other_order_are_refused(tmp_path):
    for given in (judgments(), frame(judgments())):
        with pytest.raises(lf.SchemaError, match="may have changed places"):
            lf.evaluate(given, TIED["a tie"], out=tmp_path / "out", keep="scores")
