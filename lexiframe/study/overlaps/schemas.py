"""The tables of overlaps: their keys and columns."""

from lexiframe.core.base import schemas

OVERLAP = schemas.table_schema("overlap", "query_id run_a run_b measure", "value")
CONTRASTING = schemas.table_schema(
    "contrasting",
    "query_id place",
    "run_a run_b measure value doc_a position_in_b in_top_b relevance_a? doc_b position_in_a "
    "in_top_a relevance_b?",
)
UNJUDGED = schemas.table_schema(
    "unjudged",
    "query_id doc_id",
    "n_runs best_position weight share cumulated_share",
)
