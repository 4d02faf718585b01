"""Options of commands that are parameters of functions, with their defaults and docstrings."""

from collections.abc import Sequence
from inspect import signature
from typing import Annotated, Any, Literal

import pytest

from lexiframe.core.cli import parsing
from lexiframe.core.cli.options import INPUT, Passed, first_sentence


def drawn(
    x: Any, how: Literal["all", "some"] = "all", *, names: Sequence[str] | None = None, n: int = 3
) -> None:
    """Draw what is asked for.

    Parameters
    ----------
    x
        What to draw from.
    how : {"all", "some"}
        How it is drawn, as for `compare`, or ``{"a": 1}`` (see the notes). This is not shown.
    names, n
        As for `lexiframe.leaderboard_of`.
    """


def test_an_option_has_the_default_of_the_function_and_a_list_has_none():
    passed = Passed(drawn, "how names=NAME n", INPUT, "")
    found = {option.name: option for option in passed.options()}
    assert {name: option.default for name, option in found.items()} == {
        "how": "all", "names": None, "n": signature(drawn).parameters["n"].default,
    }  # fmt: skip
    assert passed.given({"how": "some", "names": None, "n": 3, "other": 1}) == {
        "how": "some", "n": 3,
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(parsing._command_files()))
def test_each_option_of_a_command_says_what_it_is_for(name):
    for param in parsing._imported(name).params:
        help = first_sentence(param.name, param.help or "")
        assert len(help) > 10
        assert not help.startswith("As for")


def test_a_command_gets_the_arguments_of_the_function():
    got = []

    def command(*, how: Annotated[dict[str, Any], Passed(drawn, "n", INPUT)]) -> None:
        got.append(how)

    parsing.take_options(command)(n=5)
    assert got == [{"n": 5}]
