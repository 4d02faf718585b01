"""The result of the whole flow: its tables, and the questions that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from lexiframe import features
from lexiframe.core.base import check_choice, printed, unknown_name
from lexiframe.core.base.feature import Worst
from lexiframe.core.evaluation.buckets.plan import KEPT, Plan
from lexiframe.core.evaluation.buckets.sample import Sample
from lexiframe.core.evaluation.evaluated_data import Origin
from lexiframe.core.io import compared
from lexiframe.core.metrics import as_list
from lexiframe.core.pairwise import PairCube, arrays, facts, parse_measures
from lexiframe.core.projection import answers as of_rankings
from lexiframe.typing import LogLike, MeasureLike, TableOf

if TYPE_CHECKING:
    from lexiframe.core.views import Contents, Plots, shown


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(compared.Compared):
    """The tables of an evaluation and their provenance; `evaluate` makes it.

    Attributes
    ----------
    means
        Key ``run, measure``. ``mean`` over the ``n`` requests, of a preference that of the share of
        the other runs that the run is preferred to in a request (0..1, ties half: the share of
        requests won), with its t interval ``ci_low, ci_high`` of level 1 − alpha. The runs are
        ranked by mean, as in ``orderings``: ``rank`` is 1 for the best mean or the greatest share
        of requests won, or for the first by another ``order``. It is null for counts (num_ret),
        which have no best, and where `evaluate_scores` found that runs lack requests. With
        ``ties="expected"`` there is ``ties_sd``, the standard deviation of the mean over the orders
        of equal scores, √(Σ sd²)/n of the ``ties_sd`` of the scores (null if one is null); it is no
        part of the interval. The
        measures are in the order asked for, the runs of each in that of their rank under the
        first, then by name.
    coverage, win_rates, orderings, correlations, tie_rates, sign_agreement, comparisons, power
        The tables that the functions of the same name return (for the orderings, correlations,
        comparisons and power: `order_runs`, `rank_correlations`, `compare` and
        `discriminative_power`). With a single run, the tables about pairs are empty. With a
        baseline, comparisons and power are those of the other runs against it. The coverage
        is that with the ``measures`` of the evaluation.
    against_baseline
        The same comparisons in one row a run; without a baseline it is empty. Key ``measure, test,
        correction, run``, sorted by it. ``mean`` is the run's mean score over its requests (of
        metrics; null for preferences). ``mean_difference`` (positive: better than the baseline)
        has the interval ``ci_low, ci_high``; ``n``, ``effect_size``, ``p_value``, ``p_adjusted``
        and ``reject`` are those of `compare`. ``better``, ``worse`` and ``tied`` count requests.
        The baseline itself has a row with its mean alone.
    provenance
        What the tables were computed from: the files, their sha256 and how they were read, the
        policies, the measures, the tests and the groups.
    attributes
        Key ``query_id``, and the attributes of the requests that form the groups; None without
        groups. `compare_groups` and `group_correlations` of the evaluation use it; of an evaluation
        in parts they take the preferences that it kept, and this as ``requests``.
    replicated
        With ``replicates``, the scores of single replicates: key ``run, replicate, query_id,
        measure``. All other tables are of their means. `compare`, `equivalence` and `gate` of the
        evaluation take this table, and what was said of the replicates. None without them.
    sums
        Of an evaluation in parts (see ``memory`` of `evaluate`), the sums over the requests, else
        None. `win_rates`, `win_rate_matrix`, `tie_rates`, `sign_agreement`, `majority_cycles`,
        `order_runs` and, for the tests ``t`` and ``sign``, `compare` take them where they take
        preferences, and return what they return for the preferences of all requests.
    parts
        The folders of the tables that an evaluation in parts has written (``keep``), by name.
    answers
        The answers judged by nuggets (`Nuggets`) that `evaluate_scores` was given, else None.
    catalogue
        What all lists reach of the ``items`` of `evaluate`, a `Catalogue`; None without them.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "RR"])
    >>> e.power.select("measure", "n_pairs").rows()
    [('RPP', 3), ('RR', 3)]
    """

    coverage: pl.DataFrame
    means: pl.DataFrame
    win_rates: pl.DataFrame
    orderings: pl.DataFrame
    correlations: pl.DataFrame
    tie_rates: pl.DataFrame
    sign_agreement: pl.DataFrame
    comparisons: pl.DataFrame
    power: pl.DataFrame
    against_baseline: pl.DataFrame
    provenance: dict[str, Any]
    attributes: pl.DataFrame | None = None
    replicated: pl.DataFrame | None = None
    sums: arrays.Reduced | None = None
    _origin: Origin | None = None
    _part: PairCube | None = None
    _sample: tuple[Sample, Plan] | None = None
    _in_parts: bool = False
    parts: Mapping[str, str] = field(default_factory=dict)
    answers: Any = None
    catalogue: Any = None
    _unanswered: pl.DataFrame | None = None
    _weights: Any = None

    @property
    def scores(self) -> pl.DataFrame:
        """The table of `scores`.

        Raises
        ------
        LexiframeError
            When the evaluation kept sums over the requests only (``memory``, `spark.evaluate`).
        """
        return self._request_table("scores")

    @property
    def preferences(self) -> pl.DataFrame:
        """The table of `preferences`; raises as ``scores`` does."""
        return self._request_table("preferences")

    def _request_table(self, name: str) -> pl.DataFrame:
        if self.has_requests:
            return self._tables_of_requests[name]
        from lexiframe.core.evaluation import single_requests

        raise single_requests.lacking_requests(name, self.parts)

    @cached_property
    def _tables_of_requests(self) -> dict[str, pl.DataFrame]:
        from lexiframe.core.pairwise import pairs

        s, d = pairs.tables_of(self.part())
        if self._origin is not None and self._origin.policies.ties == "expected":
            d = self._origin.add_chances(d)
        return dict(zip(KEPT, (of_rankings.say_answered(s, self._unanswered), d), strict=True))

    def part(self) -> PairCube:
        """Return the scores and preferences of all requests as arrays; raises as they do."""
        if not self.has_requests:
            self._request_table("preferences")  # raises
        return self._whole

    @cached_property
    def _whole(self) -> PairCube:
        found = self._part
        if found is None:
            projected, measures = self.origin("scores").projected()
            found = projected.whole(measures)
        return found if self._weights is None else arrays.attach(found, self._weights)

    @property
    def facts(self) -> pl.DataFrame:
        """What is known of the measures, those of your own too, in the order asked for.

        Key ``measure``. ``kind`` is ``"metric"`` or ``"preference"``; ``smaller_is_better`` says so
        of scores; ``low, high`` are the least and the greatest value, null where they are not
        known, and ``is_count`` says that more is neither better nor worse.
        """
        known = facts.known_facts(self.provenance)
        return facts.facts_table({name: known[name] for name in self.provenance["measures"]})

    @property
    def _known(self) -> PairCube | None:
        """The scores and preferences of all requests, if they need not be computed."""
        known = vars(self).get("_whole", self._part)
        return known if known is None or self._weights is None else self._whole

    @property
    def positions(self) -> pl.DataFrame:
        """The table of `positions` that the evaluation was computed from.

        It has the judged items that are not relevant, and ``pool_size``, if a measure needs them.
        The ranks that it is made from are kept when they take at most a tenth of the memory that is
        available, and so is this table once it was asked for; else the runs and judgments are read
        again, and frames that were given are used again. Of judged ``answers`` it has the
        nuggets: see `nugget_positions`.

        Raises
        ------
        ReadError
            When a file that is read again has changed since the evaluation, or is not there.
        LexiframeError
            When the evaluation was computed from scores, without rankings; as `nugget_positions`.
        """
        if self.answers is not None:
            return self.answers.positions  # type: ignore[no-any-return]
        return self.origin("positions").positions()

    @property
    def collection(self) -> tuple[Any, Any]:
        """The runs and judgments as they were given, for functions that take both.

        Raises
        ------
        ReadError
            When a file has changed since the evaluation, or is not there.
        LexiframeError
            When the evaluation was computed from scores, without rankings.
        """
        return self.origin("collection").collection()

    def pair(
        self,
        run_a: str,
        run_b: str,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
    ) -> pl.DataFrame:
        """Compare two runs request by request, from where the first gains most to where it loses.

        Parameters
        ----------
        run_a, run_b
            The runs, in the direction asked for: differences are positive where run_a is better.
        measures
            Some of the measures of the evaluation. Default: all.

        Returns
        -------
        polars.DataFrame
            Key ``measure, query_id``. The measures are in the order asked for, and the requests of
            each are sorted by ``preference``, run_a's greatest gain first; equal ones by id.
            ``value_a`` and ``value_b`` are the scores of a metric, null for a preference.
            ``deciding_level`` is the recall level, from 1, that decides a lexicographic preference,
            null for ties and for other measures, and where ties are expected, as each level may
            decide; for these levels alone positions are needed.

        Raises
        ------
        UnknownNameError
            With near matches, for a run or a measure that the evaluation does not have.
        LexiframeError
            When both runs are the same; and as `positions`, if there are lexicographic measures.

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["LR", "RR"])
        >>> both = e.pair("pixels_euclidean", "pca8_euclidean")
        >>> both.filter(measure="LR").select("query_id", "preference", "deciding_level").rows()
        [('q0113', 1.0, 14), ('q0175', 1.0, 20), ('q0206', 1.0, 14), ('q0066', 0.0, None), \
('q0078', -1.0, 21)]
        """
        from lexiframe.core.evaluation import single_requests

        self._refuse_several("pair(...)")
        both, names = (self._run_named(run_a), self._run_named(run_b)), self._names_of(measures)
        return single_requests.compared(self, self._origin or self.answers, both, names)

    def explain(
        self,
        query_id: str,
        run_a: str,
        run_b: str,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
    ) -> pl.DataFrame:
        """Explain the preference between two rankings of one request, recall level by recall level.

        Parameters
        ----------
        query_id, run_a, run_b
            The request, and the runs whose rankings are compared, in this order.
        measures
            Preferences and metrics that are sums over levels. Default: those of the evaluation;
            RPP, LR and LP when it has none.

        Returns
        -------
        polars.DataFrame
            The table of `explain`: a row for each recall level, with the items, their positions,
            and what they contribute to each measure.

        Raises
        ------
        LexiframeError
            As `explain` and ``positions``.

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "AP"])
        >>> e.explain("q0066", "pixels_euclidean", "random").columns[-4:]
        ['RPP weight', 'RPP', 'AP_a', 'AP_b']
        """
        from lexiframe.core.evaluation import single_requests

        self._refuse_several("explain(...)")
        return single_requests.explained(self, query_id, (run_a, run_b), measures)

    def requests(
        self,
        run: str | None = None,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
    ) -> pl.DataFrame:
        """List the requests: which are hard, where measures disagree, and where a run fails.

        Parameters
        ----------
        run
            A run whose failures are wanted. Default: only what holds for all runs.
        measures
            Some of the measures of the evaluation. Default: all.

        Returns
        -------
        polars.DataFrame
            Key ``measure, query_id``, the measures in the order asked for. ``n`` runs have the
            scores whose ``mean``, standard deviation ``sd``, ``min`` and ``max`` follow, null for
            preferences, which have no scores. ``tie_rate`` is the share of pairs of runs that the
            measure ties, in 0..1. ``agreement``, in 0..1, is the share of the pairs that it does
            not tie for which another measure prefers the same run, over all other measures of the
            evaluation (see `sign_agreement`); null if there are none. The hardest request, of the
            worst mean, comes first.

            With a run, ``run`` names it, ``value`` is its score, and ``mean_preference`` its mean
            difference from the other runs (negative: worse than they are). It is better than
            ``better`` of them, worse than ``worse``, and equal to ``tied``. The request where it
            fails most, of the least ``mean_preference``, then comes first.

        Raises
        ------
        UnknownNameError
            With near matches, for a run or a measure that the evaluation does not have.

        Examples
        --------
        >>> import lexiframe as lf, polars as pl
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"])
        >>> hardest = e.requests(measures="AP")
        >>> hardest.select("query_id", pl.col("mean").round(3), "agreement").row(0)
        ('q0113', 0.408, 1.0)
        >>> e.requests("random", "AP").select("query_id", "better", "worse").row(0)
        ('q0078', 0, 2)
        """
        from lexiframe.core.evaluation import single_requests

        self._refuse_several("requests(...)")
        names = self._names_of(measures)
        return single_requests.listed(self, names, None if run is None else self._run_named(run))

    def worst(self, share: float | Sequence[float] = (0.1, 0.25), **how: Any) -> Any:
        """Compare the runs by the share of the requests that each of them serves worst.

        Parameters
        ----------
        share : float, or several
            The share of the requests, above 0 and up to 1; default: the tenth and the quarter.
        **how
            The other arguments of `worst_served`.

        Returns
        -------
        WorstServed
            As `worst_served` returns it.

        Raises
        ------
        LexiframeError
            As `worst_served`; and of an evaluation in parts that kept no scores.

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP")
        >>> e.worst(share=0.4).values.select("run", "n_worst").row(0)
        ('pca8_euclidean', 2.0)
        """
        return features.needed(Worst, "worst").served(self, share, **how)

    def origin(self, what: str) -> Origin:
        """Return what the evaluation was computed from; ``what`` begins the error if not known."""
        self._refuse_several(what)
        if self._origin is not None:
            return self._origin
        from lexiframe.core.evaluation import single_requests

        raise single_requests.lacking_rankings(what, self)

    def _refuse_several(self, what: str) -> None:
        """Raise where there are several collections, which have to be asked one by one."""

    def _run_named(self, name: str) -> str:
        """Return the name of a run as text, as ids are in every table; raise if there is none."""
        known = self.orderings["run"].unique().sort()  # scores of other tools have no coverage
        if str(name) not in known:
            raise unknown_name("run", str(name), known)
        return str(name)

    def _names_of(self, measures: Any, of_lists: Iterable[str] = ()) -> list[str]:
        """Return the names of some measures of the evaluation, or of all."""
        known = [*self.provenance["measures"], *of_lists]
        if measures is None:
            return known
        given = [m if m in known else str(parse_measures(m)[0]) for m in as_list(measures)]
        for name in given:
            if name not in known:
                raise unknown_name("measure", name, known)
        return list(dict.fromkeys(given))

    @property
    def plot(self) -> Plots:
        """The charts that a user wants first; its text lists them. They need the extra ``viz``.

        ``plot.means()``, ``plot.win_rates("RPP")``, ``plot.orderings()``, ``plot.pair(a, b)`` and
        ``plot.request(query_id, a, b)`` return charts of Altair, which notebooks show.

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "AP"])
        >>> e.plot
        The charts of an evaluation:
          means      Draw the means of the runs with their intervals.
          win_rates  Draw which share of the requests each run wins against each other.
          orderings  Draw the ranks of the runs under each measure, side by side.
          pair       Draw the differences of two runs, request by request.
          request    Draw two rankings of one request, with the recall levels that decide.
        Functions of lexiframe.views.charts that draw its tables:
          means           mean_chart, trade_off_chart
          win_rates       win_rate_chart
          orderings       ordering_chart
          comparisons     significance_chart, critical_difference_chart
          power           power_chart
          correlations    correlation_chart
          tie_rates       tie_chart
          sign_agreement  agreement_chart
          preferences     difference_chart
        """
        from lexiframe.core.views import Plots

        return Plots(self)

    def table_for(self, what: TableOf) -> tuple[Any, dict[str, Any]]:
        """Return the table that a function needs, and the groups and baseline that hold for it.

        Functions of tables take an evaluation as well, and call this: ``lf.compare(e)`` is
        ``lf.compare(e.preferences)``, within the groups of the evaluation and against its baseline
        unless the call names others.

        Parameters
        ----------
        what
            The name of a table, or what ``lexiframe.typing`` calls what the function takes; or a
            function that is given the evaluation, and returns what is needed of it.

        Returns
        -------
        tuple of the table and a dictionary of arguments

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "AP"])
        >>> lf.compare(e).equals(e.comparisons), lf.rank_correlations(e).equals(e.correlations)
        (True, True)
        """
        from lexiframe.core.evaluation import handed_over

        return handed_over.table_of(self, what), handed_over.options_of(self)

    @property
    def has_rankings(self) -> bool:
        """Whether the runs and judgments are known, to be looked at again."""
        return self._origin is not None

    @property
    def verdict(self) -> pl.DataFrame:
        """The conclusion by each measure, which prints its sentences: see `verdict`."""
        from lexiframe.core.views import sentences

        return sentences.verdict(self)

    def tables(self, *, of_requests: bool = True) -> dict[str, pl.DataFrame]:
        """Return the tables by name; those of single requests only if they are known.

        Without those ``of_requests``, scores and preferences, which are many rows, are not made.
        """
        absent = set() if self.has_requests and of_requests else {*KEPT}
        tables = {name: getattr(self, name) for name in names_of_tables() if name not in absent}
        of_lists = self.catalogue and (self.catalogue.values, self.catalogue.comparisons)
        return tables | dict(zip(CATALOGUES, of_lists or (), strict=False))

    @property
    def has_requests(self) -> bool:
        """Whether scores and preferences of single requests are there, or made when asked for."""
        return self._part is not None or (self._origin is not None and not self._in_parts)

    def write(self, folder: str | Path) -> list[Path]:
        """Write each table as Parquet, all of them or none; those of an earlier evaluation go.

        Parameters
        ----------
        folder
            The folder to write to; it is made if it does not exist.

        Returns
        -------
        list of pathlib.Path
            ``coverage.parquet``, ``scores.parquet`` ..., with the provenance in their schema
            metadata; and ``fingerprints.parquet`` and ``ranks.parquet``, by which
            ``evaluate(..., reuse=folder)`` knows what has changed and goes on. The same inputs give
            the same bytes.

        Raises
        ------
        LexiframeError
            When the folder cannot be written to.
        """
        from lexiframe.core.evaluation import written_tables
        from lexiframe.core.io import output_files

        places = self._evaluations_by_folder(output_files.output_path(folder))
        written = Evaluation._written
        return written_tables.write_together(places, self.parts, result_files, written)

    def _evaluations_by_folder(self, target: Path) -> dict[Path, Evaluation]:
        """Return the evaluations to write, by their folder."""
        return {target: self}

    def _written(self) -> dict[str, Any]:
        """Return the tables to write, and in blocks the tables of requests."""
        from lexiframe.core.evaluation import written_tables

        tables: dict[str, Any] = self.tables(of_requests=False)
        if self.has_requests:
            tables |= self._written_of_requests()
        tables |= self._besides()
        tables |= written_tables.kept_of(self._origin)
        return {n: tables[n] for n in (*names_of_tables(), *_names_beside()) if n in tables}

    def _besides(self) -> dict[str, Any]:
        besides = {ATTRIBUTES: self.attributes, REPLICATED: self.replicated}
        besides[CATALOGUES[-1]] = self.catalogue and self.catalogue.units
        return {name: table for name, table in besides.items() if table is not None}

    def _compared(self) -> compared.Comparable:
        """Return the measures and options, and the tables, the long ones of requests last."""
        known = {**self.tables(of_requests=False), **self._besides()}
        tables: dict[str, Any] = {name: partial(known.get, name) for name in known}
        if self.has_requests:
            tables |= {name: partial(getattr, self, name) for name in KEPT}
        return {n: self.provenance[n] for n in _ASKED if n in self.provenance}, tables

    def _written_of_requests(self) -> dict[str, Any]:
        """Return the scores to write, and the preferences in blocks."""
        from lexiframe.core.evaluation import written_tables

        if self.provenance.get("policies", {}).get("ties") == "expected":  # with their chances
            return {"scores": self.scores, "preferences": iter([self.preferences])}
        known = self._known, self.origin, self._unanswered, self._weights
        return written_tables.tables_of_requests(*known)

    def report(
        self,
        path: str | Path,
        *,
        texts: LogLike | Mapping[str, str] | None = None,
        queries: LogLike | Mapping[str, str] | None = None,
    ) -> Path:
        """Write the evaluation as one HTML page to look around in; it loads nothing else.

        The page begins with which runs are first, and best where they differ significantly from all
        others. It then has means, orderings and how stable they are, pairs of runs, their requests,
        and both rankings of a request. All of its numbers are those of the tables. Of an evaluation
        in parts it shows single requests of a sample, 100 or fewer, and of more than 100 runs those
        with the best rank by any measure, and says so. Of several collections the page has a menu,
        an overview first, and of each collection the page that it has alone; from 20 collections on
        it is the page of their leaderboard by the first metric.

        Parameters
        ----------
        path
            The file to write; its folder is made if it does not exist.
        texts
            What documents are: a frame or file with the column ``doc_id`` and ``title``, ``image``
            or both, or a dictionary of titles. An image is a file or a ``data:`` address, and
            becomes a part of the page; an address on the web becomes a link, because the page makes
            no request to a network.
        queries
            The texts of the queries: a frame or file with the columns ``query_id`` and ``text``
            (or ``title``, or ``query``), or a dictionary. A frame with the column ``collection``
            has those of each collection; so may one of ``texts``.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        LexiframeError
            When the page cannot be written; and for texts without the columns, images that cannot
            be read, and images of more than 50 MB in all.

        Warns
        -----
        LexiframeWarning
            When the rankings cannot be read again (a file has changed), so that the page does not
            have them; for documents and queries without a text; and when the page is that of a
            leaderboard.

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"], test="t")
        >>> path = e.report(getfixture("tmp_path") / "report.html")
        >>> "pixels_euclidean is first by" in path.read_text(encoding="utf-8")
        True
        """
        from lexiframe.core.evaluation import page

        return page.write_page(path, lambda: self._page(texts, queries))

    def _page(self, texts: Any, queries: Any) -> str:
        from lexiframe.core.evaluation import page

        return page.page_of(self, self._of_requests, texts, queries)

    def _page_contents(self, texts: Any, queries: Any) -> Contents:
        from lexiframe.core.evaluation import page

        return page.page_contents(self, self._of_requests, texts, queries)

    @property
    def _of_requests(self) -> tuple[Any, ...]:
        return self._sample, self._origin, self._known

    def latex(
        self,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        runs: str | Iterable[str] | None = None,
        *,
        marks: shown.Marks = "auto",
        decimals: int | None = None,
        percent: bool = False,
        intervals: bool = False,
        rename: Mapping[str, str] | None = None,
        blocks: bool | None = None,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        r"""Return the means as a LaTeX table for a paper (booktabs).

        The best mean of a measure is bold, all of them where runs tie. Counts (num_ret) have no
        best and no marks. With groups of requests, each has its rows in the one table. More than 40
        rows make a longtable, which goes over several pages.

        Parameters
        ----------
        measures
            Some of the measures of the evaluation, in the order of the columns. Default: all.
        runs
            Some of the runs, in the order of the rows. Default: all, the best by the first measure
            first. Best are then the best of these; p-values stay corrected over all pairs.
        marks : {"auto", "letters", "best", "baseline", "none"}
            Superscripts of significance, by the first test and correction of the evaluation.
            ``letters`` name the runs that a run is significantly better than, ``best`` puts † at
            runs that are not significantly different from any of the best, and ``baseline`` arrows
            at those significantly better or worse than the baseline. ``auto`` takes the baseline if
            there is one, else letters for up to ten runs and † for more.
        decimals : int, optional
            Digits behind the point. Default: 4, or 2 of percent.
        percent
            Write shares of requests, and measures of 0 to 1 that the library knows, in percent.
        intervals
            Put the interval of each mean beside it, cut at the bounds of the measure.
        rename : mapping, optional
            What runs are called in the table: ``{"bm25_k09": "BM25"}``.
        blocks : bool, optional
            Whether each of several collections is a block of rows, as each group of requests is,
            with the runs that it has. One measure has otherwise a column for each, then the mean
            over collections and the mean rank in them, of runs that all have. Default: columns, for
            one measure and collections that share a run.
        caption : str, optional
            LaTeX that begins the caption. What follows says what the numbers and the marks are: the
            test, the correction and its family, α and n.
        label : str, optional
            The name for ``\ref``.

        Returns
        -------
        str
            LaTeX that any engine compiles with booktabs. Names are escaped; those in other than
            Latin letters need XeLaTeX or LuaLaTeX, and some Latin letters (ą, đ, þ) the encoding
            T1. The first lines say what the table needs.

        Raises
        ------
        UnknownNameError
            With near matches, for a run or a measure that the evaluation does not have.
        LexiframeError
            For marks that the comparisons do not tell, more than 26 runs with letters, no run, a
            label with signs that TeX reads as commands, decimals not from 0 to 15, two runs of one
            name, and columns of collections for several measures or groups.

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP RR", test="t")
        >>> print(e.latex("AP", label="tab:ap"))
        % \usepackage{booktabs}
        \begin{table}
        ...
        \toprule
         & run & \multicolumn{2}{c}{AP} \\
        \midrule
        a & pixels\_euclidean & \textbf{0.8615} & \textsuperscript{c} \\
        b & pca8\_euclidean & 0.8169 & \textsuperscript{c} \\
        c & random & 0.0325 &  \\
        \bottomrule
        ...
        """
        from lexiframe.core.views import shown

        how: dict[str, Any] = {"marks": marks, "decimals": decimals, "percent": percent}
        how |= {"rename": rename, "blocks": blocks}
        table = self._paper(measures, runs, intervals=intervals, **how)
        return shown.paper_latex(table, caption, label)

    def markdown(
        self,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        runs: str | Iterable[str] | None = None,
        *,
        marks: shown.Marks = "auto",
        decimals: int | None = None,
        percent: bool = False,
        intervals: bool = False,
        rename: Mapping[str, str] | None = None,
        blocks: bool | None = None,
        caption: str | None = None,
    ) -> str:
        r"""Return the means as a Markdown table.

        Parameters
        ----------
        measures, runs, marks, decimals, percent, intervals, rename, blocks
            As `latex` has them. With groups of requests, the first column names them.
        caption : str, optional
            Markdown that begins the caption.

        Returns
        -------
        str
            A pipe table, as GitHub, Jupyter and Pandoc read it, with marks in ``<sup>``, below its
            caption, which begins with ``Table:`` as Pandoc wants it.

        Raises
        ------
        LexiframeError
            As `latex`.

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP RR", test="t")
        >>> print(e.markdown())
        Table: Means over 5 requests. Bold: ...
        <BLANKLINE>
        |     | run               | AP                     |         RR |
        |:----|:------------------|:-----------------------|-----------:|
        | a   | pixels\_euclidean | **0.8615**<sup>c</sup> | **1.0000** |
        | b   | pca8\_euclidean   | 0.8169<sup>c</sup>     |     0.8667 |
        | c   | random            | 0.0325                 |     0.3878 |
        <BLANKLINE>
        """
        from lexiframe.core.views import shown

        how: dict[str, Any] = {"marks": marks, "decimals": decimals, "percent": percent}
        how |= {"rename": rename, "blocks": blocks}
        table = self._paper(measures, runs, intervals=intervals, **how)
        return shown.paper_markdown(table, caption)

    def _paper(self, measures: Any, runs: Any, **how: Any) -> shown.ShownTable:
        from lexiframe.core.evaluation import shown_tables

        names = self._names_of(measures, self.catalogue.measures if self.catalogue else ())
        return shown_tables.paper(self, names, runs, self._run_named, **how)

    def summary(self, which: Literal["first", "all"] = "first") -> printed.Summary:
        """Return what is printed: the verdict in a few sentences, then the means.

        Parameters
        ----------
        which : {"first", "all"}
            ``first`` is what ``print`` shows. ``all`` adds how the runs differ in what they
            retrieved, their ranks, the tests, how alike the orderings are, ties, and coverage.

        Returns
        -------
        printed.Summary
            It prints as text that fits the terminal, and shows itself in notebooks.

        Raises
        ------
        LexiframeError
            For another ``which``.

        Examples
        --------
        >>> import lexiframe as lf
        >>> folder = lf.bundled("example")
        >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"])
        >>> "Kendall" in str(e.summary("all")), "Kendall" in str(e)
        (False, False)
        """
        from lexiframe.core.views import shown

        check_choice("summary", which, ("first", "all"), "which")
        found = shown.summary_of(self.tables(of_requests=False), self.provenance, which)
        return found.told(self.provenance)

    def __str__(self) -> str:
        return str(self.summary())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


ATTRIBUTES = "attributes"
"""The table of the attributes of requests, which an evaluation in groups writes."""
REPLICATED = "replicated_scores"
"""The scores of single replicates, which an evaluation of runs with replicates writes."""
_ASKED = ("measures", "groups", "policies", "inference", "missing", "weights")
"""What the provenance says that does not follow from where the data lie."""
CATALOGUES = ("catalogue", "catalogue_comparisons", "catalogue_units")
"""What lists reach of a catalogue, which an evaluation with items writes."""


def names_of_tables() -> list[str]:
    """Return the names of the tables that an evaluation has."""
    names = [field.name for field in fields(Evaluation) if field.type == "pl.DataFrame"]
    return [*names[:2], "scores", "preferences", *names[2:]]


def table_files(folder: Path) -> list[Path]:
    """Return the paths of the tables that `Evaluation.write` writes to a folder."""
    return [folder / f"{name}.parquet" for name in names_of_tables()]


def result_files(folder: Path) -> list[Path]:
    """Return the paths of all files that `Evaluation.write` writes to a folder."""
    return [
        *table_files(folder),
        *(folder / f"{name}.parquet" for name in _names_beside()),
    ]


def _names_beside() -> tuple[str, ...]:
    """Return the names of the further tables that `Evaluation.write` writes."""
    from lexiframe.core.io import kept_results

    kept = (kept_results.FINGERPRINTS, kept_results.RANKS)
    return (ATTRIBUTES, REPLICATED, *kept, *CATALOGUES)
