"""The ranks that tests of all pairs of runs leave possible."""

"For other rooms: what they use of it"
from .pairs import Design as Design
from .pairs import holm_all as holm_all
from .pairs import holm_each as holm_each
from .pairs import possible_ranks as possible_ranks
from .largest_t import step_down as step_down
from .largest_t import FEWEST_FLIPPED as FEWEST_FLIPPED
