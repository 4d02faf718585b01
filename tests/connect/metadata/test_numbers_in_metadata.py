"""Whole numbers of a header are numbers as far as a column can hold them, and text beyond."""

import pytest

from lexiframe.connect.metadata.metadata import metadata_frame, parse_metadata

EDGES = [-(2**63) - 1, -(2**63), -1, 0, 2**63 - 1, 2**63, 2**64 - 1, 2**64]


@pytest.mark.parametrize("number", EDGES)
def test_a_number_that_int64_cannot_hold_is_text(number):
    expected = number if -(2**63) <= number < 2**63 else str(number)
    found = parse_metadata(f"n: {number}\nlist: [{number}]", "a.run")
    assert found == {"n": expected, "list": [expected]}
    assert metadata_frame({"a": f"n: {number}"})["n"].to_list() == [expected]
