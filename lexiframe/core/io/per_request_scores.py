"""Reading per-request scores that other tools computed: `read_scores`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import polars as pl

from lexiframe.core.base import (
    ReadError,
    SchemaError,
    check_choice,
    coded,
    in_threads,
    n_and_first,
    printed,
    schemas,
    shown,
    typed,
    warn,
)
from lexiframe.core.io.column_forms.objects import is_frame, to_frame
from lexiframe.core.io.column_forms.values_for_none import NaValues, drop_values, warn_of_values
from lexiframe.core.io.columns import SCORES
from lexiframe.core.io.doubts.filled_scores import shown_name, warn_of_zeros
from lexiframe.core.io.files.data_sources import File, Source
from lexiframe.core.io.files.tables import read_arrow
from lexiframe.core.io.score_forms.four_columns import PLAIN, FourColumns, ScoreForm
from lexiframe.core.io.score_forms.layouts import (
    ScoreTable,
    rename_columns,
    rename_known_columns,
    rows_of,
)
from lexiframe.core.io.score_forms.means_among_data import drop_summaries
from lexiframe.core.io.score_forms.plain_data import are_records, frame_of_records, records_of_tool
from lexiframe.core.io.score_forms.row_numbers import place_index, warn_of_index
from lexiframe.core.io.score_forms.sources import Given, Keys, are_results, given_scores
from lexiframe.core.io.score_forms.text import PLACE, name_nested_columns, table_of_text
from lexiframe.core.io.text.lines import is_json
from lexiframe.typing import ScoresLike

Revisions = Literal["newest", "all"]
"""Which of a run's repeated measurements are read."""


