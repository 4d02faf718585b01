"""Make the bundled leaderboard: simulated models and tasks, like those of a public one.

No data of others: a model has one ability and one for each type of task, a task has a difficulty
and a scale; the sizes are chosen so that, as on real leaderboards, most neighbours overlap and some
models lack tasks. Run from the root of the repository: ``python data/make_leaderboard.py``.
"""

from pathlib import Path

import numpy as np
import polars as pl

SEED = 3
MODELS, COMPLETE = 60, 40
TYPES = {"classification": 5, "clustering": 4, "retrieval": 6, "reranking": 2, "similarity": 4}
OUT = Path(__file__).parent / "leaderboard" / "scores.csv"


def simulated() -> pl.DataFrame:
    """Return a row for each model and task that it has."""
    rng = np.random.default_rng(SEED)
    ability = np.sort(rng.normal(0, 1, MODELS))[::-1]
    rows = []
    lacks = {m: rng.choice([*TYPES], rng.integers(1, 5), replace=False) for m in range(MODELS)}
    complete = set(rng.choice(MODELS, COMPLETE, replace=False).tolist())
    for kind, n in TYPES.items():
        of_type = 0.6 * rng.normal(size=MODELS)
        for number in range(1, n + 1):
            level, scale = rng.uniform(0.35, 0.8), rng.uniform(0.02, 0.07)
            score = level + scale * (ability + of_type + 0.5 * rng.normal(size=MODELS))
            rows += [
                (f"model-{m + 1:02}", f"{kind}-{number}", kind, round(float(score[m]), 4))
                for m in range(MODELS)
                if m in complete or kind not in lacks[m]
            ]
    columns = ["model", "task", "type", "score"]
    table = pl.DataFrame(rows, schema=columns, orient="row")
    # A model with a single task, an easy one: a mean over what each has would put it first.
    easy = table.group_by("task").agg(pl.col("score").mean()).sort("score").row(-1)[0]
    kind = easy.rpartition("-")[0]
    alone = pl.DataFrame([("model-61", easy, kind, 0.95)], schema=columns, orient="row")
    return pl.concat([table, alone]).sort("model", "task")


if __name__ == "__main__":
    OUT.parent.mkdir(exist_ok=True)
    simulated().write_csv(OUT)
