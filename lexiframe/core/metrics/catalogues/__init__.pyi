"""The built-in metrics, each an entry with its formula, its range and its source."""

"For other rooms: what they use of it"
from .ranked import AP as AP
from .described import Explained as Explained
from .described import Listing as Listing
from .papers import RECALL_PAIRED as RECALL_PAIRED
from .conventions import all_conventions as all_conventions
from .ranked import num_rel as num_rel
from .ranked import num_rel_ret as num_rel_ret
from .ranked import num_ret as num_ret
from . import papers as papers
from .not_offered import refuse_not_offered as refuse_not_offered
from . import symbols as symbols
