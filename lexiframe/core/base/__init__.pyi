"""What every room uses: errors, the schemas of tables, codes, hashes, memory, progress and sums."""

"Errors: what is raised and warned, and how it is worded"
from .errors import LexiframeError as LexiframeError
from .errors import ReadError as ReadError
from .errors import SchemaError as SchemaError
from .errors import Problem as Problem
from .errors import warn as warn
from .errors import shown as shown
from .errors import escaped as escaped
from .errors import n_and_first as n_and_first
from .errors import unknown_name as unknown_name
from .errors import check_choice as check_choice
from . import errors as errors

"Guards: arguments of public functions, draws and memory"
from .guards import typed as typed
from . import resampling as resampling
from . import memory_use as memory_use

"Tables: their columns, codes of names, hashes"
from . import schemas as schemas
from .schemas import to_polars as to_polars
from . import coded as coded
from . import hashing as hashing

"Printing: tables and sentences that people read"
from . import printed as printed

"Work: progress, exact sums, likely causes, the version"
from .progress_bars import progress as progress
from .progress_bars import in_threads as in_threads
from . import progress_bars as progress_bars
from . import sums as sums
from .id_mismatch import likely_cause as likely_cause
from .version import __version__ as __version__

"For features: what they offer to the core"
from . import feature as feature
