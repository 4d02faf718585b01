"""How each chart of an evaluation is called."""

import polars as pl

from lexiframe import charts


def log(t):
    runs = t["means"]["run"].unique().sort()
    return pl.DataFrame({"run": runs, "params.k": pl.Series(range(len(runs)))})


CHARTS = {
    "mean_chart": lambda t, m: charts.mean_chart(t["means"], alpha=0.05),
    "trade_off_chart": lambda t, m: charts.trade_off_chart(
        t["means"], "AP", m, log=log(t), colour="params.k"
    ),
    "ordering_chart": lambda t, m: charts.ordering_chart(t["orderings"], methods="mean"),
    "rank_distribution_chart": lambda t, m: charts.rank_distribution_chart(
        t["rank_distributions"], "AP"
    ),
    "win_rate_chart": lambda t, m: charts.win_rate_chart(
        t["win_rates"], "AP", order=t["orderings"].filter(method="mean")
    ),
    "correlation_chart": lambda t, m: charts.correlation_chart(t["correlations"]),
    "significance_chart": lambda t, m: charts.significance_chart(
        t["comparisons"], "AP", order=t["means"], alpha=0.05
    ),
    "equivalence_chart": lambda t, m: charts.equivalence_chart(t["equivalences"], "AP", alpha=0.05),
    "asl_chart": lambda t, m: charts.asl_chart(t["asl_curve"]),
    "power_chart": lambda t, m: charts.power_chart(t["power"]),
    "critical_difference_chart": lambda t, m: charts.critical_difference_chart(
        t["comparisons"], t["means"], "AP", alpha=0.05
    ),
    "power_curve_chart": lambda t, m: charts.power_curve_chart(t["power_curve"], "AP"),
}
"""A call of each chart, from the tables by name and the name of a second measure."""
