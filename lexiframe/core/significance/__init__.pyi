"""Tests of which runs differ: p-values, corrections, intervals, power and swaps."""

"Tests: of all pairs of runs"
from .paired import compare as compare
from .weighed_tests import refuse_unweighed as refuse_unweighed
from .paired import check_inference as check_inference
from .tests import Test as Test
from . import tests_in_words as tests_in_words
from .corrections import Family as Family
from .differences import Alternative as Alternative
from .differences import Options as Options
from .paired_tests import MEANS as MEANS
from . import own_tests as own_tests
from . import tests as tests
from .tukey import tukey_hsd as tukey_hsd
from .corrections import correct_families as correct_families
from . import corrections as corrections

"Conclusions: from comparisons"
from .concluded import conclusions as conclusions
from .concluded import conclusion_pairs as conclusion_pairs
from . import concluded_in_words as concluded_in_words
from . import required_in_words as required_in_words
from .baseline import against_baseline as against_baseline
from .baseline import baseline_in_short as baseline_in_short
from .power import discriminative_power as discriminative_power
from . import ranks as ranks
from . import indistinct_groups as indistinct_groups

"Decisions: with margins"
from . import replicates as replicates
from .tests import ShiftedTest as ShiftedTest

"For features: modules whose names they use"
from . import arguments as arguments
from . import bets as bets
from . import betting_on_means as betting_on_means
from . import clusters as clusters
from . import differences as differences
from . import estimates as estimates
from . import intervals as intervals
from . import joint_flips as joint_flips
from . import margin_power as margin_power
from . import margins as margins
from . import paired_tests as paired_tests
from . import powered_means as powered_means
from . import too_few_requests as too_few_requests
from . import weighed_tests as weighed_tests
