"""Tests of which runs differ: p-values, corrections, intervals, power and swaps."""

"For users: effects on scores, replicates, judgments of people and models, what gates do"
from lexiframe.decide.gates.confidence_sequences import confidence_sequence as confidence_sequence
from lexiframe.decide.gates.curve import gate_curve as gate_curve
from lexiframe.decide.gates.sequential import gate_so_far as gate_so_far
from lexiframe.decide.judges.people_and_model import how_many_judgments as how_many_judgments
from lexiframe.decide.judges.people_and_model import prediction_powered as prediction_powered
from lexiframe.study.replicates.variances import generalisability as generalisability
from lexiframe.study.replicates.variances import variance_components as variance_components
from lexiframe.study.models.variance_analysis import anova as anova
