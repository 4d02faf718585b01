"""Beyond relevance: what recommended lists are like, whatever is relevant in them."""

"For other rooms: what they use of it"
from .items import Items as Items
from .items import read_items as read_items
from .scored_lists import list_scores as list_scores
from .reached import Catalogue as Catalogue
from .reached import catalogue as catalogue
from .measures import BEYOND as BEYOND
