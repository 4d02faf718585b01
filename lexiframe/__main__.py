"""``python -m lexiframe`` is the command line."""

from lexiframe.cli import main

main()
