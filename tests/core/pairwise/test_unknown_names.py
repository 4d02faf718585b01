"""Names that are almost right: one message with the nearest right name, never a traceback."""

import contextlib

import pytest

import lexiframe as lf
from lexiframe.core.metrics import notation

pytestmark = pytest.mark.slow  # its room has quicker tests

ENDINGS = ["@10", "(rel=2)", "_@10", ".5@10", "_cap@7", "_at@5", "_5@10", "-l2@3"]
"""What people write behind a name that has no such part, or has it in another place."""


def refusal(name):
    """What is said of the name of a measure that cannot be read; empty for one that can."""
    with contextlib.suppress(lf.LexiframeError):
        lf.parse_measure(name)
        return ""
    with pytest.raises(lf.LexiframeError) as error:
        lf.parse_measure(name)
    return str(error.value)


@pytest.mark.filterwarnings("ignore:hits")
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_name_with_every_ending_is_a_measure_or_one_line(ending):
    names = [*notation.TREC_EVAL, *notation.OTHERS, *notation.IR_MEASURES]
    for name in names:
        said = refusal(f"{name}{ending}")
        assert "\n" not in said
        assert len(said) < 1000


def test_the_command_line_says_it_in_one_line(lexiframe):
    found = lexiframe("measures", "recip_ranks@20")
    assert found.status == 1
    assert "RR@20" in found.err
    assert len(found.err.splitlines()) < 10
