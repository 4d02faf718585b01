"""Tests of which runs differ: p-values, corrections, intervals, power and swaps."""

"Tests: of all pairs of runs"
from .paired import compare as compare
from .paired import check_inference as check_inference
from .tests import Test as Test
from . import tests_in_words as tests_in_words
from .corrections import Correction as Correction
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
from .baseline import against_baseline as against_baseline
from .baseline import baseline_in_short as baseline_in_short
from .power import discriminative_power as discriminative_power
from . import ranks as ranks
from .concordances.ratios import Ratios as Ratios
from . import indistinct_groups as indistinct_groups

"Decisions: with margins"
from . import gates as gates
from . import replicates as replicates
from .tests import ShiftedTest as ShiftedTest

"For users: replicates of runs, judgments of people and models, what gates do"
from .replicates.variances import variance_components as variance_components
from .replicates.variances import generalisability as generalisability
from .people_and_model import prediction_powered as prediction_powered
from .people_and_model import how_many_judgments as how_many_judgments
from .gates.sequential import gate_so_far as gate_so_far
from .gates.curve import gate_curve as gate_curve
from .gates.confidence_sequences import confidence_sequence as confidence_sequence
