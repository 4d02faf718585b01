"""Tables of any origin: the names of their columns, their items, objects of other libraries."""