@typed
def read_scores(
    source: ScoresLike,
    *,
    measure: str | None = None,
    run: str | None = None,
    keys: Keys | None = None,
    columns: Mapping[str, str] | None = None,
    revisions: Revisions = "newest",
    languages: str | None = None,
    form: ScoreForm | None = None,
    requests: Iterable[Any] | None = None,
    na_values: NaValues = None,
) -> pl.DataFrame:
    """Read per-request scores that another tool computed, for use in `compare` and others.

    Measures keep the names that the tool gave them. Means over all requests (``all``, or ndeval's
    ``amean``) are left out, as are trec_eval's ``runid`` and ``relstring``. Requests without any
    value are left out too, with a warning: PyTerrier writes NaN for requests without judgments.

    Parameters
    ----------
    source
        A file, a folder, a glob, a frame, a list of any of these, ``{run: file or frame}``, or
        ``{measure: file or frame}`` with ``keys="measure"``:

        - PyTerrier's ``perquery`` frames and files (``name, qid, measure, value``);
        - text with the columns run, query, measure and value, also without a header: the measures
          are known by their names, and the run stands before the query unless one of the two is
          all of numbers, which are queries; AutoJudge's leaderboards, also as JSON lines;
        - ir_measures' output with ``-q``, as TSV or JSON lines, and what its ``iter_calc`` gives;
        - trec_eval's output with ``-q``, pytrec_eval's ``{query: {measure: value}}``, and the
          ``scores`` of ranx' runs, ``{measure: {query: value}}``;
        - a matrix with one row for each request and one column for each run, as CSV or frame:
          ``measure`` names the measure. Without a column of queries, these are numbered from 1.
          A dictionary of columns will do: ``{"qid": [...], "bm25": [...]}``;
        - a list of records, as ragas' ``result.scores``, or deepeval's test results as dictionaries
          (``{"name": ..., "metrics_data": [...]}``), also in the files of deepeval, RAGChecker and
          promptfoo;
        - a matrix with one row for each request and one column for each measure: it has a column
          of runs, or ``run`` names the run;
        - lexiframe's own table of scores, also as Parquet;
        - leaderboards: a table with a column of collections (``collection``, ``task``, ``dataset``
          or ``benchmark``) and a value (``value``, ``score``, ``main_score``) for each run, or with
          one row for each run and one column for each collection; an empty cell is a gap;
        - folders and files of results that MTEB (``MODEL/REVISION/TASK.json``),
          lm-evaluation-harness (``results_*.json``, ``samples_*.jsonl``), HELM (``stats.json``,
          ``per_instance_stats.json``) and BEIR (its ``save_results``, as ``MODEL/DATASET.json``)
          write; folders are looked through with all folders in them.

        Columns may be called ``query_id``, ``qid``, ``q_id``, ``query``, ``query-id``, ``topic``,
        ``topic_id``, ``user_id``, ``user`` or ``user_input``; ``run``, ``name``,
        ``system``, ``tag``, ``model``, ``runid``, ``run_id`` or ``model_name``; without any of
        these ``question_id`` and ``model_id``; ``replicate``;
        ``measure`` or ``metric``; ``value`` or ``score``; and ``smaller_is_better``, true for
        measures of which smaller values are better. Without this column, only the names of
        search lengths and of errors (``WER``) show that. Capital letters and blanks do not count:
        ``Model Name``.
    measure
        The measure, if the source does not name it. By default, the measure in a file with columns
        of runs, requests and values alone has the file's name.
    run
        The run, if the source does not name it. By default, the run in a file without a column of
        runs has the file's name, as in `read_runs`, also without the endings ``.treceval``,
        ``.eval`` and ``.scores``; the runs in a file with several outputs of trec_eval have the
        ``runid`` of each.
    keys : {"run", "measure"}, optional
        What the keys of a dictionary of files or frames name. Default: runs; but keys that are
        names of measures are refused until you say what they are.
    columns
        Other names of columns, ``{"run": "engine", "query_id": "task"}``, in all sources.
    revisions : {"newest", "all"}
        Of results that a tool wrote for several revisions of a run: those of the newest that has
        the collection (by the version of the tool, then by the number of collections), or all, with
        a column ``replicate``.
    languages : str, optional
        Of MTEB's tasks with subsets in several languages: count those in this language alone
        (``"eng"``), as ``MTEB(eng, v2)`` does. Default: the mean over all subsets. The split is
        ``test`` if more than half of the runs have it, else the one that most have, and subsets are
        those that most runs have; a run that lacks them is a gap.
    form : {"tot", "ir_measures"}, optional
        Of four columns without a header: whether they are run, measure, query and value (``tot``
        of AutoJudge), or run, query, measure and value.
    requests
        The ids of the requests, by which their column is known where there is no header. Default:
        the column with ``all``, unless names of measures show it.
    na_values : float or list of float, optional
        Values that stand for none: −1 of a judge that failed. They are gaps, as NaN is.

    Returns
    -------
    polars.DataFrame
        Of leaderboards: key ``run, collection, query_id, measure, replicate``, without those that
        the source does not have; and ``value``. Otherwise: key ``run, query_id, measure``, with
        replicates ``run, replicate, query_id, measure``; and ``value`` (float64). With
        ``smaller_is_better`` and ``ties_sd`` when the source has them. Sorted by key.

    Raises
    ------
    ReadError
        With file and line, for anything that cannot be read, and for a value that is not a number.
    SchemaError
        For two values of the same run, request and measure; and for columns that are missing or
        ambiguous.
    TypeError
        For an array, which does not name its runs.
    LexiframeError
        For a dictionary whose keys are names of measures, without ``keys``; and when the run or
        the measure is not named, or named twice.

    Warns
    -----
    LexiframeWarning
        When the index of pandas, saved as a column (``index``, ``Unnamed: 0``,
        ``__index_level_0__`` or without a name), was left out of a matrix because it numbers the
        rows or repeats the requests; without a column of requests its ids are these. When columns
        of text beside those of scores were left out, or a file of MTEB 1.0 that names no main
        score. When requests,
        collections or runs were left out because they sum the others up, as means do. When results
        of MTEB or lm-evaluation-harness are gaps because most runs have other splits, subsets or
        settings of a task. When
        a measure was left out because none of its values is a number, and when a mean over all
        requests in a file is not that of its rows. When
        requests without any value were left out, and when a run lacks a request that other
        runs have: without the option ``-c``, trec_eval and pytrec_eval leave out requests that a
        run did not answer. Means are over the requests that a run has.

    Examples
    --------
    >>> import lexiframe as lf
    >>> matrix = pl.DataFrame({"qid": ["q1", "q2"], "bm25": [0.25, 0.5], "dph": [0.5, 0.5]})
    >>> lf.read_scores(matrix, measure="AP").head(2).rows()
    [('bm25', 'q1', 'AP', 0.25), ('bm25', 'q2', 'AP', 0.5)]
    >>> lf.read_scores({"bm25": {"q1": {"map": 0.25}}}).rows()
    [('bm25', 'q1', 'map', 0.25)]
    >>> lf.read_scores({"AP": matrix}, keys="measure").tail(1).rows()
    [('dph', 'q2', 'AP', 0.5)]
    """
    check_choice("read_scores", revisions, get_args(Revisions), "revisions")
    check_choice("read_scores", form, (*get_args(ScoreForm), None), "form")
    if not (requests is None or isinstance(requests, list | tuple | set | frozenset | pl.Series)):
        found = shown(requests)
        raise TypeError(f"read_scores: expected requests to be a list of ids, found {found}")
    four = FourColumns(form, None if requests is None else frozenset(map(str, requests)))
    of_tools = scores_of_tools(source, revisions, languages, measure, na_values)
    if of_tools is not None:
        return of_tools
    how: dict[str, Any] = {"columns": columns, "four": four, "na_values": na_values}
    return load_scores(given_scores(source, measure, run, keys), **how).table


