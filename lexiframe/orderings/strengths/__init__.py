"""Strengths of runs from judgments of pairs: Bradley–Terry and Davidson, with their intervals."""
