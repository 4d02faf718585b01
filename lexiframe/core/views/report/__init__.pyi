"""The report: an evaluation as one HTML page that needs no other file and no network."""

"For features: modules whose names they use"
from . import curves as curves
from . import packing as packing
from . import page as page
