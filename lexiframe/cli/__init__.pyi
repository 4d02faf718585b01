"""The command line: what it is asked, what it reads, what it prints and writes."""

"The way in: what `python -m lexiframe` runs"
from .app import main as main
