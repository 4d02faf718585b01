"""Time measures beyond relevance by RecTools, in an environment that has it: see `beyond`.

``python tests/benchmarks/beyond_rectools.py FOLDER`` reads what `beyond` wrote there, and prints
the seconds and the values as JSON. The clock runs for one call of ``calc_metrics`` each, from
frames of pandas to means.
"""

import json
import sys
import time
from pathlib import Path

import pandas as pd
from rectools import metrics


def main(folder, k=10):
    """Print how long each measure takes, and its value."""
    read = {name: pd.read_parquet(folder / f"{name}.parquet") for name in ("run", "past", "parts")}
    reco, parts = read["run"], read["parts"].set_index("item_id")
    reco["rank"] = reco.groupby("user_id").cumcount() + 1  # rows of a user stand best first
    told = {"reco": reco, "prev_interactions": read["past"], "catalog": parts.index}
    distances = metrics.PairwiseHammingDistanceCalculator
    calls = {
        "Novelty": lambda: metrics.MeanInvUserFreq(k),
        "ARP": lambda: metrics.AvgRecPopularity(k),
        "ILD": lambda: metrics.IntraListDiversity(k, distances(parts)),
        "Coverage": lambda: metrics.CatalogCoverage(k, normalize=True),
    }
    found = {}
    for name, call in calls.items():
        start = time.perf_counter()
        value = float(metrics.calc_metrics({name: call()}, **told)[name])
        found[name] = time.perf_counter() - start, value
    seconds, components = found["ILD"]
    found["ILD"] = seconds, components / parts.shape[1]  # it counts them
    start = time.perf_counter()
    metrics.calc_metrics({name: call() for name, call in calls.items()}, **told)
    found["all"] = time.perf_counter() - start, None
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
