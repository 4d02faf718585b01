"""Preferences that someone states: files and frames of judgments of two runs, side by side."""

"For other rooms: what they use of it"
from .stated_preferences import StatedPreferences as StatedPreferences
from .reading import read_preferences as read_preferences
from .given import stated_rows_of as stated_rows_of
from .given import judgments_of as judgments_of
from .names import are_votes as are_votes
