"""Runs that are larger than memory: requests in buckets on disk, evaluated one bucket at a time."""

"For features: modules whose names they use"
from . import bucket as bucket
from . import codec as codec
from . import held as held
from . import plan as plan
from . import results as results
from . import sizes as sizes
from . import whole_files as whole_files
from . import writing as writing
