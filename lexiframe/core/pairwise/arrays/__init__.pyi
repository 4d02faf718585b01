"""Long tables as dense arrays, and in groups of requests: what the stages below share."""

"For other rooms: what they use of it"
from .whole_evaluations import ByKind as ByKind
from .whole_evaluations import PairsByKind as PairsByKind
from .reduced_pairs import PairSums as PairSums
from .reduced_pairs import Reduced as Reduced
from .reduced_pairs import reduced as reduced
from .reduced_pairs import RunSums as RunSums
from .one_measure import Cells as Cells
from .few import Few as Few
from .arrays import ScoreCube as ScoreCube
from .arrays import PairsByMeasure as PairsByMeasure
from .one_measure import Scores as Scores
from .parts_of_groups import are_all as are_all
from .arrays import agreeing as agreeing
from .arrays import check_finite as check_finite
from .cube import checked_cells as checked_cells
from .handed import cube_or_sums as cube_or_sums
from .handed import is_scores as is_scores
from .handed import has_weights as has_weights
from .attached_weights import attach as attach
from .weights import refuse_weights as refuse_weights
from .weights import weigh as weigh
from .weights import equal_weights as equal_weights
from .weights import weights_facts as weights_facts
from .weights import weights_of as weights_of
from .weights import zero_weights as zero_weights
from .parts_of_groups import n_splits as n_splits
from .parts_of_groups import named_groups as named_groups
from .handed import PairsOrReplicates as PairsOrReplicates
from .handed import pair_cube as pair_cube
from .arrays import refuse_too_great as refuse_too_great
from .whole_evaluations import refuse_no_groups as refuse_no_groups
from .cube import score_cube as score_cube
from .parts_of_groups import splits as splits
