"""Conclusions beyond one evaluation: gates, leaderboards, votes, judges, answers, lists."""
