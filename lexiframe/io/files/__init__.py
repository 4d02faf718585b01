"""Files: finding, fetching, unpacking and writing them; recording where tables come from."""
