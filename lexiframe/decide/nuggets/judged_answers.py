"""The result of `read_nuggets`: `Nuggets`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, printed, schemas
from lexiframe.core.io import Tables
from lexiframe.core.metrics import Metric
from lexiframe.core.pairwise import facts, one_pair, pairs
from lexiframe.decide.nuggets.answer_tables import AnswerTables
from lexiframe.decide.nuggets.nugget_metrics import PairedNuggets
from lexiframe.decide.nuggets.paired_nuggets import preferences_between
from lexiframe.decide.nuggets.scored_answers import named_measures, nugget_scores
from lexiframe.decide.nuggets.sentence_positions import positions_of


@dataclass(frozen=True, repr=False, eq=False)
class Nuggets(AnswerTables, Tables):
    """Judgments of answers, as `read_nuggets` returns them.

    Where positions are expected, it stands for those of its sentences (see `nugget_positions`).

    Attributes
    ----------
    nuggets : polars.DataFrame
        Key ``query_id, nugget_id``: ``importance`` (``vital`` or ``okay``), ``aggregator`` (``OR``,
        ``AND`` or null) and ``text``.
    statements : polars.DataFrame
        Key ``run, query_id, nugget_id``: ``credit`` from 0 (not stated) to 1 (stated in full), and
        ``sentence``, the first that states it, from 1, or null. A run without rows for a request
        did not answer it.
    citations : polars.DataFrame
        ``run, query_id, sentence, doc_id``, those of a sentence in its order, in which a document
        may be cited twice: ``support`` from 0 to 1, and ``relevant``, which may be null.
    sentences : polars.DataFrame
        Key ``run, query_id, sentence``: whether it ``needs_citation``, and is the
        ``first_instance`` of its claim.
    sources : list of dict
        The files that were read, each with ``path`` and ``sha256``.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> facts = pl.DataFrame({"query_id": ["q", "q"], "nugget_id": ["a", "b"]})
    >>> stated = pl.DataFrame({"run": "x", "query_id": "q", "nugget_id": ["a"], "credit": [1.0]})
    >>> lf.Nuggets(facts, stated).coverage.row(0)
    ('x', 1, 1, 0)
    """

    sources: list[dict[str, Any]] = field(default_factory=list)

    _TABLES = ("coverage", "nuggets", "statements", "citations", "sentences")

    def preferences_between(self, measures: Any, **how: Any) -> pl.DataFrame:
        """Return what `preferences` does of the answers."""
        return preferences_between(self, measures, **how)

    @property
    def positions(self) -> pl.DataFrame:
        """The sentences that first state each nugget: see `nugget_positions`."""
        return positions_of(self)

    def levels(self, pair: tuple[str, str], measures: Any) -> pl.DataFrame:
        """Return the levels that decide the lexicographic ones among some measures."""
        some = one_pair.lexicographic(pairs.parse_measures(measures))
        return (
            one_pair.levels_of(self.positions, pair, some, "drop") if some else one_pair.NO_LEVELS
        )

    def measured_by(self, measures: Any) -> tuple[pl.DataFrame, pl.DataFrame, facts.Known]:
        """Return the rows of `nugget_scores` and of `preferences`, and the facts of the measures.

        By default these are those of `nugget_scores` that have a value.
        """
        if self.answered.is_empty():
            raise LexiframeError(
                "expected answers, found nuggets that are assigned to none; assign them first"
            )
        asked = pairs.parse_measures(named_measures(measures))
        scored = [m for m in asked if isinstance(m, Metric) and not isinstance(m, PairedNuggets)]
        between = [one for one in asked if one not in scored]
        s, d = pl.DataFrame(schema=schemas.SCORES.required), self.preferences_between(between)
        if scored:
            s = nugget_scores(self, None if measures is None else scored).drop_nulls("value")
        has = {*s["measure"]}
        empty = [one for one in scored if str(one) not in has]
        if empty and (measures is not None or not has):
            raise LexiframeError(f"{empty[0]}: no answer has a value of it; leave it out")
        paired = {str(one): facts.Facts("preference", bounds=one.bounds) for one in between}
        known = facts.facts_of(asked) | paired
        return s, d, {name: known[name] for name in known if name in has or name in paired}

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the positions, so that functions of positions take the answers."""
        return self.positions.__arrow_c_stream__(requested_schema)

    @property
    def verdict(self) -> printed.Verdict:
        """What was read, and which requests were not answered."""
        counts = (self.nuggets.height, self.grid["query_id"].n_unique(), self.coverage.height)
        nuggets, requests, runs = map(printed.counted, counts, ("nugget", "request", "run"))
        parts = [f"Answers of {runs} to {requests} were judged by {nuggets}."]
        return printed.Verdict({"sentence": [*parts, *self.unanswered]})

    @property
    def unanswered(self) -> list[str]:
        """The sentence about runs that lack answers; none if no run does."""
        missing = self.coverage.filter(pl.col("missing") > 0)["run"]
        found = n_and_first(missing)
        sentence = f"Runs without an answer to some request, where no nugget is stated: {found}."
        return [sentence] * (len(missing) > 0)
