"""What measures need of the positions."""

RELEVANT = "relevant items"
JUDGED = "judged items"
POOL = "pool or corpus size"
SUBTOPICS = "subtopics"

PROJECTIONS: dict[str, dict[str, bool]] = {
    RELEVANT: {},
    JUDGED: {"judged": True},
    POOL: {"pool": True},
    SUBTOPICS: {"subtopics": True},
}
"""The arguments of `positions` that give what is needed."""
