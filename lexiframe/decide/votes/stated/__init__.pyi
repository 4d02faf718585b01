"""Preferences that someone states: files and frames of judgments of two runs, side by side."""

"For other features: names that they use"
from .stated_preferences import StatedPreferences as StatedPreferences
from .reading import read_preferences as read_preferences
from .given import stated_rows_of as stated_rows_of
from .given import judgments_of as judgments_of
