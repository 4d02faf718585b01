"""The vocabulary of columns: their names in other libraries and tools, by our names.

Runs, judgments, scores, votes and judged nuggets are read by these names; `column_names` says which
column of a table each one means. Logs and items have the ids of requests, runs and documents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NAMES = {
    "run": "run name system tag model".split(),
    "query_id": "query_id qid q_id query query-id topic user_id user".split(),
    "doc_id": "doc_id docno docid doc doc_no document_id item_id item corpus-id".split(),
    "score": "score sim prediction".split(),
    "rank": ["rank"],
    "relevance": "relevance label rel grade gain rating".split(),
    "iteration": "iteration subtopic subtopic_id q0".split(),
}
_LISTS = ["doc_ids", "item_ids", "items"]
LISTS_OF_IDS = {
    "runs": ["retrieved_ids", "retrieved", "retrieved_doc_ids", "ranked_ids", "ranking", *_LISTS],
    "qrels": ["expected_ids", "expected", "relevant_ids", "relevant", "relevant_doc_ids", "pos",
              "positive_ids", *_LISTS],
}  # fmt: skip
"""Names of columns whose cells hold the ids of all documents of a query."""
LISTS_OF_SCORES = ["scores", "similarities", "similarity_scores", "relevance_scores"]
LISTS_OF_DISTANCES = ["distances", "distance"]
"""Names of columns whose cells hold a number for each of these documents."""


def spelled(words: Sequence[str]) -> list[str]:
    """Return names, followed by their spellings in other cases and styles."""
    every = dict.fromkeys(words)
    for word in words:
        parts = re.split("[_-]", word)
        titles = [part.title() for part in parts]
        short = {"id": "ID", "ids": "IDs"}
        ids = [short.get(part, title) for part, title in zip(parts, titles, strict=True)]
        cases = [parts, [part.upper() for part in parts], titles, ids]
        every |= dict.fromkeys(joint.join(case) for joint in ("_", "-", " ", "") for case in cases)
        every |= dict.fromkeys(parts[0] + "".join(case[1:]) for case in (titles, ids))
    return [*every]


KNOWN_NAMES = {ours: spelled(words) for ours, words in NAMES.items()}
"""The names that a column of ours may have, in any case."""
MODEL_OF_MTEB = "mteb_model_meta"
"""The name under which MTEB says whose predictions it saved."""
FALLBACK_NAMES = {  # BEIR's name for grades, which runs use too; of Quepid, MS MARCO, MovieLens
    "relevance": ["score"], "query_id": ["Query Text"], "doc_id": ["Doc ID", "pid", "movieId"],
    "rank": ["Doc Position"],
}  # fmt: skip
"""Names that count only where no other is there."""
TIMES = {*spelled(["timestamp", "time", "date", "datetime"])}
"""Names of columns of times."""
SCORES = {  # collections may be called Query or Score, and so only ids are known in any case
    "run": [*NAMES["run"], "runid", "run_id", "model_name"],
    "query_id": [
        *NAMES["query_id"],
        *(name for name in KNOWN_NAMES["query_id"] if name.casefold() != name and "ID" in name),
        "topic_id",
        "user_input",
    ],
    "measure": "measure metric".split(),
    "value": "value score".split(),
    "smaller_is_better": ["smaller_is_better"],
    "replicate": ["replicate"],
}
"""Names of columns of scores."""
COLLECTIONS = ["collection", "task", "task_name", "dataset", "benchmark"]
"""Names of columns that say of which collection a score is."""
ALL_SCORES = {
    **SCORES,
    "collection": COLLECTIONS,
    "value": [*SCORES["value"], "main_score"],
}
"""Names of columns of scores of several collections."""
SPARE_IDS = {"question_id": "query_id", "model_id": "run"}
"""Names of ids that count where no other column has the ids."""
VOTES: dict[str, tuple[list[str], ...]] = {
    "query_id": (
        "query_id qid q_id query-id topic question_id prompt_id instruction_id uid".split(),
        "query question prompt instruction".split(),
        ["user_id", "user"],
        ["id"],
    ),
    "judge": (
        "judge judge_id worker worker_id annotator annotator_id assessor rater evaluator".split(),
        ["user_id", "user"],
    ),
    "winner": ("winner preference preferred choice vote verdict better".split(),),
    "first": ("first shown_first position".split(),),
    "replicate": (["replicate"],),
}
"""Names of columns of stated preferences: of several groups the first one with a name counts, as an
id names a request better than its text, and a user is a request only where nothing else is."""
NUGGETS = {
    "query_id": "query_id qid query topic_id topic request_id".split(),
    "run": "run run_id system model team".split(),
    "nugget_id": "nugget_id nugget question_id".split(),
    "credit": "credit".split(),
    "assignment": "assignment label support judgment judgement grade".split(),
    "importance": "importance".split(),
    "text": "text nugget_text question question_text".split(),
}
"""Names of columns of judgments of nuggets in answers."""
