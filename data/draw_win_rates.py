"""Draw the README's picture: which share of requests each system wins, by RPP.

Run ``python data/draw_win_rates.py`` from anywhere; it needs the extra ``viz`` and writes
``win_rates.png`` beside itself.
"""

from pathlib import Path

import lexiframe as lf
from lexiframe.core.views.charts import win_rate_chart


def main() -> None:
    """Evaluate the bundled collection and draw its win-rate matrix."""
    folder = lf.bundled("digits")
    p = lf.positions(folder / "runs", folder / "qrels.parquet")
    chart = win_rate_chart(lf.win_rates(lf.preferences(p, "RPP")), "RPP")
    chart.save(Path(__file__).parent / "win_rates.png")


if __name__ == "__main__":
    main()
