"""Files: which are meant, what is in them, how they are written, and where tables come from."""
