"""Whether a run may replace another: the evidence, the tests and the conclusion."""

"For other features: names that they use"
from .gate_evidence import GateMissing as GateMissing
from .gate_coverage import RankedPairs as RankedPairs
from .gate_rules import Require as Require
from .deciding import check_gate as check_gate
from .deciding import gate as gate
from .sequential import gate_so_far as gate_so_far
from .curve import gate_curve as gate_curve
from .curve_in_words import curve_sentence as curve_sentence
from .curve_in_words import curve_table as curve_table
from .gate_in_words import coverage_of_row as coverage_of_row
from .gate_in_words import differences_title as differences_title
from .gate_in_words import gate_sentences as gate_sentences
from .gate_in_words import name_of_row as name_of_row
from .gate_in_words import rows_to_read as rows_to_read
from .shown_gates import gate_text as gate_text