def scores_of_tools(
    source: Any,
    revisions: Revisions = "newest",
    languages: str | None = None,
    measure: str | None = None,
    na_values: NaValues = None,
) -> pl.DataFrame | None:
    """Read folders and files of leaderboard results of a known tool; None for other sources."""
    from lexiframe.core.io.collection_scores import read_results_files
    from lexiframe.core.io.result_forms.found import result_files

    files = result_files(source)
    return read_results_files(files, revisions, languages, measure, na_values) if files else None


@dataclass(frozen=True)
class Loaded:
    """The table of `read_scores`, its measures in the order of the sources, and their files."""

    table: pl.DataFrame
    measures: list[str]
    files: list[dict[str, Any]]
    collections: tuple[str, ...] = ()  # in the order of the sources


def load_scores(
    given: Sequence[Given],
    otherwise: str | None = None,
    *,
    warns: bool = True,
    columns: Mapping[str, str] | None = None,
    kept: tuple[str, ...] = (),
    wanted: frozenset[str] = frozenset(),
    four: FourColumns = PLAIN,
    na_values: NaValues = None,
) -> Loaded:
    """Read and check scores; ``otherwise`` names the measure of tables that name none.

    ``columns`` is as for `read_scores`, ``kept`` names columns with attributes of collections,
    ``wanted`` collections that stay even if they are means. With ``warns``, runs that lack requests
    are warned of, and cells without a value refused; else they are gaps, like missing rows.
    """
    loaded = in_threads(
        lambda one: _load_source(one, otherwise, columns or {}, kept, four), given, "reading scores"
    )
    origins, read, files = zip(*loaded, strict=True)
    tables = [drop_values(rows, "value", na_values) for rows in read]
    if texts := {name: one.where for one in origins[::-1] for name in one.texts}:
        where, n = next(iter(texts.values())), n_and_first(texts)
        warn(f"{where}: columns of text, which are no scores, left out: {n}")
    for one in origins:
        for doubt in one.doubts:
            warn(f"{one.where}: {doubt}")
    if any("collection" in rows.columns for rows in tables):
        from lexiframe.core.io.collection_scores import checked_collections

        table = checked_collections(tables, origins, kept, wanted)
        warn_of_zeros(table)
        names = dict.fromkeys(
            name for rows in tables for name in rows["collection"].unique(maintain_order=True)
        )
        there = {*table["collection"]}
        in_order = tuple(str(name) for name in names if name in there)
        return Loaded(table, [], [file for of_one in files for file in of_one], in_order)
    warn_of_index(origins)
    numbered = (rows.with_columns(origin=pl.lit(n, pl.Int64)) for n, rows in enumerate(tables))
    table = pl.concat(numbered, how="diagonal")  # only some may have smaller_is_better
    _refuse_repeated(table, origins)
    warn_of_values(table, ["measure"], origins[0].where)
    table = drop_summaries(table, "query_id", ["run", "measure"])
    table = drop_summaries(table, "run", ["query_id", "measure"])
    table = _drop_empty_requests(table, origins)
    if warns:
        _refuse_null_scores(table, origins)
        _warn_of_absent(table)
        warn_of_zeros(table)
    table = table.filter(pl.col("value").is_not_null())
    measures = table["measure"].unique(maintain_order=True).to_list()
    table = table.select(n for n in schemas.SCORES.columns if n in table.columns)
    table = coded.replicates_apart(coded.sorted_by(table, schemas.SCORES.key))
    return Loaded(table, measures, [file for of_one in files for file in of_one])


