"""Files and frames of per-request scores that a caller gives, and the names they carry."""

from __future__ import annotations

import glob
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, n_and_first
from lexiframe.core.io.column_forms.measure_names import are_measures
from lexiframe.core.io.column_forms.objects import is_frame, is_one_run
from lexiframe.core.io.files.data_sources import (
    File,
    Found,
    Source,
    expanded,
    find_sources,
    refuse_data,
    run_name,
    warn_of_left_out,
)
from lexiframe.core.io.files.folders import matched
from lexiframe.core.io.score_forms.plain_data import as_table

Keys = Literal["run", "measure"]
"""What the keys of ``{name: file or frame}`` name."""

_ENDINGS = (".eval", ".treceval", ".scores")
"""Endings of files of scores, which are left out of a run's name besides those of runs."""


@dataclass(frozen=True)
class Given:
    """A file or frame of scores, and its measure when the caller names it."""

    source: Source
    measure: str | None = None


def given_scores(
    scores: Any, measure: str | None, run: str | None, keys: Keys | None
) -> list[Given]:
    """Find the sources for `read_scores`, with the names that the caller gives."""
    scores = as_table(scores)
    _check_keys(scores, measure, keys)
    found = _find_scores(scores)
    found = replace(found, sources=[one for source in found.sources for one in source.apart()])
    warn_of_left_out(found.left_out)
    if keys == "measure":
        return [_key_as_measure(source) for source in found.sources]
    sources = found.sources
    if run is not None:
        if len(sources) > 1:
            raise LexiframeError(
                f"run={run!r} names the run of one file or frame, found {len(sources)}; pass "
                "{name: file or frame}"
            )
        sources = [replace(sources[0], name=run, is_given=True)]
    return [Given(source, measure) for source in sources]


def score_files(paths: Iterable[str]) -> list[File]:
    """Return the files that paths, folders and globs mean; standard input is read at once."""
    found = Found.together(map(_found_at, paths))
    warn_of_left_out(found.left_out)
    return [file for source in found.sources for file in source.files]


def _check_keys(scores: Any, measure: str | None, keys: Keys | None) -> None:
    """Raise when the keys of ``{name: file or frame}`` may name runs or measures."""
    has_keys = isinstance(scores, Mapping) and not is_frame(scores) and not is_one_run(scores)
    if keys is not None:
        check_choice("read_scores", keys, ("run", "measure"), "keys")
        if not has_keys:
            raise LexiframeError(
                f"keys={keys!r} says what the names in {{name: file or frame}} are, found no such "
                "names; leave it out"
            )
        if keys == "measure" and measure is not None:
            raise LexiframeError(
                f"keys='measure' and measure={measure!r} both name the measure; leave one out"
            )
    elif has_keys and (named := are_measures(pl.Series(map(str, scores), dtype=pl.String))):
        raise LexiframeError(
            f"{{name: file or frame}}: expected names of runs, found names of measures: "
            f"{n_and_first(named)}; say keys='measure' if each file has the scores of several runs "
            "by the measure that its key names, or keys='run' if runs are called so"
        )


def _key_as_measure(source: Source) -> Given:
    """Take the key of a source as its measure; its file names the run if its rows do not."""
    origin = source.origin
    name = _bare_name(run_name(Path(origin.path))) if isinstance(origin, File) else None
    return Given(Source(name, origin), source.name)


def _find_scores(scores: Any) -> Found:
    """Find files and frames; several may have the same name, since most name their runs inside."""
    if isinstance(scores, Iterator) and not is_frame(scores):
        scores = list(scores)
    if isinstance(scores, str | Path | File):
        return _found_at(scores)
    if isinstance(scores, Mapping) and not is_one_run(scores):
        return find_sources(scores)
    if is_frame(scores) or isinstance(scores, Mapping) or are_results(scores):
        return Found([Source(None, scores)])
    if isinstance(scores, Collection) and not hasattr(scores, "__array__") and len(scores):
        refuse_data([*scores])
        return Found.together(_find_scores(one) for one in scores)
    return find_sources(scores)


def _found_at(path: str | Path | File) -> Found:
    paths: list[str | File] = [path if isinstance(path, File) else str(path)]
    if not isinstance(path, File) and glob.has_magic(str(path)) and not os.path.exists(path):  # noqa: PTH110
        pattern = expanded(path)
        matching = matched(pattern, map(Path, glob.glob(str(pattern))))
        paths = [*sorted(map(str, matching))] or paths
    found = Found.together(map(find_sources, paths))
    return replace(found, sources=[_renamed(source) for source in found.sources])


def _renamed(source: Source) -> Source:
    return source if source.name is None else replace(source, name=_bare_name(source.name))


def _bare_name(name: str) -> str:
    """Remove the endings of files of scores, and the endings of runs in front of them."""
    while (ending := Path(name).suffix).lower() in _ENDINGS and name != ending:
        name = run_name(Path(name.removesuffix(ending)))
    return name


def are_results(data: Any) -> bool:
    """Return whether data is a list of ir_measures' results."""
    return isinstance(data, list | tuple) and len(data) > 0 and hasattr(data[0], "measure")
