"""Measures of one's own are known again by what they are made of, not by their names."""

import subprocess
import sys
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import lexiframe as lf
from lexiframe.core.pairwise.own_functions import marks_of_own

BEGIN = """
import numpy as np
import lexiframe as lf
from functools import partial
from lexiframe.core.pairwise.own_functions import marks_of_own
CONSTANT, TABLE = {constant}, np.arange({rows})
def helper(p):
    return p + {added}
class Weights:
    def __call__(self, p):
        return p * {factor}
def f(p, *, default={default}):
    some = {{"a", "b", "c", "d"}}
    inner = lambda q: helper(q) + CONSTANT + TABLE.sum() + len(some)
    return np.sign(inner(p)) + Weights()(p)
"""
AS_THEY_ARE = {"constant": 1, "rows": 3, "added": 1, "factor": 2, "default": 0}


def mark(**changed):
    """The mark of `f` in a module in which some things are changed."""
    found = {"__name__": "elsewhere"}
    exec(compile(BEGIN.format(**AS_THEY_ARE | changed), "anywhere", "exec"), found)
    return marks_of_own([lf.MatrixPreference("f", found["f"])])["f"]


@pytest.mark.parametrize("what", AS_THEY_ARE)
def test_what_a_function_refers_to_is_part_of_it(what):
    assert mark() == mark()
    assert mark(**{what: 7}) != mark()


@pytest.mark.slow
def test_the_mark_is_the_same_in_other_processes():
    """Sets have another order in each process."""
    code = BEGIN.format(**AS_THEY_ARE)
    code += 'print(marks_of_own([lf.MatrixPreference("f", f)])["f"])'
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": ":".join(filter(None, sys.path))},
        ).stdout
        for seed in (1, 2)
    ]
    assert runs[0] == runs[1]
    assert len(runs[0].strip()) == 64


@dataclass(frozen=True)
class Weighted:
    """A function that is an object."""

    weight: float

    def __call__(self, p):
        return self.of(p)

    @staticmethod
    def of(p):
        return p

    @property
    def twice(self):
        return 2 * self.weight

    def method(self, p):
        return p * self.twice


def difference(p, weight=1):
    return weight * (p[:, :1] - p[:, :1].T)


def test_objects_that_are_functions():
    of = {
        "objects": [Weighted(1.0), Weighted(2.0)],
        "methods": [Weighted(1.0).method, Weighted(2.0).method],
        "partial": [partial(difference, weight=1), partial(difference, weight=2)],
        "C": [np.add, np.subtract],
    }
    for functions in of.values():
        one, other = (marks_of_own([lf.MatrixPreference("f", f)])["f"] for f in functions)
        assert one is not None
        assert one != other


def test_built_in_measures_have_no_marks_and_parameters_belong_to_the_name():
    assert marks_of_own([lf.AP, lf.RPP, lf.nDCG @ 10]) == {}
