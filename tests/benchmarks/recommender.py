"""Data of a recommender's size, simulated: many users with few relevant items each."""

from typing import Any

USERS, RUNS, RELEVANT = 100_000, 20, 5
RECOMMENDED = 100  # items for a user, in the one large run
LARGE_RUN_USERS, ITEMS, JUDGED = 138_000, 27_000, 23


def positions() -> Any:
    """Return the positions of RELEVANT items of each of USERS users in RUNS runs."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    gaps = rng.integers(1, 60, (RUNS, USERS, RELEVANT))
    ranks = rng.permuted(gaps.cumsum(axis=2), axis=2)  # of the items in the order of their names
    rank, level = ranks.ravel(), ranks.argsort(axis=2).argsort(axis=2).ravel() + 1
    item = np.tile(np.arange(RELEVANT), RUNS * USERS)
    users = pl.Series([f"user{n:06}" for n in range(USERS)])
    runs = pl.Series([f"run{n:02}" for n in range(RUNS)])
    table = pl.DataFrame(
        {
            "run": runs.gather(np.repeat(np.arange(RUNS), USERS * RELEVANT)),
            "query_id": users.gather(np.tile(np.repeat(np.arange(USERS), RELEVANT), RUNS)),
            "doc_id": pl.Series([f"item{n}" for n in range(RELEVANT)]).gather(item),
            "relevance": np.ones(len(level)),
            "position": rank,
            "level": level,
            "n_relevant": np.full(len(level), RELEVANT),
            "n_retrieved": np.full(len(level), RECOMMENDED),
        }
    )
    found = pl.col("position") <= RECOMMENDED
    return table.with_columns(pl.when(found).then("position"))


def large_run() -> tuple[Any, Any]:
    """Return one run of 13.8 million rows with integer ids, and 3.2 million judgments."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    run = pl.DataFrame(
        {
            "user_id": np.repeat(np.arange(LARGE_RUN_USERS), RECOMMENDED),
            "item_id": _distinct_items(LARGE_RUN_USERS, RECOMMENDED, rng),
            "score": np.tile(np.linspace(1, 0, RECOMMENDED), LARGE_RUN_USERS),
        }
    )
    judgments = pl.DataFrame(
        {
            "user_id": np.repeat(np.arange(LARGE_RUN_USERS), JUDGED),
            "item_id": _distinct_items(LARGE_RUN_USERS, JUDGED, rng),
            "rating": np.ones(LARGE_RUN_USERS * JUDGED),
        }
    )
    return run, judgments


def _distinct_items(users: int, each: int, rng: Any) -> Any:
    """Draw so many different items for each user: one of each stretch of items, in any order."""
    import numpy as np

    stretch = ITEMS // each
    items = np.arange(each) * stretch + rng.integers(0, stretch, (users, each))
    return rng.permuted(items, axis=1).ravel()
