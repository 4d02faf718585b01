"""Names of data sets of ir_datasets, which have runs and judgments, where other files are read."""

import pytest

MESSAGE = "irds:vaswani: expected a file or a frame, found a data set of ir_datasets"


@pytest.mark.parametrize(
    "command",
    [
        ("votes", "irds:vaswani"),
        ("leaderboard", "irds:vaswani"),
        ("judges", "--nuggets", "a=irds:vaswani", "--nuggets", "b=irds:vaswani"),
        ("gate", "--scores", "irds:vaswani", "a", "b", "-m", "AP", "--margin", "0.1"),
    ],
    ids=lambda command: command[0],
)
def test_commands_say_so_in_a_line(lexiframe, command):
    done = lexiframe(*command)
    assert done.status == 1
    assert done.err.startswith(f"error: {MESSAGE}")
    assert done.err.count("\n") == 1
