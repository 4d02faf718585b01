"""Leaderboards: runs over several collections, with gaps, and how sure a rank is."""
