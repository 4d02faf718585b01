"""Functions of data that may have several collections: each of them is computed alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from lexiframe.core.projection.several import may_be_several

P = ParamSpec("P")
T = TypeVar("T")


def each_collection(function: Callable[P, T]) -> Callable[P, T]:
    """Call a function of tables with each collection alone, and put the tables found together.

    Collections are rows of tables with the column ``collection``, an evaluation of several, or
    ``{name: (runs, qrels)}``. Of a result of several tables each gets the column.
    """
    is_of_runs = [*inspect.signature(function).parameters][1:2] == ["qrels"]

    @wraps(function)
    def of_each(*args: P.args, **kwargs: P.kwargs) -> T:
        qrels = args[1] if len(args) > 1 else kwargs.get("qrels")
        needs_judgments = is_of_runs and qrels is None  # they are at the place of the runs
        if not (needs_judgments or any(map(may_be_several, (*args, *kwargs.values())))):
            return function(*args, **kwargs)
        from lexiframe.core.projection.by_collection import called_with_each

        return called_with_each(function, args, kwargs)

    return of_each
