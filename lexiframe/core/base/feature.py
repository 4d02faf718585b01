"""The offer of a feature to the core: each kind of thing is a class here.

A feature is a folder of ``decide``, ``connect`` or ``study``. Its module ``feature.py`` has the
tuple ``FEATURE`` with one value of each kind that it offers; `lexiframe.features` lists the
folders and their kinds, and loads a feature when the core asks for a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
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
    """Several collections: their places, each evaluated by itself, and folders of their results."""

    found: Callable[[Any], Any]
    evaluate: Callable[..., Any]
    requests_of: Callable[[Any, Any, Iterable[str]], Callable[[str], Any]]
    folder_of: Callable[[str], str]
    read_back: Callable[[Any, Mapping[str, str]], Any]
    add_verdict: Callable[[pl.DataFrame, Any], pl.DataFrame]


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


@dataclass(frozen=True)
class Boards:
    """The page of a leaderboard, from results of runs in collections and further sentences."""

    page_of_leaderboard: Callable[..., str]


@dataclass(frozen=True)
class Worst:
    """The requests that runs serve worst: orders of runs, an evaluation's share, page and gates."""

    leximin_ranks: Callable[..., Any]
    served: Callable[..., Any]
    page: Callable[..., str]
    gate_rows: Callable[..., pl.DataFrame]


@dataclass(frozen=True)
class Answers:
    """Answers that were judged by nuggets."""

    read: Callable[..., Any]


@dataclass(frozen=True)
class Headers:
    """Metadata of a run, as comments at the start of its file."""

    of_metadata: Callable[[Mapping[str, Any]], bytes]


@dataclass(frozen=True)
class Measures:
    """Metrics, by the names that `lexiframe.features` lists for the folder."""

    by_name: Mapping[str, Any]


@dataclass(frozen=True)
class Results:
    """Readers of folders of results, by the name of a table that is in no other folder."""

    readers: Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class Verdicts:
    """Schemas of tables of decisions, each with the function that puts such a table into words."""

    in_words: Sequence[tuple[TableSchema, Sentences]]
