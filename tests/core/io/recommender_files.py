"""Files as two recommender libraries keep them, in the schemas that they document.

The libraries themselves need a GPU stack, which is too much for tests of reading.

LensKit saves lists of recommendations as Parquet, natively with a row a user and a column ``items``
of structures, which keeps users whose list is empty; or flat, a row an item, which drops them. Ids
of users and items are numbers or strings, scores are single floats, ranks count from 1.

RecBole's atomic files are tab-separated; every name in the header carries its type
(``user_id:token``). ``.inter`` holds the interactions: user, item, rating, timestamp.
"""

from itertools import groupby
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

ITEM = {"item_id": pa.int64(), "score": pa.float32(), "rank": pa.int32()}


def write_lenskit(rows, path, *, layout="native", without_items=()):
    """Write (user, item, score), best first and users together, and users without items."""
    lists = {
        int(user): [
            {"item_id": int(item), "score": score, "rank": rank}
            for rank, (_, item, score) in enumerate(of_user, 1)
        ]
        for user, of_user in groupby(rows, key=lambda row: row[0])
    }
    lists |= {int(user): [] for user in without_items}
    if layout == "native":
        items = pa.array(list(lists.values()), pa.list_(pa.struct(ITEM)))
        table = pa.table({"user_id": pa.array(list(lists), pa.int64()), "items": items})
    else:
        flat = [{"user_id": user, **item} for user, items in lists.items() for item in items]
        table = pa.Table.from_pylist(flat, pa.schema({"user_id": pa.int64(), **ITEM}))
    parquet.write_table(table, path, compression="zstd")
    return path


def write_recbole(rows, path):
    """Write (user, item, rating) as interactions."""
    header = "user_id:token\titem_id:token\trating:float\ttimestamp:float"
    lines = [
        f"{user}\t{item}\t{rating:g}\t{881250949 + n}"
        for n, (user, item, rating) in enumerate(rows)
    ]
    Path(path).write_text("\n".join([header, *lines]) + "\n")
    return path
