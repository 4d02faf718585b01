"""The means of an evaluation as a table for a paper, in LaTeX or Markdown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lexiframe.core.base import LexiframeError
from lexiframe.core.views import shown

Evaluation = Any
"""An `Evaluation`, whose module imports this one."""


def paper(
    e: Evaluation,
    measures: list[str],
    runs: str | list[str] | None,
    name_of_run: Callable[[str], str],
    **how: Any,
) -> shown.ShownTable:
    """Return the means of some measures and runs as a table for a paper."""
    if runs is not None:
        given = [runs] if isinstance(runs, str) else [*runs]
        runs = list(dict.fromkeys(map(name_of_run, given)))
        if not runs:
            raise LexiframeError("runs: expected at least one run, found none; leave it out")
    return shown.paper_of(e.tables(of_requests=False), e.provenance, measures, runs, **how)
