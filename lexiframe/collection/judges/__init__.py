"""Several judges of the same documents: their agreement, and what each would make one conclude."""
