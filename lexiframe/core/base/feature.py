"""The offer of a feature to the core: each kind of thing is a field of `Feature`, with its type.

A feature is a folder of ``decide``, ``connect`` or ``study``. Its module ``feature.py`` has the
value ``FEATURE``; `lexiframe.features` lists the folders, and loads one when the core asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from lexiframe.core.base.schemas import TableSchema

Sentences = Callable[[pl.DataFrame], pl.DataFrame]
"""From a table of decisions to its verdict, a frame whose last column is ``sentence``."""


@dataclass(frozen=True)
class Replication:
    """Runs that were trained or sampled several times: their means, pairs and evaluation."""

    mean_of_replicates: Callable[[str, Any], pl.DataFrame]
    algorithm_means: Callable[[Any, float], pl.DataFrame]
    algorithm_rows: Callable[..., pl.DataFrame]
    evaluate: Callable[..., Any]


@dataclass(frozen=True)
class Collections:
    """Several collections in one call: each evaluated by itself, and folders of their results."""

    evaluate: Callable[..., Any]
    requests_of: Callable[[Any, Any, Iterable[str]], Callable[[str], Any]]
    folder_of: Callable[[str], str]
    read_back: Callable[[Any, Mapping[str, str]], Any]


@dataclass(frozen=True)
class Items:
    """A catalogue of items: the parts of it that the lists of a run reach, beside relevance."""

    read: Callable[..., Any]
    evaluate: Callable[..., Any]
    measured_beside: Callable[..., Any]
    add_catalogue: Callable[..., Any]
    sections: Callable[..., Iterable[Any]]
    conventions: Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Engines:
    """Further ways through an evaluation: requests in parts, and reuse of earlier results."""

    evaluate_in_parts: Callable[..., Any]
    projected_again: Callable[..., tuple[Any, Any]]


@dataclass(frozen=True)
class Places:
    """Files and data sets that are not on this machine."""

    fetch: Callable[[str, str], bytes]
    from_ir_datasets: Callable[[str, str], pl.DataFrame]


@dataclass(frozen=True)
class Forms:
    """Forms of runs and judgments that few tools write."""

    form_of_document: Callable[[Any], Any]
    form_of_text: Callable[[bytes], tuple[Any, Any] | None]
    columns_of_document: Callable[..., dict[str, list[Any]]]
    as_records: Callable[..., bytes]
    only_split: Callable[..., Mapping[str, Any]]
    text_of_one_split: Callable[..., bytes]
    is_of_letor: Callable[[bytes, TableSchema], bool]
    rows_of_letor: Callable[..., Any]
    rows_of_ids: Callable[..., pl.DataFrame]
    unnested: Callable[..., Any]
    are_distances: Callable[..., bool]
    labelled_rows: Callable[..., pl.DataFrame | None]
    graded: Callable[..., pl.DataFrame]
    refuse_off_scale: Callable[[Any, float], None]


@dataclass(frozen=True)
class Votes:
    """Judgments of pairs of answers: which files have them, and the order of runs by them."""

    are_votes: Callable[[Sequence[str]], bool]
    order_of_judgments: Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True, kw_only=True)
class Feature:
    """The offer of one feature: verdicts, measures by name, and tasks of this feature alone.

    Attributes
    ----------
    verdicts
        Schemas of tables, and who puts a table with the columns of one into words.
    measures
        Metrics by the names that `lexiframe.features` lists for the folder.
    tables
        Readers of folders of results, by the name of a table that only they have.
    answers
        What reads answers that were judged by nuggets.
    headers
        From the metadata of a run to the comments at the start of its file.
    board
        From results of runs in collections, and sentences, to the page of their leaderboard.
    """

    verdicts: Sequence[tuple[TableSchema, Sentences]] = ()
    measures: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    replication: Replication | None = None
    collections: Collections | None = None
    items: Items | None = None
    engines: Engines | None = None
    places: Places | None = None
    forms: Forms | None = None
    votes: Votes | None = None
    answers: Callable[..., Any] | None = None
    headers: Callable[[Mapping[str, Any]], bytes] | None = None
    board: Callable[..., str] | None = None
