"""Win rates and orderings of runs, and the agreement between orderings and between measures."""
