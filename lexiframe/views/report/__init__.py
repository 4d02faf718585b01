"""The report: an evaluation as one HTML page that needs no other file and no network."""
