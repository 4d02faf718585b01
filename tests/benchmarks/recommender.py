"""Data of a recommender's size, simulated: many users with few relevant items each."""

from typing import Any

USERS, RUNS, RELEVANT = 100_000, 20, 5
RECOMMENDED = 100  # items for a user, in the one large run
LARGE_RUN_USERS, ITEMS, JUDGED = 138_000, 27_000, 23

# MovieLens 20M has 138,493 users and 26,744 items; 26,737 is prime, which `_items_of` needs
MOVIELENS_USERS, MOVIELENS_ITEMS, MOVIELENS_RELEVANT = 138_493, 26_737, 3_200_000


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


def movielens(users: int = MOVIELENS_USERS, seed: int = 0) -> tuple[Any, Any]:
    """Return one run and the relevant pairs, of the size of MovieLens 20M when `users` is.

    Users have one relevant item at least, and 23 on average, few of them many. The run gives each
    of them RECOMMENDED items, best first, with relevant ones more often at the top and more often
    for users who have many; the rows of a user stand together.
    """
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(seed)
    share = rng.gamma(0.7, size=users)
    n_more = users * MOVIELENS_RELEVANT // MOVIELENS_USERS - users
    m = 1 + rng.multinomial(n_more, share / share.sum())
    rank = np.arange(1, RECOMMENDED + 1)
    likely = rng.beta(2, 3, (users, 1)) * (m / (m + 10.0))[:, None] / np.sqrt(rank)
    hit = rng.random((users, RECOMMENDED)) < likely
    nth = hit.cumsum(axis=1)
    hit &= nth <= m[:, None]
    # slots 0 to m − 1 of a user are relevant, and no two ranks have one slot
    slot = np.where(hit, nth - 1, m[:, None] + rank)
    user = np.arange(1, users + 1)
    step, start = rng.integers(1, MOVIELENS_ITEMS, users), rng.integers(0, MOVIELENS_ITEMS, users)
    score = 5 - np.sort(rng.random((users, RECOMMENDED)), axis=1) * 4
    run = pl.DataFrame(
        {
            "user_id": user.repeat(RECOMMENDED),
            "item_id": _items_of(slot, step[:, None], start[:, None]).ravel(),
            "score": score.ravel(),
        }
    )
    of = np.arange(users).repeat(m)
    relevant = np.arange(len(of)) - (m.cumsum() - m)[of]
    judgments = pl.DataFrame(
        {
            "user_id": user[of],
            "item_id": _items_of(relevant, step[of], start[of]),
            "rating": np.ones(len(of)),
        }
    )
    return run, judgments


def _items_of(slot: Any, step: Any, start: Any) -> Any:
    """Return the item in a slot of a user's own order of all items: a step that meets each once."""
    return (slot * step + start) % MOVIELENS_ITEMS + 1
