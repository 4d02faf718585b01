"""What the tables of decisions say, in words: a module for each table, see `verdict`."""
