"""Files: finding, fetching, unpacking and writing them; recording where tables come from."""

"For features: modules whose names they use"
from . import data_sources as data_sources
from . import folders as folders
from . import output_files as output_files
from . import unpacking as unpacking
