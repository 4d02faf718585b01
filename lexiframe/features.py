"""The features: folders that can be taken away, by deleting them and their entries here.

The core asks here for what features add, and imports none of them: ``needed(Engines, "evaluate")``
raises for the caller's option if the feature was taken away, ``found(Forms)`` is None then. Each
entry says which kinds of things a feature offers (the classes of ``core.base.feature``), and the
names by which one asks for its commands and measures, so that nothing is loaded before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from lexiframe.core.base.errors import LexiframeError
from lexiframe.core.base.feature import (
    Answers,
    Boards,
    Collections,
    Engines,
    Forms,
    Headers,
    Items,
    Measures,
    Places,
    Replication,
    Results,
    Verdicts,
    Votes,
    Worst,
)

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Listed:
    """A folder, its contents, and the other features that it uses; blanks between names.

    Attributes
    ----------
    folder
        The folder below ``lexiframe``, with a dot.
    uses
        The folders of the features whose doors it imports.
    offers
        The kinds of things in its ``feature.py``, besides measures.
    commands
        The modules of its commands, by the name of the command.
    measures
        The names of its measures of rankings.
    measures_of_items
        The names of its measures of lists of items, and of answers.
    """

    folder: str
    uses: str = ""
    offers: tuple[type, ...] = ()
    commands: dict[str, str] = field(default_factory=dict)
    measures: str = ""
    measures_of_items: str = ""


FEATURES = (
    Listed("decide.gates", "decide.judges study.replicates", (Verdicts,), {"gate": "command"}),
    Listed("decide.leaderboards", "", (Results, Boards), {"leaderboard": "command"}),
    Listed("decide.votes", "decide.leaderboards", (Votes,)),
    Listed("decide.judges", "decide.votes", (Verdicts,),
        {"judges": "command", "votes": "votes_command"}),
    Listed("decide.nuggets", "", (Answers,), measures_of_items="NuggetRecall "
        "CitationSupport CitationRelevance SentenceSupport SupportPrecision SupportRecall ReportF1 "
        "NuggetPreference all_score strict_all_score vital_score strict_vital_score "
        "nugget_coverage nugget_coverage_weighted citation_support citation_relevance "
        "sentence_support f1_weighted"),
    Listed("decide.beyond", "connect.forms", (Items,), measures_of_items="Novelty ILD "
        "CategoryEntropy Miscalibration Serendipity ARP PopularityLift APLT Coverage Gini Entropy "
        "Exposure"),
    Listed("decide.worst", "", (Verdicts, Worst), {"worst": "command", "risk": "risk_command"},
        measures="WorstIntents"),
    Listed("connect.engines", "", (Engines,)),
    Listed("connect.collections", "", (Collections,)),
    Listed("connect.remote", "", (Places,)),
    Listed("connect.metadata", "", (Headers,)),
    Listed("connect.forms", "", (Forms,)),
    Listed("connect.measures", "", (), measures="SetP SetR SetF SetAP utility F1 "
        "relative_P IPrec 11pt_avg Rprec_mult ndcg_rel Rndcg G binG Q WSS SDCG BPM INST INSQ NERR8 "
        "NERR9 NERR10 NERR11 Compat Accuracy"),
    Listed("connect.logs", "connect.remote"),
    Listed("connect.neighbours"),
    Listed("connect.checks", "decide.leaderboards decide.votes", (), {"check": "command"}),
    Listed("study.theory"),
    Listed("study.simulated"),
    Listed("study.less_data", "", (Verdicts,)),
    Listed("study.audits", "", (Verdicts,)),
    Listed("study.replicates", "", (Replication,)),
    Listed("study.holes", "", (Verdicts,)),
    Listed("study.overlaps", "", (Verdicts,), {"overlap": "command"}),
    Listed("study.sampled"),
    Listed("study.swaps"),
    Listed("study.tie_spread"),
    Listed("study.models"),
    Listed("study.testing", "decide.gates study.theory"),
)  # fmt: skip


@cache
def loaded(folder: str) -> tuple[object, ...]:
    """Return the offers of the feature in a folder."""
    offers: tuple[object, ...] = import_module(f"lexiframe.{folder}.feature").FEATURE
    return offers


def every(kind: type[Kind]) -> Iterator[Kind]:
    """Yield the offers of a kind, in the order of the features."""
    for one in FEATURES:
        if kind in one.offers:
            yield from (offer for offer in loaded(one.folder) if isinstance(offer, kind))


def found(kind: type[Kind]) -> Kind | None:
    """Return the offer of a kind that one feature has, or None where it was taken away."""
    return next(every(kind), None)


def needed(kind: type[Kind], called: str) -> Kind:
    """Return the offer of a kind that one feature has; raise for a caller if it was taken away."""
    offer = found(kind)
    if offer is None:
        lacking = f"lacks a feature, {kind.__name__.lower()}; install the whole package"
        raise LexiframeError(f"{called}: this copy of lexiframe {lacking}")
    return offer


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
    (measures,) = (offer for offer in loaded(folder) if isinstance(offer, Measures))
    return measures.by_name[name]
