"""Beyond relevance: properties of recommended lists, whatever is relevant in them.

In all of this feature a list is the first k documents of a run for a request, and the items are the
catalogue that the lists are drawn from. Values are NaN where a measure says nothing of a list.
"""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