# --- Each source ----------------------------------------------------------------------------------


def _load_source(
    given: Given,
    otherwise: str | None,
    columns: Mapping[str, str],
    kept: tuple[str, ...] = (),
    four: FourColumns = PLAIN,
) -> tuple[ScoreTable, pl.DataFrame, list[dict[str, Any]]]:
    """Read one source: return its unchanged columns, its scores, and the facts about its file."""
    source, files = given.source, list[dict[str, Any]]()
    if isinstance(source.origin, File):
        file = source.origin.held()  # what is hashed is what is read
        source, files = replace(source, origin=file), [file.facts()]
    table, unit = _columns_of(source, four)
    where = "scores" if source.name is None else source.where
    table = rename_known_columns(rename_columns(table, columns, where), kept)
    whole = ScoreTable(table, where, unit, source.name, source.is_given)
    from lexiframe.core.io.score_forms.of_collections import has_collections, rows_of_collections

    if has_collections(whole):
        return whole, rows_of_collections(whole, given.measure or otherwise, kept), files
    table_of_one = place_index(whole)
    return table_of_one, rows_of(table_of_one, given.measure, otherwise), files


def _columns_of(source: Source, four: FourColumns) -> tuple[pl.DataFrame, str]:
    """Return the columns of a source with the places of its rows, and the unit of a place."""
    if not isinstance(source.origin, File):
        return _frame_of(source.origin).with_row_index(PLACE, offset=1), "row"
    content = source.origin.content("scores")
    if content.form is None:
        unit = "record" if is_json(content.data) else "line"
        if unit == "record" and (rows := records_of_tool(content.data)) is not None:
            return rows.with_row_index(PLACE, offset=1), unit
        return table_of_text(content.data, source.where, four), unit
    table = to_frame(read_arrow(content.form, content.data, source.where), "value", source.where)
    return table.with_row_index(PLACE, offset=1), "row"


def _frame_of(data: Any) -> pl.DataFrame:
    if isinstance(data, Iterator) and not is_frame(data):
        data = list(data)
    if are_results(data):
        columns = {name: [getattr(row, name) for row in data] for name in ("query_id", "value")}
        return pl.DataFrame({**columns, "measure": [str(row.measure) for row in data]})
    if are_records(data):
        data = frame_of_records(data)
    if isinstance(data, Mapping):
        return name_nested_columns(to_frame(data, "value"))
    if hasattr(data, "to_frame"):  # a single column
        data = data.to_frame()
    if hasattr(data, "reset_index"):
        data = _plain_pandas(data)
    return to_frame(data, "value")


def _plain_pandas(frame: Any) -> Any:
    """Make columns of data that Arrow does not export: measures as objects, ids in the index."""
    objects = [name for name in SCORES["measure"] if name in frame.columns]
    frame = frame.assign(**{name: frame[name].map(str) for name in objects})
    levels, queries = frame.index.names, SCORES["query_id"]
    known = [name for words in SCORES.values() for name in words]
    if len(levels) == 1 and {*known}.isdisjoint(levels) and {*queries}.isdisjoint(frame.columns):
        is_place = levels[0] is None and frame.index.dtype.kind in "iu"
        return frame if is_place else frame.rename_axis("query_id").reset_index()
    others = [n for n, name in enumerate(levels) if name not in known]
    frame = frame.reset_index(level=others, drop=True) if others else frame
    return frame.reset_index() if len(others) < len(levels) else frame


