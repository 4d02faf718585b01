"""The features: folders that can be taken away, by deleting them and their entries here.

The core asks here for what features add, and imports none of them. Each entry says which kinds of
things a feature has (the fields of `Feature`), and the names by which one asks for them, so that
nothing is loaded before it is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from lexiframe.core.base import feature
from lexiframe.core.base.errors import LexiframeError
from lexiframe.core.base.schemas import TableSchema


@dataclass(frozen=True)
class Listed:
    """A folder, its contents, and the other features that it uses; blanks between names.

    Attributes
    ----------
    folder
        The folder below ``lexiframe``, with a dot.
    uses
        The folders of the features whose doors it imports.
    kinds
        The fields of `Feature` that its ``feature.py`` fills.
    commands
        The modules of its commands, by the name of the command.
    measures
        The names of its measures of rankings.
    measures_of_items
        The names of its measures of lists of items, and of answers.
    """

    folder: str
    uses: str = ""
    kinds: str = ""
    commands: dict[str, str] = field(default_factory=dict)
    measures: str = ""
    measures_of_items: str = ""


FEATURES = (
    Listed("decide.gates", "decide.judges study.replicates", "verdicts", {"gate": "command"}),
    Listed("decide.leaderboards", "", "tables board", {"leaderboard": "command"}),
    Listed("decide.votes", "decide.leaderboards", "votes"),
    Listed("decide.judges", "decide.votes", "verdicts",
        {"judges": "command", "votes": "votes_command"}),
    Listed("decide.nuggets", "", "measures answers", measures_of_items="NuggetRecall "
        "CitationSupport CitationRelevance SentenceSupport SupportPrecision SupportRecall ReportF1 "
        "NuggetPreference all_score strict_all_score vital_score strict_vital_score "
        "nugget_coverage nugget_coverage_weighted citation_support citation_relevance "
        "sentence_support f1_weighted"),
    Listed("decide.beyond", "connect.forms", "measures items", measures_of_items="Novelty ILD "
        "CategoryEntropy Miscalibration Serendipity ARP PopularityLift APLT Coverage Gini Entropy "
        "Exposure"),
    Listed("connect.engines", "", "engines"),
    Listed("connect.collections", "", "collections"),
    Listed("connect.remote", "", "places"),
    Listed("connect.metadata", "", "headers"),
    Listed("connect.forms", "", "forms"),
    Listed("connect.measures", "", "measures", measures="SetP SetR SetF SetAP utility F1 "
        "relative_P IPrec 11pt_avg Rprec_mult ndcg_rel Rndcg G binG Q WSS SDCG BPM INST INSQ NERR8 "
        "NERR9 NERR10 NERR11 Compat Accuracy"),
    Listed("connect.logs", "connect.remote"),
    Listed("connect.neighbours"),
    Listed("connect.checks", "decide.leaderboards decide.votes", "", {"check": "command"}),
    Listed("study.theory"),
    Listed("study.simulated"),
    Listed("study.less_data"),
    Listed("study.audits", "", "verdicts"),
    Listed("study.replicates", "", "replication"),
    Listed("study.holes", "", "verdicts"),
    Listed("study.overlaps", "", "verdicts", {"overlap": "command"}),
    Listed("study.sampled"),
    Listed("study.testing", "decide.gates study.theory"),
)  # fmt: skip


@cache
def loaded(folder: str) -> feature.Feature:
    """Return the feature in a folder."""
    found: feature.Feature = import_module(f"lexiframe.{folder}.feature").FEATURE
    return found


def _having(kind: str) -> Iterator[feature.Feature]:
    return (loaded(one.folder) for one in FEATURES if kind in one.kinds.split())


def _only(kind: str, called: str) -> Any:
    """Return the thing of a kind that one feature has; raise if the feature was taken away."""
    for one in _having(kind):
        return getattr(one, kind)
    raise LexiframeError(
        f"{called}: this copy of lexiframe lacks a feature, {kind}; install the whole package"
    )


def commands() -> dict[str, tuple[str, Path]]:
    """Return the module of each command of a feature, and its file."""
    modules = {
        name: f"{one.folder}.{module}" for one in FEATURES for name, module in one.commands.items()
    }
    here = Path(__file__).parent
    return {
        name: (f"lexiframe.{module}", here.joinpath(*module.split(".")).with_suffix(".py"))
        for name, module in modules.items()
    }


def names_of_measures() -> tuple[str, ...]:
    """Return the names of the measures of rankings that features add."""
    return tuple(name for one in FEATURES for name in one.measures.split())


def names_of_measures_of_items() -> tuple[str, ...]:
    """Return the names of the measures of lists of items, and of answers."""
    return tuple(name for one in FEATURES for name in one.measures_of_items.split())


def measure(name: str) -> Any:
    """Return the measure that a name stands for."""
    (folder,) = (
        one.folder for one in FEATURES if name in f"{one.measures} {one.measures_of_items}".split()
    )
    return loaded(folder).measures[name]


def verdicts() -> Iterator[tuple[TableSchema, feature.Sentences]]:
    """Yield schemas of tables of decisions, each with the function that puts it into words."""
    for one in _having("verdicts"):
        yield from one.verdicts


def reader_of_results(names: Any) -> Any:
    """Return the reader of a folder of results, known by the name of a table in it, or None."""
    readers = (one.tables for one in _having("tables"))
    return next((of[name] for of in readers for name in of if name in names), None)


def replication(called: str) -> feature.Replication:
    """Return the functions for runs with replicates."""
    found: feature.Replication = _only("replication", called)
    return found


def collections(called: str) -> feature.Collections:
    """Return how several collections are evaluated in one call."""
    found: feature.Collections = _only("collections", called)
    return found


def items(called: str) -> feature.Items:
    """Return the functions for lists over a catalogue of items."""
    found: feature.Items = _only("items", called)
    return found


def engines(called: str) -> feature.Engines:
    """Return the ways through an evaluation that are not all at once."""
    found: feature.Engines = _only("engines", called)
    return found


def places(called: str) -> feature.Places:
    """Return the functions that fetch remote files and data sets."""
    found: feature.Places = _only("places", called)
    return found


def forms(called: str) -> feature.Forms:
    """Return the readers of forms that few tools write."""
    found: feature.Forms = _only("forms", called)
    return found


def forms_if_there() -> feature.Forms | None:
    """Return the readers of forms that few tools write, or None where they were taken away."""
    return next((one.forms for one in _having("forms")), None)


def votes_if_there() -> feature.Votes | None:
    """Return the functions for judgments of pairs, or None where they were taken away."""
    return next((one.votes for one in _having("votes")), None)


def votes(called: str) -> feature.Votes:
    """Return the functions for judgments of pairs."""
    found: feature.Votes = _only("votes", called)
    return found


def items_if_there() -> feature.Items | None:
    """Return the functions for catalogues of items, or None where they were taken away."""
    return next((one.items for one in _having("items")), None)


def answers(called: str) -> Any:
    """Return the reader of answers judged by nuggets."""
    return _only("answers", called)


def board(called: str) -> Any:
    """Return the function that makes the page of a leaderboard."""
    return _only("board", called)


def headers(called: str) -> Any:
    """Return the function that writes the metadata of a run as comments."""
    return _only("headers", called)
