"""What is concluded beyond one evaluation: gates, leaderboards, votes, judges, answers, lists."""
