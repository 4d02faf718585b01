"""Several judges of the same documents: their agreement, and what each would make one conclude."""

"For other features: names that they use"
from .two_judges import side_by_side as side_by_side
from .people_and_model import warn_of_odd_requests as warn_of_odd_requests
