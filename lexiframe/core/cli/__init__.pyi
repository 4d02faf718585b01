"""The command line: what it is asked, what it reads, what it prints and writes."""

"For features: modules whose names they use"
from . import app as app
from . import arguments as arguments
from . import inputs as inputs
from . import messages as messages
from . import options as options
from . import output as output
