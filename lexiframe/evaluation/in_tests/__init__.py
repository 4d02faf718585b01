"""What users need in tests of their own: see `lexiframe.testing`."""