# --- All sources together ------------------------------------------------------------------------


def _refuse_repeated(table: pl.DataFrame, origins: Sequence[ScoreTable]) -> None:
    keys = table.select(schemas.SCORES.key)
    if not coded.may_repeat(keys):
        return
    repeated = table.filter(keys.is_duplicated())
    if repeated.height:
        first = repeated.row(0, named=True)
        same = pl.all_horizontal(pl.col(name) == first[name] for name in schemas.SCORES.key)
        places = [
            origins[row["origin"]].at(row[PLACE])
            for row in repeated.filter(same).iter_rows(named=True)
        ]
        raise SchemaError(
            f"{' and '.join(places[:3])}: run {coded.said(first['run'])}, query "
            f"{first['query_id']!r} and measure {first['measure']!r} have more than one value "
            f"({repeated.height} such rows in all); keep one of them, or give the runs different "
            "names: {name: file or frame}"
        )


def _drop_empty_requests(table: pl.DataFrame, origins: Sequence[ScoreTable]) -> pl.DataFrame:
    if table.height and not table["value"].null_count():  # as mostly
        return table
    has_value = pl.col("value").is_not_null().any().over("query_id")
    kept = table.filter(has_value)
    if not kept.height:
        where = ", ".join(origin.where for origin in origins[:3])
        raise ReadError(f"{where}: expected some values, found none for any request")
    if kept.height < table.height:
        requests = table.filter(~has_value)["query_id"].unique().sort()
        warn(f"requests without a value for any run and measure, left out: {n_and_first(requests)}")
    if not kept["value"].null_count():
        return kept
    _warn_of_empty(kept)
    # What has no value for any of several runs is no gap: the measure says nothing of the request.
    found, n = (x.over("query_id", "measure") for x in (pl.col("value").count(), pl.len()))
    return kept.filter((found > 0) | (n == 1))


def _refuse_null_scores(table: pl.DataFrame, origins: Sequence[ScoreTable]) -> None:
    gaps = table.filter(pl.col("value").is_null())
    if gaps.height:
        first = gaps.row(0, named=True)
        raise ReadError(
            f"{origins[first['origin']].at(first[PLACE])}: expected a value of "
            f"{first['measure']!r} for run {coded.said(first['run'])} and query "
            f"{first['query_id']!r}, found none ({gaps.height} such gaps in all); give them a "
            "value, leave these requests out, or say what gaps mean in evaluate_scores: "
            "missing='common', 'zero' or 'own'"
        )


def _warn_of_absent(table: pl.DataFrame) -> None:
    """Warn of runs that lack requests of other runs: their means are over fewer requests."""
    n_names = (len(table[name].unique(maintain_order=True)) for name in schemas.SCORES.key)
    if table.height == math.prod(n_names):  # as mostly: each run has each request
        return
    asked = pl.col("query_id").n_unique().over("measure")
    absences = (
        table.with_columns(asked=asked)
        .group_by("run", "measure")
        .agg(absent=pl.col("asked").first() - pl.len())
    )
    lacking = absences.filter(pl.col("absent") > 0)
    if lacking.height:
        found = lacking["run"].unique().sort().to_list()
        names = [shown_name(name) for name in found]
        n_lacking = int(lacking["absent"].sum())
        warn(
            "runs that lack values for requests for which other runs have them: "
            f"{n_and_first(names)}, {printed.counted(n_lacking, 'value')} in all; "
            "means are over the values that a run has, so give 0 where it found nothing "
            "(trec_eval -q -c prints these zeros from version 10 on, earlier versions do not)"
        )


def _warn_of_empty(table: pl.DataFrame) -> None:
    """Warn of measures that have no value at all of some runs, which no later table has."""
    empty = table.group_by("run", "measure").agg(pl.col("value").count()).filter(value=0)
    if empty.height:
        names = [f"{m} of {shown_name(r)}" for r, m, _ in empty.sort("measure", "run").rows()]
        warn(f"measures that have no value for any request, left out: {n_and_first(names)}")
