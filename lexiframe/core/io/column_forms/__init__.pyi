"""Tables from anywhere: names of columns, ids, numbers, lists of items, other libraries."""

"For other rooms: what they use of it"
from .column_names import CHANGED_PLACES as CHANGED_PLACES
from .column_names import RIGHT_ORDER as RIGHT_ORDER
from .ids import checked_ids as checked_ids
from .column_names import columns_of as columns_of
from .column_names import columns_among as columns_among
from .objects import held as held
from .lists_of_items import rename_columns as rename_columns
from .objects import is_frame as is_frame
from .measure_names import SIMILARITY as SIMILARITY
from .column_names import items_of_implicit_feedback as items_of_implicit_feedback
from .numbers import refuse_lost_digits as refuse_lost_digits
from .objects import to_frame as to_frame
from .values_for_none import NaValues as NaValues

"For features: modules whose names they use"
from . import column_names as column_names
from . import numbers as numbers
from . import objects as objects
from . import records as records
from . import values_for_none as values_for_none
