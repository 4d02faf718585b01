"""The parts of votes that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Votes
from lexiframe.decide.votes.stated.names import are_votes
from lexiframe.decide.votes.strengths.judged import order_of_judgments

FEATURE = (Votes(are_votes, order_of_judgments),)
