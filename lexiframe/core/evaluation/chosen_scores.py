"""Scores of other tools by the measures that are asked for: `load_chosen`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first, unknown_name, warn
from lexiframe.core.io import column_forms, per_request_scores, score_forms
from lexiframe.core.metrics import as_list, catalogues, derived
from lexiframe.typing import MeasureLike, ScoresLike


def load_chosen(
    scores: ScoresLike,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    run: str | None = None,
    keys: score_forms.Keys | None = None,
    *,
    warns: bool = True,
    columns: Mapping[str, str] | None = None,
    measure_name: str | None = None,
    na_values: column_forms.NaValues = None,
) -> per_request_scores.Loaded:
    """Read the scores of the chosen measures; see `evaluate_scores`.

    ``warns``: warn of runs that lack requests. Requests of several collections keep the column, and
    all measures; leaderboards are refused.
    """
    asked = None if measures is None else [str(measure) for measure in as_list(measures)]
    if asked == []:
        raise LexiframeError("measures: expected at least one, found none")
    only = asked[0] if asked is not None and len(asked) == 1 else None
    loaded = per_request_scores.load_scores(
        score_forms.given_scores(scores, None, run, keys),
        otherwise=measure_name or only,
        warns=warns,
        columns=columns,
        na_values=na_values,
    )
    if {"collection", "query_id"} <= {*loaded.table.columns}:
        return loaded
    if "collection" in loaded.table.columns:
        raise LexiframeError(
            "scores: expected the scores of single requests by one or several measures, found a "
            "leaderboard, whose scores are those of collections; give it to `lexiframe "
            "leaderboard`, lf.leaderboard in Python"
        )
    names = _chosen_measures(loaded.measures, asked)
    chosen = loaded.table.filter(pl.col("measure").is_in(names))
    others = loaded.table.filter(~pl.col("run").is_in(chosen["run"].unique().implode()))
    if others.height:
        runs, theirs = (n_and_first(others[name].unique().sort()) for name in ("run", "measure"))
        warn(f"runs without {' and '.join(names)}, left out: {runs}; their measures are {theirs}")
    return per_request_scores.Loaded(chosen, names, loaded.files)


def _chosen_measures(known: list[str], asked: list[str] | None) -> list[str]:
    """Return the names of the measures to evaluate, as the scores have them."""
    if asked is None:
        return sorted(
            known,
            key=lambda name: (
                derived.known_metric(name)
                in (catalogues.num_ret, catalogues.num_rel, catalogues.num_rel_ret)
            ),
        )
    return list(dict.fromkeys(_asked_name(one, known) for one in asked))


def _asked_name(asked: str, known: list[str]) -> str:
    """Return the name of a measure in the scores: the user's, or another one of the metric."""
    found = derived.name_among(known, asked)
    if found not in known:
        raise unknown_name("measure", asked, known)
    return found
