"""Arguments of the command line in the wrong place, and their likely meaning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lexiframe.core.base import LexiframeError
from lexiframe.core.io import File, checks, column_forms, output_files, reading_options
from lexiframe.core.pairwise import parse_measures

_ORDER = "the judgments come first, then the runs: QRELS RUN..."


def refuse_measures(files: Sequence[str]) -> None:
    """Raise when measures stand where files are expected, as in ``-m AP P@5``."""
    measures = [given for given in files if not output_files.found_at(given) and _is_measure(given)]
    if measures:
        raise LexiframeError(
            f"{', '.join(measures)}: expected files, found measures; give all measures with -m, "
            "with commas and no blanks between them: -m AP,P@5"
        )


def refuse_misplaced(qrels: str, runs: Sequence[str]) -> None:
    """Raise when a measure stands where a file is expected, or a folder for the judgments."""
    refuse_measures([qrels, *runs])
    if output_files.found_at(qrels) == "a folder" and not _is_data_set_of_judgments(Path(qrels)):
        judged = [given for given in runs if holds_judgments(given)]
        hint = f"; {judged[0]} looks like the judgments" if judged else ""
        raise LexiframeError(f"{qrels}: expected a file, found a folder{hint}; {_ORDER}")


def explained(error: LexiframeError, qrels: str) -> LexiframeError:
    """Return the error with other advice when judgments are among the runs as well."""
    said = str(error)
    is_twice = (
        column_forms.CHANGED_PLACES in said and "given as a run" in said and holds_judgments(qrels)
    )
    if not is_twice:
        return error
    return LexiframeError(
        said.replace(
            column_forms.CHANGED_PLACES, f"leave it out of the runs; the judgments are {qrels}"
        )
    )


def holds_judgments(given: str) -> bool:
    """Return whether a path is a file that holds judgments."""
    return (
        output_files.found_at(given) == "a file"
        and checks.kind_of(File(given), reading_options.TextOptions()) == "qrels"
    )


def _is_data_set_of_judgments(folder: Path) -> bool:
    first = next(iter(sorted(folder.rglob("*.parquet"))), None)
    return first is not None and holds_judgments(str(first))


def _is_measure(given: str) -> bool:
    try:
        parse_measures(given)
    except LexiframeError:
        return False
    return True
