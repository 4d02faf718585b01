"""Progress: on a terminal, for what takes long, and gone when it is done."""

import io
import os
import sys
import time
from inspect import signature
from itertools import count

import pytest

from lexiframe.core.base import printed
from lexiframe.core.base.progress_bars import in_threads, progress
from tests.conftest import library


class Terminal(io.StringIO):
    """A standard error that says whether it is a terminal."""

    def __init__(self, is_terminal):
        super().__init__()
        self.isatty = lambda: is_terminal


@pytest.fixture
def slow(monkeypatch):
    """A clock that runs a second and a half between looks at it."""
    ticks = count(0, 1.5)
    monkeypatch.setattr("tqdm.std.time", lambda: next(ticks))


def test_a_notebooks_standard_error_is_no_terminal():
    stream = library("ipykernel.iostream").OutStream
    assert signature(stream.__init__).parameters["isatty"].default is False


def test_what_is_quick_shows_nothing(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", Terminal(is_terminal=True))
    assert list(progress(range(1000), 1000, "reading runs")) == list(range(1000))
    assert sys.stderr.getvalue() == capsys.readouterr().out == ""


def test_few_results_wait_until_they_are_taken():
    """Else those of a slow consumer would add up in memory."""
    begun = []

    def noted(item):
        begun.append(item)
        return item

    results = in_threads(noted, range(1000))
    assert next(results) == 0
    time.sleep(0.2)  # for threads to do all that they are given
    assert len(begun) <= 2 * (os.cpu_count() + 2)
    assert [0, *results] == [*range(1000)]


def test_an_error_in_a_thread_is_raised_in_its_turn():
    results = in_threads(lambda n: 1 / (3 - n), range(9))
    assert [next(results) for _ in range(3)] == [1 / 3, 1 / 2, 1.0]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_threads_advise_the_reader_of_the_caller():
    def advised(_: int) -> str:
        return printed.advice(python="f", terminal="--f")

    with printed.written_for("terminal"):
        assert [*in_threads(advised, range(3), rows=10**9)] == ["--f"] * 3
    assert [*in_threads(advised, range(2), rows=10**9)] == ["f"] * 2
