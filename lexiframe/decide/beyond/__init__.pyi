"""Beyond relevance: what recommended lists are like, whatever is relevant in them."""

"For other features: names that they use"
from .items import Items as Items
from .reached import Catalogue as Catalogue
from .reached import How as How
from .reached import catalogue_of as catalogue_of
from .reached import catalogue_of_parts as catalogue_of_parts
from .reached import parts_of as parts_of
from .in_parts import ListsInParts as ListsInParts
from .lists import lists_of as lists_of
from .scored_lists import deepest as deepest
from .scored_lists import values_table as values_table
from .list_measures import ListMetric as ListMetric
from .catalogue_measures import CatalogueMetric as CatalogueMetric
