"""For tests of your own: that a run is not worse, and that a measure is sound."""
