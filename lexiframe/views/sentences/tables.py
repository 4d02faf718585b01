"""The verdict on a table of decisions: which table it is, and who puts it into words."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from lexiframe.base import schemas
from lexiframe.collection import (
    agreement_sentences,
    confusion_sentences,
    consistency_sentences,
    hole_sentences,
    stated_sentences,
    unjudged_sentences,
)
from lexiframe.significance import conclusion_sentences, pair_sentences
from lexiframe.views.sentences.audits import audits_in_words
from lexiframe.views.sentences.gates import gate_sentences
from lexiframe.views.sentences.margins import equivalences_in_words, required_in_words
from lexiframe.views.sentences.overlap import contrasting_sentences, overlap_sentences

Sentences = Callable[[pl.DataFrame], pl.DataFrame]
"""From a table to a frame with a row for each sentence, whose last column is ``sentence``."""

_DECIDED: tuple[tuple[schemas.TableSchema, Sentences], ...] = (
    (schemas.EQUIVALENCES, equivalences_in_words),
    (schemas.REQUIRED_BY_QUESTION, required_in_words),
    (schemas.GATES, gate_sentences),
    (schemas.JUDGE_AGREEMENT, agreement_sentences),
    (schemas.STATED_AGREEMENT, stated_sentences),
    (schemas.JUDGE_CONSISTENCY, consistency_sentences),
    (schemas.JUDGE_CONFUSION, confusion_sentences),
    (schemas.CONCLUSIONS, conclusion_sentences),
    (schemas.CONCLUSION_PAIRS, pair_sentences),
    (schemas.AUDITS, audits_in_words),
    (schemas.CONTRASTING, contrasting_sentences),  # before overlap, whose columns it has, too
    (schemas.OVERLAP, overlap_sentences),
    (schemas.UNJUDGED, unjudged_sentences),
    (schemas.HOLE_PAIRS, hole_sentences),
)
"""Each table that has a verdict of its own, and the function that puts it into words."""


def sentences_of(table: pl.DataFrame) -> pl.DataFrame | None:
    """Return the verdict on a table of decisions, or None for any other table.

    A table is recognised by its columns; attributes of groups may stand in front of them.
    """
    for schema, sentences in _DECIDED:
        if {*schema.required} <= {*table.columns}:
            return sentences(table)
    return None
