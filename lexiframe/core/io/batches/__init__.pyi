"""Runs and judgments as batches of rows, whatever they are read from."""

"For other rooms: what they use of it"
from .reading import DIGITS as DIGITS
from .reading import Share as Share
from .units import Sources as Sources
from .units import Unit as Unit
from .units import is_query as is_query
from .units import judgments_in as judgments_in
from .reading import judgments_of_unit as judgments_of_unit
from .reading import parts_of_unit as parts_of_unit
