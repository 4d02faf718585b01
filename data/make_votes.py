"""Make the bundled judgments: simulated users who see two answers of `digits` side by side.

Each user has a recall requirement: the share of the relevant images that she wants to find. She
compares the positions by which either ranking has shown that many, on a logarithmic scale, and says
which ranking needs fewer. Three things have nothing to do with rankings, as with people: she
favours the page on the left, she favours longer pages, and she errs. The user u40 does not look at
the pages at all. Run from the root of the repository, after `make_digits.py`: ``python
data/make_votes.py``.
"""

from pathlib import Path

import numpy as np
import polars as pl

SEED = 7
USERS, EACH = 40, 40
"""Users, and judgments of each request."""
DOCUMENTS = 1737
BY_POSITION, BY_LENGTH, BY_SIDE = 4.0, 2.5, 0.25
"""What a factor of e in position and in length, and the left side, add to the log odds."""
TIE = 0.45
"""Users call it a tie when what they feel lies within this."""
RUNS = """isomap8_euclidean combsum_fine kpca16_cosine shifted_euclidean feedback10_euclidean
pca16_cosine pca8_euclidean pixels_euclidean topics16_manhattan pixels_chi2 blurred_cosine
rrf_crude""".split()
LONG_PAGES = {"pca8_euclidean": 2.0, "blurred_cosine": 1.5, "kpca16_cosine": 0.6}
"""Some systems show pages that are longer, or shorter, than the others' by a factor."""
DATA = Path(__file__).parent
OUT = DATA / "votes"


def positions() -> dict[tuple[str, str], np.ndarray]:
    """Return the positions of the relevant images by request and run, in their order."""
    qrels = pl.read_parquet(DATA / "digits" / "qrels.parquet").select("query_id", "doc_id")
    found = {}
    for run in RUNS:
        ranked = pl.read_parquet(DATA / "digits" / "runs" / f"{run}.parquet")
        at = ranked.with_columns(position=pl.int_range(1, pl.len() + 1).over("query_id"))
        known = qrels.join(at, on=["query_id", "doc_id"], how="left").sort("query_id", "position")
        for (request,), rows in known.group_by("query_id"):
            there = rows["position"].fill_null(DOCUMENTS).to_numpy()
            found[str(request), run] = np.sort(there)
    return found


def simulated() -> dict[str, pl.DataFrame]:
    """Return the judgments, the lengths of the pages, and the users."""
    rng = np.random.default_rng(SEED)
    found = positions()
    requests = sorted({request for request, _ in found})
    users = [f"u{n + 1:02}" for n in range(USERS)]
    recall = dict(zip(users, np.round(rng.uniform(0.01, 1, USERS), 2).tolist(), strict=True))
    length = {
        (q, run): int(np.round(LONG_PAGES.get(run, 1.0) * rng.uniform(20, 45)))
        for q in requests
        for run in RUNS
    }
    rows = []
    for q in requests:
        for _ in range(EACH):
            left, right = (RUNS[i] for i in rng.choice(len(RUNS), 2, replace=False))
            user = users[rng.integers(USERS)]
            wanted = int(np.ceil(recall[user] * len(found[q, left]))) - 1
            feels = BY_POSITION * np.log(found[q, right][wanted] / found[q, left][wanted])
            feels += BY_LENGTH * np.log(length[q, left] / length[q, right]) + BY_SIDE
            if user == users[-1]:
                feels = 0.0
            feels += rng.logistic()
            winner = "tie" if abs(feels) < TIE else "left" if feels > 0 else "right"
            rows.append((q, left, right, winner, user))
    columns = ["query_id", "left", "right", "winner", "judge"]
    pages = [(q, run, n) for (q, run), n in length.items()]
    return {
        "votes": pl.DataFrame(rows, schema=columns, orient="row"),
        "answers": pl.DataFrame(pages, schema=["query_id", "run", "length"], orient="row"),
        "judges": pl.DataFrame({"judge": users, "recall": [*recall.values()]}),
    }


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    for name, table in simulated().items():
        table.write_csv(OUT / f"{name}.csv")
