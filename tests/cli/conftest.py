"""What all tests of commands share."""

import pytest

from lexiframe.core.base import printed


@pytest.fixture(autouse=True)
def at_a_terminal():
    """What Python prints is compared with what commands print, so both are for a terminal."""
    with printed.written_for("terminal"):
        yield
