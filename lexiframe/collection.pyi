"""What a collection lets one conclude: judges, holes, overlap, less data, simulated data."""

"For users: what judges of preferences agree about, exposure of items, and sampled judgments"
from lexiframe.decide.beyond.exposure_curves import exposure_curve as exposure_curve
from lexiframe.decide.judges.consistency import judge_consistency as judge_consistency
from lexiframe.study.sampled.sampled import inferred_scores as inferred_scores
