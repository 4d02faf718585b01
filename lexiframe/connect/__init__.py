"""Ties to other tools, forms that few have, and engines for data of any size."""
