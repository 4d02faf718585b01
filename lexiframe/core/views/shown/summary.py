"""The summary that an evaluation shows when it is printed, as text or HTML."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from lexiframe import features
from lexiframe.core.base import escaped, printed
from lexiframe.core.base.feature import Items
from lexiframe.core.pairwise import facts
from lexiframe.core.projection import Policies
from lexiframe.core.views.sentences.first import evidence, first_sentences
from lexiframe.core.views.sentences.gains import first_test_rows
from lexiframe.core.views.sentences.lacking import Lacking
from lexiframe.core.views.shown.means import means_section, titled_parts


def summary_of(
    tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any], which: str = "first"
) -> printed.Summary:
    """Return the printed summary of an evaluation: verdict and means, or all sections."""
    if which == "first":
        first = first_sentences(tables, provenance)
        means = list(_mean_sections(tables, provenance, _named(first, tables["means"], provenance)))
        shown, left = means[:_MOST_GROUPS], len(means) - _MOST_GROUPS
        groups = [printed.Section(notes=(printed.counted(left, "more group"),))] if left > 0 else []
        groups += sections_of_catalogue(tables, provenance)
        return printed.Summary.compose(first, *shown, *groups, more=_more(tables["means"]))
    from lexiframe.core.views.shown.all_sections import listed_sections

    sections = [*_mean_sections(tables, provenance), *sections_of_catalogue(tables, provenance)]
    sections = listed_sections(sections, tables, provenance)
    return printed.Summary.compose(first_sentences(tables, provenance), *sections)


def summary_across(
    tables: Mapping[str, pl.DataFrame],
    provenance: Mapping[str, Any],
    said: Sequence[str] | None,
    more: str,
) -> printed.Summary:
    """Return the first measure of several collections as a table, then the verdict and a hint.

    The grounds of conclusions stand behind the verdict, unless it has them already. Without a
    verdict the first sentences of each collection stand in its place.
    """
    if said is None:
        said = first_sentences(tables, provenance)
    else:
        grounds = evidence(tables, provenance)
        said = [*said, *(one for one in grounds if not any(one in verdict for verdict in said))]
    from lexiframe.core.views.shown.across import section_across

    table = section_across(tables, provenance, _named(said, tables["means"], provenance))
    return printed.Summary((table, *(printed.Section(notes=(*one,)) for one in (said, [more]))))


_MOST_GROUPS = 3
"""The number of groups of requests whose means the first screen has."""


def _named(
    sentences: Sequence[str], means: pl.DataFrame, provenance: Mapping[str, Any]
) -> set[str]:
    """Return the runs that sentences name, and the baseline."""
    said = " ".join(sentences)
    words = {word.strip(",;:.()") for word in said.split()}
    runs = means["run"].unique()
    named = {run for run in runs if run in words or (" " in run and escaped(run) in said)}
    return named | {provenance["inference"]["baseline"]} - {None}


def _more(means: pl.DataFrame) -> str:
    """Return the hint to further tables."""
    how = printed.advice(terminal="--all", python='e.summary("all")')
    pairs = "ranks, tests, agreement, ties and " if means["run"].n_unique() > 1 else ""
    return f"More: {how} has {pairs}coverage."


def _mean_sections(
    tables: Mapping[str, pl.DataFrame],
    provenance: Mapping[str, Any],
    named: Collection[str] | None = None,
) -> Iterator[printed.Section]:
    by, measures = provenance["groups"], provenance["measures"]
    lacking = Lacking.read_provenance(provenance)
    known = facts.known_facts(provenance)
    preferences = [name for name in measures if known[name].kind == "preference"]
    compared = dict(titled_parts(tables["comparisons"], by))
    under = policies_in_words(provenance.get("policies", {}))
    by_weight, notes = "", list[str]()
    if "weights" in provenance:
        from lexiframe.core.views.sentences import weights

        by_weight, notes = weights.weight_phrase(provenance), [*weights.weight_notes(provenance)]
    n_all = first_test_rows(tables["comparisons"], provenance["inference"])["p_adjusted"].count()
    for of_group, means in titled_parts(tables["means"], by):
        c = compared.get(of_group, tables["comparisons"].clear())
        of = of_group + under
        how = provenance["inference"], of, lacking, known, n_all
        yield means_section(means, c, measures, preferences, *how, named, by_weight, notes)
        notes = []


def sections_of_catalogue(tables: Mapping[str, pl.DataFrame], told: Any) -> list[printed.Section]:
    """Return sections on the parts of the catalogue that the lists of each run reach, if any."""
    return (
        [*features.needed(Items, "summary").sections(tables, told)] if "catalogue" in tables else []
    )


def policies_in_words(policies: Mapping[str, Any]) -> str:
    """Return the policies that differ from the defaults, as arguments, also by collection."""
    usual = asdict(Policies())
    said = [
        f", {name}={f'{value:g}' if isinstance(value, float) else value}{f' for {c}' * bool(c)}"
        for name, of in policies.items()
        for c, value in (of if isinstance(of, Mapping) else {"": of}).items()
        if value != usual[name]
    ]
    return "".join(said)
