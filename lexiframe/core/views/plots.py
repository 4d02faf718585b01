"""The charts of an evaluation that a user wants first: `Evaluation.plot`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import getdoc
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from lexiframe.core import views
from lexiframe.core.base import LexiframeError

if TYPE_CHECKING:
    import altair as alt

Group = Mapping[str, Any] | None
"""The attributes of a group of requests, and their values."""


class Evaluated(Protocol):
    """An evaluation to draw, which `views` may not import."""

    @property
    def means(self) -> pl.DataFrame:
        """The means of the runs."""
        ...

    @property
    def win_rates(self) -> pl.DataFrame:
        """The win rates of the pairs of runs."""
        ...

    @property
    def orderings(self) -> pl.DataFrame:
        """The orderings of the runs."""
        ...

    @property
    def provenance(self) -> dict[str, Any]:
        """The sources and options of the tables."""
        ...

    def pair(self, run_a: str, run_b: str, measures: Any = None) -> pl.DataFrame:
        """Compare two runs request by request."""
        ...

    def explain(self, query_id: str, run_a: str, run_b: str, measures: Any = None) -> pl.DataFrame:
        """Explain the preference between two rankings of one request."""
        ...


CHARTS_OF = {
    "means": ("mean_chart", "trade_off_chart"),
    "win_rates": ("win_rate_chart",),
    "orderings": ("ordering_chart",),
    "comparisons": ("significance_chart", "critical_difference_chart"),
    "power": ("power_chart",),
    "correlations": ("correlation_chart",),
    "tie_rates": ("tie_chart",),
    "sign_agreement": ("agreement_chart",),
    "preferences": ("difference_chart",),
}
"""The functions of `lexiframe.views.charts` that draw a table of an evaluation, by its name."""


def _charts() -> Any:
    """Return the functions that draw tables, which are loaded when one is asked for."""
    return views.charts


def _altair() -> Any:
    """Return Altair; raise if it is not installed."""
    from lexiframe.core.views.charts.drawing import altair

    return altair()


@dataclass(frozen=True, repr=False)
class Plots:
    """The charts of an evaluation: each function returns a chart of Altair.

    Of several collections, each has a panel, all with one scale; the mean over collections is last.

    A chart is shown by notebooks, and written by ``chart.save("means.png")`` (or ``.svg``,
    ``.html``). All charts are in `lexiframe.views.charts`, as functions of tables.

    Altair's notebooks and pages load what draws them from a network. Without one, say once
    ``altair.renderers.enable("svg")`` (or ``"png"``): charts are then pictures, which the notebook
    keeps. ``chart.save("means.html", inline=True)`` writes a page that needs no network, of about
    1 MB. Both use vl-convert, which the extra ``viz`` installs.

    Attributes
    ----------
    evaluation
        What is drawn.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["RPP", "AP"])
    >>> e.plot.win_rates("RPP").title.text
    'Share of requests won by RPP'
    """

    evaluation: Evaluated

    def means(
        self, measures: str | Sequence[str] | None = None, *, group: Group = None
    ) -> alt.LayerChart | alt.FacetChart:
        """Draw the means of the runs with their intervals.

        Parameters
        ----------
        measures
            One measure, or several side by side. Default: all.
        group
            The group of requests, such as ``{"language": "de"}``, when the evaluation has groups.

        Returns
        -------
        altair.LayerChart or altair.FacetChart
            That of `mean_chart`.

        Raises
        ------
        LexiframeError
            As `mean_chart`; and for a group that does not exist, or that was not chosen.
        """
        alpha = self.evaluation.provenance["inference"]["alpha"]
        found: alt.LayerChart | alt.FacetChart = _charts().mean_chart(
            self._of("means", group), self._asked(measures), alpha=alpha
        )
        return found

    def win_rates(self, measure: str | None = None, *, group: Group = None) -> alt.LayerChart:
        """Draw which share of the requests each run wins against each other.

        Parameters
        ----------
        measure
            The measure. Default: the first of the evaluation.
        group
            The group of requests, when the evaluation has groups.

        Returns
        -------
        altair.LayerChart
            That of `win_rate_chart`, the runs in the order that the measure gives them.

        Raises
        ------
        LexiframeError
            As `win_rate_chart`; and for a group that does not exist, or that was not chosen.
        """
        measure = str(self.evaluation.provenance["measures"][0] if measure is None else measure)
        order = self._of("orderings", group)
        wins = self._of("win_rates", group)
        found: alt.LayerChart = _charts().win_rate_chart(wins, measure, order=order)
        return found

    wins = win_rates  # as it was called first

    def orderings(
        self, measures: str | Sequence[str] | None = None, *, group: Group = None
    ) -> alt.LayerChart:
        """Draw the ranks of the runs under each measure, side by side.

        Parameters
        ----------
        measures
            The measures, from left to right. Default: all.
        group
            The group of requests, when the evaluation has groups.

        Returns
        -------
        altair.LayerChart
            That of `ordering_chart`.

        Raises
        ------
        LexiframeError
            As `ordering_chart`; and for a group that does not exist, or that was not chosen.
        """
        o = self._of("orderings", group)
        found: alt.LayerChart = _charts().ordering_chart(o, self._asked(measures))
        return found

    def pair(
        self, run_a: str, run_b: str, measure: str | None = None
    ) -> alt.LayerChart | alt.VConcatChart | alt.ConcatChart:
        """Draw the differences of two runs, request by request.

        Parameters
        ----------
        run_a, run_b
            The runs; differences are positive where run_a is better.
        measure
            The measure. Default: all, two in a row.

        Returns
        -------
        altair.LayerChart, altair.VConcatChart or altair.ConcatChart
            That of `pair_chart`, of all requests whatever groups they form.

        Raises
        ------
        LexiframeError
            As `Evaluation.pair` and `pair_chart`.
        """
        draw, drawn = _altair(), _charts().pair_chart
        both = self.evaluation.pair(run_a, run_b, measure)
        charts = [drawn(both, name) for name in both["measure"].unique(maintain_order=True)]
        if len(charts) == 1:
            alone: alt.LayerChart | alt.VConcatChart = charts[0]
            return alone
        together: alt.ConcatChart = draw.concat(*charts, columns=2)
        return together

    def request(self, query_id: str, run_a: str, run_b: str) -> alt.LayerChart:
        """Draw two rankings of one request, with the recall levels that decide.

        Parameters
        ----------
        query_id, run_a, run_b
            The request, and the runs whose rankings are drawn.

        Returns
        -------
        altair.LayerChart
            That of `ranking_chart`.

        Raises
        ------
        LexiframeError
            As `Evaluation.explain` and `ranking_chart`.
        """
        _altair()  # before positions are read
        explained = self.evaluation.explain(query_id, run_a, run_b, ["LR", "LP"])
        found: alt.LayerChart = _charts().ranking_chart(explained, query_id, run_a, run_b)
        return found

    def _asked(self, measures: str | Sequence[str] | None) -> str | Sequence[str]:
        """Return the measures, by default all measures of the evaluation, in the user's order."""
        every: list[str] = self.evaluation.provenance["measures"]
        return every if measures is None else measures

    def _of(self, name: str, group: Group) -> pl.DataFrame:
        """Return a table of the evaluation, or its rows of a group of requests."""
        table: pl.DataFrame = getattr(self.evaluation, name)
        names = self.evaluation.provenance["groups"]
        asked = dict(group or {})
        if "collection" not in asked:  # all of them, which have a panel each
            names = [name for name in names if name != "collection"]
        if {*asked} != {*names} or not names:
            return self._refuse(table, names, asked) if names or asked else table
        same = [pl.col(attribute).eq_missing(pl.lit(asked[attribute])) for attribute in names]
        rows = table.filter(*same).drop(names)
        return self._refuse(table, names, asked) if rows.is_empty() else rows

    def _refuse(self, table: pl.DataFrame, names: list[str], asked: dict[str, Any]) -> Any:
        """Raise, because a group was not chosen or does not exist."""
        if not names:
            raise LexiframeError(
                f"plot: expected no group, found {asked}; this evaluation has no groups of "
                "requests (see requests= and by= of evaluate)"
            )
        known = table.select(names).unique(maintain_order=True).to_dicts()
        raise LexiframeError(
            f"plot: expected one of the {len(known)} groups of requests, such as "
            f"group={known[0] if known else dict.fromkeys(names)}, found {asked or None}"
        )

    def __dir__(self) -> list[str]:
        """The charts, each once, by the name that it has now."""
        names = {vars(Plots)[name].__name__ for name in vars(Plots) if not name.startswith("_")}
        return [name for name in vars(Plots) if name in names]

    def __repr__(self) -> str:
        names = self.__dir__()
        width = max(map(len, names))
        lines = [f"  {n:{width}}  {(getdoc(getattr(Plots, n)) or '').partition(chr(10))[0]}"
                 for n in names]  # fmt: skip
        wide = max(map(len, CHARTS_OF))
        more = [f"  {table:{wide}}  {', '.join(charts)}" for table, charts in CHARTS_OF.items()]
        said = "Functions of lexiframe.views.charts that draw its tables:"
        return "\n".join(["The charts of an evaluation:", *lines, said, *more])
