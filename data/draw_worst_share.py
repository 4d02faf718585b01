"""Draw the picture of the page on who is served worst: ``python data/draw_worst_share.py``."""

from pathlib import Path

import lexiframe as lf
from lexiframe.views import charts

HERE = Path(__file__).parent
DRAWN = ["isomap8_euclidean", "pixels_euclidean", "random"]
SHARES = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]

if __name__ == "__main__":
    folder = HERE / "digits"
    e = lf.evaluate(folder / "runs", folder / "qrels.parquet", "AP")
    chart = charts.worst_chart(lf.worst_served(e, SHARES).values, runs=DRAWN)
    chart.save(HERE / "worst_share.png", scale_factor=2)
